//! Tests a stream that runs full: questions wait and the gateway reports why, running turns finish, questions whose
//! deadline passes end as expired, and the others are answered when there is room again.

use crate::fleet::{Fleet, PATIENCE, connect, until};
use crate::model::{self, CALLS};
use crate::turns::{publish, question, terminals, wait_for_ends};
use bus::{Bus, Publish, Stream};
use bytes::Bytes;
use envelope::{Outcome, Role, Terminal};
use std::time::Duration;
use testkit::node::FakeNodeBehaviour;
use tokio::time::Instant;

/// The bytes of one message of ballast, and the number of messages that bring a stream of 1 MiB over its mark of 70
/// %.
const BALLAST_BYTES: usize = 100_000;
const BALLAST: usize = 8;
/// How long the ballast stays: longer than a waiting question takes to expire.
const BALLAST_TTL: Duration = Duration::from_secs(12);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_stream_says_so() {
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    node.always(FakeNodeBehaviour::Hold);
    let more = ["streams.steps_bytes=1MiB", "gateway.room_every=100ms"];
    let more = more.map(String::from).to_vec();
    let mut fleet = Fleet::new(server.url(), [model::options(&node), more].concat());
    fleet.setup().await;
    fleet.start_all().await;
    let bus = connect(server.url()).await;
    publish(&*bus, vec![question(Some("running".into()), "60s")]).await;
    node.until(|seen| seen.in_flight == 1).await;

    for n in 0..BALLAST {
        let body = Bytes::from(vec![b'x'; BALLAST_BYTES]);
        let ballast = Publish {
            ttl: Some(BALLAST_TTL),
            ..Publish::new(format!("argosy.part.0.ballast.1.{n}"), body)
        };
        bus.publish(ballast).await.expect("ballast");
    }
    let full = Instant::now();
    let why = fleet.of(Role::Gateway).condition("room", false).await;
    assert!(
        why.contains("ARGOSY_STEPS_0") && why.contains("wait"),
        "{why}"
    );

    let waiting = [("impatient", "2s"), ("patient", "60s")];
    let waiting = waiting.map(|(id, deadline)| question(Some(id.into()), deadline));
    publish(&*bus, waiting.to_vec()).await;
    node.always(FakeNodeBehaviour::Answer).release(1);
    wait_for_ends(&*bus, 1, PATIENCE).await;
    wait_for_ends(&*bus, 2, PATIENCE).await;
    let expired = full.elapsed();
    // Both ended while there was no room: the one that ran, and the one that waited in vain.
    fleet.of(Role::Gateway).condition("room", false).await;
    assert_eq!(
        ends(&terminals(&*bus).await),
        [
            ("running", Outcome::Answered),
            ("impatient", Outcome::Expired),
        ]
    );
    assert_eq!(
        node.seen().calls,
        CALLS,
        "a question was taken without room"
    );

    until("the ballast to go", async || {
        let state = bus.state(Stream::Steps(0)).await.ok()?;
        (state.fill() < 0.7).then_some(())
    })
    .await;
    fleet.of(Role::Gateway).condition("room", true).await;
    let room = full.elapsed();
    wait_for_ends(&*bus, 3, PATIENCE).await;
    let all = terminals(&*bus).await;
    assert_eq!(ends(&all)[2], ("patient", Outcome::Answered));
    println!("full_stream_says_so: expired after {expired:.1?}, room after {room:.1?}");
    fleet.drain().await;
}

fn ends(terminals: &[Terminal]) -> Vec<(&str, Outcome)> {
    terminals
        .iter()
        .map(|t| (t.turn.as_str(), t.outcome))
        .collect()
}
