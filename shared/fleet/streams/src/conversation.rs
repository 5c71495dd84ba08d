//! Reads and appends to the log of a conversation on the bus. A writer reads the last event and appends after it.
//!
//! An append succeeds only if the event that was read is still the last one, so two writers take turns without a lock.
//! A writer whose append fails, or is not confirmed, reads again and decides anew. *Not* here: which events are
//! appended, which `conversation-log` decides.

use bus::{Bus, BusError, Headers, Publish, PublishError, StoredMessage, Stream, WriteCondition};
use bytes::Bytes;
use conversation_log::copy::{Places, is_same};
use conversation_log::{ConversationKey, EventError, EventSource, LogEvent, Read, SourceError};
use envelope::header;
use futures_util::future::{BoxFuture, try_join_all};
use std::sync::Arc;
use std::time::Duration;

/// How often an append is tried again while another write is in flight, which takes milliseconds.
const CONFLICTS: u32 = 8;
/// How long is waited before.
const CONFLICT: Duration = Duration::from_millis(20);

/// The logs on a bus.
#[derive(Clone)]
pub struct Logs {
    bus: Arc<dyn Bus>,
}

/// The result of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendResult {
    /// The event is stored.
    Stored {
        /// At this sequence.
        sequence: u64,
        /// With so many bytes.
        bytes: usize,
    },
    /// The append failed or its result is unknown, because another event was appended before or the confirmation did
    /// not come: read again.
    Unknown,
}

/// Why a log cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The bus could not be asked.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// It refused the event for good.
    #[error("an event of a conversation was not stored: {0}")]
    Publish(#[from] PublishError),
    /// The stored message is not an event that this release can read.
    #[error("an event in the log of a conversation cannot be read: {0}")]
    Event(#[from] EventError),
    /// The event cannot be encoded.
    #[error("an event of a conversation cannot be written: {0}")]
    Write(#[from] serde_json::Error),
}

/// Why a log is not restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The log cannot be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The log already has other events.
    #[error("a conversation with this id exists already, and it has other events")]
    Taken,
}

/// The subject of a conversation's log.
pub fn subject(key: &ConversationKey) -> String {
    envelope::subject::conversation(&key.tenant, &key.conversation)
}

fn read(stored: &StoredMessage) -> Result<Read, EventError> {
    Ok(Read {
        sequence: stored.sequence,
        event: LogEvent::read(&stored.body)?,
    })
}

impl Logs {
    /// The logs on `bus`.
    pub fn on(bus: Arc<dyn Bus>) -> Logs {
        Logs { bus }
    }

    /// The last event of a conversation, read from the stream's leader; `None` for an empty log.
    ///
    /// # Errors
    /// When the bus cannot be asked, or the event is none of this release.
    pub async fn last(&self, key: &ConversationKey) -> Result<Option<Read>, LogError> {
        let last = self.bus.last(Stream::Conversations, &subject(key)).await?;
        Ok(last.as_ref().map(read).transpose()?)
    }

    /// One event, read from any replica, and from the stream's leader if that replica does not have it; `None` if the
    /// event is not stored any more.
    ///
    /// # Errors
    /// As for [`Logs::last`].
    pub async fn at(&self, key: &ConversationKey, sequence: u64) -> Result<Option<Read>, LogError> {
        let subject = subject(key);
        let stream = Stream::Conversations;
        let stored = match self.bus.message_anywhere(stream, sequence).await? {
            Some(stored) => Some(stored),
            None => self.bus.message(stream, sequence).await?,
        };
        // An event of another conversation at this sequence is not returned.
        let stored = stored.filter(|stored| stored.subject == subject);
        Ok(stored.as_ref().map(read).transpose()?)
    }

    /// All events of a conversation that are still stored, in their order, read one by one from the stream's leader.
    ///
    /// # Errors
    /// As for [`Logs::last`].
    pub async fn all(&self, key: &ConversationKey) -> Result<Vec<Read>, LogError> {
        let subject = subject(key);
        let mut events: Vec<Read> = Vec::new();
        loop {
            let from = events.last().map_or(0, |read| read.sequence) + 1;
            let next = self
                .bus
                .first(Stream::Conversations, &subject, from)
                .await?;
            match next {
                Some(stored) => events.push(read(&stored)?),
                None => return Ok(events),
            }
        }
    }

    /// Writes a list of events into a log that is empty or already begins with these events, so that an interrupted
    /// restore can continue. References to positions are corrected. Returns false if all events were there already.
    ///
    /// # Errors
    /// [`RestoreError::Taken`] when something else is there.
    pub async fn restore(
        &self,
        key: &ConversationKey,
        events: &[Read],
    ) -> Result<bool, RestoreError> {
        let there = self.all(key).await?;
        let mut places = Places::default();
        let mut before: Option<Read> = None;
        for (n, read) in events.iter().enumerate() {
            let event = places.put_right(read);
            let sequence = match there.get(n) {
                Some(found) if is_same(&found.event, &event) => found.sequence,
                Some(_) => return Err(RestoreError::Taken),
                None => self.write_one(key, before.as_ref(), &event).await?,
            };
            places.note(read.sequence, sequence);
            before = Some(Read { sequence, event });
        }
        Ok(there.len() < events.len())
    }

    async fn write_one(
        &self,
        key: &ConversationKey,
        before: Option<&Read>,
        event: &LogEvent,
    ) -> Result<u64, RestoreError> {
        for _ in 0..CONFLICTS {
            if let AppendResult::Stored { sequence, .. } = self.append(key, before, event).await? {
                return Ok(sequence);
            }
            // It may be this very event that was stored, without a confirmation.
            let last = self.last(key).await?;
            match (&last, before) {
                (Some(last), _) if last.event == *event => return Ok(last.sequence),
                (Some(last), Some(before)) if last.sequence == before.sequence => {}
                (None, None) => {}
                _ => return Err(RestoreError::Taken),
            }
        }
        Err(RestoreError::Taken)
    }

    /// Appends an event after the last one that was read.
    ///
    /// # Errors
    /// When the event cannot be written, or the server refuses it for good.
    pub async fn append(
        &self,
        key: &ConversationKey,
        before: Option<&Read>,
        event: &LogEvent,
    ) -> Result<AppendResult, LogError> {
        let subject = subject(key);
        let after = before.map_or(0, |read| read.sequence);
        let body = event.write()?;
        let bytes = body.len();
        let message = Publish {
            headers: Headers::default().with(header::WIRE, event.v.to_string()),
            condition: WriteCondition::LastIs(subject.clone(), after),
            ..Publish::new(subject, Bytes::from(body))
        };
        for _ in 0..CONFLICTS {
            match self.bus.publish(message.clone()).await {
                Ok(sequence) => return Ok(AppendResult::Stored { sequence, bytes }),
                Err(PublishError::Conflict) => tokio::time::sleep(CONFLICT).await,
                Err(PublishError::Exists | PublishError::Unconfirmed(_)) => break,
                Err(error @ (PublishError::Full | PublishError::Refused(_))) => {
                    return Err(error.into());
                }
            }
        }
        Ok(AppendResult::Unknown)
    }
}

impl EventSource for Logs {
    fn events<'a>(
        &'a self,
        key: &'a ConversationKey,
        sequences: &'a [u64],
    ) -> BoxFuture<'a, Result<Vec<Option<LogEvent>>, SourceError>> {
        Box::pin(async move {
            let read = sequences.iter().map(|sequence| self.at(key, *sequence));
            match try_join_all(read).await {
                Ok(read) => Ok(read.into_iter().map(|read| Some(read?.event)).collect()),
                Err(LogError::Event(error)) => Err(error.into()),
                Err(error) => Err(SourceError::Away(error.to_string())),
            }
        })
    }
}
