//! The erasure of a conversation: its log is ended for good, and what was said in it is taken out of every stream.
//!
//! An event `erased` comes first: it names the turns, and nothing follows on it. Then each message is erased by its
//! sequence, because a purge leaves the bytes in the server's files. A terminal event is the fence of its turn, so a bare
//! one is put over it before it goes. A turn that runs is cancelled; a worker that has not heard of it may still store a
//! step, so steps are looked for again until none can come. All of it may be done twice, by anybody: who stops half-way
//! leaves a note, and the sweep of a gateway goes on. *Not* here: stores on local disk, which take the event in by
//! themselves, and what was said outside of the streams (exports, the answers that a model's cache holds).
//!
//! | module | what |
//! |---|---|
//! | `erase` | an erasure begun, and gone on with |
//! | `pass` | one look through all streams |
//! | `answers` | terminal events: cancelled, or replaced by bare ones |
//! | `note` | what tells the sweep that an erasure is not over |
//! | `report` | what was taken out where |

mod answers;
mod erase;
mod files;
mod note;
mod pass;
mod report;

pub use answers::is_bare;
pub use erase::{Error, erase, go_on, unfinished};
pub use report::{ErasedCount, ErasureReport};
