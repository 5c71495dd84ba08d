//! Keeps, in a file of its own, the position that a store had when it was last flushed to disk.
//!
//! sled opens a truncated file as an older, consistent state, and at times cannot open it a second time. Only this file
//! shows that something is missing. A view is then filled again from its stream.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

const FILE: &str = "flushed";
const BYTES: usize = 12;

/// The file, open.
#[derive(Debug)]
pub(super) struct Floor {
    file: File,
}

/// What the file in a folder of sled's says; 0 where there is none or it says nothing.
pub(super) fn read(folder: &Path) -> u64 {
    let Ok(bytes) = fs::read(folder.join(FILE)) else {
        return 0;
    };
    let Some((sequence, crc)) = bytes.split_first_chunk::<8>() else {
        return 0;
    };
    let is_whole = *crc == crc32fast::hash(sequence).to_le_bytes();
    if is_whole {
        u64::from_le_bytes(*sequence)
    } else {
        0
    }
}

impl Floor {
    /// The file in a folder of sled's.
    pub(super) fn of(folder: &Path) -> io::Result<Floor> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = options.open(folder.join(FILE))?;
        Ok(Floor { file })
    }

    /// Everything up to this sequence is on disk.
    pub(super) fn raise(&self, sequence: u64) -> io::Result<()> {
        let sequence = sequence.to_le_bytes();
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&sequence);
        bytes[8..].copy_from_slice(&crc32fast::hash(&sequence).to_le_bytes());
        self.file.write_all_at(&bytes, 0)?;
        self.file.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_whole_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()), 0);
        let floor = Floor::of(folder.path()).unwrap();
        assert_eq!(read(folder.path()), 0);
        floor.raise(7).unwrap();
        floor.raise(u64::MAX - 1).unwrap();
        assert_eq!(read(folder.path()), u64::MAX - 1);
        assert_eq!(fs::metadata(folder.path().join(FILE)).unwrap().len(), 12);
        fs::write(folder.path().join(FILE), [7; BYTES]).unwrap();
        assert_eq!(read(folder.path()), 0);
    }
}
