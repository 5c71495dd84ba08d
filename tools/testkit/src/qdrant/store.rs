//! Keeps the collections of the fake Qdrant server in memory, and applies the effects of calls to them.

use super::filter::{Payload, passes};
use qdrant_client::qdrant::points_selector::PointsSelectorOneOf;
use qdrant_client::qdrant::vectors::VectorsOptions;
use qdrant_client::qdrant::{
    CollectionConfig, CollectionParams, CreateCollection, Distance, Filter, PayloadSchemaInfo,
    PointId, PointStruct, PointsSelector, VectorParams, point_id::PointIdOptions, vector,
    vectors_config,
};
use std::collections::{BTreeMap, HashMap};
use tonic::Status;

/// All collections.
#[derive(Default)]
pub(super) struct Store {
    collections: BTreeMap<String, Collection>,
}

/// One collection of unnamed dense vectors.
pub(super) struct Collection {
    /// What it was made with.
    pub(super) config: CollectionConfig,
    /// Keys that have an index.
    pub(super) indexes: HashMap<String, PayloadSchemaInfo>,
    /// The points by their ids.
    pub(super) points: BTreeMap<String, Point>,
    dims: usize,
}

/// One point. Its vector has the length 1, or is zero.
pub(super) struct Point {
    /// Its id, as it came.
    pub(super) id: PointId,
    /// Its payload.
    pub(super) payload: Payload,
    vector: Vec<f32>,
}

impl Store {
    /// Makes a collection.
    pub(super) fn create(&mut self, request: CreateCollection) -> Result<(), Status> {
        let name = request.collection_name;
        if self.collections.contains_key(&name) {
            let text = format!("Collection `{name}` already exists!");
            return Err(Status::already_exists(text));
        }
        let config = request.vectors_config.as_ref();
        let Some(vectors_config::Config::Params(vectors)) = config.and_then(|c| c.config.as_ref())
        else {
            return Err(Status::unimplemented("the fake knows one unnamed vector"));
        };
        if vectors.distance() != Distance::Cosine {
            return Err(Status::unimplemented("the fake knows cosine"));
        }
        let params = CollectionParams {
            shard_number: request.shard_number.unwrap_or(1),
            vectors_config: request.vectors_config.clone(),
            replication_factor: request.replication_factor,
            ..CollectionParams::default()
        };
        let collection = Collection {
            dims: dims(vectors),
            config: CollectionConfig {
                params: Some(params),
                quantization_config: request.quantization_config,
                ..CollectionConfig::default()
            },
            indexes: HashMap::new(),
            points: BTreeMap::new(),
        };
        self.collections.insert(name, collection);
        Ok(())
    }

    /// Whether there is such a collection.
    pub(super) fn has(&self, name: &str) -> bool {
        self.collections.contains_key(name)
    }

    /// Removes a collection; false when there is none.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        self.collections.remove(name).is_some()
    }

    /// A collection that is there.
    pub(super) fn get(&mut self, name: &str) -> Result<&mut Collection, Status> {
        self.collections
            .get_mut(name)
            .ok_or_else(|| Status::not_found(format!("Collection `{name}` doesn't exist!")))
    }
}

impl Collection {
    /// Adds points, or replaces them: all or none.
    pub(super) fn upsert(&mut self, points: Vec<PointStruct>) -> Result<(), Status> {
        let mut read = Vec::new();
        for point in points {
            let id = point.id.clone().unwrap_or_default();
            let vector = self.unit(dense(&point)?)?;
            let payload = point.payload;
            read.push((
                key(&id)?,
                Point {
                    id,
                    payload,
                    vector,
                },
            ));
        }
        self.points.extend(read);
        Ok(())
    }

    /// Removes what is selected.
    pub(super) fn delete(&mut self, selector: Option<PointsSelector>) -> Result<(), Status> {
        match selector.and_then(|selector| selector.points_selector_one_of) {
            Some(PointsSelectorOneOf::Points(list)) => {
                for id in &list.ids {
                    self.points.remove(&key(id)?);
                }
            }
            Some(PointsSelectorOneOf::Filter(filter)) => {
                let mut selected = Vec::new();
                for (key, point) in &self.points {
                    if passes(&filter, &point.payload)? {
                        selected.push(key.clone());
                    }
                }
                for key in selected {
                    self.points.remove(&key);
                }
            }
            None => return Err(Status::invalid_argument("nothing is selected")),
        }
        Ok(())
    }

    /// The points that pass, in the order of their ids.
    pub(super) fn passing(&self, filter: Option<&Filter>) -> Result<Vec<&Point>, Status> {
        let all = Filter::default();
        let filter = filter.unwrap_or(&all);
        let mut passing = Vec::new();
        for point in self.points.values() {
            if passes(filter, &point.payload)? {
                passing.push(point);
            }
        }
        Ok(passing)
    }

    /// The points that pass with the cosine of their angle, closest first.
    pub(super) fn nearest(
        &self,
        vector: &[f32],
        filter: Option<&Filter>,
    ) -> Result<Vec<(f32, &Point)>, Status> {
        let vector = self.unit(vector)?;
        let score = |point: &Point| -> f32 {
            let pairs = point.vector.iter().zip(&vector);
            pairs.map(|(a, b)| a * b).sum()
        };
        let passing = self.passing(filter)?.into_iter();
        let mut scored: Vec<_> = passing.map(|point| (score(point), point)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(scored)
    }

    fn unit(&self, vector: &[f32]) -> Result<Vec<f32>, Status> {
        if vector.len() != self.dims {
            return Err(Status::invalid_argument(format!(
                "Vector dimension error: expected dim: {}, got {}",
                self.dims,
                vector.len()
            )));
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        let length = if length > 0.0 { length } else { 1.0 };
        Ok(vector.iter().map(|x| x / length).collect())
    }
}

/// The id as the store orders it. A UUID is one however it is written; this one takes it as the
/// project writes it.
pub(super) fn key(id: &PointId) -> Result<String, Status> {
    match &id.point_id_options {
        Some(PointIdOptions::Num(n)) => Ok(format!("{n:020}")),
        Some(PointIdOptions::Uuid(uuid)) if is_uuid(uuid) => Ok(uuid.clone()),
        _ => Err(Status::invalid_argument(
            "unable to parse the id of a point",
        )),
    }
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let hex = |part: &&str| part.bytes().all(|b| b.is_ascii_hexdigit());
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12]) && parts.iter().all(hex)
}

fn dense(point: &PointStruct) -> Result<&[f32], Status> {
    let vectors = point.vectors.as_ref();
    match vectors.and_then(|vectors| vectors.vectors_options.as_ref()) {
        Some(VectorsOptions::Vector(vector)) => match &vector.vector {
            Some(vector::Vector::Dense(dense)) => Ok(&dense.data),
            _ => Err(Status::unimplemented("the fake knows dense vectors")),
        },
        _ => Err(Status::unimplemented("the fake knows one unnamed vector")),
    }
}

fn dims(vectors: &VectorParams) -> usize {
    usize::try_from(vectors.size).unwrap_or(usize::MAX)
}
