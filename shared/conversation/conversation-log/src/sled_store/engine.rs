//! Opens, flushes and closes sled. *Not* here: what is stored in it.

use crate::sled_store::guard::guarded;
use crate::sled_store::{Injection, StorePoint};
use crate::store::StoreError;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long the lock of a folder is waited for that this process has just closed: sled lets go of it a little later.
const LOCK_MAX: Duration = Duration::from_secs(3);
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// How long closing may take.
const CLOSE_MAX: Duration = Duration::from_secs(30);
/// Name of sled's file.
const FILE: &str = "db";

/// An open folder of sled's.
pub(super) struct Engine {
    /// There until it is dropped.
    db: Option<sled::Db>,
    file: File,
}

/// Opens a folder of sled's, new or old. May panic, and may not come back.
pub(super) fn open(path: &Path, cache_bytes: u64) -> Result<Engine, StoreError> {
    wait_for_lock(&path.join(FILE))?;
    let config = sled::Config::new().path(path).cache_capacity(cache_bytes);
    let db = config.open()?;
    let file = File::open(path.join(FILE))?;
    Ok(Engine { db: Some(db), file })
}

/// Waits until sled has released its file. No other process can hold it, since the folder is ours.
fn wait_for_lock(path: &Path) -> Result<(), StoreError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if begun.elapsed() < LOCK_MAX => sleep(LOCK_PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Disk(
                    "sled holds the lock of its file".to_owned(),
                ));
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}

impl Engine {
    /// The one tree that is used.
    pub(super) fn tree(&self) -> &sled::Tree {
        // It is taken out by `drop` alone.
        #[expect(clippy::expect_used, reason = "it is there until it is dropped")]
        self.db.as_ref().expect("an engine is open until dropped")
    }

    /// Writes all of a batch, or nothing.
    pub(super) fn write(&self, batch: sled::Batch, inject: &Injection) -> Result<(), StoreError> {
        inject.at(StorePoint::Writing)?;
        Ok(self.tree().apply_batch(batch)?)
    }

    /// Puts on disk what was written. sled's own flush hands the data over without the disk's cache and the size of the
    /// file; syncing the file does the rest.
    pub(super) fn flush(&self, inject: &Injection) -> Result<(), StoreError> {
        inject.at(StorePoint::Flushing)?;
        self.tree().flush()?;
        Ok(self.file.sync_data()?)
    }
}

impl Drop for Engine {
    /// sled panics while it closes when the disk refuses.
    fn drop(&mut self) {
        let db = self.db.take();
        // All that matters was flushed before, and an error could not be reported.
        let _ = guarded("store-close", CLOSE_MAX, move |_| drop(db));
    }
}

impl From<sled::Error> for StoreError {
    fn from(error: sled::Error) -> StoreError {
        match error {
            sled::Error::Io(error) if is_of_content(error.kind()) => {
                StoreError::Damage(error.to_string())
            }
            sled::Error::Io(error) => error.into(),
            sled::Error::Corruption { .. } => StoreError::Damage(error.to_string()),
            sled::Error::CollectionNotFound(_)
            | sled::Error::Unsupported(_)
            | sled::Error::ReportableBug(_) => StoreError::Failed(error.to_string()),
        }
    }
}

/// Whether the cause of such an error is in the contents of the files, and not in permissions or in a lack of room.
fn is_of_content(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::NotFound
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::Other
    )
}
