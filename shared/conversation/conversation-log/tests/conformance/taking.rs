//! Conformance cases about the events that a store accepts, and the events that it refuses.

use crate::StoreGround;
use argosy_conversation_log::{EntryBatch, LogPosition, StoreError, StoreSizes};
use envelope::UnixMs;
use testkit::conversation::{Script, key};

pub(crate) async fn a_new_store_has_nothing(ground: StoreGround) {
    let store = &ground.store;
    assert_eq!(store.position().await.unwrap(), LogPosition::default());
    assert_eq!(store.last(&key("a", "x")).await, Ok(None));
    assert_eq!(store.scan(&key("a", "x"), 0, 9).await, Ok(Vec::new()));
    assert_eq!(store.list(None, None, 9).await, Ok(Vec::new()));
    let sizes = store.sizes().await.unwrap();
    assert_eq!(StoreSizes { bytes: 0, ..sizes }, StoreSizes::default());
}

pub(crate) async fn an_event_is_taken_once(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    script.exchange(&key("a", "x"), "first");
    let first = script.batch();
    script.exchange(&key("a", "x"), "second");
    let second = script.batch();
    let both = EntryBatch {
        entries: [first.entries.clone(), second.entries].concat(),
        position: second.position,
    };
    store.apply(first.clone()).await.unwrap();
    store.apply(both).await.unwrap();
    // Late, and of a position before that of the store.
    store.apply(first).await.unwrap();
    assert_eq!(store.position().await.unwrap(), script.position());
    let read = store.scan(&key("a", "x"), 0, 9).await.unwrap();
    let sequences: Vec<u64> = read.iter().map(|read| read.sequence).collect();
    assert_eq!(sequences, [1, 2, 3, 4]);
    assert_eq!(store.sizes().await.unwrap().events, 4);
}

pub(crate) async fn a_batch_is_taken_whole_or_not_at_all(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    let (good, bad) = (key("a", "good"), key("a", "bad"));
    script.exchange(&bad, "first");
    store.apply(script.batch()).await.unwrap();
    let before = script.position();
    script.exchange(&good, "hello");
    script.skip(&bad, 1);
    script.exchange(&bad, "third");
    assert!(store.apply(script.batch()).await.is_err());
    assert_eq!(store.position().await.unwrap(), before);
    assert_eq!(store.last(&good).await, Ok(None));
    assert_eq!(store.last(&bad).await.unwrap().unwrap().event.state.n, 2);
}

pub(crate) async fn a_first_event_begins_a_conversation_anew(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    let it = key("a", "x");
    script.exchange(&it, "old");
    script.exchange(&it, "old");
    store.apply(script.batch()).await.unwrap();
    // In a batch of its own, and in one with what it stands for.
    for _ in 0..2 {
        script.forget(&it);
        let (opened, ended) = script.exchange(&it, "new");
        store.apply(script.batch()).await.unwrap();
        let read = store.scan(&it, 0, 9).await.unwrap();
        let sequences: Vec<u64> = read.iter().map(|read| read.sequence).collect();
        assert_eq!(sequences, [opened, ended]);
        script.exchange(&it, "old");
    }
    let (_, head) = store.list(None, None, 9).await.unwrap()[0].clone();
    assert_eq!((head.n, head.events, head.exchanges), (2, 2, 1));
    assert_eq!(store.sizes().await.unwrap().events, 2);
}

pub(crate) async fn a_conversation_that_is_not_known_may_begin_anywhere(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    script.skip(&key("a", "x"), 16);
    script.exchange(&key("a", "x"), "later");
    store.apply(script.batch()).await.unwrap();
    let (_, head) = store.list(None, None, 9).await.unwrap()[0].clone();
    assert_eq!((head.n, head.events, head.missing), (20, 2, 0));
}

pub(crate) async fn what_does_not_follow_is_refused(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    let it = key("a", "x");
    script.exchange(&it, "first");
    store.apply(script.batch()).await.unwrap();
    let mut ahead = script.clone();
    ahead.skip(&it, 1);
    let sequence = ahead.open(&it, "fourth");
    let refused = store.apply(ahead.batch()).await.unwrap_err();
    assert_eq!(
        refused,
        StoreError::Gap {
            known: 2,
            found: 4,
            sequence
        }
    );
    assert!(refused.needs_rebuild());
    // The same event as before at another place is none that follows.
    script.exchange(&it, "second");
    let mut again = script.batch();
    for entry in &mut again.entries {
        entry.event.state.n -= 1;
    }
    let refused = store.apply(again).await.unwrap_err();
    assert!(matches!(
        refused,
        StoreError::Gap {
            known: 2,
            found: 2,
            ..
        }
    ));
}

pub(crate) async fn sequences_of_another_stream_are_refused(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    script.exchange(&key("a", "x"), "first");
    let mut batch = script.batch();
    batch.position.created = UnixMs(7);
    let refused = store.apply(batch).await.unwrap_err();
    assert_eq!(
        refused,
        StoreError::OtherStream {
            held: script.created,
            given: UnixMs(7)
        }
    );
    assert!(refused.needs_rebuild());
}

pub(crate) async fn a_batch_out_of_order_is_refused(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    script.exchange(&key("a", "x"), "first");
    let good = script.batch();
    let mut turned = good.clone();
    turned.entries.reverse();
    let mut beyond = good.clone();
    beyond.position.sequence = 1;
    let mut doubled = good.clone();
    doubled.entries[1] = doubled.entries[0].clone();
    for bad in [turned, beyond, doubled] {
        let refused = store.apply(bad).await.unwrap_err();
        assert!(matches!(refused, StoreError::Order { .. }), "{refused}");
        assert!(!refused.needs_rebuild());
    }
    store.apply(good).await.unwrap();
}

pub(crate) async fn a_batch_of_nothing_moves_the_position(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    script.sequence = 40;
    store.apply(script.batch()).await.unwrap();
    assert_eq!(store.position().await.unwrap(), script.position());
    script.sequence = 30;
    store.apply(script.batch()).await.unwrap();
    assert_eq!(store.position().await.unwrap().sequence, 40);
}
