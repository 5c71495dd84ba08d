//! Continuous batching, as vLLM does it. The engine has no I/O and no clock: the time is passed to every call.
//!
//! Requests wait in a queue without limit; up to `slots` of them run at once. The engine works in steps. A step
//! reads prompts up to a limit and writes one token for each sequence whose prompt has been read; it takes a base
//! time and more for each sequence and each prompt token. So throughput saturates with the calls in flight, and
//! beyond the slots only the wait grows.
//!
//! The time since the node started is a [`Duration`]. A step counts as ended at the time when it was due, however late
//! the engine is called: a slow timer delays the text for a listener, but costs no throughput.

use crate::cache::Cache;
use crate::params::Params;
use crate::request::BLOCK_TOKENS;
use fastrand::Rng;
use std::collections::VecDeque;
use std::time::Duration;

/// What a request wants of the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EngineRequest {
    /// Tokens of the prompt.
    pub(crate) prompt_tokens: u32,
    /// The hashes of its whole blocks, each over everything before it.
    pub(crate) blocks: Vec<u64>,
    /// Tokens to write; 0 counts as 1.
    pub(crate) answer_tokens: u32,
}

/// A token was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    /// The request, as [`Engine::submit`] named it.
    pub(crate) id: u64,
    /// When, since the start.
    pub(crate) at: Duration,
    /// Which token, from 1.
    pub(crate) number: u32,
    /// Whether it is the last one.
    pub(crate) last: bool,
    /// Prompt tokens that were found cached.
    pub(crate) cached_tokens: u32,
}

/// The load of the engine.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct EngineLoad {
    /// Sequences that run.
    pub running: usize,
    /// Requests that wait.
    pub waiting: usize,
    /// Tokens of the running sequences divided by the size of the cache, 0 to 1.
    pub cache_use: f64,
}

/// The engine of one node.
#[derive(Debug)]
pub(crate) struct Engine {
    params: Params,
    cache: Cache,
    random: Rng,
    slowness: f64,
    next_id: u64,
    waiting: VecDeque<(u64, EngineRequest)>,
    running: Vec<Running>,
    /// When the step in progress ends.
    step_ends: Option<Duration>,
}

#[derive(Debug)]
struct Running {
    id: u64,
    prompt_tokens: u32,
    cached_tokens: u32,
    /// Prompt tokens that are still to be read.
    unread: u32,
    /// How many of them the step in progress reads.
    reading: u32,
    written: u32,
    answer_tokens: u32,
}

impl Engine {
    /// An idle engine.
    pub(crate) fn new(params: Params) -> Self {
        Engine {
            cache: Cache::new((params.cache_tokens / BLOCK_TOKENS) as usize),
            random: Rng::with_seed(params.seed),
            slowness: 1.0,
            next_id: 0,
            waiting: VecDeque::new(),
            running: Vec::with_capacity(params.slots),
            step_ends: None,
            params,
        }
    }

    /// Takes a request. Call [`Engine::advance`] for the same time before.
    pub(crate) fn submit(&mut self, now: Duration, ask: EngineRequest) -> u64 {
        self.next_id += 1;
        self.waiting.push_back((self.next_id, ask));
        if self.step_ends.is_none() {
            self.begin_step(now);
        }
        self.next_id
    }

    /// Forgets a request; its slot is free at once. False when it is not there any more.
    pub(crate) fn cancel(&mut self, id: u64) -> bool {
        let before = (self.running.len(), self.waiting.len());
        self.running.retain(|running| running.id != id);
        self.waiting.retain(|(waiting, _)| *waiting != id);
        before != (self.running.len(), self.waiting.len())
    }

    /// Ends every step that is due, and adds what it wrote to `tokens`, in order of time.
    pub(crate) fn advance(&mut self, now: Duration, tokens: &mut Vec<Token>) {
        while let Some(end) = self.step_ends.filter(|end| *end <= now) {
            self.end_step(end, tokens);
            self.begin_step(end);
        }
    }

    /// When the step in progress ends; none when there is nothing to do.
    pub(crate) fn next(&self) -> Option<Duration> {
        self.step_ends
    }

    /// Makes every step that begins from now on take so many times as long.
    pub(crate) fn slow_down(&mut self, factor: f64) {
        self.slowness = factor.max(0.0);
    }

    /// Drops everything in flight, and what is cached.
    pub(crate) fn restart(&mut self) {
        self.waiting.clear();
        self.running.clear();
        self.cache.clear();
        self.step_ends = None;
    }

    /// What it is busy with.
    pub(crate) fn load(&self) -> EngineLoad {
        let tokens = self.running.iter();
        let tokens: u32 = tokens.map(|r| r.prompt_tokens + r.written).sum();
        let of = f64::from(self.params.cache_tokens.max(1));
        EngineLoad {
            running: self.running.len(),
            waiting: self.waiting.len(),
            cache_use: (f64::from(tokens) / of).min(1.0),
        }
    }

    fn begin_step(&mut self, now: Duration) {
        self.admit();
        if self.running.is_empty() {
            self.step_ends = None;
            return;
        }
        let mut room = self.params.prefill_tokens_max.max(1);
        let mut read = 0;
        for running in &mut self.running {
            running.reading = running.unread.min(room);
            room -= running.reading;
            read += running.reading;
        }
        let off = 1.0 + self.params.jitter * (2.0 * self.random.f64() - 1.0);
        let step = self.params.step(self.running.len(), read);
        self.step_ends = Some(now + step.mul_f64(off * self.slowness));
    }

    /// First come, first served, while there is a slot.
    fn admit(&mut self) {
        while self.running.len() < self.params.slots {
            let Some((id, ask)) = self.waiting.pop_front() else {
                return;
            };
            let known = self.cache.admit(&ask.blocks) as u32 * BLOCK_TOKENS;
            // The last token of a prompt is always read: the first of the answer follows from it.
            let cached_tokens = known.min(ask.prompt_tokens.saturating_sub(1));
            self.running.push(Running {
                id,
                prompt_tokens: ask.prompt_tokens,
                cached_tokens,
                unread: ask.prompt_tokens - cached_tokens,
                reading: 0,
                written: 0,
                answer_tokens: ask.answer_tokens.max(1),
            });
        }
    }

    fn end_step(&mut self, at: Duration, tokens: &mut Vec<Token>) {
        self.running.retain_mut(|running| {
            running.unread -= running.reading;
            running.reading = 0;
            if running.unread > 0 {
                return true;
            }
            running.written += 1;
            let last = running.written == running.answer_tokens;
            tokens.push(Token {
                id: running.id,
                at,
                number: running.written,
                last,
                cached_tokens: running.cached_tokens,
            });
            !last
        });
    }
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
