//! Vectors in rows, in files that never change once they are written.
//!
//! A chunk of the index names its row in a column; merges of the index move chunks, never rows. A
//! commit writes what is new as one block and says in its payload which blocks count, so the index
//! and its vectors are always of one moment: a file that no commit names is left from a crash.
//! Blocks are read through the directory, which maps them into memory. Rows of chunks that are no
//! more stay until the vectors are made anew. *Not* a graph: every row is looked at
//! (docs/adr/0010-exact-vectors.md says what that costs).

use crate::search::Error;
use crate::vector::Embedding;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use tantivy::directory::error::{DeleteError, OpenWriteError};
use tantivy::directory::{Directory, OwnedBytes, TerminatingWrite};

/// Rows of the largest block that a smaller one is still merged with.
const BLOCK_ROWS_MAX: u64 = 65_536;
/// Bytes before the numbers of a row: its scale.
const SCALE_BYTES: usize = 4;

/// Which blocks there are; part of the payload of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Layout {
    /// Whose vectors these are, see `embed::Embedder::name`.
    pub(super) by: String,
    /// Numbers in a vector.
    pub(super) dims: usize,
    /// How often all rows were made anew.
    pub(super) generation: u64,
    /// To how many chunks the static table was fitted; 0 where there is none.
    #[serde(default)]
    pub(super) fitted: u64,
    /// Rows of each block, in order.
    pub(super) blocks: Vec<u64>,
}

impl Layout {
    /// No rows yet.
    pub(super) fn empty(by: &str, dims: usize) -> Layout {
        Layout {
            by: by.to_owned(),
            dims,
            generation: 0,
            fitted: 0,
            blocks: Vec::new(),
        }
    }

    fn stride(&self) -> usize {
        SCALE_BYTES + self.dims
    }

    /// Names of the blocks: generation, first row, rows.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let mut first = 0;
        let name = |rows: &u64| {
            let name = format!("{}-{first}-{rows}.rows", self.generation);
            first += rows;
            PathBuf::from(name)
        };
        self.blocks.iter().map(name).collect()
    }
}

/// Rows for reading. Cheap to clone.
#[derive(Clone)]
pub(super) struct Rows {
    stride: usize,
    /// First row and bytes of each block.
    blocks: Vec<(u64, OwnedBytes)>,
}

/// A vector to compare with rows.
pub(super) struct Probe {
    values: Vec<i16>,
    scale: f32,
}

impl Probe {
    pub(super) fn new(vector: &[f32]) -> Probe {
        let Embedding { scale, values, .. } = Embedding::of("", vector);
        Probe {
            values: values.into_iter().map(i16::from).collect(),
            scale,
        }
    }

    fn dot(&self, row: &[u8]) -> f32 {
        let pairs = self.values.iter().zip(row);
        let sum: i32 = pairs
            .map(|(a, b)| i32::from(*a) * i32::from(i16::from(b.cast_signed())))
            .sum();
        sum as f32 * self.scale
    }
}

impl Rows {
    fn open(dir: &dyn Directory, layout: &Layout) -> Result<Rows, Error> {
        let mut blocks = Vec::new();
        let mut first = 0;
        for (file, rows) in layout.files().iter().zip(&layout.blocks) {
            let bytes = read(dir, file)?;
            if bytes.len() as u64 != rows * layout.stride() as u64 {
                let text = format!("`{}` has {} bytes", file.display(), bytes.len());
                return Err(Error::Index(text));
            }
            blocks.push((first, bytes));
            first += rows;
        }
        Ok(Rows {
            stride: layout.stride(),
            blocks,
        })
    }

    /// The cosine of a row and a probe; `None` when the row is not there or holds no vector.
    pub(super) fn similarity(&self, row: u64, probe: &Probe) -> Option<f32> {
        let (scale, values) = self.vector(row)?;
        Some(probe.dot(values) * scale)
    }

    /// Whether a row is there and holds a vector.
    pub(super) fn has(&self, row: u64) -> bool {
        self.vector(row).is_some()
    }

    fn vector(&self, row: u64) -> Option<(f32, &[u8])> {
        let bytes = self.row(row)?;
        let (scale, values) = bytes.split_first_chunk::<SCALE_BYTES>()?;
        let scale = f32::from_le_bytes(*scale);
        (scale > 0.0).then_some((scale, values))
    }

    fn row(&self, row: u64) -> Option<&[u8]> {
        let block = self.blocks.partition_point(|(first, _)| *first <= row);
        let (first, bytes) = self.blocks.get(block.checked_sub(1)?)?;
        let start = usize::try_from(row - first).ok()? * self.stride;
        bytes.as_slice().get(start..start + self.stride)
    }
}

/// Rows for writing.
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

    /// Adds a row; returns its number. Nothing is stored before [`RowWriter::flush`].
    pub(super) fn push(&mut self, embedding: &Embedding) -> u64 {
        let row = self.len();
        let scale = match embedding.values.iter().any(|v| *v != 0) {
            true => embedding.scale,
            false => 0.0,
        };
        self.fresh.extend(scale.to_le_bytes());
        let values = embedding.values.iter().map(|v| v.cast_unsigned());
        self.fresh.extend(values);
        row
    }

    /// A row without a vector.
    pub(super) fn push_empty(&mut self) -> u64 {
        let row = self.len();
        self.fresh
            .resize(self.fresh.len() + self.layout.stride(), 0);
        row
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> u64 {
        let fresh = self.fresh.len() / self.layout.stride();
        self.layout.blocks.iter().sum::<u64>() + fresh as u64
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// A writer of the next generation, without rows yet, fitted to so many chunks. This one stays as
    /// it is until the other takes its place.
    pub(super) fn next_generation(&self, fitted: u64) -> RowWriter {
        let layout = Layout {
            generation: self.layout.generation + 1,
            fitted,
            ..Layout::empty(&self.layout.by, self.layout.dims)
        };
        RowWriter::new(self.dir.box_clone(), layout)
    }

    /// Whether what is new fills a block.
    pub(super) fn is_full(&self) -> bool {
        self.fresh.len() as u64 >= BLOCK_ROWS_MAX * self.layout.stride() as u64
    }

    /// Stores what is new, together with smaller blocks before it, so that there are few of them
    /// and every row is written a handful of times. The commit that follows makes them count.
    pub(super) fn flush(&mut self) -> Result<Rows, Error> {
        let mut rows = (self.fresh.len() / self.layout.stride()) as u64;
        if rows > 0 {
            let old = self.layout.files();
            let mut swallowed = Vec::new();
            while let Some(last) = self.layout.blocks.last().copied()
                && last <= rows
                && last + rows <= BLOCK_ROWS_MAX
            {
                self.layout.blocks.pop();
                swallowed.push(read(&*self.dir, &old[self.layout.blocks.len()])?);
                rows += last;
            }
            self.layout.blocks.push(rows);
            let files = self.layout.files();
            let parts = swallowed.iter().rev().map(OwnedBytes::as_slice);
            let parts = parts.chain([&self.fresh[..]]);
            write(&*self.dir, &files[files.len() - 1], parts)?;
            self.fresh.clear();
        }
        Rows::open(&*self.dir, &self.layout)
    }

    /// Deletes the blocks of `before` that count no more.
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

/// The rows of a layout.
pub(super) fn open(dir: &dyn Directory, layout: &Layout) -> Result<Rows, Error> {
    Rows::open(dir, layout)
}

/// Writes a file and makes it last; one of this name is left from a crash and goes.
pub(super) fn write<'a>(
    dir: &dyn Directory,
    file: &Path,
    parts: impl Iterator<Item = &'a [u8]>,
) -> Result<(), Error> {
    let mut out = match dir.open_write(file) {
        Err(OpenWriteError::FileAlreadyExists(_)) => {
            dir.delete(file).map_err(failed)?;
            dir.open_write(file).map_err(failed)?
        }
        other => other.map_err(failed)?,
    };
    for part in parts {
        out.write_all(part).map_err(failed)?;
    }
    out.terminate().map_err(failed)?;
    dir.sync_directory().map_err(failed)
}

/// Reads a file, mapped into memory where it lies on disk.
pub(super) fn read(dir: &dyn Directory, file: &Path) -> Result<OwnedBytes, Error> {
    let slice = dir.open_read(file).map_err(failed)?;
    slice.read_bytes().map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Index(format!("vectors: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tantivy::directory::RamDirectory;

    fn embedding(vector: &[f32]) -> Embedding {
        Embedding::of("e", vector)
    }

    proptest! {
        #[test]
        fn every_row_is_found_again_however_it_was_stored(
            batches in prop::collection::vec(0usize..40, 1..20),
        ) {
            let dir = RamDirectory::create();
            let mut writer = RowWriter::new(Box::new(dir.clone()), Layout::empty("e", 2));
            let mut all = Vec::new();
            for rows in batches {
                let before = writer.layout().clone();
                for _ in 0..rows {
                    let angle = all.len() as f32;
                    let vector = [angle.cos(), angle.sin()];
                    prop_assert_eq!(writer.push(&embedding(&vector)), all.len() as u64);
                    all.push(vector);
                }
                let rows = writer.flush().unwrap();
                writer.sweep(&before);
                for (row, vector) in all.iter().enumerate() {
                    let same = rows.similarity(row as u64, &Probe::new(vector)).unwrap();
                    prop_assert!((same - 1.0).abs() < 0.02, "row {} is {}", row, same);
                }
                prop_assert_eq!(rows.similarity(all.len() as u64, &Probe::new(&[1.0, 0.0])), None);
                let again = open(&dir, writer.layout()).unwrap();
                prop_assert_eq!(again.blocks.len(), rows.blocks.len());
                // Doubling: never more blocks than a number has digits in base 2.
                prop_assert!(rows.blocks.len() <= 11, "{} blocks", rows.blocks.len());
            }
        }
    }

    #[test]
    fn a_row_without_a_vector_is_like_nothing() {
        let mut writer = RowWriter::new(Box::new(RamDirectory::create()), Layout::empty("e", 2));
        writer.push_empty();
        writer.push(&embedding(&[0.0, 0.0]));
        let rows = writer.flush().unwrap();
        for row in 0..2 {
            assert_eq!(rows.similarity(row, &Probe::new(&[1.0, 0.0])), None);
        }
    }

    #[test]
    fn what_a_crash_left_is_written_over() {
        let dir = RamDirectory::create();
        let layout = Layout::empty("e", 1);
        let mut crashed = RowWriter::new(Box::new(dir.clone()), layout.clone());
        crashed.push(&embedding(&[1.0]));
        crashed.flush().unwrap();
        let mut writer = RowWriter::new(Box::new(dir), layout);
        writer.push(&embedding(&[-1.0]));
        let rows = writer.flush().unwrap();
        let same = rows.similarity(0, &Probe::new(&[1.0])).unwrap();
        assert!(same < 0.0);
    }
}
