//! Writes records into the collection, and the position up to which they are written.

use crate::filter::is;
use crate::plan::{Plan, Settled, plan};
use crate::{Qdrant, point};
use envelope::ChunkRecord;
use qdrant_client::qdrant::{
    Condition, DeletePointsBuilder, Filter, GetPointsBuilder, PointId, PointStruct,
    UpsertPointsBuilder, WriteOrdering, WriteOrderingType, points_selector::PointsSelectorOneOf,
};
use search::{Error, StreamPosition};

/// Writes of one feeder are applied in their order, on all copies.
const ORDERING: WriteOrdering = WriteOrdering {
    r#type: WriteOrderingType::Medium as i32,
};

impl Qdrant {
    /// Takes in records in the order of the stream, as the lexical index does. Idempotent; the head of a document
    /// removes the points of its other versions. When this returns, the records are durable and searches find them.
    /// After an error any part of them may be stored, and the same records have to be given again.
    ///
    /// Returns how many records had no vector of this embedder; their chunks are not there.
    ///
    /// # Errors
    /// [`Error::Qdrant`] with its class: the server was away, busy, or refused.
    pub async fn apply(&self, records: &[ChunkRecord]) -> Result<usize, Error> {
        let Plan {
            settled,
            gone,
            points,
            without_vector,
        } = plan(records, &self.embedder, self.dims);
        for batch in batches(settled, self.options.batch_size as usize) {
            self.delete(others_of(batch)).await?;
        }
        for batch in batches(gone, self.options.batch_size as usize) {
            let ids: Vec<PointId> = batch.iter().map(|(doc, n)| point::id_of(doc, *n)).collect();
            self.delete(ids).await?;
        }
        let points = points.into_values().map(|(_, point)| point);
        for batch in batches(points, self.options.batch_size as usize) {
            self.upsert(batch).await?;
        }
        Ok(without_vector)
    }

    /// Stores the position up to which the stream had been applied before this call.
    ///
    /// # Errors
    /// As [`Qdrant::apply`].
    pub async fn commit(&self, sequence: u64, stream: &str) -> Result<(), Error> {
        let position = StreamPosition {
            stream: stream.to_owned(),
            sequence,
        };
        self.upsert(vec![point::of_position(&position, self.dims)])
            .await
    }

    /// The position that was committed last; `None` if there is none. With several replicas of the collection it may be
    /// an older position: then records are applied again.
    ///
    /// # Errors
    /// As [`Qdrant::apply`].
    pub async fn position(&self) -> Result<Option<StreamPosition>, Error> {
        let request =
            GetPointsBuilder::new(&self.collection, [point::position_id()]).with_payload(true);
        let found = self.ask("get", self.client.get_points(request)).await?;
        let point = found.result.first();
        Ok(point.and_then(|point| point::to_position(&point.payload)))
    }

    /// Removes all points and the position, before the replay of a re-created stream.
    ///
    /// # Errors
    /// As [`Qdrant::apply`].
    pub async fn clear(&self) -> Result<(), Error> {
        self.delete(Filter::default()).await
    }

    /// Removes the collection, for example that of an embedder that is not used any more.
    ///
    /// # Errors
    /// As [`Qdrant::apply`].
    pub async fn remove(self) -> Result<(), Error> {
        let removed = self.client.delete_collection(&self.collection);
        self.ask("delete collection", removed).await.map(drop)
    }

    async fn upsert(&self, points: Vec<PointStruct>) -> Result<(), Error> {
        let request = UpsertPointsBuilder::new(&self.collection, points)
            .ordering(ORDERING)
            .wait(true);
        let upsert = self.client.upsert_points(request);
        self.ask("upsert", upsert).await.map(drop)
    }

    async fn delete(&self, what: impl Into<PointsSelectorOneOf>) -> Result<(), Error> {
        let request = DeletePointsBuilder::new(&self.collection)
            .points(what)
            .ordering(ORDERING)
            .wait(true);
        let delete = self.client.delete_points(request);
        self.ask("delete", delete).await.map(drop)
    }
}

/// What of these documents does not stay.
fn others_of(settled: Vec<Settled>) -> Filter {
    Filter::should(settled.into_iter().map(|Settled { doc, version }| {
        let version = version.map(|version| is(point::VERSION, version));
        Condition::from(Filter {
            must: vec![is(point::DOC, doc)],
            must_not: version.into_iter().collect(),
            ..Filter::default()
        })
    }))
}

/// In pieces of at most `size`.
fn batches<T>(items: impl IntoIterator<Item = T>, size: usize) -> impl Iterator<Item = Vec<T>> {
    let mut items = items.into_iter();
    std::iter::from_fn(move || {
        let batch: Vec<T> = items.by_ref().take(size).collect();
        (!batch.is_empty()).then_some(batch)
    })
}
