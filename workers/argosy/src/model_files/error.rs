//! Why the files of a model did not come.

use llm_pool::download;
use std::io;
use std::path::PathBuf;

/// Why the files of a model did not come.
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
    /// What came is another file.
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
        /// The checksum that is wanted.
        wanted: &'static str,
    },
    /// What is named to take the files from is not there.
    #[error("`{0}` is no file and no folder")]
    NoSource(String),
    /// The download ended early.
    #[error(transparent)]
    Download(#[from] download::Error),
    /// The archive is none, or another one.
    #[error("`{}`: {reason}", .path.display())]
    Archive {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// pip brought nothing.
    #[error("pip: {0}")]
    Pip(String),
}
