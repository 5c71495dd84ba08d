//! A sentence splitter for citations and quotes. *Not* a grammar: one cut too many makes a quote shorter and does
//! no other harm.

use super::{WIDE_MARKS, is_day_of_month};
use crate::one_line;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Words that end in a full stop where no sentence ends.
static SHORTENED: LazyLock<HashSet<&str>> =
    LazyLock::new(|| words!(shortened_cited).split_ascii_whitespace().collect());

/// The ranges of the sentences of `text`, without the white space around them. A line break ends a sentence, too.
pub fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut start = 0;
    for (at, mark) in text.match_indices(['.', '!', '?', '\n', '。', '！', '？']) {
        let end = at + mark.len();
        if end > start && ends(&text[start..at], mark, &text[end..]) {
            spans.extend(trimmed(text, start..end));
            start = end;
        }
    }
    spans.extend(trimmed(text, start..text.len()));
    spans
}

/// The sentences of `text` as they are written, with line breaks inside a paragraph as spaces.
pub fn of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for paragraph in text.split("\n\n") {
        let line = one_line(paragraph);
        found.extend(spans(&line).into_iter().map(|span| line[span].to_owned()));
    }
    found
}

/// Whether a mark between `head` and `rest` ends a sentence.
fn ends(head: &str, mark: &str, rest: &str) -> bool {
    if mark == "\n" || WIDE_MARKS.contains(&mark) {
        return true;
    }
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return false;
    }
    if mark != "." {
        return true;
    }
    if rest.trim_start().starts_with(char::is_lowercase) {
        return false;
    }
    let word = head.split_whitespace().next_back().unwrap_or_default();
    let initial = word.chars().count() == 1 && word.starts_with(char::is_alphabetic);
    let item = word == head.trim() && word.bytes().all(|b| b.is_ascii_digit());
    let is_short = || {
        let lower = word.to_lowercase();
        SHORTENED.contains(lower.trim_start_matches('('))
    };
    !(initial || item || is_short() || is_day_of_month(word, rest))
}

fn trimmed(text: &str, span: Range<usize>) -> Option<Range<usize>> {
    let inside = &text[span.clone()];
    let start = span.start + (inside.len() - inside.trim_start().len());
    let length = inside.trim().len();
    (length > 0).then_some(start..start + length)
}
