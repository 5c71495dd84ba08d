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
use std::collections::HashMap;
use std::sync::Arc;
use tantivy::collector::{Collector, TopDocs};
use tantivy::{DocAddress, DocId, Searcher, SegmentReader};

/// Collects the `k` closest of them, with their cosines. The address decides where they are the same. Chunks without a
/// vector come last, without a cosine, and so do those whose cosine is no number.
///
/// # Errors
/// When a segment does not tell the rows of its chunks.
pub(super) fn nearest(
    searcher: &Searcher,
    rows: Rows,
    probe: Probe,
    k: usize,
) -> Result<impl Collector<Fruit = Vec<(Option<f32>, DocAddress)>>, Error> {
    // A sort key cannot fail, so the columns are opened before the search.
    let segments = searcher.segment_readers().iter();
    let columns = segments.map(|segment| {
        let column = segment.fast_fields().u64(ROW)?;
        Ok((segment.segment_id(), column))
    });
    let columns = columns.collect::<Result<HashMap<_, _>, Error>>()?;
    let (columns, probe) = (Arc::new(columns), Arc::new(probe));
    let by_cosine = move |segment: &SegmentReader| {
        let (rows, probe) = (rows.clone(), probe.clone());
        let column = columns.get(&segment.segment_id()).cloned();
        move |doc: DocId| {
            let cosine = rows.similarity(column.as_ref()?.first(doc)?, &probe);
            cosine.filter(|cosine| !cosine.is_nan())
        }
    };
    Ok(TopDocs::with_limit(k).order_by(by_cosine))
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
