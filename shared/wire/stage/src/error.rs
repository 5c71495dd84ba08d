//! The failure of a stage: its class, a code and the cause.

use envelope::{Class, Classify};
use std::time::Duration;

/// Why a step could not be done. The harness asks for the class and acts; it never reads the text.
#[derive(Debug, thiserror::Error)]
#[error("{code}: {source}")]
pub struct Error {
    /// Its class, which decides what is done next.
    pub class: Class,
    /// A code for programs.
    pub code: &'static str,
    /// How long to wait before the next attempt, if the failing side asked for it.
    pub retry_after: Option<Duration>,
    /// The cause.
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

impl<E: Classify> From<E> for Error {
    fn from(cause: E) -> Self {
        Error {
            class: cause.class(),
            code: cause.code(),
            retry_after: cause.retry_after(),
            source: Box::new(cause),
        }
    }
}
