//! The reasons for which a document has no chunks.

use documents::SkipReason;
use envelope::{Class, Classify, CodecError};
use std::time::Duration;

/// Why a document has no chunks.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The document cannot be read, or it holds no text.
    #[error(transparent)]
    Skip(#[from] SkipReason),
    /// The embedder cannot embed the chunks now.
    #[error(transparent)]
    Embedder(#[from] llm::embed::Error),
    /// The embedder returned a different number of vectors than it was given texts.
    #[error("embedder `{name}` made {got} vectors of {want} texts")]
    Vectors {
        /// The embedder.
        name: String,
        /// How many texts it was given.
        want: usize,
        /// How many vectors came.
        got: usize,
    },
    /// A chunk cannot be encoded as a message.
    #[error("chunk {n}: {source}")]
    Chunk {
        /// The number of the chunk.
        n: u32,
        /// The cause.
        source: CodecError,
    },
    /// A reader panicked.
    #[error("the reader panicked")]
    Panic,
}

impl Classify for Error {
    fn class(&self) -> Class {
        match self {
            // The reading did not come about, or was broken off.
            Error::Skip(SkipReason::Unreadable(_)) => Class::Transient,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_that_was_broken_off_is_tried_again() {
        let class = |reason: SkipReason| Error::Skip(reason).class();
        assert_eq!(
            class(SkipReason::Unreadable("stopped".into())),
            Class::Transient
        );
        assert_eq!(
            class(SkipReason::OverLimits("too slow".into())),
            Class::Permanent
        );
    }
}
