//! What a process tells of its store of conversations. *Not* the store, nor what feeds it.

use conversation_log::store::StoreSizes;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// How far a store of conversations is, and how much it holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreAt {
    /// Sequence of the stream of conversations up to which it answers; 0 while it answers for nothing.
    pub at: u64,
    /// Conversations in it.
    pub conversations: u64,
    /// Their events.
    pub events: u64,
    /// Bytes on disk.
    pub bytes: u64,
}

/// What a process hears of its own store of conversations.
#[derive(Debug, Clone)]
pub struct StoreSeen {
    /// See [`StoreAt::at`].
    pub seen: watch::Receiver<u64>,
    /// How much it holds; `None` while it is not open.
    pub sizes: watch::Receiver<Option<StoreSizes>>,
}

impl StoreSeen {
    pub(super) fn now(&self) -> Option<StoreAt> {
        let sizes = (*self.sizes.borrow())?;
        Some(StoreAt {
            at: *self.seen.borrow(),
            conversations: sizes.conversations,
            events: sizes.events,
            bytes: sizes.bytes,
        })
    }
}
