//! The search facade: the requests of the retriever, whichever index answers them.

use crate::error::Error;
use crate::table::{TableRequest, TableResult};
use envelope::lookup::Explanation;
use envelope::{Bucket, Filter, Passage, Principal, SearchStrategy};
use futures_util::future::BoxFuture;
use linking::{Date, LinkedQuestion};
use std::sync::Arc;
use std::time::Duration;

/// An index that can be searched.
pub trait Searcher: Send + Sync + 'static {
    /// Searches once. No condition is relaxed here: the caller decides what to do about an empty result.
    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, Error>>;

    /// The searcher that answers what this one does not answer itself, for one that wraps another.
    fn inner(&self) -> Option<Arc<dyn Searcher>> {
        None
    }

    /// The reasons of [`Searcher::search`]. A searcher that gives none returns an empty explanation.
    fn explain<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<Explanation, Error>> {
        let inner = self.inner();
        Box::pin(async move {
            match inner {
                Some(inner) => inner.explain(request).await,
                None => Ok(Explanation::default()),
            }
        })
    }

    /// The places that a text names: values of these metadata `fields` in the documents of a principal, as one condition
    /// for each field that has such a value. Like the conditions of a planner, they are guesses. A searcher without
    /// metadata returns none.
    fn places<'a>(
        &'a self,
        principal: &'a Principal,
        text: &'a str,
        fields: &'a [String],
    ) -> BoxFuture<'a, Result<Filter, Error>> {
        let inner = self.inner();
        Box::pin(async move {
            match inner {
                Some(inner) => inner.places(principal, text, fields).await,
                None => Ok(Filter::default()),
            }
        })
    }

    /// Links a principal's question, asked on a given day, to the documents: which conditions it states in their terms. A
    /// searcher without a dictionary links nothing.
    fn link<'a>(
        &'a self,
        principal: &'a Principal,
        question: &'a str,
        today: Date,
    ) -> BoxFuture<'a, Result<LinkedQuestion, Error>> {
        let inner = self.inner();
        Box::pin(async move {
            match inner {
                Some(inner) => inner.link(principal, question, today).await,
                None => Ok(LinkedQuestion::default()),
            }
        })
    }

    /// Answers a query over the columns of the documents for which the conditions hold. A searcher without metadata
    /// counts no documents.
    fn table<'a>(&'a self, request: &'a TableRequest) -> BoxFuture<'a, Result<TableResult, Error>> {
        let inner = self.inner();
        Box::pin(async move {
            match inner {
                Some(inner) => inner.table(request).await,
                None => Ok(TableResult::default()),
            }
        })
    }

    /// The chunks with these ids that satisfy the conditions of a request, in the order of the ids, without a search.
    /// An id without such a chunk is left out, and a searcher that cannot look up ids returns no chunks.
    fn fetch<'a>(
        &'a self,
        request: &'a SearchRequest,
        ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Passage>, Error>> {
        let inner = self.inner();
        Box::pin(async move {
            match inner {
                Some(inner) => inner.fetch(request, ids).await,
                None => Ok(Vec::new()),
            }
        })
    }
}

/// One search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// Whose documents may be read: always a condition.
    pub principal: Principal,
    /// The buckets to search; empty means all.
    pub buckets: Vec<Bucket>,
    /// The conditions that every passage satisfies.
    pub filter: Filter,
    /// The query in words.
    pub query: String,
    /// Further search terms.
    pub keywords: Vec<String>,
    /// The context that the query refers to.
    pub context: Option<QueryContext>,
    /// Which parts of the search are used. Where the requested one is not available, the other replaces it and
    /// [`SearchResult::failed`] names it. Default hybrid.
    pub strategy: SearchStrategy,
    /// How many candidates to fetch before reranking. Default 100.
    pub fetch_k: usize,
    /// How many passages to return at most. Default 5.
    pub top_k: usize,
    /// The sequence that the index has to have taken in before it is searched.
    pub after: Option<ReadAfter>,
}

impl SearchRequest {
    /// A search of everything that a principal may read.
    pub fn new(
        principal: impl Into<Principal>,
        query: impl Into<String>,
        fetch_k: usize,
        top_k: usize,
    ) -> SearchRequest {
        SearchRequest {
            principal: principal.into(),
            buckets: Vec::new(),
            filter: Filter::default(),
            query: query.into(),
            keywords: Vec::new(),
            context: None,
            strategy: SearchStrategy::default(),
            fetch_k,
            top_k,
            after: None,
        }
    }

    /// The same request without the conditions on these fields.
    pub fn without_fields(&self, fields: &[String]) -> SearchRequest {
        let mut request = self.clone();
        let conditions = &mut request.filter.0;
        conditions.retain(|condition| !fields.contains(&condition.field));
        request
    }
}

/// Words that count in a search beside those of its query, with a lower weight: the topics of earlier questions.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryContext {
    /// The words.
    pub text: String,
    /// The weight of each of them, where a word of the query has 1: above 0, below 1.
    pub weight: f32,
}

/// A position in the corpus stream that a search waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadAfter {
    /// The sequence.
    pub sequence: u64,
    /// How long to wait for it.
    pub wait: Duration,
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchResult {
    /// The best passages, best first.
    pub passages: Vec<Passage>,
    /// How many candidates were skipped because they repeat one of the passages.
    pub repeated: u32,
    /// How many passages match in all: a count query, not the fetched number.
    pub total_hits: u64,
    /// Fields of the filter that no document of the corpus has; their conditions were left out.
    pub unknown_fields: Vec<String>,
    /// Fields of the filter that have no value of the compared kind, for example a text compared with a number;
    /// their conditions were kept and match nothing.
    pub unlike_fields: Vec<String>,
    /// How well the corpus covers the query: the best BM25 score for each word of the query. Unlike the scores of
    /// passages it can be compared between searches of one corpus, and it shows whether there is an answer at all
    /// (docs/retrieval.md). 0 when nothing was found by words.
    pub relevance: f32,
    /// How many passages the words of the query fit; `None` where it is not known.
    pub fitting: Option<Fitting>,
    /// Parts of the search that failed; the passages come from the other parts.
    pub failed: Vec<SearchPart>,
    /// How many passages were skipped because they had been read before.
    pub read_before: usize,
}

/// The passages of the corpus that have all words of a query, if words stood in passages independently of each other.
/// Words without a meaning do not count, and a word that documents are called counts as rare.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fitting {
    /// Their share of all passages, 0 to 1: the product of the shares that have each word.
    pub share: f32,
    /// Their number.
    pub passages: f32,
}

/// A part of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchPart {
    /// The search by words.
    Words,
    /// The search by vectors.
    Vectors,
    /// The reranker; the built-in one took its place.
    Reranker,
}

impl SearchPart {
    /// The name of the part.
    pub fn as_str(self) -> &'static str {
        match self {
            SearchPart::Words => "words",
            SearchPart::Vectors => "vectors",
            SearchPart::Reranker => "reranker",
        }
    }
}
