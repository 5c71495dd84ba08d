//! The invariant of drafts that were kept for comparison: if no better draft came, the kept one is the answer.

use crate::fleet::Remains;
use crate::reading::terminals;
use envelope::{Draft, Envelope, Fallback, KeptDraft, Role, Subject, Terminal, TurnId, decode};
use std::collections::BTreeMap;

/// No better draft is lost: a doubtful answer is at least as good as the best grounded draft of its turn. The kept
/// draft is known by the hop of a step that carries one.
pub(crate) fn no_better_draft_is_lost(remains: &Remains) -> Result<(), String> {
    let checked = checked(remains);
    let ended = terminals(remains);
    for ((turn, hop), step) in &checked {
        let Some(kept) = step.case.kept else {
            continue;
        };
        if kept.hop >= *hop || !checked.contains_key(&(turn.clone(), kept.hop)) {
            return Err(format!("{turn} keeps a draft of hop {}", kept.hop));
        }
        let Some((terminal, _)) = ended.get(turn) else {
            continue;
        };
        if is_worse(terminal, &kept) {
            let confidence = terminal.confidence;
            return Err(format!("{turn} kept {kept:?} and ends with {confidence:?}"));
        }
    }
    Ok(())
}

/// How many answers are drafts that had been kept.
pub(crate) fn count(remains: &Remains) -> usize {
    let ended = terminals(remains);
    let is_earlier = |terminal: &Terminal| {
        let mut all = terminal.trail.iter().flat_map(|entry| &entry.fallbacks);
        terminal.answer.is_some() && all.any(|one| matches!(one, Fallback::EarlierDraft { .. }))
    };
    ended.values().filter(|(t, _)| is_earlier(t)).count()
}

/// The validator's steps, by turn and hop.
fn checked(remains: &Remains) -> BTreeMap<(TurnId, u16), Envelope<Draft>> {
    let read = remains.steps.iter().filter_map(|message| {
        let Ok(Subject::Step {
            role: Role::Validator,
            turn,
            hop,
            ..
        }) = Subject::parse(&message.subject)
        else {
            return None;
        };
        Some(((turn, hop), decode(&message.body).ok()?))
    });
    read.collect()
}

fn is_worse(terminal: &Terminal, kept: &KeptDraft) -> bool {
    let mut all = terminal.trail.iter().flat_map(|entry| &entry.fallbacks);
    let is_unchecked = all.any(|one| *one == Fallback::Unvalidated);
    let confidence = terminal.confidence.unwrap_or(1.0);
    let is_doubtful = terminal.low_confidence && !is_unchecked;
    kept.score.grounded && is_doubtful && confidence < kept.score.confidence
}
