//! The invariants of the quota: turns wait only because their tenant has other turns running.

use crate::fleet::Remains;
use crate::reading::{begun, terminals};
use envelope::{TurnId, UnixMs};
use std::time::Duration;

/// How long a question may wait after the turns before it have ended: their ends may be missed and are looked for
/// every 5 s, the question may be deferred, and its delivery may be late.
const OVERSLEPT_MS: u64 = 15_000;

/// The turns that began, each with the times when it was asked, began and ended.
fn spans(remains: &Remains) -> Vec<(TurnId, UnixMs, UnixMs, UnixMs)> {
    let ended = terminals(remains);
    begun(remains)
        .into_iter()
        .filter_map(|(turn, header)| {
            let end = ended.get(&turn)?.0.ended_at;
            Some((turn, header.asked_at, header.created_at, end))
        })
        .collect()
}

/// How much of the time that a turn waited to begin its tenant's other turns explain.
pub(crate) fn waited(remains: &Remains, turn: &TurnId) -> Duration {
    if remains.plan.tenant_turns == 0 {
        return Duration::ZERO;
    }
    let spans = spans(remains);
    let Some((_, asked, began, _)) = spans.iter().find(|(of, ..)| of == turn) else {
        return Duration::ZERO;
    };
    let others = spans.iter().filter(|(of, ..)| of != turn);
    let mut busy: Vec<(UnixMs, UnixMs)> = others
        .map(|(_, _, from, to)| ((*from).max(*asked), (*to).min(*began)))
        .filter(|(from, to)| from < to)
        .collect();
    busy.sort();
    let (mut sum, mut until) = (0, *asked);
    for (from, to) in busy {
        sum += from.max(until).until(to);
        until = until.max(to);
    }
    Duration::from_millis(asked.until(*began).min(sum + OVERSLEPT_MS))
}

/// No more turns run at a time than the gateways together allow, except that a gateway that died may have forgotten
/// some.
pub(crate) fn tenants_keep_to_their_turns(remains: &Remains) -> Result<(), String> {
    // A turn begins in the place of the one before it in its conversation, of which there are two.
    let handed_over = if remains.plan.talks() > 0 { 2 } else { 0 };
    let most = remains.plan.tenant_turns * remains.plan.instances + handed_over;
    if remains.plan.tenant_turns == 0 || remains.plan.force > 0.0 {
        return Ok(());
    }
    let spans = spans(remains);
    for (turn, _, began, _) in &spans {
        let others = spans.iter();
        let at_once = others.filter(|(_, _, from, to)| from <= began && began < to);
        let at_once = at_once.count();
        if at_once > most {
            return Err(format!("{at_once} turns ran when {turn} began, of {most}"));
        }
    }
    Ok(())
}
