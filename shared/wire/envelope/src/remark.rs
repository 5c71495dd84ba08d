//! A remark that accompanies an answer. It reports a contradiction between the sources, or an action that the answer
//! asks for. The stage that writes a remark does *not* check it against the sources, and the validator does not judge
//! it.

use serde::{Deserialize, Serialize};

/// Most remarks of one kind.
pub const REMARKS_MAX: usize = 8;
/// Longest one, in characters.
pub const REMARK_CHARS_MAX: usize = 400;

/// One remark that accompanies an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// The text of the remark, without citation marks.
    pub text: String,
    /// The chunks that it is taken from, in the order in which it names them.
    pub chunks: Vec<String>,
}

/// The remarks that accompany an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remarks {
    /// Where sources contradict each other: both sides, with the chunks of both.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<Remark>,
    /// Actions that the answer asks for; only if the configuration asks for them (`reducer.action_items`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub action_items: Vec<Remark>,
}

impl Remarks {
    /// Whether there is no remark.
    pub fn is_empty(&self) -> bool {
        self.contradictions.is_empty() && self.action_items.is_empty()
    }
}
