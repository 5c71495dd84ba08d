//! Finds the document of a dead letter as it was published, and tells whether a newer version of it has been published
//! since.
//!
//! A retry publishes the document again and so makes it the newest version, which indexers take. So this module first
//! looks for later messages of the document. It does *not* see a later message that changed nothing and has left the
//! queue.

use super::Letter;
use bus::{Bus, BusError, Headers, Publish, StoredMessage, Stream};
use envelope::ChunkRecord;
use envelope::document::Notice;
use envelope::{Bucket, DocId, Edition, Subject};

/// The document as it was published: its headers, without what the letter says.
pub(super) fn publish(letter: &Letter, stored: &StoredMessage) -> Publish {
    let own = |name: &str| {
        let is_of_the_letter = name.starts_with("Argosy-Dead-");
        name.starts_with("Argosy-") && !is_of_the_letter
    };
    let headers = stored.headers.0.iter().filter(|(name, _)| own(name));
    Publish {
        headers: Headers(headers.cloned().collect()),
        ..Publish::new(&letter.subject, stored.body.clone())
    }
}

/// What is newer than the dead letter's message, in words; nothing when that is the newest. The places are checked
/// in the order in which a newer message moves on: a waiting one is indexed or given up before it is acked.
pub(super) async fn superseded(
    bus: &dyn Bus,
    letter: &Letter,
    stored: &StoredMessage,
) -> Result<Option<String>, BusError> {
    let Ok(Subject::DeadDocument { bucket, doc, .. }) = Subject::parse(&stored.subject) else {
        return Ok(None);
    };
    let sequence = letter.origin_sequence();
    let (waits, editions) = match Subject::parse(&letter.subject) {
        Ok(Subject::Document { bucket, name }) => {
            let record = streams::editions::read(bus).await?;
            let editions: Vec<Edition> = record.editions.all().cloned().collect();
            (queues("*", &bucket, &name), editions)
        }
        Ok(Subject::Reindex {
            edition,
            bucket,
            name,
        }) => (queues(edition.as_str(), &bucket, &name), vec![edition]),
        _ => return Ok(None),
    };
    for subject in waits {
        let newest = bus.last(Stream::Documents, &subject).await?;
        if newest.is_some_and(|newest| newest.sequence > sequence && is_same(&newest, stored)) {
            return Ok(Some("a newer message of it waits to be indexed".into()));
        }
    }
    let last = bus.last(Stream::Dead, &stored.subject).await?;
    if let Some(last) = last.as_ref().and_then(Letter::of)
        && last.origin_sequence() > sequence
    {
        let text = format!("the letter {} is of a newer message of it", last.number);
        return Ok(Some(text));
    }
    for edition in editions {
        if indexed_of(bus, edition, &bucket, &doc).await? > sequence {
            return Ok(Some("it was indexed anew since".into()));
        }
    }
    Ok(None)
}

/// Where messages wait that an edition takes, or any with `*`.
fn queues(edition: &str, bucket: &Bucket, name: &DocId) -> [String; 2] {
    let all = Subject::Document {
        bucket: bucket.clone(),
        name: name.clone(),
    };
    [
        all.to_string(),
        format!("argosy.reindex.{edition}.{bucket}.{name}"),
    ]
}

/// Whether two messages are about one document: names in subjects are chosen by publishers.
fn is_same(one: &StoredMessage, other: &StoredMessage) -> bool {
    let of = |message: &StoredMessage| {
        let notice = Notice::read(|name| message.headers.get(name)).ok()?;
        Some((notice.tenant, notice.source))
    };
    of(one).is_some_and(|found| of(other) == Some(found))
}

/// Sequence of the message that an edition's head of the document was made of, 0 where there is none.
async fn indexed_of(
    bus: &dyn Bus,
    edition: Edition,
    bucket: &Bucket,
    doc: &DocId,
) -> Result<u64, BusError> {
    let head = Subject::Chunk {
        edition,
        bucket: bucket.clone(),
        doc: doc.clone(),
        n: 0,
    };
    let head = bus.last(Stream::Chunks, &head.to_string()).await?;
    let head = head.and_then(|head| ChunkRecord::decode(&head.body).ok());
    Ok(head.map_or(0, |head| head.document_seq))
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
