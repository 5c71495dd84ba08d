//! Finds labels in a text, such as `Invoice date` in `lnvoice Date: 3 March`. Pure.
//!
//! Case is ignored, and several blanks count as one. In a label of six characters or more, one character may be
//! wrong, missing or added, as in scans; but a label with another digit is another label. If a label occurs exactly
//! in a document, its inexact occurrences are ignored. The search is linear in the length of the text.
//!
//! A number or a day behind a label counts anywhere. A text does so only where the label stands like one, because any words
//! may follow it in a sentence: the label `Paper` is not in `sent by Gundersen Paper NV`.

use super::value::{ValueForm, ValueKind};
use serde_json::Value;
use std::ops::Range;

/// The shortest label, in characters, in which one character may be wrong.
const TOLERANT_CHARS_MIN: usize = 6;
/// How far behind a label its value may reach, in characters.
const WINDOW_CHARS: usize = 120;

/// A text in the form in which labels are looked for in it.
pub(super) struct Folded {
    /// The characters in lower case, with blanks in a row as one, each with its place in the text.
    signs: Vec<(char, usize)>,
}

/// A label, folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label(Vec<char>);

impl Folded {
    pub(super) fn new(text: &str) -> Folded {
        let mut signs: Vec<(char, usize)> = Vec::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            if !c.is_whitespace() {
                signs.extend(c.to_lowercase().map(|lower| (lower, at)));
            } else if signs.last().is_some_and(|(last, _)| *last != ' ') {
                signs.push((' ', at));
            }
        }
        Folded { signs }
    }

    fn is_word(&self, at: usize) -> bool {
        self.signs.get(at).is_some_and(|(c, _)| c.is_alphanumeric())
    }
}

impl Label {
    pub(super) fn new(text: &str) -> Label {
        let folded = Folded::new(text.trim().trim_end_matches(':'));
        Label(folded.signs.into_iter().map(|(c, _)| c).collect())
    }

    /// The label in lower case.
    pub(super) fn text(&self) -> String {
        self.0.iter().collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.0.iter().any(|c| c.is_alphanumeric())
    }

    /// The places of the label in the text, in bytes, for each time that it stands there as whole words.
    pub(super) fn places(&self, text: &str, folded: &Folded, nearly: bool) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        let byte = |at: usize| folded.signs.get(at).map_or(text.len(), |(_, at)| *at);
        let mut at = 0;
        while at < folded.signs.len() {
            let is_start = at == 0 || !folded.is_word(at - 1);
            let end = is_start.then(|| self.end_at(folded, at, nearly)).flatten();
            match end.filter(|&end| end > at && !(folded.is_word(end) && folded.is_word(end - 1))) {
                Some(end) => {
                    places.push(byte(at)..byte(end));
                    at = end;
                }
                None => at += 1,
            }
        }
        places
    }

    /// The end of a label that begins here.
    fn end_at(&self, folded: &Folded, at: usize, nearly: bool) -> Option<usize> {
        let label = &self.0;
        let there = |n: usize| folded.signs.get(at + n).map(|(c, _)| *c);
        let same = |label: &[char], from: usize| {
            (0..).zip(label).all(|(n, c)| there(from + n) == Some(*c))
        };
        let Some(wrong) = (0..label.len()).find(|&n| there(n) != Some(label[n])) else {
            return Some(at + label.len());
        };
        if !nearly || label.len() < TOLERANT_CHARS_MIN || label[wrong].is_numeric() {
            return None;
        }
        if same(&label[wrong + 1..], wrong + 1) && there(wrong).is_some() {
            return Some(at + label.len());
        }
        if same(&label[wrong..], wrong + 1) {
            return Some(at + label.len() + 1);
        }
        same(&label[wrong + 1..], wrong).then(|| at + label.len() - 1)
    }
}

/// The value behind a label: the text that follows on the line, or in the next cell that is not empty.
pub(super) fn value_behind(
    line: &str,
    label: &Range<usize>,
    form: &ValueForm,
) -> Option<(Value, String)> {
    let rest = &line[label.end..];
    let is_text = matches!(form.kind, ValueKind::Text | ValueKind::List);
    if is_text && !begins(&line[..label.start]) && !is_closed(rest) {
        return None;
    }
    if !line.trim_start().starts_with('|') {
        return value_of(rest, form);
    }
    let mut cells = rest
        .split('|')
        .map(lead_trimmed)
        .filter(|cell| !cell.is_empty());
    let own = !lead_trimmed(rest).starts_with('|') && !lead_trimmed(rest).is_empty();
    let first = cells.next().and_then(|cell| value_of(cell, form));
    match own {
        true => first.or_else(|| value_of(cells.next()?, form)),
        false => first,
    }
}

/// Whether a line, a cell or a column of blanks begins behind this text, marks of Markdown and the like left out.
fn begins(before: &str) -> bool {
    let bare = before.trim_end_matches(['*', '_', '#', '>', '"', '(', '[']);
    let is_apart = bare.ends_with("  ") || bare.ends_with('\t');
    let bare = bare.trim_end();
    is_apart || bare.is_empty() || bare.ends_with(['|', '-', '+', '•', '·', ';'])
}

/// Whether a sign that stands between a label and its value follows.
fn is_closed(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['*', '_', ' ', '\t']);
    rest.starts_with([':', '=', '|'])
}

/// The text without what stands between a label and its value; a minus belongs to the value.
fn lead_trimmed(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', ':', '=', '.', '*', '_'])
        .trim_end()
}

fn value_of(text: &str, form: &ValueForm) -> Option<(Value, String)> {
    let text = lead_trimmed(text);
    let window = match text.char_indices().nth(WINDOW_CHARS) {
        // Half a number is another number.
        Some((end, _)) => &text[..text[..end].rfind(' ').unwrap_or(0)],
        None => text,
    };
    Some((form.first_in(window)?, window.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::value::ValueKind;
    use super::*;
    use serde_json::json;

    fn behind(label: &str, line: &str, nearly: bool) -> Vec<String> {
        let places = Label::new(label).places(line, &Folded::new(line), nearly);
        let ends = places.into_iter().map(|place| place.end);
        ends.map(|end| line[end..].trim().to_owned()).collect()
    }

    #[test]
    fn labels_are_whole_words_in_any_case() {
        assert_eq!(behind("Invoice date:", "INVOICE   Date: x", false), [": x"]);
        assert_eq!(
            behind("Total", "Subtotal 1, total 2, totals 3", false),
            ["2, totals 3"]
        );
        assert_eq!(behind("Größe", "GRÖSSE 1 größe 2", false), ["2"]);
        assert_eq!(behind("No.", "no. 7", false), ["7"]);
        assert_eq!(behind("İd", "x İd 5", false), ["5"]);
        assert!(behind("Total", "", false).is_empty());
    }

    #[test]
    fn one_sign_of_a_long_label_may_be_wrong() {
        for line in [
            "lnvoice date 5",
            "Invoice  dale 5",
            "Invoicedate 5",
            "Invoice dat 5",
            "In voice date 5",
        ] {
            assert_eq!(behind("Invoice date", line, true), ["5"], "{line}");
            assert!(behind("Invoice date", line, false).is_empty(), "{line}");
        }
        assert!(behind("Invoice date", "lnvoice dale 5", true).is_empty());
        assert!(behind("Total", "Tolal 5", true).is_empty(), "five signs");
        assert!(behind("Line 12 total", "Line 13 total 5", true).is_empty());
    }

    #[test]
    fn the_value_stands_behind_or_in_the_next_cell() {
        let number = ValueForm {
            kind: ValueKind::Number,
            unit: None,
            decimal: None,
            order: None,
        };
        let text = ValueForm {
            kind: ValueKind::Text,
            ..number.clone()
        };
        for (form, line, value) in [
            (&number, "Total: -856.00 EUR", Some(json!(-856))),
            (&number, "**Total:** 5,000 EUR", Some(json!(5000))),
            (&number, "| Total | | EUR 7.50 | 3 |", Some(json!(7.5))),
            (&number, "| Total: 5 | 3 |", Some(json!(5))),
            (&number, "| Total (net) | 3 |", Some(json!(3))),
            (&number, "Total of all", None),
            (&text, "| Total | Acme Ltd | x |", Some(json!("Acme Ltd"))),
            (
                &text,
                "Total  Acme Ltd, 4 Lane. More.",
                Some(json!("Acme Ltd, 4 Lane")),
            ),
            (&text, "Total:", None),
            (&text, "Sent by Gundersen Total NV as before.", None),
            (&text, "Page 1, Total: Acme Ltd", Some(json!("Acme Ltd"))),
            (&text, "Page 1  Total Acme Ltd", Some(json!("Acme Ltd"))),
            (&text, "- **Total** Acme Ltd", Some(json!("Acme Ltd"))),
            (&number, "It comes to a total of 7 EUR.", Some(json!(7))),
        ] {
            let label = Label::new("total");
            let places = label.places(line, &Folded::new(line), false);
            let found = value_behind(line, &places[0], form).map(|(value, _)| value);
            assert_eq!(found, value, "{line}");
        }
    }
}
