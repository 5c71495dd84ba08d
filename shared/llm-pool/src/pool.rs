//! A model that is served by one or more nodes: picks one, asks it, tries again elsewhere.
//!
//! Not here yet: hedging, breakers, limits that adapt. What they need to know is kept with the
//! nodes, what they decide belongs into [`crate::pick`].

use crate::dialect::Dialect;
use crate::error::Error as PoolError;
use crate::failure::{Failure, Then};
use crate::metrics::{Metrics, Outcome};
use crate::node::{Node, Place, Timeouts};
use crate::options::Options;
use crate::pick::pick;
use crate::retry::{self, Step};
use crate::wire::{self, Answer};
use llm::{BoxFuture, ChatModel, ChatReply, ChatRequest, Error};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use telemetry::Registry;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// A [`ChatModel`] over the nodes that serve it.
#[derive(Debug)]
pub struct Pool {
    options: Options,
    nodes: Vec<Node>,
    metrics: Metrics,
    /// As many permits as all nodes have places: who holds one finds a place.
    places: Arc<Semaphore>,
    /// Whose turn it is; held while a place is taken, so that two calls do not want the same one.
    turn: Mutex<usize>,
}

/// The nodes that failed for one call, as bits. [`crate::limits::NODES_MAX`] fits.
#[derive(Debug, Default)]
struct Tried(AtomicU64);

impl Tried {
    fn add(&self, node: usize) {
        self.0.fetch_or(1 << node, Ordering::Relaxed);
    }

    fn has(&self, node: usize) -> bool {
        self.0.load(Ordering::Relaxed) & (1 << node) != 0
    }
}

/// A failed try: at which node, if it came that far, and why.
#[derive(Debug)]
struct Miss {
    node: Option<usize>,
    failure: Failure,
}

/// A place at a node and the pool's permit for it, given back in this order.
struct Seat {
    node: usize,
    _place: Place,
    _permit: OwnedSemaphorePermit,
}

impl Pool {
    /// A pool over the nodes of `options`, counted in `registry`. Nothing is contacted.
    ///
    /// # Errors
    /// When an option cannot be kept to, there are no nodes, or no HTTP client can be set up.
    pub fn new(options: Options, registry: &Registry) -> Result<Self, PoolError> {
        options.validate()?;
        let model = options.model.clone();
        if options.nodes.is_empty() {
            return Err(PoolError::NoNodes { model });
        }
        let timeouts = Timeouts {
            connect: options.connect_timeout.into(),
            first_byte: match options.nodes.len() {
                // Nobody else could be asked instead, so there is nothing to hurry for.
                1 => options.total_timeout.into(),
                _ => options.first_byte_timeout.into(),
            },
            idle: options.idle_timeout.into(),
        };
        let names: Vec<_> = options.nodes.iter().map(|n| n.name.as_str()).collect();
        let metrics = Metrics::new(registry, &model, &names)?;
        let nodes = options.nodes.iter().map(|node| {
            let gauge = metrics.in_flight(&model, &node.name);
            Node::new(node, timeouts, gauge)
        });
        let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
        let places = options.nodes.iter().map(|node| node.max_in_flight as usize);
        Ok(Pool {
            places: Arc::new(Semaphore::new(places.sum())),
            turn: Mutex::new(0),
            nodes,
            metrics,
            options,
        })
    }

    async fn ask(&self, request: &ChatRequest) -> Result<ChatReply, Error> {
        let total = request.timeout.min(self.options.total_timeout.into());
        let until = Instant::now() + total;
        let limits = retry::Limits {
            retries: self.options.retries,
            backoff: self.options.backoff,
            until,
        };
        let tried = Tried::default();
        let call = retry::retry(
            limits,
            || self.attempt(request, until, &tried),
            |miss| self.note_retry(miss),
        );
        match timeout_at(until, call).await {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(Miss { failure, .. })) => {
                let time_up = Instant::now() >= until && failure.then() == Then::Elsewhere;
                Err(if time_up {
                    Error::TimedOut(total)
                } else {
                    failure.into_error()
                })
            }
            Err(_) => Err(Error::TimedOut(total)),
        }
    }

    /// One try at one node.
    async fn attempt(
        &self,
        request: &ChatRequest,
        until: Instant,
        tried: &Tried,
    ) -> Step<ChatReply, Miss> {
        let seat = match self.seat(tried, until).await {
            Ok(seat) => seat,
            Err(failure) => return self.after(None, failure, None, tried),
        };
        let node = &self.nodes[seat.node];
        let dialect = node.dialect.get();
        let asked = request.schema.as_ref().map(|_| dialect);
        let watch = self
            .metrics
            .watch(request.role, &self.options.model, &node.name);
        let body = wire::request(
            &self.options.model,
            self.options.temperature,
            request,
            dialect,
        );
        let answer = node.call(body, asked, until).await;
        match answer.and_then(|body| wire::answer(&body, request, asked)) {
            Ok(answer) => {
                watch.ended(Outcome::Ok);
                Step::Done(self.reply(request, node, answer))
            }
            Err(failure) => {
                watch.ended(Outcome::from(&failure));
                self.after(Some(seat.node), failure, asked, tried)
            }
        }
    }

    /// A place at the node that is picked, as soon as there is one.
    async fn seat(&self, tried: &Tried, until: Instant) -> Result<Seat, Failure> {
        let patience = until.min(Instant::now() + self.options.queue_timeout.duration());
        let permit = match timeout_at(patience, self.places.clone().acquire_owned()).await {
            Ok(Ok(permit)) => permit,
            Ok(Err(_)) | Err(_) => return Err(Failure::Full),
        };
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let states = self.nodes.iter().enumerate();
        let states: Vec<_> = states.map(|(i, n)| n.state(tried.has(i))).collect();
        let picked = pick(&states, *turn);
        let taken = picked.and_then(|node| Some((node, self.nodes[node].take_place()?)));
        let Some((node, place)) = taken else {
            // All that have room rest. The wait is for the first of all, if nobody works.
            return Err(Failure::Busy {
                retry_after: self.rest_left(),
            });
        };
        *turn = node + 1;
        Ok(Seat {
            node,
            _place: place,
            _permit: permit,
        })
    }

    /// How long until the first node may be asked again, when every node rests.
    fn rest_left(&self) -> Option<Duration> {
        let waits: Option<Vec<Duration>> = self.nodes.iter().map(Node::rest_left).collect();
        waits?.into_iter().min()
    }

    /// What follows from a failed try.
    fn after(
        &self,
        node: Option<usize>,
        failure: Failure,
        asked: Option<Dialect>,
        tried: &Tried,
    ) -> Step<ChatReply, Miss> {
        let then = failure.then();
        if let Some(node) = node {
            if then == Then::Rephrase {
                return self.rephrase(node, failure, asked);
            }
            tried.add(node);
            if let Some(wait) = failure.retry_after() {
                self.nodes[node].rest(wait);
            }
        }
        let others = (0..self.nodes.len()).any(|node| !tried.has(node));
        let error = Miss { node, failure };
        match then {
            Then::Again => Step::Again {
                error,
                wait: self.rest_left(),
            },
            Then::Elsewhere if others => Step::Again {
                error,
                wait: self.rest_left(),
            },
            _ => Step::Failed(error),
        }
    }

    /// Remembers what the node does not know, and asks again in a weaker way.
    fn rephrase(
        &self,
        node: usize,
        failure: Failure,
        asked: Option<Dialect>,
    ) -> Step<ChatReply, Miss> {
        let learned = asked.and_then(|dialect| self.nodes[node].dialect.reject(dialect));
        if let (Some(weaker), Failure::Dialect { message }) = (learned, &failure) {
            tracing::warn!(
                model = self.options.model,
                node = self.nodes[node].name,
                dialect = weaker.as_str(),
                message,
                "node rejects a response format, asking in a weaker one from now on"
            );
        }
        Step::Rephrase(Miss {
            node: Some(node),
            failure,
        })
    }

    fn note_retry(&self, miss: &Miss) {
        let reason = Outcome::from(&miss.failure);
        let Some(node) = miss.node.map(|node| &self.nodes[node].name) else {
            return;
        };
        self.metrics.retried(&self.options.model, node, reason);
        tracing::debug!(
            model = self.options.model,
            node,
            reason = reason.as_str(),
            failure = ?miss.failure,
            "model call is tried again"
        );
    }

    fn reply(&self, request: &ChatRequest, node: &Node, answer: Answer) -> ChatReply {
        let model = &self.options.model;
        let usage = answer.usage;
        let tokens = [usage.tokens_in, usage.tokens_out, answer.tokens_cached];
        self.metrics.spent(request.role, model, tokens);
        if answer.prompt_cut {
            tracing::warn!(
                model,
                node = node.name,
                tokens_read = usage.tokens_in,
                "node read far fewer tokens than were sent, it may have cut the prompt"
            );
        }
        ChatReply {
            text: answer.text,
            model: model.clone(),
            usage,
        }
    }
}

impl ChatModel for Pool {
    fn name(&self) -> &str {
        &self.options.model
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, Error>> {
        Box::pin(self.ask(request))
    }
}
