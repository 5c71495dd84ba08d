//! Makes the messages of one version of a document, and publishes them under a chain of write conditions.

use super::{Failure, failed};
use bus::{Bus, Headers, Publish, PublishError, StoredMessage, Stream, WriteCondition};
use envelope::{ChunkRecord, Class, Problem, Subject, header};
use stage::{Chunk, Cut, Incoming, Ingest};
use streams::outbox::store_until;

/// What was made of a version: the chunks, first to last.
pub(super) struct Made {
    pub(super) version: String,
    pub(super) cut: Cut,
}

/// What is stored of a document: its newest message and its head.
pub(super) struct Written {
    pub(super) newest: Option<StoredMessage>,
    pub(super) head: Option<StoredMessage>,
}

impl Written {
    /// What was left out of it, as its head says.
    pub(super) fn left_out(&self) -> Option<Problem> {
        ChunkRecord::decode(&self.head.as_ref()?.body)
            .ok()?
            .left_out
    }
}

/// Where a chunk of the document is published.
pub(super) fn subject(incoming: &Incoming, n: u32) -> String {
    Subject::Chunk {
        edition: incoming.edition.clone(),
        bucket: incoming.bucket.clone(),
        doc: incoming.doc_id.clone(),
        n,
    }
    .to_string()
}

/// Everything that is stored of the document.
pub(super) fn across(incoming: &Incoming) -> String {
    envelope::subject::chunks(&incoming.edition, &incoming.bucket, &incoming.doc_id)
}

/// The messages that bring the corpus to a version: tombstones of chunks that no longer exist, then the chunks from
/// the last to the first. When the head is stored, everything is.
pub(super) fn version(
    ingest: &dyn Ingest,
    incoming: &Incoming,
    made: &Made,
    extent: u32,
) -> Result<Vec<Publish>, Failure> {
    let of = u32::try_from(made.cut.chunks.len()).unwrap_or(u32::MAX);
    let over = ingest
        .tombstones(incoming, of..extent.max(of), extent)
        .map_err(failed)?;
    let chunks = over.iter().chain(made.cut.chunks.iter().rev());
    Ok(chunks
        .map(|chunk| message(incoming, chunk, Some(&made.version)))
        .collect())
}

/// The messages that delete a document: the head first, which makes every index drop the document; the others
/// follow so that the stream drops their chunks too.
pub(super) fn deletion(
    ingest: &dyn Ingest,
    incoming: &Incoming,
    extent: u32,
) -> Result<Vec<Publish>, Failure> {
    let tombstones = ingest
        .tombstones(incoming, 0..extent, extent)
        .map_err(failed)?;
    Ok(tombstones
        .iter()
        .map(|chunk| message(incoming, chunk, None))
        .collect())
}

fn message(incoming: &Incoming, chunk: &Chunk, version: Option<&str>) -> Publish {
    let headers = match version {
        Some(version) if chunk.n == 0 => Headers::default().with(header::DOC_HASH, version),
        _ => Headers::default(),
    };
    Publish {
        headers,
        ..Publish::new(subject(incoming, chunk.n), chunk.body.clone())
    }
}

/// How long one message is tried before the caller looks at the document again: it may have been
/// overtaken meanwhile.
const PATIENCE_MS: u64 = 30_000;

/// Publishes the messages in order, each expecting the one before to be the newest of the document; the first
/// expects `after`. Returns the sequence of the last, or nothing when another writer stored something in between. A
/// corpus that is full or away is an overload: the document is held, because giving it up would not help.
pub(super) async fn chain(
    bus: &dyn Bus,
    incoming: &Incoming,
    messages: Vec<Publish>,
    mut after: u64,
) -> Result<Option<u64>, Failure> {
    let across = across(incoming);
    for message in messages {
        let fenced = Publish {
            condition: WriteCondition::LastIs(across.clone(), after),
            ..message.clone()
        };
        let until = bus.now().plus(PATIENCE_MS);
        after = match store_until(bus, fenced, until).await {
            Ok(sequence) => sequence,
            Err(PublishError::Exists) => {
                // It may be this very message, whose confirmation was lost.
                match bus.last(Stream::Chunks, &across).await? {
                    Some(newest) if is_same(&newest, &message) && newest.sequence > after => {
                        newest.sequence
                    }
                    _ => return Ok(None),
                }
            }
            Err(error) => return Err(unstored(error)),
        };
    }
    Ok(Some(after))
}

fn unstored(error: PublishError) -> Failure {
    let (class, code) = match error {
        PublishError::Refused(_) => (Class::Permanent, "chunk_refused"),
        PublishError::Full => (Class::Overloaded, "corpus_full"),
        _ => (Class::Overloaded, "corpus_away"),
    };
    Failure::new(class, code, error)
}

fn is_same(stored: &StoredMessage, message: &Publish) -> bool {
    stored.subject == message.subject && stored.body == message.body
}
