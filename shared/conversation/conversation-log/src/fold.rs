//! Checks a log by folding it again: each event has to contain the state that follows from the event before it.
//!
//! Normal operation does not need this check: a writer folds one event, and a reader trusts the last one. It is for
//! people who doubt a log. *Not* a repair. Pure.

use crate::state::{AppendError, Read, State};

/// An event that does not follow on the one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogDifference {
    /// Its sequence in the stream.
    pub sequence: u64,
    /// In what.
    pub what: Mismatch,
}

/// How an event differs from the one that should follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// Events are missing before it, or it is in the log twice.
    #[error("it is number {found} of its conversation, where number {wanted} should follow")]
    Number {
        /// Which it says it is.
        found: u64,
        /// Which is next.
        wanted: u64,
    },
    /// The state in the event is not the one that follows.
    #[error("the state that it carries does not follow from the events before it")]
    State,
    /// An event of this kind cannot follow.
    #[error("it cannot follow: {0}")]
    Impossible(AppendError),
}

/// The events of one conversation that do not follow from the event before them, in their order. If the beginning of
/// the log is no longer kept, the first event is taken as it is.
pub fn differences(events: &[Read]) -> Vec<LogDifference> {
    let mut before: Option<State> = None;
    let mut found = Vec::new();
    for read in events {
        let begins = read.event.state.n == 1;
        let from = match before.take() {
            _ if begins => Some(State::default()),
            before => before,
        };
        let what = from.and_then(|from| mismatch(&from, read));
        let sequence = read.sequence;
        found.extend(what.map(|what| LogDifference { sequence, what }));
        before = Some(read.state());
    }
    found
}

fn mismatch(before: &State, read: &Read) -> Option<Mismatch> {
    let (found, wanted) = (read.event.state.n, before.n + 1);
    if found != wanted {
        return Some(Mismatch::Number { found, wanted });
    }
    match before.after(&read.event.event) {
        Err(error) => Some(Mismatch::Impossible(error)),
        Ok(state) => (state != read.event.state).then_some(Mismatch::State),
    }
}
