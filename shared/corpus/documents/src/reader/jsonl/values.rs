//! Cuts JSON into the values of its outermost array, or into those that stand below each other.

use std::io::{self, BufRead};

/// Where in a file we are.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// How many brackets are open.
    depth: usize,
    /// Whether the outermost of them is an array of documents.
    is_list: bool,
    is_text: bool,
    is_escaped: bool,
}

impl Values {
    /// Reads the next value, at most so many bytes of it. Without a value it reads nothing.
    pub(super) fn read(
        &mut self,
        input: &mut impl BufRead,
        bytes_max: u64,
        value: &mut Vec<u8>,
    ) -> io::Result<usize> {
        loop {
            let block = input.fill_buf()?;
            if block.is_empty() {
                // What is cut off is no JSON.
                return Ok(value.len());
            }
            let mut used = 0;
            let mut ended = false;
            for &byte in block {
                used += 1;
                ended = self.take(byte, value) || value.len() as u64 >= bytes_max;
                if ended {
                    break;
                }
            }
            input.consume(used);
            if ended {
                return Ok(value.len());
            }
        }
    }

    /// Takes a byte; true when a value ends with it.
    fn take(&mut self, byte: u8, value: &mut Vec<u8>) -> bool {
        if self.is_text {
            value.push(byte);
            self.is_text = byte != b'"' || self.is_escaped;
            self.is_escaped = byte == b'\\' && !self.is_escaped;
            return false;
        }
        let outside = usize::from(self.is_list);
        match byte {
            b'[' if self.depth == 0 && value.is_empty() => {
                (self.is_list, self.depth) = (true, 1);
                return false;
            }
            b']' if self.is_list && self.depth == 1 => {
                (self.is_list, self.depth) = (false, 0);
                return !value.is_empty();
            }
            b',' if self.depth == outside => return !value.is_empty(),
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1).max(outside);
                value.push(byte);
                return self.depth == outside;
            }
            b'"' => self.is_text = true,
            _ if byte.is_ascii_whitespace() && value.is_empty() => return false,
            _ => {}
        }
        value.push(byte);
        false
    }
}
