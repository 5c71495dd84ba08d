//! Publishes a document, or its deletion, on the document's subject.

use crate::{Error, TargetEditions};
use bus::{Bus, BusError, Headers, Publish};
use bytes::Bytes;
use documents::corpus::Cursor;
use documents::document::{doc_id_of, sha256_hex};
use documents::reader::bytes_of;
use documents::{Entry, Stamp};
use envelope::document::{DocumentForm, Notice};
use envelope::limits::DOCUMENT_INLINE_BYTES_MAX;
use envelope::{Bucket, DocId, Edition, Subject, TenantId};
use std::path::PathBuf;
use std::time::Duration;
use streams::outbox::{publish_until, store_until};

/// How long a publish may be repeated while the server is away or a stream is full, in milliseconds.
const PATIENCE_MS: u64 = 60_000;
/// How long a full object store is left alone.
const FULL: Duration = Duration::from_millis(500);

/// A document message that was stored.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub(super) sequence: u64,
    pub(super) to: TargetEditions,
    pub(super) notice: Notice,
    pub(super) bucket: Bucket,
    pub(super) doc_id: DocId,
    /// Whether a version of it was indexed before.
    pub(super) was_known: bool,
    /// How many bytes it has.
    pub(super) bytes: usize,
}

impl Sent {
    /// Where it waits.
    pub(super) fn subject(&self) -> String {
        subject(&self.to, &self.bucket, &self.doc_id)
    }
}

/// The name in the subject is the publisher's to choose; with the id of the document, what waits at
/// one subject is one document.
pub(super) fn subject(to: &TargetEditions, bucket: &Bucket, doc_id: &DocId) -> String {
    let (bucket, name) = (bucket.clone(), doc_id.clone());
    let subject = match to.is_alone {
        false => Subject::Document { bucket, name },
        true => Subject::Reindex {
            edition: to.edition.clone(),
            bucket,
            name,
        },
    };
    subject.to_string()
}

/// Where in a file of several documents the last one was read.
pub(super) type Reading = Cursor;

/// What is published of a document.
pub(super) struct Body {
    pub(super) bytes: Bytes,
    pub(super) hash: String,
}

/// Reads the bytes that are published of a document: its file, or for a part of a file the document as JSON. A
/// document that cannot be read any more gives the reason.
pub(super) async fn read(
    mut reading: Reading,
    path: PathBuf,
    notice: &Notice,
) -> Result<(Reading, Result<Body, String>), Error> {
    let Notice { source, tenant, .. } = notice.clone();
    let form = notice.form;
    let work = tokio::task::spawn_blocking(move || {
        let bytes = match form {
            DocumentForm::File => bytes_of(&path, &source),
            DocumentForm::Document => reading
                .read(&path, &source, &tenant)
                .map(|document| document.to_json()),
        };
        let body = bytes.map(|bytes| Body {
            hash: sha256_hex(&bytes),
            bytes: bytes.into(),
        });
        (reading, body.map_err(|reason| reason.to_string()))
    });
    work.await.map_err(Error::Read)
}

/// Publishes a document.
pub(super) async fn document(
    bus: &dyn Bus,
    to: &TargetEditions,
    mut notice: Notice,
    mut body: Bytes,
    stamp: &Stamp,
) -> Result<Sent, Error> {
    let bytes = body.len();
    if bytes > DOCUMENT_INLINE_BYTES_MAX {
        // A name of its own: what belongs to one message may go with it.
        let random: String = (0..8).map(|_| fastrand::alphanumeric()).collect();
        let hash = notice.hash.as_deref().unwrap_or(&stamp.hash);
        let file = format!("{}.{}.{random}", stamp.doc_id, &hash[..16]);
        put(bus, &file, std::mem::take(&mut body)).await?;
        notice.object = Some(file);
    }
    let (bucket, doc_id) = (stamp.bucket.clone(), stamp.doc_id.clone());
    let sent = send(bus, to, notice, body, bucket, doc_id).await?;
    Ok(Sent { bytes, ..sent })
}

/// Publishes the deletion of a document.
pub(super) async fn deletion(
    bus: &dyn Bus,
    to: &TargetEditions,
    tenant: &TenantId,
    source: &str,
    entry: &Entry,
) -> Result<Sent, Error> {
    let notice = Notice {
        is_deleted: true,
        chunks: entry.chunks,
        ..Notice::new(tenant.clone(), source)
    };
    let (bucket, doc_id) = (entry.bucket.clone(), entry.doc_id.clone());
    let sent = send(bus, to, notice, Bytes::new(), bucket, doc_id).await?;
    Ok(Sent {
        was_known: true,
        ..sent
    })
}

async fn send(
    bus: &dyn Bus,
    to: &TargetEditions,
    notice: Notice,
    body: Bytes,
    bucket: Bucket,
    doc_id: DocId,
) -> Result<Sent, Error> {
    let headers = notice
        .headers()
        .into_iter()
        .fold(Headers::default(), |headers, (name, value)| {
            headers.with(name, value)
        });
    let message = Publish {
        headers,
        ..Publish::new(subject(to, &bucket, &doc_id), body)
    };
    let until = bus.now().plus(PATIENCE_MS);
    let stored = store_until(bus, message, until).await;
    let sequence = stored.map_err(|error| Error::Publish {
        document: notice.source.clone(),
        error,
    })?;
    Ok(Sent {
        sequence,
        to: to.clone(),
        notice,
        bucket,
        doc_id,
        was_known: false,
        bytes: 0,
    })
}

/// Stores a file in the object store of documents. While the store is full or away, it tries again, up to
/// [`PATIENCE_MS`].
async fn put(bus: &dyn Bus, file: &str, bytes: Bytes) -> Result<(), BusError> {
    let until = bus.now().plus(PATIENCE_MS);
    loop {
        match bus.put_file(file, bytes.clone()).await {
            Ok(()) => return Ok(()),
            Err(BusError::Refused(_) | BusError::Away(_)) if bus.now() < until => {
                tokio::time::sleep(FULL).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Whether a document stands under an id that its source no longer has: indexed by a release that
/// derived ids in another way.
pub(super) fn is_known_otherwise(tenant: &TenantId, source: &str, entry: &Entry) -> bool {
    doc_id_of(tenant, source) != entry.doc_id
}

/// Deletes such a document, which no document message can name.
pub(super) async fn forget(
    bus: &dyn Bus,
    edition: &Edition,
    tenant: &TenantId,
    source: &str,
    entry: &Entry,
) -> Result<(), Error> {
    for n in 0..entry.chunks.max(1) {
        let gone = documents::record::tombstone(tenant, source, entry, n);
        let body = gone.encode().map_err(|error| Error::Encode {
            chunk: gone.chunk_id(),
            error,
        })?;
        let message = Publish::new(gone.subject(edition), body);
        publish_until(bus, message, bus.now().plus(PATIENCE_MS))
            .await
            .map_err(Error::Tombstone)?;
    }
    Ok(())
}
