//! Restricts a word search to one tenant, at little cost in an index that has only one.
//!
//! In a segment with chunks of one tenant only, the restriction would match every chunk, and comparing each hit with it
//! would cost as much as another word. So it is left out there. Hits and scores are the same with and without it,
//! because the score of a restriction is 0.

use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, Score, SegmentReader, TantivyError, Term};

/// A query with the restriction to a tenant, or without it where a segment is the tenant's alone. Hits and scores
/// are the same either way; each segment decides.
#[derive(Debug)]
pub(super) struct OfTenant {
    /// What every chunk of the tenant has.
    pub(super) tenant: Term,
    /// The words alone.
    pub(super) words: Box<dyn Query>,
    /// The words and the restriction.
    pub(super) restricted: Box<dyn Query>,
}

impl Clone for OfTenant {
    fn clone(&self) -> Self {
        OfTenant {
            tenant: self.tenant.clone(),
            words: self.words.box_clone(),
            restricted: self.restricted.box_clone(),
        }
    }
}

impl Query for OfTenant {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        let (mut alone, mut among) = (false, false);
        for segment in scoring.searcher().iter().flat_map(|s| s.segment_readers()) {
            let is_alone = is_alone(&self.tenant, segment)?;
            alone |= is_alone;
            among |= !is_alone;
        }
        // To look up each word in each field takes long enough not to do it in vain.
        let restricted = (among || !alone).then(|| self.restricted.weight(scoring));
        let words = alone.then(|| self.words.weight(scoring));
        Ok(Box::new(OfTenantWeight {
            tenant: self.tenant.clone(),
            words: words.transpose()?,
            restricted: restricted.transpose()?,
        }))
    }
}

/// Whether a segment has chunks of no other tenant.
fn is_alone(tenant: &Term, segment: &SegmentReader) -> tantivy::Result<bool> {
    let index = segment.inverted_index(tenant.field())?;
    Ok(index.doc_freq(tenant)? == segment.max_doc())
}

struct OfTenantWeight {
    tenant: Term,
    /// There when a segment is the tenant's alone.
    words: Option<Box<dyn Weight>>,
    /// There when one is not, or when that is not known.
    restricted: Option<Box<dyn Weight>>,
}

impl OfTenantWeight {
    fn within(&self, segment: &SegmentReader) -> tantivy::Result<&dyn Weight> {
        let words = match is_alone(&self.tenant, segment)? {
            true => self.words.as_deref(),
            false => None,
        };
        let weight = words.or(self.restricted.as_deref());
        weight.ok_or_else(|| TantivyError::InternalError("a segment of another search".into()))
    }
}

impl Weight for OfTenantWeight {
    fn scorer(&self, segment: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        self.within(segment)?.scorer(segment, boost)
    }

    fn explain(&self, segment: &SegmentReader, doc: DocId) -> tantivy::Result<Explanation> {
        self.within(segment)?.explain(segment, doc)
    }

    fn count(&self, segment: &SegmentReader) -> tantivy::Result<u32> {
        self.within(segment)?.count(segment)
    }

    fn for_each(
        &self,
        segment: &SegmentReader,
        hit: &mut dyn FnMut(DocId, Score),
    ) -> tantivy::Result<()> {
        self.within(segment)?.for_each(segment, hit)
    }

    fn for_each_no_score(
        &self,
        segment: &SegmentReader,
        hits: &mut dyn FnMut(&[DocId]),
    ) -> tantivy::Result<()> {
        self.within(segment)?.for_each_no_score(segment, hits)
    }

    fn for_each_pruning(
        &self,
        threshold: Score,
        segment: &SegmentReader,
        hit: &mut dyn FnMut(DocId, Score) -> Score,
    ) -> tantivy::Result<()> {
        self.within(segment)?
            .for_each_pruning(threshold, segment, hit)
    }
}
