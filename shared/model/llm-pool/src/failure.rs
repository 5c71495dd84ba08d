//! The failure of one attempt, and what follows from it: another attempt, or an error for the caller.

use crate::asked::Rejected;
use crate::balance::{End, Silence};
use llm::Error;
use std::time::Duration;

/// Why a try failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The prompt does not fit the context.
    TooLong { limit: Option<u32> },
    /// The node does not know what it was asked for, or not in this way.
    Dialect { message: String, rejected: Rejected },
    /// The node is busy, or asked for a pause.
    Busy { retry_after: Option<Duration> },
    /// Every node was at its limit for as long as a call may wait.
    Full,
    /// No node may be called now; the first may be called after this time.
    Away { left: Duration },
    /// The node is broken or cannot be reached, now.
    Down {
        reason: String,
        retry_after: Option<Duration>,
    },
    /// The node was too slow, or its caller could not wait; says in what, and for how long it was silent.
    Slow {
        what: &'static str,
        silence: Silence,
    },
    /// The node refused for good.
    Refused { status: u16, message: String },
    /// The answer breaks the protocol.
    Garbled { reason: String },
    /// The reply was valid, but empty. Asking again would give an empty reply again.
    Empty { reason: String },
}

/// What to do after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextAction {
    /// Nothing: it is final.
    Stop,
    /// Try again, on another node where there is one.
    Again,
    /// Try again, but never on this node.
    Elsewhere,
    /// Ask the same node in another way.
    Rephrase,
}

/// A wrong key, a model or a path that is not there: the next node may have them, and this one would
/// draw all calls by answering so fast.
fn is_of_the_node(status: u16) -> bool {
    matches!(status, 401 | 403 | 404)
}

impl Failure {
    pub(crate) fn then(&self) -> NextAction {
        match self {
            Failure::Busy { .. } | Failure::Down { .. } => NextAction::Again,
            // The time of one try is gone: the same node would need as long again.
            Failure::Slow { .. } | Failure::Garbled { .. } => NextAction::Elsewhere,
            Failure::Refused { status, .. } if is_of_the_node(*status) => NextAction::Elsewhere,
            Failure::Dialect { .. } => NextAction::Rephrase,
            Failure::TooLong { .. }
            | Failure::Full
            | Failure::Away { .. }
            | Failure::Refused { .. }
            | Failure::Empty { .. } => NextAction::Stop,
        }
    }

    /// How long the node asked to be left alone.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Failure::Busy { retry_after } | Failure::Down { retry_after, .. } => *retry_after,
            Failure::Away { left } => Some(*left),
            _ => None,
        }
    }

    /// What it says of its node.
    pub(crate) fn end(&self) -> End {
        match self {
            Failure::Busy { retry_after } => End::Busy(*retry_after),
            Failure::Down {
                retry_after: Some(wait),
                ..
            } => End::Busy(Some(*wait)),
            Failure::Down { .. } | Failure::Garbled { .. } => End::Failed,
            Failure::Slow { silence, .. } => End::Late(*silence),
            Failure::Refused { status, .. } if is_of_the_node(*status) => End::Unfit,
            Failure::TooLong { .. }
            | Failure::Dialect { .. }
            | Failure::Full
            | Failure::Away { .. }
            | Failure::Refused { .. }
            | Failure::Empty { .. } => End::Refused,
        }
    }

    /// The error that the caller sees when this was the last failure.
    pub(crate) fn into_error(self) -> Error {
        match self {
            Failure::TooLong { limit } => Error::TooLong { limit },
            Failure::Busy { retry_after } => Error::Overloaded { retry_after },
            Failure::Full => Error::Overloaded { retry_after: None },
            Failure::Away { left } => Error::Unavailable {
                reason: "every node failed lately and is left alone".into(),
                retry_after: Some(left),
            },
            Failure::Down {
                reason,
                retry_after,
            } => Error::Unavailable {
                reason,
                retry_after,
            },
            Failure::Slow { what, .. } => Error::Unavailable {
                reason: what.into(),
                retry_after: None,
            },
            Failure::Refused { status, message } => Error::Refused { status, message },
            Failure::Garbled { reason } | Failure::Empty { reason } => Error::Protocol(reason),
            // What asks for nothing special is not rejected in this way, so this is a refusal.
            Failure::Dialect { message, .. } => Error::Refused {
                status: 400,
                message,
            },
        }
    }
}
