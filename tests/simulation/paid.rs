//! The invariant of work: nothing is done again that was stored, and nothing more often than it was delivered.

use crate::fleet::Remains;
use crate::ledger::Runs;
use envelope::Subject;

/// A step is worked on once, and once more only for a delivery that died with its process, was
/// given back or handed out twice, overlapped with another one, or failed: a redelivery of finished work is
/// finished from what is stored. A stage asks its model once, so calls are bounded by runs.
pub(crate) fn work_is_paid_once(remains: &Remains) -> Result<(), String> {
    let ledger = &remains.ledger;
    if let Some(step) = ledger.paid_twice.first() {
        return Err(format!(
            "{step} was worked on again although its result was stored"
        ));
    }
    for (step, runs) in &ledger.runs {
        // What becomes of a batch becomes of every passage of it.
        let batch = batch_of(step).and_then(|batch| ledger.runs.get(&batch));
        let excused: u64 = [Some(runs), batch].into_iter().flatten().map(excuses).sum();
        if runs.started > 1 + excused + runs.failed {
            return Err(format!("{step} was worked on too often: {runs:?}"));
        }
    }
    let started: u64 = ledger.runs.values().map(|runs| runs.started).sum();
    if ledger.calls > started {
        return Err(format!("{} model calls in {started} runs", ledger.calls));
    }
    Ok(())
}

/// How often a message had to be delivered again.
fn excuses(runs: &Runs) -> u64 {
    runs.cut + runs.given_back + runs.doubled + runs.overlapped
}

/// The batch that a map step would be of.
fn batch_of(step: &str) -> Option<String> {
    match Subject::parse(step).ok()? {
        Subject::Step {
            shard,
            turn,
            hop,
            index: Some(_),
            ..
        } => Some(envelope::subject::batch(shard, &turn, hop - 1)),
        _ => None,
    }
}
