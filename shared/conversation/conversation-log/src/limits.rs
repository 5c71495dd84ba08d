//! The limits of a conversation's log, with their units.

/// Longest answer that an event keeps, in bytes; a longer one is cut at a character and marked.
pub(crate) const ANSWER_BYTES_MAX: usize = 8 * 1024;
/// Largest list of evidence that an event keeps, in bytes of its JSON.
pub(crate) const EVIDENCE_BYTES_MAX: usize = 4 * 1024;
/// Longest question that the end of its turn keeps as well, in bytes; a longer one stands in its `opened` alone.
pub(crate) const QUESTION_BYTES_MAX: usize = 1024;
/// Exchanges whose place in the log the state names: what recall may read. The stored states of a log depend on it: a log
/// that was written with another number may fail its check.
pub(crate) const EXCHANGES_KEPT: usize = 12;
const _: () = assert!(
    envelope::limits::HISTORY_EXCHANGES_MAX <= EXCHANGES_KEPT,
    "a question carries exchanges whose place in the log is kept"
);
/// Turns that may wait behind the first open one. Default of `gateway.conversation_busy`.
pub const WAITING_MAX: usize = 4;
/// Forks that a conversation knows of.
pub const CHILDREN_MAX: usize = 64;
/// How long after its deadline a turn is left to the processes that end it normally, in milliseconds.
pub(crate) const OVERDUE_MS: u64 = 5_000;
/// How far the clocks of two processes may differ, in milliseconds: a reply may seem to be older than the question
/// back that it answers.
pub(crate) const CLOCKS_MS: u64 = 2_000;
