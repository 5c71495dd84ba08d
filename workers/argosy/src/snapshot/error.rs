//! Why a snapshot was not written, or not begun with.

use bus::{BusError, PublishError};
use std::io;
use std::time::Duration;
use tokio::task::JoinError;

/// Why a snapshot was not written, or not begun with.
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
    #[error("it took over {0:?}; raise `snapshots.every`")]
    Late(Duration),
    /// Nobody can tell who may write.
    #[error("the claim: {0}")]
    Claim(PublishError),
    /// The one that was chosen was removed meanwhile.
    #[error("it is gone")]
    Gone,
    /// The pieces did not all come.
    #[error("the download: {0}")]
    Download(io::Error),
}
