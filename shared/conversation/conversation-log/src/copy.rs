//! Makes copies of logs: a fork, whose turns get new ids, and the import of an exported log.
//!
//! Each copy is a list of events with their old positions, which are then written one by one. Where an event refers
//! to the position of another event, the reference is changed to the position in the new log. Pure.

use crate::ending::{Ending, end_unknown};
use crate::event::{EventKind, LogEvent, TurnEnd, TurnOpening};
use crate::fold::{LogDifference, differences};
use crate::state::{AppendError, Read, State, append};
use envelope::{ConversationId, ExchangePlace, TurnId};
use std::collections::{BTreeMap, BTreeSet};

/// The new position of each event of a list, in the log that it was written to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places(BTreeMap<u64, u64>);

/// Why a log cannot be copied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// The log has fewer ended turns than were asked for.
    #[error("no more than {0} of its turns can be taken over: no others have ended and are kept")]
    Turns(usize),
    /// No event of the conversation is kept, or it was erased.
    #[error("no event of it is kept, or it was erased")]
    Empty,
    /// The events of the list are not in order.
    #[error("event {0} does not follow on the one before it")]
    Order(u64),
    /// The list was edited, or written by a program with other rules.
    #[error("event {}: {}", .0.sequence, .0.what)]
    Fold(LogDifference),
    /// An event cannot follow.
    #[error(transparent)]
    Append(#[from] AppendError),
}

/// The id of a turn in a fork: always the same, so that forking twice has the same effect as forking once.
pub(crate) fn forked_turn(child: &ConversationId, turn: &TurnId) -> TurnId {
    TurnId::again(&format!("fork/{child}/{turn}"))
}

/// The turns of a log that have ended and whose beginning is kept, in the order in which they were opened.
pub fn ended_turns(events: &[Read]) -> Vec<TurnId> {
    let ended: BTreeSet<&TurnId> = events
        .iter()
        .filter_map(|read| match &read.event.event {
            EventKind::Ended(ended) => Some(&ended.turn),
            _ => None,
        })
        .collect();
    let opened = events.iter().filter_map(|read| match &read.event.event {
        EventKind::Opened(opened) => Some(&opened.header.turn),
        _ => None,
    });
    opened
        .filter(|turn| ended.contains(turn))
        .cloned()
        .collect()
}

/// The log of a conversation `child` that takes over the first `turns` turns of `parent`, or all ended turns if no
/// number is given. The log names its parent, and is independent of it afterwards.
///
/// # Errors
/// When the log has fewer ended turns than were asked for, or nothing of it is kept.
pub fn fork(
    parent: &ConversationId,
    events: &[Read],
    turns: Option<usize>,
    child: &ConversationId,
) -> Result<Vec<Read>, CopyError> {
    if events.last().is_none_or(|read| read.event.state.is_erased) {
        return Err(CopyError::Empty);
    }
    let mut taken = ended_turns(events);
    if turns.is_some_and(|turns| turns > taken.len()) {
        return Err(CopyError::Turns(taken.len()));
    }
    taken.truncate(turns.unwrap_or(usize::MAX));
    let fork = Fork { child, taken };
    let begun = EventKind::Copied {
        of: parent.clone(),
        turns: fork.taken.len() as u32,
    };
    let at = events.first().map(|read| read.event.at).unwrap_or_default();
    let kinds = events
        .iter()
        .filter_map(|read| Some((fork.kind(&read.event.event)?, read.event.at)));
    let mut copied: Vec<Read> = Vec::new();
    for (kind, at) in std::iter::once((begun, at)).chain(kinds) {
        let event = append(copied.last(), kind, at)?;
        let sequence = copied.len() as u64 + 1;
        copied.push(Read { sequence, event });
    }
    Ok(copied)
}

struct Fork<'a> {
    child: &'a ConversationId,
    taken: Vec<TurnId>,
}

impl Fork<'_> {
    fn turn(&self, turn: &TurnId) -> Option<TurnId> {
        self.taken
            .contains(turn)
            .then(|| forked_turn(self.child, turn))
    }

    /// The same event in the fork, if it gets there.
    fn kind(&self, kind: &EventKind) -> Option<EventKind> {
        match kind {
            EventKind::Opened(opened) => {
                let mut header = opened.header.clone();
                header.turn = self.turn(&header.turn)?;
                header.conversation = Some(self.child.clone());
                header.reply_to = None;
                let answers = opened.answers.as_ref();
                Some(EventKind::Opened(Box::new(TurnOpening {
                    header,
                    case: opened.case.clone(),
                    inbox: 0,
                    answers: answers.and_then(|turn| self.turn(turn)),
                })))
            }
            EventKind::Ended(ended) => Some(EventKind::Ended(Box::new(TurnEnd {
                turn: self.turn(&ended.turn)?,
                ..(**ended).clone()
            }))),
            EventKind::Forked { .. } | EventKind::Copied { .. } | EventKind::Erased(_) => None,
        }
    }
}

/// Checks whether a list of events can be a part of one log: in order, each with the state that follows.
///
/// # Errors
/// Where it cannot.
pub fn check(events: &[Read]) -> Result<(), CopyError> {
    let Some(first) = events.first() else {
        return Err(CopyError::Empty);
    };
    let mut before = first;
    for read in &events[1..] {
        let follows = before.sequence < read.sequence
            && before.event.state.n + 1 == read.event.state.n
            && !before.event.state.is_erased;
        if !follows {
            return Err(CopyError::Order(read.sequence));
        }
        before = read;
    }
    differences(events)
        .first()
        .map_or(Ok(()), |first| Err(CopyError::Fold(first.clone())))
}

impl Places {
    /// Records the new position of the event that was at `before`.
    pub fn note(&mut self, before: u64, now: u64) {
        self.0.insert(before, now);
    }

    /// Prepares an event for its new log: references get their new positions, and references to events that are no
    /// longer kept are removed.
    pub fn put_right(&self, read: &Read) -> LogEvent {
        let state = &read.event.state;
        // 0 stands for the event itself, here and there.
        let place = |sequence: u64| match sequence {
            0 => Some(0),
            sequence => self.0.get(&sequence).copied(),
        };
        let exchange = |at: &ExchangePlace| {
            Some(ExchangePlace {
                opened: place(at.opened)?,
                ended: place(at.ended)?,
            })
        };
        let pending = |pending: &crate::state::Pending| {
            Some(crate::state::Pending {
                place: exchange(&pending.place)?,
                ..pending.clone()
            })
        };
        let open = state.open.iter().filter_map(|open| {
            Some(crate::state::OpenTurn {
                opened: place(open.opened)?,
                answers: open.answers.as_ref().and_then(pending),
                ..open.clone()
            })
        });
        let mut event = read.event.clone();
        if let EventKind::Opened(opened) = &mut event.event {
            // Its question is in another inbox, or was.
            opened.inbox = 0;
        }
        LogEvent {
            state: State {
                open: open.collect(),
                pending: state.pending.as_ref().and_then(pending),
                exchanges: state.exchanges.iter().filter_map(exchange).collect(),
                ..state.clone()
            },
            ..event
        }
    }
}

/// Whether a stored event is the one that is to be written, ignoring the position of the question in its inbox.
pub fn is_same(there: &LogEvent, event: &LogEvent) -> bool {
    let mut there = there.clone();
    if let (EventKind::Opened(opened), EventKind::Opened(wanted)) = (&mut there.event, &event.event)
    {
        opened.inbox = wanted.inbox;
    }
    there == *event
}

/// The end of a turn that is open in a copied log: no process works on it there.
pub fn end_of_open(last: &Read, now: envelope::UnixMs) -> Option<LogEvent> {
    let state = last.state();
    let open = state.open.last()?;
    match end_unknown(Some(last), &open.turn, now) {
        Ending::Append(event) => Some(*event),
        Ending::Ended => None,
    }
}

#[cfg(test)]
#[path = "copy_tests.rs"]
mod tests;
