//! The consumers and watchers of one gateway process.

use crate::metrics::Metrics;
use crate::room::Room;
use crate::turns::Turns;
use crate::{answers, ask, due, inbox, room, sweep};
use harness::bus::{Bus, ConsumerSpec};
use harness::pump::{self, Drained, Take, pump};
use harness::topology::Topology;
use harness::{Ended, hear_cancels};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use telemetry::Health;
use tokio_util::sync::CancellationToken;

/// How a gateway runs.
#[derive(Debug, Clone)]
pub struct Options {
    /// Time for a question that names no deadline. Default 2 minutes.
    pub deadline: Duration,
    /// Deliveries at once, for each of its consumers. Default 64.
    pub slots: usize,
    /// How often lost turns are looked for. Default 1 minute.
    pub sweep_every: Duration,
    /// How often the room of the streams is looked at. Default 1 second.
    pub room_every: Duration,
    /// From how full a stream on no questions are taken, 0 to 1. Default 0.7: the rest is headroom
    /// for the turns that run.
    pub room_limit: f64,
    /// How long running deliveries may take when the gateway is told to stop. Default 30 seconds.
    pub grace: Duration,
    /// Seed of trace ids.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            deadline: Duration::from_secs(120),
            slots: 64,
            sweep_every: Duration::from_secs(60),
            room_every: Duration::from_secs(1),
            room_limit: 0.7,
            grace: Duration::from_secs(30),
            seed: 0,
        }
    }
}

/// What the parts of one gateway share.
pub(crate) struct Shared {
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) options: Options,
    pub(crate) topology: Topology,
    pub(crate) metrics: Metrics,
    pub(crate) ended: Ended,
    pub(crate) room: Room,
    pub(crate) rng: Mutex<fastrand::Rng>,
    /// Up to where the inbox has been swept.
    pub(crate) swept: Mutex<u64>,
}

/// One gateway.
pub struct Gateway(Arc<Shared>);

impl Gateway {
    /// A gateway on `bus`. `topology` says how long things are kept.
    pub fn new(bus: Arc<dyn Bus>, topology: Topology, options: Options, metrics: Metrics) -> Self {
        let rng = Mutex::new(fastrand::Rng::with_seed(options.seed));
        Gateway(Arc::new(Shared {
            bus,
            options,
            topology,
            metrics,
            ended: Ended::default(),
            room: Room::default(),
            rng,
            swept: Mutex::new(0),
        }))
    }

    /// Works until `stop` is cancelled, then drains.
    pub async fn run(self, health: Health, stop: CancellationToken) -> Drained {
        let shared = self.0;
        let topology = &shared.topology;
        let taken = |condition, consumer: ConsumerSpec, take: Arc<dyn Take>| {
            let options = pump::Options {
                condition,
                slots: shared.options.slots,
                ack_wait: topology.ack_wait,
                grace: shared.options.grace,
            };
            pump(
                shared.bus.clone(),
                consumer,
                take,
                options,
                health.clone(),
                stop.clone(),
            )
        };
        let turns = Arc::new(Turns(shared.clone()));
        let pumps = async {
            tokio::join!(
                taken(
                    "inbox",
                    topology.inbox(),
                    Arc::new(inbox::Inbox(turns.clone()))
                ),
                taken("due", topology.due(), Arc::new(due::Due(turns.clone()))),
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
            cancels = shared.bus.subscribe("argosy.cancel.*", None) => cancels.ok(),
            () = stop.cancelled() => return Drained::default(),
        };
        let watchers = async {
            tokio::join!(
                room::watch(&turns, &health),
                ask::serve(&turns),
                sweep::on_start_and_reconnect(&turns),
                hear_cancels(&shared.ended, cancels),
            )
        };
        let (inbox, due, answers) = tokio::select! {
            biased;
            _ = watchers => unreachable!("the watchers never come back"),
            drained = pumps => drained,
        };
        Drained {
            finished: inbox.finished + due.finished + answers.finished,
            given_back: inbox.given_back + due.given_back + answers.given_back,
        }
    }
}
