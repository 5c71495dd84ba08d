//! Splits a text into sentences with their positions: lines that were only wrapped are joined, and rows of a table keep
//! their header.

use crate::sentences::cited;
use std::ops::Range;

/// Longest sentence, in bytes: a longer one is cut between words.
pub(crate) const UNIT_BYTES_MAX: usize = 300;
/// Shortest line, in bytes, that may have been wrapped.
const WRAPPED_BYTES_MIN: usize = 40;

/// A sentence, or a row of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unit {
    /// Bytes of the text.
    pub(crate) span: Range<usize>,
    /// Which unit is the head of its table.
    pub(crate) head: Option<usize>,
}

/// The units of `text`, in order.
pub(crate) fn units(text: &str) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut head: Option<usize> = None;
    for block in blocks(text) {
        let inside = &text[block.clone()];
        let own_head = match is_row(inside) {
            true => Some(*head.get_or_insert(units.len())),
            false => {
                head = None;
                None
            }
        };
        // As many bytes as before: the places stay.
        let line = inside.replace(['\n', '\r'], " ");
        for sentence in cited::spans(&line) {
            for piece in pieces(&line, sentence) {
                let span = block.start + piece.start..block.start + piece.end;
                let head = own_head.filter(|head| *head != units.len());
                units.push(Unit { span, head });
            }
        }
    }
    units
}

/// A text without the hyphens of words that were parted at the end of a line.
pub(crate) fn without_hyphens(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('-') {
        let (before, after) = rest.split_at(at);
        let next = after[1..].trim_start_matches([' ', '\t', '\r']);
        out.push_str(before);
        let goes_on = next.strip_prefix('\n').map(str::trim_start);
        let goes_on = goes_on.filter(|next| next.starts_with(char::is_lowercase));
        let was_word = before.ends_with(char::is_alphabetic);
        match goes_on.filter(|_| was_word) {
            Some(next) => rest = next,
            None => {
                out.push('-');
                rest = &after[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Lines, joined where one goes on with the next.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let (mut at, mut before) = (0, "");
    for line in text.split_inclusive('\n') {
        let span = at..at + line.len();
        at = span.end;
        match blocks.last_mut() {
            Some(block) if goes_on(before, line) => block.end = span.end,
            _ => blocks.push(span),
        }
        before = line;
    }
    blocks
}

/// Whether a line was wrapped into the next one.
fn goes_on(line: &str, next: &str) -> bool {
    let (line, next) = (line.trim(), next.trim());
    let parted = line.ends_with('-') && line.len() > 1;
    let is_open = !line.ends_with(['.', '!', '?', ':', ';']) && !is_row(line) && !is_row(next);
    let digits = next.bytes().take_while(u8::is_ascii_digit).count();
    let is_item = digits > 0 && next[digits..].starts_with(['.', ')']);
    let runs_on = next.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '(' | '"' | '“'));
    is_open && runs_on && !is_item && (parted || line.len() >= WRAPPED_BYTES_MIN)
}

fn is_row(line: &str) -> bool {
    line.contains('|')
}

/// A span of a line in pieces that are not too long.
fn pieces(line: &str, mut span: Range<usize>) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    while span.len() > UNIT_BYTES_MAX {
        let mut most = span.start + UNIT_BYTES_MAX;
        while !line.is_char_boundary(most) {
            most -= 1;
        }
        let cut = line[span.start..most].rfind(char::is_whitespace);
        let cut = cut
            .filter(|cut| *cut > 0)
            .map_or(most, |cut| span.start + cut);
        pieces.push(span.start..cut);
        let blanks = line[cut..span.end].len() - line[cut..span.end].trim_start().len();
        span.start = cut + blanks;
    }
    if !span.is_empty() {
        pieces.push(span);
    }
    pieces
}
