//! Tests of a store that fails while it is used, or that cannot be opened at first.

use super::*;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bus::{Publish, Stream};
use conversation_log::sled_store::{Injection, StorePoint};
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use telemetry::Registry;

/// Runs a store for which opening the folder or flushing the disk fails in the tries of the range; returns what is
/// seen of it at each change.
async fn kept(point: StorePoint, refused: std::ops::Range<u32>) -> Vec<(u64, bool)> {
    let bus = MemoryBus::new(&Topology::default());
    let event = Publish::new("argosy.conversation.default.talk", r#"{"v": 9}"#.into());
    bus.publish(event).await.unwrap();
    let data = tempfile::tempdir().unwrap();
    let tries = AtomicU32::new(0);
    let inject =
        move |at| match at == point && refused.contains(&tries.fetch_add(1, Ordering::Relaxed)) {
            true => Err(io::Error::other("the disk refuses")),
            false => Ok(()),
        };
    let (tell_seen, mut seen) = watch::channel(0);
    let (tell_sizes, sizes) = watch::channel(None);
    let slot = Arc::new(Slot::default());
    let keeper = Keeper {
        folder: data.path().join("view"),
        bus: bus.clone(),
        slot: slot.clone(),
        follow: StoreFollower {
            max_age: Duration::from_secs(3_600),
            metrics: Metrics::new(&Registry::new()).unwrap(),
        },
        told: StoreReport {
            seen: tell_seen,
            sizes: tell_sizes,
        },
        options: Options {
            inject: Injection::new(inject),
            ..Options::default()
        },
        again: Duration::from_millis(10),
    };
    let stop = CancellationToken::new();
    let is_open = || slot.0.read().unwrap().is_some();
    let look = async {
        let mut looks = Vec::new();
        loop {
            let at = *seen.borrow_and_update();
            looks.push((at, is_open()));
            if at == bus.state(Stream::Conversations).await.unwrap().last {
                break;
            }
            seen.changed().await.unwrap();
        }
        assert!(sizes.borrow().is_some());
        stop.cancel();
        looks
    };
    let both = async { tokio::join!(keeper.run(&stop), look).1 };
    let looks = tokio::time::timeout(Duration::from_secs(30), both)
        .await
        .unwrap();
    assert!(
        !is_open() && sizes.borrow().is_none(),
        "it is let go of at the end"
    );
    looks
}

#[tokio::test]
async fn a_store_that_fails_is_opened_again() {
    let looks = kept(StorePoint::Flushing, 1..2).await;
    assert_eq!(looks.first(), Some(&(0, false)));
    assert_eq!(looks.last(), Some(&(1, true)));
}

#[tokio::test]
async fn a_store_that_cannot_be_opened_is_tried_again() {
    let looks = kept(StorePoint::Taking, 0..3).await;
    assert_eq!(looks.last(), Some(&(1, true)));
}
