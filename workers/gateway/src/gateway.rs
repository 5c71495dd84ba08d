//! Starts the consumers and watchers of one gateway process.

use crate::capacity::CapacityGate;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::quota::{Limits, Quota};
use crate::turns::Turns;
use crate::turnstile::Turnstile;
use crate::{answers, ask, backlog, ended_turns, inbox, sweep, timers, watch};
use bus::topology::Topology;
use bus::{Bus, ConsumerSpec};
use envelope::Role;
use harness::consumer_loop::{self, DeliveryHandler, DrainReport};
use harness::{CancelRegistry, CountedHandler, hear_cancels};
use std::sync::{Arc, Mutex};
use streams::conversation::Logs;
use telemetry::{Health, Traces};
use tokio_util::sync::CancellationToken;

/// How many consumers a gateway has; each has slots of its own.
const CONSUMERS: usize = 3;

/// One gateway.
pub struct Gateway {
    turns: Arc<Turns>,
    counts: Option<harness::Metrics>,
}

impl Gateway {
    /// Makes a gateway on `bus`. `topology` has the retention times of the streams.
    pub fn new(bus: Arc<dyn Bus>, topology: Topology, options: Options, metrics: Metrics) -> Self {
        let rng = Mutex::new(fastrand::Rng::with_seed(options.seed));
        let limits = Limits {
            turns: options.tenant_turns as usize,
            tokens_per_minute: options.tenant_tokens_per_minute,
        };
        // The other half of the slots is for tenants who need not wait.
        let quota = Quota::new(limits, options.run.slots as usize / 2);
        let turns = Turns {
            logs: Logs::on(bus.clone()),
            turnstile: Turnstile::default(),
            bus,
            options,
            topology,
            metrics,
            traces: Traces::off(),
            ended: CancelRegistry::default(),
            told: CancelRegistry::default(),
            room: CapacityGate::default(),
            quota,
            rng,
            swept: Mutex::new(0),
        };
        Gateway {
            turns: Arc::new(turns),
            counts: None,
        }
    }

    /// The gateway with the metrics that count its messages, as for a worker.
    pub fn counted(mut self, metrics: harness::Metrics) -> Self {
        self.counts = Some(metrics);
        self
    }

    /// The gateway with a recorder of spans for the questions that it ends.
    pub fn with_traces(mut self, traces: Traces) -> Self {
        // Nobody else holds it before it runs.
        if let Some(turns) = Arc::get_mut(&mut self.turns) {
            turns.traces = traces;
        }
        self
    }

    /// Works until `stop` is cancelled, then drains.
    pub async fn run(self, health: Health, stop: CancellationToken) -> DrainReport {
        let Gateway { turns, counts } = self;
        if let Some(counts) = &counts {
            counts.limit(Role::Gateway, CONSUMERS * turns.options.run.slots as usize);
        }
        let topology = &turns.topology;
        let taken = |condition, consumer: ConsumerSpec, handler: Arc<dyn DeliveryHandler>| {
            let options = consumer_loop::Options {
                condition,
                slots: turns.options.run.slots as usize,
                grace: turns.options.run.grace.duration(),
            };
            let handler: Arc<dyn DeliveryHandler> = match &counts {
                Some(counts) => {
                    let bus = turns.bus.clone();
                    Arc::new(CountedHandler::new(
                        handler,
                        Role::Gateway,
                        counts.clone(),
                        bus,
                    ))
                }
                None => handler,
            };
            consumer_loop::run(
                turns.bus.clone(),
                consumer,
                handler,
                options,
                health.clone(),
                stop.clone(),
            )
        };
        let pumps = async {
            tokio::join!(
                taken(
                    "inbox",
                    topology.inbox(),
                    Arc::new(inbox::Inbox(turns.clone()))
                ),
                taken("due", topology.due(), Arc::new(timers::Due(turns.clone()))),
                taken(
                    "answers",
                    topology.answers(),
                    Arc::new(answers::Answers(turns.clone()))
                ),
            )
        };
        // Subscribing waits for a server that is not there yet; being told to stop does not.
        let cancels = tokio::select! {
            biased;
            cancels = turns.bus.subscribe("argosy.cancel.*", None) => cancels.ok(),
            () = stop.cancelled() => return DrainReport::default(),
        };
        let watchers = async {
            tokio::join!(
                watch::watch(&turns, &health),
                backlog::watch(&turns),
                ask::serve(&turns),
                sweep::on_start_and_reconnect(&turns),
                ended_turns::watch(&turns),
                hear_cancels(&turns.ended, cancels),
            )
        };
        let (inbox, due, answers) = tokio::select! {
            biased;
            _ = watchers => unreachable!("the watchers never come back"),
            drained = pumps => drained,
        };
        DrainReport {
            finished: inbox.finished + due.finished + answers.finished,
            given_back: inbox.given_back + due.given_back + answers.given_back,
        }
    }
}
