//! The buckets of JetStream's object store: what is wanted of them, and making them. Each lies in a
//! stream of its own, so `argosy setup` makes them like every stream.

use super::setup::{Change, away, field, refused};
use crate::bus::BusError;
use crate::topology::{FILES, FILES_KEPT, SNAPSHOTS, SNAPSHOTS_KEPT, Topology};
use async_nats::jetstream::Context;
use async_nats::jetstream::context::{CreateKeyValueErrorKind, GetStreamErrorKind};
use async_nats::jetstream::object_store::{Config, ObjectStore};
use async_nats::jetstream::stream;

/// Name of the stream that the server keeps a bucket in.
pub(super) fn stream_of(bucket: &str) -> String {
    format!("OBJ_{bucket}")
}

fn wanted(topology: &Topology) -> [Config; 2] {
    let room = &topology.room;
    [
        (FILES, FILES_KEPT, room.files),
        (SNAPSHOTS, SNAPSHOTS_KEPT, room.snapshots),
    ]
    .map(|(bucket, max_age, room)| Config {
        bucket: bucket.into(),
        max_age,
        max_bytes: i64::try_from(room).unwrap_or(i64::MAX),
        num_replicas: usize::from(topology.replicas),
        ..Default::default()
    })
}

/// Makes the buckets, or changes what differs.
pub(super) async fn setup(
    context: &Context,
    topology: &Topology,
    act: bool,
) -> Result<Vec<Change>, BusError> {
    let mut changes = Vec::new();
    for wanted in wanted(topology) {
        changes.push(one(context, wanted, act).await?);
    }
    Ok(changes)
}

async fn one(context: &Context, wanted: Config, act: bool) -> Result<Change, BusError> {
    let name = format!("files {}", wanted.bucket);
    let found = match context.get_stream(stream_of(&wanted.bucket)).await {
        Ok(stream) => stream.cached_info().config.clone(),
        Err(error) => match error.kind() {
            GetStreamErrorKind::JetStream(e) if e.code() == 404 => {
                if act {
                    make(context, wanted).await?;
                }
                return Ok(Change::Created(name));
            }
            _ => return Err(away(error)),
        },
    };
    let drift: Vec<String> = [
        field("max_age", wanted.max_age, found.max_age),
        field("max_bytes", wanted.max_bytes, found.max_bytes),
        field("num_replicas", wanted.num_replicas, found.num_replicas),
    ]
    .into_iter()
    .flatten()
    .collect();
    if drift.is_empty() {
        return Ok(Change::Unchanged(name));
    }
    if act {
        let merged = stream::Config {
            max_age: wanted.max_age,
            max_bytes: wanted.max_bytes,
            num_replicas: wanted.num_replicas,
            ..found
        };
        context.update_stream(merged).await.map_err(refused)?;
    }
    Ok(Change::Updated(name, drift.join(", ")))
}

async fn make(context: &Context, wanted: Config) -> Result<(), BusError> {
    match context.create_object_store(wanted).await {
        Ok(_) => Ok(()),
        Err(error) => Err(match error.kind() {
            CreateKeyValueErrorKind::BucketCreate => BusError::Refused(error.to_string()),
            _ => away(error),
        }),
    }
}

/// Opens a bucket.
pub(super) async fn store(context: &Context, bucket: &str) -> Result<ObjectStore, BusError> {
    match context.get_object_store(bucket).await {
        Ok(store) => Ok(store),
        // What this error wraps does not say why; whether the stream is there does.
        Err(error) => Err(match context.get_stream(stream_of(bucket)).await {
            Err(e) if matches!(e.kind(), GetStreamErrorKind::JetStream(e) if e.code() == 404) => {
                BusError::Missing(format!("files {bucket}"))
            }
            _ => away(error),
        }),
    }
}
