//! The layout and the reader of the files that hold vectors as rows. A file never changes once it is written.
//!
//! A chunk of the index names its row in a column; merges of the index move chunks, never rows. A commit writes the new
//! rows as one block and lists the valid blocks in its payload, so the index and its vectors always belong to the same
//! commit; a file that no commit names is left from a crash. Blocks are read through the directory, which maps them
//! into memory. *Not* a graph of neighbours: a search looks at every row. docs/adr/0010-exact-vectors.md says what that
//! costs.
//!
//! Rows of deleted chunks stay until they outnumber the others. Then a new generation of files is written. It has only
//! the rows of living chunks, moved together into *slots*, and a file that maps row numbers to slots, because the row
//! numbers in the index do not change. *Not* here: writing rows ([`super::row_writer`]).

use crate::Error;
use envelope::Embedding;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use tantivy::directory::error::OpenWriteError;
use tantivy::directory::{Directory, OwnedBytes, TerminatingWrite};

/// Bytes before the numbers of a row: its scale.
pub(super) const SCALE_BYTES: usize = 4;
/// Bytes of a place in the file of slots, and what stands there for a row without one.
const PLACE_BYTES: usize = 4;
pub(super) const NOWHERE: u32 = u32::MAX;

/// Which blocks there are; part of the payload of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Layout {
    /// The embedder that made these vectors, see `llm::Embedder::name`.
    pub(super) by: String,
    /// Numbers in a vector.
    pub(super) dims: usize,
    /// How often all rows were made anew.
    pub(super) generation: u64,
    /// To how many chunks the static table was fitted; 0 where there is none.
    #[serde(default)]
    pub(super) fitted: u64,
    /// Slots of each block, in order. In an earlier format these were rows; a reader that knows only the old name
    /// would look for a moved row in the wrong place, and begins again instead.
    #[serde(rename = "slots", alias = "blocks")]
    pub(super) blocks: Vec<u64>,
    /// Which rows were moved.
    #[serde(default)]
    pub(super) moved: Moved,
}

/// The rows that were moved together. Rows before them are deleted; rows after them are as far from the last slot
/// of these as from the last row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Moved {
    /// The first of them.
    pub(super) first: u64,
    /// How many there were.
    pub(super) rows: u64,
    /// How many of them have a slot; the file of slots says which.
    pub(super) slots: u64,
}

impl Moved {
    /// The row after the last of them.
    pub(super) fn end(self) -> u64 {
        self.first + self.rows
    }
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
            moved: Moved::default(),
        }
    }

    pub(super) fn stride(&self) -> usize {
        SCALE_BYTES + self.dims
    }

    /// Slots of all blocks.
    pub(super) fn slots(&self) -> u64 {
        self.blocks.iter().sum()
    }

    /// Names of all files.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let slots = (self.moved.rows > 0).then(|| self.slots_file());
        self.block_files().into_iter().chain(slots).collect()
    }

    pub(super) fn slots_file(&self) -> PathBuf {
        PathBuf::from(format!("{}.slots", self.generation))
    }

    /// Names of the blocks: generation, first slot, slots.
    pub(super) fn block_files(&self) -> Vec<PathBuf> {
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
    moved: Moved,
    /// The slot of each moved row.
    places: OwnedBytes,
    /// First slot and bytes of each block.
    pub(super) blocks: Vec<(u64, OwnedBytes)>,
}

/// A vector to compare with rows.
pub(crate) struct Probe {
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

    /// The product with a row, but for its scale.
    pub(super) fn dot(&self, row: &[u8]) -> f32 {
        product(&self.values, row) as f32 * self.scale
    }
}

/// The sum of the products. What the processor can do is looked at once: with AVX2 a row takes half the
/// time that it takes with what every x86-64 can do.
#[multiversion::multiversion(targets("x86_64+avx2", "x86_64+sse4.1"))]
fn product(values: &[i16], row: &[u8]) -> i32 {
    let pairs = values.iter().zip(row);
    pairs
        .map(|(a, b)| i32::from(*a) * i32::from(i16::from(b.cast_signed())))
        .sum()
}

impl Rows {
    /// The rows of a layout.
    pub(super) fn open(dir: &dyn Directory, layout: &Layout) -> Result<Rows, Error> {
        let mut blocks = Vec::new();
        let mut first = 0;
        for (file, slots) in layout.block_files().iter().zip(&layout.blocks) {
            blocks.push((first, read_sized(dir, file, *slots, layout.stride())?));
            first += slots;
        }
        let places = match layout.moved.rows {
            0 => OwnedBytes::empty(),
            rows => read_sized(dir, &layout.slots_file(), rows, PLACE_BYTES)?,
        };
        Ok(Rows {
            stride: layout.stride(),
            moved: layout.moved,
            places,
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

    /// Where a row is.
    fn slot(&self, row: u64) -> Option<u64> {
        if let Some(since) = row.checked_sub(self.moved.end()) {
            return Some(self.moved.slots + since);
        }
        let place = usize::try_from(row.checked_sub(self.moved.first)?).ok()?;
        let (_, from) = self.places.split_at_checked(place * PLACE_BYTES)?;
        let slot = u32::from_le_bytes(*from.first_chunk()?);
        (slot != NOWHERE).then_some(u64::from(slot))
    }

    pub(super) fn row(&self, row: u64) -> Option<&[u8]> {
        let slot = self.slot(row)?;
        let block = self.blocks.partition_point(|(first, _)| *first <= slot);
        let (first, bytes) = self.blocks.get(block.checked_sub(1)?)?;
        let start = usize::try_from(slot - first).ok()? * self.stride;
        bytes.as_slice().get(start..start + self.stride)
    }
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

/// Reads a file of so many entries of a size.
fn read_sized(
    dir: &dyn Directory,
    file: &Path,
    entries: u64,
    size: usize,
) -> Result<OwnedBytes, Error> {
    let bytes = read(dir, file)?;
    if bytes.len() as u64 != entries * size as u64 {
        let text = format!("`{}` has {} bytes", file.display(), bytes.len());
        return Err(Error::index(text));
    }
    Ok(bytes)
}

/// Reads a file, mapped into memory where it lies on disk.
pub(super) fn read(dir: &dyn Directory, file: &Path) -> Result<OwnedBytes, Error> {
    let slice = dir.open_read(file).map_err(failed)?;
    slice.read_bytes().map_err(failed)
}

pub(super) fn failed(error: impl std::fmt::Display) -> Error {
    Error::index(format!("vectors: {error}"))
}
