//! Makes one attempt of a call: on one node, and hedged on a second node when the first one is late. The first answer
//! counts; the other call is cancelled by closing its connection.

use crate::balance::{Ask, End, NodeId, Patience};
use crate::failure::Failure;
use crate::job::{self, Came, Job};
use crate::lease::Lease;
use crate::metrics::{Hedge, Outcome};
use crate::node::{Reply, Watcher};
use crate::pool::Shared;
use crate::streaming::Pen;
use crate::timings::pace;
use crate::trace;
use std::future::pending;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How often it is looked whether a late call may be made a second time.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A failed try: at which node, and why.
#[derive(Debug)]
pub(crate) struct FailedAttempt {
    pub(crate) node: Option<NodeId>,
    pub(crate) name: String,
    pub(crate) failure: Failure,
}

/// Allowance for a call that is made a second time; given back when it is not.
struct Taken<'p> {
    shared: &'p Shared,
    is_used: bool,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if !self.is_used {
            self.shared.balance().hedges().give_back();
        }
    }
}

type Tried = Result<Came, FailedAttempt>;

/// Observes one exchange with a node: for the lease, and for the listener of the answer while it is written.
struct Watching<'a> {
    lease: &'a Lease<'a>,
    pen: Option<Pen<'a>>,
}

impl Watching<'_> {
    fn answered(&mut self, text: &str) {
        self.lease.node.thoughts.learn(text);
        if let Some(pen) = self.pen.take() {
            pen.done(text);
        }
    }
}

impl Watcher for Watching<'_> {
    fn patience(&self) -> Patience {
        self.lease.patience()
    }

    fn begun(&mut self) {
        self.lease.begun();
    }

    fn wrote(&mut self, text: &str) {
        if let Some(pen) = &mut self.pen {
            pen.write(text);
        }
    }
}

impl Shared {
    /// Makes one attempt. Where a second call failed beside the one that is returned, its failure is recorded in
    /// `tried`.
    pub(crate) async fn try_once(&self, job: &Job<'_>, tried: &Mutex<job::Tried>) -> Tried {
        let patience = self.options.queue_timeout.into();
        let lease = self.lease(&job.ask, patience, job.until).await;
        let first = lease.map_err(|failure| FailedAttempt {
            node: None,
            name: String::new(),
            failure,
        })?;
        if !self.options.hedge.contains(&job.role) {
            let (tried, end) = self.exchange(&first, job).await;
            first.end(end);
            return tried;
        }
        self.balance().hedges().called();
        let began = Instant::now();
        let came = self.race(first, job, tried).await;
        if came.is_ok() {
            self.balance().took(began.elapsed());
        }
        came
    }

    async fn race(&self, first: Lease<'_>, job: &Job<'_>, tried: &Mutex<job::Tried>) -> Tried {
        let mut avoid = job.ask.tried.to_vec();
        avoid.push(first.node.id);
        let ask = Ask {
            never: &avoid,
            again: true,
            ..job.ask
        };
        let mut calling = pin!(self.exchange(&first, job));
        let second = tokio::select! {
            biased;
            (came, end) = &mut calling => {
                first.end(end);
                return came;
            }
            second = self.second(job, &ask) => second,
        };
        let mut again = pin!(self.exchange(&second, job));
        let ((came, end), first_ended) = tokio::select! {
            biased;
            came = &mut calling => (came, true),
            came = &mut again => (came, false),
        };
        let (ended, other) = if first_ended {
            (&first, &second)
        } else {
            (&second, &first)
        };
        let model = &self.options.model;
        if came.is_ok() {
            let (hedge, outrun) = match first_ended {
                true => (Hedge::Lost, End::Dropped),
                false => (Hedge::Won, End::Outrun),
            };
            self.metrics.hedged(model, hedge);
            other.end(outrun);
            ended.end(end);
            return came;
        }
        // The one that failed is out; the other decides. A second that failed has lost, however long the first takes.
        if !first_ended {
            self.metrics.hedged(model, Hedge::Lost);
        }
        ended.end(end);
        self.lost(job, came, tried);
        let (came, end) = if first_ended {
            let (came, end) = again.await;
            let hedge = match came.is_ok() {
                true => Hedge::Won,
                false => Hedge::Lost,
            };
            self.metrics.hedged(model, hedge);
            (came, end)
        } else {
            calling.await
        };
        other.end(end);
        came
    }

    /// Learns from a call that failed while the other goes on.
    fn lost(&self, job: &Job<'_>, came: Tried, tried: &Mutex<job::Tried>) {
        if let Err(mut miss) = came {
            let mut tried = tried.lock().unwrap_or_else(PoisonError::into_inner);
            self.learn(job, &mut miss, &mut tried);
        }
    }

    /// A second place, as soon as the call is late, the allowance has something left, and another node
    /// has room. Waits for ever when that never happens.
    async fn second(&self, job: &Job<'_>, ask: &Ask<'_>) -> Lease<'_> {
        let began = Instant::now();
        loop {
            let late = self.balance().late_after().map(|late| began + late);
            if late.is_some_and(|late| Instant::now() >= late) && self.balance().hedges().take() {
                break;
            }
            let look = Instant::now() + LOOK_EVERY;
            sleep_until(late.map_or(look, |late| late.max(look))).await;
        }
        let mut taken = Taken {
            shared: self,
            is_used: false,
        };
        let patience = job.until.saturating_duration_since(Instant::now());
        match self.lease(ask, patience, job.until).await {
            Ok(lease) => {
                taken.is_used = true;
                lease
            }
            Err(_) => {
                drop(taken);
                pending().await
            }
        }
    }

    /// One exchange with one node, and what it says of the node.
    async fn exchange(&self, lease: &Lease<'_>, job: &Job<'_>) -> (Tried, End) {
        let node = &*lease.node;
        let model = &self.options.model;
        let began = Instant::now();
        let watch = self.metrics.watch(job.role, model, &node.name);
        let asked_for = job.request().map_or(model.as_str(), |r| r.model_or(model));
        let call = trace::begin(job, node, asked_for);
        let asked = job.asked(node);
        let body = job.body(&self.options, asked);
        let sent = body.len() as u64;
        let mut watcher = Watching {
            lease,
            pen: job.stream.map(|stream| stream.pen(&node.thoughts)),
        };
        let reply = node.call(job.path(), body, asked, job.until, &mut watcher);
        let reply = reply.await;
        let (first_token, came) = match reply {
            Ok(Reply { body, first_token }) => (first_token, job.read(body, asked, &node.per_word)),
            Err(failure) => (None, Err(failure)),
        };
        if let Ok(Some(answer)) = &came {
            watcher.answered(&answer.text);
        }
        call.ended(&came, first_token);
        match came {
            Ok(came) => {
                let took = began.elapsed();
                if let Some(first_token) = first_token {
                    self.metrics.first_token(model, &node.name, first_token);
                    let rest = took.saturating_sub(first_token);
                    let tokens = came.as_ref().map_or(0, |answer| answer.usage.tokens_out);
                    self.metrics.tokens_after(model, &node.name, rest, tokens);
                }
                watch.ended(Outcome::Ok);
                let own = came.as_ref().filter(|_| !job.is_foreign());
                let paced = |answer| pace(answer, first_token, took, job.is_foreign());
                let end = End::Answered {
                    first_token,
                    size: came.as_ref().map_or(sent, |answer| answer.usage.tokens_out),
                    counted: own.and_then(|answer| answer.counted),
                    pace: came.as_ref().map(paced).unwrap_or_default(),
                };
                (Ok(came), end)
            }
            Err(failure) => {
                watch.ended(Outcome::from(&failure));
                let end = match failure.end() {
                    End::Unfit if job.is_foreign() => End::Refused,
                    end => end,
                };
                let miss = FailedAttempt {
                    node: Some(node.id),
                    name: node.name.clone(),
                    failure,
                };
                (Err(miss), end)
            }
        }
    }
}
