//! Arranges glyphs into lines, in the order in which the document draws them.
//!
//! Glyphs on one base line make a row; a gap as wide as a letter is a space, and a wider one is the border of a cell.
//! A row in larger type becomes a heading, and an extra gap between rows a blank line. Nearly all programs draw columns
//! one after the other; [`columns`] looks for those that are drawn row by row, and [`bidi`] sorts what runs from right
//! to left.

use super::glyphs::Placed;
use super::{bidi, columns};
use crate::document::NumberedLine;
use std::collections::HashMap;

/// Gaps in sizes of the type: from here on a space, and from there on another cell.
const SPACE: f64 = 0.16;
const CELL: f64 = 1.1;
/// The same where a space is drawn in the gap: justified text stretches it, tables draw none.
const CELL_SPACED: f64 = 2.5;
/// The largest difference between the base lines of two glyphs of one row, in sizes of the type: superscripts stand
/// higher.
pub(super) const SAME_ROW: f64 = 0.45;
/// Rows further apart than this are two paragraphs.
const PARAGRAPH: f64 = 1.75;
/// How much larger than the text a heading is, and a heading of the first level.
const HEADING: f64 = 1.18;
const HEADING_FIRST: f64 = 1.5;
/// Longest heading, in characters.
const HEADING_CHARS_MAX: usize = 120;

/// What a gap between two glyphs of a row says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    None,
    Space,
    Cell,
}

impl Gap {
    /// A gap in sizes of the type, where `spaced` says that a space is drawn in it.
    pub(super) fn of(gap: f64, spaced: bool) -> Gap {
        match gap {
            gap if gap >= if spaced { CELL_SPACED } else { CELL } => Gap::Cell,
            gap if gap >= SPACE => Gap::Space,
            _ => Gap::None,
        }
    }
}

/// Text on one base line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) text: String,
    /// Height of the type, in points.
    pub(super) size: f64,
    pub(super) turn: i32,
    pub(super) base: f64,
    /// The cell that is made, later all of the row.
    start: f64,
    end: f64,
    cell_size: f64,
    /// Its cells, where there are several.
    pub(super) cells: Vec<Cell>,
}

/// Text of a row between two wide gaps.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell {
    pub(super) start: f64,
    pub(super) end: f64,
    size: f64,
    text: String,
}

impl Row {
    fn begun_by(glyph: &Placed) -> Row {
        Row {
            text: glyph.text.clone(),
            size: glyph.size,
            turn: glyph.turn,
            base: glyph.base,
            start: glyph.start,
            end: glyph.end,
            cell_size: glyph.size,
            cells: Vec::new(),
        }
    }

    /// Adds a glyph that goes on where this row ends; false when it stands elsewhere.
    fn take(&mut self, glyph: &Placed) -> bool {
        let size = self.size.max(glyph.size).max(1.0);
        let gap = (glyph.start - self.end) / size;
        let apart = (glyph.base - self.base).abs() / size;
        if glyph.turn != self.turn || apart > SAME_ROW || gap < -size_back(&self.text) {
            return false;
        }
        let blank = glyph.text.trim().is_empty();
        let spaced = self.text.ends_with(char::is_whitespace);
        match Gap::of(gap, spaced) {
            Gap::Cell if !blank => {
                self.close_cell();
                self.start = glyph.start;
                self.cell_size = glyph.size;
            }
            Gap::Space if !spaced && !blank => self.text.push(' '),
            _ => {}
        }
        self.text.push_str(&glyph.text);
        // Blanks that are drawn do not hide a gap between cells.
        if !blank {
            self.end = glyph.end.max(self.end);
            self.size = self.size.max(glyph.size);
            self.cell_size = self.cell_size.max(glyph.size);
        }
        true
    }

    fn close_cell(&mut self) {
        let text = std::mem::take(&mut self.text);
        let text = text.replace(['\n', '\r', '\t'], " ");
        self.cells.push(Cell {
            start: self.start,
            end: self.end,
            size: self.cell_size,
            text: text.trim().to_owned(),
        });
    }

    fn finish(mut self) -> Option<Row> {
        self.close_cell();
        if let [_] = self.cells[..] {
            self.text = self.cells.pop()?.text;
        } else {
            let texts: Vec<String> = self
                .cells
                .iter()
                .map(|cell| cell.text.replace('|', "/"))
                .collect();
            self.text = format!("| {} |", texts.join(" | "));
        }
        (!self.text.is_empty()).then_some(self)
    }

    /// A row of each cell.
    pub(super) fn split(&self) -> Vec<Row> {
        if self.cells.is_empty() {
            return vec![self.clone()];
        }
        let row = |cell: &Cell| Row {
            text: cell.text.clone(),
            size: cell.size,
            start: cell.start,
            end: cell.end,
            cells: Vec::new(),
            ..*self
        };
        self.cells.iter().map(row).collect()
    }

    /// Where its cells begin and end.
    pub(super) fn places(&self) -> Vec<(f64, f64)> {
        match self.cells.is_empty() {
            true => vec![(self.start, self.end)],
            false => self
                .cells
                .iter()
                .map(|cell| (cell.start, cell.end))
                .collect(),
        }
    }
}

/// How far back a glyph may begin and still go on in the row, in sizes: kerning, and accents that
/// are drawn over their letter.
fn size_back(text: &str) -> f64 {
    if text.is_empty() { 0.0 } else { 0.9 }
}

/// The rows of a page.
pub(super) fn rows(mut glyphs: Vec<Placed>) -> Vec<Row> {
    // Bold type that is made by drawing a letter twice.
    glyphs.dedup_by(|glyph, last| {
        let width = last.end - last.start;
        let near = last.size * 0.1;
        let near = if width > 0.0 {
            near.min(width / 2.0)
        } else {
            near
        };
        last.text == glyph.text
            && (last.start - glyph.start).abs() < near
            && (last.base - glyph.base).abs() < last.size * 0.1
    });
    let mut rows: Vec<Row> = Vec::new();
    let mut current: Option<Row> = None;
    for glyph in bidi::in_reading_order(glyphs) {
        let taken = current.as_mut().is_some_and(|row| row.take(&glyph));
        if !taken {
            let next = (!glyph.text.trim().is_empty()).then(|| Row::begun_by(&glyph));
            rows.extend(std::mem::replace(&mut current, next).and_then(Row::finish));
        }
    }
    rows.extend(current.and_then(Row::finish));
    columns::apart(rows)
}

/// The lines of a document.
pub(super) fn lines(rows: Vec<(u32, Row)>) -> Vec<NumberedLine> {
    let body = body_size(&rows);
    let mut lines: Vec<NumberedLine> = Vec::with_capacity(rows.len());
    let mut push = |page: u32, text: String| {
        let number = u32::try_from(lines.len() + 1).unwrap_or(u32::MAX);
        lines.push(NumberedLine::new(number, Some(page), text));
    };
    for (i, (page, row)) in rows.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| &rows[i]);
        if before.is_some_and(|(before_page, before)| before_page == page && is_apart(before, row))
        {
            push(*page, String::new());
        }
        push(*page, marked(row, body));
    }
    lines
}

fn is_apart(before: &Row, row: &Row) -> bool {
    let size = before.size.min(row.size).max(1.0);
    before.turn != row.turn || (before.base - row.base).abs() > PARAGRAPH * size
}

/// The row with the marks of a heading, where its type says that it is one.
fn marked(row: &Row, body: f64) -> String {
    let larger = row.size / body;
    let heading = larger >= HEADING
        && row.cells.is_empty()
        && row.text.chars().count() <= HEADING_CHARS_MAX
        && row.text.chars().filter(|c| c.is_alphabetic()).count() >= 3;
    match heading {
        true if larger >= HEADING_FIRST => format!("# {}", row.text),
        true => format!("## {}", row.text),
        false => row.text.clone(),
    }
}

/// The type size of the body text: the size of most characters.
fn body_size(rows: &[(u32, Row)]) -> f64 {
    let mut sizes: HashMap<i64, usize> = HashMap::new();
    for (_, row) in rows {
        *sizes.entry(half_points(row.size)).or_default() += row.text.len();
    }
    let most = sizes
        .into_iter()
        .max_by_key(|&(size, bytes)| (bytes, -size));
    most.map_or(1.0, |(size, _)| (size as f64 / 2.0).max(1.0))
}

fn half_points(size: f64) -> i64 {
    (size * 2.0).round().clamp(0.0, 1e6) as i64
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
