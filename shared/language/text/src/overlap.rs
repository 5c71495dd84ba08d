//! Measures how much of an answer its facts contain, by counting words.

use crate::{Language, words};
use std::collections::HashSet;

/// Share of the answer's content words that occur in the facts, 0 to 1; 0 for an answer without content words. Citation
/// marks (`[3]`) are not counted as words of the answer.
pub fn overlap<S: AsRef<str>>(answer: &str, facts: &[S]) -> f32 {
    let said = words::content(&without_marks(answer));
    if said.is_empty() {
        return 0.0;
    }
    let mut unseen: HashSet<&str> = said.iter().map(String::as_str).collect();
    for fact in facts {
        let fact = fact.as_ref();
        let is_all = words::any_content(fact, Language::of(fact), |word| {
            unseen.remove(word) && unseen.is_empty()
        });
        // Facts are long and mostly agree with the answer: the rest need not be read.
        if is_all {
            return 1.0;
        }
    }
    let found = said.iter().filter(|word| !unseen.contains(word.as_str()));
    found.count() as f32 / said.len() as f32
}

/// `text` with `[n]` marks blanked; other brackets stay.
pub(crate) fn without_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let after = &rest[at + 1..];
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        out.push_str(&rest[..at]);
        match digits > 0 && after[digits..].starts_with(']') {
            true => {
                out.push(' ');
                rest = &after[digits + 1..];
            }
            false => {
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}
