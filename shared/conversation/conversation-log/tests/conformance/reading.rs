//! Conformance cases about reading from a store.

use crate::StoreGround;
use argosy_conversation_log::store::{LIST_MAX, SCAN_MAX};
use argosy_conversation_log::{ConversationKey, EventSource};
use envelope::TenantId;
use std::sync::Arc;
use testkit::conversation::{Script, key};

pub(crate) async fn what_was_taken_in_is_read(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    let it = key("a", "x");
    script.exchange(&it, "Until when does the lease run?");
    let first = script.batch();
    script.exchange(&it, "ä 字 🦀 \0 \u{7f}");
    let second = script.batch();
    store.apply(first.clone()).await.unwrap();
    store.apply(second.clone()).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(store.last(&it).await.unwrap().as_ref(), script.last(&it));
    let read = store.scan(&it, 0, 9).await.unwrap();
    let written = first.entries.iter().chain(&second.entries);
    for (read, written) in read.iter().zip(written) {
        assert_eq!(
            (read.sequence, &read.event),
            (written.sequence, &written.event)
        );
    }
    assert_eq!(read.len(), 4);
}

pub(crate) async fn tenants_and_conversations_stand_apart(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    // Names of which one begins another, or ends where it does.
    let keys: Vec<ConversationKey> = [
        ("a", "x"),
        ("a", "x-"),
        ("a", "xx"),
        ("a-", "x"),
        ("aa", "x"),
    ]
    .map(|(tenant, conversation)| key(tenant, conversation))
    .to_vec();
    for round in 0..3 {
        for key in &keys {
            script.exchange(key, &format!("{round} {key}"));
        }
    }
    store.apply(script.batch()).await.unwrap();
    for key in &keys {
        let events = store.scan(key, 0, 99).await.unwrap();
        let own = |text: &str| text.contains(&format!(" {key}\""));
        assert_eq!(events.len(), 6);
        for read in &events {
            let json = String::from_utf8(read.event.write().unwrap()).unwrap();
            assert!(own(&json), "{key}: {json}");
        }
    }
    let tenant = TenantId::new("a").unwrap();
    let listed = store.list(Some(&tenant), None, 9).await.unwrap();
    let listed: Vec<&ConversationKey> = listed.iter().map(|(key, _)| key).collect();
    assert_eq!(listed, [&keys[0], &keys[1], &keys[2]]);
}

pub(crate) async fn a_source_has_none_for_what_it_lacks(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    let (it, other) = (key("a", "x"), key("a", "y"));
    let (opened, ended) = script.exchange(&it, "first");
    let (elsewhere, _) = script.exchange(&other, "other");
    store.apply(script.batch()).await.unwrap();
    let source: Arc<dyn EventSource> = ground.store.clone();
    let events = source
        .events(&it, &[ended, opened, elsewhere, 99])
        .await
        .unwrap();
    let of: Vec<Option<u64>> = events
        .iter()
        .map(|event| event.as_ref().map(|event| event.state.n))
        .collect();
    assert_eq!(of, [Some(2), Some(1), None, None]);
    assert_eq!(source.events(&it, &[]).await, Ok(Vec::new()));
}

pub(crate) async fn conversations_come_in_pages(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    let count = LIST_MAX + 5;
    let mut keys: Vec<ConversationKey> = (0..count)
        .map(|n| key(if n % 2 == 0 { "a" } else { "b" }, &format!("c{n}")))
        .collect();
    for key in &keys {
        script.open(key, "q");
    }
    store.apply(script.batch()).await.unwrap();
    keys.sort();
    let all = store.list(None, None, usize::MAX).await.unwrap();
    assert_eq!(all.len(), LIST_MAX);
    let mut listed = Vec::new();
    loop {
        let page = store.list(None, listed.last(), 300).await.unwrap();
        if page.is_empty() {
            break;
        }
        listed.extend(page.into_iter().map(|(key, _)| key));
    }
    assert_eq!(listed, keys);
    // Behind one of another tenant, and behind one that is not there.
    let b = TenantId::new("b").unwrap();
    let behind = store
        .list(Some(&b), Some(&key("a", "c0")), 1)
        .await
        .unwrap();
    assert_eq!(behind[0].0, key("b", "c1"));
    let a = TenantId::new("a").unwrap();
    let behind = store.list(Some(&a), Some(&key("b", "c1")), 1).await;
    assert_eq!(behind, Ok(Vec::new()));
    let behind = store
        .list(Some(&a), Some(&key("a", "c00")), 1)
        .await
        .unwrap();
    assert_eq!(behind[0].0, key("a", "c10"));
    assert_eq!(store.list(None, None, 0).await, Ok(Vec::new()));
}

pub(crate) async fn events_come_in_pages(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    let it = key("a", "x");
    script.exchange(&key("a", "w"), "before");
    for n in 0..SCAN_MAX {
        script.exchange(&it, &n.to_string());
    }
    script.exchange(&key("a", "y"), "behind");
    store.apply(script.batch()).await.unwrap();
    let (mut after, mut n) = (0, 0);
    loop {
        let page = store.scan(&it, after, usize::MAX).await.unwrap();
        assert!(page.len() <= SCAN_MAX);
        let Some(last) = page.last() else { break };
        after = last.sequence;
        for read in page {
            n += 1;
            assert_eq!(read.event.state.n, n);
        }
    }
    assert_eq!(n, 2 * SCAN_MAX as u64);
    assert_eq!(store.scan(&it, u64::MAX, 9).await, Ok(Vec::new()));
}

pub(crate) async fn an_exchange_is_counted(ground: StoreGround) {
    let mut script = Script::default();
    let store = ground.told(&script).await;
    let it = key("a", "x");
    let began = script.now;
    script.exchange(&it, "first");
    script.exchange(&it, "second");
    script.open(&it, "third");
    store.apply(script.batch()).await.unwrap();
    let (of, head) = store.list(None, None, 9).await.unwrap()[0].clone();
    assert_eq!((of, head.exchanges, head.events), (it, 2, 5));
    assert_eq!((head.began, head.at), (began, began.plus(4)));
    let sizes = store.sizes().await.unwrap();
    assert_eq!((sizes.conversations, sizes.events), (1, 5));
}
