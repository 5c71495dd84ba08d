//! A searcher that records its requests and passes on the results of the searcher beneath it unchanged. It does not
//! record look-ups of the names in a text or of a question's conditions, because they do not count as tool calls.

use super::case::{Tool, ToolCall};
use envelope::{Bucket, Filter, Passage};
use futures_util::future::BoxFuture;
use linking::TableQuestion;
use search::{Error, SearchRequest, SearchResult, Searcher, TableRequest, TableResult};
use std::sync::{Arc, Mutex, PoisonError};

/// What was asked for so far.
#[derive(Clone, Default)]
pub(super) struct Record(Arc<Mutex<Vec<ToolCall>>>);

impl Record {
    /// Removes and returns the recorded calls, oldest first.
    pub(super) fn taken(&self) -> Vec<ToolCall> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, call: ToolCall) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push(call);
    }

    /// A searcher that notes here what it is asked for.
    pub(super) fn over(&self, searcher: Arc<dyn Searcher>) -> Arc<dyn Searcher> {
        Arc::new(RecordingSearcher {
            searcher,
            record: self.clone(),
        })
    }
}

struct RecordingSearcher {
    searcher: Arc<dyn Searcher>,
    record: Record,
}

impl Searcher for RecordingSearcher {
    fn inner(&self) -> Option<Arc<dyn Searcher>> {
        Some(self.searcher.clone())
    }

    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, Error>> {
        self.record.note(ToolCall {
            words: request.query.clone(),
            keywords: request.keywords.clone(),
            strategy: request.strategy,
            most: Some(request.top_k),
            ..narrowed(&request.filter, &request.buckets)
        });
        self.searcher.search(request)
    }

    fn table<'a>(&'a self, request: &'a TableRequest) -> BoxFuture<'a, Result<TableResult, Error>> {
        self.record.note(ToolCall {
            tool: Tool::Table,
            words: table_told(&request.question),
            ..narrowed(&request.filter, &request.buckets)
        });
        self.searcher.table(request)
    }

    fn fetch<'a>(
        &'a self,
        request: &'a SearchRequest,
        ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Passage>, Error>> {
        self.record.note(ToolCall {
            tool: Tool::Fetch,
            words: ids.join(" "),
            ..narrowed(&request.filter, &request.buckets)
        });
        self.searcher.fetch(request, ids)
    }
}

/// A call with its conditions alone.
fn narrowed(filter: &Filter, buckets: &[Bucket]) -> ToolCall {
    ToolCall {
        conditions: filter.0.iter().map(ToString::to_string).collect(),
        buckets: buckets.iter().map(|one| one.as_str().to_owned()).collect(),
        ..ToolCall::default()
    }
}

/// What is done with documents: the operation, its column, and by what they are taken together.
fn table_told(question: &TableQuestion) -> String {
    let mut told = format!("{:?}", question.operation).to_lowercase();
    if let Some(measure) = &question.measure {
        told.push_str(&format!(" {measure}"));
    }
    if let Some(group) = &question.group {
        told.push_str(&format!(" by {group:?}").to_lowercase());
    }
    told
}
