//! The report of a process about its local conversation store. *Not* here: the store, and the task that feeds it.

use conversation_log::store::StoreSizes;
use inspect::processes::StoreState;
use tokio::sync::watch;

/// The state of a process' own store of conversations.
#[derive(Debug, Clone)]
pub(crate) struct StoreSeen {
    /// See [`StoreState::at`].
    pub(crate) seen: watch::Receiver<u64>,
    /// How much the store holds; `None` while it is not open.
    pub(crate) sizes: watch::Receiver<Option<StoreSizes>>,
}

impl StoreSeen {
    pub(super) fn now(&self) -> Option<StoreState> {
        let sizes = (*self.sizes.borrow())?;
        Some(StoreState {
            at: *self.seen.borrow(),
            conversations: sizes.conversations,
            events: sizes.events,
            bytes: sizes.bytes,
        })
    }
}
