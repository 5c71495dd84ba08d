//! Finds the sentences of an answer that claim something. Lead-ins, headings, heads of tables, questions, and sentences that
//! only say that the passages do not answer claim nothing.

use std::ops::Range;
use std::sync::LazyLock;
use text::is_of;
use text::sentences::cited;

/// Most words of a line that only leads over to the next ones.
const LEAD_IN_WORDS_MAX: usize = 24;
/// Most words of a heading.
const HEADING_WORDS_MAX: usize = 8;

static NO_ANSWER: LazyLock<Vec<&str>> =
    LazyLock::new(|| words!(no_answer).split(',').map(str::trim).collect());
static REFERENCES: LazyLock<Vec<&str>> =
    LazyLock::new(|| words!(references).split_ascii_whitespace().collect());

/// A sentence of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AnswerSentence {
    /// Where it stands, in bytes of the answer.
    pub(crate) at: Range<usize>,
    /// Whether it may claim something, as far as its form goes.
    pub(crate) is_claim: bool,
}

/// The sentences of an answer.
pub(crate) fn sentences(answer: &str) -> Vec<AnswerSentence> {
    let spans = cited::spans(answer).into_iter();
    spans
        .map(|at| AnswerSentence {
            is_claim: is_claim(&answer[at.clone()]) && !is_table_head(answer, &at),
            at,
        })
        .collect()
}

fn is_claim(sentence: &str) -> bool {
    let lower = sentence.to_lowercase().replace('’', "'");
    let count = lower.split_whitespace().count();
    let bare = lower.trim_end_matches(['*', '_', ' ']);
    let is_lead_in = bare.ends_with(':')
        && count <= LEAD_IN_WORDS_MAX
        && (count <= HEADING_WORDS_MAX || has_word(&lower, words!(frame)));
    let is_heading = sentence.starts_with('#')
        || sentence.starts_with("**") && bare.len() < lower.len() && count <= HEADING_WORDS_MAX;
    let is_question = bare.ends_with('?');
    let mut phrases = NO_ANSWER.iter();
    let says_nothing =
        phrases.any(|phrase| lower.contains(*phrase)) && has_word(&lower, words!(about_passages));
    !(is_lead_in || is_heading || is_question || says_nothing)
}

/// Whether a line is the head of a table, in Markdown or CSV, or the rule below it. The head of CSV has no citation and as
/// many short fields as the next line, which has one.
fn is_table_head(answer: &str, at: &Range<usize>) -> bool {
    let line = &answer[at.clone()];
    let mut behind = answer[at.end..].lines().map(str::trim);
    let next = behind.find(|line| !line.is_empty()).unwrap_or_default();
    let is_rule = |line: &str| {
        line.contains('|') && line.contains('-') && line.bytes().all(|b| b"|-: ".contains(&b))
    };
    let commas = |line: &str| line.matches(',').count();
    let is_cited = |line: &str| line.match_indices('[').any(|(at, _)| mark(&line[at..]) > 0);
    let is_short = |field: &str| field.split_whitespace().count() <= HEADING_WORDS_MAX / 2;
    let is_csv_head = commas(line) > 0
        && commas(line) == commas(next)
        && !is_cited(line)
        && is_cited(next)
        && !line.ends_with('.')
        && line.split(',').all(is_short);
    is_rule(line) || line.contains('|') && is_rule(next) || is_csv_head
}

fn has_word(lower: &str, list: &str) -> bool {
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| !word.is_empty() && is_of(word, list))
}

/// `answer` with blanks for what refers to passages: `[3]`, `(Passage 1)`, `Passages 1 and 2`, and for the numbers of list
/// items. Places stay what they are.
pub(crate) fn blanked(answer: &str) -> String {
    let mut out = String::with_capacity(answer.len());
    for line in answer.split_inclusive('\n') {
        let item = list_number(line);
        out.extend(std::iter::repeat_n(' ', item));
        blank_references(&line[item..], &mut out);
    }
    out
}

/// How many bytes at the beginning of a line number it.
fn list_number(line: &str) -> usize {
    let body = line.trim_start().trim_start_matches(['*', '#', '-', ' ']);
    let begins = line.len() - body.len();
    let after = body.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = after.len() < body.len() && after.starts_with(['.', ')', ':']);
    match is_number && after[1..].starts_with([' ', '*']) {
        true => line.len() - after.len() + 1,
        // What was taken off may have been a sign: `-5`.
        false if body.starts_with(|c: char| c.is_ascii_digit()) => 0,
        false => begins,
    }
}

fn blank_references(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['[', 'P', 'p', 'D', 'd', 'S', 's']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let is_inside = out.ends_with(char::is_alphanumeric);
        let length = match rest.starts_with('[') {
            true => mark(rest),
            false if is_inside => 0,
            false => reference(rest),
        };
        if length > 0 {
            out.extend(std::iter::repeat_n(' ', length));
            rest = &rest[length..];
        } else if let Some(c) = rest.chars().next() {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out.push_str(rest);
}

/// The length of `[3]` or `[1, 2]`.
fn mark(text: &str) -> usize {
    let inside = text[1..].bytes();
    let inside = inside.take_while(|b| b.is_ascii_digit() || b", ".contains(b));
    let inside = inside.count();
    let is_mark = inside > 0 && text[1 + inside..].starts_with(']');
    if is_mark { inside + 2 } else { 0 }
}

/// The length of `Passage 1`, `passages 1, 2 and 3`, `document 4`.
fn reference(text: &str) -> usize {
    let mut words = REFERENCES.iter();
    let is_it = |word: &&&str| {
        let head = text.get(..word.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(word))
    };
    let Some(word) = words.find(is_it) else {
        return 0;
    };
    let mut length = word.len();
    let mut has_number = false;
    loop {
        let rest = &text[length..];
        let bare = rest.trim_start_matches([' ', ',', '#', '&', '-', '–']);
        let bare = bare.strip_prefix("and ").map_or(bare, str::trim_start);
        let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
        let is_number = (1..=2).contains(&digits)
            && !bare[digits..].starts_with(['.', '%'])
                | bare[digits..].starts_with(". ")
                | (bare.len() == digits + 1);
        if bare.len() == rest.len() || !is_number {
            break;
        }
        has_number = true;
        length = text.len() - bare.len() + digits;
    }
    if has_number { length } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn blanking_citations_keeps_byte_positions(text in "(passage 1|\\[[0-9]\\]|[0-9]{1,2}\\. |\n|- |[a-z ]{1,4}|\\PC){0,20}") {
            prop_assert_eq!(blanked(&text).len(), text.len());
        }
    }
}
