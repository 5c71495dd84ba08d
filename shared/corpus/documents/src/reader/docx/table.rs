//! Tables as rows `| a | b |`, in which a short cell that stands for several is repeated.

use super::numbering::is_on;
use super::value;
use crate::reader::xml::attribute;
use quick_xml::events::BytesStart;
use text::one_line;

/// Most cells of a row that stand for another one.
const CELLS_MAX: usize = 1_000;
/// Longest text that is repeated in the cells that it stands for, in characters.
const REPEATED_CHARS_MAX: usize = 60;

/// The outermost table that we are in.
#[derive(Default)]
pub(super) struct Table {
    /// How many tables we are in; the text of inner ones belongs to the cell around them.
    pub(super) depth: usize,
    pub(super) cell: String,
    row: Vec<String>,
    /// What may be repeated of the row above.
    above: Vec<String>,
    /// Where the cells of the row begin, and whether one of them has a text of its own.
    cells: Vec<usize>,
    has_text: bool,
    /// How many columns the cell stands for.
    columns: usize,
    goes_on: Option<From>,
}

/// Which cell it is that goes on in another one.
#[derive(Clone, Copy)]
enum From {
    Left,
    Above,
}

impl Table {
    pub(super) fn start(&mut self, name: &str, start: &BytesStart<'_>) {
        let is = |name| attribute(start, name).is_some_and(|value| is_on(&value));
        let goes_on = |from| {
            value(start)
                .is_none_or(|value| value == "continue")
                .then_some(from)
        };
        let count = || {
            value(start)
                .and_then(|columns| columns.parse().ok())
                .unwrap_or(1)
        };
        match name {
            "tr" => {
                self.row.clear();
                self.cells.clear();
                self.has_text = false;
            }
            "tc" => {
                self.cell.clear();
                self.columns = 1;
                self.goes_on = match (is("hMerge"), is("vMerge")) {
                    (true, _) => Some(From::Left),
                    (_, true) => Some(From::Above),
                    _ => None,
                };
            }
            "gridSpan" => self.columns = count(),
            "gridBefore" => self.fill(String::new(), count()),
            "hMerge" => self.goes_on = goes_on(From::Left),
            "vMerge" => self.goes_on = goes_on(From::Above),
            _ => {}
        }
    }

    pub(super) fn end_cell(&mut self) {
        let own = one_line(&std::mem::take(&mut self.cell)).replace('|', "/");
        self.cells.push(self.row.len());
        self.has_text |= !own.is_empty();
        let text = match self.goes_on {
            Some(From::Left) if own.is_empty() => self.row.last().map(|left| repeated(left)),
            Some(From::Above) if own.is_empty() => self.above.get(self.row.len()).cloned(),
            _ => Some(own),
        };
        let text = text.unwrap_or_default();
        let again = repeated(&text);
        self.row.push(text);
        self.fill(again, self.columns.saturating_sub(1));
    }

    fn fill(&mut self, text: String, columns: usize) {
        let room = CELLS_MAX.saturating_sub(self.row.len());
        self.row
            .extend(std::iter::repeat_n(text, columns.min(room)));
    }

    /// The row, if there is anything in it.
    pub(super) fn end_row(&mut self) -> Option<String> {
        let mut cells = std::mem::take(&mut self.row);
        self.above = cells.iter().map(|cell| repeated(cell)).collect();
        if let [only] = self.cells[..] {
            cells.truncate(only + 1);
        }
        self.has_text.then(|| format!("| {} |", cells.join(" | ")))
    }
}

/// What of a text stands in the other cells that it stands for.
fn repeated(text: &str) -> String {
    match text.chars().nth(REPEATED_CHARS_MAX) {
        Some(_) => String::new(),
        None => text.to_owned(),
    }
}
