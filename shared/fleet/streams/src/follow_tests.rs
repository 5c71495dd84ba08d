//! Tests of a store that follows a stream: the store is begun, continued after a restart, and replaced.

use super::*;
use crate::conversation::{Logs, subject as log_of};
use bus::Publish;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use conversation_log::{EventSource, SledStore, sled_store};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use testkit::conversation::{MemoryStore, Script, key};
use testkit::grep::{files, files_with};

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

/// Follows until the store has seen so much and that was looked at, and stops; the metrics then.
async fn followed(bus: &MemoryBus, store: &dyn Store, upto: u64) -> String {
    let (told, mut seen) = watch::channel(0);
    let told = StoreReport {
        seen: told,
        sizes: watch::channel(None).0,
    };
    let stop = CancellationToken::new();
    let registry = telemetry::Registry::new();
    let follow = StoreFollower {
        max_age: Duration::from_secs(24 * 3_600),
        metrics: Metrics::new(&registry).unwrap(),
    };
    let run = follow.run(bus, store, &told, &stop);
    let enough = async {
        seen.wait_for(|at| *at >= upto).await.unwrap();
        // The next look may be due in the very moment in which one interval is over, and which comes first is open.
        tokio::time::sleep(2 * LOOK_EVERY).await;
        stop.cancel();
    };
    let both = async { tokio::join!(run, enough) };
    tokio::time::timeout(Duration::from_secs(30), both)
        .await
        .unwrap();
    registry.encode()
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

/// The value of a series; none where it is not there.
fn value(metrics: &str, series: &str) -> Option<f64> {
    let of = |line: &str| line.strip_prefix(series)?.strip_prefix(' ')?.parse().ok();
    metrics.lines().find_map(of)
}

#[tokio::test(start_paused = true)]
async fn how_a_store_stands_is_measured() {
    const LAG: &str = "argosy_conversation_store_lag_events";
    const HELD: &str = "argosy_conversation_store_conversations";
    const REBUILDS: &str = r#"argosy_conversation_store_recovery_seconds_count{how="rebuild"}"#;
    let (bus, mut script, keys) = talked(40).await;
    let store = MemoryStore::new();
    let metrics = followed(&bus, &store, 80).await;
    let seen = [LAG, HELD, REBUILDS].map(|series| value(&metrics, series));
    assert_eq!(seen, [Some(0.0), Some(2.0), Some(1.0)], "{metrics}");
    let flushes = "argosy_conversation_store_flush_seconds_count";
    assert!(value(&metrics, flushes) >= Some(1.0), "{metrics}");
    // What goes on where it was is no rebuild.
    script.exchange(&keys[0], "more");
    publish(&bus, &mut script).await;
    let metrics = followed(&bus, &store, 82).await;
    assert_eq!(value(&metrics, REBUILDS), Some(0.0), "{metrics}");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_takes_nothing_in_falls_behind() {
    let (bus, _, _) = talked(40).await;
    let registry = telemetry::Registry::new();
    let follow = StoreFollower {
        max_age: Duration::from_secs(24 * 3_600),
        metrics: Metrics::new(&registry).unwrap(),
    };
    let (told, sizes) = watch::channel(None);
    let store = MemoryStore::new();
    let look = follow.look(&*bus, &store, &told);
    let _ = tokio::time::timeout(LOOK_EVERY, look).await;
    let metrics = registry.encode();
    let lag = value(&metrics, "argosy_conversation_store_lag_events");
    assert_eq!(lag, Some(80.0), "{metrics}");
    follow.metrics.open(false);
    let metrics = registry.encode();
    let left = value(&metrics, "argosy_conversation_store_lag_events");
    assert_eq!(left, None, "what is not followed has no lag: {metrics}");
    assert_eq!(value(&metrics, "argosy_conversation_store_open"), Some(0.0));
    assert_eq!(sizes.borrow().map(|sizes| sizes.conversations), Some(0));
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
    assert_eq!(known, [None, None], "what is not followed is not kept");
    assert_eq!(store.last(&keys[0]).await, Ok(None));
    assert_eq!(store.last(&keys[1]).await.unwrap().unwrap().sequence, 11);
}

/// What a disk, or a person, does to a folder.
const HARM: [fn(&Path); 5] = [
    |_| {},
    |folder| fs::remove_dir_all(folder).unwrap(),
    |folder| {
        let (path, bytes) = largest(folder);
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    },
    |folder| {
        let (path, mut bytes) = largest(folder);
        let middle = bytes.len() / 3;
        bytes[middle..][..512].fill(0xa5);
        fs::write(path, bytes).unwrap();
    },
    |folder| fs::write(largest(folder).0, b"").unwrap(),
];

/// The largest file below a folder.
fn largest(folder: &Path) -> (PathBuf, Vec<u8>) {
    let files = files(folder);
    let sized = files.into_iter().map(|path| {
        let bytes = fs::read(&path).unwrap();
        (path, bytes)
    });
    sized.max_by_key(|(_, bytes)| bytes.len()).unwrap()
}

async fn on_disk(folder: &Path, bus: &MemoryBus) -> SledStore {
    let options = sled_store::Options::default();
    let opened = SledStore::open(folder, bus.now(), options).await;
    opened.unwrap().0
}

#[tokio::test(start_paused = true)]
async fn a_view_on_disk_is_its_stream_again_after_any_harm() {
    for (n, harm) in HARM.iter().enumerate() {
        let (bus, mut script, keys) = talked(40).await;
        let data = TempDir::with_prefix("argosy-view-").unwrap();
        let folder = data.path().join("view");
        let store = on_disk(&folder, &bus).await;
        followed(&bus, &store, 80).await;
        assert_same(&bus, &store, &keys).await;
        drop(store);
        harm(&folder);
        script.exchange(&keys[0], "meanwhile");
        publish(&bus, &mut script).await;
        let store = on_disk(&folder, &bus).await;
        followed(&bus, &store, 82).await;
        println!("harm {n}");
        assert_same(&bus, &store, &keys).await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_left_out_of_a_view_or_erased_is_in_none_of_its_files() {
    let (bus, mut script, keys) = talked(40).await;
    let data = TempDir::with_prefix("argosy-view-").unwrap();
    let store = on_disk(data.path(), &bus).await;
    followed(&bus, &store, 80).await;
    // Two conversations take turns in what they are about.
    let told = |about: &str| !files_with(data.path(), about).is_empty();
    assert!(told("about 38") && told("about 39"));
    let newer = Publish::new(log_of(&keys[0]), r#"{"v": 9}"#.into());
    bus.publish(newer).await.unwrap();
    followed(&bus, &store, 81).await;
    assert!(!told("about 38") && told("about 39"));
    script.sequence = 81;
    script.erase(&keys[1]);
    publish(&bus, &mut script).await;
    followed(&bus, &store, 82).await;
    assert!(!told("about 39"));
    let state = store.last(&keys[1]).await.unwrap().unwrap();
    assert!(state.state().is_erased);
}
