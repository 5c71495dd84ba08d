//! Synchronises the corpus with a folder: it publishes new and changed files as documents and deletes the documents
//! of missing files. Indexers do the rest.
//!
//! It works the same on either bus. An event reports the result of each document. If the event is lost, the streams
//! show the result: the message of a document that still has to be indexed is in its stream, and an indexed document
//! has left chunks or a dead letter. So a run may be stopped at any point, and the next run completes it.
//!
//! | module | what |
//! |---|---|
//! | `sync` | a run: compares, publishes, waits; [`index`] starts one |
//! | `scan` | the files of the folder |
//! | `publish` | publishes a document, or its deletion |
//! | `wait` | waits for the results of documents |
//! | `unread` | which files could not be read, so that they are not read again |
//! | `reach` | the last sequence of the corpus stream that an index can reach |
//! | [`single`] | one document: published, deleted, listed, what became of it |
//! | [`inventory`] | what the corpus holds of each edition |

mod error;
pub mod inventory;
mod publish;
mod reach;
mod scan;
pub mod single;
mod sync;
mod unread;
mod wait;

pub use error::Error;
pub use reach::Reach;
pub use sync::{
    Options, PATIENCE, SkippedFile, Summary, SyncProgress, TargetEditions, catalog_of_stream,
    index, target_editions,
};
pub use unread::{TRIES_MAX, Unread};
