//! A store and the stream that it follows: both begun, gone on with, replaced.

use super::*;
use crate::conversation::{Logs, subject as log_of};
use bus::Publish;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use conversation_log::conformance::{Script, key};
use conversation_log::{MemoryStore, Source};
use std::sync::Arc;

/// A bus on which two conversations have been had, and what was said.
async fn talked(exchanges: usize) -> (Arc<MemoryBus>, Script, [ConversationKey; 2]) {
    let bus = MemoryBus::new(&Topology::default());
    let keys = [key("default", "one"), key("default", "two")];
    let mut script = Script::default();
    // What is older than the stream keeps is dropped.
    script.now = bus.now();
    for n in 0..exchanges {
        script.exchange(&keys[n % 2], &format!("about {n}"));
    }
    publish(&bus, &mut script).await;
    (bus, script, keys)
}

async fn publish(bus: &MemoryBus, script: &mut Script) {
    for entry in script.batch().entries {
        let message = Publish::new(log_of(&entry.key), entry.event.write().unwrap().into());
        assert_eq!(bus.publish(message).await, Ok(entry.sequence));
    }
}

/// Follows until the store has seen so much, and stops.
async fn followed(bus: &MemoryBus, store: &dyn Store, upto: u64) {
    let (told, mut seen) = watch::channel(0);
    let stop = CancellationToken::new();
    let follow = Follow {
        max_age: Duration::from_secs(24 * 3_600),
    };
    let run = follow.run(bus, store, &told, stop.clone());
    let enough = async {
        seen.wait_for(|at| *at >= upto).await.unwrap();
        stop.cancel();
    };
    let both = async { tokio::join!(run, enough) };
    tokio::time::timeout(Duration::from_secs(30), both)
        .await
        .unwrap();
}

/// That the store says of both conversations what the stream does.
async fn assert_same(bus: &Arc<MemoryBus>, store: &dyn Store, keys: &[ConversationKey]) {
    let logs = Logs::on(bus.clone());
    for key in keys {
        let (there, here) = (
            logs.last(key).await.unwrap(),
            store.last(key).await.unwrap(),
        );
        assert_eq!(there, here);
        let exchanges = there.unwrap().state().exchanges;
        let places: Vec<u64> = exchanges
            .iter()
            .flat_map(|at| [at.opened, at.ended])
            .collect();
        let (there, here) = (
            logs.events(key, &places).await,
            store.events(key, &places).await,
        );
        assert_eq!(there, here);
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_is_fed_and_goes_on_where_it_was() {
    let (bus, mut script, keys) = talked(40).await;
    let store = MemoryStore::new();
    followed(&bus, &store, 80).await;
    assert_same(&bus, &store, &keys).await;
    script.exchange(&keys[0], "more");
    publish(&bus, &mut script).await;
    followed(&bus, &store, 82).await;
    assert_same(&bus, &store, &keys).await;
}

#[tokio::test(start_paused = true)]
async fn a_store_of_another_stream_or_beyond_it_is_fed_anew() {
    let (before, _, keys) = talked(40).await;
    let store = MemoryStore::new();
    followed(&before, &store, 80).await;
    // Created at the same moment, it is shorter; created later, it is as long.
    let (shorter, _, _) = talked(6).await;
    followed(&shorter, &store, 12).await;
    assert_same(&shorter, &store, &keys).await;
    let position = store.position().await.unwrap();
    assert_eq!(position.sequence, 12);
}

#[tokio::test(start_paused = true)]
async fn an_event_of_a_later_release_leaves_its_conversation_to_the_log() {
    let (bus, mut script, keys) = talked(4).await;
    let newer = Publish::new(log_of(&keys[0]), r#"{"v": 9}"#.into());
    bus.publish(newer).await.unwrap();
    let store = MemoryStore::new();
    followed(&bus, &store, 9).await;
    script.exchange(&keys[1], "more");
    for entry in script.batch().entries {
        let message = Publish::new(log_of(&entry.key), entry.event.write().unwrap().into());
        bus.publish(message).await.unwrap();
    }
    followed(&bus, &store, 11).await;
    let known = store.events(&keys[0], &[1, 9]).await.unwrap();
    assert!(known[0].is_some() && known[1].is_none());
    assert_eq!(store.last(&keys[1]).await.unwrap().unwrap().sequence, 11);
}
