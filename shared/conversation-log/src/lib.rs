//! A conversation as its log tells it: which events there are, what state follows from them, and what may be
//! appended next.
//!
//! Decisions are pure. The log is a stream of one subject per conversation, and each event carries the state after it,
//! so that one read of the last event is all that a decision needs. Beside them is the store that such a log is kept in
//! on local disk, which decides nothing. *Not* here: the stream, the write condition that makes two writers take turns,
//! and what is sent because of an event; those belong to the gateway.
//!
//! | module | what |
//! |---|---|
//! | [`event`] | the events, and how they are written and read |
//! | [`state`] | what follows from an event: the fold |
//! | [`fold`] | whether a log is what follows from its events |
//! | `admission` | what a question comes to |
//! | [`ending`] | what a terminal event comes to |
//! | [`erasure`] | what the erasure of a conversation comes to |
//! | [`copy`] | logs that are written a second time: forks, and what was exported |
//! | [`exchanges`] | what was said, from the events of exchanges |
//! | [`source`] | where events are read from |
//! | [`store`] | where they are kept, as a trait |
//! | `memory_store`, [`sled_store`] | in memory, and on local disk |
//! | `conformance` | what every store promises, for tests (feature `conformance`) |

mod admission;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod copy;
pub mod ending;
pub mod erasure;
pub mod event;
pub mod exchanges;
pub mod fold;
pub mod limits;
mod memory_store;
pub mod sled_store;
pub mod source;
pub mod state;
pub mod store;
#[cfg(test)]
mod test_log;

pub use admission::{Admission, AdmissionRefusal, AdmissionRequest, Limits, admit};
pub use ending::{Begin, Ending, end, end_unknown, next_to_begin};
pub use event::{
    Erasure, EventError, EventKind, KeptText, LogEvent, TurnEnd, TurnOpening, VERSION,
};

pub use exchanges::EndedExchange;
pub use memory_store::MemoryStore;
pub use sled_store::SledStore;
pub use source::{ConversationKey, EventSource, SourceError};
pub use state::{AppendError, OpenTurn, Pending, Read, State};
pub use store::{
    ConversationHead, EntryBatch, LogEntry, LogPosition, Store, StoreError, StoreSizes,
};
