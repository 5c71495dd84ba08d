//! Finds the chunks whose vectors are closest to that of a query, among the chunks that match the restrictions of the
//! search.
//!
//! It is a tantivy collector: tantivy applies the restrictions, so that the word search and the vector search see the
//! same chunks.

use super::rows::{Probe, Rows};
use super::schema::ROW;
use super::vectors::VectorSource;
use super::{Index, Snapshot};
use crate::Error;
use futures_util::future::BoxFuture;
use search::{Neighbour, SearchRequest, VectorSearch};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;
use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::Column;
use tantivy::{DocAddress, DocId, Score, SegmentOrdinal, SegmentReader};

/// Collects the `k` closest.
pub(super) struct Nearest {
    pub(super) rows: Rows,
    pub(super) probe: Arc<Probe>,
    pub(super) k: usize,
}

/// A chunk and its cosine. Greater is closer; the address decides where they are the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Close {
    pub(crate) score: f32,
    pub(crate) address: DocAddress,
}

impl Eq for Close {}

impl Ord for Close {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then_with(|| other.address.cmp(&self.address))
    }
}

impl PartialOrd for Close {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Collector for Nearest {
    type Fruit = Vec<Close>;
    type Child = NearestInSegment;

    fn for_segment(
        &self,
        ordinal: SegmentOrdinal,
        segment: &SegmentReader,
    ) -> tantivy::Result<NearestInSegment> {
        Ok(NearestInSegment {
            column: segment.fast_fields().u64(ROW)?,
            rows: self.rows.clone(),
            probe: self.probe.clone(),
            k: self.k,
            ordinal,
            best: BinaryHeap::with_capacity(self.k + 1),
        })
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(&self, fruits: Vec<Vec<Close>>) -> tantivy::Result<Vec<Close>> {
        let mut all: Vec<Close> = fruits.into_iter().flatten().collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        all.truncate(self.k);
        Ok(all)
    }
}

/// The same in one segment.
pub(super) struct NearestInSegment {
    column: Column<u64>,
    rows: Rows,
    probe: Arc<Probe>,
    k: usize,
    ordinal: SegmentOrdinal,
    best: BinaryHeap<Reverse<Close>>,
}

impl SegmentCollector for NearestInSegment {
    type Fruit = Vec<Close>;

    fn collect(&mut self, doc: DocId, _score: Score) {
        let row = self.column.first(doc);
        let Some(score) = row.and_then(|row| self.rows.similarity(row, &self.probe)) else {
            return;
        };
        let close = Close {
            score,
            address: DocAddress::new(self.ordinal, doc),
        };
        if self.best.len() < self.k {
            self.best.push(Reverse(close));
        } else if let Some(mut worst) = self.best.peek_mut()
            && worst.0 < close
        {
            *worst = Reverse(close);
        }
    }

    fn harvest(self) -> Vec<Close> {
        self.best.into_iter().map(|Reverse(close)| close).collect()
    }
}

impl Index {
    /// How many chunks no vector search finds, because they came without a vector of the embedder; `None` when vectors
    /// do not come with chunks. Looks at each chunk. Blocking.
    pub fn without_vector(&self) -> Result<Option<u64>, Error> {
        let VectorSource::Carried { .. } = &self.vectors.source else {
            return Ok(None);
        };
        let Snapshot { searcher, view, .. } = self.snapshot();
        let has_vector = |row: u64| view.rows.as_ref().is_some_and(|rows| rows.has(row));
        let mut without = 0;
        for segment in searcher.segment_readers() {
            let column = segment.fast_fields().u64(ROW)?;
            let chunks = segment.doc_ids_alive();
            let found = chunks.filter(|doc| column.first(*doc).is_some_and(has_vector));
            without += u64::from(segment.num_docs()) - found.count() as u64;
        }
        Ok(Some(without))
    }
}

impl VectorSearch for Index {
    fn nearest<'a>(
        &'a self,
        vector: &'a [f32],
        request: &'a SearchRequest,
        k: usize,
    ) -> BoxFuture<'a, Result<Vec<Neighbour>, search::Error>> {
        let (snapshot, vector, request) = (self.snapshot(), vector.to_vec(), request.clone());
        let search = move || {
            let close = snapshot.by_vector(&request, &vector, k)?;
            let near = close.into_iter().map(|close| {
                let record = snapshot.record(close.address)?;
                Ok(Neighbour {
                    chunk: record.key(),
                    score: close.score,
                })
            });
            near.collect::<Result<Vec<Neighbour>, Error>>()
        };
        Box::pin(async move {
            let found = tokio::task::spawn_blocking(search).await;
            let found = found.map_err(|error| Error::Index(error.to_string()))?;
            Ok(found?)
        })
    }
}
