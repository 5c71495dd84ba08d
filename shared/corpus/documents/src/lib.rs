//! Reads files into documents, and cuts documents into chunks.
//!
//! *Not* here: the index and the corpus stream; the binary decides what is published, and when. The code blocks, and
//! it is pure except where it reads files.
//!
//! | module | what |
//! |---|---|
//! | [`corpus`] | reads a folder, one document at a time |
//! | [`reader`] | reads the bytes of a file into documents |
//! | [`document`] | a document, its bucket and its id |
//! | [`normalise`](mod@normalise) | repairs what scans and exports do to a text |
//! | [`chunk`] | cuts text into pieces |
//! | [`record`] | a document as messages of the corpus stream, in their order |
//! | [`catalog`] | compares what is indexed with the disk |

pub mod catalog;
pub mod chunk;
pub mod corpus;
pub mod document;
pub mod normalise;
pub mod reader;
pub mod record;

pub use catalog::{Catalog, Entry, IndexPlan, PublishMode};
pub use document::{Document, Stamp};
pub use reader::{Skip, SkipReason};
