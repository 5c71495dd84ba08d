//! The calls of the fake Qdrant server about collections.

use super::{Answer, Service, older};
use qdrant_client::qdrant::collections_server::Collections;

use qdrant_client::qdrant::{
    ChangeAliases, CollectionClusterInfoRequest, CollectionClusterInfoResponse, CollectionExists,
    CollectionExistsRequest, CollectionExistsResponse, CollectionInfo, CollectionOperationResponse,
    CollectionStatus, CreateCollection, CreateShardKeyRequest, CreateShardKeyResponse,
    DeleteCollection, DeleteShardKeyRequest, DeleteShardKeyResponse, GetCollectionInfoRequest,
    GetCollectionInfoResponse, ListAliasesRequest, ListAliasesResponse,
    ListCollectionAliasesRequest, ListCollectionsRequest, ListCollectionsResponse,
    ListShardKeysRequest, ListShardKeysResponse, UpdateCollection,
    UpdateCollectionClusterSetupRequest, UpdateCollectionClusterSetupResponse,
};
use tonic::{Request, Response};

#[tonic::async_trait]
impl Collections for Service {
    async fn create(
        &self,
        request: Request<CreateCollection>,
    ) -> Answer<CollectionOperationResponse> {
        self.0.enter(&request, "create", 0).await?;
        let mut request = request.into_inner();
        let mut inner = self.0.inner();
        older::skip_unknown(&inner.version, &mut request);
        inner.store.create(request)?;
        Ok(Response::new(CollectionOperationResponse {
            result: true,
            time: 0.0,
        }))
    }

    async fn get(
        &self,
        request: Request<GetCollectionInfoRequest>,
    ) -> Answer<GetCollectionInfoResponse> {
        self.0.enter(&request, "collection_info", 0).await?;
        let mut inner = self.0.inner();
        let collection = inner.store.get(&request.get_ref().collection_name)?;
        let info = CollectionInfo {
            status: CollectionStatus::Green as i32,
            config: Some(collection.config.clone()),
            points_count: Some(collection.points.len() as u64),
            payload_schema: collection.indexes.clone(),
            ..CollectionInfo::default()
        };
        Ok(Response::new(GetCollectionInfoResponse {
            result: Some(info),
            time: 0.0,
        }))
    }

    async fn collection_exists(
        &self,
        request: Request<CollectionExistsRequest>,
    ) -> Answer<CollectionExistsResponse> {
        self.0.enter(&request, "collection_exists", 0).await?;
        let exists = self.0.inner().store.has(&request.get_ref().collection_name);
        Ok(Response::new(CollectionExistsResponse {
            result: Some(CollectionExists { exists }),
            time: 0.0,
        }))
    }

    async fn delete(
        &self,
        request: Request<DeleteCollection>,
    ) -> Answer<CollectionOperationResponse> {
        self.0.enter(&request, "delete_collection", 0).await?;
        let result = self
            .0
            .inner()
            .store
            .remove(&request.get_ref().collection_name);
        Ok(Response::new(CollectionOperationResponse {
            result,
            time: 0.0,
        }))
    }

    unused_calls! {
        list: ListCollectionsRequest -> ListCollectionsResponse;
        update: UpdateCollection -> CollectionOperationResponse;
        update_aliases: ChangeAliases -> CollectionOperationResponse;
        list_collection_aliases: ListCollectionAliasesRequest -> ListAliasesResponse;
        list_aliases: ListAliasesRequest -> ListAliasesResponse;
        collection_cluster_info: CollectionClusterInfoRequest -> CollectionClusterInfoResponse;
        update_collection_cluster_setup: UpdateCollectionClusterSetupRequest -> UpdateCollectionClusterSetupResponse;
        create_shard_key: CreateShardKeyRequest -> CreateShardKeyResponse;
        delete_shard_key: DeleteShardKeyRequest -> DeleteShardKeyResponse;
        list_shard_keys: ListShardKeysRequest -> ListShardKeysResponse;
    }
}
