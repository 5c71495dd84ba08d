//! A server that is not there yet, and one that goes away in the middle of a turn.

use crate::fleet::{Fleet, PATIENCE, connect, until};
use crate::model::{self, CALLS, MAPS};
use crate::turns::{publish, question, terminals, wait_for_ends};
use envelope::{Outcome, Role};
use std::net::TcpListener;
use std::time::Duration;
use testkit::node::Behaviour;

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let held = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    held.local_addr().expect("its address").port()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waits_for_nats() {
    let port = free_port();
    let node = model::node(Duration::ZERO).await;
    let mut fleet = Fleet::new(format!("nats://127.0.0.1:{port}"), model::options(&node));
    for role in Role::ALL {
        fleet.start(role);
    }
    // Alive, and says what it waits for.
    for process in &fleet.processes {
        assert!(!process.condition("nats", false).await.is_empty());
    }
    let mut server = testkit::nats::server_with(|options| options.port = Some(port)).await;
    for process in &fleet.processes {
        process.condition("nats", true).await;
    }
    let planner = fleet.of(Role::Planner);
    let what = "the planner to name what is missing";
    until(what, async || {
        let why = planner.condition("planner", false).await;
        why.contains("argosy setup").then_some(())
    })
    .await;
    fleet.setup().await;
    fleet.ready().await;

    // The maps are with the model when the server dies; their results wait for it to come back.
    let bus = connect(server.url()).await;
    node.script([Behaviour::Answer]).always(Behaviour::Hold);
    publish(&*bus, vec![question(Some("outlived".into()), "120s")]).await;
    node.until(|seen| seen.in_flight == MAPS).await;
    server.kill().expect("a kill");
    for process in &fleet.processes {
        process.condition("nats", false).await;
    }
    node.always(Behaviour::Answer).release(MAPS);
    node.until(|seen| seen.in_flight == 0).await;
    server.restart().await.expect("a restart");
    wait_for_ends(&*bus, 1, PATIENCE).await;
    let ends = terminals(&*bus).await;
    assert_eq!(ends[0].outcome, Outcome::Answered, "{:?}", ends[0]);
    assert_eq!(node.seen().calls, CALLS, "no result is thrown away");
    fleet.ready().await;
    fleet.drain().await;
}
