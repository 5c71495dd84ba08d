//! Writes copies of conversations: forks, branches for replays, and imports of exported conversations.

use super::{ConversationSource, Error, key_of, now};
use crate::kept_conversations;
use conversation_log::copy::{self, Places};
use conversation_log::state::append;
use conversation_log::store::{EntryBatch, LogEntry, Store};
use conversation_log::{ConversationKey, EventKind, LogEvent, Read, SledStore, TurnOpening};
use envelope::{Case, ConversationId, Header, TurnId, UnixMs};
use std::path::Path;
use std::sync::Arc;
use streams::conversation::{AppendResult, Logs, RestoreError};

/// How often a log is read anew because another writer was quicker.
const TRIES: usize = 32;

impl ConversationSource {
    /// Begins the conversation `child` with the first `turns` turns of another one, or with all that have ended where
    /// no number is given. The parent's log is written first, so that the parent knows of every fork that exists.
    /// Returns how many turns were taken over.
    pub(crate) async fn fork(
        &self,
        key: &ConversationKey,
        turns: Option<usize>,
        child: &ConversationId,
    ) -> Result<usize, Error> {
        let events = self.events(key).await?;
        let copied = copy::fork(&key.conversation, &events, turns, child)?;
        let taken = copy::ended_turns(&copied).len();
        // Nobody else's conversation is to be taken for a fork of this one.
        if let Some(there) = self.events(&key_of(&key.tenant, child)).await?.first()
            && there.event.event != copied[0].event.event
        {
            return Err(RestoreError::Taken.into());
        }
        let forked = EventKind::Forked {
            child: child.clone(),
            exchanges: taken as u32,
        };
        self.tell(key, forked).await?;
        self.write(&key_of(&key.tenant, child), &copied).await?;
        Ok(taken)
    }

    /// Writes events into a conversation that does not exist yet. Turns that stand open in them are ended, because no
    /// worker works on them there. Returns false when all of the events were there.
    pub(crate) async fn write(
        &self,
        key: &ConversationKey,
        events: &[Read],
    ) -> Result<bool, Error> {
        match self {
            ConversationSource::Fleet(bus) => {
                let logs = Logs::on(bus.clone());
                let written = logs.restore(key, events).await?;
                // What is open in a log that was there before may run.
                if written {
                    end_open(&logs, key, bus.now()).await?;
                }
                Ok(written)
            }
            ConversationSource::Here(data_dir) => restore(data_dir, key, events).await,
        }
    }

    /// Begins the conversation `branch` with the turns that stood before `turn` in its own conversation, if it has
    /// one. `begun` is the header of the first step of `turn`, where that is known.
    pub(crate) async fn branch(
        &self,
        turn: &TurnId,
        begun: Option<&Header>,
        branch: &ConversationId,
    ) -> Result<(), Error> {
        let of = begun.and_then(|header| Some((header, header.conversation.clone()?)));
        let Some((header, conversation)) = of else {
            return Ok(());
        };
        let key = key_of(&header.tenant, &conversation);
        let turns = copy::ended_turns(&self.events(&key).await?);
        let before = turns.iter().position(|ended| ended == turn);
        let taken = self.fork(&key, before, branch).await?;
        tracing::debug!(taken, "branched");
        Ok(())
    }

    /// Appends to the conversation of its header the opening of a turn that begins with a step of another turn.
    pub(crate) async fn open_turn(&self, header: &Header, case: &Case) -> Result<(), Error> {
        let (Some(conversation), ConversationSource::Fleet(bus)) =
            (header.conversation.clone(), self)
        else {
            return Ok(());
        };
        let key = key_of(&header.tenant, &conversation);
        let opening = TurnOpening {
            header: header.clone(),
            case: case.clone(),
            inbox: 0,
            answers: None,
        };
        let logs = Logs::on(bus.clone());
        let last = logs.last(&key).await?;
        // The turn before asked back: then this one was the reply.
        let pending = last
            .as_ref()
            .and_then(|last| last.event.state.pending.as_ref());
        let kind = EventKind::Opened(Box::new(TurnOpening {
            answers: pending.map(|pending| pending.turn.clone()),
            ..opening
        }));
        if last
            .as_ref()
            .is_some_and(|last| last.event.state.copy_of.is_none())
        {
            // It is somebody's, and not a branch.
            return Err(RestoreError::Taken.into());
        }
        tell_fleet(&logs, &key, kind, bus.now()).await
    }

    /// Appends an event that tells what became of a conversation.
    async fn tell(&self, key: &ConversationKey, kind: EventKind) -> Result<(), Error> {
        match self {
            ConversationSource::Fleet(bus) => {
                tell_fleet(&Logs::on(bus.clone()), key, kind, bus.now()).await
            }
            ConversationSource::Here(data_dir) => {
                let store = open(data_dir).await?;
                let last = store.last(key).await?;
                if knows(last.as_ref(), &kind) {
                    return Ok(());
                }
                let event = append(last.as_ref(), kind, now())?;
                put(&store, key, vec![event]).await
            }
        }
    }
}

/// Whether the log already knows of a fork.
fn knows(last: Option<&Read>, kind: &EventKind) -> bool {
    match (last, kind) {
        (Some(last), EventKind::Forked { child, .. }) => last.event.state.children.contains(child),
        _ => false,
    }
}

async fn tell_fleet(
    logs: &Logs,
    key: &ConversationKey,
    kind: EventKind,
    at: UnixMs,
) -> Result<(), Error> {
    for _ in 0..TRIES {
        let last = logs.last(key).await?;
        if knows(last.as_ref(), &kind) {
            return Ok(());
        }
        let event = append(last.as_ref(), kind.clone(), at)?;
        if let AppendResult::Stored { .. } = logs.append(key, last.as_ref(), &event).await? {
            return Ok(());
        }
    }
    Err(Error::Contended)
}

async fn end_open(logs: &Logs, key: &ConversationKey, at: UnixMs) -> Result<(), Error> {
    for _ in 0..TRIES {
        let Some(last) = logs.last(key).await? else {
            return Ok(());
        };
        let Some(event) = copy::end_of_open(&last, at) else {
            return Ok(());
        };
        logs.append(key, Some(&last), &event).await?;
    }
    Err(Error::Contended)
}

pub(super) async fn open(data_dir: &Path) -> Result<Arc<SledStore>, Error> {
    let store = kept_conversations::open(data_dir, now(), kept_conversations::LOOK_MAX).await?;
    Ok(Arc::new(store))
}

/// Writes events of a conversation behind everything that a store holds, and to disk.
pub(super) async fn put(
    store: &SledStore,
    key: &ConversationKey,
    events: Vec<LogEvent>,
) -> Result<(), Error> {
    let mut position = kept_conversations::begun(store).await?;
    let mut entries = Vec::new();
    for event in events {
        position.sequence += 1;
        entries.push(LogEntry {
            key: key.clone(),
            sequence: position.sequence,
            event,
        });
    }
    store.apply(EntryBatch { entries, position }).await?;
    Ok(store.flush().await?)
}

/// Restores a conversation as in a fleet, but all events at once: a store takes in a batch whole or not at all.
async fn restore(data_dir: &Path, key: &ConversationKey, events: &[Read]) -> Result<bool, Error> {
    let store = open(data_dir).await?;
    let mut sequence = kept_conversations::begun(&store).await?.sequence;
    let there = kept_conversations::all(&store, key).await?;
    let mut places = Places::default();
    let mut written: Vec<Read> = Vec::new();
    for (n, read) in events.iter().enumerate() {
        let event = places.put_right(read);
        match there.get(n) {
            Some(found) if copy::is_same(&found.event, &event) => {
                places.note(read.sequence, found.sequence)
            }
            Some(_) => return Err(RestoreError::Taken.into()),
            None => {
                sequence += 1;
                places.note(read.sequence, sequence);
                written.push(Read { sequence, event });
            }
        }
    }
    let is_new = !written.is_empty();
    while let Some(event) = written
        .last()
        .and_then(|last| copy::end_of_open(last, now()))
    {
        sequence += 1;
        written.push(Read { sequence, event });
    }
    let written = written.into_iter().map(|read| read.event).collect();
    put(&store, key, written).await?;
    Ok(is_new)
}
