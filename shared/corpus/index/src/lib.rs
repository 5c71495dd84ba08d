//! The local index: words, vectors, their fusion, and the ranking of the candidates.
//!
//! The index is a view of the corpus stream that can be rebuilt at any time. *Not* here: what feeds it, and which
//! index answers; that is `index-host`. The requests that it answers are defined in `search`.
//!
//! | module | what |
//! |---|---|
//! | [`Index`], [`Writer`] | the tantivy index, its rows of vectors, and its position in the stream |
//! | [`archive`] | an index as one file |
//! | [`HybridSearcher`] | words, vectors, their fusion and the reranker behind [`search::Searcher`] |

mod diversify;
mod document_rank;
mod document_search;
mod duplicate;
mod error;
mod explain;
mod front;
mod fusion;
mod gazetteer;
mod hybrid;
mod index;
#[cfg(test)]
mod law_tests;
mod merged;
mod metrics;
mod model_rerank;
mod options;
mod profile;
mod rerank;
mod similarity;
mod times;

pub use error::Error;
pub use fusion::Fusion;
pub use hybrid::{HybridSearcher, Models};
pub use index::{
    Access, DictionarySizes, Index, ONE_THREAD_CHUNKS_MAX, VectorSource, WRITER_BYTES,
    WRITER_THREADS, Writer, archive, query_stems,
};
pub use metrics::{IndexLag, Metrics, WithoutVector};
pub use options::Options;
