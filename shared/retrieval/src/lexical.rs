//! The searcher over the local index: BM25, then the built-in reranker.
//!
//! Vectors and fusion will enter in [`search_blocking`]: a second list of candidates, merged with this one
//! before the rerank.

use crate::index::{Index, analyzer};
use crate::rerank::rerank;
use crate::search::{Error, Request, SearchResult, Searcher};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

/// Searches an [`Index`]. Cheap to clone.
#[derive(Clone)]
pub struct LexicalSearcher {
    index: Index,
}

impl LexicalSearcher {
    /// Searches `index`; what its writer commits is found by the next search.
    pub fn new(index: Index) -> LexicalSearcher {
        LexicalSearcher { index }
    }
}

impl Searcher for LexicalSearcher {
    fn search<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<SearchResult, Error>> {
        let (index, request) = (self.index.clone(), request.clone());
        async move {
            tokio::task::spawn_blocking(move || search_blocking(&index, &request))
                .await
                .map_err(|error| Error::Index(error.to_string()))?
        }
        .boxed()
    }
}

/// One search, blocking.
pub(crate) fn search_blocking(index: &Index, request: &Request) -> Result<SearchResult, Error> {
    let candidates = index.candidates(request)?;
    let mut analyzer = analyzer();
    Ok(SearchResult {
        passages: rerank(
            candidates.found,
            &candidates.terms,
            &mut analyzer,
            request.top_k,
        ),
        total_hits: candidates.total,
        unknown_fields: candidates.unknown_fields,
    })
}
