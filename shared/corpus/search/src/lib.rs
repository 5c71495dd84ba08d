//! The contract of a search: the requests that an index answers, whichever index it is.
//!
//! This is the only crate for searching that the retriever knows. *Not* an index: the local one is in `index`,
//! vectors in a server are in `qdrant`. Both have to agree on the meaning of a filter, so it is defined here.
//!
//! | module | what |
//! |---|---|
//! | [`Searcher`], [`SearchRequest`] | one search and its result |
//! | [`search_each`] | a question and its sub-queries, merged into one list |
//! | [`CatalogSource`] | the source of a planner's knowledge of the corpus |
//! | [`TableRequest`], [`TableResult`] | a query over the columns of documents, and its result |
//! | [`VectorSearch`] | a store that keeps vectors of chunks |
//! | [`Current`] | a search that waits until the index has what was just written |
//! | [`narrow`] | the part of a passage that a question is about |
//! | [`filter_terms`] | the values of a chunk that filters can compare, and what each comparison means |
//! | [`word_set`] | whether two texts are copies of one another |

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
pub use context::{narrow, window};
pub use current::{Current, IndexFeed};
pub use error::Error;
pub use filter_terms::BUILT_IN as BUILT_IN_FIELDS;
pub use position::StreamPosition;
pub use searcher::{
    Fitting, QueryContext, ReadAfter, SearchPart, SearchRequest, SearchResult, Searcher,
};
pub use sub_queries::{MergedSearch, search_each};
pub use table::{
    GROUP_EXAMPLES_MAX, GROUP_VALUES_MAX, TableDocument, TableGroup, TableRequest, TableResult,
};
pub use vector::{Neighbour, VectorSearch};
pub use word_set::WordSet;
