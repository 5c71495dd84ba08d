//! Restricts every look into the index to what a principal may read: its tenant, without the documents that its groups
//! must not read.
//!
//! What is denied is looked up once for each segment, principal and state of the rules, and kept as a set of bits: a
//! rule for a large folder costs as little as one for a small one. *Not* here: what the rules mean (`envelope::access`).

use super::{Index, any_term, term_query};
use crate::Error;
use envelope::access::DeniedPart;
use envelope::principal::ALL_GROUPS;
use envelope::{AccessRules, Principal};
use search::filter_terms;
use std::collections::HashMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tantivy::index::SegmentId;
use tantivy::query::{
    BitSetDocSet, BooleanQuery, ConstScorer, EnableScoring, Explanation, InvertedIndexRangeQuery,
    Occur, Query, Scorer, Weight,
};
use tantivy::schema::Field;
use tantivy::{BitSet, DocId, DocSet, Score, Searcher, SegmentReader, TERMINATED, Term};

/// Sets that are kept; beyond that, all are made anew.
const SETS_MAX: usize = 512;

/// The rules of who may read which documents, shared by the indexes of a process. Default: no rules.
#[derive(Debug, Clone, Default)]
pub struct Access(Arc<RwLock<Current>>);

/// The rules, and how often they have changed.
#[derive(Debug, Clone, Default)]
struct Current {
    rules: Arc<AccessRules>,
    version: u64,
}

impl Access {
    /// Puts other rules in place; the next look into an index keeps to them.
    pub fn set(&self, rules: AccessRules) {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if *current.rules != rules {
            current.rules = Arc::new(rules);
            current.version += 1;
        }
    }

    /// The present rules.
    pub fn rules(&self) -> Arc<AccessRules> {
        self.current().rules
    }

    fn current(&self) -> Current {
        let current = self.0.read().unwrap_or_else(PoisonError::into_inner);
        current.clone()
    }
}

/// The denied chunks of a segment, for a principal under some version of the rules.
type Key = (SegmentId, u64, Principal);

/// The sets that were looked up.
#[derive(Debug, Default)]
pub(super) struct DeniedSets(Mutex<HashMap<Key, Arc<BitSet>>>);

/// The chunks that a principal may read.
pub(super) struct Readable {
    /// Matches them.
    pub(super) query: Box<dyn Query>,
    /// Whether these are all chunks of the tenant.
    pub(super) is_whole_tenant: bool,
}

impl Index {
    /// What a principal may read.
    pub(super) fn readable(
        &self,
        searcher: &Searcher,
        principal: &Principal,
    ) -> Result<Readable, Error> {
        let tenant = Term::from_field_text(self.fields.tenant, principal.tenant.as_str());
        let tenant = term_query(tenant);
        let Some(denied) = self.denied(searcher, principal)? else {
            return Ok(Readable {
                query: tenant,
                is_whole_tenant: true,
            });
        };
        let both: Vec<(Occur, Box<dyn Query>)> =
            vec![(Occur::Must, tenant), (Occur::MustNot, Box::new(denied))];
        Ok(Readable {
            query: Box::new(BooleanQuery::new(both)),
            is_whole_tenant: false,
        })
    }

    /// What a principal must not read; `None` where that is certainly nothing.
    fn denied(
        &self,
        searcher: &Searcher,
        principal: &Principal,
    ) -> Result<Option<DeniedChunks>, Error> {
        if principal.groups.is_all() {
            return Ok(None);
        }
        let facts = self.fields.facts;
        let Current { rules, version } = self.access.current();
        let marked = Term::from_field_text(facts, filter_terms::ACL_MARKER);
        if rules.of(&principal.tenant).is_empty() && searcher.doc_freq(&marked)? == 0 {
            return Ok(None);
        }
        Ok(Some(DeniedChunks {
            facts,
            rules,
            version,
            principal: principal.clone(),
            sets: self.denied_sets.clone(),
        }))
    }

    /// Whether a principal may read the whole of its tenant.
    pub(super) fn reads_all(
        &self,
        searcher: &Searcher,
        principal: &Principal,
    ) -> Result<bool, Error> {
        Ok(self.denied(searcher, principal)?.is_none())
    }
}

/// A folder or a document, without what in it may be read.
fn part_query(facts: Field, denied: &DeniedPart<'_>) -> Box<dyn Query> {
    let except = denied.except.iter();
    let except = except.map(|path| (Occur::MustNot, place_query(facts, path)));
    let all = [(Occur::Must, place_query(facts, denied.path))];
    Box::new(BooleanQuery::new(all.into_iter().chain(except).collect()))
}

/// The chunks below a path: a folder, a document with its parts, or everything.
fn place_query(facts: Field, path: &str) -> Box<dyn Query> {
    let term = |text: &str| Term::from_field_text(facts, text);
    let from = filter_terms::place_term(path);
    let range = |from: &str, last: char| -> Box<dyn Query> {
        // Nothing lies between all that begins like `from` and the same with its last character one higher.
        let above = from[..from.len() - last.len_utf8()].to_owned();
        let next = char::from_u32(u32::from(last) + 1).unwrap_or(char::MAX);
        let until = format!("{above}{next}");
        let (from, until) = (Bound::Included(term(from)), Bound::Excluded(term(&until)));
        Box::new(InvertedIndexRangeQuery::new(from, until))
    };
    match path.chars().last() {
        None => range(&from, '\0'),
        Some('/') => range(&from, '/'),
        Some(_) => Box::new(BooleanQuery::union(vec![
            term_query(term(&from)),
            range(&format!("{from}#"), '#'),
        ])),
    }
}

/// Matches the chunks that a principal must not read.
#[derive(Debug, Clone)]
struct DeniedChunks {
    facts: Field,
    rules: Arc<AccessRules>,
    version: u64,
    principal: Principal,
    sets: Arc<DeniedSets>,
}

impl DeniedChunks {
    /// All of it, looked up anew.
    fn any(&self) -> BooleanQuery {
        let rules = self.rules.denied(&self.principal);
        let mut any: Vec<Box<dyn Query>> = rules
            .iter()
            .map(|part| part_query(self.facts, part))
            .collect();
        let groups = self.principal.groups.names().chain([ALL_GROUPS]);
        let term = |text: &str| Term::from_field_text(self.facts, text);
        let mine = groups.map(|name| term(&filter_terms::acl_term(name)));
        let closed: Vec<(Occur, Box<dyn Query>)> = vec![
            (Occur::Must, term_query(term(filter_terms::ACL_MARKER))),
            (Occur::MustNot, any_term(mine)),
        ];
        any.push(Box::new(BooleanQuery::new(closed)));
        BooleanQuery::union(any)
    }

    fn set(&self, segment: &SegmentReader) -> tantivy::Result<Arc<BitSet>> {
        let key = (segment.segment_id(), self.version, self.principal.clone());
        let kept = || self.sets.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = kept().get(&key) {
            return Ok(set.clone());
        }
        let scoring = EnableScoring::disabled_from_schema(segment.schema());
        let mut docs = self.any().weight(scoring)?.scorer(segment, 1.0)?;
        let mut set = BitSet::with_max_value(segment.max_doc());
        while docs.doc() != TERMINATED {
            set.insert(docs.doc());
            docs.advance();
        }
        let (set, mut kept) = (Arc::new(set), kept());
        if kept.len() >= SETS_MAX {
            kept.clear();
        }
        kept.insert(key, set.clone());
        Ok(set)
    }
}

impl Query for DeniedChunks {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for DeniedChunks {
    fn scorer(&self, segment: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let set = BitSetDocSet::from((*self.set(segment)?).clone());
        Ok(Box::new(ConstScorer::new(set, boost)))
    }

    fn explain(&self, segment: &SegmentReader, doc: DocId) -> tantivy::Result<Explanation> {
        let is_denied = self.set(segment)?.contains(doc);
        Ok(Explanation::new("denied", Score::from(is_denied)))
    }
}

#[cfg(test)]
#[path = "readable_tests.rs"]
mod tests;
