//! A store of conversations kept up with their stream.
//!
//! The stream is the truth: a store that is of another stream, beyond it, behind what it still has, or not what it
//! should be is emptied and fed anew. Nobody waits for a store. *Not* here: what is in it (`conversation-log`).

use bus::{Bus, BusError, Reader, Stored, Stream};
use conversation_log::store::{EntryBatch, LogEntry, LogPosition, Store, StoreError};
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

/// How a store is kept up.
#[derive(Debug, Clone, Copy)]
pub struct Follow {
    /// How long the stream keeps an event.
    pub max_age: Duration,
}

/// Why a store is not up to its stream for now.
#[derive(Debug, thiserror::Error)]
enum FollowError {
    #[error(transparent)]
    Bus(#[from] BusError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Follow {
    /// Keeps `store` up with the stream on `bus` until `stop` is cancelled. `seen` is told the last sequence that the
    /// store answers for.
    pub async fn run(
        self,
        bus: &dyn Bus,
        store: &dyn Store,
        seen: &watch::Sender<u64>,
        stop: CancellationToken,
    ) {
        let mut following = Following {
            bus,
            store,
            seen,
            max_age: self.max_age,
            unread: HashSet::new(),
            trimmed: None,
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
    max_age: Duration,
    /// Conversations with an event that this release cannot read: their logs are read instead.
    unread: HashSet<String>,
    trimmed: Option<Instant>,
}

impl Following<'_> {
    async fn follow(&mut self) -> Result<(), FollowError> {
        let mut position = self.begin().await?;
        let from = position.sequence + 1;
        let mut reader = self
            .bus
            .read(Stream::Conversations, subject::CONVERSATIONS, from)
            .await?;
        self.seen.send_replace(position.sequence);
        loop {
            let batch = gather(&mut *reader).await?;
            let Some(newest) = batch.last().map(|stored| stored.sequence) else {
                continue;
            };
            position.sequence = newest;
            let entries = batch.into_iter().filter_map(|stored| self.entry(stored));
            let batch = EntryBatch {
                entries: entries.collect(),
                position,
            };
            match self.store.apply(batch).await {
                Ok(()) => {}
                Err(error) if error.needs_rebuild() => {
                    tracing::warn!(%error, "the store of conversations is fed anew");
                    self.store.reset(position.created).await?;
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            }
            self.store.flush().await?;
            self.seen.send_replace(newest);
            self.trim().await?;
        }
    }

    /// Where the store stands in the stream, emptied if it cannot be gone on with.
    async fn begin(&self) -> Result<LogPosition, FollowError> {
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
        self.store.reset(created).await?;
        Ok(LogPosition {
            created,
            sequence: 0,
        })
    }

    fn entry(&mut self, stored: Stored) -> Option<LogEntry> {
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
        match LogEvent::read(&stored.body) {
            Ok(event) => Some(LogEntry {
                key: ConversationKey {
                    tenant,
                    conversation,
                },
                sequence: stored.sequence,
                event,
            }),
            Err(error) => {
                let sequence = stored.sequence;
                tracing::warn!(%error, sequence, "a conversation is left out of the store");
                self.unread.insert(stored.subject);
                None
            }
        }
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
async fn gather(reader: &mut dyn Reader) -> Result<Vec<Stored>, BusError> {
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
