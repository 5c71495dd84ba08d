//! The engine on a clock: one task per node, one timer per step.
//!
//! A call watches the number of its tokens that are written. This is one current value and no queue: a call that looks
//! late sees more tokens at once, so a slow reader costs no memory.

use crate::engine::{Engine, EngineLoad, EngineRequest, Token};
use crate::params::Params;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until};

/// The engine of a node, and the calls that wait for it.
#[derive(Debug)]
pub(crate) struct Works {
    inner: Mutex<Inner>,
    /// The engine was idle and is so no more.
    begun: Notify,
    born: Instant,
    /// Tokens that are made known together, after the first one.
    chunk_tokens: u32,
}

#[derive(Debug)]
struct Inner {
    engine: Engine,
    jobs: HashMap<u64, watch::Sender<Progress>>,
    tokens: Vec<Token>,
}

/// How far the answer of a call is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) written: u32,
    pub(crate) cached_tokens: u32,
    pub(crate) done: bool,
}

/// A call in the engine; dropping it cancels it.
#[derive(Debug)]
pub(crate) struct Job {
    id: u64,
    works: Arc<Works>,
    progress: watch::Receiver<Progress>,
}

impl Works {
    pub(crate) fn new(params: Params, chunk_tokens: u32) -> Arc<Self> {
        Arc::new(Works {
            inner: Mutex::new(Inner {
                engine: Engine::new(params),
                jobs: HashMap::new(),
                tokens: Vec::new(),
            }),
            begun: Notify::new(),
            born: Instant::now(),
            chunk_tokens: chunk_tokens.max(1),
        })
    }

    /// Runs the engine until it is dropped.
    pub(crate) async fn run(self: Arc<Self>) {
        loop {
            let next = {
                let mut inner = self.lock();
                self.advance(&mut inner);
                inner.engine.next()
            };
            // A call that comes during a step waits for its end; only a call that finds the engine idle begins one.
            match next {
                Some(next) => tokio::select! {
                    () = sleep_until(self.born + next) => {}
                    () = self.begun.notified() => {}
                },
                None => self.begun.notified().await,
            }
        }
    }

    /// Hands a request to the engine.
    pub(crate) fn submit(self: &Arc<Self>, ask: EngineRequest) -> Job {
        let mut inner = self.lock();
        self.advance(&mut inner);
        let was_idle = inner.engine.next().is_none();
        let id = inner.engine.submit(self.born.elapsed(), ask);
        let (sender, progress) = watch::channel(Progress::default());
        inner.jobs.insert(id, sender);
        drop(inner);
        if was_idle {
            self.begun.notify_one();
        }
        Job {
            id,
            works: self.clone(),
            progress,
        }
    }

    pub(crate) fn load(&self) -> EngineLoad {
        self.lock().engine.load()
    }

    pub(crate) fn slow_down(&self, factor: f64) {
        self.lock().engine.slow_down(factor);
    }

    /// Drops everything in flight and what is cached.
    pub(crate) fn restart(&self) {
        let mut inner = self.lock();
        inner.engine.restart();
        inner.jobs.clear();
    }

    fn advance(&self, inner: &mut Inner) {
        let Inner {
            engine,
            jobs,
            tokens,
        } = inner;
        engine.advance(self.born.elapsed(), tokens);
        for token in tokens.drain(..) {
            let telling = token.number == 1 || token.number.is_multiple_of(self.chunk_tokens);
            if !telling && !token.last {
                continue;
            }
            let progress = Progress {
                written: token.number,
                cached_tokens: token.cached_tokens,
                done: token.last,
            };
            if token.last {
                if let Some(job) = jobs.remove(&token.id) {
                    job.send_replace(progress);
                }
            } else if let Some(job) = jobs.get(&token.id) {
                job.send_replace(progress);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job {
    /// What is new; none when the node was restarted meanwhile.
    pub(crate) async fn more(&mut self) -> Option<Progress> {
        // A job that is done has no sender any more, but what it sent last is still there.
        let changed = self.progress.changed().await;
        let progress = *self.progress.borrow_and_update();
        (changed.is_ok() || progress.done).then_some(progress)
    }

    /// Waits for the end of the answer.
    pub(crate) async fn done(&mut self) -> Option<Progress> {
        loop {
            let progress = self.more().await?;
            if progress.done {
                return Some(progress);
            }
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let mut inner = self.works.lock();
        inner.engine.cancel(self.id);
        inner.jobs.remove(&self.id);
    }
}
