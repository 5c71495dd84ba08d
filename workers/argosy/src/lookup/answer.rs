//! A request to look into the corpus, to its reply. *Not* here: the bus, and how many at once.

use super::{catalog, written};
use documents::document::doc_id_of;
use envelope::limits::LOOKUP_REPLY_BYTES_MAX;
use envelope::lookup::{
    self, CatalogRequest, CorpusCatalog, Counted, Document, Facet, FacetValue, Found, Which,
};
use envelope::{Bucket, Classed, Filter, Matched, Passage, Problem, TenantId};
use index::{CountRequest, Index};
use indexer::schema::Schemas;
use search::{Request, Searcher, context};
use std::sync::Arc;

/// Candidates of a search before reranking, as the retriever has by default.
const FETCH_K: usize = 100;
/// What of the largest reply is left for everything but passages, in bytes.
const REST_BYTES: usize = 16 * 1024;

/// What requests are answered from.
pub struct Lookup {
    searcher: Arc<dyn Searcher>,
    index: Box<dyn Fn() -> Index + Send + Sync>,
    schemas: Arc<Schemas>,
}

impl Lookup {
    /// Answers from `searcher`, and counts in what `index` gives: another one after a switch of editions.
    pub fn new(
        searcher: Arc<dyn Searcher>,
        index: impl Fn() -> Index + Send + Sync + 'static,
    ) -> Lookup {
        Lookup {
            searcher,
            index: Box::new(index),
            schemas: Arc::default(),
        }
    }

    /// The same, which knows what schemas say of buckets and columns.
    pub fn with_schemas(self, schemas: Arc<Schemas>) -> Lookup {
        Lookup { schemas, ..self }
    }

    pub(super) async fn search(&self, body: &[u8]) -> Result<Found, Problem> {
        let asked = lookup::Search::parse(body)?;
        let request = Request {
            tenant: asked.tenant,
            buckets: asked.buckets,
            filter: asked.filter,
            query: asked.query,
            keywords: Vec::new(),
            context: None,
            fetch_k: FETCH_K,
            top_k: asked.top_k,
            after: None,
        };
        let found = self.searcher.search(&request).await.map_err(failed)?;
        let mut passages = found.passages;
        if let Some(chars) = asked.context_chars {
            for passage in &mut passages {
                passage.text = context(&passage.text, &request.query, chars);
            }
        }
        let unknown_fields = found.unknown_fields;
        Ok(Found {
            matched: matched(&passages, &request.filter, &unknown_fields),
            passages,
            total_hits: found.total_hits,
            known_fields: self.known(request.tenant, &unknown_fields).await?,
            unknown_fields,
            failed: found.failed.iter().map(|leg| leg.as_str().into()).collect(),
            left_out: 0,
        })
    }

    pub(super) async fn count(&self, body: &[u8]) -> Result<Counted, Problem> {
        let asked = lookup::Count::parse(body)?;
        let request = CountRequest {
            tenant: asked.tenant.clone(),
            buckets: asked.buckets,
            filter: asked.filter,
            fields: asked.facets,
            values_max: asked.values_max,
        };
        let (counted, fields) = self
            .blocking(move |index| {
                let counted = index.count(&request)?;
                let fields = match counted.unknown_fields.is_empty() {
                    true => Vec::new(),
                    false => index.fields(&request.tenant)?,
                };
                Ok((counted, fields))
            })
            .await?;
        Ok(Counted {
            documents: counted.documents,
            facets: counted.facets.into_iter().map(facet).collect(),
            known_fields: fields,
            unknown_fields: counted.unknown_fields,
        })
    }

    pub(super) async fn metadata(&self, body: &[u8]) -> Result<Document, Problem> {
        let lookup::Metadata { tenant, which } = lookup::Metadata::parse(body)?;
        let (doc_id, named) = match which {
            Which::Source(source) => (doc_id_of(&tenant, &source), source),
            Which::DocId(doc_id) => (doc_id.clone(), doc_id.to_string()),
        };
        let facts = self
            .blocking(move |index| index.document(&tenant, &doc_id))
            .await?;
        let Some(facts) = facts else {
            return Err(Problem::new(
                "not_found",
                format!(
                    "there is no document `{named}`; a search says the `doc_id` and `source` of what there is"
                ),
            ));
        };
        Ok(Document {
            bucket: facts.bucket,
            doc_id: facts.doc_id,
            title: facts.title,
            source: facts.source,
            chunks: facts.chunks,
            metadata: facts.metadata,
        })
    }

    pub(super) async fn catalog(&self, body: &[u8]) -> Result<CorpusCatalog, Problem> {
        let request = CatalogRequest::parse(body)?;
        let schemas = self.schemas.clone();
        let made = move |index: &Index| {
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
    async fn known(&self, tenant: TenantId, unknown: &[String]) -> Result<Vec<String>, Problem> {
        if unknown.is_empty() {
            return Ok(Vec::new());
        }
        self.blocking(move |index| index.fields(&tenant)).await
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

fn failed(error: impl Classed + std::fmt::Display) -> Problem {
    Problem::new(error.code(), error.to_string())
}

/// How a filter fared: what was left out of it is named as it was meant.
fn matched(passages: &[Passage], filter: &Filter, unknown: &[String]) -> Matched {
    if passages.is_empty() {
        return Matched::Empty;
    }
    let left_out = filter.0.iter().filter(|c| unknown.contains(&c.field));
    let dropped: Vec<String> = left_out.map(ToString::to_string).collect();
    match dropped.is_empty() {
        true => Matched::Matched,
        false => Matched::Relaxed { dropped },
    }
}

fn facet(counted: index::Facet) -> Facet {
    let values = counted.values.into_iter();
    Facet {
        field: counted.field,
        values: values
            .map(|(value, documents)| FacetValue { value, documents })
            .collect(),
        more: counted.more,
    }
}

/// The reply of a search as bytes, with as many of the best passages as fit.
pub(super) fn fitted(result: Result<Found, Problem>) -> Vec<u8> {
    written(result.map(|found| fit(found, LOOKUP_REPLY_BYTES_MAX - REST_BYTES)))
}

fn fit(mut found: Found, mut room: usize) -> Found {
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
    use envelope::Origin;
    use serde_json::json;
    use testkit::model::passage;

    fn found(passages: Vec<Passage>) -> Found {
        Found {
            matched: Matched::Matched,
            passages,
            total_hits: 0,
            unknown_fields: Vec::new(),
            known_fields: Vec::new(),
            failed: Vec::new(),
            left_out: 0,
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
        let none = fit(found(vec![passage("a", "text")]), 3);
        assert_eq!((none.passages.len(), none.left_out), (0, 1));
    }

    #[test]
    fn what_was_left_out_of_a_filter_is_named() {
        let filter = Filter::parse(&json!({"yeer": 2024, "ext": "md"}), Origin::User).unwrap();
        let some = [passage("a", "text")];
        let unknown = ["yeer".to_owned()];
        let dropped = vec!["yeer = 2024".to_owned()];
        assert_eq!(
            matched(&some, &filter, &unknown),
            Matched::Relaxed { dropped }
        );
        assert_eq!(matched(&some, &filter, &[]), Matched::Matched);
        assert_eq!(matched(&[], &filter, &unknown), Matched::Empty);
    }
}
