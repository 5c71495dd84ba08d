//! The events of a conversation's log, in the form in which they are stored.
//!
//! An event has a version of its own, and every later release can read it. Unknown fields are ignored, and nothing is
//! appended after an event of a newer version. An event does not contain its own sequence: the reader adds it
//! ([`Read`](crate::state::Read)).

use crate::limits::{ANSWER_BYTES_MAX, EVIDENCE_BYTES_MAX};
use crate::state::State;
use envelope::{Case, Clarification, ConversationId, Header, Outcome, Resume, TurnId, UnixMs};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The version of the events that this release writes.
pub const VERSION: u16 = 1;

/// One event, and the state after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogEvent {
    /// Its version; the first thing a reader looks at.
    pub v: u16,
    /// When it was written.
    pub at: UnixMs,
    /// What happened.
    pub event: EventKind,
    /// The state after this event.
    pub state: State,
}

/// What happened to a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EventKind {
    /// A turn was opened: it runs, or waits for the turns before it.
    Opened(Box<TurnOpening>),
    /// A turn came to its end.
    Ended(Box<TurnEnd>),
    /// Another conversation was begun as a copy of this one.
    Forked {
        /// The copy.
        child: ConversationId,
        /// How many exchanges it took along.
        exchanges: u32,
    },
    /// The log begins with what was said in another conversation.
    Copied {
        /// Which.
        of: ConversationId,
        /// How many turns were taken over.
        turns: u32,
    },
    /// The conversation was erased: all earlier events were removed from the log.
    Erased(Box<Erasure>),
}

/// All that the first step of a turn needs, so that a turn can wait in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnOpening {
    /// Header of its hop 0.
    pub header: Header,
    /// Case of its hop 0.
    pub case: Case,
    /// Sequence of the question in the inbox; 0 for a turn that was asked elsewhere.
    pub inbox: u64,
    /// The clarification that the turn answers, if it answers one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<TurnId>,
}

/// How a turn ended, and the data of it that later turns may need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnEnd {
    /// The turn.
    pub turn: TurnId,
    /// How it ended; absent when that is no longer known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The answer, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<KeptText>,
    /// The question as it was searched for, where it was rewritten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<String>,
    /// The question as it was asked, so that a reader of the exchange need not read the `opened` event. It is left
    /// out where it would save nothing: for a rewritten or a long question, and for a turn behind which other turns
    /// were opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Ids of the chunks that the answer is based on, the first cited first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// When it ended.
    pub at: UnixMs,
    /// The question back, if it ended with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clarification: Option<Clarification>,
    /// The data with which a reply to the question back continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<Resume>,
    /// Until when the question back can be answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<UnixMs>,
}

/// A text that may have been cut.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptText {
    /// The text, or its beginning.
    pub text: String,
    /// Whether the text was cut.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

/// The data of an erased log by which its messages are found and erased in other streams.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erasure {
    /// Turns of the conversation.
    pub turns: Vec<TurnId>,
    /// Sequences of their questions in the inbox, those of second listeners too.
    pub inbox: Vec<u64>,
    /// The latest deadline among them.
    pub deadline: UnixMs,
    /// Conversations that were begun as a copy of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forks: Vec<ConversationId>,
}

/// Why an event cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// A later release wrote it.
    #[error("the event has version {0}, this release reads up to {VERSION}")]
    Newer(u16),
    /// The bytes are no event.
    #[error("no event of a conversation: {0}")]
    Unreadable(String),
}

impl KeptText {
    /// The beginning of a text, as far as an event keeps it.
    pub fn answer(text: &str) -> KeptText {
        let end = text.floor_char_boundary(ANSWER_BYTES_MAX);
        KeptText {
            text: text[..end].to_owned(),
            is_cut: end < text.len(),
        }
    }
}

/// The first of a list of chunk ids that fit into an event together.
pub(crate) fn evidence_that_fits(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut left = EVIDENCE_BYTES_MAX;
    // Quotes and a comma; ids need no escapes.
    let fits = |id: &String| match left.checked_sub(id.len() + 3) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    all.take_while(fits).collect()
}

impl LogEvent {
    /// The event as it is stored.
    ///
    /// # Errors
    /// When it cannot be written as JSON, which no event of this crate's making is.
    pub fn write(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    /// Reads a stored event.
    ///
    /// # Errors
    /// [`EventError::Newer`] for one that a later release wrote, whatever else it says.
    pub fn read(bytes: &[u8]) -> Result<LogEvent, EventError> {
        let newer = || serde_json::from_slice(bytes).map_or(0, |Version { v }| v);
        match serde_json::from_slice::<Stored>(bytes) {
            Ok(stored) if stored.v <= VERSION => stored.read(),
            Ok(stored) => Err(EventError::Newer(stored.v)),
            // A later release may write other things in another way.
            Err(_) if newer() > VERSION => Err(EventError::Newer(newer())),
            Err(error) => Err(unreadable(&error)),
        }
    }
}

#[derive(Deserialize)]
struct Version {
    v: u16,
}

/// An event whose kind is not read yet. A turn and its end, which are nearly all, are read by their own types: through
/// the tag within, serde reads everything twice.
#[derive(Deserialize)]
struct Stored<'a> {
    v: u16,
    at: UnixMs,
    #[serde(borrow)]
    event: &'a RawValue,
    state: State,
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
}

impl Stored<'_> {
    fn read(self) -> Result<LogEvent, EventError> {
        Ok(LogEvent {
            v: self.v,
            at: self.at,
            event: event(self.event.get()).map_err(|error| unreadable(&error))?,
            state: self.state,
        })
    }
}

fn event(json: &str) -> Result<EventKind, serde_json::Error> {
    let Kind { kind } = serde_json::from_str(json)?;
    Ok(match &*kind {
        "opened" => EventKind::Opened(serde_json::from_str(json)?),
        "ended" => EventKind::Ended(serde_json::from_str(json)?),
        _ => serde_json::from_str(json)?,
    })
}

fn unreadable(error: &serde_json::Error) -> EventError {
    EventError::Unreadable(error.to_string())
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
