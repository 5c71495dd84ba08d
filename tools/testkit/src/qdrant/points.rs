//! The calls of the fake Qdrant server about points.

use super::filter::Payload;
use super::store::{Collection, key};
use super::{Answer, Service, Shared, unused};
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
            _ => return unused("create_field_index of such a type"),
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

    async fn update_vectors(
        &self,
        _: Request<UpdatePointVectors>,
    ) -> Answer<PointsOperationResponse> {
        unused("update_vectors")
    }

    async fn delete_vectors(
        &self,
        _: Request<DeletePointVectors>,
    ) -> Answer<PointsOperationResponse> {
        unused("delete_vectors")
    }

    async fn set_payload(&self, _: Request<SetPayloadPoints>) -> Answer<PointsOperationResponse> {
        unused("set_payload")
    }

    async fn overwrite_payload(
        &self,
        _: Request<SetPayloadPoints>,
    ) -> Answer<PointsOperationResponse> {
        unused("overwrite_payload")
    }

    async fn delete_payload(
        &self,
        _: Request<DeletePayloadPoints>,
    ) -> Answer<PointsOperationResponse> {
        unused("delete_payload")
    }

    async fn clear_payload(
        &self,
        _: Request<ClearPayloadPoints>,
    ) -> Answer<PointsOperationResponse> {
        unused("clear_payload")
    }

    async fn delete_field_index(
        &self,
        _: Request<DeleteFieldIndexCollection>,
    ) -> Answer<PointsOperationResponse> {
        unused("delete_field_index")
    }

    async fn create_vector_name(
        &self,
        _: Request<CreateVectorNameRequest>,
    ) -> Answer<PointsOperationResponse> {
        unused("create_vector_name")
    }

    async fn delete_vector_name(
        &self,
        _: Request<DeleteVectorNameRequest>,
    ) -> Answer<PointsOperationResponse> {
        unused("delete_vector_name")
    }

    async fn search(&self, _: Request<SearchPoints>) -> Answer<SearchResponse> {
        unused("search")
    }

    async fn search_batch(&self, _: Request<SearchBatchPoints>) -> Answer<SearchBatchResponse> {
        unused("search_batch")
    }

    async fn search_groups(&self, _: Request<SearchPointGroups>) -> Answer<SearchGroupsResponse> {
        unused("search_groups")
    }

    async fn recommend(&self, _: Request<RecommendPoints>) -> Answer<RecommendResponse> {
        unused("recommend")
    }

    async fn recommend_batch(
        &self,
        _: Request<RecommendBatchPoints>,
    ) -> Answer<RecommendBatchResponse> {
        unused("recommend_batch")
    }

    async fn recommend_groups(
        &self,
        _: Request<RecommendPointGroups>,
    ) -> Answer<RecommendGroupsResponse> {
        unused("recommend_groups")
    }

    async fn discover(&self, _: Request<DiscoverPoints>) -> Answer<DiscoverResponse> {
        unused("discover")
    }

    async fn discover_batch(
        &self,
        _: Request<DiscoverBatchPoints>,
    ) -> Answer<DiscoverBatchResponse> {
        unused("discover_batch")
    }

    async fn update_batch(&self, _: Request<UpdateBatchPoints>) -> Answer<UpdateBatchResponse> {
        unused("update_batch")
    }

    async fn query_batch(&self, _: Request<QueryBatchPoints>) -> Answer<QueryBatchResponse> {
        unused("query_batch")
    }

    async fn query_groups(&self, _: Request<QueryPointGroups>) -> Answer<QueryGroupsResponse> {
        unused("query_groups")
    }

    async fn facet(&self, _: Request<FacetCounts>) -> Answer<FacetResponse> {
        unused("facet")
    }

    async fn search_matrix_pairs(
        &self,
        _: Request<SearchMatrixPoints>,
    ) -> Answer<SearchMatrixPairsResponse> {
        unused("search_matrix_pairs")
    }

    async fn search_matrix_offsets(
        &self,
        _: Request<SearchMatrixPoints>,
    ) -> Answer<SearchMatrixOffsetsResponse> {
        unused("search_matrix_offsets")
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
