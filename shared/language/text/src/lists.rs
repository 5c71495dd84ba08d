//! Finds a list of words in a language file while a crate is compiled.
//!
//! A language file holds lists: a line `name:`, and below it the words in lines that begin with a blank. Lines that begin
//! with `#` say what the next list is for.

use std::cmp::Reverse;
use std::collections::HashMap;

/// The words of the list `name` in the text of a language file, with blanks between them. It is for constants: the
/// compiler refuses a name that no list has.
pub const fn list(file: &'static str, name: &str) -> &'static str {
    let (bytes, name) = (file.as_bytes(), name.as_bytes());
    let mut at = 0;
    while at < bytes.len() {
        if (at == 0 || bytes[at - 1] == b'\n') && begins(bytes, at, name) {
            let from = at + name.len() + 1;
            let mut end = from;
            while end < bytes.len() && (bytes[end] != b'\n' || is_indented(bytes, end + 1)) {
                end += 1;
            }
            return file.split_at(end).0.split_at(from).1;
        }
        at += 1;
    }
    panic!("no list has this name")
}

/// All lists of a language file, by name.
pub(crate) fn all(file: &'static str) -> HashMap<&'static str, &'static str> {
    let names = file.lines().filter_map(|line| line.strip_suffix(':'));
    let names = names.filter(|name| !name.starts_with([' ', '#']));
    names.map(|name| (name, list(file, name))).collect()
}

const fn is_indented(bytes: &[u8], at: usize) -> bool {
    at < bytes.len() && bytes[at] == b' '
}

/// Whether `name:` stands at a place.
const fn begins(bytes: &[u8], from: usize, name: &[u8]) -> bool {
    let mut at = 0;
    while at < name.len() {
        if from + at >= bytes.len() || bytes[from + at] != name[at] {
            return false;
        }
        at += 1;
    }
    from + at < bytes.len() && bytes[from + at] == b':'
}

/// Whether a word is one of those in a list.
pub fn is_of(word: &str, words: &str) -> bool {
    words.split_ascii_whitespace().any(|known| known == word)
}

/// Whether a word is in one of two lists.
pub(crate) fn is_of_either(word: &str, [one, other]: [&str; 2]) -> bool {
    is_of(word, one) || is_of(word, other)
}

/// Phrases with what they mean, the longest first.
pub struct Phrases<T>(Vec<(Vec<&'static str>, T)>);

impl<T: Copy> Phrases<T> {
    /// The phrases of lists, between commas.
    pub fn of<const N: usize>(lists: [([&'static str; 2], T); N]) -> Phrases<T> {
        let mut all = Vec::new();
        for (texts, meaning) in lists {
            let phrases = texts.into_iter().flat_map(|text| text.split(','));
            let phrases = phrases.map(|phrase| phrase.split_ascii_whitespace().collect());
            all.extend(phrases.map(|words: Vec<&str>| (words, meaning)));
        }
        all.retain(|(words, _)| !words.is_empty());
        all.sort_by_key(|(words, _)| Reverse(words.len()));
        Phrases(all)
    }

    /// The longest phrase that begins at the first of some words: the number of its words, and what it means.
    pub fn at<'a>(&self, word: impl Fn(usize) -> &'a str) -> Option<(usize, T)> {
        let begins = |words: &[&str]| {
            let mut words = words.iter().enumerate();
            words.all(|(at, known)| word(at) == *known)
        };
        let (words, meaning) = self.0.iter().find(|(words, _)| begins(words))?;
        Some((words.len(), *meaning))
    }
}
