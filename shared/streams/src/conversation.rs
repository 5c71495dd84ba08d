//! The log of a conversation on the bus: read, and appended to by who has read its last event.
//!
//! An append holds only if what was read is still the last event: two writers take turns without an owner. Who loses, or
//! is not told what came of it, reads again and decides from the top. *Not* here: what is to be appended, which is
//! decided in `conversation-log`.

use bus::{Bus, BusError, Fence, Headers, Publish, PublishError, Stored, Stream};
use bytes::Bytes;
use conversation_log::{ConversationKey, EventError, LogEvent, Read, Source, SourceError};
use envelope::{Subject, header};
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

/// What came of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendResult {
    /// It stands at this sequence.
    At(u64),
    /// Nobody knows, or something else was appended before: read again.
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
    /// What is stored is no event of this release.
    #[error("the log of a conversation: {0}")]
    Event(#[from] EventError),
    /// The event cannot be written.
    #[error("an event of a conversation cannot be written: {0}")]
    Write(#[from] serde_json::Error),
}

/// The subject of a log.
pub fn subject(key: &ConversationKey) -> String {
    let ConversationKey {
        tenant,
        conversation,
    } = key.clone();
    Subject::Conversation {
        tenant,
        conversation,
    }
    .to_string()
}

fn read(stored: &Stored) -> Result<Read, EventError> {
    Ok(Read {
        sequence: stored.sequence,
        event: LogEvent::read(&stored.body)?,
    })
}

impl Logs {
    /// Those on `bus`.
    pub fn on(bus: Arc<dyn Bus>) -> Logs {
        Logs { bus }
    }

    /// The last event of a conversation, asked of the stream's leader; `None` for an empty log.
    ///
    /// # Errors
    /// When the bus cannot be asked, or the event is none of this release.
    pub async fn last(&self, key: &ConversationKey) -> Result<Option<Read>, LogError> {
        let last = self.bus.last(Stream::Conversations, &subject(key)).await?;
        Ok(last.as_ref().map(read).transpose()?)
    }

    /// One event, asked of the stream's leader; `None` when it is not there any more.
    ///
    /// # Errors
    /// As for [`Logs::last`].
    pub async fn at(&self, key: &ConversationKey, sequence: u64) -> Result<Option<Read>, LogError> {
        let subject = subject(key);
        let first = self.bus.first(Stream::Conversations, &subject, sequence);
        let first = first.await?.filter(|stored| stored.sequence == sequence);
        Ok(first.as_ref().map(read).transpose()?)
    }

    /// Appends an event behind the last one that was read.
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
        let message = Publish {
            headers: Headers::default().with(header::WIRE, event.v.to_string()),
            fence: Fence::AfterAcross(subject.clone(), after),
            ..Publish::new(subject, Bytes::from(event.write()?))
        };
        for _ in 0..CONFLICTS {
            match self.bus.publish(message.clone()).await {
                Ok(sequence) => return Ok(AppendResult::At(sequence)),
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

impl Source for Logs {
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
