//! Feedback: what somebody says of the answer to a question.
//!
//! It has no word of the question and the answer, which are kept for a shorter time. *Not* here: where it is stored
//! (`streams`), and who may give it (a door).

use crate::codec::WIRE;
use crate::ids::{ConversationId, TenantId, TurnId};
use crate::message::UnixMs;
use crate::principal::{Groups, Principal};
use serde::{Deserialize, Serialize};

/// Longest comment, in bytes.
pub const COMMENT_BYTES_MAX: usize = 4_096;

/// What a login says of the answer of a turn. A later one of the same login and turn takes its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// Wire version.
    pub v: u16,
    /// The turn.
    pub turn: TurnId,
    /// The tenant that owns the turn.
    pub tenant: TenantId,
    /// The groups of readers that whoever gave it belongs to. Only who belongs to all of them may see it.
    #[serde(default, skip_serializing_if = "Groups::is_empty")]
    pub groups: Groups,
    /// The conversation of the turn, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// The name of the login that gave it.
    pub login: String,
    /// Whether the answer is good.
    pub good: bool,
    /// Why, in words, at most [`COMMENT_BYTES_MAX`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The sentence of the answer that it is about, from 1; all of it where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<u16>,
    /// When it was given.
    pub at: UnixMs,
}

impl Feedback {
    /// Feedback without a comment on a whole answer that is read by `principal`.
    pub fn of(principal: Principal, turn: TurnId, login: String, good: bool, at: UnixMs) -> Self {
        Feedback {
            v: WIRE,
            turn,
            tenant: principal.tenant,
            groups: principal.groups,
            conversation: None,
            login,
            good,
            comment: None,
            sentence: None,
            at,
        }
    }

    /// Who may see it.
    pub fn principal(&self) -> Principal {
        Principal {
            tenant: self.tenant.clone(),
            groups: self.groups.clone(),
        }
    }
}
