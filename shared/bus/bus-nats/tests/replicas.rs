//! Tests of behaviour that three replicas change: conflicting writes, counts from the leader, and the loss of a
//! server.

use argosy_bus_nats::{self as nats, NatsBus};
use bus::topology::Topology;
use bus::{Bus, Publish, PublishError, Stream, WriteCondition};
use bytes::Bytes;
use futures_util::future::join_all;
use settings::ByteSize;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const STEPS: Stream = Stream::Steps(0);

async fn connect(url: String) -> Arc<NatsBus> {
    let options = nats::Options {
        url,
        ..nats::Options::default()
    };
    NatsBus::connect(options).await.expect("a connection")
}

fn topology() -> Topology {
    Topology {
        replicas: 3,
        steps_bytes: ByteSize::from_mib(64),
        ..Topology::default()
    }
}

fn fenced(turn: u32, role: &str) -> Publish {
    Publish {
        condition: WriteCondition::AbsentAcross(format!("argosy.step.0.*.t{turn}.1")),
        ..Publish::new(format!("argosy.step.0.{role}.t{turn}.1"), Bytes::new())
    }
}

/// Publishes until the stream has an answer that stands.
async fn settle(bus: &NatsBus, message: Publish) -> Result<u64, PublishError> {
    let start = Instant::now();
    loop {
        match bus.publish(message.clone()).await {
            Err(PublishError::Conflict | PublishError::Unconfirmed(_))
                if start.elapsed() < Duration::from_secs(20) =>
            {
                sleep(Duration::from_millis(5)).await;
            }
            settled => return settled,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn racing_publishers_have_one_winner_also_when_a_server_dies() {
    let mut cluster = testkit::nats::cluster().await;
    let buses = join_all(cluster.servers.iter().map(|s| connect(s.url()))).await;
    let all = connect(cluster.url()).await;
    nats::setup(&all, &topology()).await.expect("streams");
    // Each role publishes through another server, so that the writes meet in the stream's leader.
    let roles = ["planner", "retriever", "reducer"];
    for turn in 0..50 {
        let racing = roles
            .iter()
            .zip(&buses)
            .map(|(role, bus)| settle(bus, fenced(turn, role)));
        let results = join_all(racing).await;
        let won = results.iter().filter(|r| r.is_ok()).count();
        let lost = results.iter().filter(|r| **r == Err(PublishError::Exists));
        assert_eq!((won, lost.count()), (1, 2), "{results:?}");
        let count = all
            .count(STEPS, &format!("argosy.step.0.*.t{turn}.1"))
            .await;
        assert_eq!(count, Ok(1), "a confirmed write is counted at once");
    }
    cluster.servers[0].kill().expect("a kill");
    for turn in 50..60 {
        // A confirmation may be lost with the server: a second publish reports that the message exists.
        let _ = settle(&all, fenced(turn, "planner")).await;
        let again = settle(&all, fenced(turn, "retriever")).await;
        assert_eq!(again, Err(PublishError::Exists));
    }
    cluster.servers[0].restart().await.expect("a restart");
    let count = all.count(STEPS, "argosy.step.>").await;
    assert_eq!(count, Ok(60));
}
