//! Cuts out the part of a text around the sentences that match a query best: for noisy scans, and for models that lose
//! track in a whole chunk. Pure.
//!
//! Sentences and lines stay whole, so a citation still quotes what the source says. The page and line of a passage stay
//! those of its chunk.

use std::collections::HashSet;
use std::ops::Range;
use text::{unaccented, words};

/// What a word with a digit counts for, beside others: a part number says more than a noun.
const IDENTIFIER_WEIGHT: u32 = 2;
/// Stands where text was left out.
const LEFT_OUT: &str = "…";

/// At most about `chars` characters of `text`: the neighbouring sentences that have most of the words of
/// `query`. The whole text when it fits. A sentence that is longer by itself is cut between words.
pub fn context(text: &str, query: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let wanted: HashSet<String> = content(query).collect();
    let pieces: Vec<Piece> = sentences(text, chars)
        .into_iter()
        .map(|range| {
            let words = content(&text[range.clone()]);
            Piece {
                chars: text[range.clone()].chars().count(),
                has: words.filter(|word| wanted.contains(word)).collect(),
                range,
            }
        })
        .collect();
    let window = best(&pieces, chars);
    let kept = text[window.clone()].trim();
    let before = text[..window.start].trim().is_empty();
    let after = text[window.end..].trim().is_empty();
    let mark = |none: bool| if none { "" } else { LEFT_OUT };
    let space = |none: bool| if none { "" } else { " " };
    format!(
        "{}{}{kept}{}{}",
        mark(before),
        space(before),
        space(after),
        mark(after)
    )
}

/// The content words of a text, with and without accents alike.
fn content(text: &str) -> impl Iterator<Item = String> {
    words::content(&unaccented(text)).into_iter()
}

/// A sentence, how long it is, and what of the query it has.
struct Piece {
    range: Range<usize>,
    chars: usize,
    has: HashSet<String>,
}

/// The stretch of whole sentences that fits and has most of the query: from one that has some of it on
/// as far as fits, then as much before it; of several the first. The beginning where nothing matches.
fn best(pieces: &[Piece], chars: usize) -> Range<usize> {
    let (mut best, mut window, mut room) = (0, 0..0, 0);
    for from in 0..pieces.len() {
        if from > 0 && pieces[from].has.is_empty() {
            continue;
        }
        let mut there: HashSet<&str> = HashSet::new();
        let (mut length, mut to) = (0, from);
        while to < pieces.len() && (to == from || length + pieces[to].chars <= chars) {
            length += pieces[to].chars;
            there.extend(pieces[to].has.iter().map(String::as_str));
            to += 1;
        }
        let worth = there.into_iter().map(weight).sum::<u32>();
        if from == 0 || worth > best {
            (best, window, room) = (worth, from..to, chars.saturating_sub(length));
        }
    }
    while window.start > 0 && pieces[window.start - 1].chars <= room {
        window.start -= 1;
        room -= pieces[window.start].chars;
    }
    pieces[window.start].range.start..pieces[window.end - 1].range.end
}

fn weight(word: &str) -> u32 {
    match word.contains(|c: char| c.is_ascii_digit()) {
        true => IDENTIFIER_WEIGHT,
        false => 1,
    }
}

/// The sentences and lines of a text, without a gap between them; none over `chars` characters.
fn sentences(text: &str, chars: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut from, mut length, mut last_space) = (0, 0, 0);
    let mut signs = text.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let end = at + sign.len_utf8();
        length += 1;
        if sign.is_whitespace() {
            last_space = end;
        }
        let next = signs.peek().map(|(_, next)| *next);
        let ends = matches!(sign, '.' | '?' | '!' | '。' | '？' | '！')
            && next.is_none_or(char::is_whitespace);
        let to = match () {
            () if sign == '\n' || ends || next.is_none() => end,
            () if length < chars => continue,
            () if last_space > from => last_space,
            () => end,
        };
        ranges.push(from..to);
        length = text[to..end].chars().count();
        from = to;
    }
    if from < text.len() {
        ranges.push(from..text.len());
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "The pump stands in hall 3. It was painted green in 2019.\n\
        The guarantee of the Delta pump is 24 months. It begins with delivery.\n\
        Spare parts are kept for ten years. Ask the office for AX-1042.";

    #[test]
    fn the_sentences_that_match_are_kept_whole() {
        assert_eq!(
            context(TEXT, "How long is the guarantee on the Delta pump?", 80),
            "… The guarantee of the Delta pump is 24 months. It begins with delivery. …"
        );
        assert_eq!(
            context(TEXT, "AX-1042", 80),
            "… Spare parts are kept for ten years. Ask the office for AX-1042."
        );
        assert_eq!(
            context(TEXT, "nothing of it", 30),
            "The pump stands in hall 3. …",
            "where nothing matches, the beginning"
        );
    }

    #[test]
    fn a_text_that_fits_stays_as_it_is() {
        assert_eq!(context(TEXT, "guarantee", 4_000), TEXT);
        assert_eq!(context("", "guarantee", 80), "");
    }

    #[test]
    fn a_long_sentence_is_cut_between_words() {
        let text = "word ".repeat(100) + "needle " + &"word ".repeat(100);
        let cut = context(&text, "needle", 100);
        assert!(
            cut.contains("needle") && cut.chars().count() <= 104,
            "{cut}"
        );
        assert!(
            cut.split(' ').all(|w| ["word", "needle", "…"].contains(&w)),
            "{cut}"
        );
    }

    proptest! {
        #[test]
        fn a_window_is_short_and_stands_in_the_text(
            text in "([a-zäß]{1,9}[ .\\n]|\\PC){0,200}",
            query in "[a-zä ]{0,20}",
            chars in 1usize..200,
        ) {
            let cut = context(&text, &query, chars);
            prop_assert!(cut.chars().count() <= chars + 4 || cut == text);
            let bare = cut.strip_prefix("… ").unwrap_or(&cut);
            prop_assert!(text.contains(bare.strip_suffix(" …").unwrap_or(bare)));
        }
    }
}
