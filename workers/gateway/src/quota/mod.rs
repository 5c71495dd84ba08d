//! The quota of a tenant limits how many of the tenant's turns run at a time and how many tokens they spend per
//! minute, and decides which of the tenant's questions is next.
//!
//! Steps of all tenants wait in one queue per role: without a quota, a tenant that asks a thousand questions at once
//! puts a thousand fan-outs in front of all others. With a quota its questions stay in the inbox, where they are
//! durable, until some of its turns have ended. Each gateway counts the turns that it began; a crash loses the
//! counts, which only lets a few more turns run. *Not* here: the budget of one question, and the order of model calls
//! inside one process (`llm-pool`).

mod tenant;

use envelope::{Header, TenantId, TurnId, UnixMs};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tenant::Tenant;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// How long a question waits in this process for a turn to end, before it goes back to the inbox.
pub(crate) const HOLD: Duration = Duration::from_secs(1);
/// The shortest time for which a question goes back to the inbox.
const SHORTEST: Duration = Duration::from_millis(100);

/// What each tenant may have; 0 for any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Turns at a time.
    pub(crate) turns: usize,
    /// Tokens of models, in and out.
    pub(crate) tokens_per_minute: u64,
}

/// The quotas of all tenants in one gateway.
pub(crate) struct Quota {
    limits: Limits,
    /// How many questions of all tenants may be held at a time.
    held_max: usize,
    inner: Mutex<Inner>,
    ended: Notify,
}

#[derive(Default)]
struct Inner {
    tenants: HashMap<TenantId, Tenant>,
    turns: HashMap<TurnId, TenantId>,
    held: usize,
}

/// The decision whether the turn of a question may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuotaDecision {
    /// The turn may run. It has a place until it has [ended](Quota::ended).
    Admit,
    /// The question goes on without a place, because its turn has one or ends at once.
    Bypass,
    /// The question waits here. It asks again when a turn has ended, and after [`HOLD`].
    Queue,
    /// The question goes back to the inbox and asks again after this time.
    Defer(Duration),
}

/// What a turn spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spent {
    /// Nothing: the turn never began.
    Nothing,
    /// So many tokens, read and written.
    Tokens(u64),
    /// An unknown number: the terminal event does not tell it.
    Unknown,
}

/// A question that asks for a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuotaRequest<'a> {
    pub(crate) tenant: &'a TenantId,
    pub(crate) turn: &'a TurnId,
    pub(crate) deadline: UnixMs,
    /// The sequence of the question in the inbox; the older question goes first.
    pub(crate) sequence: u64,
    /// Whether the question may be held.
    pub(crate) may_hold: bool,
}

/// The hold on a question; it is dropped when the question is no longer held.
pub(crate) struct Held<'a>(&'a Quota);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.lock().held -= 1;
    }
}

impl Quota {
    /// Makes the quotas. At most `held_max` questions are held at a time.
    pub(crate) fn new(limits: Limits, held_max: usize) -> Quota {
        Quota {
            limits,
            held_max,
            inner: Mutex::default(),
            ended: Notify::new(),
        }
    }

    pub(crate) fn is_limited(&self) -> bool {
        self.limits.turns > 0 || self.limits.tokens_per_minute > 0
    }

    /// Holds one more question, if there is room.
    pub(crate) fn hold(&self) -> Option<Held<'_>> {
        if self.limits.turns == 0 {
            return None;
        }
        let inner = &mut *self.lock();
        (inner.held < self.held_max).then(|| {
            inner.held += 1;
            Held(self)
        })
    }

    /// Whether a turn may begin.
    pub(crate) fn ask(&self, asking: QuotaRequest<'_>, now: UnixMs) -> QuotaDecision {
        if !self.is_limited() {
            return QuotaDecision::Bypass;
        }
        let Inner { tenants, turns, .. } = &mut *self.lock();
        if asking.deadline <= now || turns.contains_key(asking.turn) {
            if let Some(tenant) = tenants.get_mut(asking.tenant) {
                tenant.gone(asking.sequence);
            }
            return QuotaDecision::Bypass;
        }
        let fresh = || Tenant::new(&self.limits, now);
        let tenant = tenants.entry(asking.tenant.clone());
        let told = tenant.or_insert_with(fresh).ask(asking, &self.limits, now);
        if told == QuotaDecision::Admit {
            turns.insert(asking.turn.clone(), asking.tenant.clone());
        }
        told
    }

    /// Gives a turn the place of the turn before it in its conversation. It counts even where another question took
    /// that place meanwhile. Returns false when the turn has a place already.
    pub(crate) fn take(&self, header: &Header, now: UnixMs) -> bool {
        if !self.is_limited() {
            return false;
        }
        let Inner { tenants, turns, .. } = &mut *self.lock();
        if turns.contains_key(&header.turn) {
            return false;
        }
        let fresh = || Tenant::new(&self.limits, now);
        let tenant = tenants.entry(header.tenant.clone()).or_insert_with(fresh);
        tenant.take(&header.turn, header.deadline, now);
        turns.insert(header.turn.clone(), header.tenant.clone());
        true
    }

    /// Frees the place of a turn that has ended.
    pub(crate) fn ended(&self, turn: &TurnId, spent: Spent, now: UnixMs) {
        let Inner { tenants, turns, .. } = &mut *self.lock();
        let Some(name) = turns.remove(turn) else {
            return;
        };
        if let Some(tenant) = tenants.get_mut(&name) {
            tenant.ended(turn, spent, &self.limits, now);
        }
        self.ended.notify_waiters();
    }

    /// Completes when a turn ends after this call.
    pub(crate) fn next_end(&self) -> Notified<'_> {
        self.ended.notified()
    }

    /// Forgets turns that are past their deadlines, and returns the turns that run.
    pub(crate) fn running(&self, now: UnixMs) -> Vec<TurnId> {
        let Inner { tenants, turns, .. } = &mut *self.lock();
        tenants.retain(|_, tenant| {
            tenant.forget_old(now);
            !tenant.is_idle(&self.limits, now)
        });
        turns.retain(|turn, name| tenants.get(name).is_some_and(|tenant| tenant.runs(turn)));
        turns.keys().cloned().collect()
    }

    /// Questions that wait for their tenants' turns or tokens.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().tenants.values().map(Tenant::waiting).sum()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_under_an_id_that_runs_takes_no_place_and_gives_none_up() {
        let limits = Limits {
            turns: 1,
            tokens_per_minute: 0,
        };
        let quota = Quota::new(limits, 4);
        let [one, two] = ["one", "two"].map(|name| TenantId::new(name).unwrap());
        let [x, y] = ["x", "y"].map(|name| TurnId::new(name).unwrap());
        let ask = |tenant, turn, sequence| {
            let asking = QuotaRequest {
                tenant,
                turn,
                deadline: UnixMs(1_000),
                sequence,
                may_hold: false,
            };
            quota.ask(asking, UnixMs(0))
        };
        assert_eq!(ask(&one, &x, 1), QuotaDecision::Admit);
        assert_eq!(ask(&one, &x, 2), QuotaDecision::Bypass);
        assert_eq!(ask(&two, &x, 3), QuotaDecision::Bypass);
        assert!(matches!(ask(&one, &y, 4), QuotaDecision::Defer(_)));
        assert_eq!(quota.running(UnixMs(0)).len(), 1);
        quota.ended(&x, Spent::Tokens(0), UnixMs(0));
        assert_eq!(ask(&one, &y, 4), QuotaDecision::Admit);
    }
}
