//! The state of one model node, and how the outcome of a call changes it. Pure.

use super::at_once::{Permits, Took};
use super::breaker::{Breaker, BreakerDecision};
use super::latency::Mean;
use super::patience::{Doubt, Knowledge, Patience, SetLimits};
use super::pick::NodeState;
use super::speed::Speed;
use super::{Ask, End};
use crate::constants::SHOWN_PROMPT_TOKENS;
use crate::load::Load;
use crate::node::Node;
use envelope::TurnId;
use prometheus::IntGauge;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Our estimate of tokens may be over by so much; beyond it a node with a known context is not asked.
const ESTIMATE_SLACK: f64 = 1.3;

/// No context is shorter, in tokens.
const CONTEXT_LEAST: u32 = 128;
/// How long a context that was learned is believed.
pub(super) const CONTEXT_MEMORY: Duration = Duration::from_secs(600);
/// How fast a node's way of counting tokens is believed to be nearer to our estimate.
const COUNTS_GAIN: f64 = 0.05;

/// A call in flight.
#[derive(Debug)]
pub(super) struct Flight {
    began: Instant,
    /// Tokens of its prompt, estimated.
    prompt: u64,
    /// Those of the calls of which no token had come when it began, and of those that began since then.
    ahead: u64,
    beside: u64,
    has_begun: bool,
}

impl Flight {
    /// The tokens that may have to be read before its first comes.
    fn tokens(&self) -> u64 {
        self.prompt + self.ahead + self.beside
    }
}

/// What is known of one node.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) node: Arc<Node>,
    limits: SetLimits,
    pub(super) permits: Permits,
    pub(super) breaker: Breaker,
    pub(super) mean: Mean,
    /// The mean time of answered calls: by it hanging calls are judged where the speed is not measured. They do not
    /// change it.
    answers: Mean,
    speed: Speed,
    doubt: Doubt,
    pub(super) calls: BTreeMap<u64, Flight>,
    /// How many calls are in flight.
    pub(super) gauge: IntGauge,
    pub(super) resting: Option<Instant>,
    pub(super) load: Option<Load>,
    /// Its context in tokens, and until when that is believed.
    pub(super) context: Option<(u32, Instant)>,
    /// Tokens that it counts for one of our estimate.
    pub(super) counts: f64,
    pub(super) answered: u64,
    pub(super) failed: u64,
}

impl Entry {
    /// Of a node that has not been asked yet.
    pub(super) fn new(node: Arc<Node>, gauge: IntGauge, limits: SetLimits) -> Entry {
        Entry {
            limits,
            permits: Permits::new(node.first, node.limit),
            breaker: Breaker::default(),
            mean: Mean::default(),
            answers: Mean::default(),
            speed: Speed::default(),
            doubt: Doubt::default(),
            calls: BTreeMap::new(),
            gauge,
            resting: None,
            load: None,
            context: None,
            counts: 1.0,
            answered: 0,
            failed: 0,
            node,
        }
    }

    /// Whether it may be given some call now.
    pub(super) fn has_room(&self, now: Instant) -> bool {
        let room = match self.breaker.lets(now) {
            BreakerDecision::All => self.calls.len() < self.permits.limit(),
            BreakerDecision::One => true,
            BreakerDecision::None(_) => false,
        };
        room && self.resting.is_none_or(|until| now >= until)
    }

    pub(super) fn state(&self, ask: &Ask<'_>, now: Instant) -> NodeState {
        let told = self.load.map_or(0, |load| load.running + load.waiting);
        NodeState {
            open: self.has_room(now) && self.will_do(ask, now),
            away: self.away_until(now).is_some() || !self.will_do(ask, now),
            tried: ask.tried.contains(&self.node.id),
            calls: self.calls.len().max(told),
            seconds: self.seconds(self.mean.seconds(now), now),
            measured: self.seconds(self.mean.measured(), now),
            permits: self.permits.limit(),
            home: self.home(ask.turn),
        }
    }

    /// What a call takes here, by its mean. The oldest one of which nothing has come says so before it
    /// ends: of a node that hangs, nothing else ever would. One that is being answered may be a long one.
    fn seconds(&self, mean: f64, now: Instant) -> f64 {
        let oldest = self.silent().next();
        let age = oldest.map_or(0.0, |call| (now - call.began).as_secs_f64());
        let full = self.load.is_some_and(|load| load.is_full());
        let factor = if full { 1.5 } else { 1.0 };
        mean.max(age / 2.0) * factor
    }

    /// Rendezvous hashing: the same in every process, and a node that comes or goes moves only its own.
    fn home(&self, turn: &TurnId) -> u64 {
        let mut hasher = DefaultHasher::new();
        (turn.as_str(), &self.node.name).hash(&mut hasher);
        hasher.finish()
    }

    /// Whether it may be called at all, now or when it has room.
    pub(super) fn will_do(&self, ask: &Ask<'_>, now: Instant) -> bool {
        !ask.never.contains(&self.node.id) && self.fits(ask, now)
    }

    pub(super) fn fits(&self, ask: &Ask<'_>, now: Instant) -> bool {
        self.context_at(now).is_none_or(|context| {
            let most = f64::from(context) * ESTIMATE_SLACK;
            context > ask.longer_than && ask.tokens as f64 * self.counts <= most
        })
    }

    /// A call with this many tokens did not fit. When the node does not report its limit, it is only assumed not to
    /// accept this length.
    pub(super) fn overflowed(&mut self, tokens: u64, limit: Option<u32>, now: Instant) -> u32 {
        let guess = (tokens as f64 * self.counts / ESTIMATE_SLACK).ceil() as u32;
        let guess = guess.saturating_sub(1);
        let context = limit.unwrap_or_else(|| self.context_at(now).unwrap_or(guess).min(guess));
        // A node that refuses a shorter prompt has another reason for it.
        if limit.is_some() || context >= CONTEXT_LEAST {
            self.context = Some((context, now + CONTEXT_MEMORY));
        }
        context
    }

    /// Its context in tokens, as long as what was learned is believed.
    fn context_at(&self, now: Instant) -> Option<u32> {
        let believed = self.context.filter(|(_, until)| now < *until);
        believed.map(|(context, _)| context)
    }

    /// Learns how many tokens it counts for our estimate. The least counts at once and is forgotten
    /// slowly: what would have fitted is to be asked.
    fn learn_counts(&mut self, (estimate, read): (u64, u64)) {
        let counts = (read as f64 / estimate.max(1) as f64).clamp(0.2, 1.5);
        let more = (counts - self.counts) * COUNTS_GAIN;
        self.counts = counts.min(self.counts + more.max(0.0));
    }

    /// Until when the node is not called, because of a requested pause or the breaker; `None` when only a lease is
    /// missing. A call that finds every node away fails as unavailable, so a limit that is used up belongs in `has_room`.
    pub(super) fn away_until(&self, now: Instant) -> Option<Instant> {
        let shut = match self.breaker.lets(now) {
            BreakerDecision::None(until) => Some(until),
            BreakerDecision::All | BreakerDecision::One => None,
        };
        let resting = self.resting.filter(|until| now < *until);
        shut.into_iter().chain(resting).max()
    }

    /// It said something sensible; one that was left alone begins small again.
    fn proved_well(&mut self, now: Instant) {
        if self.breaker.succeeded(now) {
            self.permits.restart();
        }
    }

    /// The calls of which no token has come yet, the oldest first.
    fn silent(&self) -> impl Iterator<Item = &Flight> {
        self.calls.values().filter(|call| !call.has_begun)
    }

    /// How many seconds a call with such a prompt will likely take, after the prompts that wait to be read.
    pub(super) fn expected(&self, prompt: u64) -> Option<f64> {
        let before: u64 = self.silent().map(|call| call.prompt).sum();
        let tokens = (prompt + before) as f64 * self.counts;
        Some(self.speed.reading(tokens as u64)? + self.speed.answering()?)
    }

    /// How long a call may be silent that waits for so many tokens to be read.
    fn patience(&self, tokens: u64) -> Patience {
        let known = Knowledge {
            speed: self.speed,
            doubt: self.doubt,
            answer: self.answers.measured(),
        };
        self.limits.patience(&known, tokens)
    }

    /// How long a call in flight may be silent, by what is known now.
    pub(super) fn patience_of(&self, call: u64) -> Option<Patience> {
        let flight = self.calls.get(&call)?;
        Some(self.patience(flight.tokens()))
    }

    /// A call begins. Returns how long it may be silent by what is known so far: what is to be read before it counts, and
    /// of calls that other processes are said to have waiting each as much as its own.
    pub(super) fn began(&mut self, call: u64, prompt: u64, now: Instant) -> Patience {
        let waiting = self.load.map_or(0, |load| load.waiting);
        let others = waiting.saturating_sub(self.silent().count()) as u64;
        let ahead = self.silent().map(|call| call.prompt).sum::<u64>() + others * prompt;
        // A server with several slots may read this prompt together with those that wait.
        for flight in self.calls.values_mut().filter(|call| !call.has_begun) {
            flight.beside += prompt;
        }
        let flight = Flight {
            began: now,
            prompt,
            ahead,
            beside: 0,
            has_begun: false,
        };
        let patience = self.patience(flight.tokens());
        self.breaker.began(call, now);
        self.calls.insert(call, flight);
        self.gauge.inc();
        patience
    }

    pub(super) fn answers(&mut self, call: u64) {
        if let Some(call) = self.calls.get_mut(&call) {
            call.has_begun = true;
        }
    }

    pub(super) fn ended(&mut self, call: u64, end: End, now: Instant) {
        let Some(flight) = self.calls.remove(&call) else {
            return;
        };
        self.gauge.dec();
        let took = now - flight.began;
        match end {
            End::Answered {
                first_token,
                size,
                counted,
                pace,
            } => {
                if let Some(counted) = counted {
                    self.learn_counts(counted);
                }
                self.proved_well(now);
                self.speed.observe(pace, flight.ahead);
                self.doubt = Doubt::default();
                self.mean.observe_answer(took, now);
                self.answers.observe_answer(took, now);
                let in_flight = self.calls.len() + 1;
                let took = Took {
                    first_token,
                    whole: took,
                    size,
                    unread: pace.unread,
                };
                self.permits.succeeded(took, in_flight, now);
                self.answered += 1;
            }
            End::Refused => self.proved_well(now),
            End::Busy(wait) => {
                self.permits.busy(now);
                match wait {
                    Some(wait) => {
                        self.resting = self.resting.max(Some(now + wait));
                        // A trial is to be made again when it has rested.
                        self.breaker.ended(call, now);
                    }
                    None => self.breaker.failed(call, now),
                }
            }
            End::Failed | End::Unfit => {
                self.breaker.failed(call, now);
                self.failed += 1;
            }
            End::Late(silence) if !self.patience(flight.tokens()).is_fault(silence) => {
                self.breaker.ended(call, now);
                // No proof, but no reason to think better of it either.
                let mean = Duration::from_secs_f64(self.mean.seconds(now));
                self.mean.observe(took.max(mean), now);
            }
            End::Late(_) => {
                self.breaker.failed(call, now);
                self.doubt.grow();
                self.mean.observe(took, now);
                self.failed += 1;
            }
            End::Outrun => {
                self.breaker.failed(call, now);
                let mean = Duration::from_secs_f64(self.mean.seconds(now));
                self.mean.observe(took.max(mean), now);
            }
            End::Dropped => self.breaker.ended(call, now),
        }
    }

    pub(super) fn view(&self, now: Instant) -> NodeView {
        let left = |until: Instant| until.saturating_duration_since(now).as_millis() as u64;
        let patience = self.patience(SHOWN_PROMPT_TOKENS);
        NodeView {
            model: String::new(),
            name: self.node.name.clone(),
            address: self.node.address(),
            breaker: self.breaker.word().to_owned(),
            in_flight: self.calls.len(),
            permits: self.permits.limit(),
            limit: self.node.limit,
            latency_ms: (self.mean.seconds(now) * 1_000.0).round() as u64,
            answered: self.answered,
            failed: self.failed,
            resting_ms: self.resting.map_or(0, left),
            queued: self.load.map(|load| load.waiting),
            context: self.context_at(now),
            dialect: self.node.dialect.get().as_str().to_owned(),
            reads_per_s: self.speed.reads_per_s(),
            writes_per_s: self.speed.writes_per_s(),
            first_token_limit_ms: patience.first_token.as_millis() as u64,
            idle_limit_ms: patience.idle.as_millis() as u64,
        }
    }
}

/// A node as one process sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeView {
    /// The model that the node is asked for; empty if a process of an older release reports it.
    #[serde(default)]
    pub model: String,
    /// Its configured name; with the address after a slash where a name stands for several.
    pub name: String,
    /// Host and port.
    pub address: String,
    /// `closed`, `open` or `half_open`.
    pub breaker: String,
    /// Calls of this process in flight.
    pub in_flight: usize,
    /// How many calls this process currently gives the node at once.
    pub permits: usize,
    /// The most calls that this process gives the node at once.
    pub limit: usize,
    /// Mean time of a call, in milliseconds; 0 before the first.
    pub latency_ms: u64,
    /// Calls answered since the process knows the node.
    pub answered: u64,
    /// Calls failed.
    pub failed: u64,
    /// How much longer the node is left alone because it asked for a pause, in milliseconds.
    pub resting_ms: u64,
    /// Requests in the queue of the node, if it reports them.
    pub queued: Option<usize>,
    /// The context of the node in tokens, if it was learned.
    pub context: Option<u32>,
    /// How it is asked for JSON.
    pub dialect: String,
    /// Prompt tokens that it reads in a second; `None` before that is measured.
    #[serde(default)]
    pub reads_per_s: Option<f64>,
    /// Tokens that it writes in a second for one call; `None` before that is measured.
    #[serde(default)]
    pub writes_per_s: Option<f64>,
    /// The most time to the first token of a call now with a prompt of 2,000 tokens, in milliseconds; 0 if a process of an
    /// older release reports the node.
    #[serde(default)]
    pub first_token_limit_ms: u64,
    /// The most time between two tokens of a call now, in milliseconds; 0 if a process of an older release reports the node.
    #[serde(default)]
    pub idle_limit_ms: u64,
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
