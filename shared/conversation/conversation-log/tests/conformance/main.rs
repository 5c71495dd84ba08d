//! The conformance suite of stores, run on the store on disk and the one in memory, each case on an empty store. The
//! other crates rely on what it checks. The suite does not cover damaged files; the store that writes files has its own
//! tests of them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod reading;
mod removing;
mod taking;

use argosy_conversation_log::sled_store::Options;
use argosy_conversation_log::{SledStore, Store};
use envelope::UnixMs;
use std::sync::Arc;
use tempfile::TempDir;
use testkit::conversation::{MemoryStore, Script};

/// An empty store, and the folder that it is in.
pub(crate) struct StoreGround {
    store: Arc<dyn Store>,
    _kept: Option<TempDir>,
}

impl StoreGround {
    async fn in_memory() -> StoreGround {
        StoreGround {
            store: Arc::new(MemoryStore::new()),
            _kept: None,
        }
    }

    async fn on_disk() -> StoreGround {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::default();
        let (store, loss) = SledStore::open(folder.path(), UnixMs(1), options)
            .await
            .unwrap();
        assert_eq!(loss, None);
        StoreGround {
            store: Arc::new(store),
            _kept: Some(folder),
        }
    }

    /// The store, reset for the stream of a script.
    pub(crate) async fn told(&self, script: &Script) -> &dyn Store {
        self.store.reset(script.created).await.unwrap();
        &*self.store
    }
}

/// Makes a test of each case, for each store.
macro_rules! tests {
    ($($module:ident: $($case:ident),+;)+) => {
        mod memory {
            $($(#[tokio::test]
            async fn $case() {
                crate::$module::$case(crate::StoreGround::in_memory().await).await;
            })+)+
        }

        mod sled {
            $($(#[tokio::test]
            async fn $case() {
                crate::$module::$case(crate::StoreGround::on_disk().await).await;
            })+)+
        }
    };
}

tests! {
    taking:
        a_new_store_has_nothing,
        an_event_is_taken_once,
        a_batch_is_taken_whole_or_not_at_all,
        a_first_event_begins_a_conversation_anew,
        a_conversation_that_is_not_known_may_begin_anywhere,
        what_does_not_follow_is_refused,
        sequences_of_another_stream_are_refused,
        a_batch_out_of_order_is_refused,
        a_batch_of_nothing_moves_the_position;
    reading:
        what_was_taken_in_is_read,
        tenants_and_conversations_stand_apart,
        a_source_has_none_for_what_it_lacks,
        conversations_come_in_pages,
        events_come_in_pages,
        an_exchange_is_counted;
    removing:
        an_erased_conversation_leaves_its_mark,
        an_erasure_follows_on_anything,
        what_is_erased_without_a_mark_is_gone,
        old_events_are_dropped_from_the_old_end,
        a_reset_store_follows_another_stream,
        what_stays_outlasts_a_purge;
}
