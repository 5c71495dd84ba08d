//! The cells of a sheet, and how they become lines: titles as text, tables below their headers.
//!
//! A sheet may hold several tables, one below or beside the other. Rows and columns without text are dropped.

use crate::reader::SkipReason;
use crate::reader::lines::{Lines, REPEATED_MAX};
use crate::reader::table::Header;
use std::collections::{BTreeMap, BTreeSet};
use text::one_line;

/// Most bytes of the cells of all sheets; each cell counts for some more.
pub(super) const CELLS_BYTES_MAX: usize = 16 * 1024 * 1024;
/// What a cell counts for beside its text.
const CELL_BYTES: usize = 8;

/// How many cells a table may have for each one with text; the rows of a wider one are only what is in them.
const SPARSE: usize = 100;

/// A row or column, from 0.
type At = u32;

/// Cells that are one to people; its text is that of the first one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Merged {
    pub(super) rows: (At, At),
    pub(super) columns: (At, At),
}

/// The cells of a sheet that have text.
#[derive(Debug, Default)]
pub(super) struct Grid {
    rows: BTreeMap<At, BTreeMap<At, String>>,
    /// The rows in which a text stands over several columns.
    spanned: BTreeSet<At>,
}

impl Grid {
    /// Adds a cell, unless there is no room for it.
    pub(super) fn put(&mut self, row: At, column: At, text: &str, room: &mut usize) -> bool {
        let text = one_line(text);
        if text.is_empty() {
            return true;
        }
        let Some(left) = room.checked_sub(text.len() + CELL_BYTES) else {
            return false;
        };
        *room = left;
        self.rows.entry(row).or_default().insert(column, text);
        true
    }

    /// Repeats the text of merged cells in each of them, as far as the sheet reaches; whether there was room for it.
    pub(super) fn merge(&mut self, merged: Merged, room: &mut usize) -> bool {
        let (top, left) = (merged.rows.0, merged.columns.0);
        let Some(text) = self.rows.get(&top).and_then(|row| row.get(&left)).cloned() else {
            return true;
        };
        let last = self.rows.last_key_value().map_or(top, |(row, _)| *row);
        let bottom = merged
            .rows
            .1
            .min(last)
            .min(top.saturating_add(REPEATED_MAX));
        let right = merged.columns.1.min(left.saturating_add(REPEATED_MAX));
        for row in top..=bottom {
            if right > left {
                self.spanned.insert(row);
            }
            // A row with nothing else in it does not come to be by this.
            if row > top && !self.rows.contains_key(&row) {
                continue;
            }
            for column in left..=right {
                if (row, column) != (top, left) && !self.put(row, column, &text, room) {
                    return false;
                }
            }
        }
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes the tables of the sheet.
    pub(super) fn write(self, lines: &mut Lines) {
        let rows: Vec<Row> = self
            .rows
            .into_iter()
            .map(|(at, cells)| Row {
                at,
                is_spanned: self.spanned.contains(&at),
                cells,
            })
            .collect();
        let mut rest = &rows[..];
        while !rest.is_empty() {
            let (block, after) = rest.split_at(block(rest));
            match beside(block) {
                Some(tables) => tables.iter().for_each(|table| write_block(table, lines)),
                None => write_block(block, lines),
            }
            rest = after;
        }
    }
}

struct Row {
    at: At,
    is_spanned: bool,
    cells: BTreeMap<At, String>,
}

impl Row {
    /// The only text of the row, which may stand in several cells.
    fn only(&self) -> Option<&str> {
        let mut texts = self.cells.values();
        let first = texts.next()?;
        texts.all(|text| text == first).then_some(first)
    }

    /// Whether no cell is a number, a day or an amount.
    fn is_words(&self) -> bool {
        !self.cells.values().any(|text| is_value(text))
    }

    /// The texts under these columns.
    fn under(&self, columns: &[At]) -> Vec<String> {
        let text = |column| self.cells.get(column).cloned().unwrap_or_default();
        columns.iter().map(text).collect()
    }
}

/// Whether a text has more digits than letters.
fn is_value(text: &str) -> bool {
    let count = |of: fn(char) -> bool| text.chars().filter(|c| of(*c)).count();
    let digits = count(|c| c.is_numeric());
    digits > count(char::is_alphabetic)
}

/// How many of these rows belong together: a gap parts them where a title or another header follows it.
fn block(rows: &[Row]) -> usize {
    let starts = |at: usize| {
        let (before, row) = (&rows[at - 1], &rows[at]);
        row.at > before.at + 1 && (row.only().is_some() || row.is_words() && !before.is_words())
    };
    (1..rows.len()).find(|at| starts(*at)).unwrap_or(rows.len())
}

/// Tables that stand beside each other, parted by an empty column, each with words as its header.
fn beside(block: &[Row]) -> Option<Vec<Vec<Row>>> {
    let columns: BTreeSet<At> = block
        .iter()
        .flat_map(|row| row.cells.keys().copied())
        .collect();
    let mut groups: Vec<(At, At)> = Vec::new();
    for column in columns {
        match groups.last_mut() {
            Some((_, last)) if *last + 1 == column => *last = column,
            _ => groups.push((column, column)),
        }
    }
    if groups.len() < 2 {
        return None;
    }
    let mut tables: Vec<Vec<Row>> = groups.iter().map(|_| Vec::new()).collect();
    for row in block {
        for (&at, text) in &row.cells {
            let table = &mut tables[groups.partition_point(|(_, to)| *to < at)];
            if table.last().is_none_or(|last| last.at != row.at) {
                let cells = BTreeMap::new();
                table.push(Row { cells, ..*row });
            }
            let cells = table.last_mut().map(|row| &mut row.cells);
            cells.and_then(|cells| cells.insert(at, text.clone()));
        }
    }
    let is_table = |((from, to), rows): (&(At, At), &Vec<Row>)| {
        let [header, _, ..] = &rows[..] else {
            return false;
        };
        let is_full = header.cells.len() as u64 == u64::from(to - from) + 1;
        to > from && is_full && header.is_words()
    };
    groups.iter().zip(&tables).all(is_table).then_some(tables)
}

fn write_block(block: &[Row], lines: &mut Lines) {
    let widest = block.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let is_header = |row: &Row| row.only().is_none() && row.cells.len() * 2 >= widest;
    let above = match block.iter().position(is_header) {
        Some(above) => above,
        None => block.len(),
    };
    let (above, table) = block.split_at(above);
    lines.part();
    for row in above {
        lines.number = Some(row.at.saturating_add(1));
        let text = match row.only() {
            Some(text) => text.to_owned(),
            None => row
                .cells
                .values()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(" "),
        };
        lines.push(&text);
    }
    if let [header, rows @ ..] = table {
        if !above.is_empty() {
            lines.part();
        }
        write_table(header, rows, lines);
    }
    lines.part();
}

fn write_table(header: &Row, mut rows: &[Row], lines: &mut Lines) {
    let columns = rows
        .iter()
        .chain([header])
        .flat_map(|row| row.cells.keys().copied());
    let columns: Vec<At> = columns.collect::<BTreeSet<At>>().into_iter().collect();
    let cells: usize = rows.iter().map(|row| row.cells.len()).sum();
    let is_sparse = columns.len() * rows.len() > SPARSE * cells;
    let mut names = header.under(&columns);
    // A header of two rows: groups of columns, and what is in each.
    if let [below, values, ..] = rows
        && header.is_spanned
        && below.at == header.at + 1
        && below.is_words()
        && !values.is_words()
    {
        for (name, below) in names.iter_mut().zip(below.under(&columns)) {
            if *name != below {
                *name = one_line(&format!("{name} {below}"));
            }
        }
        rows = &rows[1..];
    }
    let header_line = header.at.saturating_add(1);
    let header = Header::new(names);
    lines.number = Some(header_line);
    lines.push(&header.line());
    for row in rows {
        lines.number = Some(row.at.saturating_add(1));
        if is_sparse {
            lines.row(&row.cells.values().collect::<Vec<_>>());
            continue;
        }
        let cells = match row.only() {
            Some(text) if row.is_spanned => vec![text.to_owned()],
            _ => row.under(&columns),
        };
        header.rows(&cells, |text| match text.is_empty() {
            true => lines.part(),
            false => lines.push(&text),
        });
    }
}

/// What is left out where there was no room for all cells.
pub(super) fn no_room(sheet: &str) -> SkipReason {
    let max = CELLS_BYTES_MAX / (1024 * 1024);
    SkipReason::Partial(format!(
        "the cells up to and with a part of the sheet `{sheet}` have {max} MiB of text, the rest is left out; split it"
    ))
}
