//! Keeps snapshots in JetStream's object store. The client's object store writes them but does not read them: its
//! reader lets the server send as fast as it can, so a large object and a slow disk would fill the memory. The reader
//! in this module asks for some hundred messages of at most 128 KiB at a time.

use super::objects::{store, stream_of};
use super::{NatsBus, away, unix_ms};
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::object_store::{
    DeleteErrorKind, InfoErrorKind, ObjectInfo, ObjectMetadata, ObjectStore, PutErrorKind,
};
use bus::topology::SNAPSHOTS;
use bus::{BusError, BusFuture, Pieces, Snapshot, Snapshots};
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use std::collections::{HashMap, HashSet};
use std::io;
use std::time::Duration;
use tokio_util::io::StreamReader;

/// Name of the object's field that holds the sequence.
const SEQUENCE: &str = "sequence";
/// How long the next piece may take.
const PIECE_WAIT: Duration = Duration::from_secs(10);

impl Snapshots for NatsBus {
    fn list(&self) -> BusFuture<'_, Vec<Snapshot>> {
        async move {
            let store = store(&self.context, SNAPSHOTS).await?;
            let objects = objects(&store).await?;
            Ok(objects.iter().filter_map(snapshot).collect())
        }
        .boxed()
    }

    fn put<'a>(&'a self, name: &'a str, sequence: u64, pieces: Pieces) -> BusFuture<'a, ()> {
        async move {
            let store = store(&self.context, SNAPSHOTS).await?;
            sweep(&self.context, &store).await?;
            let object = ObjectMetadata {
                name: name.to_owned(),
                metadata: HashMap::from([(SEQUENCE.to_owned(), sequence.to_string())]),
                ..Default::default()
            };
            let mut reader = StreamReader::new(pieces);
            match store.put(object, &mut reader).await {
                Ok(_) => Ok(()),
                Err(error) => Err(match error.kind() {
                    PutErrorKind::PublishChunks
                    | PutErrorKind::PublishMetadata
                    | PutErrorKind::ReadChunks => {
                        BusError::Refused(format!("snapshot `{name}`: {error}"))
                    }
                    _ => away(error),
                }),
            }
        }
        .boxed()
    }

    fn get<'a>(&'a self, name: &'a str) -> BusFuture<'a, Option<Pieces>> {
        async move {
            let store = store(&self.context, SNAPSHOTS).await?;
            let object = match store.info(name).await {
                Ok(object) if object.deleted => return Ok(None),
                Ok(object) => object,
                Err(error) if error.kind() == InfoErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(away(error)),
            };
            Ok(Some(pieces(&self.context, object).await?))
        }
        .boxed()
    }

    fn remove<'a>(&'a self, name: &'a str) -> BusFuture<'a, ()> {
        async move {
            let store = store(&self.context, SNAPSHOTS).await?;
            match store.delete(name).await {
                Ok(()) => Ok(()),
                Err(error) if error.kind() == DeleteErrorKind::NotFound => Ok(()),
                Err(error) => Err(away(error)),
            }
        }
        .boxed()
    }
}

fn snapshot(object: &ObjectInfo) -> Option<Snapshot> {
    Some(Snapshot {
        name: object.name.clone(),
        sequence: object.metadata.get(SEQUENCE)?.parse().ok()?,
        bytes: object.size as u64,
        stored_at: unix_ms(object.modified?),
    })
}

async fn objects(store: &ObjectStore) -> Result<Vec<ObjectInfo>, BusError> {
    let listed = store.list().await.map_err(away)?;
    let all = listed.try_collect::<Vec<_>>();
    let all = tokio::time::timeout(PIECE_WAIT, all).await;
    let all = all.map_err(away)?.map_err(away)?;
    Ok(all.into_iter().filter(|object| !object.deleted).collect())
}

fn chunks_of(nuid: &str) -> String {
    format!("$O.{SNAPSHOTS}.C.{nuid}")
}

/// Removes the bytes that no object names: their writer died half-way.
async fn sweep(context: &Context, store: &ObjectStore) -> Result<(), BusError> {
    let named: HashSet<String> = objects(store)
        .await?
        .iter()
        .map(|object| chunks_of(&object.nuid))
        .collect();
    let stream = context.get_stream_no_info(stream_of(SNAPSHOTS)).await;
    let stream = stream.map_err(away)?;
    let held = stream.info_with_subjects(chunks_of("*")).await;
    let mut held = held.map_err(away)?;
    while let Some((subject, _)) = held.try_next().await.map_err(away)? {
        if !named.contains(&subject) {
            tracing::info!(subject, "half a snapshot removed");
            stream.purge().filter(subject).await.map_err(away)?;
        }
    }
    Ok(())
}

async fn pieces(context: &Context, object: ObjectInfo) -> Result<Pieces, BusError> {
    if object.chunks == 0 {
        return Ok(stream::empty().boxed());
    }
    let stream = context.get_stream_no_info(stream_of(SNAPSHOTS)).await;
    let stream = stream.map_err(away)?;
    let config = pull::OrderedConfig {
        filter_subject: chunks_of(&object.nuid),
        ..Default::default()
    };
    let consumer = stream.create_consumer(config).await.map_err(away)?;
    let messages = consumer.messages().await.map_err(away)?;
    let pieces = stream::unfold(messages, |mut messages| async move {
        let piece = match tokio::time::timeout(PIECE_WAIT, messages.next()).await {
            Ok(Some(Ok(message))) => Ok(message.payload.clone()),
            Ok(Some(Err(error))) => Err(io::Error::other(error)),
            Ok(None) => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
            Err(_) => Err(io::Error::from(io::ErrorKind::TimedOut)),
        };
        Some((piece as io::Result<Bytes>, messages))
    });
    Ok(pieces.take(object.chunks).boxed())
}
