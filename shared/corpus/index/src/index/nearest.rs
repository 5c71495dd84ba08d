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
use std::sync::Arc;
use tantivy::collector::{Collector, TopDocs};
use tantivy::{DocAddress, DocId, SegmentReader};

/// Collects the `k` closest of them, with their cosines. Chunks without a vector come last, without one.
pub(super) fn nearest(
    rows: Rows,
    probe: Probe,
    k: usize,
) -> impl Collector<Fruit = Vec<(Option<f32>, DocAddress)>> {
    let probe = Arc::new(probe);
    TopDocs::with_limit(k).order_by(move |segment: &SegmentReader| {
        let (rows, probe) = (rows.clone(), probe.clone());
        let column = segment.fast_fields().u64(ROW).ok();
        move |doc: DocId| rows.similarity(column.as_ref()?.first(doc)?, &probe)
    })
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
            let near = close.into_iter().map(|(score, address)| {
                let chunk = snapshot.record(address)?.key();
                Ok(Neighbour { chunk, score })
            });
            near.collect::<Result<Vec<Neighbour>, Error>>()
        };
        Box::pin(async move {
            let found = tokio::task::spawn_blocking(search).await;
            let found = found.map_err(Error::index)?;
            Ok(found?)
        })
    }
}
