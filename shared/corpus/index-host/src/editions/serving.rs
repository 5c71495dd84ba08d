//! Searches the current edition. A search reads one index from beginning to end, even if another edition becomes
//! current meanwhile.

use super::EditionRouter;
use futures_util::future::BoxFuture;
use search::{Error, SearchRequest, SearchResult, Searcher};
use std::sync::Arc;

impl Searcher for EditionRouter {
    fn inner(&self) -> Option<Arc<dyn Searcher>> {
        Some(self.get().searcher)
    }

    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, Error>> {
        // Whatever is switched meanwhile, this search is over this index.
        let searcher = self.get().searcher;
        Box::pin(async move { searcher.search(request).await })
    }
}
