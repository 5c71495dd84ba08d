//! A new turn that goes on from a recorded step of another one: a dead letter that is tried again, a
//! turn that is replayed.
//!
//! An ended turn stays ended, so going on is a turn of its own that names its parent. It begins at the
//! hop of the step, behind the same fences as any other, with what the step reads of earlier hops copied
//! beside it: scatter records and parts. Everything is create-once under an id that follows from what is
//! gone on from, so that doing it twice, or half and then again, is doing it once. *Not* here: a copy of
//! answers; every step from there on is done again.

mod ids;

pub use ids::{REPLAYS_MAX, replay_ids, retry_id};

use crate::bus::{Bus, BusError, Fence, Publish, PublishError, Stored, Stream};
use crate::history::{self, History};
use crate::join::scatter_messages;
use crate::outbox::{self, Created, OutboxError, headers_of, publish_until, time_to_live};
use envelope::{
    CodecError, Envelope, Header, Overrides, Part, PartResult, Payload, Role, Scatter, Subject,
    TurnId, UnixMs, Usage, decode, encode, fanout, header, subject,
};
use std::collections::BTreeMap;
use std::time::Duration;
use telemetry::TraceContext;

/// What is recorded of a step.
#[derive(Debug, Clone, PartialEq)]
enum Recorded {
    Step(Envelope<Payload>),
    /// Of a map step: the scatter record that it follows from.
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

/// What is gone on from.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// Who does the first step.
    pub role: Role,
    /// At which hop: the first one of the new turn.
    pub hop: u16,
    /// For a fan-out, whether findings of its maps are taken over.
    pub keep_findings: bool,
    recorded: Recorded,
}

/// Why a turn cannot be gone on from.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is no step, or one without bytes that can be read.
    #[error("what is recorded cannot be read: {0}")]
    Unreadable(#[from] CodecError),
    /// The letter is not one of a turn.
    #[error("`{0}` is no step of a turn")]
    NoStep(String),
    /// Gone with its time to live.
    #[error("{0} has aged out of the steps stream")]
    AgedOut(String),
    /// The role did nothing for this turn.
    #[error("the {role} has no step in turn `{turn}`; there are steps of {there}")]
    NotThere {
        /// The role.
        role: Role,
        /// The turn.
        turn: TurnId,
        /// Who has.
        there: String,
    },
    /// The id is that of another turn.
    #[error("turn `{0}` is there already and goes on from something else")]
    Taken(TurnId),
    /// The bus.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// A message that cannot be encoded or stored.
    #[error(transparent)]
    Outbox(#[from] OutboxError),
    /// Not stored.
    #[error("not stored: {0}")]
    Publish(#[from] PublishError),
}

/// A claim on the id of a new turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// What the turn begins with; its deadline is that of whoever claimed it first.
    pub header: Header,
    /// Whether this call claimed it.
    pub created: Created,
    /// Whether it has ended already.
    pub has_ended: bool,
}

/// How long a publish is repeated, in milliseconds.
const PATIENCE_MS: u64 = 5_000;

impl Start {
    /// From the step of a dead letter. What it needs of other hops is looked for in `history`.
    ///
    /// # Errors
    /// When it is no step, cannot be read, or its fan-out has aged out.
    pub fn from_letter(letter: &Stored, history: &History) -> Result<Start, Error> {
        let Ok(Subject::Dead {
            role, hop, index, ..
        }) = Subject::parse(&letter.subject)
        else {
            return Err(Error::NoStep(letter.subject.clone()));
        };
        match index {
            Some(_) => Start::from_fanout(history, hop, true),
            None => Ok(Start {
                role,
                hop,
                keep_findings: false,
                recorded: Recorded::Step(Payload::read(role, &letter.body)?),
            }),
        }
    }

    /// From the first step of a role, or the one at a hop.
    ///
    /// # Errors
    /// When there is no such step any more, or it cannot be read.
    pub fn from_history(
        history: &History,
        turn: &TurnId,
        role: Role,
        at: Option<u16>,
    ) -> Result<Start, Error> {
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
            return Start::from_fanout(history, hop, false);
        }
        let is_it = |stored: &&Stored| place(stored) == Some((role, hop));
        let step = history.steps.iter().find(is_it);
        let step = step.ok_or_else(|| Error::AgedOut(format!("the {role}'s step")))?;
        Ok(Start {
            role,
            hop,
            keep_findings: false,
            recorded: Recorded::Step(Payload::read(role, &step.body)?),
        })
    }

    fn from_fanout(history: &History, hop: u16, keep_findings: bool) -> Result<Start, Error> {
        let record = scatter_at(history, hop.saturating_sub(1));
        let record = record.ok_or_else(|| Error::AgedOut("the fan-out of this map step".into()))?;
        Ok(Start {
            role: Role::Mapper,
            hop,
            keep_findings,
            recorded: Recorded::FanOut(decode(&record.body)?),
        })
    }

    /// The turn that is gone on from.
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

    /// The trace that the new turn goes on: the span that created the step.
    fn under(&self) -> Option<TraceContext> {
        TraceContext::parse(self.recorded.header().traceparent.as_deref()?)
    }

    /// The header of the new turn's first step. Nobody waits for its answer: who asked has one.
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
            ..self.recorded.header().clone()
        }
    }
}

/// Claims `turn` by its timer, for `time` from now. Whoever was first decides the deadline.
pub async fn claim(
    bus: &dyn Bus,
    start: &Start,
    turn: &TurnId,
    time: Duration,
    keep: Duration,
) -> Result<Claim, Error> {
    let now = bus.now();
    let header = start.header(turn.clone(), now, now.plus(time.as_millis() as u64));
    let answer = Subject::Answer { turn: turn.clone() }.to_string();
    let has_ended = bus.last(Stream::Answers, &answer).await?.is_some();
    let created = match has_ended {
        true => Created::Before,
        false => {
            let mut timer = Publish {
                fence: Fence::Once,
                ..outbox::timer(&header, None, header.deadline, keep)
            };
            if let Some(under) = start.under() {
                timer.headers = timer.headers.with(header::ASKED_UNDER, under.to_string());
            }
            publish_until(bus, timer, now.plus(PATIENCE_MS)).await?
        }
    };
    let owner = match created {
        Created::Now => None,
        Created::Before => history::begun(bus, turn).await?,
    };
    // It is this very claim, whose confirmation was lost.
    let created = match owner.as_ref() == Some(&header) {
        true => Created::Now,
        false => created,
    };
    if owner
        .as_ref()
        .is_some_and(|owner| owner.parent != header.parent)
    {
        return Err(Error::Taken(turn.clone()));
    }
    Ok(Claim {
        header: owner.unwrap_or(header),
        created,
        has_ended,
    })
}

/// Publishes what the new turn begins with, as far as it is not there.
pub async fn begin(bus: &dyn Bus, messages: Vec<Publish>) -> Result<(), Error> {
    for message in messages {
        publish_until(bus, message, bus.now().plus(PATIENCE_MS)).await?;
    }
    Ok(())
}

/// Whether a turn can go on from there: whatever [`messages`] would fail at, known before anything is
/// claimed.
///
/// # Errors
/// Those of [`messages`].
pub fn check(
    start: &Start,
    history: &History,
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

/// What a turn of `header` begins with, in the order in which it has to be stored: what its first step
/// reads, then the step, or the map steps that are to be done.
///
/// # Errors
/// When something that the step cannot do without has aged out, or a message is too large.
pub fn messages(
    start: &Start,
    history: &History,
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

/// Rewrites what is recorded for the new turn.
struct Renew<'a> {
    header: &'a Header,
    overrides: &'a Overrides,
    keep: Duration,
}

impl Renew<'_> {
    /// The step, after the fan-outs of earlier rounds.
    fn step(&self, recorded: &Envelope<Payload>, history: &History) -> Result<Vec<Publish>, Error> {
        let mut all = Vec::new();
        let mut step = recorded.clone();
        for hop in &recorded.case.scatters {
            match self.fanout(history, *hop) {
                Ok(copies) => all.extend(copies),
                Err(error) if recorded.payload.composes() => return Err(error),
                // It can do without: then nothing is composed from there later on.
                Err(_) => {
                    step.case.scatters.retain(|at| at != hop);
                    step.payload.forget(*hop);
                }
            }
        }
        let Header { hop, role, .. } = recorded.header;
        let step = self.envelope(&step, hop, role);
        let step = outbox::step(&step, None, self.header.created_at, self.keep);
        all.push(step.map_err(OutboxError::from)?);
        Ok(all)
    }

    /// The map steps of a fan-out, after the fan-outs of earlier rounds.
    fn maps(
        &self,
        record: &Envelope<Scatter>,
        start: &Start,
        history: &History,
    ) -> Result<Vec<Publish>, Error> {
        let mut all = Vec::new();
        for hop in &record.case.scatters {
            if *hop != record.header.hop {
                all.extend(self.fanout(history, *hop)?);
            }
        }
        all.extend(self.map_again(record, start, history)?);
        Ok(all)
    }

    fn envelope<P: Clone>(&self, recorded: &Envelope<P>, hop: u16, role: Role) -> Envelope<P> {
        let mut case = recorded.case.clone();
        if !self.overrides.is_empty() {
            case.overrides = self.overrides.clone();
        }
        Envelope {
            v: envelope::WIRE,
            header: Header {
                hop,
                role,
                round: recorded.header.round,
                ..self.header.clone()
            },
            case,
            trail: recorded.trail.clone(),
            payload: recorded.payload.clone(),
        }
    }

    /// The scatter record at a hop with all its parts.
    fn fanout(&self, history: &History, hop: u16) -> Result<Vec<Publish>, Error> {
        let record = scatter_at(history, hop);
        let record = record.ok_or_else(|| Error::AgedOut(format!("the fan-out at hop {hop}")))?;
        let mut all = vec![self.scatter(&decode(&record.body)?)?];
        all.extend(
            parts_at(history, hop + 1).map(|(index, stored)| self.part(hop + 1, index, stored)),
        );
        Ok(all)
    }

    fn scatter(&self, recorded: &Envelope<Scatter>) -> Result<Publish, Error> {
        let hop = recorded.header.hop;
        let copy = self.envelope(recorded, hop, Role::Retriever);
        let Header { shard, turn, .. } = self.header;
        let at = Subject::Scatter {
            shard: *shard,
            turn: turn.clone(),
            hop,
        };
        Ok(Publish {
            headers: headers_of(self.header),
            fence: Fence::OnceAcross(subject::fence(*shard, turn, hop)),
            ttl: Some(self.time_to_live()),
            ..Publish::new(at, encode(&copy).map_err(OutboxError::from)?)
        })
    }

    fn part(&self, hop: u16, index: u16, stored: &Stored) -> Publish {
        let at = Subject::Part {
            shard: self.header.shard,
            turn: self.header.turn.clone(),
            hop,
            index,
        };
        Publish {
            headers: headers_of(self.header),
            fence: Fence::Once,
            ttl: Some(self.time_to_live()),
            ..Publish::new(at, stored.body.clone())
        }
    }

    fn time_to_live(&self) -> Duration {
        time_to_live(self.header.created_at, self.header.deadline, self.keep)
    }

    /// The scatter record, the findings that are kept, the other map steps and the soft deadline; where
    /// there is no other one, the reducer's step.
    fn map_again(
        &self,
        recorded: &Envelope<Scatter>,
        start: &Start,
        history: &History,
    ) -> Result<Vec<Publish>, Error> {
        let scatter = recorded.header.hop;
        let kept: BTreeMap<u16, &Stored> = parts_at(history, start.hop)
            .filter(|(_, stored)| start.keep_findings && has_findings(stored))
            .collect();
        let mut all = vec![self.scatter(recorded)?];
        all.extend(
            kept.iter()
                .map(|(index, stored)| free(self.part(start.hop, *index, stored))),
        );
        let record = self.envelope(recorded, scatter, Role::Retriever);
        let now = self.header.created_at;
        let messages = scatter_messages(&record, now, self.keep)?;
        all.extend(messages.into_iter().filter(|message| {
            let index = match Subject::parse(&message.subject) {
                Ok(Subject::Step { index, .. }) => index,
                _ => None,
            };
            index.is_none_or(|index| !kept.contains_key(&index))
        }));
        if kept.len() == record.payload.passages.len() {
            // No mapper is left to find that all is there.
            let reducer = fanout::reducer_step(&record.header, &record.case, scatter);
            let step = outbox::step(&reducer, None, now, self.keep);
            all.push(step.map_err(OutboxError::from)?);
        }
        Ok(all)
    }
}

/// A part that is taken over at the hop where the new turn begins: what it cost was spent by the parent.
fn free(mut part: Publish) -> Publish {
    if let Ok(mut read) = decode::<Part>(&part.body)
        && let Some(entry) = &mut read.entry
    {
        entry.usage = Usage::default();
        if let Ok(body) = encode(&read) {
            part.body = body;
        }
    }
    part
}

/// Role and hop of what is stored there, if it is a step.
fn place(stored: &Stored) -> Option<(Role, u16)> {
    match Subject::parse(&stored.subject) {
        Ok(Subject::Step { role, hop, .. }) => Some((role, hop)),
        _ => None,
    }
}

fn scatter_at(history: &History, at: u16) -> Option<&Stored> {
    history.steps.iter().find(|stored| {
        matches!(Subject::parse(&stored.subject), Ok(Subject::Scatter { hop, .. }) if hop == at)
    })
}

fn parts_at(history: &History, at: u16) -> impl Iterator<Item = (u16, &Stored)> {
    history
        .steps
        .iter()
        .filter_map(move |stored| match Subject::parse(&stored.subject) {
            Ok(Subject::Part { hop, index, .. }) if hop == at => Some((index, stored)),
            _ => None,
        })
}

fn has_findings(stored: &Stored) -> bool {
    let part = decode::<Part>(&stored.body);
    part.is_ok_and(|part| matches!(part.result, PartResult::Findings(_)))
}

#[cfg(test)]
#[path = "again_tests.rs"]
mod tests;
