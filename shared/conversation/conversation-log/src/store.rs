//! The trait of a store of conversations' events. A store is a view of the stream, or the only copy where there is no
//! stream.
//!
//! A store takes in events in the order of the stream and reports its position. It has one writer and many readers.
//! It refuses an event that does not follow the events that it has; the writer then empties the store and feeds it
//! again. *Not* here: the feeding, and whether a stream still has the events that a store lacks.
//!
//! | module | what |
//! |---|---|
//! | [`head`] | the head of each conversation in a store |
//! | [`plan`](mod@plan) | what a batch changes, decided before anything is written |
//! | [`error`] | what goes wrong |

pub mod error;
pub mod head;
pub mod plan;

pub use error::StoreError;
pub use head::ConversationHead;

use crate::event::LogEvent;
use crate::source::{ConversationKey, EventSource};
use crate::state::Read;
use envelope::{TenantId, UnixMs};
use futures_util::future::BoxFuture;

/// Most conversations on a page of [`Store::list`].
pub const LIST_MAX: usize = 1_000;
/// Most events on a page of [`Store::scan`].
pub const SCAN_MAX: usize = 256;

/// How far a store has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogPosition {
    /// When the stream of these sequences was created; 0 if the store has never been reset for a stream.
    pub created: UnixMs,
    /// The last sequence of that stream that the store has taken in or skipped; 0 for none.
    pub sequence: u64,
}

/// An event with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct LogEntry {
    /// The conversation of the event.
    pub key: ConversationKey,
    /// Its sequence in the stream.
    pub sequence: u64,
    /// What it says.
    pub event: LogEvent,
}

/// What a store takes in at once.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryBatch {
    /// Events in stream order.
    pub entries: Vec<LogEntry>,
    /// The position up to which the stream was read for these events.
    pub position: LogPosition,
}

/// How much a store holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreSizes {
    /// Conversations, including erased ones, of which only the event `erased` is left.
    pub conversations: u64,
    /// Their events.
    pub events: u64,
    /// Bytes on disk, what was set aside included; 0 for a store in memory.
    pub bytes: u64,
    /// Erased text may still be in the files: [`Store::purge`] is due.
    pub purge_due: bool,
}

/// Keeps the events of conversations. As an [`EventSource`], it returns `None` for an event that it lacks.
///
/// Conversations and events come in pages, ordered by key and by sequence.
pub trait Store: EventSource {
    /// How far it has come.
    fn position(&self) -> BoxFuture<'_, Result<LogPosition, StoreError>>;

    /// Takes in all of a batch or nothing of it. Events up to the position of the store are skipped. The first event
    /// of a conversation (`n` is 1) begins it anew; any other event has to follow the last one that the store has. If
    /// the store has no event of a conversation, any event may come first, because a log drops its oldest events. An
    /// event `erased` removes the events before it. What was taken in is on disk after [`Store::flush`].
    ///
    /// # Errors
    /// [`StoreError::needs_rebuild`] tells whether the store has to be emptied.
    fn apply(&self, batch: EntryBatch) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Flushes everything that was taken in to disk, so that it survives a power failure.
    ///
    /// # Errors
    /// When that is not certain.
    fn flush(&self) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The last event of a conversation.
    ///
    /// # Errors
    /// When it cannot be read.
    fn last<'a>(
        &'a self,
        key: &'a ConversationKey,
    ) -> BoxFuture<'a, Result<Option<Read>, StoreError>>;

    /// The events of a conversation behind a sequence, in order: at most `limit`, and at most [`SCAN_MAX`].
    ///
    /// # Errors
    /// When they cannot be read.
    fn scan<'a>(
        &'a self,
        key: &'a ConversationKey,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Read>, StoreError>>;

    /// The conversations behind a key, of one tenant or of all: at most `limit`, and at most [`LIST_MAX`].
    ///
    /// # Errors
    /// When they cannot be read.
    fn list<'a>(
        &'a self,
        tenant: Option<&'a TenantId>,
        after: Option<&'a ConversationKey>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<(ConversationKey, ConversationHead)>, StoreError>>;

    /// Removes a conversation and returns how many events were removed. If its log says that it was erased, the event
    /// `erased` stays. The text is gone from the files after [`Store::purge`].
    ///
    /// # Errors
    /// When it cannot be written.
    fn erase<'a>(&'a self, key: &'a ConversationKey) -> BoxFuture<'a, Result<u64, StoreError>>;

    /// Removes events from before a time, the oldest of each conversation first, and returns how many.
    ///
    /// # Errors
    /// When it cannot be written.
    fn trim(&self, before: UnixMs) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Empties the store for a stream that was created at that time. The text is gone from the files as well, except
    /// from folders that were set aside.
    ///
    /// # Errors
    /// When it cannot be written; the store is as it was, or empty.
    fn reset(&self, created: UnixMs) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Writes the contents into new files and deletes all others, including folders that were set aside.
    ///
    /// # Errors
    /// When it cannot be written; what is held is whole, and a purge stays due.
    fn purge(&self) -> BoxFuture<'_, Result<(), StoreError>>;

    /// How much it holds.
    ///
    /// # Errors
    /// When it cannot be read.
    fn sizes(&self) -> BoxFuture<'_, Result<StoreSizes, StoreError>>;
}
