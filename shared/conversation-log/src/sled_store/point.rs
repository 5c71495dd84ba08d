//! Named points at which a test can make a store fail, so that tests need neither a full disk nor luck.

use std::io;
use std::sync::Arc;

/// A place at which a store may fail, or its process may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StorePoint {
    /// The folder is about to be made and taken.
    Taking,
    /// A batch is about to be written.
    Writing,
    /// What was written is about to be put on disk.
    Flushing,
    /// Some of what stays is in a new folder.
    Copying,
    /// All of it is, and on disk, but the folder does not count yet.
    Copied,
    /// The new folder counts, the old one is still there.
    Swapped,
    /// The old one is gone, what was set aside is still there.
    Dropped,
    /// Only the note that this is due is left.
    Cleared,
    /// The folder is kept as it is, and sled has not opened it yet.
    Kept,
    /// sled is about to open it, under guard.
    Opening,
    /// A broken folder is set aside, and nothing in its place yet.
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
    /// This happens; an error is one of the disk.
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
