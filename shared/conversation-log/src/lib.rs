//! A conversation as its log tells it: which events there are, what state follows from them, and what may be
//! appended next.
//!
//! Decisions are pure. The log is a stream of one subject per conversation, and each event carries the state after it,
//! so that one read of the last event is all that a decision needs. *Not* here: the stream, the write condition that
//! makes two writers take turns, and what is sent because of an event; those belong to the gateway.
//!
//! | module | what |
//! |---|---|
//! | [`event`] | the events, and how they are written and read |
//! | [`state`] | what follows from an event: the fold |
//! | [`admission`] | what a question comes to |
//! | [`ending`] | what a terminal event comes to |
//! | [`source`] | where events are read from |

pub mod admission;
pub mod ending;
pub mod event;
pub mod limits;
pub mod source;
pub mod state;
#[cfg(test)]
mod test_log;

pub use admission::{Admission, AdmissionRefusal, Asking, Limits, admit};
pub use ending::{Begin, Ending, Overdue, end, end_unknown, next_to_begin, overdue};
pub use event::{
    Erasure, EventError, EventKind, KeptText, LogEvent, TurnEnd, TurnOpening, VERSION,
};
pub use source::{Key, Source, SourceError};
pub use state::{AppendError, OpenTurn, Pending, Read, State};
