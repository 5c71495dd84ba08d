//! Runs the conformance suite on both stores. The crate depends on itself, under the name `conversation_log`, so that
//! its tests can use the suite.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use argosy_conversation_log::conformance::StoreGround;
use argosy_conversation_log::sled_store::Options;
use argosy_conversation_log::{MemoryStore, SledStore};
use envelope::UnixMs;
use futures_util::future::BoxFuture;

fn in_memory() -> BoxFuture<'static, StoreGround> {
    Box::pin(async { StoreGround::new(MemoryStore::new(), ()) })
}

fn on_disk() -> BoxFuture<'static, StoreGround> {
    Box::pin(async {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::default();
        let (store, loss) = SledStore::open(folder.path(), UnixMs(1), options)
            .await
            .unwrap();
        assert_eq!(loss, None);
        StoreGround::new(store, folder)
    })
}

mod memory {
    argosy_conversation_log::store_conformance!(
        #[tokio::test]
        crate::in_memory
    );
}

mod sled {
    argosy_conversation_log::store_conformance!(
        #[tokio::test]
        crate::on_disk
    );
}
