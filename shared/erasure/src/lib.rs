//! The erasure of a conversation: its log is ended for good, and what was said in it is erased from every stream.
//!
//! An event `erased` comes first: it names the turns, and nothing is appended after it. Then each message is erased
//! by its sequence, because a purge leaves the bytes in the server's files. A terminal event makes sure that its
//! turn ends only once, so a bare one is stored in its place before it is erased. A turn that runs is cancelled; a
//! worker that has not heard of it may still store a step, so steps are looked for again until none can come. All
//! of it may be repeated, by any process: one that stops half-way leaves a note, and the sweep of a gateway goes
//! on. *Not* here: stores on local disk, which take the event in by themselves, and copies outside of the streams
//! (exports, and the answers in a model's cache).
//!
//! | module | what |
//! |---|---|
//! | `erase` | begins an erasure, or continues one |
//! | `pass` | one pass through all streams |
//! | `answers` | terminal events: cancelled, or replaced by bare ones |
//! | `note` | the note by which the sweep knows that an erasure is not finished |
//! | `report` | what was erased where |

mod answers;
mod erase;
mod files;
mod note;
mod pass;
mod report;

pub use answers::is_bare;
pub use erase::{Error, erase, go_on, unfinished};
pub use report::{ErasedCount, ErasureReport};
