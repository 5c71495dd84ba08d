//! Keeps the conversations of a fleet in one process on disk, in a folder that processes use one after the other.
//!
//! Without a server this store is authoritative. Before a question, the log of its conversation is loaded into the
//! memory bus. The answer is shown only when the end of its turn is on disk. The folder is open for one question at a
//! time, so that other processes can read it in between. A process that answers as long as it lives has it open
//! meanwhile ([`KeptAll`]): there an answer may be seen some milliseconds before it is on disk. *Not* for a fleet of
//! processes, whose stream is authoritative.

use bus::memory::MemoryBus;
use bus::{Bus, BusError, Headers, PublishError, StoredMessage, Stream};
use conversation_log::sled_store::{self, Loss, OnDamage, OpenError, SledStore};
use conversation_log::store::{
    EntryBatch, LIST_MAX, LogEntry, LogPosition, SCAN_MAX, Store, StoreError,
};
use conversation_log::{ConversationKey, EventError, EventKind, LogEvent, Read};
use envelope::subject::CONVERSATIONS;
use envelope::{Outcome, Problem, Subject, Terminal, UnixMs, header};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use streams::conversation::subject;
use streams::outbox::{self, OutboxError, publish_until};
use tokio_util::sync::CancellationToken;

/// The folder of conversations below the data folder, where there is no fleet of processes.
pub(crate) fn folder(data_dir: &Path) -> PathBuf {
    data_dir.join("chats")
}

/// How long another process may hold the folder: as long as it works on a question.
const HELD_MAX: Duration = Duration::from_secs(120);
/// How long a command that only reads waits for the folder.
pub(crate) const LOOK_MAX: Duration = Duration::from_secs(5);
/// How long the log may take to show the end of a turn that is known to have ended.
const END_MAX: Duration = Duration::from_secs(5);
/// How often to look whether the folder is free.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The creation time for the stream of a store that has no stream, so that it never counts as a new one.
const CREATED: UnixMs = UnixMs(1);

/// Why a conversation is not kept.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The log does not say how the turn ended.
    #[error(
        "its log does not say how the turn ended; the next question of the conversation ends it"
    )]
    NotEnded,
    /// The folder cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The bus of this process refused.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// An event cannot be written.
    #[error("an event of a conversation cannot be written: {0}")]
    Write(#[from] serde_json::Error),
    /// An event cannot be read.
    #[error(transparent)]
    Event(#[from] EventError),
    /// The end of an interrupted turn was not stored.
    #[error(transparent)]
    Outbox(#[from] OutboxError),
    /// The same.
    #[error(transparent)]
    Publish(#[from] PublishError),
}

/// A conversation that is open for one question.
pub(crate) struct Kept {
    store: SledStore,
    key: ConversationKey,
    bus: Arc<MemoryBus>,
    position: LogPosition,
}

/// Opens the store of conversations, after waiting a little for another process that has it. The first process that
/// opens a damaged store warns of it.
pub(crate) async fn open(
    data_dir: &Path,
    now: UnixMs,
    wait: Duration,
) -> Result<SledStore, OpenError> {
    let begun = tokio::time::Instant::now();
    loop {
        let options = sled_store::Options {
            damage: OnDamage::Salvage,
            ..sled_store::Options::default()
        };
        match SledStore::open(folder(data_dir), now, options).await {
            Err(OpenError::Held { .. }) if begun.elapsed() < wait => {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            opened => {
                let (store, loss) = opened?;
                loss.iter().for_each(say);
                return Ok(store);
            }
        }
    }
}

fn say(loss: &Loss) {
    let aside = loss.aside.display();
    let read = loss.salvage.as_ref().map_or(0, |salvage| salvage.events);
    tracing::warn!(why = loss.why, %aside, read, "the conversations of this folder were damaged; what could be read is kept");
}

impl Kept {
    /// Puts the log of a conversation into the bus of this process. Turns that an earlier process left open are
    /// ended.
    pub(crate) async fn begin(
        data_dir: &Path,
        bus: Arc<MemoryBus>,
        key: ConversationKey,
    ) -> Result<Kept, Error> {
        let store = open(data_dir, bus.now(), HELD_MAX).await?;
        let position = begun(&store).await?;
        let events = all(&store, &key).await?;
        let stored: Result<Vec<StoredMessage>, _> =
            events.iter().map(|read| message(&key, read)).collect();
        bus.restore(Stream::Conversations, stored?, position.sequence)?;
        let kept = Kept {
            store,
            key,
            bus,
            position,
        };
        end_open(&kept.bus, &events).await?;
        Ok(kept)
    }

    /// Writes what was added to the log since then to disk.
    pub(crate) async fn end(mut self) -> Result<(), Error> {
        let subject = subject(&self.key);
        let ended = self.ended().await;
        let mut entries = Vec::new();
        let mut from = self.position.sequence + 1;
        while let Some(stored) = self
            .bus
            .first(Stream::Conversations, &subject, from)
            .await?
        {
            from = stored.sequence + 1;
            entries.push(LogEntry {
                key: self.key.clone(),
                sequence: stored.sequence,
                event: LogEvent::read(&stored.body)?,
            });
        }
        if let Some(last) = entries.last() {
            self.position.sequence = last.sequence;
            let position = self.position;
            self.store.apply(EntryBatch { entries, position }).await?;
        }
        self.store.flush().await?;
        // What there is of it is on disk in any case.
        ended
    }
}

impl Kept {
    /// Waits until no turn is open, because the answer may be seen a moment before the log has it.
    async fn ended(&self) -> Result<(), Error> {
        let subject = subject(&self.key);
        let begun = tokio::time::Instant::now();
        while begun.elapsed() < END_MAX {
            let last = self.bus.last(Stream::Conversations, &subject).await?;
            let event = last.map(|last| LogEvent::read(&last.body)).transpose()?;
            if event.is_none_or(|event| event.state.open.is_empty()) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Err(Error::NotEnded)
    }
}

/// Ends the turns that were open when the process that ran them ended.
async fn end_open(bus: &MemoryBus, events: &[Read]) -> Result<(), Error> {
    let state = events.last().map(Read::state).unwrap_or_default();
    for open in state.open {
        let opening = events.iter().find(|read| read.sequence == open.opened);
        let Some(EventKind::Opened(opening)) = opening.map(|read| &read.event.event) else {
            continue;
        };
        let why = "the process that worked on it ended before it was answered";
        let terminal = Terminal::of(&opening.header, Outcome::Cancelled, bus.now());
        let terminal = terminal.because(Problem::new("interrupted", why));
        let message = outbox::terminal(&terminal, None).map_err(OutboxError::from)?;
        publish_until(bus, message, bus.now()).await?;
    }
    Ok(())
}

/// All conversations, for a process that answers as long as it lives. The folder is open meanwhile.
pub(crate) struct KeptAll {
    store: SledStore,
    bus: Arc<MemoryBus>,
    position: LogPosition,
}

impl KeptAll {
    /// Puts the logs of all conversations into the bus of this process.
    pub(crate) async fn begin(data_dir: &Path, bus: Arc<MemoryBus>) -> Result<KeptAll, Error> {
        let store = open(data_dir, bus.now(), LOOK_MAX).await?;
        let position = begun(&store).await?;
        let mut kept = Vec::new();
        let mut after: Option<ConversationKey> = None;
        loop {
            let page = store.list(None, after.as_ref(), LIST_MAX).await?;
            let Some((last, _)) = page.last() else { break };
            after = Some(last.clone());
            for (key, _) in page {
                kept.push((all(&store, &key).await?, key));
            }
        }
        let stored = kept
            .iter()
            .flat_map(|(events, key)| events.iter().map(|read| message(key, read)));
        let mut stored = stored.collect::<Result<Vec<_>, _>>()?;
        stored.sort_by_key(|stored| stored.sequence);
        bus.restore(Stream::Conversations, stored, position.sequence)?;
        for (events, _) in &kept {
            end_open(&bus, events).await?;
        }
        Ok(KeptAll {
            store,
            bus,
            position,
        })
    }

    /// Writes what is added to any log to disk, until `stop` is cancelled and all is written.
    pub(crate) async fn follow(mut self, stop: CancellationToken) -> Result<(), Error> {
        let from = self.position.sequence + 1;
        let mut reader = self
            .bus
            .read(Stream::Conversations, CONVERSATIONS, from)
            .await?;
        loop {
            let next = tokio::select! {
                biased;
                next = reader.next() => next?.0,
                () = stop.cancelled() => return Ok(()),
            };
            self.write(next).await?;
        }
    }

    async fn write(&mut self, stored: StoredMessage) -> Result<(), Error> {
        let Ok(Subject::Conversation {
            tenant,
            conversation,
        }) = Subject::parse(&stored.subject)
        else {
            return Ok(());
        };
        self.position.sequence = stored.sequence;
        let entry = LogEntry {
            key: ConversationKey {
                tenant,
                conversation,
            },
            sequence: stored.sequence,
            event: LogEvent::read(&stored.body)?,
        };
        let (entries, position) = (vec![entry], self.position);
        self.store.apply(EntryBatch { entries, position }).await?;
        self.store.flush().await?;
        if self.store.sizes().await?.purge_due {
            self.store.purge().await?;
        }
        Ok(())
    }
}

/// The position of a store. A new store is first given the creation time that stands for no stream.
pub(crate) async fn begun(store: &SledStore) -> Result<LogPosition, StoreError> {
    let position = store.position().await?;
    if position.sequence > 0 || position.created == CREATED {
        return Ok(position);
    }
    store.reset(CREATED).await?;
    Ok(LogPosition {
        created: CREATED,
        sequence: 0,
    })
}

/// All that a store holds of a conversation.
pub(crate) async fn all(store: &SledStore, key: &ConversationKey) -> Result<Vec<Read>, StoreError> {
    let mut events: Vec<Read> = Vec::new();
    loop {
        let after = events.last().map_or(0, |read| read.sequence);
        let page = store.scan(key, after, SCAN_MAX).await?;
        if page.is_empty() {
            return Ok(events);
        }
        events.extend(page);
    }
}

fn message(key: &ConversationKey, read: &Read) -> Result<StoredMessage, serde_json::Error> {
    Ok(StoredMessage {
        subject: subject(key),
        headers: Headers::default().with(header::WIRE, read.event.v.to_string()),
        body: read.event.write()?.into(),
        sequence: read.sequence,
        stored_at: read.event.at,
    })
}
