//! A folder into the corpus: what is new, changed or gone is published as documents, and indexers do
//! the rest.
//!
//! The same on either bus. What came of a document is told by an event; where that is lost, by what is
//! stored: a message that waits is still in its stream, one that is done has left chunks or a dead
//! letter. So a run may be stopped at any point, and the next one makes good what is missing.
//!
//! | module | what |
//! |---|---|
//! | `sync` | a run: compares, publishes, waits; [`index`] is the way in |
//! | `scan` | what is in the folder |
//! | `publish` | a document, or the word that it is gone, to the bus |
//! | `wait` | what came of those |
//! | `reach` | how far an index can come in the stream of the corpus |
//! | [`inventory`] | what the corpus holds of each edition |

mod error;
pub mod inventory;
mod publish;
mod reach;
mod scan;
mod sync;
mod wait;

pub use error::Error;
pub use reach::Reach;
pub use sync::{
    Options, PATIENCE, SkippedFile, Summary, SyncProgress, To, catalog_of_stream, index, to,
};
