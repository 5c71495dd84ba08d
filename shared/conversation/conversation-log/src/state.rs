//! The state of a conversation after its events, and the fold that computes it.
//!
//! One function computes the state to which an event leads. A writer stores this state in the event, and a check of a
//! log computes it again and compares. Pure.

use crate::event::{EventKind, LogEvent, TurnEnd, TurnOpening};
use crate::limits::{CHILDREN_MAX, EXCHANGES_KEPT};
use envelope::{ConversationId, ExchangePlace, Groups, Outcome, TurnId, UnixMs};
use serde::{Deserialize, Serialize};

/// The sequence of the event that carries the state, which it does not know.
const OWN: u64 = 0;

/// The state of a conversation after its last event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// How many events there have been.
    pub n: u64,
    /// Turns without an end, in the order in which they were opened: the first runs, the others wait.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<OpenTurn>,
    /// The question back that the next turn may answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
    /// The last exchanges, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<ExchangePlace>,
    /// Conversations that were begun as a copy of this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<ConversationId>,
    /// The conversation of which this one is a copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_of: Option<ConversationId>,
    /// The groups of readers that its askers belonged to. Only who belongs to all of them may read it and go on with it.
    #[serde(default, skip_serializing_if = "Groups::is_empty")]
    pub groups: Groups,
    /// Nothing may follow: the conversation was erased.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_erased: bool,
}

/// A turn without an end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenTurn {
    /// The turn.
    pub turn: TurnId,
    /// Sequence of its `opened`.
    pub opened: u64,
    /// When it ends at the latest.
    pub deadline: UnixMs,
    /// The question back that it answers. It can be answered again if the turn ends without an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Pending>,
}

/// A question back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The turn that ended with the question back.
    pub turn: TurnId,
    /// The exchange of that turn, by its place in the log.
    pub place: ExchangePlace,
    /// When it was asked: a message from before that time is no reply.
    pub asked: UnixMs,
    /// Until when it can be answered.
    pub expires: UnixMs,
}

/// The last event of a log, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// Its sequence in the stream.
    pub sequence: u64,
    /// What it says.
    pub event: LogEvent,
}

/// An event that cannot follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// The turn is open already.
    #[error("the turn has begun already")]
    Open,
    /// The turn is not open.
    #[error("the turn has not begun, or it has ended")]
    NotOpen,
    /// The conversation was erased.
    #[error("the conversation was erased")]
    Erased,
    /// It has as many forks as it may.
    #[error("the conversation has {CHILDREN_MAX} forks already, which is the limit")]
    Forks,
}

impl Read {
    /// The state after the event, with the event's own sequence in it.
    pub fn state(&self) -> State {
        let own = |sequence: &mut u64| {
            if *sequence == OWN {
                *sequence = self.sequence;
            }
        };
        let mut state = self.event.state.clone();
        for turn in &mut state.open {
            own(&mut turn.opened);
        }
        if let Some(pending) = &mut state.pending {
            own(&mut pending.place.ended);
        }
        for exchange in &mut state.exchanges {
            own(&mut exchange.ended);
        }
        state
    }
}

impl State {
    /// The state after one more event.
    ///
    /// # Errors
    /// When the event cannot follow.
    pub fn after(&self, event: &EventKind) -> Result<State, AppendError> {
        if self.is_erased {
            return Err(AppendError::Erased);
        }
        let mut next = self.clone();
        next.n += 1;
        match event {
            EventKind::Opened(opened) => next.opened(opened)?,
            EventKind::Ended(ended) => next.ended(ended)?,
            EventKind::Forked { child, .. } => next.forked(child)?,
            EventKind::Copied { of, .. } => next.copy_of = Some(of.clone()),
            EventKind::Erased(_) => {
                next = State {
                    n: next.n,
                    is_erased: true,
                    ..State::default()
                }
            }
        }
        Ok(next)
    }

    /// Whether a turn has no end yet.
    pub fn is_open(&self, turn: &TurnId) -> bool {
        self.open.iter().any(|open| open.turn == *turn)
    }

    fn opened(&mut self, opened: &TurnOpening) -> Result<(), AppendError> {
        let turn = &opened.header.turn;
        if self.is_open(turn) {
            return Err(AppendError::Open);
        }
        let is_answered = |pending: &Pending| opened.answers.as_ref() == Some(&pending.turn);
        self.groups.add(&opened.header.groups);
        self.open.push(OpenTurn {
            turn: turn.clone(),
            opened: OWN,
            deadline: opened.header.deadline,
            answers: self.pending.take_if(|pending| is_answered(pending)),
        });
        Ok(())
    }

    fn ended(&mut self, ended: &TurnEnd) -> Result<(), AppendError> {
        let is_it = |open: &OpenTurn| open.turn == ended.turn;
        let at = self
            .open
            .iter()
            .position(is_it)
            .ok_or(AppendError::NotOpen)?;
        let turn = self.open.remove(at);
        match (ended.outcome, &ended.clarification) {
            (Some(Outcome::Answered), _) => {
                self.exchanged(&turn);
            }
            (Some(Outcome::Clarification), Some(_)) => {
                let place = self.exchanged(&turn);
                self.pending = Some(Pending {
                    turn: turn.turn,
                    place,
                    asked: ended.at,
                    expires: ended.expires.unwrap_or_default(),
                });
            }
            // What it was to answer is still to be answered, unless something newer is.
            _ => self.pending = self.pending.take().or(turn.answers),
        }
        Ok(())
    }

    fn trim_exchanges(&mut self) {
        // A release with a higher limit may have left more.
        let surplus = (self.exchanges.len() + 1).saturating_sub(EXCHANGES_KEPT);
        self.exchanges.drain(..surplus);
    }

    fn exchanged(&mut self, turn: &OpenTurn) -> ExchangePlace {
        self.trim_exchanges();
        let place = ExchangePlace {
            opened: turn.opened,
            ended: OWN,
        };
        self.exchanges.push(place);
        place
    }

    fn forked(&mut self, child: &ConversationId) -> Result<(), AppendError> {
        if self.children.contains(child) {
            return Ok(());
        }
        if self.children.len() == CHILDREN_MAX {
            return Err(AppendError::Forks);
        }
        self.children.push(child.clone());
        Ok(())
    }
}

/// The event that follows `before`, the last event of a log; `None` stands for an empty log.
///
/// # Errors
/// When the event cannot follow.
pub fn append(
    before: Option<&Read>,
    event: EventKind,
    at: UnixMs,
) -> Result<LogEvent, AppendError> {
    let before = before.map(Read::state).unwrap_or_default();
    Ok(LogEvent {
        v: crate::event::VERSION,
        at,
        state: before.after(&event)?,
        event,
    })
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
