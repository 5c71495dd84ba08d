//! Synchronises a folder into the corpus: new, changed and deleted files are published as documents, and indexers
//! do the rest.
//!
//! It works the same on either bus. An event reports the result of a document. Where the event is lost, the streams
//! show it: a message that waits is still in its stream, and one that was handled has left chunks or a dead letter.
//! So a run may be stopped at any point, and the next one completes what is missing.
//!
//! | module | what |
//! |---|---|
//! | `sync` | a run: compares, publishes, waits; [`index`] is the way in |
//! | `scan` | the files of the folder |
//! | `publish` | publishes a document, or its deletion |
//! | `wait` | waits for the results of documents |
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
