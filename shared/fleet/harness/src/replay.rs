//! Begins a new turn at a recorded step of another turn, to retry a dead letter or to replay a turn.
//!
//! An ended turn stays ended, so the new turn has an id of its own and names its parent. It begins at the hop of the
//! recorded step, under the same write conditions as any other step. The scatter records and parts of earlier hops
//! that the step reads are copied into the new turn. The id of the turn is derived, and every message is created only
//! once. Replaying twice, or again after an interrupted replay, therefore has the same effect as replaying once.
//! Answers are *not* copied: every step from there on is done again.

mod ids;
mod renew;

pub use ids::{REPLAYS_MAX, replay_ids, retry_id};
use renew::{Renew, place, scatter_at};

use bus::{Bus, BusError, Publish, PublishError, StoredMessage, Stream, WriteCondition};
use envelope::{
    Case, CodecError, ConversationId, Envelope, Header, Overrides, Payload, Role, Scatter, Subject,
    TurnId, UnixMs, decode, fanout, header, subject,
};
use std::time::Duration;
use streams::history::{self, TurnRecord};
use streams::outbox::{self, CreateOutcome, OutboxError, publish_until};
use telemetry::TraceContext;

/// What is recorded of a step.
#[derive(Debug, Clone, PartialEq)]
enum Recorded {
    Step(Envelope<Payload>),
    /// For a map step: the scatter record from which it follows.
    FanOut(Envelope<Scatter>),
}

impl Recorded {
    fn header(&self) -> &Header {
        match self {
            Recorded::Step(step) => &step.header,
            Recorded::FanOut(record) => &record.header,
        }
    }
}

/// The recorded step at which a new turn begins.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayPoint {
    /// The role that does the first step.
    pub role: Role,
    /// The hop of that step, and so the first hop of the new turn.
    pub hop: u16,
    /// For a fan-out, whether the findings of its maps are copied.
    pub keep_findings: bool,
    /// The conversation that the new turn belongs to, where that is another one.
    conversation: Option<ConversationId>,
    recorded: Recorded,
}

/// Why a turn cannot be continued.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The record is no step, or its bytes cannot be read.
    #[error("a record of the turn cannot be read: {0}")]
    Unreadable(#[from] CodecError),
    /// The dead letter does not belong to a turn.
    #[error("the dead letter on `{0}` is no step of a turn, so no turn can go on from it")]
    NoStep(String),
    /// The record has expired.
    #[error("{0} has aged out of the steps stream")]
    AgedOut(String),
    /// The role has no step in this turn.
    #[error("the {role} has no step in turn `{turn}`; there are steps of {there}")]
    NotThere {
        /// The role.
        role: Role,
        /// The turn.
        turn: TurnId,
        /// The owner.
        there: String,
    },
    /// The id belongs to another turn.
    #[error("turn `{0}` exists already, and it does not go on from this turn")]
    Taken(TurnId),
    /// The bus.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// A message that cannot be encoded or stored.
    #[error(transparent)]
    Outbox(#[from] OutboxError),
    /// Not stored.
    #[error("a message of the new turn could not be stored: {0}")]
    Publish(#[from] PublishError),
}

/// A claim on the id of a new turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The header of the new turn; its deadline is that of the first claim.
    pub header: Header,
    /// Whether this call claimed it.
    pub created: CreateOutcome,
    /// Whether it has ended already.
    pub has_ended: bool,
}

/// How long a publish is repeated, in milliseconds.
const PATIENCE_MS: u64 = 5_000;

impl ReplayPoint {
    /// Begins at the step of a dead letter. What the step needs of other hops comes from `history`.
    ///
    /// # Errors
    /// When it is no step, cannot be read, or its fan-out has aged out.
    pub fn from_letter(letter: &StoredMessage, history: &TurnRecord) -> Result<ReplayPoint, Error> {
        let Ok(Subject::Dead {
            role, hop, index, ..
        }) = Subject::parse(&letter.subject)
        else {
            return Err(Error::NoStep(letter.subject.clone()));
        };
        match index {
            Some(_) => ReplayPoint::from_fanout(history, hop, true),
            None => ReplayPoint::from_step(role, hop, &letter.body),
        }
    }

    /// Begins at the first step of a role, or at the step of a hop.
    ///
    /// # Errors
    /// When there is no such step any more, or it cannot be read.
    pub fn from_history(
        history: &TurnRecord,
        turn: &TurnId,
        role: Role,
        at: Option<u16>,
    ) -> Result<ReplayPoint, Error> {
        if history.steps.is_empty() {
            return Err(Error::AgedOut(format!("what was done for turn `{turn}`")));
        }
        let places: Vec<_> = history.steps.iter().filter_map(place).collect();
        let fits = |(found, hop): &(Role, u16)| *found == role && at.is_none_or(|at| at == *hop);
        let Some((_, hop)) = places.iter().copied().find(fits) else {
            let mut there: Vec<_> = places
                .iter()
                .map(|(r, h)| format!("{r} at hop {h}"))
                .collect();
            there.dedup();
            let (turn, there) = (turn.clone(), there.join(", "));
            return Err(Error::NotThere { role, turn, there });
        };
        if role == Role::Mapper {
            return ReplayPoint::from_fanout(history, hop, false);
        }
        let is_it = |stored: &&StoredMessage| place(stored) == Some((role, hop));
        let step = history.steps.iter().find(is_it);
        let step = step.ok_or_else(|| Error::AgedOut(format!("the {role}'s step")))?;
        ReplayPoint::from_step(role, hop, &step.body)
    }

    fn from_step(role: Role, hop: u16, body: &[u8]) -> Result<ReplayPoint, Error> {
        Ok(ReplayPoint {
            role,
            hop,
            keep_findings: false,
            conversation: None,
            recorded: Recorded::Step(Payload::read(role, body)?),
        })
    }

    fn from_fanout(
        history: &TurnRecord,
        hop: u16,
        keep_findings: bool,
    ) -> Result<ReplayPoint, Error> {
        let record = scatter_at(history, hop.saturating_sub(1));
        let record = record.ok_or_else(|| Error::AgedOut("the fan-out of this map step".into()))?;
        Ok(ReplayPoint {
            role: Role::Mapper,
            hop,
            keep_findings,
            conversation: None,
            recorded: Recorded::FanOut(decode(&record.body)?),
        })
    }

    /// Puts the new turn into another conversation.
    pub fn in_conversation(self, conversation: ConversationId) -> ReplayPoint {
        ReplayPoint {
            conversation: Some(conversation),
            ..self
        }
    }

    /// The case of the step.
    pub fn case(&self) -> &Case {
        match &self.recorded {
            Recorded::Step(step) => &step.case,
            Recorded::FanOut(record) => &record.case,
        }
    }

    /// The turn that is continued.
    pub fn parent(&self) -> &TurnId {
        &self.recorded.header().turn
    }

    /// How long the parent had from question to deadline.
    pub fn time(&self) -> Duration {
        let Header {
            asked_at, deadline, ..
        } = self.recorded.header();
        Duration::from_millis(asked_at.until(*deadline).max(1_000))
    }

    /// The trace context that the new turn continues: the span that created the step.
    fn under(&self) -> Option<TraceContext> {
        TraceContext::parse(self.recorded.header().traceparent.as_deref()?)
    }

    /// The header of the new turn's first step. No client waits for its answer: the publisher of the question has
    /// one.
    fn header(&self, turn: TurnId, now: UnixMs, deadline: UnixMs) -> Header {
        // Its question is a span of its own; the same one, however often the turn is claimed.
        let question = self.under().map(|c| c.named(&format!("question {turn}")));
        Header {
            traceparent: question.map(|context| context.to_string()),
            turn,
            parent: Some(self.parent().clone()),
            first_hop: self.hop,
            asked_at: now,
            created_at: now,
            deadline,
            reply_to: None,
            live: false,
            role: self.role,
            hop: self.hop,
            conversation: (self.conversation.clone())
                .or_else(|| self.recorded.header().conversation.clone()),
            ..self.recorded.header().clone()
        }
    }
}

/// Claims `turn` by its timer, for `time` from now. The first claim decides the deadline.
pub async fn claim(
    bus: &dyn Bus,
    start: &ReplayPoint,
    turn: &TurnId,
    time: Duration,
    keep: Duration,
) -> Result<Claim, Error> {
    let now = bus.now();
    let header = start.header(turn.clone(), now, now.plus(time.as_millis() as u64));
    let answer = bus.last(Stream::Answers, &subject::answer(turn)).await?;
    let has_ended = answer.is_some();
    let created = match has_ended {
        true => CreateOutcome::Before,
        false => {
            let mut timer = Publish {
                condition: WriteCondition::Absent,
                ..outbox::timer(&header, None, fanout::first_look(&header), keep)
            };
            if let Some(under) = start.under() {
                timer.headers = timer.headers.with(header::ASKED_UNDER, under.to_string());
            }
            publish_until(bus, timer, now.plus(PATIENCE_MS)).await?
        }
    };
    let owner = match created {
        CreateOutcome::Now => None,
        CreateOutcome::Before => history::begun(bus, turn).await?,
    };
    // It is this very claim, whose confirmation was lost.
    let created = match owner.as_ref() == Some(&header) {
        true => CreateOutcome::Now,
        false => created,
    };
    let is_of_another = |owner: &Header| owner.parent != header.parent;
    if owner.as_ref().is_some_and(is_of_another) {
        return Err(Error::Taken(turn.clone()));
    }
    Ok(Claim {
        header: owner.unwrap_or(header),
        created,
        has_ended,
    })
}

/// Publishes the first messages of the new turn that are not stored yet.
pub async fn begin(bus: &dyn Bus, messages: Vec<Publish>) -> Result<(), Error> {
    for message in messages {
        publish_until(bus, message, bus.now().plus(PATIENCE_MS)).await?;
    }
    Ok(())
}

/// Checks whether a turn can be continued from there: everything that would make [`messages`] fail is known before
/// anything is claimed.
///
/// # Errors
/// Those of [`messages`].
pub fn check(
    start: &ReplayPoint,
    history: &TurnRecord,
    overrides: &Overrides,
    keep: Duration,
) -> Result<(), Error> {
    let Header {
        created_at,
        deadline,
        ..
    } = *start.recorded.header();
    // Not the id that it will have, but one as long.
    let header = start.header(TurnId::again("check"), created_at, deadline);
    messages(start, history, &header, overrides, keep).map(drop)
}

/// The first messages of a turn with `header`, in the order in which they have to be stored: what its first step
/// reads, then the step, or the map steps that are to be done.
///
/// # Errors
/// When a record that the step needs has expired, or a message is too large.
pub fn messages(
    start: &ReplayPoint,
    history: &TurnRecord,
    header: &Header,
    overrides: &Overrides,
    keep: Duration,
) -> Result<Vec<Publish>, Error> {
    let renew = Renew {
        header,
        overrides,
        keep,
    };
    match &start.recorded {
        Recorded::FanOut(record) => renew.maps(record, start, history),
        Recorded::Step(step) => renew.step(step, history),
    }
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;
