//! The invariants of turns in mode loop: each names the reason for its end, and the number and the size of its steps
//! are bounded.

use crate::fleet::Remains;
use crate::reading::{steps, terminals};
use envelope::limits::{LOOP_SEARCHES_MAX, LOOP_STEPS_MAX};
use envelope::{Case, Envelope, Fallback, Mode, Outcome, Role, TrailEntry, TurnId, decode};
use serde_json::Value;
use std::collections::BTreeMap;

/// The largest step on the main path of a loop, in bytes; what was found stays where it is stored.
const STEP_BYTES_MAX: usize = 10 * 1024;

/// Every loop that comes to an answer or to a question back names the reason for its end.
pub(crate) fn loops_name_their_end(remains: &Remains) -> Result<(), String> {
    let ended = terminals(remains);
    for turn in loops(remains).keys() {
        let Some((terminal, _)) = ended.get(turn) else {
            continue;
        };
        let is_whole = matches!(terminal.outcome, Outcome::Answered | Outcome::Clarification);
        if is_whole && !is_named(&terminal.trail) {
            return Err(format!(
                "{turn} ended its loop without a word: {:?}",
                terminal.trail
            ));
        }
    }
    Ok(())
}

/// No loop takes more actions or searches than it may, and none of its steps carries what was found.
pub(crate) fn loops_are_bounded(remains: &Remains) -> Result<(), String> {
    for (turn, sizes) in loops(remains) {
        if let Some(bytes) = sizes.into_iter().find(|bytes| *bytes > STEP_BYTES_MAX) {
            return Err(format!("a step of {turn} has {bytes} bytes"));
        }
        let Some((terminal, _)) = terminals(remains).remove(&turn) else {
            continue;
        };
        let acted = terminal
            .trail
            .iter()
            .filter(|entry| entry.role == Role::Planner)
            .count();
        // The last one may be the end.
        if acted > usize::from(LOOP_STEPS_MAX) + 1 || terminal.usage.searches > LOOP_SEARCHES_MAX {
            return Err(format!(
                "{turn} took {acted} steps, {} searches",
                terminal.usage.searches
            ));
        }
    }
    Ok(())
}

/// How many loops ended by themselves.
pub(crate) fn count(remains: &Remains) -> usize {
    let ended = terminals(remains);
    let is_own = |turn: &&TurnId| {
        ended
            .get(*turn)
            .is_some_and(|(end, _)| is_named(&end.trail))
    };
    loops(remains).keys().filter(is_own).count()
}

/// Whether the end is named: a planner says so, a step was given up, or a default took its place.
fn is_named(trail: &[TrailEntry]) -> bool {
    trail.iter().any(|entry| {
        let is_default = |one: &Fallback| matches!(one, Fallback::BasicRag { .. });
        entry.decided.contains("the loop ends: ")
            || entry.decided.contains("given up")
            || entry.fallbacks.iter().any(is_default)
            // A question after others may be asked back about before there is a loop, or be one for places.
            || entry.decided.contains("ask_clarification")
            || entry.decided.contains("location_search")
    })
}

/// The turns in mode loop, with the sizes of their steps.
fn loops(remains: &Remains) -> BTreeMap<TurnId, Vec<usize>> {
    let mut loops: BTreeMap<TurnId, Vec<usize>> = BTreeMap::new();
    for (turn, _, role, index, message) in steps(remains) {
        // Without a role it is a scatter record: what was found stands there.
        let is_step = role.is_some() && index.is_none();
        let read = decode::<Envelope<Value>>(&message.body);
        if is_step && read.is_ok_and(|step| is_loop(&step.case)) {
            loops.entry(turn).or_default().push(message.body.len());
        }
    }
    loops
}

fn is_loop(case: &Case) -> bool {
    case.mode == Mode::Loop
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_without_a_word_is_noticed() {
        let entry = |decided: &str| TrailEntry {
            role: Role::Planner,
            hop: 0,
            round: 0,
            index: None,
            attempt: 1,
            queued_ms: 0,
            worked_ms: 0,
            model: None,
            usage: Default::default(),
            decided: decided.into(),
            fallbacks: Vec::new(),
            prompts: Default::default(),
            remarks: Default::default(),
            conditions: None,
        };
        assert!(!is_named(&[entry("step 1: search_text \"q\"")]));
        assert!(is_named(&[
            entry("step 1: search_text \"q\""),
            entry("the loop ends: done")
        ]));
        assert!(is_named(&[entry("given up: model_refused")]));
    }
}
