//! Why a document has no chunks.

use documents::SkipReason;
use envelope::{Class, Classify, CodecError};
use std::time::Duration;

/// Why.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be read, or there is no text in it.
    #[error(transparent)]
    Skip(#[from] SkipReason),
    /// Its chunks cannot be embedded now.
    #[error(transparent)]
    Embedder(#[from] llm::embed::Error),
    /// The embedder made another number of vectors than it was given texts.
    #[error("embedder `{name}` made {got} vectors of {want} texts")]
    Vectors {
        /// Which.
        name: String,
        /// How many texts it was given.
        want: usize,
        /// How many vectors came.
        got: usize,
    },
    /// A chunk is no message.
    #[error("chunk {n}: {source}")]
    Chunk {
        /// Which chunk.
        n: u32,
        /// Why.
        source: CodecError,
    },
    /// A reader panicked.
    #[error("reading it panicked")]
    Panic,
}

impl Classify for Error {
    fn class(&self) -> Class {
        match self {
            Error::Skip(_) | Error::Vectors { .. } | Error::Chunk { .. } => Class::Permanent,
            Error::Embedder(llm::embed::Error::Refused { .. }) => Class::Permanent,
            // The document is not at fault: it is held until the embedder is there.
            Error::Embedder(_) => Class::Overloaded,
            Error::Panic => Class::Bug,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Error::Skip(reason) => reason.as_str(),
            Error::Embedder(error) => error.code(),
            Error::Vectors { .. } => "embedder_unusable",
            Error::Chunk { .. } => "chunk_not_encodable",
            Error::Panic => "panic",
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Error::Embedder(error) => error.retry_after(),
            _ => None,
        }
    }
}
