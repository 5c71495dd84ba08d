//! Reads CSV and TSV: each row becomes one line `| a | b |` below the header. The chunker keeps rows whole and
//! repeats the header on every piece. In a wide table, whose header is too long to be repeated, each row contains the
//! names of its columns instead: `| column: value | … |`. What stands above the header is text.
//!
//! A file of more than [`PART_BYTES`] becomes several documents, so that memory holds one part of it. Quoted fields
//! may contain line breaks; rows that are too short or too long are accepted as they are. Values are *not* typed:
//! numbers stay as they were written.

mod rows;
mod shape;

use super::text::{Decoded, Input, stream};
use super::{File, Parsed, SkipReason, unreadable};
use crate::chunk::{CHUNK_TOKENS_MAX, tokens};
use crate::document::{Document, NumberedLine};
use crate::reader::Skip;
pub(super) use rows::Rows;
use shape::Shape;
use std::io::{self, BufRead, BufReader, Cursor};
use text::one_line;

/// Text of one part, in bytes, a row more at most; and the largest file that has no parts.
pub(super) const PART_BYTES: usize = 1024 * 1024;
/// A header of more tokens is not repeated by the chunker: names go into the rows.
const HEADER_TOKENS_MAX: usize = CHUNK_TOKENS_MAX / 4;

/// The documents of a table, read as they are asked for.
pub(super) struct Parts {
    file: File,
    table: Table,
    first: bool,
}

/// A table while it is read.
struct Table {
    rows: Rows<BufReader<Decoded>>,
    /// What stands above the header, with its lines.
    titles: Vec<(u32, String)>,
    header: Header,
    header_line: u32,
    ended: bool,
}

/// The names of the columns.
pub(super) struct Header {
    names: Vec<String>,
    is_wide: bool,
}

impl Header {
    pub(super) fn new(names: Vec<String>) -> Header {
        let is_wide = tokens(&row(&names)) > HEADER_TOKENS_MAX;
        Header { names, is_wide }
    }

    /// The header as a line.
    pub(super) fn line(&self) -> String {
        row(&self.names)
    }

    /// Adds the lines of a row: a row of a wide table is parted from the one before, which is no header of it.
    pub(super) fn rows(&self, cells: &[String], mut push: impl FnMut(String)) {
        if !self.is_wide {
            return push(row(cells));
        }
        push(String::new());
        push(row(&named(&self.names, cells)));
    }
}

/// A table that is one document.
pub(super) fn parse(bytes: &[u8], ext: &str) -> Result<Parsed, SkipReason> {
    let mut table = Table::open(stream(Box::new(Cursor::new(bytes.to_vec())))?, ext)?;
    let lines = table.lines(true, usize::MAX).map_err(unreadable)?;
    Ok(Parsed {
        lines,
        ..Parsed::default()
    })
}

/// What people may want to know of how a table was read: nothing where its first row is the header.
pub(super) fn note(input: Box<dyn Input>) -> Option<String> {
    let mut input = stream(input).ok()?;
    let shape = Shape::find(input.fill_buf().ok()?, None);
    let delimiter = match shape.delimiter {
        b'\t' => "tabs".to_owned(),
        sign => format!("`{}`", char::from(sign)),
    };
    match (shape.titles, shape.has_row_names) {
        (0, false) => None,
        (0, true) => Some("the first column has no name in the header".to_owned()),
        (1, _) => Some(format!(
            "the header is the second row, cells are parted by {delimiter}; the row above is text"
        )),
        (rows, _) => Some(format!(
            "the header is row {}, cells are parted by {delimiter}; the rows above are text",
            rows + 1
        )),
    }
}

impl Table {
    fn open(mut input: BufReader<Decoded>, ext: &str) -> Result<Table, SkipReason> {
        let promised = (ext == "tsv").then_some(b'\t');
        let shape = Shape::find(input.fill_buf().map_err(unreadable)?, promised);
        let mut rows = Rows::new(input, shape.delimiter);
        let mut titles = Vec::new();
        let (header_line, mut names) = loop {
            match rows.next().map_err(unreadable)? {
                None => return Err(SkipReason::Empty),
                Some((_, cells)) if is_blank(&cells) => continue,
                Some((line, cells)) if titles.len() < shape.titles => {
                    titles.push((line, one_line(&cells.join(" ")).replace('|', "/")));
                }
                Some(header) => break header,
            }
        };
        if shape.has_row_names {
            names.insert(0, String::new());
        }
        Ok(Table {
            rows,
            titles,
            header: Header::new(names),
            header_line,
            ended: false,
        })
    }

    /// The next lines, below the header: this many bytes, or a row more.
    fn lines(&mut self, first: bool, bytes_max: usize) -> io::Result<Vec<NumberedLine>> {
        let mut lines: Vec<NumberedLine> = Vec::new();
        let mut bytes = 0;
        let mut push = |number: u32, text: String| {
            bytes += text.len();
            lines.push(NumberedLine::new(number, None, text));
            bytes
        };
        for (line, title) in std::mem::take(&mut self.titles) {
            push(line, title);
            push(line, String::new());
        }
        if !self.header.is_wide || first {
            push(self.header_line, self.header.line());
        }
        loop {
            let Some((line, cells)) = self.rows.next()? else {
                self.ended = true;
                break;
            };
            if is_blank(&cells) {
                continue;
            }
            let mut written = 0;
            self.header.rows(&cells, |text| written = push(line, text));
            if written >= bytes_max {
                break;
            }
        }
        Ok(lines)
    }
}

impl Parts {
    pub(super) fn open(input: BufReader<Decoded>, file: File) -> Result<Parts, SkipReason> {
        let table = Table::open(input, &file.ext)?;
        let first = true;
        Ok(Parts { file, table, first })
    }
}

impl Iterator for Parts {
    type Item = Result<Document, Skip>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.table.ended {
            let lines = match self.table.lines(self.first, PART_BYTES) {
                Ok(lines) => lines,
                Err(error) => {
                    self.table.ended = true;
                    return Some(Err(self.file.skip(unreadable(error))));
                }
            };
            let first = std::mem::replace(&mut self.first, false);
            // The header alone says something once.
            let header_line = self.table.header_line;
            let mut numbers = lines.iter().map(|l| l.number);
            let Some(from) = numbers.find(|&n| first || n > header_line) else {
                continue;
            };
            let file = match first {
                true => self.file.clone(),
                false => self.file.part(&from.to_string()),
            };
            let parsed = Parsed {
                lines,
                ..Parsed::default()
            };
            return Some(
                file.document(parsed, None)
                    .map_err(|reason| file.skip(reason)),
            );
        }
        None
    }
}

fn is_blank(cells: &[String]) -> bool {
    cells.iter().all(|cell| cell.trim().is_empty())
}

/// `| a | b |`, on one line.
pub(super) fn row(cells: &[String]) -> String {
    let mut text = String::from("|");
    for cell in cells {
        for word in cell.split_whitespace() {
            text.push(' ');
            text.push_str(&word.replace('|', "/"));
        }
        text.push_str(" |");
    }
    text
}

/// Cells with the names of their columns, without those that are empty.
fn named(header: &[String], cells: &[String]) -> Vec<String> {
    let names = header
        .iter()
        .map(|name| name.trim())
        .chain(std::iter::repeat(""));
    cells
        .iter()
        .zip(names)
        .filter(|(cell, _)| !cell.trim().is_empty())
        .map(|(cell, name)| match name {
            "" => cell.clone(),
            _ => format!("{name}: {cell}"),
        })
        .collect()
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
