//! Finds how a table is written down: the sign between its cells, and the row of its header.
//!
//! All of the first rows decide, not the first one alone: a title may stand above the header, and a header may have as
//! many commas in it as other signs.

use super::rows::Rows;
use std::collections::{BTreeMap, HashSet};

/// How many rows are looked at.
const ROWS_MAX: usize = 200;
/// Most rows above a header.
const TITLES_MAX: usize = 10;
/// The signs between cells. Where two fit equally well, it is the earlier one: commas are also decimal signs.
const DELIMITERS: [u8; 4] = *b"\t;|,";

/// How a table is written down.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) delimiter: u8,
    /// How many rows stand above the header.
    pub(super) titles: usize,
    /// Whether the header says nothing of the first column, as in a table that R wrote.
    pub(super) has_row_names: bool,
}

impl Shape {
    /// Of a table that begins like this, with the delimiter that its name promises.
    pub(super) fn find(head: &[u8], promised: Option<u8>) -> Shape {
        let (mut best, mut best_share) = (None, 0);
        for delimiter in promised.map_or(&DELIMITERS[..], |_| &[]) {
            let found = Sample::read(head, *delimiter);
            // In parts of a thousand, so that shares can be compared.
            let share = found.usual * 1_000 / found.rows.len().max(1);
            if found.cells > 1 && share > best_share {
                best_share = share;
                best = Some((*delimiter, found));
            }
        }
        let delimiter = promised.unwrap_or(b',');
        let (delimiter, sample) =
            best.unwrap_or_else(|| (delimiter, Sample::read(head, delimiter)));
        let titles = sample.titles();
        Shape {
            delimiter,
            titles,
            has_row_names: sample.has_row_names(titles),
        }
    }
}

/// The first rows, and how many cells most of them have.
struct Sample {
    rows: Vec<Vec<String>>,
    cells: usize,
    /// How many rows have so many.
    usual: usize,
}

impl Sample {
    fn read(head: &[u8], delimiter: u8) -> Sample {
        let mut read = Rows::new(head, delimiter);
        let mut rows = Vec::new();
        // Reading from memory does not fail.
        while let Ok(Some((_, cells))) = read.next() {
            if !super::is_blank(&cells) {
                rows.push(cells);
            }
            if rows.len() > ROWS_MAX {
                break;
            }
        }
        // The last row may be cut off.
        if rows.len() > 2 && (rows.len() > ROWS_MAX || !head.ends_with(b"\n")) {
            rows.pop();
        }
        let mut counts = BTreeMap::new();
        for row in &rows {
            *counts.entry(row.len()).or_insert(0_usize) += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, times)| *times);
        let (cells, usual) = most.unwrap_or_default();
        Sample { rows, cells, usual }
    }

    /// How many rows have too few cells to be the header.
    fn titles(&self) -> usize {
        let least = self.cells.div_ceil(2).max(2);
        let filled = |row: &Vec<String>| row.iter().filter(|cell| !cell.trim().is_empty()).count();
        let header = self.rows.iter().position(|row| filled(row) >= least);
        header
            .filter(|_| self.cells > 1)
            .filter(|at| *at <= TITLES_MAX)
            .unwrap_or(0)
    }

    fn has_row_names(&self, titles: usize) -> bool {
        let mut rows = self.rows.iter().skip(titles);
        let is_short = rows
            .next()
            .is_some_and(|header| header.len() + 1 == self.cells);
        let mut names = HashSet::new();
        let is_name = |row: &Vec<String>| {
            let is_full =
                row.len() == self.cells && row.last().is_some_and(|cell| !cell.is_empty());
            is_full && names.insert(row[0].clone())
        };
        is_short && self.rows.len() > titles + 2 && rows.all(is_name)
    }
}
