//! The errors of a search, whichever index implements it.

use envelope::{Class, Classify};
use std::time::Duration;

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The index cannot be read or written.
    #[error("the index failed: {0}")]
    Index(String),
    /// A file or folder could not be read or written.
    #[error("`{path}`: {source}")]
    Io {
        /// Which.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A query or a chunk could not be embedded.
    #[error(transparent)]
    Embed(#[from] llm::embed::Error),
    /// A Qdrant server could not be reached, or failed.
    #[error("qdrant, {call}: {text}")]
    Qdrant {
        /// Which call.
        call: &'static str,
        /// The failure, and the remedy if it is known.
        text: String,
        /// The class of the error, which tells whether the call may succeed later.
        class: Class,
        /// How long to wait, when the server said so.
        retry_after: Option<Duration>,
    },
    /// The index has not reached the sequence that the search wants; the index of another replica may have.
    #[error("the index is at {at} of the corpus stream, the search wants {wanted}")]
    Behind {
        /// The sequence that is wanted.
        wanted: u64,
        /// The sequence that the index has reached.
        at: u64,
    },
    /// An option has a value that is not allowed.
    #[error("{0}")]
    Options(String),
}

impl Classify for Error {
    fn class(&self) -> Class {
        match self {
            Error::Index(_) | Error::Io { .. } | Error::Behind { .. } => Class::Transient,
            Error::Embed(error) => error.class(),
            Error::Qdrant { class, .. } => *class,
            Error::Options(_) => Class::Permanent,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Error::Index(_) => "index_failed",
            Error::Io { .. } => "index_io",
            Error::Embed(error) => error.code(),
            Error::Qdrant { .. } => "qdrant_failed",
            Error::Behind { .. } => "index_behind",
            Error::Options(_) => "search_options",
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Error::Qdrant { retry_after, .. } => *retry_after,
            Error::Embed(error) => error.retry_after(),
            _ => None,
        }
    }
}
