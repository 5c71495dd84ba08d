//! Tests that an erased sentence is not left in any file.

mod common;

use argosy_conversation_log::Store;
use argosy_conversation_log::sled_store::OnDamage;
use common::{Tape, grep, open};
use std::path::PathBuf;
use testkit::conversation::key;

const MARKER: &str = "the sentence that nobody may find";

#[tokio::test]
async fn what_was_erased_is_in_no_file_after_a_purge() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path(), OnDamage::Salvage).await;
    let mut tape = Tape::new();
    store.reset(tape.script.created).await.unwrap();
    let (marked, plain, forgotten) = (
        key("tenant", "marked"),
        key("tenant", "plain"),
        key("tenant", "forgotten"),
    );
    for round in 0..4 {
        tape.put(&store, 200).await;
        for key in [&marked, &plain, &forgotten] {
            tape.script.exchange(key, &format!("{MARKER} {round}"));
        }
        store.apply(tape.script.batch()).await.unwrap();
        store.flush().await.unwrap();
    }
    std::fs::create_dir(folder.path().join("corrupt-1")).unwrap();
    std::fs::write(folder.path().join("corrupt-1/db"), MARKER).unwrap();
    tape.script.erase(&marked);
    tape.script.erase(&forgotten);
    store.apply(tape.script.batch()).await.unwrap();
    store.erase(&plain).await.unwrap();
    store.flush().await.unwrap();
    assert!(store.sizes().await.unwrap().purge_due);
    // It is out of the tree, and in the files.
    assert!(!grep(&common::events(folder.path()), MARKER).is_empty());
    store.purge().await.unwrap();
    assert_eq!(grep(folder.path(), MARKER), Vec::<PathBuf>::new());
    let sizes = store.sizes().await.unwrap();
    assert_eq!((sizes.events, sizes.purge_due), (1_602, false));
    assert!(
        store
            .last(&marked)
            .await
            .unwrap()
            .unwrap()
            .event
            .state
            .is_erased
    );
    drop(store);
    assert_eq!(grep(folder.path(), MARKER), Vec::<PathBuf>::new());
    let (store, loss) = open(folder.path(), OnDamage::Salvage).await;
    assert_eq!(loss, None);
    assert_eq!(store.sizes().await.unwrap().events, 1_602);
}

#[tokio::test]
async fn a_reset_store_has_none_of_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path(), OnDamage::Rebuild).await;
    let mut tape = Tape::new();
    store.reset(tape.script.created).await.unwrap();
    tape.script.exchange(&key("tenant", "x"), MARKER);
    store.apply(tape.script.batch()).await.unwrap();
    store.flush().await.unwrap();
    assert!(!grep(folder.path(), MARKER).is_empty());
    store.reset(tape.script.created).await.unwrap();
    assert_eq!(grep(folder.path(), MARKER), Vec::<PathBuf>::new());
}
