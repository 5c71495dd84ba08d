//! Writes rows of vectors: merges small blocks into larger ones, and starts new generations that leave out deleted
//! rows.
//!
//! New files are valid from the commit that names their [`Layout`]; the files that they replace are deleted after that
//! commit. *Not* here: the decision to make all rows anew ([`super::vectors`]).

use super::rows::{Layout, Moved, NOWHERE, Rows, failed, read, write};
use crate::Error;
use envelope::Embedding;
use std::ops::Range;
use tantivy::directory::error::DeleteError;
use tantivy::directory::{Directory, OwnedBytes};

/// Rows of the largest block that a smaller one is still merged with.
const BLOCK_ROWS_MAX: u64 = 65_536;
/// There may be this many times as many slots as chunks, and some more, before rows are moved together.
const SLOTS_FACTOR: u64 = 2;
const SLOTS_SPARE: u64 = 4_096;

/// Adds rows to those of a layout.
pub(super) struct RowWriter {
    dir: Box<dyn Directory>,
    layout: Layout,
    /// Rows that no block holds yet.
    fresh: Vec<u8>,
}

impl RowWriter {
    pub(super) fn new(dir: Box<dyn Directory>, layout: Layout) -> RowWriter {
        RowWriter {
            dir,
            layout,
            fresh: Vec::new(),
        }
    }

    /// Adds a row, [`RowWriter::next_row`]. Nothing is stored before [`RowWriter::flush`].
    pub(super) fn push(&mut self, embedding: &Embedding) {
        let scale = match embedding.values.iter().any(|v| *v != 0) {
            true => embedding.scale,
            false => 0.0,
        };
        self.fresh.extend(scale.to_le_bytes());
        let values = embedding.values.iter().map(|v| v.cast_unsigned());
        self.fresh.extend(values);
    }

    /// A row without a vector.
    pub(super) fn push_empty(&mut self) {
        self.fresh
            .resize(self.fresh.len() + self.layout.stride(), 0);
    }

    /// A row as it was in `rows`.
    fn push_again(&mut self, row: u64, rows: &Rows) {
        match rows.row(row) {
            Some(bytes) => self.fresh.extend(bytes),
            None => self.push_empty(),
        }
    }

    /// The number of the row that is added next.
    pub(super) fn next_row(&self) -> u64 {
        let since = self.slots().saturating_sub(self.layout.moved.slots);
        self.layout.moved.end() + since
    }

    fn slots(&self) -> u64 {
        let fresh = self.fresh.len() / self.layout.stride();
        self.layout.slots() + fresh as u64
    }

    /// Whether most slots belong to none of this many chunks.
    pub(super) fn is_wasteful(&self, chunks: u64) -> bool {
        self.slots() > SLOTS_FACTOR * chunks + SLOTS_SPARE
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// A writer of the next generation, fitted to this many chunks, with a slot for each row of `living`, which are
    /// in order: they have to be added first, in that order. The present writer stays as it is until the other
    /// replaces it.
    pub(super) fn next_generation(&self, fitted: u64, living: &[u64]) -> Result<RowWriter, Error> {
        let next = living.last().map_or(0, |row| row + 1).max(self.next_row());
        let first = living.first().copied().unwrap_or(next);
        let slots = living.len() as u64;
        // Where none is missing, they follow each other as they did.
        let (rows, slots) = match next - first == slots {
            true => (0, 0),
            false => (next - first, slots),
        };
        let layout = Layout {
            generation: self.layout.generation + 1,
            fitted,
            moved: Moved { first, rows, slots },
            ..Layout::empty(&self.layout.by, self.layout.dims)
        };
        if layout.moved.rows > 0 {
            let places = places(first..next, living)?;
            write(&*self.dir, &layout.slots_file(), [&places[..]].into_iter())?;
        }
        Ok(RowWriter::new(self.dir.box_clone(), layout))
    }

    /// The next generation with the rows of `living`, as they are.
    pub(super) fn moved_together(&self, living: &[u64]) -> Result<RowWriter, Error> {
        let rows = Rows::open(&*self.dir, &self.layout)?;
        let mut anew = self.next_generation(self.layout.fitted, living)?;
        for row in living {
            anew.push_again(*row, &rows);
            anew.flush_full()?;
        }
        Ok(anew)
    }

    /// Stores what is new once it fills a block.
    pub(super) fn flush_full(&mut self) -> Result<(), Error> {
        if self.fresh.len() as u64 >= BLOCK_ROWS_MAX * self.layout.stride() as u64 {
            self.flush()?;
        }
        Ok(())
    }

    /// Stores the new rows, together with smaller blocks before them, so that there are few blocks and every row is
    /// written only a few times. The commit that follows makes them count. A failure leaves the writer as it was:
    /// the next flush stores the same rows.
    pub(super) fn flush(&mut self) -> Result<Rows, Error> {
        let mut rows = (self.fresh.len() / self.layout.stride()) as u64;
        if rows == 0 {
            return Rows::open(&*self.dir, &self.layout);
        }
        let old = self.layout.block_files();
        let mut layout = self.layout.clone();
        let mut swallowed = Vec::new();
        while let Some(last) = layout.blocks.last().copied()
            && last <= rows
            && last + rows <= BLOCK_ROWS_MAX
        {
            layout.blocks.pop();
            swallowed.push(read(&*self.dir, &old[layout.blocks.len()])?);
            rows += last;
        }
        layout.blocks.push(rows);
        let files = layout.block_files();
        let parts = swallowed.iter().rev().map(OwnedBytes::as_slice);
        let parts = parts.chain([&self.fresh[..]]);
        write(&*self.dir, &files[files.len() - 1], parts)?;
        let opened = Rows::open(&*self.dir, &layout)?;
        self.layout = layout;
        self.fresh.clear();
        Ok(opened)
    }

    /// Deletes the files of `before` that count no more.
    pub(super) fn sweep(&self, before: &Layout) {
        let now = self.layout.files();
        for file in before.files().iter().filter(|file| !now.contains(file)) {
            match self.dir.delete(file) {
                Ok(()) | Err(DeleteError::FileDoesNotExist(_)) => {}
                Err(error) => tracing::warn!(%error, "old vectors could not be deleted"),
            }
        }
    }
}

/// The slot of each row of `rows`, which `living` are some of.
fn places(rows: Range<u64>, living: &[u64]) -> Result<Vec<u8>, Error> {
    let count = u32::try_from(living.len()).map_err(failed)?;
    let mut places = Vec::new();
    let mut slots = living.iter().zip(0..count).peekable();
    for row in rows {
        let slot = slots.next_if(|(living, _)| **living == row);
        places.extend(slot.map_or(NOWHERE, |(_, slot)| slot).to_le_bytes());
    }
    Ok(places)
}

#[cfg(test)]
#[path = "row_writer_tests.rs"]
mod tests;
