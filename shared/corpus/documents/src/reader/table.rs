//! Reads CSV and TSV: each row becomes one line `| a | b |` below the header. The chunker keeps rows whole and
//! repeats the header on every piece. In a wide table, whose header is too long to be repeated, each row contains the
//! names of its columns instead: `| column: value | … |`.
//!
//! A file of more than [`PART_BYTES`] becomes several documents, so that memory holds one part of it. Quoted fields
//! may contain line breaks; rows that are too short or too long are accepted as they are. Values are *not* typed:
//! numbers stay as they were written.

use super::text::{Decoded, stream, stream_of};
use super::{File, Parsed, SkipReason, unreadable};
use crate::chunk::{CHUNK_TOKENS_MAX, tokens};
use crate::document::{Document, NumberedLine};
use crate::reader::Skip;
use std::io::{self, BufRead, BufReader, Cursor};
use std::path::Path;

/// Text of one part, in bytes, a row more at most; and the largest file that has no parts.
pub(super) const PART_BYTES: usize = 1024 * 1024;
/// Longest row, in bytes: a quote that is never closed would swallow the file.
const ROW_BYTES_MAX: usize = 1024 * 1024;
/// Most columns; what is beyond is left out.
const COLUMNS_MAX: usize = 1_000;
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
    header: Vec<String>,
    ended: bool,
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

impl Table {
    fn open(mut input: BufReader<Decoded>, ext: &str) -> Result<Table, SkipReason> {
        let delimiter = match ext {
            "tsv" => b'\t',
            _ => delimiter(input.fill_buf().map_err(unreadable)?),
        };
        let mut rows = Rows {
            input,
            delimiter,
            line: 1,
        };
        let header = loop {
            match rows.next().map_err(unreadable)? {
                None => return Err(SkipReason::Empty),
                Some((_, cells)) if is_blank(&cells) => continue,
                Some((_, cells)) => break cells,
            }
        };
        Ok(Table {
            rows,
            header,
            ended: false,
        })
    }

    /// The next lines, below the header: this many bytes, or a row more.
    fn lines(&mut self, first: bool, bytes_max: usize) -> io::Result<Vec<NumberedLine>> {
        let title = row(self.header.iter().map(String::as_str));
        let wide = tokens(&title) > HEADER_TOKENS_MAX;
        let mut lines: Vec<NumberedLine> = Vec::new();
        let mut bytes = 0;
        let mut push = |number: u32, text: String| {
            bytes += text.len();
            lines.push(NumberedLine {
                number,
                page: None,
                text,
            });
            bytes
        };
        if !wide || first {
            push(1, title);
        }
        loop {
            let Some((line, cells)) = self.rows.next()? else {
                self.ended = true;
                break;
            };
            if is_blank(&cells) {
                continue;
            }
            if wide {
                push(line, String::new()); // a row is no header of the next one
            }
            let text = match wide {
                true => row(named(&self.header, &cells).iter().map(String::as_str)),
                false => row(cells.iter().map(String::as_str)),
            };
            if push(line, text) >= bytes_max {
                break;
            }
        }
        Ok(lines)
    }
}

impl Parts {
    pub(super) fn open(path: &Path, file: File) -> Result<Parts, SkipReason> {
        let table = Table::open(stream_of(path)?, &file.ext)?;
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
            let Some(from) = lines.iter().map(|l| l.number).find(|&n| first || n > 1) else {
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
fn row<'a>(cells: impl Iterator<Item = &'a str>) -> String {
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

/// The sign that stands most often in the first lines, outside quotes: `,` `;` or a tab.
fn delimiter(head: &[u8]) -> u8 {
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0), (b'|', 0)];
    let (mut quoted, mut lines) = (false, 0);
    for &byte in head {
        quoted ^= byte == b'"';
        lines += usize::from(byte == b'\n' && !quoted);
        // The header decides: text below it has commas in it.
        if lines > 0 && counts.iter().any(|(_, n)| *n > 0) {
            break;
        }
        for (sign, count) in &mut counts {
            *count += usize::from(!quoted && byte == *sign);
        }
    }
    counts
        .iter()
        .rev()
        .max_by_key(|(_, n)| *n)
        .map_or(b',', |(sign, _)| *sign)
}

/// Rows of a table. A row that is too long ends where the limit is.
struct Rows<R> {
    input: R,
    delimiter: u8,
    line: u32,
}

impl<R: BufRead> Rows<R> {
    /// The next row and the line that it begins on.
    fn next(&mut self) -> io::Result<Option<(u32, Vec<String>)>> {
        let started = self.line;
        let mut row = Row::default();
        loop {
            let block = self.input.fill_buf()?;
            if block.is_empty() {
                return Ok((row.bytes > 0).then(|| (started, row.cells())));
            }
            let mut used = 0;
            let mut ended = false;
            for &byte in block {
                used += 1;
                self.line = self.line.saturating_add(u32::from(byte == b'\n'));
                ended = row.take(byte, self.delimiter);
                if ended {
                    break;
                }
            }
            self.input.consume(used);
            if ended {
                return Ok(Some((started, row.cells())));
            }
        }
    }
}

/// A row while it is read.
#[derive(Default)]
struct Row {
    done: Vec<Vec<u8>>,
    cell: Vec<u8>,
    bytes: usize,
    quoted: bool,
    /// A quote was just read that ends the field, unless another one follows.
    closing: bool,
}

impl Row {
    /// Takes one byte; true when it ends the row.
    fn take(&mut self, byte: u8, delimiter: u8) -> bool {
        self.bytes += 1;
        if self.bytes > ROW_BYTES_MAX {
            self.quoted = false;
        }
        if self.quoted {
            match byte {
                b'"' => (self.quoted, self.closing) = (false, true),
                _ => self.cell.push(byte),
            }
            return false;
        }
        match byte {
            b'\n' => return true,
            _ if self.bytes > ROW_BYTES_MAX => {
                return byte == b'\n' || self.bytes > 2 * ROW_BYTES_MAX;
            }
            b'"' if self.closing => {
                self.cell.push(b'"');
                self.quoted = true;
            }
            b'"' if self.cell.iter().all(u8::is_ascii_whitespace) => {
                self.cell.clear();
                self.quoted = true;
            }
            _ if byte == delimiter => {
                let cell = std::mem::take(&mut self.cell);
                if self.done.len() < COLUMNS_MAX {
                    self.done.push(cell);
                }
            }
            _ => self.cell.push(byte),
        }
        self.closing = false;
        false
    }

    fn cells(mut self) -> Vec<String> {
        if self.done.len() < COLUMNS_MAX {
            self.done.push(self.cell);
        }
        let text = |cell: &Vec<u8>| {
            String::from_utf8_lossy(cell)
                .trim_end_matches('\r')
                .to_owned()
        };
        self.done.iter().map(text).collect()
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
