//! Words that are looked for among the chunks of one tenant, who is often alone.
//!
//! Where a segment has chunks of nobody else, its restriction lets everything through, and to compare each hit
//! with it costs as much as a word. *Not* another result: the score of a restriction is 0.

use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, Score, SegmentReader, Term};

/// The same hits and scores either way; which is asked is decided in each segment.
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
        Ok(Box::new(OfTenantWeight {
            tenant: self.tenant.clone(),
            words: self.words.weight(scoring)?,
            restricted: self.restricted.weight(scoring)?,
        }))
    }
}

struct OfTenantWeight {
    tenant: Term,
    words: Box<dyn Weight>,
    restricted: Box<dyn Weight>,
}

impl OfTenantWeight {
    fn within(&self, segment: &SegmentReader) -> tantivy::Result<&dyn Weight> {
        let index = segment.inverted_index(self.tenant.field())?;
        let alone = index.doc_freq(&self.tenant)? == segment.max_doc();
        Ok(match alone {
            true => &*self.words,
            false => &*self.restricted,
        })
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
