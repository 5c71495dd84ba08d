//! The indexer: it turns the bytes of a document into chunks of the corpus.
//!
//! The indexer reads a document's text, sets the columns of its schema, cuts it into chunks, and has the chunks
//! embedded where an encoder's vectors travel with them. *Not* here: what is published and when a message is acked
//! (`harness::ingest`), and how text is read and cut (`documents`).

mod answers;
mod columns;
mod draft;
mod error;
mod extract;
mod indexer;
mod options;
pub mod schema;

pub use answers::Answers;
pub use error::Error;
pub use extract::Extractor;
pub use indexer::Indexer;
pub use options::{Options, Recognition};
