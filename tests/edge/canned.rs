//! Provides stub collaborators that find the same passage for every question, with the offline reader as the model.

use argosy::roles::Collaborators;
use envelope::{Bucket, DocId, Passage};
use futures_util::future::BoxFuture;
use offline_reader::OfflineReader;
use search::{SearchRequest, SearchResult, Searcher};
use std::sync::Arc;

/// An index with one passage in it.
struct OnePassage(Passage);

impl Searcher for OnePassage {
    fn search<'a>(
        &'a self,
        _request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, search::Error>> {
        let passages = vec![self.0.clone()];
        Box::pin(std::future::ready(Ok(SearchResult {
            total_hits: 1,
            passages,
            ..SearchResult::default()
        })))
    }
}

/// The passage, with the offline reader as the model.
pub(crate) fn collaborators() -> Collaborators {
    let passage = Passage {
        front: String::new(),
        places: Vec::new(),
        bucket: Bucket::new("contracts").unwrap(),
        doc_id: DocId::new("lease").unwrap(),
        chunk_id: "lease.0".into(),
        title: "A lease".into(),
        source: "contracts/lease.md".into(),
        page: None,
        line: 1,
        score: 1.0,
        text: "The notice period is 90 days.".into(),
        metadata: Default::default(),
        found_by: Vec::new(),
    };
    Collaborators {
        model: Arc::new(OfflineReader::new()),
        searcher: Arc::new(OnePassage(passage)),
        caught_up: None,
        conversations: None,
        embedder: None,
        catalog: Arc::new(search::NoCatalog),
    }
}
