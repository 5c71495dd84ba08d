//! Tests several indexers on one document: concurrent versions, indexers that die, and chunks that are left behind.
//!
//! The stages are the real ones here, and the tests check that the corpus holds one version, complete.

use crate::between::{Between, Do};
use crate::world::{On, World, until, within};
use bus::{Bus, Headers, Publish, PublishError, Stream};
use bytes::Bytes;
use documents::document::{bucket_of, doc_id_of, sha256_hex};
use envelope::document::{DocumentOutcome, IndexedEvent, Notice, is_source};
use envelope::limits::DOCUMENT_INLINE_BYTES_MAX;
use envelope::{Bucket, ChunkRecord, DocId, Subject, TenantId, header};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;

pub(crate) const SOURCE: &str = "contracts/lease.md";

fn place(source: &str) -> (Bucket, DocId) {
    let tenant = TenantId::default_tenant();
    (bucket_of(source), doc_id_of(&tenant, source))
}

/// A document of about so many chunks.
pub(crate) fn text(word: &str, chunks: usize) -> Bytes {
    let sentence =
        format!("The {word} clause number of this paragraph says what the {word} wants. ");
    sentence.repeat(chunks * 20).into()
}

pub(crate) fn notice() -> Notice {
    assert!(is_source(SOURCE));
    Notice::new(TenantId::default_tenant(), SOURCE)
}

impl World {
    /// Publishes a document as anybody may.
    pub(crate) async fn document(&self, notice: Notice, body: Bytes) -> u64 {
        let (bucket, _) = place(&notice.source);
        let subject = format!("argosy.document.{bucket}.any-name");
        let mut headers = Headers::default();
        for (name, value) in notice.headers() {
            headers = headers.with(name, value);
        }
        let message = Publish {
            headers,
            ..Publish::new(subject, body)
        };
        self.bus.publish(message).await.unwrap()
    }

    /// Waits until no document waits any more.
    pub(crate) async fn indexed(&self) {
        until("every document to be done", async || {
            self.bus.state(Stream::Documents).await.unwrap().messages == 0
        })
        .await;
    }

    /// The records of a document by chunk.
    async fn records(&self, source: &str) -> BTreeMap<u32, ChunkRecord> {
        let (_, doc) = place(source);
        let all = self.all(Stream::Chunks).await;
        let records = all.iter().map(|m| ChunkRecord::decode(&m.body).unwrap());
        records
            .filter(|record| record.doc_id == doc)
            .map(|record| (record.n, record))
            .collect()
    }

    /// Asserts that the corpus holds this version of the document, whole, and nothing else of it.
    async fn is_whole(&self, body: &Bytes) {
        let records = self.records(SOURCE).await;
        let live: Vec<_> = records.values().filter(|r| !r.deleted).collect();
        let hash = sha256_hex(body);
        let shape: Vec<_> = records.values().map(|r| (r.n, r.of, r.deleted)).collect();
        assert!(
            live.iter().all(|r| r.hash == hash),
            "two versions: {shape:?}"
        );
        assert_eq!(live.len(), live[0].of as usize, "{shape:?}");
        assert!(live.iter().zip(0..).all(|(r, n)| r.n == n), "{shape:?}");
    }
}

fn is_chunk(message: &Publish) -> bool {
    message.subject.starts_with("argosy.chunk.")
}

/// A bus that does something to the chunk publish of this number, from 0.
pub(crate) fn at(
    bus: &Arc<dyn Bus>,
    nth: usize,
    what: impl Fn() -> Do + Send + Sync + 'static,
) -> Arc<Between> {
    let seen = AtomicUsize::new(0);
    Between::new(bus, move |message| {
        if is_chunk(message) && seen.fetch_add(1, Ordering::Relaxed) == nth {
            return what();
        }
        Do::Pass
    })
}

/// The old version is held up somewhere while another indexer brings in the new one.
pub(crate) async fn two_versions_in_work_never_mix(on: On) {
    for (nth, old, new) in [(0, 6, 4), (2, 6, 4), (5, 6, 4), (2, 3, 7)] {
        let world = World::new(on).await;
        let gate = Arc::new(Semaphore::new(0));
        let held = gate.clone();
        let slow = at(&world.bus, nth, move || Do::Hold(held.clone()));
        let bus: Arc<dyn Bus> = slow.clone();
        let _old = world.indexer(&bus, 1);
        world.document(notice(), text("old", old)).await;
        slow.meddled(1).await;

        let _new = world.indexer(&world.bus, 1);
        let body = text("new", new);
        world.document(notice(), body.clone()).await;
        until("the new version", async || {
            world.bus.state(Stream::Documents).await.unwrap().messages == 1
        })
        .await;
        world.is_whole(&body).await;
        let before = world.bus.state(Stream::Chunks).await.unwrap().last;
        gate.add_permits(1);
        world.indexed().await;
        world.is_whole(&body).await;
        let after = world.bus.state(Stream::Chunks).await.unwrap().last;
        assert_eq!(before, after, "the old version wrote on");
        assert_eq!(world.bus.state(Stream::Dead).await.unwrap().messages, 0);
    }
}

/// An indexer is killed between two chunks, and the redelivery completes its work.
pub(crate) async fn an_indexer_that_died_between_two_chunks_is_made_good(on: On) {
    for nth in [1, 4] {
        let world = World::new(on).await;
        let first = text("first", 3);
        let steady = world.indexer(&world.bus, 1);
        world.document(notice(), first.clone()).await;
        world.indexed().await;
        world.is_whole(&first).await;
        steady.drained().await;

        let stalling = at(&world.bus, nth, || Do::Stall);
        let bus: Arc<dyn Bus> = stalling.clone();
        let dies = world.indexer(&bus, 1);
        let second = text("second", 6);
        world.document(notice(), second.clone()).await;
        stalling.meddled(1).await;
        dies.kill().await;
        let records = world.records(SOURCE).await;
        assert_eq!(records[&0].hash, sha256_hex(&first), "the head comes last");

        let _other = world.indexer(&world.bus, 1);
        world.indexed().await;
        world.is_whole(&second).await;
    }
}

/// A long version was begun and never finished, and a short one comes after it.
pub(crate) async fn what_an_interrupted_version_left_is_cleared(on: On) {
    let world = World::new(on).await;
    let stalling = at(&world.bus, 3, || Do::Stall);
    let bus: Arc<dyn Bus> = stalling.clone();
    let dies = world.indexer(&bus, 1);
    world.document(notice(), text("long", 9)).await;
    stalling.meddled(1).await;
    dies.kill().await;
    let left = world.records(SOURCE).await;
    assert_eq!(left.len(), 3);

    let short = text("short", 2);
    world.document(notice(), short.clone()).await;
    let _other = world.indexer(&world.bus, 4);
    world.indexed().await;
    world.is_whole(&short).await;
    let records = world.records(SOURCE).await;
    assert!(left.keys().all(|n| records[n].deleted), "{left:?}");
}

/// A chunk is stored and its confirmation lost: the indexer's own message makes its write condition fail.
pub(crate) async fn a_lost_confirmation_is_not_taken_for_a_stranger(on: On) {
    let world = World::new(on).await;
    let lossy = at(&world.bus, 1, || Do::Unconfirmed);
    let bus: Arc<dyn Bus> = lossy.clone();
    let _indexer = world.indexer(&bus, 1);
    let body = text("only", 4);
    world.document(notice(), body.clone()).await;
    world.indexed().await;
    world.is_whole(&body).await;
    let stored = world.bus.state(Stream::Chunks).await.unwrap();
    assert_eq!(stored.last, stored.messages, "nothing was written twice");
}

/// The same again, the same by force, and the word of a redelivery.
pub(crate) async fn what_is_there_already_is_left_alone(on: On) {
    let world = World::new(on).await;
    let _indexer = world.indexer(&world.bus, 4);
    let body = text("same", 3);
    world.document(notice(), body.clone()).await;
    world.indexed().await;
    let first = world.bus.state(Stream::Chunks).await.unwrap().last;
    let named = Notice {
        hash: Some(sha256_hex(&body)),
        ..notice()
    };
    for notice in [notice(), named] {
        world.document(notice, body.clone()).await;
        world.indexed().await;
        let last = world.bus.state(Stream::Chunks).await.unwrap().last;
        assert_eq!(last, first, "nothing was written");
    }
    let forced = Notice {
        is_forced: true,
        ..notice()
    };
    world.document(forced, body.clone()).await;
    world.indexed().await;
    assert!(world.bus.state(Stream::Chunks).await.unwrap().last > first);
    world.is_whole(&body).await;
    let changed = Notice {
        metadata: BTreeMap::from([("vendor".to_owned(), "Corvane".into())]),
        ..notice()
    };
    world.document(changed, body.clone()).await;
    world.indexed().await;
    let records = world.records(SOURCE).await;
    assert_eq!(records[&0].metadata["vendor"], "Corvane");
}

pub(crate) async fn a_deletion_leaves_tombstones_only(on: On) {
    let world = World::new(on).await;
    let _indexer = world.indexer(&world.bus, 4);
    world.document(notice(), text("gone", 4)).await;
    world.indexed().await;
    let gone = Notice {
        is_deleted: true,
        ..notice()
    };
    world.document(gone.clone(), Bytes::new()).await;
    world.indexed().await;
    let records = world.records(SOURCE).await;
    assert!(records.len() >= 4 && records.values().all(|r| r.deleted));
    let last = world.bus.state(Stream::Chunks).await.unwrap().last;
    world.document(gone, Bytes::new()).await;
    world.indexed().await;
    assert_eq!(world.bus.state(Stream::Chunks).await.unwrap().last, last);
    // And back again.
    let back = text("back", 2);
    world.document(notice(), back.clone()).await;
    world.indexed().await;
    world.is_whole(&back).await;
}

pub(crate) async fn what_cannot_be_indexed_says_why_and_the_rest_goes_on(on: On) {
    let world = World::new(on).await;
    let mut events = world
        .bus
        .subscribe("argosy.indexed.*.*", None)
        .await
        .unwrap();
    let at = |source: &str| Notice::new(TenantId::default_tenant(), source);
    let wrong_hash = Notice {
        hash: Some("00".repeat(32)),
        ..at("a/hash.md")
    };
    world
        .document(at("a/nul.txt"), Bytes::from_static(b"a\0b"))
        .await;
    world
        .document(at("a/image.png"), Bytes::from_static(b"x"))
        .await;
    world
        .document(at("a/blank.md"), Bytes::from_static(b" \n"))
        .await;
    world
        .document(wrong_hash, Bytes::from_static(b"text"))
        .await;
    let raw = |subject: &str, headers: Headers| {
        let message = Publish {
            headers,
            ..Publish::new(subject, Bytes::from_static(b"text"))
        };
        let bus = world.bus.clone();
        async move { bus.publish(message).await.unwrap() }
    };
    let source = |source: &str| Headers::default().with(header::SOURCE, source);
    raw("argosy.document.a.nameless", Headers::default()).await;
    raw("argosy.document.a.outside", source("../x.md")).await;
    raw("argosy.document.b.moved", source("a/moved.md")).await;
    raw("argosy.document.ä.x", source("a/x.md")).await;
    world.document(notice(), text("good", 1)).await;
    let _indexer = world.indexer(&world.bus, 2);
    world.indexed().await;
    world.is_whole(&text("good", 1)).await;

    let letters = world.all(Stream::Dead).await;
    let mut reasons: Vec<_> = letters
        .iter()
        .map(|m| m.headers.get(header::DEAD_REASON).unwrap())
        .collect();
    reasons.sort_unstable();
    let wanted = [
        "bad_source",
        "bad_subject",
        "binary",
        "empty",
        "hash_mismatch",
        "missing_source",
        "unknown_extension",
        "wrong_bucket",
    ];
    assert_eq!(reasons, wanted);
    for letter in &letters {
        let parsed = Subject::parse(&letter.subject);
        assert!(
            matches!(parsed, Ok(Subject::DeadDocument { .. })),
            "{letter:?}"
        );
    }
    let mut told = BTreeMap::new();
    for _ in 0..9 {
        let event = within("an event", events.next()).await.unwrap();
        let event: IndexedEvent = serde_json::from_slice(&event.body).unwrap();
        told.insert(event.sequence, event);
    }
    assert_eq!(told[&9].outcome, DocumentOutcome::Indexed);
    assert_eq!(told[&1].outcome, DocumentOutcome::Skipped);
    let problem = told[&1].problem.as_ref().unwrap();
    assert_eq!(problem.code, "binary");
}

pub(crate) async fn a_large_document_comes_from_the_object_store(on: On) {
    let world = World::new(on).await;
    let sentence = "A long report has many sentences that are all alike, and some are not. ";
    let body = Bytes::from(sentence.repeat(2 * 1024 * 1024 / sentence.len()));
    assert!(body.len() > DOCUMENT_INLINE_BYTES_MAX * 3);
    world.bus.put_file("report.1", body.clone()).await.unwrap();
    let large = Notice {
        object: Some("report.1".into()),
        ..notice()
    };
    world.document(large, Bytes::new()).await;
    let _indexer = world.indexer(&world.bus, 2);
    world.indexed().await;
    world.is_whole(&body).await;
    let left = world.bus.get_file("report.1", u64::MAX).await;
    assert_eq!(left, Ok(None), "it goes with its message");
}

/// A document whose indexing never finishes is given up in the end. With a paused clock only, because it takes as
/// long as all the waits between its deliveries.
#[tokio::test(start_paused = true)]
async fn a_document_that_never_succeeds_is_given_up() {
    let world = World::new(On::Memory).await;
    let never = Notice {
        object: Some("never.put".into()),
        ..notice()
    };
    world.document(never, Bytes::new()).await;
    let stalling = Between::new(&world.bus, |message| match is_chunk(message) {
        true => Do::Stall,
        false => Do::Pass,
    });
    let _indexer = world.indexer(&world.bus, 1);
    world.indexed().await;
    let letters = world.all(Stream::Dead).await;
    let reason = |n: usize| letters[n].headers.get(header::DEAD_REASON);
    assert_eq!((letters.len(), reason(0)), (1, Some("object_missing")));
    drop(_indexer);

    // One that takes its indexer down every time is not begun a ninth time.
    let bus: Arc<dyn Bus> = stalling.clone();
    world.document(notice(), text("deadly", 2)).await;
    for _ in 0..8 {
        let dies = world.indexer(&bus, 1);
        stalling.meddled(1).await;
        dies.kill().await;
    }
    let _last = world.indexer(&bus, 1);
    world.indexed().await;
    let letters = world.all(Stream::Dead).await;
    let last = letters.last().unwrap();
    assert_eq!(last.headers.get(header::DEAD_REASON), Some("deliveries"));
    assert_eq!(last.headers.get(header::DEAD_DELIVERED), Some("9"));
}

/// Dead letters cannot be stored for a while: the document stays in its queue, and its letter is stored later.
pub(crate) async fn a_document_without_a_dead_letter_is_not_let_go(on: On) {
    let world = World::new(on).await;
    let refused = Arc::new(AtomicUsize::new(0));
    let count = refused.clone();
    // As many as two deliveries try.
    let bus = Between::new(&world.bus, move |message| {
        let is_letter = message.subject.starts_with("argosy.dead.");
        match is_letter && count.fetch_add(1, Ordering::Relaxed) < 6 {
            true => Do::Fail(PublishError::Full),
            false => Do::Pass,
        }
    });
    let given_up = bus.clone() as Arc<dyn Bus>;
    let _indexer = world.indexer(&given_up, 1);
    let original = Bytes::from_static(b"a\0b");
    world.document(notice(), original.clone()).await;
    bus.meddled(6).await;
    assert_eq!(
        world.bus.state(Stream::Documents).await.unwrap().messages,
        1
    );
    world.indexed().await;
    let letters = world.all(Stream::Dead).await;
    assert_eq!((letters.len(), &letters[0].body), (1, &original));
    assert_eq!(letters[0].headers.get(header::DEAD_REASON), Some("binary"));
    let waits: Vec<_> = bus.naks().into_iter().map(|(_, wait)| wait).collect();
    assert_eq!(waits, [Duration::from_secs(1), Duration::from_secs(2)]);
}

/// The object store stalls in the middle of a document: the slot is not held for ever.
#[tokio::test(start_paused = true)]
async fn a_document_whose_bytes_never_come_is_asked_for_again() {
    let world = World::new(On::Memory).await;
    let body = text("stored", 3);
    let file = world.bus.put_file("slow.1", body.clone());
    file.await.unwrap();
    let stored = Notice {
        object: Some("slow.1".into()),
        hash: Some(sha256_hex(&body)),
        ..notice()
    };
    let slow = Between::new(&world.bus, |_| Do::Pass);
    slow.lose_files(1);
    let bus: Arc<dyn Bus> = slow.clone();
    let _indexer = world.indexer(&bus, 1);
    world.document(stored, Bytes::new()).await;
    // Longer than a part of the work on a document may take (`run.step_timeout`, 5 min).
    tokio::time::sleep(Duration::from_secs(301)).await;
    world.indexed().await;
    world.is_whole(&body).await;
}

/// The corpus has no room for an hour: the document and its slot are held, and it is not given up.
#[tokio::test(start_paused = true)]
async fn a_full_corpus_is_waited_for() {
    let world = World::new(On::Memory).await;
    let room_at = world.bus.now().plus(3_600_000);
    let inner = world.bus.clone();
    let full = Between::new(&world.bus, move |message| match is_chunk(message) {
        true if inner.now() < room_at => Do::Fail(PublishError::Full),
        _ => Do::Pass,
    });
    let bus: Arc<dyn Bus> = full.clone();
    let _indexer = world.indexer(&bus, 1);
    let body = text("patient", 3);
    world.document(notice(), body.clone()).await;
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    assert_eq!(world.records(SOURCE).await.len(), 0);
    world.indexed().await;
    world.is_whole(&body).await;
    assert_eq!(world.bus.state(Stream::Dead).await.unwrap().messages, 0);
}

/// A version waits for a full corpus and is overtaken meanwhile: it gives way without having written.
#[tokio::test(start_paused = true)]
async fn what_is_overtaken_while_the_corpus_is_full_gives_way() {
    let world = World::new(On::Memory).await;
    let full = Between::new(&world.bus, |message| match is_chunk(message) {
        true => Do::Fail(PublishError::Full),
        false => Do::Pass,
    });
    let bus: Arc<dyn Bus> = full.clone();
    let _stuck = world.indexer(&bus, 1);
    world.document(notice(), text("old", 3)).await;
    full.meddled(1).await;
    let _free = world.indexer(&world.bus, 1);
    let body = text("new", 2);
    world.document(notice(), body.clone()).await;
    world.indexed().await;
    world.is_whole(&body).await;
    assert_eq!(world.bus.state(Stream::Dead).await.unwrap().messages, 0);
}

/// The chain of write conditions where writes are replicated: versions come faster than they are indexed.
#[tokio::test]
async fn the_newest_version_is_whole_on_three_servers() {
    let world = World::cluster().await;
    let _indexers = [world.indexer(&world.bus, 2), world.indexer(&world.bus, 2)];
    let versions = (0..12).map(|n| text(&format!("version-{n}"), 2 + n % 4));
    let versions: Vec<Bytes> = versions.collect();
    for body in &versions {
        world.document(notice(), body.clone()).await;
    }
    world.indexed().await;
    world.is_whole(versions.last().unwrap()).await;
    assert_eq!(world.bus.state(Stream::Dead).await.unwrap().messages, 0);
}
