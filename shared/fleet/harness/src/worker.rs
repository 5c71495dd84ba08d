//! A worker: one thinking role, with everything that it needs to handle its messages.

use crate::cancel_registry::{CancelRegistry, Fanout};
use crate::consumer_loop::{self, AckDecision, ConsumerEvent, DeliveryHandler, DrainReport};
use crate::delivery_outcome::DeliveryOutcome;
use crate::early_reduce::joined;
use crate::fault::{Faults, Point};
use crate::join::LocalMapSteps;
use crate::metrics::{Metrics, outcome};
use crate::options::Options;
use crate::step::StepAddress;
use crate::trace;
use crate::trouble::Trouble;
use bus::topology::Topology;
use bus::{Bus, Delivery, Subscription};
use envelope::{Role, Subject};
use futures_util::future::BoxFuture;
use stage::ErasedStage;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use telemetry::{Health, Traces};
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;

/// A worker of one role.
pub struct Worker {
    pub(crate) role: Role,
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) handler: Arc<dyn ErasedStage>,
    pub(crate) topology: Topology,
    pub(crate) options: Options,
    pub(crate) metrics: Metrics,
    pub(crate) ended: CancelRegistry,
    pub(crate) joined: CancelRegistry<Fanout>,
    pub(crate) in_hand: LocalMapSteps,
    /// The most passages of a scatter record that is a map step itself.
    pub(crate) batch: usize,
    /// One for each call of a batch that may run at once.
    pub(crate) calls: Semaphore,
    pub(crate) traces: Traces,
    pub(crate) trouble: Trouble,
    faults: Option<Arc<dyn Faults>>,
    rng: Mutex<fastrand::Rng>,
    /// Messages that are held because everything behind this role is busy.
    holding: AtomicUsize,
    room: Notify,
}

impl Worker {
    /// A worker for the role of `handler`. `topology` has its consumer and the retention times of the streams; `seed`
    /// is that of the jitter of retries.
    pub fn new(
        bus: Arc<dyn Bus>,
        topology: Topology,
        handler: Arc<dyn ErasedStage>,
        options: Options,
        seed: u64,
        metrics: Metrics,
    ) -> Self {
        let slots = options.slots as usize;
        Worker {
            role: handler.role(),
            rng: Mutex::new(fastrand::Rng::with_seed(seed)),
            bus,
            handler,
            topology,
            options,
            metrics,
            ended: CancelRegistry::default(),
            joined: CancelRegistry::default(),
            in_hand: LocalMapSteps::default(),
            batch: 1,
            calls: Semaphore::new(slots),
            traces: Traces::off(),
            trouble: Trouble::default(),
            faults: None,
            holding: AtomicUsize::new(0),
            room: Notify::new(),
        }
    }

    /// Adds faults at named points, for tests.
    pub fn with_faults(mut self, faults: Arc<dyn Faults>) -> Self {
        self.faults = Some(faults);
        self
    }

    /// Of a search with at most so many passages, its record is itself the step of a mapper, which maps all of them; with 1,
    /// which is the default here, each passage has a map step of its own.
    pub fn with_batch(mut self, batch: u16) -> Self {
        self.batch = usize::from(batch);
        self
    }

    /// Records spans of the messages that the worker handles.
    pub fn with_traces(mut self, traces: Traces) -> Self {
        self.traces = traces;
        self
    }

    /// Works until `stop` is cancelled, then drains.
    pub async fn run(self, health: Health, stop: CancellationToken) -> DrainReport {
        let consumer = self.topology.consumer(self.role);
        let options = consumer_loop::Options {
            condition: self.role.as_str(),
            slots: self.options.slots as usize,
            grace: self.options.grace.duration(),
        };
        self.metrics.limit(self.role, options.slots);
        let worker = Arc::new(self);
        let bus = worker.bus.clone();
        // Subscribing waits for a server that is not there yet; being told to stop does not.
        let (cancels, joins) = tokio::select! {
            biased;
            heard = worker.listen() => heard,
            () = stop.cancelled() => return DrainReport::default(),
        };
        // In a fixed order, like every choice of the run loop: a simulation depends on its seed alone.
        tokio::select! {
            biased;
            () = hear_cancels(&worker.ended, cancels) => DrainReport::default(),
            () = worker.joined.hear(joins, joined) => DrainReport::default(),
            drained = consumer_loop::run(bus, consumer, worker.clone(), options, health, stop) => drained,
        }
    }

    /// Subscribes to cancelled turns and, where it matters, to fan-outs that are joined early. Best effort: without
    /// it, work that is no longer needed is finished and then dropped.
    async fn listen(&self) -> (Option<Box<dyn Subscription>>, Option<Box<dyn Subscription>>) {
        let cancels = self.bus.subscribe("argosy.cancel.*", None).await;
        let cancels = cancels
            .inspect_err(|error| tracing::warn!(%error, "cancellations cannot be received"))
            .ok();
        if self.role != Role::Mapper || self.options.early_reduce == 0 {
            return (cancels, None);
        }
        let joins = self.bus.subscribe("argosy.joined.*.*", None).await;
        let joins = joins
            .inspect_err(|error| tracing::warn!(%error, "early joins cannot be received"))
            .ok();
        (cancels, joins)
    }

    /// Whether one step maps so many passages.
    pub(crate) fn is_batch(&self, passages: usize) -> bool {
        self.batch > 1 && passages <= self.batch
    }

    pub(crate) fn random(&self) -> f64 {
        self.rng
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .f64()
    }

    /// How long the messages of a turn are kept after its deadline.
    pub(crate) fn keep(&self) -> Duration {
        self.topology.keep.duration()
    }

    pub(crate) async fn fault(&self, point: Point) {
        if let Some(faults) = &self.faults {
            faults.at(point).await;
        }
    }

    /// Keeps a message while there is no room; meanwhile nothing is pulled.
    pub(crate) async fn hold(&self, wait: Duration) {
        struct Holding<'a>(&'a Worker);
        impl Drop for Holding<'_> {
            fn drop(&mut self) {
                self.0.holding.fetch_sub(1, Ordering::AcqRel);
                self.0.room.notify_one();
            }
        }
        self.holding.fetch_add(1, Ordering::AcqRel);
        self.room.notify_one();
        self.metrics.held(self.role);
        let _holding = Holding(self);
        tokio::time::sleep(wait).await;
    }
}

impl DeliveryHandler for Worker {
    fn handle_delivery<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, AckDecision> {
        Box::pin(async move {
            // Of a batch its calls count.
            let subject = delivery.message.subject.as_str();
            let is_batch = self.role == Role::Mapper
                && StepAddress::of(subject).is_some_and(|place| place.index.is_none());
            let _inflight = (!is_batch).then(|| self.metrics.inflight(self.role));
            let begun = tokio::time::Instant::now();
            self.fault(Point::Delivered).await;
            let verdict = trace::traced(self, delivery).await;
            self.metrics
                .answered(self.role, outcome(verdict), begun.elapsed());
            if let DeliveryOutcome::Ack(_) = verdict {
                self.fault(Point::Published).await;
            }
            verdict.into()
        })
    }

    fn paused(&self) -> bool {
        self.holding.load(Ordering::Acquire) > 0
    }

    fn resumed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.room.notified())
    }

    fn on(&self, event: ConsumerEvent) {
        self.metrics.on(self.role, event);
    }
}

/// Records the turns whose cancellation is broadcast; never returns.
pub async fn hear_cancels(ended: &CancelRegistry, subscription: Option<Box<dyn Subscription>>) {
    ended
        .hear(subscription, |subject| match subject {
            Subject::Cancel { turn } => Some(turn),
            _ => None,
        })
        .await
}
