//! Asks the server for the nearest neighbours of a vector.

use crate::call::permanent;
use crate::filter::restrictions;
use crate::{Qdrant, Quantisation, point};
use envelope::{Bucket, ChunkKey, DocId};
use futures_util::future::BoxFuture;
use qdrant_client::qdrant::{
    PayloadIncludeSelector, QuantizationSearchParamsBuilder, QueryPointsBuilder, ScoredPoint,
    SearchParamsBuilder, Value,
};
use search::{Error, Neighbour, SearchRequest, VectorSearch};
use std::collections::HashMap;

/// Most chunks of one search.
const FETCH_MAX: usize = 1_000;
/// How many chunks are fetched for each that is asked for when a condition had to be left out.
const FETCH_MORE: usize = 10;
/// With bytes: how many candidates there are for each hit, to be scored again.
const OVERSAMPLING: f64 = 2.0;

impl VectorSearch for Qdrant {
    fn nearest<'a>(
        &'a self,
        vector: &'a [f32],
        request: &'a SearchRequest,
        k: usize,
    ) -> BoxFuture<'a, Result<Vec<Neighbour>, Error>> {
        let more = match self.evaluates(&request.filter) {
            true => 1,
            false => FETCH_MORE,
        };
        Box::pin(self.find(vector, request, k.saturating_mul(more).min(FETCH_MAX)))
    }
}

impl Qdrant {
    async fn find(
        &self,
        vector: &[f32],
        request: &SearchRequest,
        k: usize,
    ) -> Result<Vec<Neighbour>, Error> {
        if k == 0 {
            return Ok(Vec::new());
        }
        let fields = [point::BUCKET, point::DOC_ID, point::N].map(str::to_owned);
        let mut query = QueryPointsBuilder::new(&self.collection)
            .query(vector.to_vec())
            .filter(restrictions(request, self.version))
            .limit(k as u64)
            .with_payload(PayloadIncludeSelector {
                fields: fields.into(),
            });
        if self.options.quantisation == Quantisation::Int8 {
            let again = QuantizationSearchParamsBuilder::default()
                .rescore(true)
                .oversampling(OVERSAMPLING);
            query = query.params(SearchParamsBuilder::default().quantization(again));
        }
        let found = self.ask("query", self.client.query(query)).await?;
        let mut near = found
            .result
            .into_iter()
            .map(near)
            .collect::<Result<Vec<_>, _>>()?;
        // Equal scores come in any order.
        near.sort_by(|a, b| (b.score.total_cmp(&a.score)).then_with(|| a.chunk.cmp(&b.chunk)));
        Ok(near)
    }
}

fn near(found: ScoredPoint) -> Result<Neighbour, Error> {
    let chunk = key(&found.payload)
        .ok_or_else(|| permanent("query", "a point that is no chunk: delete the collection"))?;
    Ok(Neighbour {
        chunk,
        score: found.score,
    })
}

fn key(payload: &HashMap<String, Value>) -> Option<ChunkKey> {
    let text = |key: &str| payload.get(key)?.as_str().cloned();
    Some(ChunkKey {
        bucket: Bucket::new(text(point::BUCKET)?).ok()?,
        doc_id: DocId::new(text(point::DOC_ID)?).ok()?,
        n: payload.get(point::N)?.as_integer()?.try_into().ok()?,
    })
}
