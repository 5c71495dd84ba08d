//! Single documents: publishes one, deletes one, lists them, and says what has become of one, as far as the streams show.
//!
//! *Not* here: folders, which [`index`](crate::index()) compares with the corpus as a whole.

use crate::publish::{self, subject};
use crate::{Error, TargetEditions, target_editions};
use bus::{Bus, BusError, Stream};
use bytes::Bytes;
use documents::document::{bucket_of, doc_id_of, sha256_hex};
use documents::{Entry, Stamp};
use envelope::document::Notice;
use envelope::{ChunkRecord, Problem, Subject, TenantId, header};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long the next head of a list may take.
const NEXT_WAIT: Duration = Duration::from_secs(2);
/// How many documents one call of [`list`] looks at.
const HEADS_MAX: usize = 10_000;

/// What has become of a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentState {
    /// Whether a version or a deletion of it waits to be indexed.
    pub waits: bool,
    /// How many chunks of it can be searched; 0 for none.
    pub chunks: u32,
    /// The sequence of the corpus stream from which on they are there, for `min_seq` of a question; 0 for none.
    pub corpus_seq: u64,
    /// Why its newest version was given up, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    /// What was left out of the version that can be searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Problem>,
}

/// A document of a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedDocument {
    /// Its path inside the corpus.
    pub source: String,
    /// Its title.
    pub title: String,
    /// How many chunks it has.
    pub chunks: u32,
}

/// Publishes a file of a tenant for every edition, whole. Indexers read it. Returns the sequence of its message.
///
/// # Errors
/// When it cannot be stored.
pub async fn put(
    bus: &dyn Bus,
    tenant: &TenantId,
    source: &str,
    bytes: Bytes,
) -> Result<u64, Error> {
    let to = target_editions(bus, None).await?;
    let whole = bytes.clone();
    // A large one takes a while.
    let hash = tokio::task::spawn_blocking(move || sha256_hex(&whole)).await;
    let stamp = Stamp {
        source: source.to_owned(),
        bucket: bucket_of(source),
        doc_id: doc_id_of(tenant, source),
        hash: hash.map_err(Error::Read)?,
    };
    let known = head(bus, &to, tenant, source).await?;
    let notice = Notice {
        hash: Some(stamp.hash.clone()),
        chunks: known.map_or(0, |(_, head)| head.of),
        ..Notice::new(tenant.clone(), source)
    };
    let sent = publish::document(bus, &to, notice, bytes, &stamp).await?;
    Ok(sent.sequence)
}

/// Publishes the deletion of a document. Returns the sequence of its message, or `None` if the tenant has no document of
/// this source.
///
/// # Errors
/// When it cannot be stored.
pub async fn delete(bus: &dyn Bus, tenant: &TenantId, source: &str) -> Result<Option<u64>, Error> {
    let to = target_editions(bus, None).await?;
    let (bucket, doc_id) = (bucket_of(source), doc_id_of(tenant, source));
    let at = subject(&to, &bucket, &doc_id);
    // A version that waits to be indexed is deleted behind it.
    let waits = bus.last(Stream::Documents, &at).await?.is_some();
    let head = head(bus, &to, tenant, source).await?;
    if head.is_none() && !waits {
        return Ok(None);
    }
    let head = head.map(|(_, head)| head);
    let entry = Entry {
        bucket,
        doc_id,
        hash: head
            .as_ref()
            .map_or_else(String::new, |head| head.hash.clone()),
        chunks: head.as_ref().map_or(0, |head| head.of),
        pipeline: head.map_or_else(String::new, |head| head.pipeline),
        left_out: None,
    };
    let sent = publish::deletion(bus, &to, tenant, source, &entry).await?;
    Ok(Some(sent.sequence))
}

/// What has become of a document in the current edition, and of its version of the sequence `since` or a later one;
/// `None` if nothing is known of it.
///
/// # Errors
/// When the bus cannot be asked.
pub async fn state(
    bus: &dyn Bus,
    tenant: &TenantId,
    source: &str,
    since: u64,
) -> Result<Option<DocumentState>, Error> {
    let to = target_editions(bus, None).await?;
    let (bucket, doc) = (bucket_of(source), doc_id_of(tenant, source));
    // First what waits: what is indexed meanwhile is seen below.
    let at = subject(&to, &bucket, &doc);
    let waits = bus.last(Stream::Documents, &at).await?.is_some();
    let head = head(bus, &to, tenant, source).await?;
    let letter = Subject::DeadDocument {
        edition: to.edition,
        bucket,
        doc,
    };
    let letter = bus.last(Stream::Dead, &letter.to_string()).await?;
    let indexed = head.as_ref().map_or(0, |(_, head)| head.document_seq);
    let problem = letter.filter(|_| !waits).and_then(|letter| {
        let said = |name| letter.headers.get(name).unwrap_or_default();
        let (_, given_up) = said(header::DEAD_ORIGIN).rsplit_once('/')?;
        let given_up = given_up.parse::<u64>().ok()?;
        let is_newer = given_up > indexed && given_up >= since;
        let (code, text) = (said(header::DEAD_REASON), said(header::DEAD_ERROR));
        is_newer.then(|| Problem::new(code, text))
    });
    if head.is_none() && problem.is_none() && !waits {
        return Ok(None);
    }
    let (corpus_seq, chunks, left_out) = head.map_or((0, 0, None), |(sequence, head)| {
        (sequence, head.of, head.left_out)
    });
    Ok(Some(DocumentState {
        waits,
        chunks,
        corpus_seq,
        problem,
        left_out,
    }))
}

/// What an indexed document says of itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexedDocument {
    /// SHA-256, in hex, of what it was made from: of its file, or of itself where its file has several.
    pub hash: String,
    /// Its metadata.
    pub metadata: BTreeMap<String, Value>,
}

/// The newest version of a document that is indexed; `None` if there is none.
///
/// # Errors
/// When the bus cannot be asked.
pub async fn indexed(
    bus: &dyn Bus,
    tenant: &TenantId,
    source: &str,
) -> Result<Option<IndexedDocument>, Error> {
    let to = target_editions(bus, None).await?;
    let head = head(bus, &to, tenant, source).await?;
    Ok(head.map(|(_, head)| IndexedDocument {
        hash: head.hash,
        metadata: head.metadata,
    }))
}

/// At most `limit` documents of a tenant that `may` be read in the current edition, in the order in which they were indexed, behind the
/// sequence `after`; and the sequence behind which the list goes on, if there may be more. One call looks at no more than
/// 10,000 documents, of whatever tenant, so a list may be short and go on.
///
/// # Errors
/// When the bus cannot be asked, or does not answer in time.
pub async fn list(
    bus: &dyn Bus,
    tenant: &TenantId,
    after: u64,
    limit: usize,
    may: impl Fn(&ChunkRecord) -> bool,
) -> Result<(Vec<ListedDocument>, Option<u64>), Error> {
    let to = target_editions(bus, None).await?;
    let filter = envelope::subject::heads(to.edition.as_str());
    let mut listed = Vec::new();
    // Without a head behind it there is nothing to read, and a reader would wait for ever.
    let is_any = bus.first(Stream::Chunks, &filter, after + 1).await?;
    if is_any.is_none() {
        return Ok((listed, None));
    }
    let mut reader = bus.read(Stream::Chunks, &filter, after + 1).await?;
    let mut next = after;
    for _ in 0..HEADS_MAX {
        let read = tokio::time::timeout(NEXT_WAIT, reader.next()).await;
        let read = read.map_err(|_| BusError::Away("the corpus was not read in time".into()));
        let (stored, pending) = read??;
        next = stored.sequence;
        let record = ChunkRecord::decode(&stored.body).ok();
        if let Some(head) =
            record.filter(|head| head.tenant == *tenant && !head.deleted && may(head))
        {
            listed.push(ListedDocument {
                source: head.source,
                title: head.title,
                chunks: head.of,
            });
        }
        if pending == 0 {
            return Ok((listed, None));
        }
        if listed.len() >= limit {
            break;
        }
    }
    Ok((listed, Some(next)))
}

/// The first chunk of a document that is indexed, with its sequence.
async fn head(
    bus: &dyn Bus,
    to: &TargetEditions,
    tenant: &TenantId,
    source: &str,
) -> Result<Option<(u64, ChunkRecord)>, Error> {
    let head = Subject::Chunk {
        edition: to.edition.clone(),
        bucket: bucket_of(source),
        doc: doc_id_of(tenant, source),
        n: 0,
    };
    let stored = bus.last(Stream::Chunks, &head.to_string()).await?;
    Ok(stored.and_then(|stored| {
        let head = ChunkRecord::decode(&stored.body).ok()?;
        (!head.deleted).then_some((stored.sequence, head))
    }))
}
