//! A searcher that leaves out the passages which earlier rounds of the turn have read, so that a round continues
//! where the ranking of the earlier rounds ended.
//!
//! This is *not* a condition of the index: the wrapped searcher is asked for as many more passages as were read, and
//! the passages that were read are removed from its list. Counting, linking and fetching by id are passed on
//! unchanged.

use envelope::{Passage, ReadMark};
use futures_util::future::BoxFuture;
use search::{Error, SearchRequest, SearchResult, Searcher};
use std::collections::HashSet;
use std::sync::Arc;

/// A searcher that finds only passages that were not read.
pub struct UnreadSearcher {
    searcher: Arc<dyn Searcher>,
    read: HashSet<ReadMark>,
}

impl UnreadSearcher {
    /// A searcher over `searcher` without the passages `read`; `searcher` itself where nothing was read.
    pub fn over(searcher: &Arc<dyn Searcher>, read: &[ReadMark]) -> Arc<dyn Searcher> {
        if read.is_empty() {
            return searcher.clone();
        }
        Arc::new(UnreadSearcher {
            searcher: searcher.clone(),
            read: read.iter().copied().collect(),
        })
    }

    fn is_unread(&self, passage: &Passage) -> bool {
        !self.read.contains(&ReadMark::of(passage))
    }
}

impl Searcher for UnreadSearcher {
    fn inner(&self) -> Option<Arc<dyn Searcher>> {
        Some(self.searcher.clone())
    }

    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, Error>> {
        Box::pin(async move {
            let more = SearchRequest {
                fetch_k: request.fetch_k + self.read.len(),
                top_k: request.top_k + self.read.len(),
                ..request.clone()
            };
            let mut result = self.searcher.search(&more).await?;
            let all = result.passages.len();
            result.passages.retain(|passage| self.is_unread(passage));
            result.read_before = all - result.passages.len();
            result.passages.truncate(request.top_k);
            Ok(result)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::TenantId;
    use testkit::model::passage;

    /// Finds `d0`, `d1` and so on, as many as are asked for.
    struct Ranked;

    impl Searcher for Ranked {
        fn search<'a>(
            &'a self,
            request: &'a SearchRequest,
        ) -> BoxFuture<'a, Result<SearchResult, Error>> {
            let passages =
                (0..request.top_k.min(request.fetch_k)).map(|n| passage(&format!("d{n}"), "t"));
            let passages = passages.collect();
            Box::pin(std::future::ready(Ok(SearchResult {
                passages,
                ..SearchResult::default()
            })))
        }
    }

    async fn found(read: &[&str]) -> Vec<String> {
        let read = read
            .iter()
            .map(|id| ReadMark::of(&passage(id, "another text")));
        let read: Vec<ReadMark> = read.collect();
        let request = SearchRequest::new(TenantId::default_tenant(), "q", 3, 3);
        let searcher: Arc<dyn Searcher> = Arc::new(Ranked);
        let unread = UnreadSearcher::over(&searcher, &read);
        let result = unread.search(&request).await.expect("a list");
        let ids = result.passages.into_iter();
        ids.map(|one| one.doc_id.to_string()).collect()
    }

    #[tokio::test]
    async fn it_reads_on_where_the_rounds_before_ended() {
        assert_eq!(found(&[]).await, ["d0", "d1", "d2"]);
        assert_eq!(found(&["d0", "d1", "d2"]).await, ["d3", "d4", "d5"]);
        assert_eq!(found(&["d1", "elsewhere"]).await, ["d0", "d2", "d3"]);
    }
}
