//! The invariant of reducers that start before all parts are there: each has enough parts with facts. Also counts how
//! many reducers start early.

use crate::fleet::Remains;
use crate::reading::{scatters, steps};
use bus::StoredMessage;
use envelope::fanout::soft_deadline;
use envelope::{Envelope, Part, PartResult, ReduceTask, Role, Subject, TurnId, decode};
use std::collections::BTreeMap;

/// A reducer's step that was created before its soft deadline and before all parts were there.
struct Early<'a> {
    step: &'a StoredMessage,
    /// How many parts with facts were there.
    with_facts: usize,
}

/// No reducer starts early where that is off, or with less than is wanted.
pub(crate) fn early_reducers_have_enough(remains: &Remains) -> Result<(), String> {
    let least = remains.plan.early;
    let short = |early: &&Early<'_>| least == 0 || early.with_facts < least;
    match found(remains).iter().find(short) {
        None => Ok(()),
        Some(Early { step, with_facts }) => Err(format!(
            "{} did not wait, with {with_facts} parts with facts of {least} wanted",
            step.subject
        )),
    }
}

/// How many reducers did not wait.
pub(crate) fn count(remains: &Remains) -> usize {
    found(remains).len()
}

fn found(remains: &Remains) -> Vec<Early<'_>> {
    let scatters = scatters(remains);
    let reducers = steps(remains).filter(|(_, _, role, _, _)| *role == Some(Role::Reducer));
    reducers
        .filter_map(|(turn, _, _, _, step)| {
            let read: Envelope<ReduceTask> = decode(&step.body).ok()?;
            // Later reductions of the same parts wait for nobody.
            let ReduceTask::Gather {
                scatters: gathered,
                strict: false,
                last: false,
                maps,
            } = &read.payload
            else {
                return None;
            };
            let scatter = *gathered.last()?;
            let mut parts = parts_before(remains, &turn, scatter + 1, step.sequence);
            let brought = maps.iter().flat_map(|maps| maps.parts.iter().cloned());
            parts.extend(brought.map(|part| (part.index, part)));
            let has_all = scatters.get(&(turn, scatter)) == Some(&parts.len());
            let in_time = step.stored_at < soft_deadline(&read.header);
            (in_time && !has_all).then(|| Early {
                step,
                with_facts: parts.values().filter(|part| has_facts(part)).count(),
            })
        })
        .collect()
}

fn parts_before(remains: &Remains, turn: &TurnId, at: u16, sequence: u64) -> BTreeMap<u16, Part> {
    let is_it = |message: &&StoredMessage| {
        message.sequence < sequence
            && matches!(
                Subject::parse(&message.subject),
                Ok(Subject::Part { turn: of, hop, .. }) if of == *turn && hop == at
            )
    };
    let found = remains.steps.iter().filter(is_it);
    let parts = found.filter_map(|stored| decode::<Part>(&stored.body).ok());
    parts.map(|part| (part.index, part)).collect()
}

fn has_facts(part: &Part) -> bool {
    matches!(&part.result, PartResult::Findings(found) if found.counts() && !found.facts.is_empty())
}
