//! Checks a log by folding it again: whether each event carries the state that follows from the one before it.
//!
//! In normal operation this is not needed: a writer folds one event, and a reader trusts the last one. It is for
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
    /// Events are missing before it, or it stands there twice.
    #[error("it is number {found} of its conversation, where number {wanted} should follow")]
    Number {
        /// Which it says it is.
        found: u64,
        /// Which is next.
        wanted: u64,
    },
    /// The state that it carries is not what follows.
    #[error("the state that it carries does not follow from the events before it")]
    State,
    /// Nothing of its kind can follow.
    #[error("it cannot follow: {0}")]
    Impossible(AppendError),
}

/// The events of one conversation that do not follow from the ones before them, in their order. The first is taken
/// as it is, unless the conversation begins with it: what was before is no longer kept.
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

#[cfg(test)]
#[path = "fold_tests.rs"]
mod tests;
