//! Measures the free and the total space of a disk.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The space of the disk that a folder is on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disk {
    /// The folder.
    pub dir: PathBuf,
    /// Bytes that this process may still write.
    pub free: u64,
    /// Bytes of the whole disk.
    pub total: u64,
}

/// Measures the disk that `dir` is on. A folder that does not exist yet counts as being on the disk of its parent.
pub fn of(dir: &Path) -> std::io::Result<Disk> {
    let whole = std::path::absolute(dir)?;
    let there = whole.ancestors().find(|path| path.exists());
    let found = rustix::fs::statvfs(there.unwrap_or(&whole))?;
    let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
    Ok(Disk {
        dir: whole,
        free: bytes(found.f_bavail),
        total: bytes(found.f_blocks),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_yet_has_the_room_of_its_parent() {
        let dir = tempfile::tempdir().unwrap();
        let there = of(dir.path()).unwrap();
        let later = of(&dir.path().join("a/b")).unwrap();
        assert!(there.free > 0 && there.free <= there.total);
        assert_eq!(there.total, later.total);
    }
}
