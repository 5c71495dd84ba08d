//! The contract of every embedder: texts with the same meaning get vectors that lie close to each other.
//!
//! *Not* here: where vectors are kept or searched.

use envelope::{Class, Classify};
use futures_util::future::BoxFuture;
use std::time::Duration;

/// The side of a search that a text is on. Some models need to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// A query.
    Query,
    /// A passage that may be found.
    Passage,
}

/// Makes vectors of texts.
pub trait Embedder: Send + Sync + 'static {
    /// Names the model and its version, such as `minilm-l6-v2`. Vectors of different names are never
    /// compared.
    fn name(&self) -> &str;

    /// Numbers in a vector.
    fn dims(&self) -> usize;

    /// The share of the vector scores in a fused score, from 0 to 1; the rest is the share of the word scores. The
    /// shares are measured (docs/retrieval.md): 0.6 for a real encoder, 0.3 for the static table.
    fn weight(&self) -> f32;

    /// One vector for each text, in order, each of length 1, or all zeros if the text has no piece with a weight. Texts
    /// that are too long for the model are cut.
    fn embed<'a>(
        &'a self,
        texts: &'a [&'a str],
        side: Side,
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, Error>>;
}

/// Why texts could not be embedded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The model's files are missing or not what they should be.
    #[error("embedder `{name}`: {text}")]
    Model {
        /// Which.
        name: String,
        /// What is wrong, and how to mend it.
        text: String,
    },
    /// The embedder refuses these texts, at every attempt.
    #[error("embedder `{name}` refuses a text: {text}")]
    Refused {
        /// Which.
        name: String,
        /// Why.
        text: String,
    },
    /// A node did not answer in time, or is busy.
    #[error("embedder `{name}` is away: {text}")]
    Away {
        /// Which.
        name: String,
        /// What happened.
        text: String,
        /// How long to wait before the next call, when the node said so.
        retry_after: Option<Duration>,
    },
}

impl Classify for Error {
    fn class(&self) -> Class {
        match self {
            Error::Model { .. } | Error::Refused { .. } => Class::Permanent,
            Error::Away { .. } => Class::Transient,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Error::Model { .. } => "embedder_unusable",
            Error::Refused { .. } => "embedder_refused",
            Error::Away { .. } => "embedder_away",
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Error::Away { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// Brings a vector to length 1. A vector of length zero, or one whose length is not finite, becomes all zeros.
pub fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    let factor = if length.is_normal() {
        length.recip()
    } else {
        0.0
    };
    for x in vector {
        *x = if factor == 0.0 { 0.0 } else { *x * factor };
    }
}
