//! What becomes of an answer with sentences that its sources do not say, or deny. Pure.

use serde::{Deserialize, Serialize};

/// What is done with sentences that the sources do not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnsupportedPolicy {
    /// They stay, and the event says which they are.
    #[default]
    Mark,
    /// They are cut out.
    Cut,
    /// A stricter draft is asked for once; then there is no answer.
    Refuse,
}

/// What is done with sentences that the sources deny.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContradictedPolicy {
    /// They stay, and the event says which they are.
    Mark,
    /// They are cut out.
    Cut,
    /// A stricter draft is asked for once; then they stay, and the event says which they are.
    #[default]
    Retry,
}
