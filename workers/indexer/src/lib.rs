//! The indexer: the bytes of a document to chunks of the corpus.
//!
//! It reads text, gives it the columns of its schema, cuts it, and has the chunks embedded where an
//! encoder is to travel with them. *Not* here: what is published and when it is acked (`harness::ingest`), and how text is read and cut
//! (`documents`).

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
pub use options::{Options, OptionsError};
