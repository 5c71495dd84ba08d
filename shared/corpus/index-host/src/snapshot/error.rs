//! The errors of writing and using snapshots.

use bus::{BusError, PublishError};
use std::io;
use std::time::Duration;
use tokio::task::JoinError;

/// An error of writing or using a snapshot.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bus could not be reached, or refused the request.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The index, or the archive of it, cannot be used.
    #[error(transparent)]
    Index(#[from] index::Error),
    /// The task that works with the files panicked or was cancelled.
    #[error(transparent)]
    Broken(#[from] JoinError),
    /// The index is empty, so there is nothing to write.
    #[error("the index holds nothing yet")]
    Empty,
    /// Writing took longer than the least time between two snapshots.
    #[error("writing the snapshot took longer than {0:?}: raise `snapshots.every`")]
    Late(Duration),
    /// The claim could not be stored, so it is unknown which replica may write.
    #[error("the claim to write the snapshot could not be stored: {0}")]
    Claim(PublishError),
    /// The chosen snapshot was removed meanwhile.
    #[error("the chosen snapshot was removed meanwhile")]
    Gone,
    /// The snapshot was not downloaded completely.
    #[error("the snapshot could not be downloaded: {0}")]
    Download(io::Error),
}
