//! The policies for sentences of an answer that its sources do not support or that they deny. Pure.

use serde::{Deserialize, Serialize};

/// The policy for sentences that the sources do not support.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnsupportedPolicy {
    /// The sentences stay, and the event says which they are.
    #[default]
    Mark,
    /// The sentences are cut out.
    Cut,
    /// A stricter draft is asked for once; if that does not help, there is no answer.
    Refuse,
}

/// The policy for sentences that the sources deny.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContradictedPolicy {
    /// The sentences stay, and the event says which they are.
    Mark,
    /// The sentences are cut out.
    Cut,
    /// A stricter draft is asked for once. If that does not help, the sentences stay, and the event says which they
    /// are.
    #[default]
    Retry,
}
