//! Fetches chunks by their ids, such as those that an earlier answer cites.
//!
//! An id names no bucket, so the chunk is looked for in the buckets that the request names, or in all buckets. *Not* a
//! way around the conditions of a request: a chunk that they exclude is not found.

use super::query::Snapshot;
use super::{any_term, schema, term_query};
use crate::Error;
use envelope::{Bucket, DocId, Passage};
use search::SearchRequest;
use std::collections::BTreeSet;
use tantivy::collector::DocSetCollector;
use tantivy::query::BooleanQuery;
use tantivy::schema::Field;
use tantivy::{DocAddress, Searcher, TantivyError, Term};

/// The score of a passage that nothing was compared with.
const SCORE: f32 = 1.0;

impl Snapshot {
    /// The chunks of these ids that match a request, in their order. Where the request has a condition on a field
    /// that no document has, none match: unlike a search, nothing is left out.
    pub(crate) fn fetch(
        &self,
        request: &SearchRequest,
        ids: &[String],
    ) -> Result<Vec<Passage>, Error> {
        let restrictions = self.restrictions(request)?;
        if !restrictions.unknown_fields.is_empty() {
            return Ok(Vec::new());
        }
        let buckets = match request.buckets.is_empty() {
            true => bucket_names(&self.searcher, self.index.fields.bucket)?,
            false => request.buckets.iter().cloned().collect(),
        };
        let keys: Vec<Term> = ids.iter().flat_map(|id| self.keys(id, &buckets)).collect();
        let mut queries = restrictions.queries;
        queries.push(any_term(keys));
        let let_through = BooleanQuery::intersection(queries);
        let let_through = self.searcher.search(&let_through, &DocSetCollector)?;
        let mut passages = Vec::with_capacity(ids.len());
        for id in ids {
            for key in self.keys(id, &buckets) {
                let there = self.searcher.search(&*term_query(key), &DocSetCollector)?;
                let there: Option<DocAddress> =
                    there.into_iter().find(|at| let_through.contains(at));
                if let Some(at) = there {
                    passages.push(self.record(at)?.into_passage(SCORE));
                    break;
                }
            }
        }
        Ok(passages)
    }

    /// What the chunk of an id may be called; nothing for what is no id.
    fn keys(&self, id: &str, buckets: &BTreeSet<Bucket>) -> Vec<Term> {
        let parts = id.rsplit_once('.');
        let parts = parts.and_then(|(doc, n)| Some((DocId::new(doc).ok()?, n.parse().ok()?)));
        let Some((doc, n)) = parts else {
            return Vec::new();
        };
        let key = |bucket| schema::key(bucket, &doc, n);
        let keys = buckets.iter().map(key);
        keys.map(|key| Term::from_field_text(self.index.fields.key, &key))
            .collect()
    }
}

/// The buckets of all tenants.
pub(super) fn bucket_names(searcher: &Searcher, field: Field) -> Result<BTreeSet<Bucket>, Error> {
    let mut buckets = BTreeSet::new();
    for segment in searcher.segment_readers() {
        let index = segment.inverted_index(field)?;
        let mut terms = index.terms().stream().map_err(TantivyError::from)?;
        while terms.advance() {
            let name = std::str::from_utf8(terms.key()).unwrap_or_default();
            buckets.extend(Bucket::new(name).ok());
        }
    }
    Ok(buckets)
}
