//! Documents that are too large for a message, in JetStream's object store.

use super::objects::{store, stream_of};
use super::setup::away;
use async_nats::jetstream::Context;
use async_nats::jetstream::object_store::{DeleteErrorKind, GetErrorKind, PutErrorKind};
use bus::BusError;
use bus::topology::FILES;
use bytes::{Bytes, BytesMut};
use tokio::io::AsyncReadExt;

pub(super) async fn put(context: &Context, name: &str, bytes: Bytes) -> Result<(), BusError> {
    let store = store(context, FILES).await?;
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
    let store = store(context, FILES).await?;
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
    let store = store(context, FILES).await?;
    match store.delete(name).await {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == DeleteErrorKind::NotFound => Ok(()),
        Err(error) => Err(away(error)),
    }
}

/// The share of the room that is taken; 0 where there is no limit.
pub(super) async fn taken(context: &Context) -> Result<f64, BusError> {
    let stream = context.get_stream(stream_of(FILES)).await;
    let stream = stream.map_err(away)?;
    let info = stream.cached_info();
    Ok(match info.config.max_bytes {
        room @ 1.. => info.state.bytes as f64 / room as f64,
        _ => 0.0,
    })
}
