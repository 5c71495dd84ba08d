//! Holds whether the streams have room for new questions.

use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// Whether there is room for new questions.
#[derive(Debug, Default)]
pub(crate) struct CapacityGate {
    short: AtomicBool,
    changed: Notify,
}

impl CapacityGate {
    pub(crate) fn is_short(&self) -> bool {
        self.short.load(Ordering::Acquire)
    }

    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    pub(crate) fn set(&self, short: bool) -> bool {
        let before = self.short.swap(short, Ordering::AcqRel);
        self.changed.notify_one();
        before != short
    }
}
