//! The trait by which events of conversations are read, from the stream itself or from a store that follows the
//! stream.

use crate::event::LogEvent;
use envelope::{Class, Classify, ConversationId, TenantId};
use futures_util::future::BoxFuture;
use std::fmt;

/// The key of a conversation. The same id of another tenant is another conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConversationKey {
    /// The tenant that owns it.
    pub tenant: TenantId,
    /// Its id, which is a secret: not for logs above `debug`.
    pub conversation: ConversationId,
}

impl fmt::Display for ConversationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.tenant, self.conversation)
    }
}

/// A source of events: the stream, or a store.
pub trait EventSource: Send + Sync {
    /// The events of a conversation at these sequences, in their order. An event that is not stored yet, or no
    /// longer, is `None`.
    fn events<'a>(
        &'a self,
        key: &'a ConversationKey,
        sequences: &'a [u64],
    ) -> BoxFuture<'a, Result<Vec<Option<LogEvent>>, SourceError>>;
}

/// Why events cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// For now.
    #[error("the log of the conversation cannot be read: {0}")]
    Away(String),
    /// What is stored is no event of this release.
    #[error("an event in the log of the conversation cannot be read: {0}")]
    Event(#[from] crate::event::EventError),
}

impl Classify for SourceError {
    fn class(&self) -> Class {
        match self {
            SourceError::Away(_) => Class::Transient,
            SourceError::Event(_) => Class::Permanent,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            SourceError::Away(_) => "log_away",
            SourceError::Event(_) => "log_event",
        }
    }
}
