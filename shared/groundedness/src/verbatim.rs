//! Whether a sentence is taken over as it stands, blanks and marks aside. What a scan confused stays as it is.

use crate::coverage::Evidence;
use std::collections::HashSet;

/// The sentences of the passages as letters and digits alone.
pub(crate) struct Verbatim {
    sentences: HashSet<String>,
}

impl Verbatim {
    pub(crate) fn new(passages: &[&str], evidence: &Evidence) -> Verbatim {
        let mut sentences = HashSet::new();
        for (text, range) in passages.iter().zip(&evidence.passages) {
            for at in range.clone() {
                sentences.insert(bare(&text[evidence.sentences[at].at.clone()]));
            }
        }
        Verbatim { sentences }
    }

    pub(crate) fn has(&self, sentence: &str) -> bool {
        let bare = bare(sentence);
        !bare.is_empty() && self.sentences.contains(&bare)
    }
}

/// Letters, digits, and the signs that make another value of a number.
fn bare(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let is_digit_next = chars.peek().is_some_and(char::is_ascii_digit);
        let is_point = c == '.' && before.is_ascii_digit() && is_digit_next;
        let is_minus = matches!(c, '-' | '−') && before.is_whitespace() && is_digit_next;
        match c {
            _ if c.is_alphanumeric() => kept.extend(c.to_lowercase()),
            '$' | '€' | '£' | '¥' | '%' | '°' | '<' | '>' | '≤' | '≥' | '=' => {
                kept.push(c)
            }
            _ if is_point || is_minus => kept.push(c),
            _ => {}
        }
        before = c;
    }
    kept
}
