//! A model that several nodes serve: each call goes to one node and, if that fails or is late, to another;
//! the caller gets the reply or the error.

use crate::asked::Rejected;
use crate::balance::{Ask, Balance, NodeId, NodeView, SetLimits, Silence};
use crate::constants::{BODY_BYTES_MAX, NODES_MAX, UNMEASURED_MAX};
use crate::error::Error as PoolError;
use crate::failure::{Failure, NextAction};
use crate::hedge::FailedAttempt;
use crate::job::{Came, Job, Tried, Work};
use crate::metrics::{Metrics, Outcome};
use crate::node::Node;
use crate::options::{self, Options};
use crate::retry::{self, Step};
use crate::streaming::DraftStream;
use crate::watch::watch;
use crate::wire::{self, Answer};
use envelope::{Role, TenantId, TurnId};
use llm::{BoxFuture, ChatModel, ChatReply, ChatRequest, Error, Listener, LivePiece};
use serde_json::Value;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use telemetry::Registry;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

/// A [`ChatModel`] over the nodes that serve it. A background task resolves names and reads loads; it ends with the
/// pool.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    _watching: JoinSet<()>,
}

/// What calls and the task in the background share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) metrics: Metrics,
    balance: Mutex<Balance>,
    /// The time to connect, and the longest answer.
    bounds: (Duration, usize),
    next_node: AtomicU64,
    posts: AtomicU64,
}

/// The tenant of calls without a tenant.
static NOBODY: LazyLock<TenantId> = LazyLock::new(TenantId::default_tenant);

impl Pool {
    /// A pool over the nodes of `options`, with metrics in `registry`. Must be called within a runtime. Before the
    /// first call only the name service and the metrics pages of the nodes are contacted.
    ///
    /// # Errors
    /// When an option has a value that is not allowed, there are no nodes, or no HTTP client can be set up.
    pub fn new(options: Options, registry: &Registry) -> Result<Self, PoolError> {
        Pool::reading(options, BODY_BYTES_MAX, registry)
    }

    /// A pool whose answers have at most `body_bytes_max` bytes.
    pub(crate) fn reading(
        options: Options,
        body_bytes_max: usize,
        registry: &Registry,
    ) -> Result<Self, PoolError> {
        options.validate()?;
        let model = options.model.clone();
        if options.nodes.is_empty() {
            return Err(PoolError::NoNodes { model });
        }
        let metrics = Metrics::new(registry, &model)?;
        let seed = fastrand::u64(..);
        let shared = Shared {
            balance: Mutex::new(Balance::new(
                options.policy,
                options.hedge_share,
                set_limits(&options),
                seed,
            )),
            next_node: AtomicU64::new(0),
            posts: AtomicU64::new(0),
            bounds: (options.connect_timeout.into(), body_bytes_max),
            metrics,
            options,
        };
        for node in shared.options.nodes.iter().filter(|node| !node.resolve) {
            shared.admit(shared.node(node, None)?)?;
        }
        let shared = Arc::new(shared);
        let mut watching = JoinSet::new();
        watching.spawn(watch(Arc::downgrade(&shared)));
        Ok(Pool {
            shared,
            _watching: watching,
        })
    }

    /// Posts `body` to `path` under the version of a node, or beside it for a path that begins with a slash; `read`
    /// parses the answer. For calls that are not chats: vectors and scores.
    pub(crate) async fn post<T: Send>(
        &self,
        role: Role,
        path: &str,
        body: &Value,
        time: Duration,
        read: impl Fn(&[u8]) -> Result<T, Failure> + Sync,
    ) -> Result<T, Failure> {
        let body = body.to_string().into_bytes();
        let came = Mutex::new(None);
        let keep = |answer: &[u8]| {
            *came.lock().unwrap_or_else(PoisonError::into_inner) = Some(read(answer)?);
            Ok(())
        };
        // These calls belong to no turn, and no two of them share a prefix.
        let turn = TurnId::derived(0, self.shared.posts.fetch_add(1, Ordering::Relaxed));
        let work = Work::Post {
            path,
            body: &body,
            read: &keep,
        };
        let ask = Ask::new(&NOBODY, &turn, 0, 0);
        let job = Job::new(role, ask, Instant::now() + time, work);
        self.shared.run(&job).await?;
        let came = came.into_inner().unwrap_or_else(PoisonError::into_inner);
        came.ok_or_else(|| Failure::Garbled {
            reason: "no answer".into(),
        })
    }

    /// The state of the nodes as this process knows it.
    pub fn nodes(&self) -> Vec<NodeView> {
        let nodes = self.shared.balance().view(Instant::now());
        let model = &self.shared.options.model;
        let named = |node: NodeView| NodeView {
            model: model.clone(),
            ..node
        };
        nodes.into_iter().map(named).collect()
    }
}

impl ChatModel for Pool {
    fn name(&self) -> &str {
        &self.shared.options.model
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, Error>> {
        Box::pin(self.shared.ask(request, None))
    }

    fn chat_live<'a>(
        &'a self,
        request: &'a ChatRequest,
        listener: &'a Listener<'a>,
    ) -> BoxFuture<'a, Result<ChatReply, Error>> {
        // Half of a JSON object is useless to a listener.
        let listener = request.schema.is_none().then_some(listener);
        Box::pin(self.shared.ask(request, listener))
    }
}

impl Shared {
    pub(crate) fn balance(&self) -> MutexGuard<'_, Balance> {
        self.balance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn node(
        &self,
        options: &options::Node,
        at: Option<SocketAddr>,
    ) -> Result<Arc<Node>, PoolError> {
        let name = match at {
            Some(at) => format!("{}/{at}", options.name),
            None => options.name.clone(),
        };
        let id = self.next_node.fetch_add(1, Ordering::Relaxed);
        let node = Node::new(id, name, options, at, self.bounds)?;
        Ok(Arc::new(node))
    }

    /// Takes in a node. Its series are made and dropped under the lock: one that comes back while its last
    /// calls of before end is not to lose them.
    fn admit(&self, node: Arc<Node>) -> Result<(), PoolError> {
        let mut balance = self.balance();
        let gauge = self.metrics.node(&self.options.model, &node.name)?;
        balance.add(node, gauge, Instant::now());
        Ok(())
    }

    /// Replaces the nodes of a name by those that were found for it.
    pub(crate) fn follow(&self, options: &options::Node, found: &BTreeSet<SocketAddr>) {
        let mine = format!("{}/", options.name);
        let nodes = self.balance().nodes();
        let known = nodes.iter().filter(|node| node.name.starts_with(&mine));
        let known: Vec<_> = known.map(|node| (node.address(), node.clone())).collect();
        for (address, node) in &known {
            if !found.iter().any(|at| at.to_string() == *address) {
                tracing::info!(
                    node = node.name,
                    "node removed: its address is no longer in DNS"
                );
                self.balance().remove(node.id);
                self.metrics.forget(&self.options.model, &node.name);
            }
        }
        let room = NODES_MAX.saturating_sub(self.balance().nodes().len());
        let new = found.iter().filter(|at| {
            let at = at.to_string();
            !known.iter().any(|(address, _)| *address == at)
        });
        for at in new.take(room) {
            let node = self.node(options, Some(*at));
            match node.and_then(|node| self.admit(node.clone()).map(|()| node)) {
                Ok(node) => tracing::info!(node = node.name, "node is new"),
                Err(error) => tracing::warn!(%error, %at, "node found but not added"),
            }
        }
    }

    /// Removes the series of a node once more if it is gone: calls that were in flight have created some again.
    pub(crate) fn forget_if_gone(&self, node: &str) {
        let balance = self.balance();
        if !balance.knows(node) {
            self.metrics.forget(&self.options.model, node);
        }
    }

    pub(crate) fn show(&self) {
        let nodes = self.balance().view(Instant::now());
        self.metrics.show(&self.options.model, &nodes);
    }

    async fn ask<'a>(
        &'a self,
        request: &'a ChatRequest,
        listener: Option<&'a Listener<'a>>,
    ) -> Result<ChatReply, Error> {
        let stream = listener.map(DraftStream::new);
        let most = self.options.total_timeout.map(Duration::from);
        let total = most.map_or(request.timeout, |most| request.timeout.min(most));
        let until = Instant::now() + total;
        let prompt = wire::sent(request);
        let tokens = prompt + u64::from(request.max_tokens);
        let ask = Ask::new(&request.tenant, &request.turn, tokens, prompt);
        let job = Job {
            stream: stream.as_ref(),
            ..Job::new(request.role, ask, until, Work::Chat(request))
        };
        if let Some(listener) = listener {
            let expected = self.balance().expected(&job.ask, Instant::now());
            expected
                .into_iter()
                .map(LivePiece::Expected)
                .for_each(listener);
        }
        let answer = match self.run(&job).await {
            Ok(Some(answer)) => answer,
            Ok(None) => return Err(Error::Protocol("no answer".into())),
            Err(failure) if failure.then() == NextAction::Elsewhere && Instant::now() >= until => {
                return Err(Error::TimedOut(total));
            }
            Err(failure) => return Err(failure.into_error()),
        };
        Ok(self.reply(request, answer))
    }

    async fn run(&self, job: &Job<'_>) -> Result<Came, Failure> {
        let limits = retry::Limits {
            retries: self.options.retries,
            backoff: self.options.backoff,
            until: job.until,
        };
        let tried: Mutex<Tried> = Mutex::default();
        let call = retry::retry(
            limits,
            || self.attempt(job, &tried),
            |miss| self.note_retry(miss),
        );
        match timeout_at(job.until, call).await {
            Ok(Ok(came)) => Ok(came),
            Ok(Err(miss)) => Err(miss.failure),
            Err(_) => Err(Failure::Slow {
                what: "the time for the call was up",
                silence: Silence::default(),
            }),
        }
    }

    async fn attempt(&self, job: &Job<'_>, tried: &Mutex<Tried>) -> Step<Came, FailedAttempt> {
        let before = tried.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let came = self.try_once(&before.next(job), tried).await;
        let mut tried = tried.lock().unwrap_or_else(PoisonError::into_inner);
        match came {
            Ok(came) => Step::Done(came),
            Err(miss) => self.after(job, miss, &mut tried),
        }
    }

    /// What follows from a failed try.
    fn after(
        &self,
        job: &Job<'_>,
        mut miss: FailedAttempt,
        tried: &mut Tried,
    ) -> Step<Came, FailedAttempt> {
        match self.learn(job, &mut miss, tried) {
            NextAction::Stop => return Step::Failed(miss),
            NextAction::Rephrase => return Step::Rephrase(miss),
            NextAction::Again | NextAction::Elsewhere => {}
        }
        let now = Instant::now();
        let ask = tried.ask(job);
        let other = self.balance().another_at(&ask, now);
        let wait = match other.filter(|at| *at <= now) {
            // One that is only full has a queue: that is where to wait.
            Some(_) if !self.balance().goes_back(&ask, now) => Some(Duration::ZERO),
            _ if tried.nodes.iter().all(|node| tried.never.contains(node)) => {
                return Step::Failed(miss);
            }
            _ => self.rest(&ask, &miss.failure, now),
        };
        Step::Again { error: miss, wait }
    }

    /// How long to wait before any node is called again; `None` where no node says so. A node that failed earlier
    /// may be ready before the last one.
    fn rest(&self, ask: &Ask<'_>, failure: &Failure, now: Instant) -> Option<Duration> {
        let rest = failure.retry_after()?;
        let any = Ask { tried: &[], ..*ask };
        match self.balance().another_at(&any, now) {
            Some(at) if at <= now => None,
            Some(at) => Some(rest.min(at - now)),
            None => Some(rest),
        }
    }

    /// Records what a failed attempt says about its node and for the next attempt of the call. Returns the next
    /// action.
    pub(crate) fn learn(
        &self,
        job: &Job<'_>,
        miss: &mut FailedAttempt,
        tried: &mut Tried,
    ) -> NextAction {
        let Some(node) = miss.node else {
            return NextAction::Stop;
        };
        let then = match &mut miss.failure {
            Failure::TooLong { limit } if !job.is_foreign() => {
                let now = Instant::now();
                let context = self.balance().overflowed(node, &job.ask, *limit, now);
                tried.longer_than = tried.longer_than.max(context);
                *limit = limit.map(|_| tried.longer_than);
                NextAction::Elsewhere
            }
            Failure::Dialect { rejected, .. } if job.is_foreign() => {
                tried.rejected(*rejected);
                return NextAction::Rephrase;
            }
            Failure::Dialect { message, rejected } => {
                self.rephrase(node, message, *rejected);
                return NextAction::Rephrase;
            }
            failure => failure.then(),
        };
        if then != NextAction::Again {
            tried.never.push(node);
        }
        tried.nodes.push(node);
        then
    }

    /// Remembers what the node does not know: it is asked in a weaker way from now on.
    fn rephrase(&self, node: NodeId, message: &str, rejected: Rejected) {
        let nodes = self.balance().nodes();
        let Some(node) = nodes.into_iter().find(|n| n.id == node) else {
            return;
        };
        let model = &self.options.model;
        match rejected {
            Rejected::Json(asked) => {
                if let Some(weaker) = node.dialect.reject(asked) {
                    tracing::warn!(
                        model,
                        node = node.name,
                        dialect = weaker.as_str(),
                        message,
                        "node rejects a response format, asking in a weaker one from now on"
                    );
                }
            }
            Rejected::Likely => {
                if !node.refuses_likely.swap(true, Ordering::Relaxed) {
                    tracing::warn!(
                        model,
                        node = node.name,
                        message,
                        "node says no probabilities, asking for none from now on"
                    );
                }
            }
        }
    }

    fn note_retry(&self, miss: &FailedAttempt) {
        let reason = Outcome::from(&miss.failure);
        let node = &miss.name;
        self.metrics.retried(&self.options.model, node, reason);
        self.forget_if_gone(node);
        tracing::debug!(
            model = self.options.model,
            node,
            reason = reason.as_str(),
            failure = ?miss.failure,
            "model call is tried again"
        );
    }

    fn reply(&self, request: &ChatRequest, answer: Answer) -> ChatReply {
        let model = &self.options.model;
        let usage = answer.usage;
        let tokens = [usage.tokens_in, usage.tokens_out, answer.tokens_cached];
        self.metrics.spent(request.role, model, tokens);
        ChatReply {
            text: answer.text,
            model: request.model_or(model).to_owned(),
            usage,
            tokens: answer.tokens,
        }
    }
}

/// The limits of a call that are set by hand.
fn set_limits(options: &Options) -> SetLimits {
    let alone = options.nodes.len() == 1 && !options.nodes[0].resolve;
    let total = options.total_timeout.map_or(Duration::ZERO, Duration::from);
    SetLimits {
        first_token: options.first_token_timeout.map(Duration::from),
        idle: options.idle_timeout.map(Duration::from),
        alone: alone.then(|| UNMEASURED_MAX.max(total)),
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "tries_tests.rs"]
mod tries_tests;
