//! Tests of dead letters of documents, with and without a newer version.

use super::*;
use bus::Bus;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bytes::Bytes;
use envelope::header;
use serde_json::json;
use std::sync::Arc;

const NAMED: &str = "argosy.document.b.d";

/// Stores a version of a document; returns its sequence.
async fn version(bus: &MemoryBus, subject: &str, source: &str) -> u64 {
    let headers = Headers::default().with(header::SOURCE, source);
    let message = Publish {
        headers,
        ..Publish::new(subject, Bytes::from_static(b"text"))
    };
    bus.publish(message).await.unwrap()
}

/// Stores the letter of a message and reads it back.
async fn given_up(bus: &MemoryBus, subject: &str, sequence: u64) -> StoredMessage {
    let headers = Headers::default()
        .with(header::DEAD_SUBJECT, subject)
        .with(header::DEAD_ORIGIN, format!("ARGOSY_DOCUMENTS/{sequence}"))
        .with(header::SOURCE, "b/d.md");
    let letter = Publish {
        headers,
        ..Publish::new("argosy.dead.indexer.main.b.d", Bytes::from_static(b"text"))
    };
    let number = bus.publish(letter).await.unwrap();
    bus.message(Stream::Dead, number).await.unwrap().unwrap()
}

/// Stores the head of the document as an edition has it.
async fn indexed(bus: &MemoryBus, edition: &str, sequence: u64, deleted: bool) {
    let head = json!({
        "v": envelope::WIRE, "tenant": "default", "bucket": "b", "doc_id": "d", "n": 0, "of": 1, "hash": "h",
        "source": "b/d.md", "deleted": deleted, "document_seq": sequence,
    });
    let at = format!("argosy.chunk.{edition}.b.d.0");
    let head = Publish::new(at, head.to_string().into());
    bus.publish(head).await.unwrap();
}

async fn why(bus: &MemoryBus, stored: &StoredMessage) -> Option<String> {
    let letter = Letter::of(stored).unwrap();
    superseded(bus, &letter, stored).await.unwrap()
}

fn bus() -> Arc<MemoryBus> {
    MemoryBus::new(&Topology::default())
}

#[tokio::test(start_paused = true)]
async fn the_newest_message_of_a_document_may_be_tried_again() {
    let bus = bus();
    let before = version(&bus, NAMED, "b/d.md").await;
    indexed(&bus, "main", before, false).await;
    let first = version(&bus, NAMED, "b/d.md").await;
    // Another document, whose publisher chose the same name.
    version(&bus, NAMED, "b/other.md").await;
    let letter = given_up(&bus, NAMED, first).await;
    assert_eq!(why(&bus, &letter).await, None);
}

#[tokio::test(start_paused = true)]
async fn an_older_one_is_superseded_by_what_waits_is_given_up_or_indexed() {
    let bus = bus();
    let first = version(&bus, NAMED, "b/d.md").await;
    let letter = given_up(&bus, NAMED, first).await;
    let second = version(&bus, NAMED, "b/d.md").await;
    let said = why(&bus, &letter).await.unwrap();
    assert!(said.contains("waits to be indexed"), "{said}");
    bus.purge(Stream::Documents, NAMED).await.unwrap();
    assert_eq!(why(&bus, &letter).await, None);

    indexed(&bus, "main", second, false).await;
    let said = why(&bus, &letter).await.unwrap();
    assert!(said.contains("indexed anew"), "{said}");
    indexed(&bus, "main", second, true).await;
    assert!(why(&bus, &letter).await.is_some(), "deleted since");

    let newer = given_up(&bus, NAMED, second).await;
    let said = why(&bus, &letter).await.unwrap();
    assert!(said.contains("the letter 2 is"), "{said}");
    assert_eq!(why(&bus, &newer).await, None);
}

#[tokio::test(start_paused = true)]
async fn what_goes_to_all_editions_must_be_new_to_all_of_them() {
    let bus = bus();
    let next = Edition::new("next").unwrap();
    streams::editions::begin(&*bus, &Topology::default(), &next)
        .await
        .unwrap();
    let all = given_up(&bus, NAMED, 5).await;
    let own = given_up(&bus, "argosy.reindex.main.b.d", 5).await;
    indexed(&bus, "next", 6, false).await;
    assert!(why(&bus, &all).await.is_some());
    assert_eq!(why(&bus, &own).await, None, "it is for one edition");
    indexed(&bus, "main", 6, false).await;
    assert!(why(&bus, &own).await.is_some());
}
