//! Reading what one has written: a search that waits until the index has taken it in.
//!
//! Where the index is in the corpus stream, who feeds it says. *Not* a queue: what waits too long
//! fails as [`Error::Behind`], and what to do then is the caller's decision.

use crate::search::{After, Error, Request, SearchResult, Searcher};
use envelope::{Filter, TenantId};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio::sync::watch;

/// A searcher whose index follows the corpus stream.
pub struct Current {
    searcher: Arc<dyn Searcher>,
    /// Last sequence that is found by a search.
    position: watch::Receiver<u64>,
}

impl Current {
    /// `searcher` over an index that is where `position` says.
    pub fn new(searcher: Arc<dyn Searcher>, position: watch::Receiver<u64>) -> Current {
        Current { searcher, position }
    }

    async fn reached(&self, after: After) -> Result<(), Error> {
        let mut position = self.position.clone();
        let there = position.wait_for(|at| *at >= after.sequence);
        match tokio::time::timeout(after.wait, there).await {
            Ok(Ok(_)) => Ok(()),
            // In time it did not come, or nobody feeds the index any more.
            _ => Err(Error::Behind {
                wanted: after.sequence,
                at: *self.position.borrow(),
            }),
        }
    }
}

impl Searcher for Current {
    fn search<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<SearchResult, Error>> {
        Box::pin(async move {
            if let Some(after) = request.after {
                self.reached(after).await?;
            }
            self.searcher.search(request).await
        })
    }

    fn places<'a>(
        &'a self,
        tenant: &'a TenantId,
        text: &'a str,
        fields: &'a [String],
    ) -> BoxFuture<'a, Result<Filter, Error>> {
        self.searcher.places(tenant, text, fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::Instant;

    struct Empty;

    impl Searcher for Empty {
        fn search<'a>(&'a self, _: &'a Request) -> BoxFuture<'a, Result<SearchResult, Error>> {
            Box::pin(async { Ok(SearchResult::default()) })
        }
    }

    fn request(after: Option<u64>) -> Request {
        Request {
            tenant: TenantId::default_tenant(),
            buckets: Vec::new(),
            filter: Filter::default(),
            query: "q".into(),
            keywords: Vec::new(),
            fetch_k: 1,
            top_k: 1,
            after: after.map(|sequence| After {
                sequence,
                wait: Duration::from_secs(5),
            }),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_there_is_not_waited_for() {
        let (feed, position) = watch::channel(7);
        let current = Current::new(Arc::new(Empty), position);
        let start = Instant::now();
        for after in [None, Some(0), Some(7)] {
            current.search(&request(after)).await.unwrap();
        }
        assert_eq!(start.elapsed(), Duration::ZERO);
        drop(feed);
        current.search(&request(Some(7))).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn what_comes_in_time_is_searched_at_once() {
        let (feed, position) = watch::channel(7);
        let current = Current::new(Arc::new(Empty), position);
        let start = Instant::now();
        let request = request(Some(9));
        let (found, ()) = tokio::join!(current.search(&request), async {
            for sequence in [8, 9] {
                tokio::time::sleep(Duration::from_millis(700)).await;
                feed.send_replace(sequence);
            }
        });
        found.unwrap();
        assert_eq!(start.elapsed(), Duration::from_millis(1_400));
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_come_in_time_fails_by_name() {
        let (feed, position) = watch::channel(7);
        let current = Current::new(Arc::new(Empty), position);
        let start = Instant::now();
        let behind = current.search(&request(Some(9))).await.unwrap_err();
        assert!(matches!(behind, Error::Behind { wanted: 9, at: 7 }));
        assert_eq!(start.elapsed(), Duration::from_secs(5));
        drop(feed);
        assert!(current.search(&request(Some(9))).await.is_err());
        assert_eq!(start.elapsed(), Duration::from_secs(5), "nobody feeds it");
    }
}
