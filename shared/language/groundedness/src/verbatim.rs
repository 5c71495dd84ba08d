//! Finds out whether a sentence is copied from a passage, ignoring blanks and punctuation. Errors of a scan are not
//! corrected.

use crate::coverage::Evidence;

/// Whether a sentence of the passages reads as `sentence` does.
pub(crate) fn has(passages: &[&str], evidence: &Evidence, sentence: &str) -> bool {
    let mut placed = passages.iter().zip(&evidence.passages);
    // Nearly all differ in their first letters: nothing is kept of them.
    bare(sentence).next().is_some()
        && placed.any(|(text, range)| {
            let mut given = evidence.sentences[range.clone()].iter();
            given.any(|one| bare(&text[one.at.clone()]).eq(bare(sentence)))
        })
}

/// Letters, digits, and the signs that make another value of a number.
fn bare(text: &str) -> impl Iterator<Item = char> {
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    let kept = std::iter::from_fn(move || {
        loop {
            let c = chars.next()?;
            let is_digit_next = chars.peek().is_some_and(char::is_ascii_digit);
            let is_point = c == '.' && before.is_ascii_digit() && is_digit_next;
            let is_minus = matches!(c, '-' | '−') && before.is_whitespace() && is_digit_next;
            before = c;
            match c {
                _ if c.is_alphanumeric() || is_point || is_minus => return Some(c),
                '$' | '€' | '£' | '¥' | '%' | '°' | '<' | '>' | '≤' | '≥' | '=' => {
                    return Some(c);
                }
                _ => {}
            }
        }
    });
    kept.flat_map(char::to_lowercase)
}
