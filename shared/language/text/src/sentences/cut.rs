//! A sentence splitter for the chunker, which keeps sentences whole. In doubt it joins two sentences: a chunk that
//! is a little long is better than half a sentence. Its result is part of the version of chunks, so it must *not*
//! be changed without a new version.

use crate::is_of;

/// The sentences of a chunk's text, as they were found when the chunk was cut. The rows of a table stay together.
pub fn of_piece(text: &str) -> impl Iterator<Item = &str> {
    let found = text.split("\n\n").flat_map(sentences);
    found.map(|(_, sentence)| sentence)
}

/// Sentences with their offsets. In doubt two sentences stay one.
pub fn sentences(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in marks(text) {
        let next = at + c.len_utf8();
        if at < start || !ends_sentence(&text[start..at], c) {
            continue;
        }
        let closing = ['"', '\'', ')', ']', '”', '’', '»', '.', '!', '?'];
        let rest = text[next..].trim_start_matches(closing);
        let end = text.len() - rest.len();
        let wide = matches!(c, '。' | '！' | '？');
        let begins = !rest.trim_start().starts_with(char::is_lowercase);
        if (wide || rest.starts_with(char::is_whitespace)) && begins {
            found.push((start, text[start..end].trim_end()));
            start = end + rest.len() - rest.trim_start().len();
        }
    }
    if !text[start..].trim().is_empty() {
        found.push((start, text[start..].trim_end()));
    }
    found
}

/// The characters that may end a sentence, and where they stand. Told by their first byte.
fn marks(text: &str) -> impl Iterator<Item = (usize, char)> {
    let first = |byte: u8| matches!(byte, b'.' | b'!' | b'?' | 0xe3 | 0xef);
    let places = text.bytes().enumerate();
    let places = places.filter(move |(_, byte)| first(*byte));
    places.filter_map(|(at, _)| Some((at, text[at..].chars().next()?)))
}

/// Whether `c` behind `sentence` ends it.
fn ends_sentence(sentence: &str, c: char) -> bool {
    match c {
        '!' | '?' | '。' | '！' | '？' => true,
        '.' => {
            let start = sentence
                .char_indices()
                .rev()
                .take_while(|(_, c)| !c.is_whitespace() && *c != '(')
                .take(12) // no abbreviation is longer; a line may be one endless word
                .last()
                .map_or(sentence.len(), |(start, _)| start);
            let word = sentence[start..].to_lowercase();
            let initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
            let item = start == 0 && word.len() <= 3 && word.bytes().all(|b| b.is_ascii_digit());
            !initial && !item && !is_of(&word, words!(shortened_cut))
        }
        _ => false,
    }
}
