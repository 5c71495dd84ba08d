//! Files in JetStream's object store: one bucket, made by `argosy setup` like every stream.

use super::setup::{Change, away, field, refused};
use crate::bus::BusError;
use crate::topology::{FILES, FILES_KEPT, Topology};
use async_nats::jetstream::Context;
use async_nats::jetstream::context::{CreateKeyValueErrorKind, GetStreamErrorKind};
use async_nats::jetstream::object_store::{
    Config, DeleteErrorKind, GetErrorKind, ObjectStore, PutErrorKind,
};
use async_nats::jetstream::stream;
use bytes::{Bytes, BytesMut};
use tokio::io::AsyncReadExt;

/// Name of the stream that the server keeps the bucket in.
fn stream_name() -> String {
    format!("OBJ_{FILES}")
}

fn wanted(topology: &Topology) -> Config {
    Config {
        bucket: FILES.into(),
        max_age: FILES_KEPT,
        max_bytes: i64::try_from(topology.room.files).unwrap_or(i64::MAX),
        num_replicas: usize::from(topology.replicas),
        ..Default::default()
    }
}

/// Makes the bucket, or changes what differs.
pub(super) async fn setup(
    context: &Context,
    topology: &Topology,
    act: bool,
) -> Result<Change, BusError> {
    let name = format!("files {FILES}");
    let wanted = wanted(topology);
    let found = match context.get_stream(stream_name()).await {
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

async fn store(context: &Context) -> Result<ObjectStore, BusError> {
    match context.get_object_store(FILES).await {
        Ok(store) => Ok(store),
        // What this error wraps does not say why; whether the stream is there does.
        Err(error) => Err(match context.get_stream(stream_name()).await {
            Err(e) if matches!(e.kind(), GetStreamErrorKind::JetStream(e) if e.code() == 404) => {
                BusError::Missing(format!("files {FILES}"))
            }
            _ => away(error),
        }),
    }
}

pub(super) async fn put(context: &Context, name: &str, bytes: Bytes) -> Result<(), BusError> {
    let store = store(context).await?;
    let mut reader = &bytes[..];
    match store.put(name, &mut reader).await {
        Ok(_) => Ok(()),
        Err(error) => Err(match error.kind() {
            PutErrorKind::PublishChunks | PutErrorKind::PublishMetadata => {
                BusError::Refused(format!("file `{name}`: {error}"))
            }
            _ => away(error),
        }),
    }
}

pub(super) async fn get(
    context: &Context,
    name: &str,
    max_bytes: u64,
) -> Result<Option<Bytes>, BusError> {
    let store = store(context).await?;
    let object = match store.get(name).await {
        Ok(object) => object,
        Err(error) if error.kind() == GetErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(away(error)),
    };
    if object.info().size as u64 > max_bytes {
        return Err(BusError::Refused(format!(
            "file `{name}` is over {max_bytes} bytes"
        )));
    }
    let mut bytes = BytesMut::with_capacity(object.info().size);
    let mut reader = object.take(max_bytes);
    while reader.read_buf(&mut bytes).await.map_err(away)? > 0 {}
    Ok(Some(bytes.freeze()))
}

pub(super) async fn delete(context: &Context, name: &str) -> Result<(), BusError> {
    let store = store(context).await?;
    match store.delete(name).await {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == DeleteErrorKind::NotFound => Ok(()),
        Err(error) => Err(away(error)),
    }
}
