//! The searcher over the local index: BM25, then the built-in reranker.
//!
//! Vectors and fusion will enter between the two: a second list of candidates, merged with the
//! index's before the rerank.

use crate::index::{Index, analyzer};
use crate::metrics::{ALL, Metrics, OTHER, SEVERAL};
use crate::rerank::rerank;
use crate::search::{Error, Request, SearchResult, Searcher};
use envelope::Bucket;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::time::Instant;

/// Searches an [`Index`]. Cheap to clone.
#[derive(Clone)]
pub struct LexicalSearcher {
    index: Index,
    metrics: Option<Metrics>,
    reranks: bool,
}

impl LexicalSearcher {
    /// Searches `index`; what its writer commits is found by the next search.
    pub fn new(index: Index) -> LexicalSearcher {
        LexicalSearcher {
            index,
            metrics: None,
            reranks: true,
        }
    }

    /// Leaves the order to the index alone: scores are those of BM25, without an upper limit.
    pub fn unranked(self) -> LexicalSearcher {
        LexicalSearcher {
            reranks: false,
            ..self
        }
    }

    /// Counts its searches.
    pub fn with_metrics(self, metrics: Metrics) -> LexicalSearcher {
        LexicalSearcher {
            metrics: Some(metrics),
            ..self
        }
    }

    fn search_counted(&self, request: &Request) -> Result<SearchResult, Error> {
        let start = Instant::now();
        let result = if self.reranks {
            search_blocking(&self.index, request)?
        } else {
            search_unranked(&self.index, request)?
        };
        if let Some(metrics) = &self.metrics {
            metrics.searched(self.label(&request.buckets), start.elapsed(), &result);
        }
        Ok(result)
    }

    fn label<'a>(&self, buckets: &'a [Bucket]) -> &'a str {
        match buckets {
            [] => ALL,
            [one] if self.index.has_bucket(one) => one.as_str(),
            [_] => OTHER,
            _ => SEVERAL,
        }
    }
}

impl Searcher for LexicalSearcher {
    fn search<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<SearchResult, Error>> {
        let (searcher, request) = (self.clone(), request.clone());
        async move {
            tokio::task::spawn_blocking(move || searcher.search_counted(&request))
                .await
                .map_err(|error| Error::Index(error.to_string()))?
        }
        .boxed()
    }
}

/// One search.
pub(crate) fn search_blocking(index: &Index, request: &Request) -> Result<SearchResult, Error> {
    let found = index.candidates(request)?;
    let passages = rerank(found.found, &found.terms, &mut analyzer(), request.top_k);
    Ok(SearchResult {
        passages,
        total_hits: found.total,
        unknown_fields: found.unknown_fields,
    })
}

/// One search without a second look.
fn search_unranked(index: &Index, request: &Request) -> Result<SearchResult, Error> {
    let found = index.candidates(request)?;
    let best = found.found.into_iter().take(request.top_k);
    Ok(SearchResult {
        passages: best
            .map(|(score, record)| record.into_passage(score))
            .collect(),
        total_hits: found.total,
        unknown_fields: found.unknown_fields,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::ChunkRecord;
    use envelope::{Filter, TenantId};
    use telemetry::Registry;

    #[tokio::test]
    async fn searches_are_counted_under_known_buckets_only() {
        let record: ChunkRecord = serde_json::from_value(serde_json::json!({
            "v": 1, "tenant": "default", "bucket": "invoices", "doc_id": "d", "n": 0, "of": 1,
            "hash": "h", "source": "invoices/d.md", "text": "a word",
        }))
        .unwrap();
        let index = Index::open_in_ram().unwrap();
        let mut writer = index.writer().unwrap();
        writer.apply(&[record]).unwrap();
        writer.commit(1, "s").unwrap();
        let registry = Registry::new();
        let searcher = LexicalSearcher::new(index).with_metrics(Metrics::new(&registry).unwrap());
        for names in [
            &[][..],
            &["invoices"],
            &["made-up"],
            &["invoices", "made-up"],
        ] {
            let request = Request {
                tenant: TenantId::default_tenant(),
                buckets: names
                    .iter()
                    .map(|name| Bucket::new(*name).unwrap())
                    .collect(),
                filter: Filter::default(),
                query: "word".into(),
                keywords: vec![],
                fetch_k: 10,
                top_k: 5,
            };
            searcher.search(&request).await.unwrap();
        }
        let text = registry.encode();
        for line in [
            "argosy_retrieval_empty_total{bucket=\"all\"} 0",
            "argosy_retrieval_empty_total{bucket=\"other\"} 1",
            "argosy_retrieval_hits_count{bucket=\"invoices\"} 1",
            "argosy_retrieval_duration_seconds_count{bucket=\"several\"} 1",
        ] {
            assert!(text.lines().any(|l| l == line), "{line} in\n{text}");
        }
        assert!(!text.contains("made-up"));
    }
}
