//! Tests two editions of one corpus: documents are published while one edition is built beside the other, and
//! processes die meanwhile. *Not* here: the searches in the editions (`switch`).

use crate::between::{Between, Do};
use crate::hand::Hand;
use crate::ingest::{SOURCE, notice, text};
use crate::world::{On, World, until};
use bus::{Bus, Headers, Publish, StoredMessage, Stream};
use bytes::Bytes;
use documents::document::sha256_hex;
use envelope::document::Notice;
use envelope::limits::DOCUMENT_INLINE_BYTES_MAX;
use envelope::{ChunkRecord, Edition, EditionError};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use streams::editions::{self, Error};
use tokio::sync::Semaphore;

pub(crate) fn small() -> Edition {
    Edition::new("small").unwrap()
}

impl World {
    pub(crate) async fn begin(&self, edition: &Edition) {
        editions::begin(&*self.bus, &self.topology, edition)
            .await
            .unwrap();
    }

    /// An indexer of the edition `small`, which cuts smaller pieces.
    pub(crate) fn small_indexer(&self, bus: &Arc<dyn Bus>) -> Hand {
        let options = indexer::Options {
            edition: small(),
            chunk_tokens: 64,
            overlap_tokens: 8,
            ..indexer::Options::default()
        };
        self.indexer_of(bus, 1, &options)
    }

    /// Publishes a document for one edition alone.
    pub(crate) async fn reindex(&self, edition: &Edition, notice: Notice, body: Bytes) {
        let mut headers = Headers::default();
        for (name, value) in notice.headers() {
            headers = headers.with(name, value);
        }
        let subject = format!("argosy.reindex.{edition}.contracts.any-name");
        let message = Publish {
            headers,
            ..Publish::new(subject, body)
        };
        self.bus.publish(message).await.unwrap();
    }

    /// The stored chunks of an edition.
    async fn chunks(&self, edition: &Edition) -> Vec<StoredMessage> {
        let mut all = self.all(Stream::Chunks).await;
        let prefix = format!("argosy.chunk.{edition}.");
        all.retain(|message| message.subject.starts_with(&prefix));
        all
    }

    /// Asserts that an edition holds this version of the document, whole; returns the number of chunks.
    async fn holds(&self, edition: &Edition, body: &Bytes) -> usize {
        let all = self.chunks(edition).await;
        let records = all.iter().map(|m| ChunkRecord::decode(&m.body).unwrap());
        let live: Vec<_> = records
            .filter(|r| !r.deleted && r.source == SOURCE)
            .collect();
        let hash = sha256_hex(body);
        assert!(
            !live.is_empty() && live.iter().all(|r| r.hash == hash),
            "`{edition}` holds another version, or two"
        );
        assert_eq!(live.len(), live[0].of as usize, "`{edition}` is not whole");
        live.len()
    }
}

pub(crate) async fn a_document_is_indexed_for_both_editions(on: On) {
    let world = World::new(on).await;
    let main = Edition::main();
    let _main = world.indexer(&world.bus, 2);
    let before = text("before", 4);
    world.document(notice(), before.clone()).await;
    world.indexed().await;
    world.begin(&small()).await;
    let _small = world.small_indexer(&world.bus);
    assert!(world.chunks(&small()).await.is_empty());

    // What was there is published for the new one alone.
    let last = world.bus.state(Stream::Chunks).await.unwrap().last;
    world.reindex(&small(), notice(), before.clone()).await;
    world.indexed().await;
    let (of_main, of_small) = (
        world.holds(&main, &before).await,
        world.holds(&small(), &before).await,
    );
    assert!(of_small > 2 * of_main, "{of_small} of {of_main}");
    let mains = world.chunks(&main).await;
    assert!(mains.iter().all(|m| m.sequence <= last), "main was written");

    // What is published while it is built is for both, once.
    let during = text("during", 3);
    world.document(notice(), during.clone()).await;
    world.indexed().await;
    world.holds(&main, &during).await;
    world.holds(&small(), &during).await;
    // And so is a deletion.
    let gone = Notice {
        is_deleted: true,
        ..notice()
    };
    world.document(gone, Bytes::new()).await;
    world.indexed().await;
    for edition in [&main, &small()] {
        let all = world.chunks(edition).await;
        let mut records = all.iter().map(|m| ChunkRecord::decode(&m.body).unwrap());
        assert!(records.all(|r| r.deleted), "`{edition}`");
    }
    assert!(world.all(Stream::Dead).await.is_empty());
}

/// A bus whose user dies at this chunk of the edition, from 0, before the chunk is stored or after it.
fn deadly(bus: &Arc<dyn Bus>, edition: &Edition, nth: usize, is_stored: bool) -> Arc<Between> {
    let (seen, prefix) = (AtomicUsize::new(0), format!("argosy.chunk.{edition}."));
    Between::new(bus, move |message| {
        let is_it = message.subject.starts_with(&prefix);
        match is_it && seen.fetch_add(1, Ordering::Relaxed) == nth {
            true if is_stored => Do::StallStored,
            true => Do::Stall,
            false => Do::Pass,
        }
    })
}

pub(crate) async fn killed_indexers_lose_nothing_for_either(on: On) {
    // One dies in the middle; the other when all is stored and nothing acked.
    for (of_main, of_small) in [((1, false), (0, false)), ((2, true), (3, true))] {
        let world = World::new(on).await;
        world.begin(&small()).await;
        let main_dies = deadly(&world.bus, &Edition::main(), of_main.0, of_main.1);
        let small_dies = deadly(&world.bus, &small(), of_small.0, of_small.1);
        let (a, b): (Arc<dyn Bus>, Arc<dyn Bus>) = (main_dies.clone(), small_dies.clone());
        let (main, other) = (world.indexer(&a, 1), world.small_indexer(&b));
        let body = text("only", 3);
        world.document(notice(), body.clone()).await;
        main_dies.meddled(1).await;
        small_dies.meddled(1).await;
        main.kill().await;
        other.kill().await;
        let _main = world.indexer(&world.bus, 1);
        until("the current edition", async || {
            let head = world.chunks(&Edition::main()).await;
            head.iter().any(|m| m.subject.ends_with(".0"))
        })
        .await;
        // Nobody has done it for the other edition: the message is still there.
        world.quiet().await;
        let waiting = world.bus.state(Stream::Documents).await.unwrap();
        assert_eq!(waiting.messages, 1);
        let _small = world.small_indexer(&world.bus);
        world.indexed().await;
        world.holds(&Edition::main(), &body).await;
        world.holds(&small(), &body).await;
        assert!(world.all(Stream::Dead).await.is_empty());
    }
}

/// One edition still has the old version of a document while the other already has the new one.
pub(crate) async fn a_slow_edition_ends_with_the_newest_version(on: On) {
    let world = World::new(on).await;
    world.begin(&small()).await;
    let gate = Arc::new(Semaphore::new(0));
    let (held, seen) = (gate.clone(), AtomicUsize::new(0));
    let slow = Between::new(&world.bus, move |message| {
        let is_chunk = message.subject.starts_with("argosy.chunk.small.");
        match is_chunk && seen.fetch_add(1, Ordering::Relaxed) == 2 {
            true => Do::Hold(held.clone()),
            false => Do::Pass,
        }
    });
    let bus: Arc<dyn Bus> = slow.clone();
    let _small = world.small_indexer(&bus);
    let _main = world.indexer(&world.bus, 1);
    world.document(notice(), text("old", 3)).await;
    slow.meddled(1).await;
    let new = text("new", 2);
    world.document(notice(), new.clone()).await;
    until("the new version in the current edition", async || {
        let all = world.chunks(&Edition::main()).await;
        let head = all.iter().find(|m| m.subject.ends_with(".0"));
        let record = head.map(|m| ChunkRecord::decode(&m.body).unwrap());
        record.is_some_and(|record| record.hash == sha256_hex(&new))
    })
    .await;
    gate.add_permits(1);
    world.indexed().await;
    world.holds(&Edition::main(), &new).await;
    world.holds(&small(), &new).await;
}

pub(crate) async fn who_changes_the_record_at_the_same_time_finds_out(on: On) {
    let world = World::new(on).await;
    let bus = &*world.bus;
    let looked = editions::read(bus).await.unwrap();
    assert_eq!((looked.sequence, looked.editions.all().count()), (0, 1));
    let (first, third) = (small(), Edition::new("third").unwrap());
    let both = tokio::join!(
        editions::begin(bus, &world.topology, &first),
        editions::begin(bus, &world.topology, &third),
    );
    let (won, lost) = match both {
        (Ok(_), Err(lost)) => (small(), lost),
        (Err(lost), Ok(_)) => (third, lost),
        other => panic!("{other:?}"),
    };
    let is_told = matches!(
        lost,
        Error::Changed | Error::Edition(EditionError::Two { .. })
    );
    assert!(is_told, "{lost}");
    let begun = editions::read(bus).await.unwrap();
    assert_eq!(begun.editions.beside, Some(won.clone()));
    // Who looked before that cannot write what was true then.
    let stale = editions::write(bus, looked.editions.begin(&small(), 1).unwrap(), &looked).await;
    match won == small() {
        true => assert_eq!(stale.unwrap(), begun),
        false => assert!(matches!(stale, Err(Error::Changed))),
    }
    let switched = editions::switch(bus, &won, &begun).await.unwrap();
    assert_eq!(switched.editions.current, won);
    let late = editions::switch(bus, &won, &begun).await;
    assert!(late.is_ok(), "the same again is done already: {late:?}");
    let back = editions::switch(bus, &Edition::main(), &begun).await;
    assert!(matches!(
        back,
        Err(Error::Edition(EditionError::Current(_)))
    ));
}

pub(crate) async fn a_dropped_edition_leaves_nothing(on: On) {
    let world = World::new(on).await;
    let bus = &*world.bus;
    world.begin(&small()).await;
    let _main = world.indexer(&world.bus, 1);
    let dies = world.small_indexer(&world.bus);
    let body = text("both", 3);
    world.document(notice(), body.clone()).await;
    world.indexed().await;
    dies.kill().await;
    // From now on documents wait for an edition that nobody writes.
    let newer = text("newer", 3);
    world.document(notice(), newer.clone()).await;
    until("the current edition to be done", async || {
        let all = world.chunks(&Edition::main()).await;
        all.iter().any(|m| {
            let record = ChunkRecord::decode(&m.body).unwrap();
            record.is_head() && record.hash == sha256_hex(&newer)
        })
    })
    .await;
    let refused = editions::drop(bus, &world.topology, &Edition::main()).await;
    assert!(matches!(
        refused,
        Err(Error::Edition(EditionError::Current(_)))
    ));
    let gone = editions::drop(bus, &world.topology, &small())
        .await
        .unwrap();
    assert!(gone > 3, "{gone}");
    world.indexed().await;
    assert!(world.chunks(&small()).await.is_empty());
    world.holds(&Edition::main(), &newer).await;
    assert_eq!(editions::read(bus).await.unwrap().editions.beside, None);
    // Again is harmless, and what is left of one is not taken for the next.
    let none = editions::drop(bus, &world.topology, &small()).await;
    assert_eq!(none.unwrap(), 0);
    let left = Publish::new("argosy.chunk.small.b.d.0", Bytes::from_static(b"{}"));
    world.bus.publish(left).await.unwrap();
    let begun = editions::begin(bus, &world.topology, &small()).await;
    assert!(matches!(begun, Err(Error::Left { chunks: 1, .. })));
    editions::drop(bus, &world.topology, &small())
        .await
        .unwrap();
    world.begin(&small()).await;
}

pub(crate) async fn an_object_stays_until_both_have_read_it(on: On) {
    let world = World::new(on).await;
    world.begin(&small()).await;
    let sentence = "A long report has many sentences that are all alike, and some are not. ";
    let body = Bytes::from(sentence.repeat(1024 * 1024 / sentence.len()));
    assert!(body.len() > DOCUMENT_INLINE_BYTES_MAX);
    // New, and then the same again by force, which both make anew.
    for (object, is_forced) in [("report.1", false), ("report.2", true)] {
        world.bus.put_file(object, body.clone()).await.unwrap();
        let large = Notice {
            object: Some(object.into()),
            is_forced,
            ..notice()
        };
        let sequence = world.document(large, Bytes::new()).await;
        let indexer = world.indexer(&world.bus, 1);
        // To read all of a long report again and again would leave the server no time for the indexer.
        let head = "argosy.chunk.main.*.*.0";
        until("the current edition", async || {
            let last = world.bus.last(Stream::Chunks, head).await.unwrap();
            last.is_some_and(|m| ChunkRecord::decode(&m.body).unwrap().document_seq == sequence)
        })
        .await;
        indexer.drained().await;
        let kept = world.bus.get_file(object, u64::MAX).await.unwrap();
        assert!(kept.is_some(), "the other edition has still to read it");
        let small_indexer = world.small_indexer(&world.bus);
        world.indexed().await;
        world.holds(&small(), &body).await;
        small_indexer.drained().await;
        let left = world.bus.get_file(object, u64::MAX).await;
        assert_eq!(left, Ok(None), "it goes with the last of them");
    }
    assert!(world.all(Stream::Dead).await.is_empty());
}
