//! Property tests: a store has the same contents whether events come in batches of any size or one by one.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod common;

use argosy_conversation_log::sled_store::OnDamage;
use argosy_conversation_log::{
    ConversationKey, EntryBatch, LogEntry, LogEvent, LogPosition, Store,
};
use common::{all, open};
use proptest::prelude::*;
use std::collections::BTreeMap;
use testkit::conversation::{MemoryStore, Script, key};

/// What happens next in a stream.
#[derive(Debug, Clone)]
enum Step {
    Exchange(usize),
    Open(usize),
    Erase(usize),
    Forget(usize),
    /// Messages that are none of any conversation here.
    Others(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0usize..4).prop_map(Step::Exchange),
        2 => (0usize..4).prop_map(Step::Open),
        1 => (0usize..4).prop_map(Step::Erase),
        1 => (0usize..4).prop_map(Step::Forget),
        1 => (1u64..9).prop_map(Step::Others),
    ]
}

fn of(n: usize) -> ConversationKey {
    key("tenant", &format!("c{n}"))
}

/// The whole stream.
fn stream(steps: &[Step]) -> EntryBatch {
    let mut script = Script::default();
    for (at, step) in steps.iter().enumerate() {
        let alive = |key: &ConversationKey| {
            let last = script.last(key);
            last.is_none_or(|read| !read.event.state.is_erased)
        };
        match step {
            Step::Exchange(n) if alive(&of(*n)) => {
                script.exchange(&of(*n), &format!("at {at}"));
            }
            Step::Open(n) if alive(&of(*n)) => {
                script.open(&of(*n), &format!("at {at}"));
            }
            Step::Erase(n) if alive(&of(*n)) => {
                script.erase(&of(*n));
            }
            Step::Forget(n) => script.forget(&of(*n)),
            Step::Others(count) => script.sequence += count,
            Step::Exchange(_) | Step::Open(_) | Step::Erase(_) => {}
        }
    }
    script.batch()
}

/// What the events come to, one by one.
fn folded(entries: &[LogEntry]) -> BTreeMap<u64, (ConversationKey, LogEvent)> {
    let mut kept: BTreeMap<u64, (ConversationKey, LogEvent)> = BTreeMap::new();
    for entry in entries {
        if entry.event.state.n == 1 || entry.event.state.is_erased {
            kept.retain(|_, (key, _)| *key != entry.key);
        }
        kept.insert(entry.sequence, (entry.key.clone(), entry.event.clone()));
    }
    kept
}

/// Puts a stream into a store in batches that end at these places, each beginning a little before the last one's end.
async fn put(store: &dyn Store, stream: &EntryBatch, cuts: &[(usize, usize)]) {
    store.reset(stream.position.created).await.unwrap();
    let mut done = 0;
    for (length, again) in cuts {
        let end = (done + length).min(stream.entries.len());
        let entries = &stream.entries[done.saturating_sub(*again)..end];
        let position = LogPosition {
            sequence: entries.last().map_or(0, |entry| entry.sequence),
            ..stream.position
        };
        let batch = EntryBatch {
            entries: entries.to_vec(),
            position,
        };
        store.apply(batch).await.unwrap();
        done = end;
    }
    store.apply(stream.clone()).await.unwrap();
}

async fn is_the_fold(store: &dyn Store, stream: &EntryBatch) {
    assert_eq!(all(store).await, folded(&stream.entries));
    assert_eq!(store.position().await.unwrap(), stream.position);
    for (key, head) in store.list(None, None, 99).await.unwrap() {
        let events = store.scan(&key, 0, 256).await.unwrap();
        assert_eq!(store.last(&key).await.unwrap(), events.last().cloned());
        assert_eq!(head.events, events.len() as u64);
        assert_eq!(
            (head.sequence, head.missing),
            (events.last().unwrap().sequence, 0)
        );
    }
}

fn now(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.unwrap().block_on(test);
}

fn cuts() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0usize..12, 0usize..6), 0..12)
}

proptest! {
    #[test]
    fn in_memory(steps in prop::collection::vec(step(), 0..80), cuts in cuts()) {
        let stream = stream(&steps);
        now(async {
            let store = MemoryStore::new();
            put(&store, &stream, &cuts).await;
            is_the_fold(&store, &stream).await;
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn on_disk_and_read_again(steps in prop::collection::vec(step(), 0..80), cuts in cuts()) {
        let stream = stream(&steps);
        let folder = tempfile::tempdir().unwrap();
        now(async {
            let (store, _) = open(folder.path(), OnDamage::Rebuild).await;
            put(&store, &stream, &cuts).await;
            is_the_fold(&store, &stream).await;
            store.flush().await.unwrap();
            drop(store);
            let (store, loss) = open(folder.path(), OnDamage::Rebuild).await;
            assert_eq!(loss, None);
            is_the_fold(&store, &stream).await;
        });
    }
}
