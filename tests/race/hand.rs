//! Runs workers and gateways that a test can kill at a named point, as a process is killed.

use crate::script::{Script, usual};
use crate::world::{World, within};
use bus::Bus;
use envelope::Role;
use futures_util::future::BoxFuture;
use gateway::Gateway;
use harness::consumer_loop::DrainReport;
use harness::fault::{Faults, Point};
use harness::{Metrics, Options, Worker};
use std::sync::Arc;
use telemetry::{Health, Registry};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A running worker or gateway; dropping it kills it.
pub(crate) struct Hand {
    stop: CancellationToken,
    task: Option<JoinHandle<DrainReport>>,
}

impl Hand {
    /// Ends it where it stands: it answers nothing and gives nothing back.
    pub(crate) async fn kill(mut self) {
        let task = self.task.take().unwrap();
        task.abort();
        let _ = task.await;
    }

    /// Tells it to stop; [`Hand::drained`] waits for that.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    /// Stops it and waits until it has drained.
    pub(crate) async fn drained(mut self) -> DrainReport {
        self.stop();
        within("the end of a drain", self.task.take().unwrap())
            .await
            .unwrap()
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// The settings of a worker.
pub(crate) struct Hire<'a> {
    world: &'a World,
    script: Arc<Script>,
    bus: Arc<dyn Bus>,
    faults: Option<Arc<dyn Faults>>,
    options: Options,
    batch: u16,
    registry: Registry,
}

impl World {
    /// A worker that follows a script.
    pub(crate) fn hire(&self, script: &Arc<Script>) -> Hire<'_> {
        Hire {
            world: self,
            script: script.clone(),
            bus: self.bus.clone(),
            faults: None,
            registry: Registry::new(),
            options: Options::default(),
            batch: 1,
        }
    }

    /// Workers with the usual stages for these roles.
    pub(crate) fn staff(&self, roles: &[Role]) -> Vec<Hand> {
        roles
            .iter()
            .map(|role| self.hire(&usual(*role)).start())
            .collect()
    }

    /// An indexer with so many slots.
    pub(crate) fn indexer(&self, bus: &Arc<dyn Bus>, slots: u32) -> Hand {
        self.indexer_of(bus, slots, &indexer::Options::default())
    }

    /// An indexer for another edition, or with other sizes.
    pub(crate) fn indexer_of(
        &self,
        bus: &Arc<dyn Bus>,
        slots: u32,
        made: &indexer::Options,
    ) -> Hand {
        let edition = made.edition.clone();
        let ingest = indexer::Indexer::new(None, made).unwrap();
        let options = Options {
            slots,
            ..Options::default()
        };
        let registry = Registry::new();
        let metrics = Metrics::new(&registry, &[Role::Indexer]).unwrap();
        let counts = harness::IngestMetrics::new(&registry).unwrap();
        let bus = bus.clone();
        let indexer = harness::ingest::IngestWorker::new(
            bus,
            Arc::new(ingest),
            edition.clone(),
            options,
            0,
            metrics,
            counts,
        );
        let stop = CancellationToken::new();
        let run = indexer.run(
            self.topology.documents(&edition),
            Health::new(&[]),
            stop.clone(),
        );
        Hand {
            stop,
            task: Some(tokio::spawn(run)),
        }
    }

    /// A gateway.
    pub(crate) fn gateway(&self) -> Hand {
        self.gateway_with(&self.bus, |_| {})
    }

    /// A gateway on another bus or with other options.
    pub(crate) fn gateway_with(
        &self,
        bus: &Arc<dyn Bus>,
        change: impl FnOnce(&mut gateway::Options),
    ) -> Hand {
        self.gateway_counting(bus, &Registry::new(), change)
    }

    /// A gateway whose metrics are checked.
    pub(crate) fn gateway_counting(
        &self,
        bus: &Arc<dyn Bus>,
        registry: &Registry,
        change: impl FnOnce(&mut gateway::Options),
    ) -> Hand {
        let mut options = gateway::Options::default();
        change(&mut options);
        let metrics = gateway::Metrics::new(registry).unwrap();
        let gateway = Gateway::new(bus.clone(), self.topology.clone(), options, metrics);
        let stop = CancellationToken::new();
        let task = tokio::spawn(gateway.run(Health::new(&[]), stop.clone()));
        Hand {
            stop,
            task: Some(task),
        }
    }
}

impl Hire<'_> {
    pub(crate) fn on(mut self, bus: Arc<dyn Bus>) -> Self {
        self.bus = bus;
        self
    }

    pub(crate) fn with(mut self, faults: &Arc<Stop>) -> Self {
        self.faults = Some(faults.clone());
        self
    }

    /// Counts in this registry.
    pub(crate) fn counting(mut self, registry: &Registry) -> Self {
        self.registry = registry.clone();
        self
    }

    /// Has its searches mapped by one step, up to so many passages.
    pub(crate) fn batch(mut self, batch: u16) -> Self {
        self.batch = batch;
        self
    }

    pub(crate) fn options(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        self
    }

    pub(crate) fn start(self) -> Hand {
        let role = stage::ErasedStage::role(&*self.script);
        let metrics = Metrics::new(&self.registry, &[role]).unwrap();
        let topology = self.world.topology.clone();
        let mut worker = Worker::new(self.bus, topology, self.script, self.options, 0, metrics)
            .with_batch(self.batch);
        if let Some(faults) = self.faults {
            worker = worker.with_faults(faults);
        }
        let stop = CancellationToken::new();
        let task = tokio::spawn(worker.run(Health::new(&[]), stop.clone()));
        Hand {
            stop,
            task: Some(task),
        }
    }
}

/// Stops at a point for ever whatever reaches it. A worker that is killed then has crashed there.
pub(crate) struct Stop {
    at: Point,
    stopped: Semaphore,
}

impl Stop {
    pub(crate) fn at(at: Point) -> Arc<Stop> {
        Arc::new(Stop {
            at,
            stopped: Semaphore::new(0),
        })
    }

    /// Waits until `n` messages have come to the point.
    pub(crate) async fn reached(&self, n: u32) {
        let stopped = within("a worker at its point", self.stopped.acquire_many(n));
        stopped.await.unwrap().forget();
    }
}

impl Faults for Stop {
    fn at(&self, point: Point) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if point == self.at {
                self.stopped.add_permits(1);
                std::future::pending::<()>().await;
            }
        })
    }
}
