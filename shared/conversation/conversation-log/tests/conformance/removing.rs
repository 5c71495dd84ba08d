//! Conformance cases about what a store removes, and what it keeps.

use crate::StoreGround;
use argosy_conversation_log::{EventKind, LogPosition};
use envelope::UnixMs;
use testkit::conversation::{Script, key};

pub(crate) async fn an_erased_conversation_leaves_its_mark(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    let (it, at_once) = (key("a", "x"), key("a", "y"));
    script.exchange(&it, "secret");
    store.apply(script.batch()).await.unwrap();
    script.exchange(&at_once, "secret");
    let erased = [script.erase(&it), script.erase(&at_once)];
    store.apply(script.batch()).await.unwrap();
    for (key, sequence) in [&it, &at_once].into_iter().zip(erased) {
        // Erasing it again leaves the mark.
        assert_eq!(store.erase(key).await, Ok(0));
        let last = store.last(key).await.unwrap().unwrap();
        assert_eq!(last.sequence, sequence);
        let EventKind::Erased(erasure) = &last.event.event else {
            panic!("{last:?}");
        };
        assert_eq!(erasure.turns.len(), 1);
        assert_eq!(store.scan(key, 0, 9).await.unwrap().len(), 1);
    }
    let (_, head) = store.list(None, None, 9).await.unwrap()[0].clone();
    assert!(head.is_erased);
    assert_eq!((head.events, head.exchanges), (1, 0));
    assert_eq!(store.sizes().await.unwrap().events, 2);
}

/// A store that was behind: the events between are not in the stream any more.
pub(crate) async fn an_erasure_follows_on_anything(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    let it = key("a", "x");
    script.exchange(&it, "secret");
    store.apply(script.batch()).await.unwrap();
    script.skip(&it, 3);
    let sequence = script.erase(&it);
    store.apply(script.batch()).await.unwrap();
    let kept = store.scan(&it, 0, 9).await.unwrap();
    assert_eq!((kept.len(), kept[0].sequence), (1, sequence));
    assert!(kept[0].event.state.is_erased);
    let sizes = store.sizes().await.unwrap();
    assert_eq!((sizes.conversations, sizes.events), (1, 1));
}

pub(crate) async fn what_is_erased_without_a_mark_is_gone(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    let (it, other) = (key("a", "x"), key("a", "xx"));
    script.exchange(&it, "first");
    script.exchange(&other, "first");
    store.apply(script.batch()).await.unwrap();
    assert_eq!(store.erase(&it).await, Ok(2));
    assert_eq!(store.erase(&it).await, Ok(0));
    assert_eq!(store.erase(&key("a", "none")).await, Ok(0));
    assert_eq!(store.last(&it).await, Ok(None));
    assert_eq!(
        store.last(&other).await.unwrap().as_ref(),
        script.last(&other)
    );
    let sizes = store.sizes().await.unwrap();
    assert_eq!((sizes.conversations, sizes.events), (1, 2));
    assert_eq!(store.position().await.unwrap(), script.position());
}

pub(crate) async fn old_events_are_dropped_from_the_old_end(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    let (old, both, new) = (key("a", "old"), key("a", "both"), key("b", "new"));
    script.exchange(&old, "old");
    script.exchange(&both, "old");
    script.open(&both, "new");
    let now = script.now;
    script.answer(&both, "new");
    script.exchange(&new, "new");
    store.apply(script.batch()).await.unwrap();
    assert_eq!(store.trim(UnixMs(0)).await, Ok(0));
    assert_eq!(store.trim(now).await, Ok(5));
    assert_eq!(store.trim(now).await, Ok(0));
    assert_eq!(store.last(&old).await, Ok(None));
    let left = store.scan(&both, 0, 9).await.unwrap();
    assert_eq!(left.len(), 1);
    let heads = store.list(None, None, 9).await.unwrap();
    let counts: Vec<_> = heads
        .iter()
        .map(|(_, head)| (head.n, head.events))
        .collect();
    assert_eq!(counts, [(4, 1), (2, 2)]);
    let sizes = store.sizes().await.unwrap();
    assert_eq!((sizes.conversations, sizes.events), (2, 3));
    // What comes next follows on what is left, or on nothing.
    script.exchange(&both, "next");
    script.exchange(&old, "next");
    store.apply(script.batch()).await.unwrap();
    assert_eq!(store.position().await.unwrap(), script.position());
}

pub(crate) async fn a_reset_store_follows_another_stream(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    script.exchange(&key("a", "x"), "first");
    store.apply(script.batch()).await.unwrap();
    store.reset(UnixMs(9)).await.unwrap();
    let empty = LogPosition {
        created: UnixMs(9),
        sequence: 0,
    };
    assert_eq!(store.position().await.unwrap(), empty);
    assert_eq!(store.last(&key("a", "x")).await, Ok(None));
    assert_eq!(store.list(None, None, 9).await, Ok(Vec::new()));
    let mut anew = Script::default();
    anew.created = UnixMs(9);
    anew.exchange(&key("a", "x"), "again");
    store.apply(anew.batch()).await.unwrap();
    assert_eq!(store.sizes().await.unwrap().events, 2);
}

pub(crate) async fn what_stays_outlasts_a_purge(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    let (stays, goes) = (key("a", "stays"), key("a", "goes"));
    for n in 0..400 {
        script.exchange(&stays, &format!("exchange {n}"));
    }
    script.exchange(&goes, "secret");
    store.apply(script.batch()).await.unwrap();
    store.erase(&goes).await.unwrap();
    store.purge().await.unwrap();
    let sizes = store.sizes().await.unwrap();
    assert_eq!(
        (sizes.conversations, sizes.events, sizes.purge_due),
        (1, 800, false)
    );
    assert_eq!(
        store.last(&stays).await.unwrap().as_ref(),
        script.last(&stays)
    );
    script.exchange(&stays, "next");
    store.apply(script.batch()).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(
        store.last(&stays).await.unwrap().as_ref(),
        script.last(&stays)
    );
}
