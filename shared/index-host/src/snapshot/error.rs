//! Why a snapshot was not written or not used, or why its configuration is wrong.

use bus::{BusError, PublishError};
use settings::TimeSpan;
use std::io;
use std::time::Duration;
use tokio::task::JoinError;

/// Why a snapshot was not written or not used, or why its configuration is wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bus could not be asked, or refused.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The index, or the archive of it, cannot be used.
    #[error(transparent)]
    Index(#[from] index::Error),
    /// The task that works with the files broke off.
    #[error(transparent)]
    Broken(#[from] JoinError),
    /// There is nothing to write.
    #[error("the index holds nothing yet")]
    Empty,
    /// Writing took longer than the next one may wait.
    #[error("writing the snapshot took longer than {0:?}: raise `snapshots.every`")]
    Late(Duration),
    /// The claim could not be made: it is unknown which replica may write.
    #[error("the claim to write the snapshot could not be stored: {0}")]
    Claim(PublishError),
    /// The one that was chosen was removed meanwhile.
    #[error("the chosen snapshot was removed meanwhile")]
    Gone,
    /// The pieces did not all come.
    #[error("the snapshot could not be downloaded: {0}")]
    Download(io::Error),
    /// Snapshots are configured to be written too often.
    #[error("`every` must be 0 or at least 1s, not {0}")]
    Every(TimeSpan),
    /// Snapshots are configured to be written when nothing has changed.
    #[error("`changes` must not be 0")]
    NoChanges,
}
