//! The errors of a store. No message names a conversation, because the id of a conversation is a secret.

use crate::event::EventError;
use crate::source::SourceError;
use envelope::{Class, Classify, UnixMs};
use std::io;

/// Why a store failed to do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// An event does not follow on the last one of its conversation.
    #[error(
        "event {found} of a conversation, at sequence {sequence}, does not follow on event {known}, the last in the store"
    )]
    Gap {
        /// Which event of its conversation the store has last.
        known: u64,
        /// Which one came.
        found: u64,
        /// Where it stands in the stream.
        sequence: u64,
    },
    /// A batch is not in stream order, or reaches beyond its own position.
    #[error("sequence {found} comes after {before} in a batch up to {position}")]
    Order {
        /// The sequence before.
        before: u64,
        /// The one that came.
        found: u64,
        /// How far the batch says that it reaches.
        position: u64,
    },
    /// The sequences are of another stream.
    #[error(
        "the store follows a stream created at {} ms, and these events are of one created at {} ms",
        held.0,
        given.0
    )]
    OtherStream {
        /// What the store follows.
        held: UnixMs,
        /// What came.
        given: UnixMs,
    },
    /// An event cannot be read by this release.
    #[error("an event in the store of conversations cannot be read: {0}")]
    Event(#[from] EventError),
    /// An event cannot be written.
    #[error("an event of a conversation cannot be written: {0}")]
    Write(String),
    /// What is read is not what was written.
    #[error("the store of conversations is damaged: {0}")]
    Damage(String),
    /// The disk has no room left.
    #[error("no room on the disk for the store of conversations: {0}")]
    Full(String),
    /// The disk cannot be read or written.
    #[error("the store of conversations cannot be read or written: {0}")]
    Disk(String),
    /// The store has failed in a way from which it does not recover.
    #[error("the store of conversations has failed and has to be opened again: {0}")]
    Failed(String),
}

impl StoreError {
    /// Whether a view has to be emptied and fed again, because it does not match its stream.
    pub const fn needs_rebuild(&self) -> bool {
        matches!(
            self,
            StoreError::Gap { .. } | StoreError::OtherStream { .. } | StoreError::Damage(_)
        )
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> StoreError {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                StoreError::Full(error.to_string())
            }
            _ => StoreError::Disk(error.to_string()),
        }
    }
}

impl From<StoreError> for SourceError {
    fn from(error: StoreError) -> SourceError {
        match error {
            StoreError::Event(error) => SourceError::Event(error),
            other => SourceError::Away(other.to_string()),
        }
    }
}

impl Classify for StoreError {
    fn class(&self) -> Class {
        match self {
            StoreError::Full(_) | StoreError::Disk(_) | StoreError::Failed(_) => Class::Transient,
            StoreError::Order { .. } | StoreError::Write(_) => Class::Bug,
            StoreError::Gap { .. }
            | StoreError::OtherStream { .. }
            | StoreError::Event(_)
            | StoreError::Damage(_) => Class::Permanent,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            StoreError::Gap { .. } => "store_gap",
            StoreError::Order { .. } => "store_order",
            StoreError::OtherStream { .. } => "store_other_stream",
            StoreError::Event(_) => "store_event",
            StoreError::Write(_) => "store_write",
            StoreError::Damage(_) => "store_damage",
            StoreError::Full(_) => "store_full",
            StoreError::Disk(_) => "store_disk",
            StoreError::Failed(_) => "store_failed",
        }
    }
}
