//! Corpus, chunks, indexes and search.
//!
//! Everything between a folder of files and the passages of a question. *Not* a stage: the
//! retriever asks it through [`Searcher`], the binary feeds it from the corpus stream.

mod search;

pub use search::{Error, Request, SearchResult, Searcher};
