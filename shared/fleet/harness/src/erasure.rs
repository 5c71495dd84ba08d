//! Erases a conversation: ends its log for good, and erases from every stream what was said in it.
//!
//! An event `erased` comes first: it lists the turns of the conversation, and nothing is appended to the log after
//! it. Then each message is erased by its sequence, because a purge would leave the bytes in the server's files. A
//! terminal event ensures that its turn ends only once, so before it is erased, one without content is stored in its
//! place. A running turn is cancelled. A worker that has not heard of the cancellation may still store a step, so the
//! erasure looks for steps again until none can come.
//!
//! Any process may repeat the erasure. If a process stops half-way, its note remains, and the sweep of a gateway
//! continues the erasure. *Not* here: stores on local disk, which take in the event by themselves, and copies outside
//! the streams (exports, and answers in a model's cache).
//!
//! | module | what |
//! |---|---|
//! | `erase` | begins an erasure, or continues one |
//! | `pass` | one pass through all streams |
//! | `answers` | cancels turns, and replaces their terminal events by ones without content |
//! | `note` | the note by which the sweep knows that an erasure is not finished |
//! | `report` | how many messages of each kind were erased |

mod answers;
mod erase;
mod files;
mod note;
mod pass;
mod report;

pub use answers::is_bare;
pub use erase::{Error, erase, go_on, unfinished};
pub use report::{ErasedCount, ErasureReport};
