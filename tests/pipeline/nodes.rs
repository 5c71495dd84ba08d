//! Tests a fleet with faulty model nodes: one accepts calls and never answers, one comes and goes. Faulty nodes cost
//! time, but no question. Where the reducer has no other node, the answer consists of the facts.

use crate::fleet::{Fleet, Process, connect};
use crate::model;
use crate::turns::{Tally, asked, publish, question, terminals, wait_for_ends};
use envelope::{Fallback, Outcome, Role, Terminal};
use serde_json::json;
use std::net::TcpListener;
use std::time::Duration;
use testkit::node::{self, FakeNode};
use testkit::sim_node::{Behaviour, Options, Params, PromptText, SimNode};

const QUESTIONS: usize = 40;
/// How long the node that comes and goes is there, and how long it is away.
const SPAN: Duration = Duration::from_millis(700);
const TAIL: Duration = Duration::from_secs(90);

/// A node that writes a token in 2 ms, with replies that each stage can read.
async fn node() -> SimNode {
    let options = Options {
        params: Params {
            step_base: Duration::from_millis(2),
            per_sequence: Duration::from_micros(20),
            ..Params::default()
        },
        chunk_tokens: 8,
        ..Options::default()
    };
    let node = SimNode::answering(options, says).await;
    node.expect("a simulated node")
}

fn says(prompt: &PromptText) -> String {
    let text = if prompt.user.contains("\"keywords\"") {
        r#"{"keywords":["notice","period"],"file_filter":null,"source_hint":null}"#
    } else if prompt.user.contains("\"grade\"") {
        r#"{"grade":0.9,"facts":["The notice period is 90 days."]}"#
    } else {
        "The notice period is 90 days [1]."
    };
    text.into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stuck_and_a_flapping_node_cost_no_question() {
    let server = testkit::nats::server().await;
    let nodes = [node().await, node().await, node().await, node().await];
    let [_, _, stuck, flapping] = &nodes;
    stuck.behave(Behaviour::Stuck);
    flapping.behave(Behaviour::Flapping(SPAN, SPAN));
    let listed = nodes.iter().enumerate();
    let listed =
        listed.map(|(n, node)| json!({"name": format!("sim-{n}"), "base_url": node.base_url()}));
    let listed: Vec<_> = listed.collect();
    let options = vec![
        "model.model=sim".into(),
        "model.cache.entries=0".into(),
        "model.first_token_timeout=2s".into(),
        format!("model.nodes={}", json!(listed)),
    ];
    let mut fleet = Fleet::new(server.url(), options);
    fleet.setup().await;
    fleet.start_all().await;
    let bus = connect(server.url()).await;
    // Over some seconds, so that the flapping one is found out more than once.
    for n in 0..QUESTIONS {
        publish(&*bus, vec![question(Some(format!("sim-{n}")), "120s")]).await;
        tokio::time::sleep(SPAN / 5).await;
    }
    wait_for_ends(&*bus, QUESTIONS as u64, TAIL).await;
    fleet.drain().await;

    let tally = Tally::of(&asked(&*bus).await, &terminals(&*bus).await);
    tally.print("a_stuck_and_a_flapping_node");
    for (n, node) in nodes.iter().enumerate() {
        println!("  sim-{n}             {:?}", node.seen());
    }
    assert_eq!(tally.answered(), 1.0, "{:?}", tally.outcomes);
    let failed = tally.fallbacks.get("parts_failed");
    assert_eq!(failed, None, "{:?}", tally.fallbacks);
    let (stuck, flapping) = (stuck.seen(), flapping.seen());
    assert!(stuck.calls > 0 && stuck.finished == 0, "{stuck:?}");
    assert!(flapping.finished > 0, "{flapping:?}");
}

/// The options that make the reducer alone ask the node at `url`.
fn reducer_asks(url: &str) -> [String; 3] {
    [
        "models.gone.model=gone".into(),
        format!(r#"models.gone.nodes=[{{"name":"gone","base_url":"{url}"}}]"#),
        "model_of.reducer=gone".into(),
    ]
}

/// A turn with this deadline whose reducer has no model.
async fn without_a_model(fleet: &Fleet, id: &str, deadline: &str) -> Terminal {
    let bus = connect(fleet.plan.server.clone()).await;
    let before = terminals(&*bus).await.len() as u64;
    publish(&*bus, vec![question(Some(id.into()), deadline)]).await;
    wait_for_ends(&*bus, before + 1, TAIL).await;
    let ended = terminals(&*bus).await;
    let ended = ended.into_iter().find(|end| end.turn.as_str() == id);
    ended.expect("the end of this turn")
}

async fn dead_node(behaviour: node::FakeNodeBehaviour) -> FakeNode {
    let dead = FakeNode::start(|_| "never said".into()).await;
    let dead = dead.expect("a fake node");
    dead.always(behaviour);
    dead
}

/// A node that fails every call, one that is not there, and one that accepts calls and answers none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_node_of_the_reducer_leaves_the_facts() {
    let server = testkit::nats::server().await;
    let alive = model::node(Duration::ZERO).await;
    let failing = dead_node(node::FakeNodeBehaviour::Status(503, "down".into(), None)).await;
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let refusing = format!("http://{}/v1", free.local_addr().expect("an address"));
    drop(free);
    let stuck = dead_node(node::FakeNodeBehaviour::Stuck).await;
    let common = model::options(&alive);
    let mut fleet = Fleet::new(server.url(), common.clone());
    fleet.setup().await;
    fleet.start_all().await;
    let is_reducer = |process: &Process| process.member.role == Role::Reducer;
    let place = fleet.processes.iter().position(is_reducer);
    let place = place.expect("a reducer");
    for (id, url) in [
        ("failing", failing.base_url()),
        ("refusing", refusing),
        ("stuck", stuck.base_url()),
    ] {
        fleet.plan.set = [&common[..], &reducer_asks(&url)].concat();
        fleet.replace(place).await;
        fleet.processes[place].ready().await;
        let ended = without_a_model(&fleet, id, "10s").await;
        let took = ended.asked_at.until(ended.ended_at);
        println!("  {id:<10} {:?} after {took} ms", ended.outcome);
        assert_eq!(ended.outcome, Outcome::Answered, "{id}: {:?}", ended.error);
        let answer = ended.answer.unwrap_or_default();
        let fact = "The notice period is 90 days [1].";
        assert!(answer.starts_with(fact), "{id}: {answer}");
        assert!(!ended.citations.is_empty() && ended.low_confidence, "{id}");
        let mut taken = ended.trail.iter().flat_map(|entry| &entry.fallbacks);
        assert!(taken.any(|taken| *taken == Fallback::ReduceDefault), "{id}");
    }
    fleet.drain().await;
}
