//! The position up to which a view has read the corpus stream.

use serde::{Deserialize, Serialize};

/// The position up to which a view has taken the corpus stream in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamPosition {
    /// The name of the stream, so that a re-created stream is not mistaken for it.
    pub stream: String,
    /// The last sequence that the view has taken in.
    pub sequence: u64,
}
