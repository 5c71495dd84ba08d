//! The task that runs the local conversation store of a process: it opens the store, feeds it from the stream of
//! conversations, opens it again after a failure, and reports its state.
//!
//! The store is *not* authoritative; the stream is. No question waits for the store: while it is not open,
//! conversations are read from the stream, which takes longer.

use crate::cli_error::CliError;
use crate::presence::{StatusReporter, StoreSeen};
use crate::roles::{self, Process};
use bus::Bus;
use conversation::StoreFirst;
use conversation_log::sled_store::Options;
use conversation_log::{ConversationKey, EventSource, LogEvent, SledStore, SourceError};
use futures_util::future::{BoxFuture, ready};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use streams::conversation::Logs;
use streams::follow::{StoreFollower, StoreReport};
use streams::{Metrics, Recovery};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// After how long a store that could not be opened, or has failed, is opened again. All that is in it is read then.
const AGAIN: Duration = Duration::from_secs(30);

/// Where this process reads conversations.
pub(super) fn open(
    process: &Process,
    reporter: &StatusReporter,
    running: &mut JoinSet<()>,
) -> Result<Arc<dyn EventSource>, CliError> {
    let metrics = Metrics::new(&process.registry).map_err(roles::Error::from)?;
    let (tell_seen, seen) = watch::channel(0);
    let (tell_sizes, sizes) = watch::channel(None);
    reporter.keeps(StoreSeen {
        seen: seen.clone(),
        sizes,
    });
    let slot = Arc::new(Slot::default());
    let keeper = Keeper {
        // Another than that of a process without a fleet, because a view is emptied without warning.
        folder: process.config.data_dir.0.join("conversation"),
        bus: process.bus.clone(),
        slot: slot.clone(),
        follow: StoreFollower {
            max_age: process.config.streams.conversation_age.duration(),
            metrics,
        },
        told: StoreReport {
            seen: tell_seen,
            sizes: tell_sizes,
        },
        options: Options::default(),
        again: AGAIN,
    };
    let stop = process.stop.clone();
    running.spawn(async move { keeper.run(&stop).await });
    let log = Arc::new(Logs::on(process.bus.clone()));
    Ok(Arc::new(StoreFirst::new(slot, seen, log)))
}

/// The store, while it is open.
#[derive(Default)]
struct Slot(RwLock<Option<Arc<SledStore>>>);

impl Slot {
    fn put(&self, store: Option<Arc<SledStore>>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = store;
    }
}

impl EventSource for Slot {
    fn events<'a>(
        &'a self,
        key: &'a ConversationKey,
        sequences: &'a [u64],
    ) -> BoxFuture<'a, Result<Vec<Option<LogEvent>>, SourceError>> {
        let store = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let Some(store) = store.clone() else {
            let away = SourceError::Away("the store of conversations is not open".into());
            return Box::pin(ready(Err(away)));
        };
        Box::pin(async move { store.events(key, sequences).await })
    }
}

/// Opens the store, and opens it again.
struct Keeper {
    folder: PathBuf,
    bus: Arc<dyn Bus>,
    slot: Arc<Slot>,
    follow: StoreFollower,
    told: StoreReport,
    options: Options,
    again: Duration,
}

impl Keeper {
    async fn run(&self, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            if let Some(store) = self.open().await {
                self.slot.put(Some(store.clone()));
                self.follow.metrics.open(true);
                self.follow.run(&*self.bus, &*store, &self.told, stop).await;
                // Whoever still reads it has it a little longer, and the folder is another process's as it seems.
                self.slot.put(None);
                self.follow.metrics.open(false);
                self.told.sizes.send_replace(None);
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = tokio::time::sleep(self.again) => {}
            }
        }
    }

    async fn open(&self) -> Option<Arc<SledStore>> {
        let opening = Instant::now();
        let opened = SledStore::open(&self.folder, self.bus.now(), self.options.clone()).await;
        let (store, loss) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                tracing::warn!(%error, "no store of conversations: their logs are read from the bus");
                return None;
            }
        };
        let metrics = &self.follow.metrics;
        metrics.recovered(Recovery::Open, opening.elapsed());
        if let Some(loss) = loss {
            let aside = loss.aside.display();
            tracing::warn!(why = loss.why, %aside, "the store of conversations was broken: it is fed anew");
        }
        Some(Arc::new(store))
    }
}

#[cfg(test)]
#[path = "conversation_store_tests.rs"]
mod tests;
