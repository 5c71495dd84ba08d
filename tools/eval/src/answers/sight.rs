//! Hides documents from every search of a fleet: those that say the answer, or all others. *Not* a filter of the
//! question, which the pipeline would see and tell of.

use envelope::lookup::Explanation;
use envelope::{Condition, ConditionOrigin, Filter, Op, Passage};
use futures_util::future::BoxFuture;
use search::{Error, SearchRequest, SearchResult, Searcher, TableRequest, TableResult};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The field with the name of a document.
const SOURCE: &str = "source";

/// What can be seen of the corpus, for one question after the other.
#[derive(Clone, Default)]
pub(super) struct Sight(Arc<Mutex<Filter>>);

impl Sight {
    /// All documents can be seen.
    pub(super) fn all(&self) {
        self.set(Filter::default());
    }

    /// Only these can be seen.
    pub(super) fn only(&self, sources: &BTreeSet<String>) {
        self.set(filter(Op::In, sources));
    }

    /// All but these can be seen.
    pub(super) fn without(&self, sources: &BTreeSet<String>) {
        self.set(filter(Op::NotIn, sources));
    }

    fn set(&self, filter: Filter) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = filter;
    }

    fn add(&self, filter: &Filter) -> Filter {
        let hidden = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        filter.clone().and(hidden.clone())
    }

    /// A searcher that sees this much.
    pub(super) fn over(&self, searcher: Arc<dyn Searcher>) -> Arc<dyn Searcher> {
        Arc::new(SightedSearcher {
            searcher,
            sight: self.clone(),
        })
    }
}

fn filter(op: Op, sources: &BTreeSet<String>) -> Filter {
    let names: serde_json::Value = sources.iter().map(String::as_str).collect();
    Filter(vec![Condition::new(
        SOURCE,
        op,
        names,
        ConditionOrigin::User,
    )])
}

struct SightedSearcher {
    searcher: Arc<dyn Searcher>,
    sight: Sight,
}

impl SightedSearcher {
    fn seen(&self, request: &SearchRequest) -> SearchRequest {
        SearchRequest {
            filter: self.sight.add(&request.filter),
            ..request.clone()
        }
    }
}

impl Searcher for SightedSearcher {
    fn inner(&self) -> Option<Arc<dyn Searcher>> {
        Some(self.searcher.clone())
    }

    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, Error>> {
        Box::pin(async move { self.searcher.search(&self.seen(request)).await })
    }

    fn explain<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<Explanation, Error>> {
        Box::pin(async move { self.searcher.explain(&self.seen(request)).await })
    }

    fn table<'a>(&'a self, request: &'a TableRequest) -> BoxFuture<'a, Result<TableResult, Error>> {
        Box::pin(async move {
            let request = TableRequest {
                filter: self.sight.add(&request.filter),
                ..request.clone()
            };
            self.searcher.table(&request).await
        })
    }

    fn fetch<'a>(
        &'a self,
        request: &'a SearchRequest,
        ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Passage>, Error>> {
        Box::pin(async move { self.searcher.fetch(&self.seen(request), ids).await })
    }
}
