//! Measures how fast and how large a store on disk is. It asserts nothing.
//!
//! `cargo test -p argosy-conversation-log --test figures -- --ignored --nocapture`
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod common;

use argosy_conversation_log::sled_store::OnDamage;
use argosy_conversation_log::{EventSource, Store};
use common::open;
use std::time::{Duration, Instant};
use testkit::conversation::{Script, key};

/// Turns of one conversation.
const TURNS: u64 = 20;
/// Events of a batch.
const BATCH: usize = 50;
const RECALLS: u32 = 2_000;
/// Events that a recall reads.
const RECALLED: usize = 6;

/// A text of so many characters that is not the same twice.
fn text(random: &mut fastrand::Rng, chars: usize) -> String {
    let word = |random: &mut fastrand::Rng| -> String {
        let length = random.usize(2..9);
        (0..length).map(|_| random.lowercase()).collect()
    };
    let mut text = String::new();
    while text.len() < chars {
        text.push_str(&word(random));
        text.push(' ');
    }
    text
}

async fn measure(turns: u64) {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path(), OnDamage::Rebuild).await;
    let mut script = Script::default();
    store.reset(script.created).await.unwrap();
    let mut random = fastrand::Rng::with_seed(1);
    let (mut applying, mut batches, mut bytes) = (Duration::ZERO, 0, 0);
    for turn in 0..turns {
        // The conversations of a fleet go on side by side.
        let it = key(
            "tenant",
            &format!("conversation-{}", turn % (turns / TURNS)),
        );
        script.open(&it, &text(&mut random, 150));
        script.answer(&it, &text(&mut random, 1_100));
        if (turn + 1) % (BATCH as u64 / 2) == 0 {
            let batch = script.batch();
            assert_eq!(batch.entries.len(), BATCH);
            let sizes = batch.entries.iter().map(|e| e.event.write().unwrap().len());
            bytes += sizes.sum::<usize>();
            let begun = Instant::now();
            store.apply(batch).await.unwrap();
            store.flush().await.unwrap();
            applying += begun.elapsed();
            batches += 1;
        }
    }
    let each = applying.as_secs_f64() / f64::from(batches);
    println!(
        "{turns} turns, {} bytes of JSON a turn",
        bytes / turns as usize
    );
    println!(
        "  batches of {BATCH} events, flushed: {:.0} a second, {:.0} events a second",
        1.0 / each,
        BATCH as f64 / each
    );

    let begun = Instant::now();
    for _ in 0..RECALLS {
        let it = key(
            "tenant",
            &format!("conversation-{}", random.u64(0..turns / TURNS)),
        );
        let last = store.last(&it).await.unwrap().unwrap();
        let places = last.state().exchanges;
        let places = places.iter().rev().take(RECALLED / 2);
        let sequences: Vec<u64> = places.flat_map(|p| [p.opened, p.ended]).collect();
        let read = store.events(&it, &sequences).await.unwrap();
        assert_eq!(read.iter().flatten().count(), RECALLED);
    }
    let each = begun.elapsed().as_secs_f64() / f64::from(RECALLS);
    println!(
        "  recalls, the last event and {RECALLED} others: {:.0} a second",
        1.0 / each
    );

    let sizes = store.sizes().await.unwrap();
    println!("  {} MB on disk", sizes.bytes / 1_000_000);
    drop(store);
    for damage in [OnDamage::Rebuild, OnDamage::Salvage] {
        let begun = Instant::now();
        let (_store, loss) = open(folder.path(), damage).await;
        assert_eq!(loss, None);
        println!(
            "  opened and read as {damage:?}: {:.2} s",
            begun.elapsed().as_secs_f64()
        );
    }
    let (store, _) = open(folder.path(), OnDamage::Rebuild).await;
    let begun = Instant::now();
    store.purge().await.unwrap();
    println!("  purge: {:.2} s", begun.elapsed().as_secs_f64());
    println!(
        "  {} MB on disk then",
        store.sizes().await.unwrap().bytes / 1_000_000
    );
}

#[tokio::test]
#[ignore = "figures; takes minutes"]
async fn figures() {
    for turns in [10_000, 100_000] {
        measure(turns).await;
    }
}
