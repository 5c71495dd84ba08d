//! The report of an erasure: how many messages of each kind were erased.

use envelope::{ConversationId, UnixMs};
use serde::Serialize;
use std::ops::AddAssign;

/// Messages of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ErasedCount {
    /// Erased by this call.
    pub erased: u64,
    /// Messages that the log names and that no longer exist.
    pub gone: u64,
    /// Messages that were still there when they were read back: 0, unless a process writes at this moment.
    pub left: u64,
}

impl AddAssign for ErasedCount {
    fn add_assign(&mut self, more: ErasedCount) {
        self.erased += more.erased;
        self.gone += more.gone;
        self.left += more.left;
    }
}

/// The result of an erasure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ErasureReport {
    /// Whether the conversation had been erased before.
    pub was_erased: bool,
    /// Events of the log, except the one that records the erasure.
    pub log: ErasedCount,
    /// Questions in the inbox.
    pub questions: ErasedCount,
    /// Steps, scatter records and parts.
    pub steps: ErasedCount,
    /// Terminal events, which are replaced by ones without content.
    pub answers: ErasedCount,
    /// Feedback on the answers.
    pub feedback: ErasedCount,
    /// Dead letters.
    pub letters: ErasedCount,
    /// Files that its messages named.
    pub files: ErasedCount,
    /// Turns that ran or waited, and were cancelled.
    pub cancelled: u64,
    /// Conversations that were begun as a copy of it. They are not erased.
    pub forks: Vec<ConversationId>,
    /// Until when a worker that has not heard of the erasure may still store a step: gateways look for such steps.
    pub swept_until: UnixMs,
}

impl ErasureReport {
    /// How many messages are left.
    pub fn left(&self) -> u64 {
        self.counts().iter().map(|count| count.left).sum()
    }

    /// Whether this call found nothing to do.
    pub fn is_empty(&self) -> bool {
        let erased = self.counts().iter().map(|count| count.erased).sum::<u64>();
        erased + self.cancelled == 0
    }

    fn counts(&self) -> [ErasedCount; 7] {
        [
            self.log,
            self.questions,
            self.steps,
            self.answers,
            self.feedback,
            self.letters,
            self.files,
        ]
    }
}
