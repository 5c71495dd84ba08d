//! Counts the documents that match a filter, and the values of their metadata, without fetching a record.
//!
//! It answers questions such as "how many invoices of 2024, by vendor" for `argosy.count` and `argosy.metadata`.
//! Documents are counted, not chunks: the first chunk of a document represents it.

use super::tally::{Scope, tally};
use super::{Index, term_query};
use crate::Error;
use crate::gazetteer::{Gazetteer, Named};
use envelope::lookup::{self, CountReply, DocumentReply, Facet};
use envelope::{Bucket, ChunkRecord, DocId, Filter, Principal};
use search::filter_terms::{self, BUILT_IN};
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};
use tantivy::collector::{Count, DocSetCollector, TopDocs};
use tantivy::query::BooleanQuery;
use tantivy::{Searcher, TantivyError, Term};

/// A field with more different values has names that are better searched as text.
const VALUES_NAMED_MAX: usize = 500;
/// Most fields of metadata whose values are looked for in questions, and that are listed for a tenant.
const FIELDS_NAMED_MAX: usize = 64;
/// Most fields, of all tenants, that are looked through for those of one.
const FIELDS_READ_MAX: usize = 10_000;

impl Index {
    /// Counts documents, and the values of some of their fields. Blocking.
    pub fn count(&self, request: &lookup::Count) -> Result<CountReply, Error> {
        let lookup::Count {
            principal,
            buckets,
            filter,
            ..
        } = request;
        let searcher = self.reader.searcher();
        let heads = self.heads(&searcher, (principal, buckets, filter))?;
        let mut facets = Vec::with_capacity(request.facets.len());
        if !request.facets.is_empty() {
            let scope = Scope::of(&searcher, &heads)?;
            for field in &request.facets {
                facets.push(self.facet(&searcher, &scope, field, request.values_max)?);
            }
        }
        let filtered = filter.0.iter().map(|condition| &condition.field);
        let named = filtered.chain(&request.facets);
        let unknown_fields = self.unknown_fields(&searcher, principal, named)?;
        Ok(CountReply {
            documents: searcher.search(&heads, &Count)? as u64,
            facets,
            known_fields: match unknown_fields.is_empty() {
                true => Vec::new(),
                false => self.fields(principal)?,
            },
            unknown_fields,
        })
    }

    fn facet(
        &self,
        searcher: &Searcher,
        scope: &Scope,
        field: &str,
        values_max: usize,
    ) -> Result<Facet, Error> {
        let name = filter_terms::field_name(field);
        let (values, more) = tally(searcher, self.fields.facts, scope, &name, values_max)?;
        Ok(Facet {
            field: field.to_owned(),
            values,
            more,
        })
    }

    /// The names of this moment; made anew when a commit has changed the index.
    pub(super) fn names_of(&self, searcher: &Searcher) -> Result<Arc<Gazetteer>, Error> {
        let generation = searcher.generation().generation_id();
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, known)) = &*names
            && *of == generation
        {
            return Ok(known.clone());
        }
        let known = Arc::new(self.gazetteer(searcher)?);
        *names = Some((generation, known.clone()));
        Ok(known)
    }

    /// The text values of the fields that have few different ones.
    fn gazetteer(&self, searcher: &Searcher) -> Result<Gazetteer, Error> {
        let mut named = BTreeSet::new();
        for field in self.fields_of_metadata(searcher, FIELDS_NAMED_MAX)? {
            let values = self.values(searcher, &field)?;
            if values.len() > VALUES_NAMED_MAX {
                continue;
            }
            let start = filter_terms::start_of('t', &field);
            let texts = values.iter().filter_map(|fact| fact.strip_prefix(&start));
            named.extend(texts.map(|value| Named {
                field: field.clone(),
                value: value.to_owned(),
            }));
        }
        Ok(Gazetteer::new(named))
    }

    /// The fields that the documents of a principal can be filtered by: the built-in ones and the first 64
    /// others by name. Blocking.
    pub fn fields(&self, principal: &Principal) -> Result<Vec<String>, Error> {
        let searcher = self.reader.searcher();
        let mut known: BTreeSet<String> = BUILT_IN.map(str::to_owned).into();
        known.extend(self.fields_of(&searcher, principal, FIELDS_NAMED_MAX)?.0);
        Ok(known.into_iter().collect())
    }

    /// The first fields of metadata, by name, that documents of a principal have, and how many there are besides.
    pub(super) fn fields_of(
        &self,
        searcher: &Searcher,
        principal: &Principal,
        fields_max: usize,
    ) -> Result<(Vec<String>, u32), Error> {
        let (mut known, mut others) = (Vec::new(), 0);
        for field in self.fields_of_metadata(searcher, FIELDS_READ_MAX)? {
            if !self.has_fact(searcher, principal, &filter_terms::marker(&field))? {
                continue;
            }
            match known.len() < fields_max {
                true => known.push(field),
                false => others += 1,
            }
        }
        Ok((known, others))
    }

    fn fields_of_metadata(
        &self,
        searcher: &Searcher,
        fields_max: usize,
    ) -> Result<BTreeSet<String>, Error> {
        let marker = filter_terms::marker("");
        let mut fields = BTreeSet::new();
        for segment in searcher.segment_readers() {
            let index = segment.inverted_index(self.fields.facts)?;
            let range = index.terms().range().ge(&marker).lt("g");
            let mut terms = range.into_stream().map_err(TantivyError::from)?;
            while fields.len() < fields_max && terms.advance() {
                let fact = std::str::from_utf8(terms.key()).unwrap_or_default();
                fields.extend(fact.strip_prefix(&marker).map(str::to_owned));
            }
        }
        Ok(fields)
    }

    /// The different values of a field as facts, one more than may be named at most.
    fn values(&self, searcher: &Searcher, field: &str) -> Result<BTreeSet<String>, Error> {
        let mut found = BTreeSet::new();
        for segment in searcher.segment_readers() {
            let index = segment.inverted_index(self.fields.facts)?;
            // A number is listed as it is written.
            for kind in ['t', 'd'] {
                let range = index.terms().range();
                let range = range.ge(filter_terms::start_of(kind, field));
                let range = range.lt(filter_terms::end_of(kind, field));
                let mut terms = range.into_stream().map_err(TantivyError::from)?;
                let mut left = VALUES_NAMED_MAX + 1;
                while left > 0 && terms.advance() {
                    left -= 1;
                    found.extend(std::str::from_utf8(terms.key()).ok().map(str::to_owned));
                }
            }
        }
        Ok(found)
    }

    /// The documents for which a filter holds, in the order of their sources. Blocking: reads the head of each document.
    pub fn rows(
        &self,
        principal: &Principal,
        filter: &Filter,
    ) -> Result<Vec<DocumentReply>, Error> {
        let searcher = self.reader.searcher();
        let heads = self.heads(&searcher, (principal, &[], filter))?;
        let mut addresses = Vec::from_iter(searcher.search(&heads, &DocSetCollector)?);
        addresses.sort_unstable();
        let mut rows = Vec::with_capacity(addresses.len());
        for address in addresses {
            rows.push(facts_of(self.stored(&searcher, address)?));
        }
        rows.sort_by(|a, b| a.source.cmp(&b.source));
        Ok(rows)
    }

    /// The heads of the documents of a principal in some buckets for which a filter holds.
    pub(super) fn heads(
        &self,
        searcher: &Searcher,
        among: (&Principal, &[Bucket], &Filter),
    ) -> Result<BooleanQuery, Error> {
        let mut restrictions = self.restrictions(searcher, among)?;
        restrictions.queries.push(self.heads_only());
        Ok(BooleanQuery::intersection(restrictions.queries))
    }

    /// The stored facts about a document; `None` when the principal has no such document. Blocking.
    pub fn document(
        &self,
        principal: &Principal,
        doc_id: &DocId,
    ) -> Result<Option<DocumentReply>, Error> {
        let searcher = self.reader.searcher();
        let id = filter_terms::text_term(BUILT_IN[2], doc_id.as_str());
        let query = BooleanQuery::intersection(vec![
            term_query(Term::from_field_text(self.fields.facts, &id)),
            self.readable(&searcher, principal)?.query,
            self.heads_only(),
        ]);
        let top = TopDocs::with_limit(1).order_by_score();
        let head = searcher.search(&query, &top)?.into_iter().next();
        let Some((_, address)) = head else {
            return Ok(None);
        };
        let head: ChunkRecord = self.stored(&searcher, address)?;
        Ok(Some(facts_of(head)))
    }
}

fn facts_of(head: ChunkRecord) -> DocumentReply {
    DocumentReply {
        bucket: head.bucket,
        doc_id: head.doc_id,
        title: head.title,
        source: head.source,
        chunks: head.of,
        metadata: head.metadata,
    }
}

#[cfg(test)]
#[path = "facets_tests.rs"]
mod tests;
