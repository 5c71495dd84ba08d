//! Tests SIGTERM under load: running steps are finished, steps that cannot be finished are handed back to the server,
//! and nothing is lost or done twice.

use crate::fleet::{Fleet, connect, until};
use crate::http;
use crate::model::{self, CALLS, MAPS};
use crate::turns::{Tally, asked, publish, question, redeliveries, terminals, wait_for_ends};
use envelope::Role;
use std::time::Duration;
use testkit::node::FakeNodeBehaviour;
use tokio::time::Instant;

const QUESTIONS: usize = 40;
/// Steps at once in one process.
const SLOTS: usize = 16;
/// How long the model takes once it is released.
const MODEL: Duration = Duration::from_millis(50);
const TAIL: Duration = Duration::from_secs(60);

fn questions(count: usize) -> Vec<serde_json::Value> {
    (0..count)
        .map(|n| question(Some(format!("drained-{n}")), "120s"))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn drains_on_sigterm() {
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    // About as many calls as there are plans are answered; the others, mostly of maps, wait until
    // the mapper has been told to stop.
    let first = std::iter::repeat_n(FakeNodeBehaviour::Answer, QUESTIONS);
    node.script(first).always(FakeNodeBehaviour::Hold);
    let slots = format!("run.slots={SLOTS}");
    // Maps that all wait teach nothing of the node, so it is trusted from the start.
    let trusted = format!(
        r#"model.nodes=[{{"name":"fake","base_url":"{}","max_in_flight":512,"first_in_flight":64}}]"#,
        node.base_url()
    );
    let more = vec!["run.grace=10s".into(), slots, trusted];
    let mut fleet = Fleet::new(server.url(), [model::options(&node), more].concat());
    fleet.setup().await;
    fleet.start_all().await;
    let bus = connect(server.url()).await;
    publish(&*bus, questions(QUESTIONS)).await;
    node.until(|seen| seen.in_flight >= SLOTS).await;

    // One after the other is replaced, as a rollout does it: the new one first.
    let others = Role::ALL.into_iter().filter(|role| *role != Role::Mapper);
    let mut slowest = Duration::ZERO;
    let mut finished = 0;
    for role in [Role::Mapper].into_iter().chain(others) {
        let place = fleet.processes.iter().position(|p| p.member.role == role);
        let mut old = fleet
            .processes
            .remove(place.expect("a process of the role"));
        fleet.start(role).ready().await;
        let told = Instant::now();
        old.member.terminate().await;
        if role == Role::Mapper {
            until("the mapper to drain", async || old.said("told to stop")).await;
            node.always(FakeNodeBehaviour::Slow(MODEL))
                .release(QUESTIONS * CALLS);
        }
        let status = old.ended().await;
        slowest = slowest.max(told.elapsed());
        assert_eq!(status.code(), Some(0), "{role} after SIGTERM");
        let said = old.said("drained").expect("a word about the drain");
        assert_eq!(said["given_back"], 0, "{role}: {said}");
        finished += said["finished"].as_u64().unwrap_or_default();
    }
    assert!(
        slowest < Duration::from_secs(10),
        "a drain took {slowest:?}"
    );
    wait_for_ends(&*bus, QUESTIONS as u64, TAIL).await;
    fleet.drain().await;

    let again = redeliveries(&*bus, server.monitor()).await;
    let tally = Tally::of(&asked(&*bus).await, &terminals(&*bus).await);
    tally.print("drains_on_sigterm");
    println!("  redeliveries      {again:?}");
    println!(
        "  model calls       {} for {}",
        node.seen().calls,
        QUESTIONS * CALLS
    );
    println!("  slowest drain     {slowest:.1?}, {finished} steps finished while draining");
    assert!(finished > 0, "nothing ran when the mapper was told to stop");
    assert_eq!(tally.answered(), 1.0, "{:?}", tally.outcomes);
    assert_eq!(
        node.seen().calls,
        QUESTIONS * CALLS,
        "nothing is paid twice"
    );
    // What had been delivered and not begun goes back once: at most what one process asks for.
    let all: u64 = again.values().sum();
    assert!(
        all <= (SLOTS * Role::THINKING.len()) as u64,
        "a storm of redeliveries: {again:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_outlasts_the_grace_is_given_back_at_once() {
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    node.script([FakeNodeBehaviour::Answer])
        .always(FakeNodeBehaviour::Hold);
    let more = vec!["run.grace=200ms".into(), "streams.ack_wait=60s".into()];
    let mut fleet = Fleet::new(server.url(), [model::options(&node), more].concat());
    fleet.setup().await;
    fleet.start_all().await;
    let bus = connect(server.url()).await;
    publish(&*bus, questions(1)).await;
    node.until(|seen| seen.in_flight == MAPS).await;
    let place = fleet
        .processes
        .iter()
        .position(|p| p.member.role == Role::Mapper);
    let mut old = fleet.processes.remove(place.expect("a mapper"));
    fleet.start(Role::Mapper).ready().await;
    old.member.terminate().await;
    assert_eq!(old.ended().await.code(), Some(0));
    let said = old.said("drained").expect("a word about the drain");
    assert_eq!(said["given_back"], 1, "{said}");
    // Long before the ack time-out the other one has the batch.
    node.until(|seen| seen.calls == 1 + 2 * MAPS && seen.in_flight == MAPS)
        .await;
    node.always(FakeNodeBehaviour::Answer).release(MAPS);
    wait_for_ends(&*bus, 1, TAIL).await;
    let ends = terminals(&*bus).await;
    let late = ends[0]
        .trail
        .iter()
        .filter(|entry| entry.attempt == 2)
        .count();
    assert_eq!((ends[0].outcome.as_str(), late), ("answered", MAPS));
    fleet.drain().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_signal_ends_at_once() {
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    node.always(FakeNodeBehaviour::Hold);
    let mut fleet = Fleet::new(server.url(), model::options(&node));
    fleet.setup().await;
    fleet.start_all().await;
    let bus = connect(server.url()).await;
    publish(&*bus, questions(1)).await;
    node.until(|seen| seen.in_flight == 1).await;
    let planner = fleet.of(Role::Planner);
    planner.member.terminate().await;
    until("the planner to drain", async || {
        planner.said("told to stop").map(drop)
    })
    .await;
    assert!(planner.member.ended().is_none(), "it has a call to finish");
    planner.member.terminate().await;
    assert_eq!(planner.ended().await.code(), Some(1));
}

/// The messages that a drain gives back are counted in a process that is about to end, which therefore waits until
/// its metrics are read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_drain_gave_back_is_there_to_be_scraped() {
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    node.always(FakeNodeBehaviour::Hold);
    let more = ["run.grace=1s", "telemetry.linger=60s"].map(String::from);
    let mut fleet = Fleet::new(
        server.url(),
        [model::options(&node), more.to_vec()].concat(),
    );
    fleet.setup().await;
    let bus = connect(server.url()).await;
    fleet.start(Role::Gateway).ready().await;
    let admin = fleet.start(Role::Planner).admin().await;
    publish(&*bus, questions(1)).await;
    node.until(|seen| seen.in_flight == 1).await;
    let place = fleet
        .processes
        .iter()
        .position(|p| p.member.role == Role::Planner);
    let mut planner = fleet.processes.remove(place.expect("a planner"));
    planner.member.terminate().await;
    until("the planner to drain", async || planner.said("drained")).await;
    let (_, text) = http::get(admin, "/metrics")
        .await
        .expect("it is there still");
    for line in [
        r#"argosy_drain_abandoned_total{role="planner"} 1"#,
        r#"argosy_drain_duration_seconds_count{role="planner"} 1"#,
    ] {
        assert!(
            text.lines().any(|one| one == line),
            "{line} is not in\n{text}"
        );
    }
    assert_eq!(planner.ended().await.code(), Some(0));
    node.release(1);
}
