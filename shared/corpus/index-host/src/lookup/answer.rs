//! Makes the reply to one request about the corpus. *Not* here: the bus, and the limit of requests that are handled at
//! once.

use super::{catalog, written};
use documents::document::doc_id_of;
use envelope::limits::LOOKUP_REPLY_BYTES_MAX;
use envelope::lookup::{
    self, CatalogRequest, CorpusCatalog, CountReply, DocumentName, DocumentReply, Explanation,
    SearchReply,
};
use envelope::{
    Bucket, Classify, Condition, ConditionOrigin, Filter, FilterMatch, Op, Passage, Principal,
    Problem, SearchStrategy, UnixMs,
};
use index::Index;
use indexer::schema::Schemas;
use retriever::{DerivedFilter, LinkedResult, search_derived, search_linked};
use search::{SearchPart, SearchRequest, Searcher, narrow};
use std::sync::Arc;

/// Candidates of a search before reranking, as the retriever has by default.
const FETCH_K: usize = 100;
/// Documents of a reply that explains the search.
const EXPLAINED_MAX: usize = 20;
/// What of the largest reply is left for everything but passages, in bytes.
const REST_BYTES: usize = 16 * 1024;

/// The sources from which requests are answered.
pub struct Lookup {
    searcher: Arc<dyn Searcher>,
    index: Box<dyn Fn() -> Index + Send + Sync>,
    schemas: Arc<Schemas>,
    options: retriever::Options,
}

impl Lookup {
    /// Answers searches with `searcher`, and counts in the index that `index` returns, which is another one after a
    /// switch of editions.
    pub fn new(
        searcher: Arc<dyn Searcher>,
        index: impl Fn() -> Index + Send + Sync + 'static,
    ) -> Lookup {
        Lookup {
            searcher,
            index: Box::new(index),
            schemas: Arc::default(),
            options: retriever::Options::default(),
        }
    }

    /// Uses these options of a retriever for linking the query of a search to documents.
    pub fn with_options(self, options: retriever::Options) -> Lookup {
        Lookup { options, ..self }
    }

    /// Adds the descriptions that schemas have of buckets and columns.
    pub fn with_schemas(self, schemas: Arc<Schemas>) -> Lookup {
        Lookup { schemas, ..self }
    }

    pub(super) async fn search(&self, body: &[u8], now: UnixMs) -> Result<SearchReply, Problem> {
        let asked = lookup::SearchQuery::parse(body)?;
        // Within one document there is nothing to tell apart.
        let is_linked = asked.link && asked.document.is_none();
        let mut filter = asked.filter;
        if let Some(which) = asked.document {
            let document = self.document(asked.principal.clone(), which).await?;
            let id = document.doc_id.as_str();
            let condition = Condition::new("doc_id", Op::Eq, id, ConditionOrigin::User);
            filter.0.push(condition);
        }
        let request = SearchRequest {
            buckets: asked.buckets,
            filter,
            strategy: asked.strategy,
            ..SearchRequest::new(asked.principal, asked.query, FETCH_K, asked.top_k)
        };
        let linked = self.linked(&request, is_linked, now).await?;
        let Explanation { documents, dropped } = match asked.explain {
            true => self.explanation(&request, &linked).await?,
            false => Explanation::default(),
        };
        let conditions = linked.conditions();
        let (found, given_up) = (linked.result, linked.relaxed);
        alone(request.strategy, &found.failed)?;
        let mut passages = found.passages;
        if let Some(chars) = asked.context_chars {
            for passage in &mut passages {
                narrow(passage, &request.query, chars);
            }
        }
        let unknown_fields = found.unknown_fields;
        Ok(SearchReply {
            matched: matched(&passages, &request.filter, &unknown_fields, &given_up),
            passages,
            total_hits: found.total_hits,
            known_fields: self.known(request.principal, &unknown_fields).await?,
            unknown_fields,
            failed: found.failed.iter().map(|leg| leg.as_str().into()).collect(),
            left_out: 0,
            conditions,
            documents,
            dropped,
        })
    }

    /// The reasons of the search, under the conditions that filtered it.
    async fn explanation(
        &self,
        request: &SearchRequest,
        linked: &LinkedResult,
    ) -> Result<Explanation, Problem> {
        let request = SearchRequest {
            filter: request.filter.clone().and(linked.filter.clone()),
            ..request.clone()
        };
        let explanation = self.searcher.explain(&request).await;
        let mut explanation = explanation.map_err(failed)?;
        explanation.documents.truncate(EXPLAINED_MAX);
        Ok(explanation)
    }

    /// What a search finds under what its query says about documents, asked now.
    async fn linked(
        &self,
        request: &SearchRequest,
        is_linked: bool,
        now: UnixMs,
    ) -> Result<LinkedResult, Problem> {
        let searcher = &*self.searcher;
        let today = linking::days::of_unix_ms(now.0).filter(|_| is_linked);
        let found = match today {
            Some(today) => search_linked(searcher, request, today, &self.options).await,
            None => {
                let nothing = DerivedFilter::default();
                search_derived(searcher, request, &nothing, &self.options).await
            }
        };
        found.map_err(failed)
    }

    pub(super) async fn count(&self, body: &[u8]) -> Result<CountReply, Problem> {
        let asked = lookup::Count::parse(body)?;
        self.blocking(move |index| index.count(&asked)).await
    }

    pub(super) async fn metadata(&self, body: &[u8]) -> Result<DocumentReply, Problem> {
        let lookup::Metadata { principal, which } = lookup::Metadata::parse(body)?;
        self.document(principal, which).await
    }

    /// What is known of a document; one that the principal does not have is refused by name.
    async fn document(
        &self,
        principal: Principal,
        which: DocumentName,
    ) -> Result<DocumentReply, Problem> {
        let (doc_id, named) = match which {
            DocumentName::Source(source) => (doc_id_of(&principal.tenant, &source), source),
            DocumentName::DocId(doc_id) => (doc_id.clone(), doc_id.to_string()),
        };
        let facts = self
            .blocking(move |index| index.document(&principal, &doc_id))
            .await?;
        facts.ok_or_else(|| {
            Problem::new(
                "not_found",
                format!(
                    "there is no document `{named}`; a search says the `doc_id` and `source` of what there is"
                ),
            )
        })
    }

    pub(super) async fn catalog(&self, body: &[u8]) -> Result<CorpusCatalog, Problem> {
        let request = CatalogRequest::parse(body)?;
        let schemas = self.schemas.clone();
        let made = move |index: &Index| -> Result<Result<CorpusCatalog, Problem>, index::Error> {
            let catalog = catalog::made(index, &schemas, &request)?;
            let is_there = |bucket: &Bucket| catalog.buckets.iter().any(|b| b.bucket == *bucket);
            let missing = request.buckets.iter().find(|bucket| !is_there(bucket));
            Ok(match missing {
                Some(bucket) => Err(lookup::no_bucket(bucket, &index.buckets(&request)?)),
                None => Ok(catalog),
            })
        };
        let catalog = self.blocking(made).await??;
        Ok(catalog.fitted(LOOKUP_REPLY_BYTES_MAX - REST_BYTES))
    }

    /// The fields that there are, when some that were named are not.
    async fn known(
        &self,
        principal: Principal,
        unknown: &[String],
    ) -> Result<Vec<String>, Problem> {
        if unknown.is_empty() {
            return Ok(Vec::new());
        }
        self.blocking(move |index| index.fields(&principal)).await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Index) -> Result<T, index::Error> + Send + 'static,
    ) -> Result<T, Problem> {
        let index = (self.index)();
        let done = tokio::task::spawn_blocking(move || work(&index)).await;
        done.map_err(|error| Problem::new("panic", error.to_string()))?
            .map_err(failed)
    }
}

/// A search that was to be by one part alone, and was not, would be taken for what it is not.
fn alone(strategy: SearchStrategy, failed: &[SearchPart]) -> Result<(), Problem> {
    let (part, instead) = match strategy {
        SearchStrategy::Hybrid => return Ok(()),
        SearchStrategy::Keyword => (SearchPart::Words, SearchStrategy::Semantic),
        SearchStrategy::Semantic => (SearchPart::Vectors, SearchStrategy::Keyword),
    };
    if !failed.contains(&part) {
        return Ok(());
    }
    let text = format!(
        "`strategy` is `{}`, and this index cannot be searched by {} now: it has none, or they failed; take `hybrid` or `{}`",
        strategy.as_str(),
        part.as_str(),
        instead.as_str()
    );
    Err(Problem::new("strategy_unavailable", text))
}

fn failed(error: impl Classify + std::fmt::Display) -> Problem {
    Problem::new(error.code(), error.to_string())
}

/// How a filter fared: what was left out of it is named as it was meant, after what the query was understood to say and
/// nothing satisfies.
fn matched(
    passages: &[Passage],
    filter: &Filter,
    unknown: &[String],
    given_up: &[Condition],
) -> FilterMatch {
    if passages.is_empty() {
        return FilterMatch::Empty;
    }
    let left_out = filter.0.iter().filter(|c| unknown.contains(&c.field));
    let dropped = given_up.iter().chain(left_out).map(ToString::to_string);
    let dropped: Vec<String> = dropped.collect();
    match dropped.is_empty() {
        true => FilterMatch::Matched,
        false => FilterMatch::Relaxed { dropped },
    }
}

/// The reply of a search as bytes, with as many of the best passages as fit.
pub(super) fn fitted(result: Result<SearchReply, Problem>) -> Vec<u8> {
    written(result.map(|found| fit(found, LOOKUP_REPLY_BYTES_MAX - REST_BYTES)))
}

fn fit(mut found: SearchReply, room: usize) -> SearchReply {
    let reasons = serde_json::to_vec(&(&found.documents, &found.dropped));
    let mut room = room.saturating_sub(reasons.map_or(0, |bytes| bytes.len()));
    let size = |passage: &Passage| serde_json::to_vec(passage).map_or(usize::MAX, |b| b.len() + 1);
    let fits = found.passages.iter().take_while(|passage| {
        let left = room.checked_sub(size(passage));
        room = left.unwrap_or(room);
        left.is_some()
    });
    let kept = fits.count();
    found.left_out = (found.passages.len() - kept) as u32;
    found.passages.truncate(kept);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::lookup::DroppedPassage;
    use serde_json::json;
    use testkit::model::passage;

    fn found(passages: Vec<Passage>) -> SearchReply {
        SearchReply {
            matched: FilterMatch::Matched,
            passages,
            total_hits: 0,
            unknown_fields: Vec::new(),
            known_fields: Vec::new(),
            failed: Vec::new(),
            left_out: 0,
            conditions: None,
            documents: Vec::new(),
            dropped: Vec::new(),
        }
    }

    #[test]
    fn a_reply_keeps_its_size_and_says_what_is_missing() {
        let large = passage("a", &"\"".repeat(100_000));
        let all = found(vec![large; 9]);
        let bytes = fitted(Ok(all.clone()));
        assert!(bytes.len() <= LOOKUP_REPLY_BYTES_MAX);
        let fitted = fit(all, LOOKUP_REPLY_BYTES_MAX - REST_BYTES);
        assert_eq!((fitted.passages.len(), fitted.left_out), (2, 7));
        // The reasons of a search take room of the passages.
        let explained = SearchReply {
            dropped: vec![DroppedPassage::default(); 5_000],
            ..found(vec![passage("a", &"x".repeat(300_000)); 2])
        };
        let explained = super::fitted(Ok(explained));
        assert!(explained.len() <= LOOKUP_REPLY_BYTES_MAX);
        let none = fit(found(vec![passage("a", "text")]), 3);
        assert_eq!((none.passages.len(), none.left_out), (0, 1));
    }

    #[test]
    fn a_strategy_that_cannot_be_kept_to_is_refused_with_another() {
        let said = |strategy, failed: &[SearchPart]| alone(strategy, failed).map_err(|p| p.message);
        let vectors = [SearchPart::Vectors, SearchPart::Reranker];
        assert_eq!(said(SearchStrategy::Hybrid, &vectors), Ok(()));
        assert_eq!(said(SearchStrategy::Keyword, &vectors), Ok(()));
        let refused = said(SearchStrategy::Semantic, &vectors).unwrap_err();
        assert!(refused.ends_with("take `hybrid` or `keyword`"), "{refused}");
        let refused = said(SearchStrategy::Keyword, &[SearchPart::Words]).unwrap_err();
        assert!(refused.contains("by words now"), "{refused}");
    }

    #[test]
    fn what_was_left_out_of_a_filter_is_named() {
        let filter =
            Filter::parse(&json!({"yeer": 2024, "ext": "md"}), ConditionOrigin::User).unwrap();
        let some = [passage("a", "text")];
        let unknown = ["yeer".to_owned()];
        let dropped = vec!["yeer = 2024".to_owned()];
        assert_eq!(
            matched(&some, &filter, &unknown, &[]),
            FilterMatch::Relaxed { dropped }
        );
        assert_eq!(matched(&some, &filter, &[], &[]), FilterMatch::Matched);
        assert_eq!(matched(&[], &filter, &unknown, &[]), FilterMatch::Empty);
    }
}
