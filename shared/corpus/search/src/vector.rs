//! The interface of a store that keeps vectors of chunks.
//!
//! *Not* here: how vectors are made (`llm::Embedder`), and how hits by vectors are merged with those by words.

use crate::error::Error;
use crate::searcher::SearchRequest;
use envelope::ChunkKey;
use futures_util::future::BoxFuture;

/// A chunk whose vector is close.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// Which.
    pub chunk: ChunkKey,
    /// Cosine of the angle between the vectors, -1 to 1.
    pub score: f32,
}

/// A place that keeps vectors of chunks.
pub trait VectorSearch: Send + Sync + 'static {
    /// The `k` chunks closest to `vector` among those that match the request's tenant, buckets and filter, closest
    /// first. Every condition has to hold: the lexical index says which fields no document has
    /// ([`SearchRequest::without_fields`]), because this store may be behind or ahead of it. The words of the
    /// request are not used.
    ///
    /// A store that cannot evaluate a condition leaves it out and returns more than `k`, so that enough are left
    /// when the lexical index has checked them.
    fn nearest<'a>(
        &'a self,
        vector: &'a [f32],
        request: &'a SearchRequest,
        k: usize,
    ) -> BoxFuture<'a, Result<Vec<Neighbour>, Error>>;
}
