//! Conformance cases about a queue, which is a stream with interest retention: each of its consumers gets every message
//! on its subjects, and the stream removes a message when the last of them has acked it.

use super::place::{Ground, TestPlace, next, silent, within};
use bus::{BusError, ConsumerSpec, Stream};
use envelope::Edition;
use std::time::Duration;

fn documents(ground: &Ground, edition: &str) -> ConsumerSpec {
    ground
        .topology
        .documents(&Edition::new(edition).expect("a name"))
}

async fn left(ground: &Ground) -> u64 {
    let state = ground.bus.state(Stream::Documents).await;
    state.unwrap().messages
}

/// On three replicas a message may go a little after the ack, and on one server at once.
async fn empties(ground: &Ground) {
    let empty = async {
        while left(ground).await > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within(empty).await;
}

pub(crate) async fn a_queue_keeps_for_every_consumer(place: TestPlace) {
    let ground = place.ground().await;
    let (main, small) = (documents(&ground, "main"), documents(&ground, "small"));
    ground.bus.add_consumer(&small).await.unwrap();
    ground.put("argosy.document.b.d1", "for both").await;
    ground.put("argosy.reindex.small.b.d2", "for one").await;
    let mut mains = ground.puller(&main).await;
    let mut smalls = ground.puller(&small).await;
    let first = next(&mut mains, 1).await;
    assert_eq!(first.message.sequence, 1);
    within(first.ack.ack()).await.unwrap();
    assert_eq!(left(&ground).await, 2, "the other has not acked");
    let gone = ground.bus.last(Stream::Documents, "argosy.document.b.d1");
    assert!(gone.await.unwrap().is_some());
    for sequence in [1, 2] {
        let got = next(&mut smalls, 1).await;
        assert_eq!(got.message.sequence, sequence);
        within(got.ack.ack()).await.unwrap();
    }
    empties(&ground).await;
    silent(&mut mains, 1, Duration::from_millis(300)).await;
}

pub(crate) async fn a_late_consumer_gets_what_waits_and_no_more(place: TestPlace) {
    let ground = place.ground().await;
    let (main, small) = (documents(&ground, "main"), documents(&ground, "small"));
    for n in 1..=3 {
        ground.put(&format!("argosy.document.b.d{n}"), "x").await;
    }
    let mut mains = ground.puller(&main).await;
    let first = next(&mut mains, 1).await;
    within(first.ack.ack()).await.unwrap();
    let _held = next(&mut mains, 1).await;
    ground.bus.add_consumer(&small).await.unwrap();
    // Again is harmless.
    ground.bus.add_consumer(&small).await.unwrap();
    let mut smalls = ground.puller(&small).await;
    for sequence in [2, 3] {
        let got = next(&mut smalls, 1).await;
        assert_eq!(got.message.sequence, sequence);
        within(got.ack.ack()).await.unwrap();
    }
    assert_eq!(left(&ground).await, 2);
}

pub(crate) async fn a_dropped_consumer_holds_nothing_back(place: TestPlace) {
    let ground = place.ground().await;
    let (main, small) = (documents(&ground, "main"), documents(&ground, "small"));
    ground.bus.add_consumer(&small).await.unwrap();
    ground.put("argosy.document.b.d1", "for both").await;
    ground.put("argosy.document.b.d2", "for both").await;
    ground.put("argosy.reindex.small.b.d3", "for one").await;
    let mut mains = ground.puller(&main).await;
    let first = next(&mut mains, 1).await;
    within(first.ack.ack()).await.unwrap();
    let mut smalls = ground.puller(&small).await;
    let _held = next(&mut smalls, 1).await;
    ground.bus.drop_consumer(&small).await.unwrap();
    ground.bus.drop_consumer(&small).await.unwrap();
    // A puller gets an error, sooner or later.
    let told = async {
        loop {
            match smalls.next(1).await {
                Err(BusError::Missing(name)) => return name,
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                Ok(_) => {}
            }
        }
    };
    assert!(within(told).await.contains("small"));
    let second = next(&mut mains, 1).await;
    assert_eq!(second.message.sequence, 2);
    within(second.ack.ack()).await.unwrap();
    empties(&ground).await;
}

pub(crate) async fn what_nobody_takes_is_not_kept(place: TestPlace) {
    let ground = place.ground().await;
    let first = ground.put("argosy.reindex.nobody.b.d1", "x").await;
    let second = ground.put("argosy.document.b.d1", "x").await;
    assert_eq!((first, second), (1, 2));
    assert_eq!(left(&ground).await, 1);
}
