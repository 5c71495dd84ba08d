//! The reasons why a folder was not published into the corpus.

use crate::SkippedFile;
use bus::{BusError, PublishError};
use envelope::CodecError;
use std::path::PathBuf;
use std::time::Duration;
use streams::editions;
use tokio::task::JoinError;

/// Why a folder was not published into the corpus, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bus could not be asked, or refused.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The record of editions does not allow it.
    #[error(transparent)]
    Editions(#[from] editions::Error),
    /// There is no such folder.
    #[error("`{}` is not a folder", .0.display())]
    NoFolder(PathBuf),
    /// No document is left in the folder, and some are indexed.
    #[error(
        "`{}` holds no document that can be read, and of {there} that are indexed none was deleted",
        .root.display()
    )]
    Emptied {
        /// The folder.
        root: PathBuf,
        /// Documents that are indexed.
        there: usize,
        /// Why nothing can be read, by file.
        skipped: Vec<SkippedFile>,
    },
    /// The task that looks at the files broke off.
    #[error("reading the corpus failed: {0}")]
    Scan(JoinError),
    /// The task that reads a file broke off.
    #[error("reading a document failed: {0}")]
    Read(JoinError),
    /// The message of a document was not stored.
    #[error("`{document}` could not be published: {error}")]
    Publish {
        /// The document, relative to the folder.
        document: String,
        /// Why.
        error: PublishError,
    },
    /// A tombstone cannot be written.
    #[error("chunk {chunk}: {error}")]
    Encode {
        /// The chunk that it deletes.
        chunk: String,
        /// Why.
        error: CodecError,
    },
    /// A tombstone was not stored.
    #[error("a tombstone could not be stored: {0}")]
    Tombstone(PublishError),
    /// No document had a result for too long.
    #[error(
        "no document has been finished for {} s; {done} of {total} are done, waiting: {waiting}",
        .patience.as_secs()
    )]
    Stuck {
        /// How long was waited.
        patience: Duration,
        /// Documents that are done.
        done: usize,
        /// Documents that were published.
        total: usize,
        /// The first of the others.
        waiting: String,
    },
}
