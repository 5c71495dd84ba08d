//! Corpus, chunks, indexes and search.
//!
//! Everything between a folder of files and the passages of a question. *Not* a stage: the
//! retriever asks it through [`Searcher`], the binary feeds it from the corpus stream.
//!
//! | module | what |
//! |---|---|
//! | [`corpus`], [`reader`], [`document`] | files to documents, one at a time |
//! | [`normalise`](mod@normalise), [`chunk`] | text to pieces |
//! | [`record`] | what the corpus stream carries, and in which order |
//! | [`catalog`] | what is indexed, compared with the disk |
//! | [`index`] | the local tantivy index and its position in the stream |
//! | [`vector`] | vectors of chunks, and the places that keep them |
//! | [`LexicalSearcher`] | BM25 and the built-in reranker behind [`Searcher`] |

pub mod catalog;
pub mod chunk;
pub mod corpus;
pub mod document;
pub mod index;
mod lexical;
mod metrics;
pub mod normalise;
pub mod reader;
pub mod record;
mod rerank;
mod search;
pub mod vector;

pub use catalog::{Catalog, Entry, IndexPlan, Mode};
pub use document::{Document, Stamp};
pub use index::{Index, Position, Writer};
pub use lexical::LexicalSearcher;
pub use metrics::Metrics;
pub use reader::{Skip, SkipReason};
pub use record::ChunkRecord;
pub use search::{Error, Request, SearchResult, Searcher};
