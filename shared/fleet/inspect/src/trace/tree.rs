//! Builds the tree of a turn from those of its messages that are stored. Pure; any message may be missing.

use super::{Continuation, Letter, Step, StepState, Trace, TraceSource, rounds};
use crate::dead_letters::{self, GivenUpBy};
use bus::StoredMessage;
use envelope::{
    Case, Envelope, Header, Outcome, Part, PartResult, Role, Scatter, Subject, Terminal,
    TrailEntry, TurnId, UnixMs, decode,
};
use serde::de::IgnoredAny;
use std::collections::{BTreeMap, BTreeSet};
use streams::client::trace_id_in;
use streams::history::TurnRecord;

/// A hop, and which of the fan-out there.
type Place = (u16, Option<u16>);

/// What came of map steps.
pub(super) type Parts = BTreeMap<Place, Part>;

/// A step or scatter record, its payload unread.
type Read = Envelope<IgnoredAny>;

/// What the messages of a turn say, put in order.
#[derive(Default)]
struct Facts {
    /// The header of a step, with the case of the earliest one.
    header: Option<Header>,
    case: Option<Case>,
    /// The question as the latest step knows it, where it was rewritten.
    rewritten: Option<String>,
    /// The steps by place: their roles, headers and messages.
    steps: BTreeMap<Place, (Role, Header, StoredMessage)>,
    /// Hops that hold a step of the main path or a scatter record.
    hops: BTreeSet<u16>,
    parts: Parts,
    /// What was found, by the hop of its record.
    scatters: BTreeMap<u16, Scatter>,
    entries: BTreeMap<Place, TrailEntry>,
    letters: BTreeMap<Place, (Role, Letter)>,
    terminal: Option<Terminal>,
}

/// The tree of a turn of which something is known.
pub fn build(turn: &TurnId, found: &TraceSource) -> Trace {
    let mut facts = Facts::of(&found.history, &found.again);
    let header = found.history.begun.clone().or(facts.header.take());
    let terminal = facts.terminal.clone();
    let first_hop = match (&header, &terminal) {
        (Some(header), _) => header.first_hop,
        (None, Some(terminal)) => terminal.first_hop,
        (None, None) => 0,
    };
    let asked_at = match (&terminal, &header) {
        (Some(terminal), _) if terminal.asked_at.0 > 0 => terminal.asked_at,
        (_, Some(header)) => header.asked_at,
        _ => UnixMs(0),
    };
    let ended_at = terminal.as_ref().map(|terminal| terminal.ended_at);
    let until = ended_at.unwrap_or(found.at);
    let steps = facts.steps_of(first_hop, found);
    let outcome = terminal.as_ref().map(|terminal| terminal.outcome);
    let own = |step: &&Step| !step.inherited;
    let all = (steps.iter()).flat_map(|step| std::iter::once(step).chain(&step.maps));
    let usage = all.filter(own).map(|step| step.usage).sum();
    let begun = header.as_ref();
    let ended = terminal.as_ref();
    let case = facts.case.as_ref();
    let overrides = case.map(|case| case.overrides.clone());
    Trace {
        turn: turn.clone(),
        tenant: (begun.map(|header| header.tenant.clone()))
            .or(ended.map(|terminal| terminal.tenant.clone())),
        trace_id: begun.and_then(trace_id_in),
        conversation: (begun.and_then(|header| header.conversation.clone()))
            .or(ended.and_then(|terminal| terminal.conversation.clone())),
        rewritten: (facts.rewritten.clone())
            .or(ended.and_then(|terminal| terminal.rewritten.clone())),
        question: case.map(|case| case.question.original.clone()),
        outcome,
        error: ended.and_then(|terminal| terminal.error.clone()),
        parent: (begun.and_then(|header| header.parent.clone()))
            .or(ended.and_then(|terminal| terminal.parent.clone())),
        first_hop,
        overrides: overrides.filter(|overrides| !overrides.is_empty()),
        asked_at,
        deadline: begun.map(|header| header.deadline),
        ended_at,
        duration_ms: match asked_at.0 {
            0 => 0,
            _ => asked_at.until(until),
        },
        usage,
        // A refused question never had a step.
        aged_out: found.history.steps.is_empty()
            && outcome.is_some_and(|outcome| outcome != Outcome::Refused),
        rounds: rounds::of(&steps, &facts.scatters, &facts.parts, outcome),
        steps,
        again: found.again.clone(),
    }
}

/// The roles with stored steps.
pub(super) fn roles(history: &TurnRecord) -> BTreeSet<Role> {
    let role = |stored: &StoredMessage| match Subject::parse(&stored.subject) {
        Ok(Subject::Step { role, .. }) => Some(role),
        _ => None,
    };
    history.steps.iter().filter_map(role).collect()
}

impl Facts {
    fn of(history: &TurnRecord, again: &[Continuation]) -> Facts {
        let mut facts = Facts::default();
        for stored in &history.steps {
            facts.take(stored);
        }
        for letter in &history.dead {
            facts.take_letter(letter, again);
        }
        let terminal = history.answer.as_ref();
        facts.terminal = terminal.and_then(|stored| decode(&stored.body).ok());
        let trail = facts.terminal.as_ref().map(|terminal| &terminal.trail);
        facts.note(trail.cloned().unwrap_or_default());
        facts
    }

    fn take(&mut self, stored: &StoredMessage) {
        let subject = Subject::parse(&stored.subject);
        if let Some((_, hop)) = subject.as_ref().ok().and_then(Subject::of_scatter) {
            self.hops.insert(hop);
            let read = self.read(stored);
            let Ok(found) = decode::<Envelope<Scatter>>(&stored.body) else {
                return;
            };
            if let (Ok(Subject::Step { .. }), Some(read)) = (&subject, read) {
                // A batch: the map steps are in its record.
                for index in 0..found.payload.passages.len() as u16 {
                    let step = (Role::Mapper, read.header.clone(), stored.clone());
                    self.steps.insert((hop + 1, Some(index)), step);
                }
            }
            self.scatters.insert(hop, found.payload);
            return;
        }
        match subject {
            Ok(Subject::Step {
                role, hop, index, ..
            }) => {
                if index.is_none() {
                    self.hops.insert(hop);
                }
                if let Some(read) = self.read(stored) {
                    let step = (role, read.header, stored.clone());
                    self.steps.insert((hop, index), step);
                }
                if role == Role::Reducer {
                    for part in harness::join::parts_in(stored) {
                        // What the reducer was given counts, whatever was stored after it.
                        let at = (hop.saturating_sub(1), Some(part.index));
                        self.note(part.entry.clone());
                        self.parts.insert(at, part);
                    }
                }
            }
            Ok(Subject::Part { hop, .. }) => {
                if let Ok(part) = decode::<Part>(&stored.body) {
                    self.note(part.entry.clone());
                    self.parts.entry((hop, Some(part.index))).or_insert(part);
                }
            }
            _ => {}
        }
    }

    /// Reads an envelope and remembers what every step of the turn says alike.
    fn read(&mut self, stored: &StoredMessage) -> Option<Read> {
        let read: Read = decode(&stored.body).ok()?;
        self.note(read.trail.iter().cloned());
        self.header.get_or_insert_with(|| read.header.clone());
        self.case.get_or_insert_with(|| read.case.clone());
        let rewritten = read.case.question.rewritten.clone();
        self.rewritten = rewritten.or(self.rewritten.take());
        Some(read)
    }

    fn note(&mut self, trail: impl IntoIterator<Item = TrailEntry>) {
        for entry in trail {
            self.entries.insert((entry.hop, entry.index), entry);
        }
    }

    fn take_letter(&mut self, stored: &StoredMessage, again: &[Continuation]) {
        let Some(letter) = dead_letters::Letter::of(stored) else {
            return;
        };
        let by = letter.role;
        if let (GivenUpBy::Role(role), Some(hop), Some(retry)) = (by, letter.hop, letter.retry) {
            let told = Letter {
                sequence: letter.number,
                reason: letter.reason,
                error: letter.error,
                delivered: letter.delivered,
                retried_as: again.iter().any(|a| a.turn == retry).then_some(retry),
            };
            self.letters.insert((hop, letter.index), (role, told));
        }
    }

    /// Every place that anything is known of, main path first, then the maps below their search.
    fn steps_of(&self, first_hop: u16, found: &TraceSource) -> Vec<Step> {
        let mut places: BTreeMap<Place, Role> = BTreeMap::new();
        places.extend(self.entries.iter().map(|(at, entry)| (*at, entry.role)));
        places.extend(self.letters.iter().map(|(at, (role, _))| (*at, *role)));
        places.extend(self.parts.keys().map(|place| (*place, Role::Mapper)));
        places.extend(self.steps.iter().map(|(place, (role, ..))| (*place, *role)));
        let mut steps: Vec<Step> = Vec::new();
        for (place, role) in places {
            let step = self.step(place, role, first_hop, found);
            if step.index.is_none() {
                steps.push(step);
                continue;
            }
            // The search is two hops before its maps, and its scatter record between them.
            let search = place.0.saturating_sub(2);
            if !steps.iter().any(|above| above.hop == search) {
                // It is not known, but without it there were no maps.
                let mut above = self.step((search, None), Role::Retriever, first_hop, found);
                above.doing = StepState::Done;
                steps.push(above);
            }
            if let Some(above) = steps.iter_mut().find(|above| above.hop == search) {
                above.maps.push(step);
            }
        }
        steps.sort_by_key(|step| step.hop);
        steps
    }

    fn step(&self, place: Place, role: Role, first_hop: u16, found: &TraceSource) -> Step {
        let (hop, index) = place;
        let stored = self.steps.get(&place);
        let letter = self.letters.get(&place).map(|(_, letter)| letter.clone());
        let mut step = Step {
            role,
            hop,
            round: stored.map_or(0, |(_, header, _)| header.round),
            index,
            doing: self.doing(place, role, found),
            inherited: hop < first_hop || self.is_copied(place, first_hop),
            attempt: 0,
            queued_ms: 0,
            worked_ms: 0,
            model: None,
            usage: Default::default(),
            decided: String::new(),
            fallbacks: Vec::new(),
            dead: letter,
            maps: Vec::new(),
        };
        if let Some(entry) = self.entries.get(&place) {
            step.round = entry.round;
            step.attempt = entry.attempt;
            (step.queued_ms, step.worked_ms) = (entry.queued_ms, entry.worked_ms);
            (step.model, step.usage) = (entry.model.clone(), entry.usage);
            step.decided = entry.decided.clone();
            step.fallbacks = entry.fallbacks.clone();
        } else if let Some(PartResult::Error(code)) = self.parts.get(&place).map(|p| &p.result) {
            step.decided = format!("given up: {code}");
        } else if let (true, Some((.., stored))) = (step.doing.is_open(), stored) {
            step.queued_ms = stored.stored_at.until(found.at);
        }
        step
    }

    /// A part without a map step was taken over; what has aged out was so as a whole.
    fn is_copied(&self, place: Place, first_hop: u16) -> bool {
        first_hop > 0 && self.parts.contains_key(&place) && !self.steps.contains_key(&place)
    }

    fn doing(&self, place: Place, role: Role, found: &TraceSource) -> StepState {
        if let Some(part) = self.parts.get(&place) {
            return match part.result {
                PartResult::Findings(_) => StepState::Done,
                PartResult::Error(_) => StepState::Failed,
            };
        }
        // No delivery succeeded: the entry is that of the default.
        let entry = self.entries.get(&place);
        if entry.is_some_and(|entry| entry.attempt == 0) {
            return StepState::Failed;
        }
        // The hop after a map step is there before its part when the soft deadline was first.
        let is_followed = place.1.is_none() && self.hops.contains(&(place.0 + 1));
        if entry.is_some() || is_followed {
            return StepState::Done;
        }
        if self.letters.contains_key(&place) {
            return StepState::Failed;
        }
        if self.terminal.is_some() {
            return StepState::Left;
        }
        let sequence = self.steps.get(&place).map(|(.., stored)| stored.sequence);
        match (sequence, found.handed_out.get(&role)) {
            (Some(sequence), Some(handed_out)) if sequence > *handed_out => StepState::Waits,
            (Some(_), Some(_)) => StepState::Runs,
            _ => StepState::Open,
        }
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
