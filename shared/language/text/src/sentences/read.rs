//! A sentence splitter for the offline reader, which takes paragraphs apart.

use super::{WIDE_MARKS, is_day_of_month};
use crate::is_of;

/// The sentences of a paragraph without line breaks.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, mark) in text.match_indices(['.', '!', '?', '。', '！', '？', '؟', '।']) {
        let end = at + mark.len();
        if end > from && ends_here(&text[from..at], mark, &text[end..]) {
            let closing = |c: char| matches!(c, '"' | '\'' | ')' | '”' | '*' | ']' | '」' | '）');
            let rest = text[end..].trim_start_matches(closing);
            let end = text.len() - rest.len();
            found.push(text[from..end].trim());
            from = end;
        }
    }
    found.push(text[from..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// Whether a mark between `head` and `rest` ends a sentence.
fn ends_here(head: &str, mark: &str, rest: &str) -> bool {
    // Behind the wide marks stands no blank.
    if WIDE_MARKS.contains(&mark) {
        return true;
    }
    let rest = rest.trim_start_matches(['"', '\'', ')', '”', '*', ']']);
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return false;
    }
    if mark != "." {
        return true;
    }
    let mut words = head.split_whitespace().rev();
    let word = words.next().unwrap_or_default();
    let before = words.next().unwrap_or_default();
    let after_number = before.ends_with(|c: char| c.is_ascii_digit());
    let letter = word.chars().count() == 1 && word.starts_with(char::is_uppercase);
    let initial = letter && !after_number;
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let numbering = word == head.trim() && word.bytes().all(|b| b.is_ascii_digit());
    let next = rest.trim_start();
    let dated = is_day_of_month(word, next);
    let number = word.eq_ignore_ascii_case("no") && next.starts_with(|c: char| c.is_ascii_digit());
    let lower = next.starts_with(char::is_lowercase);
    let short = is_of(&word.to_lowercase(), words!(shortened_read));
    // A full stop at the very end always ends; "No. 7", "J. Doe", "e.g. this" and "3. Item" do not.
    next.is_empty() || !(initial || numbering || number || lower || short || dated)
}
