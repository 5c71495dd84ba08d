//! The calls of the fake Qdrant server about points.

use super::filter::Payload;
use super::store::{Collection, key};
use super::{Answer, Service, Shared};
use qdrant_client::qdrant::points_selector::PointsSelectorOneOf;
use qdrant_client::qdrant::points_server::Points;
use qdrant_client::qdrant::with_payload_selector::SelectorOptions;

use qdrant_client::qdrant::{
    ClearPayloadPoints, CountPoints, CountResponse, CountResult, CreateFieldIndexCollection,
    CreateVectorNameRequest, DeleteFieldIndexCollection, DeletePayloadPoints, DeletePointVectors,
    DeletePoints, DeleteVectorNameRequest, DiscoverBatchPoints, DiscoverBatchResponse,
    DiscoverPoints, DiscoverResponse, FacetCounts, FacetResponse, FieldType, GetPoints,
    GetResponse, PayloadSchemaInfo, PayloadSchemaType, PointsOperationResponse, QueryBatchPoints,
    QueryBatchResponse, QueryGroupsResponse, QueryPointGroups, QueryPoints, QueryResponse,
    RecommendBatchPoints, RecommendBatchResponse, RecommendGroupsResponse, RecommendPointGroups,
    RecommendPoints, RecommendResponse, RetrievedPoint, ScoredPoint, ScrollPoints, ScrollResponse,
    SearchBatchPoints, SearchBatchResponse, SearchGroupsResponse, SearchMatrixOffsetsResponse,
    SearchMatrixPairsResponse, SearchMatrixPoints, SearchPointGroups, SearchPoints, SearchResponse,
    SetPayloadPoints, UpdateBatchPoints, UpdateBatchResponse, UpdatePointVectors, UpdateResult,
    UpdateStatus, UpsertPoints, WithPayloadSelector, query, vector_input,
};
use std::time::Instant;
use tonic::{Request, Response, Status};

/// How many points a call without a limit returns.
const LIMIT: u64 = 10;

#[tonic::async_trait]
impl Points for Service {
    async fn upsert(&self, request: Request<UpsertPoints>) -> Answer<PointsOperationResponse> {
        let count = request.get_ref().points.len();
        self.0.enter(&request, "upsert", count).await?;
        let UpsertPoints {
            collection_name,
            points,
            ..
        } = request.into_inner();
        self.0.write(&collection_name, |c| c.upsert(points))
    }

    async fn delete(&self, request: Request<DeletePoints>) -> Answer<PointsOperationResponse> {
        self.0.enter(&request, "delete", 0).await?;
        let DeletePoints {
            collection_name,
            points,
            ..
        } = request.into_inner();
        let selector = points.as_ref().map(|s| &s.points_selector_one_of);
        if let Some(Some(PointsSelectorOneOf::Filter(filter))) = selector {
            self.0.inner().reads(Some(filter))?;
        }
        self.0.write(&collection_name, |c| c.delete(points))
    }

    async fn create_field_index(
        &self,
        request: Request<CreateFieldIndexCollection>,
    ) -> Answer<PointsOperationResponse> {
        self.0.enter(&request, "create_field_index", 0).await?;
        let request = request.into_inner();
        let data_type = match request.field_type() {
            FieldType::Keyword => PayloadSchemaType::Keyword,
            FieldType::Float => PayloadSchemaType::Float,
            _ => {
                let what = "the fake does not know `create_field_index of such a type`";
                return Err(Status::unimplemented(what));
            }
        };
        let index = PayloadSchemaInfo {
            data_type: data_type as i32,
            params: request.field_index_params,
            points: None,
        };
        self.0.write(&request.collection_name, |c| {
            c.indexes.insert(request.field_name, index);
            Ok(())
        })
    }

    async fn get(&self, request: Request<GetPoints>) -> Answer<GetResponse> {
        self.0.enter(&request, "get", 0).await?;
        let request = request.into_inner();
        let mut inner = self.0.inner();
        let collection = inner.store.get(&request.collection_name)?;
        let mut response = GetResponse::default();
        for id in &request.ids {
            if let Some(point) = collection.points.get(&key(id)?) {
                response.result.push(RetrievedPoint {
                    id: Some(point.id.clone()),
                    payload: shown(&point.payload, request.with_payload.as_ref()),
                    ..RetrievedPoint::default()
                });
            }
        }
        Ok(Response::new(response))
    }

    async fn scroll(&self, request: Request<ScrollPoints>) -> Answer<ScrollResponse> {
        self.0.enter(&request, "scroll", 0).await?;
        let request = request.into_inner();
        let mut inner = self.0.inner();
        inner.reads(request.filter.as_ref())?;
        let collection = inner.store.get(&request.collection_name)?;
        let limit = limit(request.limit.map(u64::from))?;
        let from = request.offset.as_ref().map(key).transpose()?;
        let mut points = collection.passing(request.filter.as_ref())?;
        // Ids that were written are ids that can be read.
        points.retain(|point| from.as_ref() <= key(&point.id).ok().as_ref());
        let next = points.get(limit).map(|point| point.id.clone());
        let shown = points.into_iter().take(limit).map(|point| RetrievedPoint {
            id: Some(point.id.clone()),
            payload: shown(&point.payload, request.with_payload.as_ref()),
            ..RetrievedPoint::default()
        });
        Ok(Response::new(ScrollResponse {
            result: shown.collect(),
            next_page_offset: next,
            ..ScrollResponse::default()
        }))
    }

    async fn count(&self, request: Request<CountPoints>) -> Answer<CountResponse> {
        self.0.enter(&request, "count", 0).await?;
        let request = request.into_inner();
        let mut inner = self.0.inner();
        inner.reads(request.filter.as_ref())?;
        let collection = inner.store.get(&request.collection_name)?;
        let count = collection.passing(request.filter.as_ref())?.len() as u64;
        Ok(Response::new(CountResponse {
            result: Some(CountResult { count }),
            ..CountResponse::default()
        }))
    }

    async fn query(&self, request: Request<QueryPoints>) -> Answer<QueryResponse> {
        self.0.enter(&request, "query", 0).await?;
        let request = request.into_inner();
        let mut inner = self.0.inner();
        inner.reads(request.filter.as_ref())?;
        let collection = inner.store.get(&request.collection_name)?;
        let Some(query::Variant::Nearest(nearest)) = request.query.and_then(|q| q.variant) else {
            return Err(Status::unimplemented("the fake knows nearest"));
        };
        let Some(vector_input::Variant::Dense(vector)) = nearest.variant else {
            return Err(Status::unimplemented("the fake knows dense vectors"));
        };
        let limit = limit(request.limit)?;
        let offset = request.offset.unwrap_or(0) as usize;
        let nearest = collection.nearest(&vector.data, request.filter.as_ref())?;
        let page = nearest.into_iter().skip(offset).take(limit);
        let result = page.map(|(score, point)| ScoredPoint {
            id: Some(point.id.clone()),
            payload: shown(&point.payload, request.with_payload.as_ref()),
            score,
            ..ScoredPoint::default()
        });
        Ok(Response::new(QueryResponse {
            result: result.collect(),
            ..QueryResponse::default()
        }))
    }

    unused_calls! {
        update_vectors: UpdatePointVectors -> PointsOperationResponse;
        delete_vectors: DeletePointVectors -> PointsOperationResponse;
        set_payload: SetPayloadPoints -> PointsOperationResponse;
        overwrite_payload: SetPayloadPoints -> PointsOperationResponse;
        delete_payload: DeletePayloadPoints -> PointsOperationResponse;
        clear_payload: ClearPayloadPoints -> PointsOperationResponse;
        delete_field_index: DeleteFieldIndexCollection -> PointsOperationResponse;
        create_vector_name: CreateVectorNameRequest -> PointsOperationResponse;
        delete_vector_name: DeleteVectorNameRequest -> PointsOperationResponse;
        search: SearchPoints -> SearchResponse;
        search_batch: SearchBatchPoints -> SearchBatchResponse;
        search_groups: SearchPointGroups -> SearchGroupsResponse;
        recommend: RecommendPoints -> RecommendResponse;
        recommend_batch: RecommendBatchPoints -> RecommendBatchResponse;
        recommend_groups: RecommendPointGroups -> RecommendGroupsResponse;
        discover: DiscoverPoints -> DiscoverResponse;
        discover_batch: DiscoverBatchPoints -> DiscoverBatchResponse;
        update_batch: UpdateBatchPoints -> UpdateBatchResponse;
        query_batch: QueryBatchPoints -> QueryBatchResponse;
        query_groups: QueryPointGroups -> QueryGroupsResponse;
        facet: FacetCounts -> FacetResponse;
        search_matrix_pairs: SearchMatrixPoints -> SearchMatrixPairsResponse;
        search_matrix_offsets: SearchMatrixPoints -> SearchMatrixOffsetsResponse;
    }
}

impl Shared {
    fn write(
        &self,
        collection: &str,
        write: impl FnOnce(&mut Collection) -> Result<(), Status>,
    ) -> Answer<PointsOperationResponse> {
        let begun = Instant::now();
        write(self.inner().store.get(collection)?)?;
        Ok(Response::new(PointsOperationResponse {
            result: Some(UpdateResult {
                operation_id: Some(0),
                status: UpdateStatus::Completed as i32,
            }),
            time: begun.elapsed().as_secs_f64(),
            usage: None,
        }))
    }
}

fn limit(wanted: Option<u64>) -> Result<usize, Status> {
    match wanted.unwrap_or(LIMIT) {
        0 => Err(Status::invalid_argument("limit: must be 1 or larger")),
        limit => Ok(limit as usize),
    }
}

/// What of a payload was asked for; nothing, when nothing was said.
fn shown(payload: &Payload, wanted: Option<&WithPayloadSelector>) -> Payload {
    match wanted.and_then(|wanted| wanted.selector_options.as_ref()) {
        Some(SelectorOptions::Enable(true)) => payload.clone(),
        Some(SelectorOptions::Include(include)) => {
            let kept = payload
                .iter()
                .filter(|(key, _)| include.fields.contains(key));
            kept.map(|(key, value)| (key.clone(), value.clone()))
                .collect()
        }
        Some(SelectorOptions::Exclude(exclude)) => {
            let kept = payload
                .iter()
                .filter(|(key, _)| !exclude.fields.contains(key));
            kept.map(|(key, value)| (key.clone(), value.clone()))
                .collect()
        }
        Some(SelectorOptions::Enable(false)) | None => Payload::new(),
    }
}
