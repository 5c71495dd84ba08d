//! Makes the buckets of JetStream's object store, and has their specifications. The server keeps each bucket in a
//! stream of its own, so `argosy setup` makes it like every stream.

use super::away;
use super::change::{Change, left, made, max_bytes};
use super::room::Plan;
use super::setup::{bring, field, refused, stream_info};
use async_nats::jetstream::Context;
use async_nats::jetstream::context::{
    CreateKeyValueErrorKind, CreateStreamError, CreateStreamErrorKind,
};
use async_nats::jetstream::object_store::{Config, ObjectStore};
use async_nats::jetstream::stream;
use bus::BusError;
use bus::sizes::{StreamSize, WantedStream};
use bus::topology::{FILES, FILES_KEPT, SNAPSHOTS, SNAPSHOTS_KEPT, Topology};
use std::time::Duration;

/// Name of the stream that the server keeps a bucket in.
pub(super) fn stream_of(bucket: &str) -> String {
    format!("OBJ_{bucket}")
}

/// The buckets, and how long each keeps an object that is never deleted.
const BUCKETS: [(&str, Duration); 2] = [(FILES, FILES_KEPT), (SNAPSHOTS, SNAPSHOTS_KEPT)];

/// Makes the buckets, or changes what differs.
pub(super) async fn setup(
    context: &Context,
    topology: &Topology,
    plan: &Plan,
    act: bool,
) -> Result<Vec<Change>, BusError> {
    let mut changes = Vec::new();
    for (bucket, max_age) in BUCKETS {
        let sizing = plan.of(bucket);
        let (part, size) = sizing.ok_or_else(|| BusError::Missing(format!("files {bucket}")))?;
        let wanted = Config {
            bucket: bucket.into(),
            max_age,
            max_bytes: max_bytes(size),
            num_replicas: usize::from(topology.replicas),
            ..Default::default()
        };
        changes.push(one(context, wanted, part, size, act).await?);
    }
    Ok(changes)
}

async fn one(
    context: &Context,
    wanted: Config,
    part: &WantedStream,
    size: StreamSize,
    act: bool,
) -> Result<Change, BusError> {
    let name = format!("files {}", wanted.bucket);
    let Some(info) = stream_info(context, &stream_of(&wanted.bucket)).await? else {
        if act {
            make(context, &name, wanted, size).await?;
        }
        return Ok(made(name, act, size));
    };
    let found = info.config.clone();
    let drift: Vec<String> = [
        field("max_age", wanted.max_age, found.max_age),
        field("max_bytes", wanted.max_bytes, found.max_bytes),
        field("num_replicas", wanted.num_replicas, found.num_replicas),
    ]
    .into_iter()
    .flatten()
    .collect();
    if drift.is_empty() {
        return Ok(left(name, part, size));
    }
    if act {
        let merged = stream::Config {
            max_age: wanted.max_age,
            max_bytes: wanted.max_bytes,
            num_replicas: wanted.num_replicas,
            ..found
        };
        bring(context, &name, &info, merged, size).await?;
    }
    Ok(Change::Updated(name, drift.join(", ")))
}

/// A bucket has no metadata of its own: what it is scaled from is written into its stream.
async fn make(
    context: &Context,
    name: &str,
    wanted: Config,
    size: StreamSize,
) -> Result<(), BusError> {
    let stream = stream_of(&wanted.bucket);
    if let Err(error) = context.create_object_store(wanted).await {
        return Err(match error.kind() {
            CreateKeyValueErrorKind::BucketCreate => match cause(&error) {
                Some(CreateStreamErrorKind::JetStream(said)) => {
                    refused(CreateStreamErrorKind::JetStream(said).into(), size.bytes)
                }
                _ => BusError::Refused(error.to_string()),
            },
            _ => away(error),
        });
    }
    if size.scaled_from.is_some() {
        let made = context.get_stream(stream).await.map_err(away)?;
        let info = made.cached_info();
        bring(context, name, info, info.config.clone(), size).await?;
    }
    Ok(())
}

/// Why the stream of a bucket was not made.
fn cause(error: &dyn std::error::Error) -> Option<CreateStreamErrorKind> {
    let source = error.source()?.downcast_ref::<CreateStreamError>()?;
    Some(source.kind())
}

/// Opens a bucket.
pub(super) async fn store(context: &Context, bucket: &str) -> Result<ObjectStore, BusError> {
    match context.get_object_store(bucket).await {
        Ok(store) => Ok(store),
        // What this error wraps does not say why; whether the stream is there does.
        Err(error) => match stream_info(context, &stream_of(bucket)).await {
            Ok(None) => Err(BusError::Missing(format!("files {bucket}"))),
            _ => Err(away(error)),
        },
    }
}
