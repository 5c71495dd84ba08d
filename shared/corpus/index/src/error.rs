//! The errors of the local index.

use envelope::{Class, Classify};
use std::path::PathBuf;
use std::time::Duration;
use tantivy::TantivyError;

/// An error of the local index.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The index cannot be read or written.
    #[error("the index failed: {0}")]
    Index(String),
    /// A file or folder could not be read or written.
    #[error("`{path}`: {source}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A query could not be embedded.
    #[error(transparent)]
    Embed(#[from] llm::embed::Error),
    /// An option has a value that is not allowed.
    #[error("{0}")]
    Options(String),
    /// The vector store outside of the index, which the search also uses, failed.
    #[error(transparent)]
    Search(#[from] search::Error),
}

impl From<TantivyError> for Error {
    fn from(error: TantivyError) -> Self {
        Error::Index(error.to_string())
    }
}

impl From<Error> for search::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Index(text) => search::Error::Index(text),
            Error::Io { path, source } => search::Error::Io { path, source },
            Error::Embed(error) => search::Error::Embed(error),
            Error::Options(text) => search::Error::Options(text),
            Error::Search(error) => error,
        }
    }
}

impl Classify for Error {
    fn class(&self) -> Class {
        match self {
            Error::Index(_) | Error::Io { .. } => Class::Transient,
            Error::Embed(error) => error.class(),
            Error::Options(_) => Class::Permanent,
            Error::Search(error) => error.class(),
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Error::Index(_) => "index_failed",
            Error::Io { .. } => "index_io",
            Error::Embed(error) => error.code(),
            Error::Options(_) => "search_options",
            Error::Search(error) => error.code(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Error::Embed(error) => error.retry_after(),
            Error::Search(error) => error.retry_after(),
            _ => None,
        }
    }
}
