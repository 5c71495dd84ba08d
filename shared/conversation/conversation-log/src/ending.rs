//! Decides what the terminal event of a turn changes in its conversation, and which turn begins next.
//!
//! Every process that appends the end of a turn, or finds it in the log, starts the next turn. So it does no harm if
//! one of these processes dies. Pure.

use crate::event::{EventKind, KeptText, LogEvent, TurnEnd, evidence_that_fits};
use crate::limits::{OVERDUE_MS, QUESTION_BYTES_MAX};
use crate::state::{AppendError, OpenTurn, Read, State, append};
use envelope::{Outcome, Terminal, TurnId, UnixMs};

/// What a terminal event changes. [`next_to_begin`] of the state after it says which turn is next.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// The event to append.
    Append(Box<LogEvent>),
    /// There is nothing to append: the turn has an end already, or was never opened.
    Ended,
}

/// A turn that begins, so that its hop 0 has to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnStart {
    /// The turn.
    pub turn: TurnId,
    /// Sequence of its `opened`, which holds what hop 0 needs.
    pub opened: u64,
}

/// Decides what the end of a turn changes after `before`, the last event of its conversation. Answers are kept for
/// `answers_kept_ms` milliseconds.
pub fn end(
    before: Option<&Read>,
    terminal: &Terminal,
    answers_kept_ms: u64,
    now: UnixMs,
) -> Ending {
    let asked = terminal.clarification.as_ref();
    let cited = terminal
        .citations
        .iter()
        .map(|cited| cited.chunk_id.clone());
    let ended = TurnEnd {
        turn: terminal.turn.clone(),
        outcome: Some(terminal.outcome),
        at: terminal.ended_at,
        answer: terminal.answer.as_deref().map(KeptText::answer),
        rewritten: terminal.rewritten.clone(),
        question: question(before, terminal),
        evidence: evidence_that_fits(cited),
        clarification: terminal.clarification.clone(),
        resume: terminal.resume.clone(),
        expires: asked.map(|asked| asked.expires(terminal.ended_at, answers_kept_ms)),
    };
    append_end(before, ended, now)
}

/// The question, where the event that was read has it and it will be needed: an exchange keeps the question that
/// was searched for, and other ends keep none.
fn question(before: Option<&Read>, terminal: &Terminal) -> Option<String> {
    let is_exchange = matches!(terminal.outcome, Outcome::Answered | Outcome::Clarification);
    let EventKind::Opened(opened) = &before?.event.event else {
        return None;
    };
    let question = &opened.case.question.original;
    let is_told = is_exchange
        && terminal.rewritten.is_none()
        && opened.header.turn == terminal.turn
        && question.len() <= QUESTION_BYTES_MAX;
    is_told.then(|| question.clone())
}

/// Like [`end`], for a turn whose outcome is no longer known.
pub fn end_unknown(before: Option<&Read>, turn: &TurnId, now: UnixMs) -> Ending {
    let ended = TurnEnd {
        turn: turn.clone(),
        outcome: None,
        at: now,
        answer: None,
        rewritten: None,
        question: None,
        evidence: Vec::new(),
        clarification: None,
        resume: None,
        expires: None,
    };
    append_end(before, ended, now)
}

fn append_end(before: Option<&Read>, ended: TurnEnd, now: UnixMs) -> Ending {
    match append(before, EventKind::Ended(Box::new(ended)), now) {
        Ok(event) => Ending::Append(Box::new(event)),
        Err(
            AppendError::Open | AppendError::NotOpen | AppendError::Erased | AppendError::Forks,
        ) => Ending::Ended,
    }
}

/// The first open turn, unless its time is up: then it has to be ended first.
pub fn next_to_begin(state: &State, now: UnixMs) -> Option<TurnStart> {
    let first = state.open.first().filter(|open| now < open.deadline)?;
    Some(TurnStart {
        turn: first.turn.clone(),
        opened: first.opened,
    })
}

/// The open turns whose deadline passed so long ago that no other process will end them.
pub(crate) fn overdue(state: &State, now: UnixMs) -> Vec<TurnId> {
    let is_late = |open: &&OpenTurn| open.deadline.plus(OVERDUE_MS) <= now;
    let late = state.open.iter().filter(is_late);
    late.map(|open| open.turn.clone()).collect()
}

#[cfg(test)]
#[path = "ending_tests.rs"]
mod tests;
