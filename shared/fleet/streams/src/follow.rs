//! Keeps a store of conversations up to date with their stream.
//!
//! Only the stream is authoritative. A store is emptied and fed again when it belongs to another stream, is ahead of
//! its stream, is behind the oldest event that the stream still has, or is damaged. No turn waits for a store. *Not*
//! here: what the store contains (`conversation-log`).

use crate::metrics::{Metrics, Recovery};
use bus::{Bus, BusError, Reader, StoredMessage, Stream};
use conversation_log::store::{EntryBatch, LogEntry, LogPosition, Store, StoreError, StoreSizes};
use conversation_log::{ConversationKey, LogEvent};
use envelope::{Subject, UnixMs, subject};
use std::collections::HashSet;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Most events of a batch.
const BATCH: usize = 256;
/// How long more events are waited for when some are there.
const MORE: Duration = Duration::from_millis(5);
/// After how long it is tried again when something failed.
const AWAY: Duration = Duration::from_millis(500);
/// How often events are dropped that the stream no longer keeps.
const TRIM_EVERY: Duration = Duration::from_secs(3_600);

/// How often it is looked at how far the store is, and how large.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// The settings for keeping a store up to date.
#[derive(Debug, Clone)]
pub struct StoreFollower {
    /// How long the stream keeps an event.
    pub max_age: Duration,
    /// The metrics of the store.
    pub metrics: Metrics,
}

/// The channels that report on a store that is kept up to date.
#[derive(Debug)]
pub struct StoreReport {
    /// The last sequence up to which the store answers; 0 while it does not answer.
    pub seen: watch::Sender<u64>,
    /// The size of the store when it was last measured; `None` before the first time.
    pub sizes: watch::Sender<Option<StoreSizes>>,
}

/// Why a store is not up to its stream for now.
#[derive(Debug, thiserror::Error)]
enum FollowError {
    #[error(transparent)]
    Bus(#[from] BusError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl StoreFollower {
    /// Keeps `store` up to date with the stream on `bus` until `stop` is cancelled, or until the store has failed
    /// and has to be opened again.
    pub async fn run(
        &self,
        bus: &dyn Bus,
        store: &dyn Store,
        told: &StoreReport,
        stop: &CancellationToken,
    ) {
        tokio::select! {
            () = self.keep_up(bus, store, &told.seen, stop) => {}
            () = self.look(bus, store, &told.sizes) => {}
        }
    }

    /// Looks again and again at how the store stands.
    async fn look(
        &self,
        bus: &dyn Bus,
        store: &dyn Store,
        told: &watch::Sender<Option<StoreSizes>>,
    ) {
        loop {
            let (stream, at) = tokio::join!(bus.state(Stream::Conversations), store.position());
            let lag = stream.ok().zip(at.ok());
            let lag = lag.map(|(stream, at)| stream.last.saturating_sub(at.sequence));
            self.metrics.lags(lag);
            if let Ok(sizes) = store.sizes().await {
                self.metrics.holds(sizes);
                told.send_replace(Some(sizes));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    async fn keep_up(
        &self,
        bus: &dyn Bus,
        store: &dyn Store,
        seen: &watch::Sender<u64>,
        stop: &CancellationToken,
    ) {
        let mut following = Following {
            bus,
            store,
            seen,
            metrics: &self.metrics,
            max_age: self.max_age,
            unread: HashSet::new(),
            trimmed: None,
            rebuild: None,
        };
        while !stop.is_cancelled() {
            let followed = tokio::select! {
                biased;
                () = stop.cancelled() => return,
                followed = following.follow() => followed,
            };
            // It answers for nothing before it has looked at its stream again.
            seen.send_replace(0);
            if let Err(error) = followed {
                tracing::warn!(%error, "the store of conversations does not follow for now");
                if matches!(error, FollowError::Store(StoreError::Failed(_))) {
                    return;
                }
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = tokio::time::sleep(AWAY) => {}
            }
        }
    }
}

struct Following<'a> {
    bus: &'a dyn Bus,
    store: &'a dyn Store,
    seen: &'a watch::Sender<u64>,
    metrics: &'a Metrics,
    max_age: Duration,
    /// Conversations with an event that this release cannot read: their logs are read instead.
    unread: HashSet<String>,
    trimmed: Option<Instant>,
    /// It was emptied, and is not yet as far as its stream was then.
    rebuild: Option<Rebuild>,
}

struct Rebuild {
    since: Instant,
    upto: u64,
}

impl Following<'_> {
    async fn follow(&mut self) -> Result<(), FollowError> {
        let mut position = self.begin().await?;
        let from = position.sequence + 1;
        let mut reader = self
            .bus
            .read(Stream::Conversations, subject::CONVERSATIONS, from)
            .await?;
        self.purge().await?;
        self.seen.send_replace(position.sequence);
        loop {
            let batch = gather(&mut *reader).await?;
            let Some(newest) = batch.last().map(|stored| stored.sequence) else {
                continue;
            };
            position.sequence = newest;
            let mut left_out = Vec::new();
            let entries = batch
                .into_iter()
                .filter_map(|stored| self.entry(stored, &mut left_out));
            let batch = EntryBatch {
                entries: entries.collect(),
                position,
            };
            let mut erases = batch
                .entries
                .iter()
                .any(|entry| entry.event.state.is_erased);
            match self.store.apply(batch).await {
                Ok(()) => {}
                Err(error) if error.needs_rebuild() => {
                    tracing::warn!(%error, "the store of conversations is fed anew");
                    self.store.reset(position.created).await?;
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            }
            for key in left_out {
                // It is not followed any more, so no event would report its erasure.
                erases |= self.store.erase(&key).await? > 0;
            }
            let flushing = Instant::now();
            self.store.flush().await?;
            self.metrics.flushed(flushing.elapsed());
            // A store that is fed anew is written anew once, at the end.
            let is_fed = self.rebuilt(newest);
            if is_fed || (erases && self.rebuild.is_none()) {
                self.purge().await?;
            }
            self.seen.send_replace(newest);
            self.trim().await?;
        }
    }

    /// Where the store stands in the stream, emptied if it cannot be gone on with.
    async fn begin(&mut self) -> Result<LogPosition, FollowError> {
        let state = self.bus.state(Stream::Conversations).await?;
        let created = UnixMs(state.created_ms);
        let at = self.store.position().await?;
        let is_of_it =
            at.created == created && at.sequence <= state.last && state.first <= at.sequence + 1;
        if is_of_it {
            return Ok(at);
        }
        if at.sequence > 0 {
            tracing::warn!(
                at = at.sequence,
                first = state.first,
                last = state.last,
                "the store of conversations is not of this stream, or too far behind: it is fed anew"
            );
        }
        let since = Instant::now();
        self.store.reset(created).await?;
        let upto = state.last;
        // An empty stream has nothing to feed.
        self.rebuild = (state.messages > 0).then_some(Rebuild { since, upto });
        Ok(LogPosition {
            created,
            sequence: 0,
        })
    }

    /// Notes how long it took to feed the whole stream, once that is done; true at that moment.
    fn rebuilt(&mut self, newest: u64) -> bool {
        let done = self.rebuild.take_if(|rebuild| newest >= rebuild.upto);
        if let Some(done) = &done {
            let took = done.since.elapsed();
            self.metrics.recovered(Recovery::Rebuild, took);
        }
        done.is_some()
    }

    /// An event for the store; the conversation of one that this release cannot read is left out of it from then on.
    fn entry(
        &mut self,
        stored: StoredMessage,
        left_out: &mut Vec<ConversationKey>,
    ) -> Option<LogEntry> {
        if self.unread.contains(&stored.subject) {
            return None;
        }
        let Ok(Subject::Conversation {
            tenant,
            conversation,
        }) = Subject::parse(&stored.subject)
        else {
            return None;
        };
        let key = ConversationKey {
            tenant,
            conversation,
        };
        match LogEvent::read(&stored.body) {
            Ok(event) => Some(LogEntry {
                key,
                sequence: stored.sequence,
                event,
            }),
            Err(error) => {
                let sequence = stored.sequence;
                tracing::warn!(%error, sequence, "a conversation is left out of the store");
                self.unread.insert(stored.subject);
                left_out.push(key);
                None
            }
        }
    }

    /// Takes what was erased out of the files, before the store answers for it.
    async fn purge(&self) -> Result<(), FollowError> {
        if self.store.sizes().await?.purge_due {
            self.store.purge().await?;
        }
        Ok(())
    }

    async fn trim(&mut self) -> Result<(), FollowError> {
        if self.trimmed.is_some_and(|at| at.elapsed() < TRIM_EVERY) {
            return Ok(());
        }
        self.trimmed = Some(Instant::now());
        let age = self.max_age.as_millis() as u64;
        let before = UnixMs(self.bus.now().0.saturating_sub(age));
        self.store.trim(before).await?;
        Ok(())
    }
}

/// The next events: as many as there are, up to [`BATCH`]. Waits for the first.
async fn gather(reader: &mut dyn Reader) -> Result<Vec<StoredMessage>, BusError> {
    let (first, mut pending) = reader.next().await?;
    let mut batch = vec![first];
    while pending > 0 && batch.len() < BATCH {
        match tokio::time::timeout(MORE, reader.next()).await {
            Ok(next) => {
                let (stored, after) = next?;
                batch.push(stored);
                pending = after;
            }
            Err(_) => break,
        }
    }
    Ok(batch)
}

#[cfg(test)]
#[path = "follow_tests.rs"]
mod tests;
