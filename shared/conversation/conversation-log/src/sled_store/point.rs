//! Named points at which a test can make a store fail, so that tests need neither a full disk nor luck.

use std::io;
use std::sync::Arc;

/// A place at which a store may fail, or its process may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StorePoint {
    /// The folder is about to be created and locked.
    Taking,
    /// A batch is about to be written.
    Writing,
    /// What was written is about to be flushed to disk.
    Flushing,
    /// Some of the records that are kept are in a new folder.
    Copying,
    /// All of them are in the new folder and on disk, but it is not current yet.
    Copied,
    /// The new folder is current, and the old one still exists.
    Swapped,
    /// The old folder is deleted, and folders that were set aside still exist.
    Dropped,
    /// All old files are deleted; only the mark that a purge is due is left.
    Cleared,
    /// A copy of the folder is kept, and sled has not opened the folder yet.
    Kept,
    /// sled is about to open it, under guard.
    Opening,
    /// A broken folder was renamed, and no new one has replaced it yet.
    SetAside,
}

impl StorePoint {
    /// All of them.
    pub const ALL: [StorePoint; 11] = [
        StorePoint::Taking,
        StorePoint::Writing,
        StorePoint::Flushing,
        StorePoint::Copying,
        StorePoint::Copied,
        StorePoint::Swapped,
        StorePoint::Dropped,
        StorePoint::Cleared,
        StorePoint::Kept,
        StorePoint::Opening,
        StorePoint::SetAside,
    ];
}

/// What happens at each point. By default, nothing.
#[derive(Clone, Default)]
pub struct Injection(Option<Arc<dyn Fn(StorePoint) -> io::Result<()> + Send + Sync>>);

impl Injection {
    /// Runs `at` at each point; an error from it counts as an error of the disk.
    pub fn new(at: impl Fn(StorePoint) -> io::Result<()> + Send + Sync + 'static) -> Injection {
        Injection(Some(Arc::new(at)))
    }

    pub(super) fn at(&self, point: StorePoint) -> io::Result<()> {
        self.0.as_ref().map_or(Ok(()), |inject| inject(point))
    }
}

impl std::fmt::Debug for Injection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() {
            "Injection"
        } else {
            "none"
        })
    }
}
