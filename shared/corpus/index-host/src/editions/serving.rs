//! Searches the current edition. A search reads one index from beginning to end, even if another edition becomes
//! current meanwhile.

use super::EditionRouter;
use envelope::{Filter, Passage, TenantId};
use futures_util::future::BoxFuture;
use linking::{Date, LinkedQuestion};
use search::{Error, SearchRequest, SearchResult, Searcher, TableRequest, TableResult};

impl Searcher for EditionRouter {
    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, Error>> {
        // Whatever is switched meanwhile, this search is over this index.
        let searcher = self.get().searcher;
        Box::pin(async move { searcher.search(request).await })
    }

    fn places<'a>(
        &'a self,
        tenant: &'a TenantId,
        text: &'a str,
        fields: &'a [String],
    ) -> BoxFuture<'a, Result<Filter, Error>> {
        let searcher = self.get().searcher;
        Box::pin(async move { searcher.places(tenant, text, fields).await })
    }

    fn link<'a>(
        &'a self,
        tenant: &'a TenantId,
        question: &'a str,
        today: Date,
    ) -> BoxFuture<'a, Result<LinkedQuestion, Error>> {
        let searcher = self.get().searcher;
        Box::pin(async move { searcher.link(tenant, question, today).await })
    }

    fn table<'a>(&'a self, request: &'a TableRequest) -> BoxFuture<'a, Result<TableResult, Error>> {
        let searcher = self.get().searcher;
        Box::pin(async move { searcher.table(request).await })
    }

    fn fetch<'a>(
        &'a self,
        request: &'a SearchRequest,
        ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Passage>, Error>> {
        let searcher = self.get().searcher;
        Box::pin(async move { searcher.fetch(request, ids).await })
    }
}
