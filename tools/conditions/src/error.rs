//! The errors of this crate: a corpus that is too small, and a folder that cannot be written or read.

use std::path::{Path, PathBuf};

/// Why there is no corpus.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The corpus has too few documents for every kind of question.
    #[error(
        "`{documents}` documents are too few: want {} or more",
        crate::corpus::DOCUMENTS_MIN
    )]
    TooSmall {
        /// The number of documents.
        documents: usize,
    },
    /// A file cannot be written or read.
    #[error("`{}`: {error}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A line is no question.
    #[error("`{}`, line {line}: {error}", path.display())]
    BadQuestion {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why.
        error: serde_json::Error,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, error: std::io::Error) -> Error {
        let path = path.to_owned();
        Error::Io { path, error }
    }
}
