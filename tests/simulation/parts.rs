//! The invariant of parts: each part that was stored before a reducer's step reaches that reducer, also the parts of
//! earlier rounds.

use crate::fleet::Remains;
use crate::reading::terminals;
use bus::StoredMessage;
use envelope::{Envelope, Outcome, Part, ReduceTask, Role, Subject, Terminal, TurnId, decode};
use std::collections::BTreeMap;

/// A reducer gathers every part of its fan-outs that was stored before its own step, and the answer tells how each
/// was read.
pub(crate) fn every_part_reaches_its_reducer(remains: &Remains) -> Result<(), String> {
    let parts = parts(remains);
    for (turn, (terminal, _)) in terminals(remains) {
        // A step that was given up has composed nothing.
        let last = terminal.trail.iter().map(|entry| entry.hop).max();
        let given_up = |hop: u16| terminal.outcome == Outcome::Failed && Some(hop) == last;
        let reduced = terminal.trail.iter().filter(|e| e.role == Role::Reducer);
        for entry in reduced.filter(|entry| !given_up(entry.hop)) {
            let subject = format!("argosy.step.0.reducer.{turn}.{}", entry.hop);
            let Some(step) = remains.steps.iter().find(|m| m.subject == subject) else {
                continue;
            };
            for scatter in gathered(step) {
                let key = (turn.clone(), scatter + 1);
                let before = parts.get(&key).into_iter().flatten();
                let before = before.filter(|part| part.sequence < step.sequence);
                if let Some(part) = before
                    .into_iter()
                    .find(|part| !is_told(part, &terminal, scatter + 1))
                {
                    return Err(format!(
                        "{subject} was created after {}, which is not told",
                        part.subject
                    ));
                }
            }
        }
    }
    Ok(())
}

/// How many parts came after a reducer of their own round was created, and were read by a later one.
pub(crate) fn late(remains: &Remains) -> usize {
    let parts = parts(remains);
    let at = |subject: String| remains.steps.iter().find(|m| m.subject == subject);
    let mut late = 0;
    for ((turn, hop), stored) in &parts {
        let Some(own) = at(format!("argosy.step.0.reducer.{turn}.{}", hop + 1)) else {
            continue;
        };
        let reads_it = |m: &&StoredMessage| {
            let is_later = m
                .subject
                .starts_with(&format!("argosy.step.0.reducer.{turn}."))
                && m.sequence > own.sequence;
            is_later && gathered(m).contains(&(hop - 1))
        };
        let Some(next) = remains.steps.iter().find(reads_it) else {
            continue;
        };
        let between = own.sequence..next.sequence;
        late += stored
            .iter()
            .filter(|part| between.contains(&part.sequence))
            .count();
    }
    late
}

/// How many batches were mapped a second time, by a mapper that was frozen or cut off and came back when the reducer had been
/// given what another one found.
pub(crate) fn woken(remains: &Remains) -> usize {
    let parts = parts(remains);
    let brought = |message: &&StoredMessage| {
        let step = decode::<Envelope<ReduceTask>>(&message.body).map(|step| step.payload);
        matches!(step, Ok(ReduceTask::Gather { maps: Some(_), .. }))
    };
    let is_woken = |message: &&StoredMessage| match Subject::parse(&message.subject) {
        Ok(Subject::Step { turn, hop, .. }) => {
            let stored = parts.get(&(turn, hop - 1)).into_iter().flatten();
            stored
                .into_iter()
                .any(|part| part.sequence > message.sequence)
        }
        _ => false,
    };
    let reducers = remains.steps.iter().filter(brought);
    reducers.filter(is_woken).count()
}

/// The parts of each fan-out, by turn and hop.
fn parts(remains: &Remains) -> BTreeMap<(TurnId, u16), Vec<&StoredMessage>> {
    let mut parts: BTreeMap<(TurnId, u16), Vec<&StoredMessage>> = BTreeMap::new();
    for message in &remains.steps {
        if let Ok(Subject::Part { turn, hop, .. }) = Subject::parse(&message.subject) {
            parts.entry((turn, hop)).or_default().push(message);
        }
    }
    parts
}

/// The fan-outs that a reducer's step names, whose passages were read one by one.
fn gathered(step: &StoredMessage) -> Vec<u16> {
    match decode::<Envelope<ReduceTask>>(&step.body).map(|step| step.payload) {
        Ok(ReduceTask::Gather { scatters, .. } | ReduceTask::Stitch { scatters, .. }) => scatters,
        Ok(ReduceTask::Read { .. } | ReduceTask::Generate { .. } | ReduceTask::Table { .. })
        | Err(_) => Vec::new(),
    }
}

/// Whether the answer tells how a part came about; a part that was given up unread tells nothing of itself.
fn is_told(part: &StoredMessage, terminal: &Terminal, hop: u16) -> bool {
    let Ok(Part {
        index,
        entry: Some(_),
        ..
    }) = decode::<Part>(&part.body)
    else {
        return true;
    };
    let mut trail = terminal.trail.iter();
    trail.any(|entry| (entry.hop, entry.index) == (hop, Some(index)))
}
