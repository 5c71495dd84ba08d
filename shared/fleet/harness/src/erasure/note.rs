//! The note of an unfinished erasure: it names the conversation, and how far the inbox has been searched.
//!
//! The note is stored before the log is ended, so that it remains when the process dies in between. It is deleted
//! when no step of the conversation can come any more; without that, it expires a day later.

use bus::{Bus, BusError, Publish, PublishError, StoredMessage, Stream};
use conversation_log::ConversationKey;
use envelope::{ConversationId, TenantId, UnixMs, subject};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use streams::outbox::store_until;

/// How long a note outlasts what it is for: a gateway may be away.
const SLACK: Duration = Duration::from_secs(24 * 60 * 60);
/// How long the next note may take.
const NEXT_WAIT: Duration = Duration::from_secs(2);
/// How long storing it may be tried.
const PATIENCE_MS: u64 = 5_000;

/// What it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    tenant: TenantId,
    conversation: ConversationId,
    /// The inbox has been looked through up to this sequence.
    #[serde(default)]
    pub(crate) inbox: u64,
}

impl Note {
    pub(crate) fn of(key: &ConversationKey, inbox: u64) -> Note {
        Note {
            tenant: key.tenant.clone(),
            conversation: key.conversation.clone(),
            inbox,
        }
    }

    pub(crate) fn key(&self) -> ConversationKey {
        ConversationKey {
            tenant: self.tenant.clone(),
            conversation: self.conversation.clone(),
        }
    }

    fn subject(&self) -> String {
        subject::erasing(&self.tenant, &self.conversation)
    }

    /// Stores it, in the place of the one before.
    pub(crate) async fn store(&self, bus: &dyn Bus, until: UnixMs) -> Result<(), PublishError> {
        let now = bus.now();
        let message = Publish {
            ttl: Some(Duration::from_millis(now.until(until)) + SLACK),
            ..Publish::new(
                self.subject(),
                serde_json::to_vec(self).unwrap_or_default().into(),
            )
        };
        store_until(bus, message, now.plus(PATIENCE_MS)).await?;
        Ok(())
    }

    /// The one that is stored.
    pub(crate) async fn stored(
        bus: &dyn Bus,
        key: &ConversationKey,
    ) -> Result<Option<Note>, BusError> {
        let subject = Note::of(key, 0).subject();
        let stored = bus.last(Stream::Timers, &subject).await?;
        Ok(stored.as_ref().and_then(Note::read))
    }

    /// Takes it away, with those that it replaced.
    pub(crate) async fn drop(bus: &dyn Bus, key: &ConversationKey) -> Result<(), BusError> {
        bus.purge(Stream::Timers, &Note::of(key, 0).subject())
            .await?;
        Ok(())
    }

    /// All that are stored, however many: a list of the newest of each is refused beyond a thousand.
    pub(crate) async fn all(bus: &dyn Bus) -> Result<Vec<Note>, BusError> {
        let mut notes = BTreeMap::new();
        let Some(newest) = bus.last(Stream::Timers, subject::ERASING).await? else {
            return Ok(Vec::new());
        };
        let mut reader = bus.read(Stream::Timers, subject::ERASING, 1).await?;
        // Notes go while they are read: the last one may never come.
        while let Ok(next) = tokio::time::timeout(NEXT_WAIT, reader.next()).await {
            let (stored, after) = next?;
            let is_last = after == 0 || stored.sequence >= newest.sequence;
            if let Some(note) = Note::read(&stored) {
                notes.insert(stored.subject, note);
            }
            if is_last {
                break;
            }
        }
        Ok(notes.into_values().collect())
    }

    fn read(stored: &StoredMessage) -> Option<Note> {
        let note: Note = serde_json::from_slice(&stored.body).ok()?;
        (note.subject() == stored.subject).then_some(note)
    }
}
