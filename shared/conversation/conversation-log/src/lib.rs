//! The log of a conversation: which events there are, which state follows from them, and which event may be appended
//! next.
//!
//! Decisions are pure. The log is a stream with one subject per conversation. Each event contains the state after it,
//! so that a decision needs to read only the last event. The crate also has the store that keeps such logs on local
//! disk; it decides nothing. *Not* here, but in the gateway: the stream, the write condition that
//! keeps two writers apart, and what is sent because of an event.
//!
//! | module | what |
//! |---|---|
//! | [`event`] | the events, as they are written and read |
//! | [`state`] | the state after an event: the fold |
//! | [`fold`] | whether the states in a log follow from its events |
//! | `admission` | whether a question opens a turn |
//! | [`ending`] | what a terminal event changes |
//! | [`erasure`] | the event that erases a conversation |
//! | [`copy`] | copies of logs: forks and imports |
//! | [`exchanges`] | the text of exchanges, read from their events |
//! | [`source`] | the trait by which events are read |
//! | [`store`] | the trait of the stores that keep events |
//! | [`sled_store`] | the store on local disk |

mod admission;
pub mod copy;
pub mod ending;
pub mod erasure;
pub mod event;
pub mod exchanges;
pub mod fold;
pub mod limits;
pub mod sled_store;
pub mod source;
pub mod state;
pub mod store;
#[cfg(test)]
mod test_log;

pub use admission::{Admission, AdmissionRefusal, AdmissionRequest, Limits, admit};
pub use ending::{Ending, TurnStart, end, end_unknown, next_to_begin};
pub use event::{
    Erasure, EventError, EventKind, KeptText, LogEvent, TurnEnd, TurnOpening, VERSION,
};

pub use exchanges::EndedExchange;
pub use sled_store::SledStore;
pub use source::{ConversationKey, EventSource, SourceError};
pub use state::{AppendError, OpenTurn, Pending, Read, State};
pub use store::{
    ConversationHead, EntryBatch, LogEntry, LogPosition, Store, StoreError, StoreSizes,
};
