//! Reads events from the local store that follows the log and, if the store lags behind, from the log.

use conversation_log::{ConversationKey, EventSource, LogEvent, SourceError};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio::sync::watch;

/// A store, and the log that it follows. Reads do not wait for the store.
pub struct StoreFirst {
    store: Arc<dyn EventSource>,
    /// The last sequence that the store answers for; 0 while it answers for none.
    seen: watch::Receiver<u64>,
    log: Arc<dyn EventSource>,
}

impl StoreFirst {
    /// Makes a source that asks `store` for the events up to `seen`, and `log` for the rest.
    pub fn new(
        store: Arc<dyn EventSource>,
        seen: watch::Receiver<u64>,
        log: Arc<dyn EventSource>,
    ) -> Self {
        StoreFirst { store, seen, log }
    }

    async fn stored(
        &self,
        key: &ConversationKey,
        sequences: &[u64],
    ) -> Option<Vec<Option<LogEvent>>> {
        let newest = sequences.iter().max()?;
        if *self.seen.borrow() < *newest {
            return None;
        }
        match self.store.events(key, sequences).await {
            Ok(events) if events.iter().all(Option::is_some) => Some(events),
            // The stream drops its oldest events, and the log says so.
            Ok(_) => None,
            Err(error) => {
                tracing::debug!(%error, "the log is read instead of the store");
                None
            }
        }
    }
}

impl EventSource for StoreFirst {
    fn events<'a>(
        &'a self,
        key: &'a ConversationKey,
        sequences: &'a [u64],
    ) -> BoxFuture<'a, Result<Vec<Option<LogEvent>>, SourceError>> {
        Box::pin(async move {
            match self.stored(key, sequences).await {
                Some(events) => Ok(events),
                None => self.log.events(key, sequences).await,
            }
        })
    }
}

#[cfg(test)]
#[path = "store_first_tests.rs"]
mod tests;
