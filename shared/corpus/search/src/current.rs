//! Read-your-writes: a search that waits until the index has taken in what was just written.
//!
//! The feed of the index reports its position in the corpus stream. *Not* a queue: a search that waits too long
//! fails as [`Error::Behind`], and the caller decides what to do then.

use crate::error::Error;
use crate::searcher::{ReadAfter, SearchRequest, SearchResult, Searcher};
use crate::table::{TableRequest, TableResult};
use envelope::Passage;
use envelope::lookup::Explanation;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio::sync::watch;

/// The source that feeds an index: a part of the corpus stream, whose sequence numbers have gaps.
pub trait IndexFeed: Send + Sync + 'static {
    /// The position at which an index has taken in all messages of its part that are stored up to `wanted`; `None`
    /// while this is unknown, or when no message has that sequence yet.
    fn reach(&self, wanted: u64) -> BoxFuture<'_, Option<u64>>;
}

/// A searcher whose index follows the corpus stream.
pub struct Current {
    searcher: Arc<dyn Searcher>,
    /// Last sequence that is found by a search.
    position: watch::Receiver<u64>,
    source: Option<Arc<dyn IndexFeed>>,
}

impl Current {
    /// A searcher over an index whose position is `position`.
    pub fn new(searcher: Arc<dyn Searcher>, position: watch::Receiver<u64>) -> Current {
        Current {
            searcher,
            position,
            source: None,
        }
    }

    /// For an index that is fed with a part of the stream only. `source` tells where that part ends, because the wanted
    /// sequence may not belong to it.
    pub fn with_source(self, source: Arc<dyn IndexFeed>) -> Current {
        Current {
            source: Some(source),
            ..self
        }
    }

    async fn reached(&self, after: Option<ReadAfter>) -> Result<(), Error> {
        let Some(after) = after else {
            return Ok(());
        };
        let mut position = self.position.clone();
        if *position.borrow() >= after.sequence {
            return Ok(());
        }
        let there = async {
            let reach = match &self.source {
                Some(source) => source.reach(after.sequence).await,
                None => None,
            };
            let enough = reach.unwrap_or(after.sequence);
            position.wait_for(|at| *at >= enough).await.map(|_| ())
        };
        match tokio::time::timeout(after.wait, there).await {
            Ok(Ok(())) => Ok(()),
            // It did not come in time, or the index is not fed any more.
            _ => Err(Error::Behind {
                wanted: after.sequence,
                at: *self.position.borrow(),
            }),
        }
    }
}

impl Searcher for Current {
    fn inner(&self) -> Option<Arc<dyn Searcher>> {
        Some(self.searcher.clone())
    }

    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, Error>> {
        Box::pin(async move {
            self.reached(request.after).await?;
            self.searcher.search(request).await
        })
    }

    fn explain<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<Explanation, Error>> {
        Box::pin(async move {
            self.reached(request.after).await?;
            self.searcher.explain(request).await
        })
    }

    fn table<'a>(&'a self, request: &'a TableRequest) -> BoxFuture<'a, Result<TableResult, Error>> {
        Box::pin(async move {
            self.reached(request.after).await?;
            self.searcher.table(request).await
        })
    }

    fn fetch<'a>(
        &'a self,
        request: &'a SearchRequest,
        ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Passage>, Error>> {
        Box::pin(async move {
            self.reached(request.after).await?;
            self.searcher.fetch(request, ids).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{Filter, TenantId};
    use std::time::Duration;
    use tokio::time::Instant;

    struct Empty;

    impl Searcher for Empty {
        fn search<'a>(
            &'a self,
            _: &'a SearchRequest,
        ) -> BoxFuture<'a, Result<SearchResult, Error>> {
            Box::pin(async { Ok(SearchResult::default()) })
        }
    }

    fn request(after: Option<u64>) -> SearchRequest {
        SearchRequest {
            principal: TenantId::default_tenant().into(),
            buckets: Vec::new(),
            filter: Filter::default(),
            query: "q".into(),
            keywords: Vec::new(),
            context: None,
            strategy: Default::default(),
            fetch_k: 1,
            top_k: 1,
            after: after.map(|sequence| ReadAfter {
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

    /// A part of a stream that has messages at 3 and 7 of 8.
    struct Part;

    impl IndexFeed for Part {
        fn reach(&self, wanted: u64) -> BoxFuture<'_, Option<u64>> {
            Box::pin(std::future::ready((wanted <= 8).then_some(wanted.min(7))))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_no_part_of_the_index_is_not_waited_for() {
        let (feed, position) = watch::channel(7);
        let current = Current::new(Arc::new(Empty), position).with_source(Arc::new(Part));
        let start = Instant::now();
        current.search(&request(Some(8))).await.unwrap();
        assert_eq!(start.elapsed(), Duration::ZERO);
        // What it is to have it has to have, and what is not stored yet is waited for.
        feed.send_replace(3);
        for wanted in [7, 8, 9] {
            assert!(current.search(&request(Some(wanted))).await.is_err());
        }
        assert_eq!(start.elapsed(), Duration::from_secs(15));
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_come_in_time_fails_by_name() {
        let (feed, position) = watch::channel(7);
        let current = Current::new(Arc::new(Empty), position);
        let start = Instant::now();
        let behind = current.search(&request(Some(9))).await.unwrap_err();
        assert!(matches!(behind, Error::Behind { wanted: 9, at: 7 }));
        assert_eq!(start.elapsed(), Duration::from_secs(5));
        let behind = current.explain(&request(Some(9))).await.unwrap_err();
        assert!(matches!(behind, Error::Behind { wanted: 9, at: 7 }));
        assert_eq!(start.elapsed(), Duration::from_secs(10));
        drop(feed);
        assert!(current.search(&request(Some(9))).await.is_err());
        assert_eq!(start.elapsed(), Duration::from_secs(10), "nobody feeds it");
    }
}
