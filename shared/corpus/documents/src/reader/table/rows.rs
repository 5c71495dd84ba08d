//! Cuts a table into rows and cells. Quoted cells may contain line breaks and the delimiter.

use std::io::{self, BufRead};

/// Longest row, in bytes: a quote that is never closed would swallow the file.
const ROW_BYTES_MAX: usize = 1024 * 1024;
/// Most columns; what is beyond is left out.
const COLUMNS_MAX: usize = 1_000;

/// Rows of a table. A row that is too long ends where the limit is.
pub(in crate::reader) struct Rows<R> {
    input: R,
    delimiter: u8,
    line: u32,
}

impl<R: BufRead> Rows<R> {
    pub(in crate::reader) fn new(input: R, delimiter: u8) -> Rows<R> {
        Rows {
            input,
            delimiter,
            line: 1,
        }
    }

    /// The next row and the line that it begins on.
    pub(in crate::reader) fn next(&mut self) -> io::Result<Option<(u32, Vec<String>)>> {
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
    /// Whether the cell has more than blanks.
    has_words: bool,
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
                _ => self.push(byte),
            }
            return false;
        }
        match byte {
            b'\n' => return true,
            _ if self.bytes > ROW_BYTES_MAX => {
                return byte == b'\n' || self.bytes > 2 * ROW_BYTES_MAX;
            }
            b'"' if self.closing => {
                self.push(b'"');
                self.quoted = true;
            }
            b'"' if !self.has_words => {
                self.cell.clear();
                self.quoted = true;
            }
            _ if byte == delimiter => {
                let cell = std::mem::take(&mut self.cell);
                self.has_words = false;
                if self.done.len() < COLUMNS_MAX {
                    self.done.push(cell);
                }
            }
            _ => self.push(byte),
        }
        self.closing = false;
        false
    }

    fn push(&mut self, byte: u8) {
        self.has_words |= !byte.is_ascii_whitespace();
        self.cell.push(byte);
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
