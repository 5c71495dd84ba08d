//! The lines that a reader writes, which have a limit together.

use super::{SkipReason, TEXT_BYTES_MAX};
use crate::document::NumberedLine;
use std::cell::Cell;
use text::{line_of, one_line};

/// Most cells of a row.
const CELLS_MAX: usize = 1_000;
/// Most rows and columns that one row or cell may say that it stands for.
pub(super) const REPEATED_MAX: u32 = 100;

/// How many of the files that a file includes are named, in how many characters.
const INCLUDES_SHOWN: usize = 5;
const INCLUDES_CHARS: usize = 200;

/// How far a mark may be from the one that closes it, in bytes.
const MARK_BYTES_MAX: usize = 1_000;

/// Adds the mark of a note, which belongs to the sentence before it: one sign and one blank go behind it.
pub(super) fn push_mark(text: &mut String, mark: &str) {
    let [blank, sign] =
        [char::is_whitespace, |c| ".,;:!?。".contains(c)].map(|is: fn(char) -> bool| {
            let last = text.chars().next_back().filter(|c| is(*c));
            text.truncate(text.len() - last.map_or(0, char::len_utf8));
            last
        });
    text.extend([" ", mark]);
    text.extend(sign.into_iter().chain(blank));
}

/// The part of a text in which a mark is looked for.
pub(super) fn near(text: &str) -> &str {
    &text[..text.floor_char_boundary(MARK_BYTES_MAX)]
}

/// Whether a word is one of these, between which there are spaces.
pub(super) fn is_one_of(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

/// What is said about files that a file includes.
pub(super) fn left_out(includes: &[String]) -> Option<SkipReason> {
    let names = includes.iter().take(INCLUDES_SHOWN).map(String::as_str);
    let names = line_of(&names.collect::<Vec<_>>().join(", "), INCLUDES_CHARS);
    (!includes.is_empty()).then(|| {
        let reason = format!(
            "it includes {} files, which are read where they are: {names}",
            includes.len()
        );
        SkipReason::Partial(reason)
    })
}

/// Lines, as they are added.
#[derive(Debug, Default)]
pub(super) struct Lines {
    lines: Vec<NumberedLine>,
    bytes: usize,
    /// Bytes that were put for names of the file.
    replaced: Cell<usize>,
    /// The page of what is added next.
    pub(super) page: Option<u32>,
    /// The line of the source that is added next; without it lines are counted.
    pub(super) number: Option<u32>,
}

impl Lines {
    /// Adds a text that is a line, or several.
    pub(super) fn push(&mut self, text: &str) {
        for text in text.lines() {
            let counted = u32::try_from(self.lines.len() + 1).unwrap_or(u32::MAX);
            self.bytes += text.len() + 1;
            if self.bytes > TEXT_BYTES_MAX {
                return;
            }
            let number = self.number.unwrap_or(counted);
            self.lines
                .push(NumberedLine::new(number, self.page, text.trim_end()));
        }
    }

    /// Adds lines that were written elsewhere.
    pub(super) fn extend<T: AsRef<str>>(&mut self, lines: impl IntoIterator<Item = T>) {
        for line in lines {
            match line.as_ref() {
                "" => self.part(),
                line => self.push(line),
            }
        }
    }

    /// Parts what is before from what is behind.
    pub(super) fn part(&mut self) {
        if !self.is_parted() {
            self.push("\n");
        }
    }

    /// Whether the last line is empty.
    pub(super) fn is_parted(&self) -> bool {
        self.lines.last().is_none_or(|last| last.text.is_empty())
    }

    /// Adds a heading; the outermost has level 1.
    pub(super) fn heading(&mut self, level: usize, text: &str) {
        let text = one_line(text);
        if !text.is_empty() {
            self.push(&format!("{} {text}", "#".repeat(level.clamp(1, 6))));
        }
    }

    /// Adds a row, unless all its cells are empty.
    pub(super) fn row<T: AsRef<str>>(&mut self, cells: &[T]) {
        let cells = cells.iter().take(CELLS_MAX);
        let cells: Vec<String> = cells
            .map(|cell| one_line(cell.as_ref()).replace('|', "/"))
            .collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            self.push(&format!("| {} |", cells.join(" | ")));
        }
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &String> {
        self.lines.iter().map(|line| &line.text)
    }

    /// What the file has a name stand for, or repeats, as long as there is room for it.
    pub(super) fn replacing(&self, text: &str) -> Option<String> {
        let bytes = text.len() + size_of::<String>();
        self.replaced.set(self.replaced.get().saturating_add(bytes));
        (!self.is_full()).then(|| text.to_owned())
    }

    /// Whether there is no room for more.
    pub(super) fn is_full(&self) -> bool {
        self.bytes.max(self.replaced.get()) > TEXT_BYTES_MAX
    }

    /// The text of lines that were written apart; more than there is room for is an error of all of them.
    pub(super) fn apart(&mut self, inner: Lines) -> Vec<String> {
        if inner.is_full() {
            self.bytes = inner.bytes;
        }
        inner.lines.into_iter().map(|line| line.text).collect()
    }

    pub(super) fn finish(self) -> Result<Vec<NumberedLine>, SkipReason> {
        match self.is_full() {
            true => Err(SkipReason::Inflates(TEXT_BYTES_MAX as u64)),
            false => Ok(self.lines),
        }
    }
}
