//! Rewrites recorded steps, scatter records and parts as the first messages of a replayed turn. *Not* here: at which
//! step the turn begins, and publishing the messages.

use super::{Error, ReplayPoint};
use crate::join::{next_steps, parts_in, soft_timer};
use bus::{Publish, StoredMessage};
use envelope::{
    Envelope, Header, Overrides, Part, PartResult, Payload, ReduceTask, Role, Scatter, Subject,
    Usage, decode, encode, fanout,
};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use streams::history::TurnRecord;
use streams::outbox::{self, OutboxError};

/// Rewrites what is recorded for the new turn.
pub(super) struct Renew<'a> {
    pub(super) header: &'a Header,
    pub(super) overrides: &'a Overrides,
    pub(super) keep: Duration,
}

impl Renew<'_> {
    /// The step, after the fan-outs of earlier rounds.
    pub(super) fn step(
        &self,
        recorded: &Envelope<Payload>,
        history: &TurnRecord,
    ) -> Result<Vec<Publish>, Error> {
        let mut all = Vec::new();
        let mut step = recorded.clone();
        if let Payload::Reducer(ReduceTask::Gather { maps, .. }) = &mut step.payload {
            // They are among the fan-outs that are copied.
            *maps = None;
        }
        let read = recorded.payload.reads().iter();
        let rounds: BTreeSet<&u16> = recorded.case.scatters.iter().chain(read).collect();
        for hop in rounds {
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
        let mut step = self.envelope(&step, hop, role);
        step.v = step.payload.wire();
        let step = outbox::step(&step, None, self.header.created_at, self.keep);
        all.push(step.map_err(OutboxError::from)?);
        Ok(all)
    }

    /// The map steps of a fan-out, after the fan-outs of earlier rounds.
    pub(super) fn maps(
        &self,
        record: &Envelope<Scatter>,
        start: &ReplayPoint,
        history: &TurnRecord,
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
        // Drafts of the other turn are not copied.
        case.kept = None;
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
    fn fanout(&self, history: &TurnRecord, hop: u16) -> Result<Vec<Publish>, Error> {
        let record = scatter_at(history, hop);
        let record = record.ok_or_else(|| Error::AgedOut(format!("the fan-out at hop {hop}")))?;
        let mut all = vec![self.scatter(&decode(&record.body)?)?];
        for part in parts_at(history, hop + 1).values() {
            all.push(self.part(hop + 1, part)?);
        }
        Ok(all)
    }

    fn scatter(&self, recorded: &Envelope<Scatter>) -> Result<Publish, Error> {
        let copy = self.envelope(recorded, recorded.header.hop, Role::Retriever);
        let message = outbox::scatter(&copy, self.header.created_at, self.keep);
        Ok(message.map_err(OutboxError::from)?)
    }

    fn part(&self, hop: u16, part: &Part) -> Result<Publish, Error> {
        let (now, body) = (self.header.created_at, encode(part)?);
        Ok(outbox::part(
            self.header,
            hop,
            part.index,
            body,
            now,
            self.keep,
        ))
    }

    /// The scatter record, the findings that are kept, the other map steps and the soft deadline; where
    /// there is no other one, the reducer's step.
    fn map_again(
        &self,
        recorded: &Envelope<Scatter>,
        start: &ReplayPoint,
        history: &TurnRecord,
    ) -> Result<Vec<Publish>, Error> {
        let scatter = recorded.header.hop;
        let mut kept = parts_at(history, start.hop);
        kept.retain(|_, part| start.keep_findings && has_findings(part));
        let mut all = vec![self.scatter(recorded)?];
        for part in kept.values() {
            all.push(self.part(start.hop, &free(part))?);
        }
        let record = self.envelope(recorded, scatter, Role::Retriever);
        let now = self.header.created_at;
        let messages = next_steps(&record, now, self.keep)?;
        all.extend(messages.into_iter().filter(|message| {
            let index = match Subject::parse(&message.subject) {
                Ok(Subject::Step { index, .. }) => index,
                _ => None,
            };
            index.is_none_or(|index| !kept.contains_key(&index))
        }));
        // The first look of the new turn may be over before this is stored: a replay may be gone on with later.
        all.push(soft_timer(&record, self.keep));
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
fn free(part: &Part) -> Part {
    let mut part = part.clone();
    if let Some(entry) = &mut part.entry {
        entry.usage = Usage::default();
    }
    part
}

/// Role and hop of what is stored there, if it is a step. The maps of a batch are one hop after its record, as all maps are.
pub(super) fn place(stored: &StoredMessage) -> Option<(Role, u16)> {
    match Subject::parse(&stored.subject) {
        Ok(Subject::Step {
            role: Role::Mapper,
            hop,
            index: None,
            ..
        }) => Some((Role::Mapper, hop + 1)),
        Ok(Subject::Step { role, hop, .. }) => Some((role, hop)),
        _ => None,
    }
}

pub(super) fn scatter_at(history: &TurnRecord, at: u16) -> Option<&StoredMessage> {
    history.steps.iter().find(|stored| {
        let subject = Subject::parse(&stored.subject);
        subject.is_ok_and(|subject| subject.of_scatter().is_some_and(|(_, hop)| hop == at))
    })
}

/// The parts of a fan-out, those that travelled with the reducer's step before others.
pub(super) fn parts_at(history: &TurnRecord, at: u16) -> BTreeMap<u16, Part> {
    let (mut stored, mut brought) = (Vec::new(), Vec::new());
    for message in &history.steps {
        match Subject::parse(&message.subject) {
            Ok(Subject::Part { hop, .. }) if hop == at => stored.extend(decode(&message.body).ok()),
            Ok(Subject::Step {
                role: Role::Reducer,
                hop,
                ..
            }) if hop == at + 1 => {
                brought = parts_in(message);
            }
            _ => {}
        }
    }
    let all = stored.into_iter().chain(brought);
    all.map(|part: Part| (part.index, part)).collect()
}

fn has_findings(part: &Part) -> bool {
    matches!(part.result, PartResult::Findings(_))
}
