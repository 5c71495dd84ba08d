//! The head of a conversation: a few numbers that a store keeps beside its events, such as their count. They follow
//! from the events alone, so that a store can check itself.

use crate::event::{EventKind, LogEvent};
use crate::store::StoreError;
use envelope::{Outcome, UnixMs};
use serde::{Deserialize, Serialize};

/// The head of a conversation. The log in the stream may begin earlier or later than the events in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationHead {
    /// Which event of the conversation the last one is, counted from 1.
    pub n: u64,
    /// The sequence of that event in the stream.
    pub sequence: u64,
    /// When the first event in the store was written.
    pub began: UnixMs,
    /// When the last event was written: the last activity.
    pub at: UnixMs,
    /// How many events the store holds.
    pub events: u64,
    /// How many events are missing between the first and the last one, because of damage.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missing: u64,
    /// Exchanges among them: turns that ended with an answer or a question back.
    pub exchanges: u64,
    /// The conversation was erased; only that event is left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_erased: bool,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// The part of an event that its conversation's head is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Its sequence in the stream.
    pub sequence: u64,
    /// Which event of its conversation it is, counted from 1.
    pub n: u64,
    /// When it was written.
    pub at: UnixMs,
    /// It ends a turn with an answer or a question back.
    pub is_exchange: bool,
    /// It erases the conversation.
    pub is_erased: bool,
}

impl Mark {
    /// That of an event.
    pub fn of(sequence: u64, event: &LogEvent) -> Mark {
        let outcome = match &event.event {
            EventKind::Ended(ended) => ended.outcome,
            EventKind::Opened(_)
            | EventKind::Forked { .. }
            | EventKind::Copied { .. }
            | EventKind::Erased(_) => None,
        };
        Mark {
            sequence,
            n: event.state.n,
            at: event.at,
            is_exchange: matches!(
                outcome,
                Some(Outcome::Answered) | Some(Outcome::Clarification)
            ),
            is_erased: event.state.is_erased,
        }
    }

    /// Whether nothing before it is kept.
    pub(crate) fn begins_anew(&self) -> bool {
        self.n == 1 || self.is_erased
    }
}

impl ConversationHead {
    /// That of a conversation of one event.
    pub(crate) fn first(mark: Mark) -> ConversationHead {
        ConversationHead {
            n: mark.n,
            sequence: mark.sequence,
            began: mark.at,
            at: mark.at,
            events: 1,
            missing: 0,
            exchanges: u64::from(mark.is_exchange),
            is_erased: mark.is_erased,
        }
    }

    /// That of the conversation with one more event.
    pub(crate) fn after(
        before: Option<ConversationHead>,
        mark: Mark,
    ) -> Result<ConversationHead, StoreError> {
        // Of an erased conversation nothing else is kept, so nothing can be missing.
        let Some(head) = before.filter(|_| !mark.begins_anew()) else {
            return Ok(ConversationHead::first(mark));
        };
        if head.n.checked_add(1) != Some(mark.n) {
            return Err(StoreError::Gap {
                known: head.n,
                found: mark.n,
                sequence: mark.sequence,
            });
        }
        Ok(head.passed_to(mark))
    }

    /// The same where events may be missing before this one; `None` where it is not a later one.
    pub(crate) fn across(self, mark: Mark) -> Option<ConversationHead> {
        (mark.n > self.n && mark.sequence > self.sequence).then(|| self.passed_to(mark))
    }

    fn passed_to(self, mark: Mark) -> ConversationHead {
        if mark.begins_anew() {
            return ConversationHead::first(mark);
        }
        ConversationHead {
            n: mark.n,
            sequence: mark.sequence,
            at: mark.at,
            events: self.events + 1,
            missing: self.missing + (mark.n - self.n - 1),
            exchanges: self.exchanges + u64::from(mark.is_exchange),
            is_erased: false,
            ..self
        }
    }

    /// That of a conversation of these events, in order; `None` for none of them.
    ///
    /// # Errors
    /// The first that is not later than the one before.
    pub fn of(marks: impl IntoIterator<Item = Mark>) -> Result<Option<ConversationHead>, Mark> {
        let mut head: Option<ConversationHead> = None;
        for mark in marks {
            head = Some(match head {
                None => ConversationHead::first(mark),
                Some(before) => before.across(mark).ok_or(mark)?,
            });
        }
        Ok(head)
    }
}
