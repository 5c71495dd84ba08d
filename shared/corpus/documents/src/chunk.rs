//! The chunker: it cuts lines of text into pieces that fit a small model. A piece has at most [`CHUNK_TOKENS_MAX`]
//! tokens by default. Cuts are between sentences, rows and sections, and pieces of one section overlap a little.
//!
//! Words are not cut, except a "word" that is longer than a whole piece (base64, for example). Pure and
//! deterministic.

mod unit;

use crate::document::NumberedLine;
pub use unit::LineMark;
use unit::{Kind, Unit};

/// Names how text is read and cut, whatever the sizes. It changes whenever the pieces of a document would: documents that
/// were cut by another one are indexed anew when they are published again.
const CHUNKER: &str = "chunk-3";
/// The default of the most tokens of one piece, counted by [`tokens`].
pub const CHUNK_TOKENS_MAX: usize = 256;
/// The default of the most tokens that are repeated at the start of the next piece.
pub const OVERLAP_TOKENS_MAX: usize = 26;
/// Characters of a run that cost one token.
const RUN_CHARS: usize = 16;

/// How large pieces are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Most tokens of one piece. Default [`CHUNK_TOKENS_MAX`].
    pub tokens: usize,
    /// Most tokens that are repeated at the start of the next one. Default [`OVERLAP_TOKENS_MAX`].
    pub overlap: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            tokens: CHUNK_TOKENS_MAX,
            overlap: OVERLAP_TOKENS_MAX,
        }
    }
}

impl Options {
    /// Names the chunker with its sizes.
    pub fn name(&self) -> String {
        format!("{CHUNKER}/{}/{}", self.tokens, self.overlap)
    }

    /// Cuts lines into pieces.
    pub fn cut(&self, lines: &[NumberedLine]) -> Vec<Piece> {
        let (units, sections) = unit::units(lines, self.tokens);
        let mut packer = Packer {
            options: *self,
            sections: &sections,
            current: Vec::new(),
            repeated: 0,
            tokens: 0,
            pieces: Vec::new(),
        };
        for unit in &units {
            packer.add(unit, &units);
        }
        packer.flush();
        packer.pieces
    }

    /// Longest header of a table, which every piece of its rows repeats whole.
    fn header_max(&self) -> usize {
        self.tokens / 4
    }

    /// A section smaller than this shares its piece with the next one.
    fn section_min(&self) -> usize {
        self.tokens * 3 / 8
    }
}

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The headings above the piece, outermost first.
    pub headings: Vec<String>,
    /// Where its lines stand, in their order. The first is that of its start.
    pub marks: Vec<LineMark>,
    /// Its first line in the source, after the header of a table that is repeated from above.
    pub line: u32,
    /// The page of that line, where the source has pages.
    pub page: Option<u32>,
    /// The text.
    pub text: String,
}

/// How many tokens a text counts for: one for each run of letters and digits, one for each run of
/// other signs, another one for every further 16 characters of a run; each ideograph counts alone.
/// White space is free up to 16 in a row. Adding texts with a space adds their counts.
pub fn tokens(text: &str) -> usize {
    let mut count = 0;
    let mut last = Run::Space;
    let mut length = 0;
    for c in text.chars() {
        let run = Run::of(c);
        length = if run == last { length + 1 } else { 1 };
        let starts = (length - 1) % RUN_CHARS == 0;
        count += usize::from(run == Run::Ideograph || starts && (run != Run::Space || length > 1));
        last = run;
    }
    count
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Space,
    Word,
    Sign,
    Ideograph,
}

impl Run {
    fn of(c: char) -> Run {
        match c {
            _ if c.is_whitespace() => Run::Space,
            '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3ffff}' => {
                Run::Ideograph
            }
            _ if c.is_alphanumeric() => Run::Word,
            _ => Run::Sign,
        }
    }
}

/// The level and text of a Markdown heading.
pub fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|&b| b == b'#').count();
    let text = line[level..].strip_prefix(' ')?;
    let text = text.trim().trim_end_matches('#').trim_end();
    ((1..=6).contains(&level) && !text.is_empty()).then_some((level, text))
}

/// Cuts lines into pieces of the usual size.
pub fn chunks(lines: &[NumberedLine]) -> Vec<Piece> {
    Options::default().cut(lines)
}

struct Packer<'a> {
    options: Options,
    sections: &'a [Vec<String>],
    current: Vec<Unit>,
    /// How many of the current units are overlap.
    repeated: usize,
    tokens: usize,
    pieces: Vec<Piece>,
}

impl Packer<'_> {
    fn add(&mut self, unit: &Unit, units: &[Unit]) {
        if unit.kind == Kind::Heading && self.tokens >= self.options.section_min() {
            self.flush();
        } else if self.tokens + unit.tokens > self.options.tokens {
            let moved = self.trailing_headings();
            let overlap = if moved.is_empty() {
                self.overlap(unit, units)
            } else {
                Vec::new()
            };
            self.flush();
            self.repeated = overlap.len();
            for unit in overlap.into_iter().chain(moved) {
                self.push(unit);
            }
            if self.tokens + unit.tokens > self.options.tokens {
                self.drop_repeated();
            }
            if self.tokens + unit.tokens > self.options.tokens {
                self.flush(); // headings that leave no room for their text
            }
        }
        self.push(unit.clone());
    }

    fn push(&mut self, unit: Unit) {
        self.tokens += unit.tokens;
        self.current.push(unit);
    }

    fn drop_repeated(&mut self) {
        let dropped: usize = self.current.drain(..self.repeated).map(|u| u.tokens).sum();
        self.tokens -= dropped;
        self.repeated = 0;
    }

    /// Takes the headings off the end: they belong to what follows.
    fn trailing_headings(&mut self) -> Vec<Unit> {
        let body = self
            .current
            .iter()
            .rposition(|u| u.kind != Kind::Heading)
            .map_or(0, |last| last + 1);
        if body <= self.repeated {
            return Vec::new();
        }
        let moved = self.current.split_off(body);
        self.tokens -= moved.iter().map(|u| u.tokens).sum::<usize>();
        moved
    }

    /// What the next piece repeats of this one: the table's header, or the last sentences, or the
    /// end of a sentence that is too long.
    fn overlap(&self, next: &Unit, units: &[Unit]) -> Vec<Unit> {
        if let Kind::Row {
            header: Some(header),
        } = next.kind
        {
            let header = &units[header];
            let fits = header.tokens <= self.options.header_max();
            return fits.then(|| header.clone()).into_iter().collect();
        }
        let fresh = &self.current[self.repeated..];
        let mut room = self.options.overlap;
        let start = fresh
            .iter()
            .rposition(|unit| {
                let stop = unit.kind != Kind::Sentence || unit.tokens > room;
                room = room.saturating_sub(unit.tokens);
                stop
            })
            .map_or(0, |stop| stop + 1);
        match fresh.last() {
            _ if self.options.overlap == 0 => Vec::new(),
            Some(last) if start == fresh.len() && last.kind == Kind::Sentence => {
                vec![last.tail(self.options.overlap)]
            }
            _ => fresh[start..].to_vec(),
        }
    }

    fn flush(&mut self) {
        let units = std::mem::take(&mut self.current);
        let repeated = std::mem::take(&mut self.repeated);
        self.tokens = 0;
        if units.len() <= repeated {
            return;
        }
        let first = units.iter().find(|u| !u.is_header()).unwrap_or(&units[0]);
        let first = first.marks[0];
        let (text, marks) = unit::join(&units);
        self.pieces.push(Piece {
            headings: common(
                units[repeated..]
                    .iter()
                    .map(|u| &self.sections[u.section][..]),
            ),
            marks,
            line: first.line,
            page: first.page,
            text,
        });
    }
}

/// The headings that all sections share.
fn common<'a>(mut paths: impl Iterator<Item = &'a [String]>) -> Vec<String> {
    let mut shared = paths.next().unwrap_or_default();
    for path in paths {
        let same = shared.iter().zip(path).take_while(|(a, b)| a == b).count();
        shared = &shared[..same];
    }
    shared.to_vec()
}

#[cfg(test)]
#[path = "chunk/tests.rs"]
mod tests;
