//! The quota of one tenant: its running turns, its waiting questions, and its remaining tokens. Pure.

use super::{HOLD, Limits, QuotaDecision, QuotaRequest, SHORTEST, Spent};
use envelope::{TurnId, UnixMs};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// The longest time for which a question is deferred.
const LONGEST: Duration = Duration::from_secs(30);
/// A question that has not come back so long after its time is taken to have gone to another gateway.
const LOST_MS: u64 = 2_000;
/// How long a turn is assumed to take before any has ended, in milliseconds. A question that asks again too soon
/// learns a better value, whereas one that waits too long leaves turns unused.
const TURN_MS: f64 = 10.0;
/// What a turn is assumed to spend before any has ended: ten map calls of a page each, and an answer.
const TURN_TOKENS: f64 = 10_000.0;
/// The weight of the newest value in either mean.
const NEWEST: f64 = 0.1;

pub(super) struct Tenant {
    running: HashMap<TurnId, Runs>,
    /// The questions that wait, by their sequences in the inbox.
    waiting: BTreeMap<u64, Waits>,
    /// The means of the time and of the tokens that a turn takes.
    turn_ms: f64,
    turn_tokens: f64,
    /// The tokens that were left at the time `at`. They grow back steadily, up to one minute's worth.
    tokens: f64,
    at: UnixMs,
}

/// A turn that runs.
struct Runs {
    since: UnixMs,
    deadline: UnixMs,
}

/// A question that waits for a place.
#[derive(Clone, Copy)]
struct Waits {
    /// When the question asks again, at the latest.
    again: UnixMs,
    is_held: bool,
}

impl Waits {
    /// Whether the question is there when a turn ends; if so, younger ones let it go first.
    fn is_there(self, now: UnixMs) -> bool {
        self.is_held && now < self.again
    }

    /// Whether the question has gone to another gateway.
    fn is_lost(self, now: UnixMs) -> bool {
        self.again.plus(LOST_MS) <= now
    }
}

impl Tenant {
    pub(super) fn new(limits: &Limits, now: UnixMs) -> Tenant {
        Tenant {
            running: HashMap::new(),
            waiting: BTreeMap::new(),
            turn_ms: TURN_MS,
            turn_tokens: TURN_TOKENS,
            tokens: limits.tokens_per_minute as f64,
            at: now,
        }
    }

    /// Decides whether a turn may begin. Of the questions that are there, the oldest goes first. A question that is
    /// far behind is deferred for half the time that those before it will take, by what turns took of late; so it
    /// asks a few times more, and is never much too late. No place is kept free for a question that is deferred.
    pub(super) fn ask(
        &mut self,
        asking: QuotaRequest<'_>,
        limits: &Limits,
        now: UnixMs,
    ) -> QuotaDecision {
        self.running.retain(|_, runs| runs.deadline > now);
        let older = self.waiting.range(..asking.sequence);
        let older = older.map(|(_, waits)| waits);
        let before = older.clone().filter(|waits| !waits.is_lost(now)).count();
        let there = older.filter(|waits| waits.is_there(now)).count();
        let is_full = limits.turns > 0 && there + self.running.len() >= limits.turns;
        let until_filled = self.until_filled(before, limits, now);
        if !is_full && until_filled.is_zero() {
            self.waiting.remove(&asking.sequence);
            self.take(asking.turn, asking.deadline, now);
            return QuotaDecision::Admit;
        }
        let rounds = (before + 1) as f64 / limits.turns.max(1) as f64;
        let until_ends = Duration::from_secs_f64(rounds * self.turn_ms / 1_000.0);
        let (told, wait) = match asking.may_hold && before < limits.turns && until_filled.is_zero()
        {
            true => (QuotaDecision::Queue, HOLD),
            false => {
                let wait = (until_ends.max(until_filled) / 2).clamp(SHORTEST, LONGEST);
                (QuotaDecision::Defer(wait), wait)
            }
        };
        let waits = Waits {
            again: now.plus(wait.as_millis() as u64).min(asking.deadline),
            is_held: told == QuotaDecision::Queue,
        };
        self.waiting.insert(asking.sequence, waits);
        told
    }

    /// Counts a turn as running, whatever else runs.
    pub(super) fn take(&mut self, turn: &TurnId, deadline: UnixMs, now: UnixMs) {
        let runs = Runs {
            since: now,
            deadline,
        };
        self.running.insert(turn.clone(), runs);
    }

    /// How long it takes until there are tokens for one more turn behind `before` others. Running turns are assumed
    /// to spend what turns spent of late. Where nothing runs, a turn may begin unless tokens are owed.
    fn until_filled(&mut self, before: usize, limits: &Limits, now: UnixMs) -> Duration {
        if limits.tokens_per_minute == 0 {
            return Duration::ZERO;
        }
        self.fill(limits, now);
        let ahead = (self.running.len() + before) as f64;
        let lacking = ahead * self.turn_tokens - self.tokens;
        let seconds = lacking.max(0.0) * 60.0 / limits.tokens_per_minute as f64;
        Duration::from_secs_f64(seconds.min(3_600.0))
    }

    fn fill(&mut self, limits: &Limits, now: UnixMs) {
        let rate = limits.tokens_per_minute as f64;
        self.tokens = (self.tokens + self.at.until(now) as f64 / 60_000.0 * rate).min(rate);
        self.at = self.at.max(now);
    }

    /// Records the end of a turn. A turn whose tokens are not known is assumed to have spent the mean.
    pub(super) fn ended(&mut self, turn: &TurnId, spent: Spent, limits: &Limits, now: UnixMs) {
        let Some(runs) = self.running.remove(turn) else {
            return;
        };
        self.fill(limits, now);
        match spent {
            Spent::Nothing => return,
            Spent::Unknown => self.tokens -= self.turn_tokens,
            Spent::Tokens(tokens) => {
                self.tokens -= tokens as f64;
                self.turn_tokens += NEWEST * (tokens as f64 - self.turn_tokens);
            }
        }
        let took = runs.since.until(now) as f64;
        self.turn_ms += NEWEST * (took - self.turn_ms);
    }

    /// Removes a question that will not ask again.
    pub(super) fn gone(&mut self, sequence: u64) {
        self.waiting.remove(&sequence);
    }

    /// Forgets turns that are past their deadlines, and questions that other gateways have.
    pub(super) fn forget_old(&mut self, now: UnixMs) {
        self.running.retain(|_, runs| runs.deadline > now);
        self.waiting.retain(|_, waits| !waits.is_lost(now));
    }

    pub(super) fn runs(&self, turn: &TurnId) -> bool {
        self.running.contains_key(turn)
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Whether nothing of this tenant has to be remembered.
    pub(super) fn is_idle(&mut self, limits: &Limits, now: UnixMs) -> bool {
        self.fill(limits, now);
        let is_full = self.tokens >= limits.tokens_per_minute as f64;
        self.running.is_empty() && self.waiting.is_empty() && is_full
    }
}

#[cfg(test)]
#[path = "tenant_tests.rs"]
mod tests;
