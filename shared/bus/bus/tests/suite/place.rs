//! The bus on which a case runs, and the helpers of the cases.

use bus::topology::Topology;
use bus::{
    Bus, ConsumerSpec, Delivery, Publish, PublishError, Puller, Snapshots, StoredMessage,
    WriteCondition,
};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use settings::{ByteSize, TimeSpan};
use std::any::Any;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// How long anything that must happen may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// A function that makes an empty bus with the streams of a topology.
#[derive(Clone, Copy)]
pub(crate) struct TestPlace(pub(crate) fn(Topology) -> BoxFuture<'static, Ground>);

/// An empty bus, and the guard that keeps it running.
pub(crate) struct Ground {
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) snapshots: Arc<dyn Snapshots>,
    pub(crate) topology: Topology,
    _kept: Box<dyn Any + Send + Sync>,
}

/// Small streams, and an ack wait of one second.
pub(crate) fn small() -> Topology {
    let mut topology = Topology {
        ack_wait: TimeSpan::from_secs(1),
        ..Topology::default()
    };
    for each in [
        &mut topology.inbox_bytes,
        &mut topology.steps_bytes,
        &mut topology.timers_bytes,
        &mut topology.answers_bytes,
        &mut topology.documents_bytes,
        &mut topology.chunks_bytes,
        &mut topology.dead_bytes,
        &mut topology.files_bytes,
        &mut topology.snapshots_bytes,
    ] {
        *each = ByteSize::from_mib(16);
    }
    topology
}

impl TestPlace {
    pub(crate) async fn ground(self) -> Ground {
        self.ground_with(|_| {}).await
    }

    pub(crate) async fn ground_with(self, change: impl FnOnce(&mut Topology)) -> Ground {
        let mut topology = small();
        change(&mut topology);
        (self.0)(topology).await
    }
}

impl Ground {
    /// A ground that uses `bus` for every trait; `kept` is dropped with it.
    pub(crate) fn new<B>(bus: Arc<B>, topology: Topology, kept: impl Any + Send + Sync) -> Ground
    where
        B: Bus + Snapshots,
    {
        Ground {
            snapshots: bus.clone(),
            bus,
            topology,
            _kept: Box::new(kept),
        }
    }

    pub(crate) async fn put(&self, subject: &str, body: &str) -> u64 {
        within(self.bus.publish(message(subject, body)))
            .await
            .unwrap()
    }

    pub(crate) async fn put_behind(
        &self,
        condition: WriteCondition,
        subject: &str,
    ) -> Result<u64, PublishError> {
        let message = Publish {
            condition,
            ..message(subject, subject)
        };
        within(self.bus.publish(message)).await
    }

    pub(crate) async fn puller(&self, spec: &ConsumerSpec) -> Box<dyn Puller> {
        within(self.bus.consume(spec)).await.unwrap()
    }
}

pub(crate) fn message(subject: &str, body: &str) -> Publish {
    Publish::new(subject, Bytes::copy_from_slice(body.as_bytes()))
}

pub(crate) fn text(message: &StoredMessage) -> &str {
    std::str::from_utf8(&message.body).unwrap()
}

/// The result of a future that must complete in time.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("it did not happen in time")
}

pub(crate) async fn next(puller: &mut Box<dyn Puller>, free: usize) -> Delivery {
    within(puller.next(free)).await.unwrap()
}

/// Asserts that no message arrives for a while.
pub(crate) async fn silent(puller: &mut Box<dyn Puller>, free: usize, time: Duration) {
    if let Ok(got) = tokio::time::timeout(time, puller.next(free)).await {
        let got = got.unwrap();
        panic!("{} came ({} times)", got.message.subject, got.delivered);
    }
}
