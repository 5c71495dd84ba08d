//! Where a case runs, and the few words that cases are written in.

use argosy_harness::bus::{
    Bus, ConsumerSpec, Delivery, Fence, Publish, PublishError, Puller, Snapshots, Stored, Upkeep,
};
use argosy_harness::memory::MemoryBus;
use argosy_harness::nats::{self, NatsBus};
use argosy_harness::topology::Topology;
use bytes::Bytes;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// How long anything that must happen may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// Which bus.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    Memory,
    Nats,
}

/// A bus, empty, and what keeps it running.
pub(crate) struct Ground {
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) snapshots: Arc<dyn Snapshots>,
    pub(crate) upkeep: Arc<dyn Upkeep>,
    pub(crate) topology: Topology,
    _server: Option<testkit::nats::TestServer>,
}

/// Small streams, and an ack wait of one second.
fn topology() -> Topology {
    let mut topology = Topology {
        ack_wait: Duration::from_secs(1),
        ..Topology::default()
    };
    let room = &mut topology.room;
    for each in [
        &mut room.inbox,
        &mut room.steps,
        &mut room.timers,
        &mut room.answers,
        &mut room.documents,
        &mut room.chunks,
        &mut room.dead,
        &mut room.files,
        &mut room.snapshots,
    ] {
        *each = 16 * 1024 * 1024;
    }
    topology
}

impl Place {
    pub(crate) async fn ground(self) -> Ground {
        self.ground_with(|_| {}).await
    }

    pub(crate) async fn ground_with(self, change: impl FnOnce(&mut Topology)) -> Ground {
        let mut topology = topology();
        change(&mut topology);
        match self {
            Place::Memory => {
                let bus = MemoryBus::new(&topology);
                Ground {
                    snapshots: bus.clone(),
                    upkeep: bus.clone(),
                    bus,
                    topology,
                    _server: None,
                }
            }
            Place::Nats => {
                let server = testkit::nats::server().await;
                let options = nats::Options {
                    url: server.url(),
                    ..nats::Options::default()
                };
                let bus = NatsBus::connect(options).await.unwrap();
                nats::setup(&bus, &topology).await.unwrap();
                Ground {
                    snapshots: bus.clone(),
                    upkeep: bus.clone(),
                    bus,
                    topology,
                    _server: Some(server),
                }
            }
        }
    }
}

impl Ground {
    pub(crate) async fn put(&self, subject: &str, body: &str) -> u64 {
        within(self.bus.publish(message(subject, body)))
            .await
            .unwrap()
    }

    pub(crate) async fn put_behind(
        &self,
        fence: Fence,
        subject: &str,
    ) -> Result<u64, PublishError> {
        let message = Publish {
            fence,
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

pub(crate) fn text(message: &Stored) -> &str {
    std::str::from_utf8(&message.body).unwrap()
}

/// What must come.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("it did not happen in time")
}

pub(crate) async fn next(puller: &mut Box<dyn Puller>, free: usize) -> Delivery {
    within(puller.next(free)).await.unwrap()
}

/// That nothing comes for a while.
pub(crate) async fn silent(puller: &mut Box<dyn Puller>, free: usize, time: Duration) {
    if let Ok(got) = tokio::time::timeout(time, puller.next(free)).await {
        let got = got.unwrap();
        panic!("{} came ({} times)", got.message.subject, got.delivered);
    }
}
