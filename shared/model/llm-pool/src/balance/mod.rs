//! Balances the load: decides which call is made next, on which node, and which calls wait. The state of all nodes is
//! in one place. There is no I/O, and the caller passes the time in.
//!
//! *Not* the calls themselves: [`crate::pool`] makes them and reports their outcomes.

mod at_once;
mod breaker;
mod cost;
mod entry;
mod hedges;
mod latency;
mod patience;
mod pick;
mod queue;
mod speed;

pub(crate) use cost::cost;
pub use entry::NodeView;
pub(crate) use patience::{Patience, SetLimits, Silence};
pub use pick::BalancePolicy;
pub(crate) use speed::Pace;

use crate::constants::WAITING_MAX;
use crate::load::Load;
use crate::node::Node;
use entry::Entry;
use envelope::{TenantId, TurnId};
use hedges::Hedges;
use latency::Quantiles;
use pick::{NodeState, pick};
use prometheus::IntGauge;
use queue::Queue;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// The most waiting calls that are skipped because no free node suits them.
const PASSED_MAX: usize = 32;
/// Identifies a node for as long as the process runs.
pub(crate) type NodeId = u64;

/// What a call wants.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask<'a> {
    /// The tenant of the call: tenants take turns when leases are scarce.
    pub(crate) tenant: &'a TenantId,
    /// For which turn; calls of one turn share a prefix.
    pub(crate) turn: &'a TurnId,
    /// Estimated tokens of prompt and answer.
    pub(crate) tokens: u64,
    /// Estimated tokens of the prompt alone.
    pub(crate) prompt: u64,
    /// The nodes that failed for it: rather another one.
    pub(crate) tried: &'a [NodeId],
    /// The nodes that will not do, however long it waits: they failed for good, or have it already.
    pub(crate) never: &'a [NodeId],
    /// It is made a second time: it has waited long enough to go first.
    pub(crate) again: bool,
    /// It did not fit this context, in tokens: no node will do of which no longer one is known.
    pub(crate) longer_than: u32,
}

impl<'a> Ask<'a> {
    /// What a call wants that has not been tried yet.
    pub(crate) fn new(tenant: &'a TenantId, turn: &'a TurnId, tokens: u64, prompt: u64) -> Ask<'a> {
        Ask {
            tenant,
            turn,
            tokens,
            prompt,
            tried: &[],
            never: &[],
            again: false,
            longer_than: 0,
        }
    }
}

/// A call that may be made.
#[derive(Debug)]
pub(crate) struct Grant {
    pub(crate) node: Arc<Node>,
    pub(crate) patience: Patience,
    pub(crate) call: u64,
}

/// Why no call may be made now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Every node has all it may have.
    Full,
    /// Every node is left alone; the first may be asked then.
    Away(Instant),
    /// No node has a context that is long enough; the longest is this, in tokens.
    TooLong(u32),
    NoNodes,
}

/// How a node changed when a call of it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// It is left alone from now on.
    Failing,
    /// It is asked as usual again.
    Well,
}

/// What a call came to, as far as it speaks of its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It was answered; the first token came after this time, where the node streams. `size` are the
    /// tokens that were written, or the bytes that were sent where nothing is written. `counted` are the
    /// tokens of the prompt by our estimate and by its count, `pace` is what it shows of the node's speed.
    Answered {
        first_token: Option<Duration>,
        size: u64,
        counted: Option<(u64, u64)>,
        pace: Pace,
    },
    /// It was refused by a node that is well.
    Refused,
    /// It was refused for what the node is: its key, its models, its paths.
    Unfit,
    /// The node is busy, for as long as it said.
    Busy(Option<Duration>),
    Failed,
    /// It was given up; whether that is the node's fault depends on how long it was silent.
    Late(Silence),
    /// Another node was faster, although it was asked much later.
    Outrun,
    Dropped,
}

/// A waiting call, and what it waits for.
#[derive(Debug)]
struct Waiter {
    id: u64,
    tenant: TenantId,
    turn: TurnId,
    tokens: u64,
    prompt: u64,
    tried: Vec<NodeId>,
    never: Vec<NodeId>,
    again: bool,
    longer_than: u32,
    grant: oneshot::Sender<Grant>,
}

impl Waiter {
    fn ask(&self) -> Ask<'_> {
        Ask {
            tenant: &self.tenant,
            turn: &self.turn,
            tokens: self.tokens,
            prompt: self.prompt,
            tried: &self.tried,
            never: &self.never,
            again: self.again,
            longer_than: self.longer_than,
        }
    }
}

/// The state of a pool.
#[derive(Debug)]
pub(crate) struct Balance {
    policy: BalancePolicy,
    limits: SetLimits,
    entries: Vec<Entry>,
    queue: Queue<Waiter>,
    /// Calls to be made a second time: as many as the allowance lets wait.
    late: VecDeque<Waiter>,
    rng: fastrand::Rng,
    turn: usize,
    next: u64,
    times: Quantiles,
    hedges: Hedges,
}

impl Balance {
    pub(crate) fn new(
        policy: BalancePolicy,
        hedge_share: f64,
        limits: SetLimits,
        seed: u64,
    ) -> Balance {
        Balance {
            policy,
            limits,
            entries: Vec::new(),
            queue: Queue::default(),
            late: VecDeque::new(),
            rng: fastrand::Rng::with_seed(seed),
            turn: 0,
            next: 0,
            times: Quantiles::default(),
            hedges: Hedges::new(hedge_share),
        }
    }

    /// Takes in a node; `gauge` shows its calls in flight.
    pub(crate) fn add(&mut self, node: Arc<Node>, gauge: IntGauge, now: Instant) {
        self.entries.push(Entry::new(node, gauge, self.limits));
        self.serve(now);
    }

    /// Gives no more calls to a node; those in flight go on.
    pub(crate) fn remove(&mut self, id: NodeId) {
        self.entries.retain(|entry| entry.node.id != id);
    }

    pub(crate) fn nodes(&self) -> Vec<Arc<Node>> {
        self.entries.iter().map(|e| e.node.clone()).collect()
    }

    fn entry_mut(&mut self, node: NodeId) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.node.id == node)
    }

    pub(crate) fn knows(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.node.name == name)
    }

    /// When a node that has not been tried can be asked, as soon as it has room then: now, when the
    /// first one is no longer left alone, or never.
    pub(crate) fn another_at(&self, ask: &Ask<'_>, now: Instant) -> Option<Instant> {
        let others = self.entries.iter().filter(|entry| {
            let tried = ask.tried.contains(&entry.node.id);
            !tried && entry.will_do(ask, now)
        });
        others
            .map(|entry| entry.away_until(now).unwrap_or(now))
            .min()
    }

    /// Whether a call made now would go back to a node that was tried, because no other has room.
    pub(crate) fn goes_back(&self, ask: &Ask<'_>, now: Instant) -> bool {
        let states = self.states(ask, now);
        let mut open = states.iter().filter(|node| node.open).peekable();
        open.peek().is_some() && open.all(|node| node.tried)
    }

    /// A lease for a call now, ahead of the waiting calls.
    pub(crate) fn take(&mut self, ask: &Ask<'_>, now: Instant) -> Result<Grant, Wait> {
        self.take_before(ask, self.queue.len(), now)
    }

    /// The same while so many wait.
    fn take_before(&mut self, ask: &Ask<'_>, waiting: usize, now: Instant) -> Result<Grant, Wait> {
        let states = self.states(ask, now);
        let rng = &mut self.rng;
        let picked = pick(self.policy, &states, waiting, self.turn, |n| rng.usize(..n));
        let Some(index) = picked else {
            return Err(self.why_not(ask, now));
        };
        self.turn = self.turn.wrapping_add(1);
        self.next += 1;
        let (call, entry) = (self.next, &mut self.entries[index]);
        let patience = entry.began(call, ask.prompt, now);
        Ok(Grant {
            node: entry.node.clone(),
            patience,
            call,
        })
    }

    fn states(&self, ask: &Ask<'_>, now: Instant) -> Vec<NodeState> {
        let entries = self.entries.iter();
        entries.map(|entry| entry.state(ask, now)).collect()
    }

    /// Why a call is not made, when it is not.
    pub(crate) fn why_not(&self, ask: &Ask<'_>, now: Instant) -> Wait {
        if self.entries.is_empty() {
            return Wait::NoNodes;
        }
        let fitting = || self.entries.iter().filter(|e| e.fits(ask, now));
        if fitting().next().is_none() {
            let contexts = self.entries.iter().filter_map(|e| e.context);
            let longest = contexts.map(|(context, _)| context).max();
            return Wait::TooLong(longest.unwrap_or(0));
        }
        // The nodes for which it is known when they may be called; the others are full. Where no node will do, it
        // is unknown how long that will last.
        let will_do = fitting().filter(|e| e.will_do(ask, now));
        let away: Option<Vec<Instant>> = will_do.map(|e| e.away_until(now)).collect();
        match away.and_then(|away| away.into_iter().min()) {
            Some(until) => Wait::Away(until),
            None => Wait::Full,
        }
    }

    /// How long a call that begins now will likely take, at the node that is quickest with it; `None` before any is
    /// measured.
    pub(crate) fn expected(&self, ask: &Ask<'_>, now: Instant) -> Option<Duration> {
        let able = self.entries.iter();
        let able = able.filter(|e| e.will_do(ask, now) && e.away_until(now).is_none());
        let seconds = able.filter_map(|e| e.expected(ask.prompt));
        seconds.reduce(f64::min).map(Duration::from_secs_f64)
    }

    /// How long the node may be silent in a call, by what is known now; `None` if the node is gone.
    pub(crate) fn patience(&self, node: NodeId, call: u64) -> Option<Patience> {
        let entry = self.entries.iter().find(|e| e.node.id == node)?;
        entry.patience_of(call)
    }

    pub(crate) fn begun(&mut self, node: NodeId, call: u64) {
        if let Some(entry) = self.entry_mut(node) {
            entry.answers(call);
        }
    }

    /// Records the outcome of a call. Returns whether that changed whether the node is called at all.
    pub(crate) fn ended(
        &mut self,
        node: NodeId,
        call: u64,
        end: End,
        now: Instant,
    ) -> Option<Change> {
        // Where no other node does better, each call is to be told so: a wrong name of the model would
        // close every node, and calls would wait instead of failing.
        let better = |e: &Entry| e.node.id != node && e.answered > 0;
        let end = match end {
            End::Unfit if !self.entries.iter().any(better) => End::Refused,
            end => end,
        };
        let mut change = None;
        if let Some(entry) = self.entry_mut(node) {
            let was_closed = entry.breaker.is_closed();
            entry.ended(call, end, now);
            change = match (was_closed, entry.breaker.is_closed()) {
                (true, false) => Some(Change::Failing),
                (false, true) => Some(Change::Well),
                _ => None,
            };
        }
        self.serve(now);
        change
    }

    /// How long a call of the hedged kind took, from asking to the answer.
    pub(crate) fn took(&mut self, time: Duration) {
        self.times.observe(time);
    }

    /// After how long a call of the hedged kind counts as late; `None` while it is unknown.
    pub(crate) fn late_after(&self) -> Option<Duration> {
        self.times.at(hedges::QUANTILE)
    }

    /// The allowance for calls made twice.
    pub(crate) fn hedges(&mut self) -> &mut Hedges {
        &mut self.hedges
    }

    /// A call did not fit the context of a node, which is `limit` tokens where the node said so. This is remembered
    /// for a while only, since the node may be restarted with another context. Returns the context that is assumed.
    pub(crate) fn overflowed(
        &mut self,
        node: NodeId,
        ask: &Ask<'_>,
        limit: Option<u32>,
        now: Instant,
    ) -> u32 {
        let entry = self.entry_mut(node);
        entry.map_or(limit.unwrap_or(0), |entry| {
            entry.overflowed(ask.tokens, limit, now)
        })
    }

    /// Records the outcome of a probe: whether the node replied, and the load that it reported.
    pub(crate) fn probed(&mut self, node: NodeId, well: bool, load: Option<Load>, now: Instant) {
        if let Some(entry) = self.entry_mut(node) {
            entry.load = load;
            entry.breaker.probed(well, now);
        }
        self.serve(now);
    }

    /// Whether a call waits already: a later one has to queue behind it.
    pub(crate) fn someone_waits(&self) -> bool {
        self.queue.len() > 0
    }

    /// Queues a call behind the others; `None` when too many wait already.
    pub(crate) fn wait(&mut self, ask: &Ask<'_>) -> Option<(u64, oneshot::Receiver<Grant>)> {
        if self.queue.len() >= WAITING_MAX {
            return None;
        }
        let (grant, granted) = oneshot::channel();
        self.next += 1;
        let id = self.next;
        let waiter = Waiter {
            id,
            tenant: ask.tenant.clone(),
            turn: ask.turn.clone(),
            tokens: ask.tokens,
            prompt: ask.prompt,
            tried: ask.tried.to_vec(),
            never: ask.never.to_vec(),
            again: ask.again,
            longer_than: ask.longer_than,
            grant,
        };
        match ask.again {
            true => self.late.push_back(waiter),
            false => self.queue.push(ask.tenant, ask.turn, waiter),
        }
        Some((id, granted))
    }

    pub(crate) fn leave(&mut self, id: u64) {
        self.late.retain(|waiter| waiter.id != id);
        self.queue.retain(|waiter| waiter.id != id);
    }

    /// Gives the free leases to the waiting calls, in turn. A call that none of the free nodes suits keeps its
    /// place in the queue, and is skipped.
    pub(crate) fn serve(&mut self, now: Instant) {
        for waiter in std::mem::take(&mut self.late) {
            match self.take(&waiter.ask(), now) {
                Ok(grant) => self.grant(waiter, grant, now),
                Err(_) => self.late.push_back(waiter),
            }
        }
        while self.queue.len() > 0 {
            let all = 0..self.entries.len();
            let free: Vec<usize> = all.filter(|n| self.entries[*n].has_room(now)).collect();
            if free.is_empty() {
                return;
            }
            let mut queue = std::mem::take(&mut self.queue);
            let (waiting, mut looked) = (queue.len() - 1, 0);
            let served = queue.serve(|waiter| {
                let asked = waiter.ask();
                // This check is cheap, so it is done for every call; picking is not.
                let fits = free.iter().any(|n| self.entries[*n].will_do(&asked, now));
                looked += usize::from(fits);
                let look = fits && looked <= PASSED_MAX;
                look.then(|| self.take_before(&asked, waiting, now).ok())
                    .flatten()
            });
            self.queue = queue;
            let Some((waiter, grant)) = served else {
                return;
            };
            self.grant(waiter, grant, now);
        }
    }

    fn grant(&mut self, waiter: Waiter, grant: Grant, now: Instant) {
        // A caller that has just gone says nothing about the node.
        if let Err(Grant { node, call, .. }) = waiter.grant.send(grant)
            && let Some(entry) = self.entries.iter_mut().find(|e| e.node.id == node.id)
        {
            entry.ended(call, End::Dropped, now);
        }
    }

    /// What is known of the nodes, for people.
    pub(crate) fn view(&self, now: Instant) -> Vec<NodeView> {
        self.entries.iter().map(|entry| entry.view(now)).collect()
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
