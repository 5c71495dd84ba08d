//! Decides whether a question of a conversation opens a turn or is refused, or whether other turns have to be ended
//! or cancelled first.
//!
//! The decision uses the last event of the log alone, and the append succeeds only if that event is still the last
//! one. If another writer was faster, the writer reads the log and decides again. *Not* here: whether the turn has a
//! terminal event already; the gateway looks for one after the read, and once more after the append.

use crate::ending::overdue;
use crate::event::{EventKind, LogEvent, TurnOpening};
use crate::limits::{CLOCKS_MS, WAITING_MAX};
use crate::state::{AppendError, Pending, Read, State, append};
use envelope::{Busy, RefusalCode, TurnId, UnixMs};

/// The limits of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Turns that may wait behind the one that runs. Default 4.
    pub waiting_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            waiting_max: WAITING_MAX,
        }
    }
}

/// A parsed question, as the admission sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct AdmissionRequest {
    /// The data that hop 0 needs. Admission decides which clarification the question answers.
    pub opened: TurnOpening,
    /// What is done while another turn runs.
    pub when_busy: Busy,
    /// The turn of the clarification that the question names, if it names one.
    pub reply_to: Option<TurnId>,
}

/// The decision on a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Admission {
    /// The event that has to be appended. If the turn `begins`, hop 0 is created afterwards.
    Open {
        /// The event.
        event: Box<LogEvent>,
        /// No turn is before it.
        begins: bool,
    },
    /// The turn was opened before. If it `begins`, its hop 0 has to exist.
    IsOpen {
        /// No turn is before it.
        begins: bool,
    },
    /// Turns whose deadline has passed have to be ended first.
    EndFirst(Vec<TurnId>),
    /// Turns that run or wait have to be cancelled first.
    Interrupt(Vec<TurnId>),
    /// The question is refused.
    Refuse(AdmissionRefusal),
}

/// Why a question is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdmissionRefusal {
    /// Other turns of the conversation run or wait.
    #[error("{0} questions of the conversation run or wait; ask again when they have ended")]
    Busy(usize),
    /// The conversation was erased.
    #[error("the conversation was erased; begin another one")]
    Erased,
    /// Readers of further groups have asked in it.
    #[error("the conversation was told what other groups may read; begin another one")]
    OfOthers,
    /// A later release wrote the last event of the conversation.
    #[error("a later release writes this conversation; bring this gateway to that release")]
    Newer,
    /// The clarification that it names is not known to this tenant, or not to this conversation.
    #[error("there is no clarification `{0}` here; ask the question in full")]
    Unknown(TurnId),
    /// The clarification that it names was answered, or another one came after it.
    #[error(
        "the clarification `{0}` was answered, or another question came after it; ask the question in full"
    )]
    NotPending(TurnId),
    /// The clarification that it names cannot be answered any more.
    #[error("the clarification `{0}` has expired; ask the question in full")]
    Expired(TurnId),
}

impl AdmissionRefusal {
    /// The word for it, on the wire.
    pub const fn code(&self) -> RefusalCode {
        match self {
            AdmissionRefusal::Busy(_) => RefusalCode::ConversationBusy,
            AdmissionRefusal::Erased => RefusalCode::ConversationErased,
            AdmissionRefusal::OfOthers => RefusalCode::ConversationOfOthers,
            AdmissionRefusal::Newer => RefusalCode::ConversationNewer,
            AdmissionRefusal::Unknown(_) => RefusalCode::ClarificationUnknown,
            AdmissionRefusal::NotPending(_) => RefusalCode::ClarificationAnswered,
            AdmissionRefusal::Expired(_) => RefusalCode::ClarificationExpired,
        }
    }
}

/// Decides on a question after the last event of its conversation, `None` in an empty log.
pub fn admit(
    before: Option<&Read>,
    asking: AdmissionRequest,
    limits: Limits,
    now: UnixMs,
) -> Admission {
    let state = before.map(Read::state).unwrap_or_default();
    let turn = &asking.opened.header.turn;
    if let Some(at) = state.open.iter().position(|open| open.turn == *turn) {
        return Admission::IsOpen { begins: at == 0 };
    }
    if state.is_erased {
        return Admission::Refuse(AdmissionRefusal::Erased);
    }
    if !asking.opened.header.groups.cover(&state.groups) {
        return Admission::Refuse(AdmissionRefusal::OfOthers);
    }
    let late = overdue(&state, now);
    if !late.is_empty() {
        return Admission::EndFirst(late);
    }
    let open = state.open.len();
    let answers = match answers(&state, &asking) {
        Ok(answers) => answers,
        // It is pending again once the reply that holds it is cancelled.
        Err(_) if open > 0 && interrupts_a_reply(&state, &asking) => None,
        Err(refused) => return Admission::Refuse(refused),
    };
    match asking.when_busy {
        Busy::Reject if open > 0 => return Admission::Refuse(AdmissionRefusal::Busy(open)),
        Busy::Enqueue if open > limits.waiting_max => {
            return Admission::Refuse(AdmissionRefusal::Busy(open));
        }
        Busy::Interrupt if open > 0 => {
            let turns = state.open.into_iter().map(|open| open.turn);
            return Admission::Interrupt(turns.collect());
        }
        Busy::Reject | Busy::Enqueue | Busy::Interrupt => {}
    }
    let opened = TurnOpening {
        answers: answers.map(|pending| pending.turn),
        ..asking.opened
    };
    match append(before, EventKind::Opened(Box::new(opened)), now) {
        Ok(event) => Admission::Open {
            event: Box::new(event),
            begins: open == 0,
        },
        Err(AppendError::Open) => Admission::IsOpen { begins: false },
        Err(AppendError::Erased | AppendError::NotOpen | AppendError::Forks) => {
            Admission::Refuse(AdmissionRefusal::Erased)
        }
    }
}

/// Whether the clarification that the question names is held by a turn that it cancels.
fn interrupts_a_reply(state: &State, asking: &AdmissionRequest) -> bool {
    let is_it = |held: &Pending| asking.reply_to.as_ref() == Some(&held.turn);
    asking.when_busy == Busy::Interrupt
        && state
            .open
            .iter()
            .any(|open| open.answers.as_ref().is_some_and(is_it))
}

/// Which clarification the question answers. The next message of a conversation answers the one that is open, unless
/// that had expired when the message was asked; one that names a clarification answers that one, or is refused. However
/// late it is decided, the same comes of it.
fn answers(state: &State, asking: &AdmissionRequest) -> Result<Option<Pending>, AdmissionRefusal> {
    let pending = state.pending.as_ref();
    let asked_at = asking.opened.header.asked_at;
    match &asking.reply_to {
        None => Ok(pending
            .filter(|pending| pending.asked <= asked_at.plus(CLOCKS_MS))
            .filter(|pending| asked_at < pending.expires)
            .cloned()),
        Some(named) => match pending.filter(|pending| pending.turn == *named) {
            None => Err(AdmissionRefusal::NotPending(named.clone())),
            Some(pending) if pending.expires <= asked_at => {
                Err(AdmissionRefusal::Expired(named.clone()))
            }
            Some(pending) => Ok(Some(pending.clone())),
        },
    }
}

#[cfg(test)]
#[path = "admission_tests.rs"]
mod tests;
