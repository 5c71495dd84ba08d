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
//! | [`floor`] | what feeding costs at least, for the bench |
//! | [`vector`] | vectors of chunks, and the places that keep them |
//! | [`qdrant`] | vectors in a Qdrant server |
//! | [`Current`] | a search that waits until the index has what was just written |
//! | [`HybridSearcher`] | words, vectors, their fusion and the reranker behind [`Searcher`] |

pub mod catalog;
pub mod chunk;
mod context;
pub mod corpus;
mod current;
mod dates;
pub mod document;
mod duplicate;
pub mod floor;
mod fusion;
mod gazetteer;
mod hybrid;
pub mod index;
mod judge;
mod meaning;
mod merged;
mod metrics;
pub mod normalise;
mod pick;
pub mod qdrant;
pub mod reader;
pub mod record;
mod rerank;
mod search;
mod share;
mod sub_queries;
pub mod vector;

pub use catalog::{Catalog, Entry, IndexPlan, Mode};
pub use context::context;
pub use current::{Current, Source};
pub use document::{Document, Stamp};
pub use fusion::Fusion;
pub use hybrid::{HybridSearcher, Options};
pub use index::{
    BUILT_IN_FIELDS, CountRequest, Counted, DocumentFacts, Facet, Index, Position, Vectors, Writer,
    embedded_text,
};
pub use metrics::{Metrics, WithoutVector};
pub use reader::{Skip, SkipReason};
pub use search::{After, Error, Leg, Request, SearchResult, Searcher};
pub use sub_queries::{Gathered, search_each};
