//! A model that is served by nodes: asks one, asks again elsewhere, and says what came of it.

use crate::allowance::Allowance;
use crate::balance::{Ask, Balance, NodeId, NodeView};
use crate::dialect::Dialect;
use crate::error::Error as PoolError;
use crate::failure::{Failure, Then};
use crate::limits::{BODY_BYTES_MAX, NODES_MAX};
use crate::metrics::{Metrics, Outcome};
use crate::node::{Body, Node, Timeouts};
use crate::options::{self, Options};
use crate::race::Miss;
use crate::retry::{self, Step};
use crate::watch::watch;
use crate::wire::{self, Answer};
use envelope::{Role, TenantId, TurnId};
use llm::{BoxFuture, ChatModel, ChatReply, ChatRequest, Error};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use telemetry::Registry;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

/// A [`ChatModel`] over the nodes that serve it. A task of its own looks after names and loads; it ends
/// with the pool.
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
    allowance: Mutex<Allowance>,
    bounds: (Timeouts, usize),
    next_node: AtomicU64,
    posts: AtomicU64,
}

/// Who asks when nobody in particular does.
static NOBODY: LazyLock<TenantId> = LazyLock::new(TenantId::default_tenant);

/// What one call is about.
pub(crate) struct Job<'a> {
    pub(crate) role: Role,
    pub(crate) ask: Ask<'a>,
    pub(crate) until: Instant,
    work: Work<'a>,
}

/// What is sent, and how the answer is read.
enum Work<'a> {
    Chat(&'a ChatRequest),
    /// A body as it is; `read` looks at the answer and keeps what it wants of it.
    Post {
        path: &'a str,
        body: &'a [u8],
        read: &'a (dyn Fn(&[u8]) -> Result<(), Failure> + Sync),
    },
}

/// What came of it: an answer of a chat, nothing of a post.
pub(crate) type Came = Option<Answer>;

impl Job<'_> {
    pub(crate) fn path(&self) -> &str {
        match &self.work {
            Work::Chat(_) => "chat/completions",
            Work::Post { path, .. } => path,
        }
    }

    /// The request of a chat.
    pub(crate) fn request(&self) -> Option<&ChatRequest> {
        match &self.work {
            Work::Chat(request) => Some(request),
            Work::Post { .. } => None,
        }
    }

    /// Whether it asks for another model than that of the pool, as a replay may: what comes of it says
    /// nothing of how the nodes serve their own.
    pub(crate) fn is_foreign(&self) -> bool {
        self.request()
            .is_some_and(|request| request.model.is_some())
    }

    pub(crate) fn asks_for_json(&self) -> bool {
        matches!(&self.work, Work::Chat(request) if request.schema.is_some())
    }

    pub(crate) fn body(&self, options: &Options, dialect: Dialect) -> Vec<u8> {
        let Options {
            model,
            temperature,
            stream,
            ..
        } = options;
        match &self.work {
            Work::Chat(request) => wire::request(
                request.model_or(model),
                *temperature,
                request,
                dialect,
                *stream,
            ),
            Work::Post { body, .. } => body.to_vec(),
        }
    }

    pub(crate) fn read(&self, body: Body, asked: Option<Dialect>) -> Result<Came, Failure> {
        match (&self.work, body) {
            (Work::Chat(request), Body::Whole(body)) => {
                wire::answer(&body, request, asked).map(Some)
            }
            (Work::Chat(request), Body::Streamed(streamed)) => {
                wire::streamed(streamed, request).map(Some)
            }
            (Work::Post { read, .. }, Body::Whole(body)) => read(&body).map(|()| None),
            (Work::Post { .. }, Body::Streamed(_)) => Err(Failure::Garbled {
                reason: "a stream came where none was asked for".into(),
            }),
        }
    }
}

impl Pool {
    /// A pool over the nodes of `options`, counted in `registry`. Must be called within a runtime.
    /// Nothing is contacted before the first call but the name service and the nodes' metrics pages.
    ///
    /// # Errors
    /// When an option cannot be kept to, there are no nodes, or no HTTP client can be set up.
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
        let alone = options.nodes.len() == 1 && !options.nodes[0].resolve;
        let timeouts = Timeouts {
            connect: options.connect_timeout.into(),
            first_token: match alone {
                // Nobody else could be asked instead, so there is nothing to hurry for.
                true => options.total_timeout.into(),
                false => options.first_token_timeout.into(),
            },
            idle: options.idle_timeout.into(),
        };
        let names: Vec<_> = options.nodes.iter().map(|n| n.name.as_str()).collect();
        let metrics = Metrics::new(registry, &model, &names)?;
        let seed = fastrand::u64(..);
        let shared = Shared {
            balance: Mutex::new(Balance::new(options.policy, options.hedge_share, seed)),
            allowance: Mutex::new(Allowance::new(options.tenant_tokens_per_minute)),
            next_node: AtomicU64::new(0),
            posts: AtomicU64::new(0),
            bounds: (timeouts, body_bytes_max),
            metrics,
            options,
        };
        for node in shared.options.nodes.iter().filter(|node| !node.resolve) {
            let node = shared.node(node, None)?;
            shared.balance().add(node, Instant::now());
        }
        let shared = Arc::new(shared);
        let mut watching = JoinSet::new();
        watching.spawn(watch(Arc::downgrade(&shared)));
        Ok(Pool {
            shared,
            _watching: watching,
        })
    }

    /// Posts `body` to `path` under the version of a node, or beside it for one that begins with a
    /// slash; `read` looks at the answer. For what is no chat: vectors and scores.
    pub(crate) async fn post(
        &self,
        role: Role,
        path: &str,
        body: &[u8],
        time: Duration,
        read: &(dyn Fn(&[u8]) -> Result<(), Failure> + Sync),
    ) -> Result<(), Failure> {
        // Nobody in particular asks, and no two of these calls share a prefix.
        let turn = TurnId::derived(0, self.shared.posts.fetch_add(1, Ordering::Relaxed));
        let job = Job {
            role,
            ask: Ask {
                tenant: &NOBODY,
                turn: &turn,
                tokens: 0,
                tried: &[],
                again: false,
            },
            until: Instant::now() + time,
            work: Work::Post { path, body, read },
        };
        self.shared.run(&job).await.map(drop)
    }

    /// What this process knows of the nodes.
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
        Box::pin(self.shared.ask(request))
    }
}

/// What a call takes off its tenant's allowance: an estimate while it runs, then what it cost, which is
/// nothing unless it is answered.
struct Spending<'p> {
    shared: &'p Shared,
    tenant: &'p TenantId,
    estimate: u64,
    cost: u64,
}

impl<'p> Spending<'p> {
    fn begin(shared: &'p Shared, tenant: &'p TenantId, estimate: u64) -> Spending<'p> {
        let tokens = i64::try_from(estimate).unwrap_or(i64::MAX);
        shared.allowance().spend(tenant, tokens, Instant::now());
        Spending {
            shared,
            tenant,
            estimate,
            cost: 0,
        }
    }
}

impl Drop for Spending<'_> {
    fn drop(&mut self) {
        let tokens = i64::try_from(self.cost).unwrap_or(i64::MAX)
            - i64::try_from(self.estimate).unwrap_or(i64::MAX);
        let mut allowance = self.shared.allowance();
        allowance.spend(self.tenant, tokens, Instant::now());
    }
}

impl Shared {
    pub(crate) fn balance(&self) -> MutexGuard<'_, Balance> {
        self.balance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn allowance(&self) -> MutexGuard<'_, Allowance> {
        let allowance = self.allowance.lock();
        allowance.unwrap_or_else(PoisonError::into_inner)
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
        let gauge = self.metrics.in_flight(&self.options.model, &name);
        let node = Node::new(id, name, options, at, self.bounds, gauge)?;
        Ok(Arc::new(node))
    }

    /// Makes the nodes of a name those that were found for it.
    pub(crate) fn follow(&self, options: &options::Node, found: &BTreeSet<SocketAddr>) {
        let mine = format!("{}/", options.name);
        let nodes = self.balance().nodes();
        let known = nodes.iter().filter(|node| node.name.starts_with(&mine));
        let known: Vec<_> = known.map(|node| (node.address(), node.clone())).collect();
        for (address, node) in &known {
            if !found.iter().any(|at| at.to_string() == *address) {
                tracing::info!(node = node.name, "node is gone");
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
            match self.node(options, Some(*at)) {
                Ok(node) => {
                    tracing::info!(node = node.name, "node is new");
                    self.balance().add(node, Instant::now());
                }
                Err(error) => tracing::warn!(%error, %at, "node not taken in"),
            }
        }
    }

    /// Drops the series of a node once more if it is gone: the calls that it had in hand have made some
    /// anew.
    pub(crate) fn forget_if_gone(&self, node: &str) {
        let is_here = self.balance().knows(node);
        if !is_here {
            self.metrics.forget(&self.options.model, node);
        }
    }

    /// Shows the gauges.
    pub(crate) fn show(&self) {
        let nodes = self.balance().view(Instant::now());
        self.metrics.show(&self.options.model, &nodes);
    }

    async fn ask<'a>(&'a self, request: &'a ChatRequest) -> Result<ChatReply, Error> {
        let total = request.timeout.min(self.options.total_timeout.into());
        let until = Instant::now() + total;
        let job = Job {
            role: request.role,
            ask: Ask {
                tenant: &request.tenant,
                turn: &request.turn,
                tokens: wire::sent(request) + u64::from(request.max_tokens),
                tried: &[],
                again: false,
            },
            until,
            work: Work::Chat(request),
        };
        if let Some(wait) = self.allowance().wait(&request.tenant, Instant::now()) {
            // Of this tenant alone: a fleet that is overloaded would stop for all of them.
            return Err(Error::Unavailable {
                reason: "the tenant has spent his tokens of this minute".into(),
                retry_after: Some(wait),
            });
        }
        let mut spending = Spending::begin(self, &request.tenant, job.ask.tokens);
        let answer = match self.run(&job).await {
            Ok(Some(answer)) => answer,
            Ok(None) => return Err(Error::Protocol("no answer".into())),
            Err(failure) if failure.then() == Then::Elsewhere && Instant::now() >= until => {
                return Err(Error::TimedOut(total));
            }
            Err(failure) => return Err(failure.into_error()),
        };
        spending.cost = answer.usage.tokens_in + answer.usage.tokens_out;
        drop(spending);
        Ok(self.reply(request, answer))
    }

    async fn run(&self, job: &Job<'_>) -> Result<Came, Failure> {
        let limits = retry::Limits {
            retries: self.options.retries,
            backoff: self.options.backoff,
            until: job.until,
        };
        let tried: Mutex<Vec<NodeId>> = Mutex::default();
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
            }),
        }
    }

    async fn attempt(&self, job: &Job<'_>, tried: &Mutex<Vec<NodeId>>) -> Step<Came, Miss> {
        let avoid = tried.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut missed = Vec::new();
        let came = self.try_once(job, &avoid, &mut missed).await;
        let mut tried = tried.lock().unwrap_or_else(PoisonError::into_inner);
        tried.append(&mut missed);
        match came {
            Ok(came) => Step::Done(came),
            Err(miss) => self.after(job, miss, &mut tried),
        }
    }

    /// What follows from a failed try.
    fn after(&self, job: &Job<'_>, miss: Miss, tried: &mut Vec<NodeId>) -> Step<Came, Miss> {
        let then = miss.failure.then();
        let Some(node) = miss.node else {
            return Step::Failed(miss);
        };
        if let Failure::TooLong { limit: Some(limit) } = miss.failure
            && !job.is_foreign()
        {
            self.balance().learn_context(node, limit, Instant::now());
        }
        if then == Then::Rephrase {
            return self.rephrase(node, miss);
        }
        tried.push(node);
        let ask = Ask { tried, ..job.ask };
        let others = self.balance().has_another(&ask, Instant::now());
        match (then, others) {
            // Another node need not be waited for.
            (Then::Again | Then::Elsewhere, true) => Step::Again {
                error: miss,
                wait: Some(Duration::ZERO),
            },
            (Then::Again, false) => Step::Again {
                wait: miss.failure.retry_after(),
                error: miss,
            },
            _ => Step::Failed(miss),
        }
    }

    /// Remembers what the node does not know, and asks again in a weaker way.
    fn rephrase(&self, node: NodeId, miss: Miss) -> Step<Came, Miss> {
        let nodes = self.balance().nodes();
        let node = nodes.into_iter().find(|n| n.id == node);
        if let (Some(node), Failure::Dialect { message, asked }) = (node, &miss.failure)
            && let Some(weaker) = node.dialect.reject(*asked)
        {
            tracing::warn!(
                model = self.options.model,
                node = node.name,
                dialect = weaker.as_str(),
                message,
                "node rejects a response format, asking in a weaker one from now on"
            );
        }
        Step::Rephrase(miss)
    }

    fn note_retry(&self, miss: &Miss) {
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
        }
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
