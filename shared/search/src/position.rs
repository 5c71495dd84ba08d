//! The position up to which a view has read the corpus stream.

use serde::{Deserialize, Serialize};

/// How far the corpus stream has been taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamPosition {
    /// The stream, so that a re-created one is not mistaken for it.
    pub stream: String,
    /// Its last sequence that is in the index.
    pub sequence: u64,
}
