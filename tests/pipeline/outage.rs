//! Tests a server that starts late, and one that goes away during a turn.

use crate::fleet::{Fleet, PATIENCE, connect, until};
use crate::model::{self, CALLS, MAPS};
use crate::turns::{publish, question, terminals, wait_for_ends};
use envelope::{Outcome, Role};
use std::net::TcpListener;
use std::time::{Duration, Instant};
use testkit::node::FakeNodeBehaviour;
use tokio::io::{AsyncBufReadExt, BufReader};

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
    node.script([FakeNodeBehaviour::Answer])
        .always(FakeNodeBehaviour::Hold);
    publish(&*bus, vec![question(Some("outlived".into()), "120s")]).await;
    node.until(|seen| seen.in_flight == MAPS).await;
    server.kill().expect("a kill");
    for process in &fleet.processes {
        process.condition("nats", false).await;
    }
    node.always(FakeNodeBehaviour::Answer).release(MAPS);
    node.until(|seen| seen.in_flight == 0).await;
    server.restart().await.expect("a restart");
    wait_for_ends(&*bus, 1, PATIENCE).await;
    let ends = terminals(&*bus).await;
    assert_eq!(ends[0].outcome, Outcome::Answered, "{:?}", ends[0]);
    assert_eq!(node.seen().calls, CALLS, "no result is thrown away");
    fleet.ready().await;
    fleet.drain().await;
}

fn signal(pid: u32, name: &str) {
    let mut kill = std::process::Command::new("kill");
    let sent = kill.args([name, &pid.to_string()]).status();
    assert!(sent.expect("kill runs").success(), "{name} {pid}");
}

/// The server's connections stay open, so that only unanswered pings show the failure. The third ping that is due
/// ends the connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_server_is_noticed_within_half_a_minute() {
    let server = testkit::nats::server().await;
    let mut fleet = Fleet::new(server.url(), Vec::new());
    fleet.setup().await;
    fleet.start(Role::Validator);
    fleet.ready().await;
    let validator = fleet.of(Role::Validator);
    assert_eq!(
        validator.counter("argosy_condition_met", &["nats"]).await,
        1
    );
    signal(server.pid(), "-STOP");
    let frozen = Instant::now();
    tokio::time::sleep(Duration::from_secs(10)).await;
    validator.condition("nats", false).await;
    assert!(frozen.elapsed() < Duration::from_secs(35), "{frozen:?}");
    assert_eq!(
        validator.counter("argosy_condition_met", &["nats"]).await,
        0
    );
    assert_eq!(validator.counter("argosy_nats_connected", &[]).await, 0);
    signal(server.pid(), "-CONT");
    validator.condition("nats", true).await;
    fleet.drain().await;
}

/// Servers of a cluster take connections before they have a leader; a set-up right after their start waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_set_up_waits_for_a_cluster_that_has_no_leader_yet() {
    let mut cluster = testkit::nats::cluster().await;
    let [alone, others @ ..] = &mut cluster.servers[..] else {
        panic!("three servers");
    };
    for server in &mut *others {
        server.kill().expect("a kill");
    }
    let fleet = Fleet::new(alone.url(), vec!["streams.replicas=3".into()]);
    let mut setup = fleet.begun(&["setup"]);
    let mut said = BufReader::new(setup.stderr.take().expect("a pipe")).lines();
    let waits = tokio::time::timeout(PATIENCE, said.next_line()).await;
    let waits = waits.expect("a word in time").expect("a line");
    assert!(waits.is_some_and(|line| line.starts_with("JetStream does not answer yet")));
    for server in others {
        server.restart().await.expect("a restart");
    }
    let ended = tokio::time::timeout(PATIENCE, setup.wait()).await;
    let ended = ended.expect("an end").expect("a status");
    let mut why = String::new();
    while let Some(line) = said.next_line().await.expect("a line") {
        why.push_str(&line);
        why.push('\n');
    }
    assert!(ended.success(), "{ended}: {why}");
}
