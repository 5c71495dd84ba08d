//! Stores documents that are too large for a message in JetStream's object store.

use super::away;
use super::erase::erase;
use super::objects::{store, stream_of};
use async_nats::Client;
use async_nats::jetstream::Context;
use async_nats::jetstream::object_store::{
    DeleteErrorKind, GetErrorKind, InfoErrorKind, PutErrorKind,
};
use async_nats::jetstream::stream::RawMessageErrorKind;
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

/// Deletes a file, and overwrites its bytes where the server keeps them: a delete of an object store leaves them in the
/// blocks of its stream until those are compacted.
pub(super) async fn delete(client: &Client, context: &Context, name: &str) -> Result<(), BusError> {
    let store = store(context, FILES).await?;
    let info = match store.info(name).await {
        Ok(info) => info,
        Err(error) if error.kind() == InfoErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(away(error)),
    };
    let stream = context.get_stream(stream_of(FILES)).await;
    let stream = stream.map_err(away)?;
    let chunks = format!("$O.{FILES}.C.{}", info.nuid);
    let mut from = 1;
    loop {
        match stream.get_first_raw_message_by_subject(&chunks, from).await {
            Ok(chunk) => {
                from = chunk.sequence + 1;
                erase(client, &stream_of(FILES), chunk.sequence).await?;
            }
            Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => break,
            Err(error) => return Err(away(error)),
        }
    }
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
