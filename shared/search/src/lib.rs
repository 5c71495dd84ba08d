//! The contract of a search: what is asked of an index, whatever stands behind it.
//!
//! The retriever knows this crate and no other of searching. *Not* an index: the local one is in `index`,
//! vectors in a server are in `qdrant`. What both have to agree on, the meaning of a filter, is here.
//!
//! | module | what |
//! |---|---|
//! | [`Searcher`], [`SearchRequest`] | one search, and what came of it |
//! | [`search_each`] | a question and its sub-queries, made one list |
//! | [`CatalogSource`] | what a planner may know of the corpus |
//! | [`TableRequest`], [`TableResult`] | what the columns of documents come to |
//! | [`VectorSearch`] | a place that keeps vectors of chunks |
//! | [`Current`] | a search that waits until the index has what was just written |
//! | [`context`](fn@context) | the part of a passage that a question is about |
//! | [`filter_terms`] | what filters can ask of a chunk, and what each comparison means |
//! | [`word_set`] | whether two texts are one |

mod catalog;
mod context;
mod current;
mod error;
pub mod filter_terms;
mod position;
mod searcher;
mod share;
mod sub_queries;
mod table;
mod vector;
pub mod word_set;

pub use catalog::{CatalogSource, NoCatalog};
pub use context::context;
pub use current::{Current, IndexFeed};
pub use error::Error;
pub use filter_terms::BUILT_IN as BUILT_IN_FIELDS;
pub use position::StreamPosition;
pub use searcher::{QueryContext, ReadAfter, SearchPart, SearchRequest, SearchResult, Searcher};
pub use sub_queries::{MergedSearch, search_each};
pub use table::{
    GROUP_EXAMPLES_MAX, GROUP_VALUES_MAX, TableDocument, TableGroup, TableRequest, TableResult,
};
pub use vector::{Near, VectorSearch};
pub use word_set::WordSet;
