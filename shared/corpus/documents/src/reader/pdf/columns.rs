//! Tells columns of running text from a table where a page draws both sides of a line one after the other.
//!
//! Such lines look like the rows of a table. They are columns where a gap stays in its place from row to row, and the
//! cells read as sentences: each column has lines that go on in the next one, and a sentence ends somewhere. Then the
//! columns come one after the other. Where this cannot be decided, the rows stay rows of a table.

use super::layout::Row;

/// The narrowest gap between two columns, in sizes of the type.
const GAP: f64 = 0.9;
/// Rows further apart, in sizes, are of two blocks; the second for rows that fill one column only.
const APART: f64 = 3.0;
const APART_ALONE: f64 = 1.75;
/// Fewest words, or letters in scripts without blanks, of a line of running text.
const WORDS: usize = 3;
const LETTERS: usize = 10;

/// The rows of a page, those of columns in reading order.
pub(super) fn apart(rows: Vec<Row>) -> Vec<Row> {
    if rows.iter().all(|row| row.cells.len() < 2) {
        return rows;
    }
    let mut out = Vec::with_capacity(rows.len());
    let mut at = 0;
    while at < rows.len() {
        let block = Block::at(&rows[at..]);
        let taken = &rows[at..at + block.len];
        match block.columns(taken) {
            Some(columns) => out.extend(columns.into_iter().flatten()),
            None => out.extend_from_slice(taken),
        }
        at += block.len;
    }
    out
}

/// Rows one below the other, and the gaps that none of them crosses.
struct Block {
    len: usize,
    gaps: Vec<(f64, f64)>,
}

impl Block {
    /// The block that begins with the first of these rows.
    fn at(rows: &[Row]) -> Block {
        let mut gaps = rows[0].gaps();
        let mut len = 1;
        while let Some(row) = rows.get(len)
            && !gaps.is_empty()
        {
            let before = &rows[len - 1];
            let size = before.size.min(row.size).max(1.0);
            let most = if row.cells.len() > 1 {
                APART
            } else {
                APART_ALONE
            };
            let below = (before.base - row.base) / size;
            let left = row.leaves(&gaps, GAP * size);
            if row.turn != before.turn || !(0.5..=most).contains(&below) || left.is_empty() {
                break;
            }
            gaps = left;
            len += 1;
        }
        Block { len, gaps }
    }

    /// The rows of each column, where these are columns.
    fn columns(&self, rows: &[Row]) -> Option<Vec<Vec<Row>>> {
        let both = rows.iter().filter(|row| row.cells.len() > 1).count();
        if both < 2 {
            return None;
        }
        let mut columns: Vec<Vec<Row>> = vec![Vec::new(); self.gaps.len() + 1];
        for row in rows {
            let mut free = 0;
            for (cell, (start, _)) in row.split().into_iter().zip(row.places()) {
                let column = self.gaps.iter().filter(|gap| gap.0 < start).count();
                if column < free {
                    return None;
                }
                free = column + 1;
                columns[column].push(cell);
            }
        }
        reads_as_sentences(&columns).then_some(columns)
    }
}

fn reads_as_sentences(columns: &[Vec<Row>]) -> bool {
    let mut ends = false;
    for column in columns {
        let lines: Vec<&str> = column.iter().map(|row| row.text.as_str()).collect();
        let words: usize = lines.iter().map(|line| weight(line)).sum();
        let joints = lines.len().saturating_sub(1);
        let going_on = lines.windows(2).filter(|pair| goes_on(pair[0], pair[1]));
        let short = lines
            .iter()
            .filter(|line| weight(line) < 2 && !line.ends_with(is_end));
        if words < WORDS * lines.len()
            || short.count() * 4 > lines.len()
            || going_on.count() * 2 < joints.max(1)
        {
            return false;
        }
        ends |= lines
            .iter()
            .any(|line| line.ends_with(is_end) || line.contains(". "));
    }
    ends
}

/// How many words a line has.
fn weight(line: &str) -> usize {
    let words = line.split_whitespace().count();
    let letters = line.chars().filter(|c| *c >= '\u{2e80}').count();
    words.max(letters * WORDS / LETTERS)
}

fn is_end(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '؟' | '۔' | '！' | '？')
}

/// Whether a sentence of one line goes on in the next.
fn goes_on(line: &str, next: &str) -> bool {
    let closed = line.ends_with(|c| is_end(c) || matches!(c, ':' | ';'));
    let begins = next.chars().next();
    !closed && begins.is_some_and(|c| c.is_alphanumeric() && !c.is_uppercase() || c == '(')
}

impl Row {
    /// The gaps between its cells.
    fn gaps(&self) -> Vec<(f64, f64)> {
        let pairs = self.cells.windows(2);
        pairs.map(|pair| (pair[0].end, pair[1].start)).collect()
    }

    /// What this row leaves of gaps, where that is as wide as `least`.
    fn leaves(&self, gaps: &[(f64, f64)], least: f64) -> Vec<(f64, f64)> {
        let left = gaps.iter().filter_map(|&(from, to)| {
            let (mut from, mut to) = (from, to);
            for (start, end) in self.places() {
                // A cell that reaches over the middle takes the gap.
                match f64::midpoint(from, to) {
                    _ if start >= to || end <= from => {}
                    middle if end <= middle => from = end,
                    middle if start >= middle => to = start,
                    _ => return None,
                }
            }
            (to - from >= least).then_some((from, to))
        });
        left.collect()
    }
}

#[cfg(test)]
#[path = "columns_tests.rs"]
mod tests;
