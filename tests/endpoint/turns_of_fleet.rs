//! Tests the fleet as in production, on a real nats-server, with a model whose replies mean nothing. Every turn ends
//! well, and the trail names every fallback that replaces a reply of the model.

use crate::fleet::{Fleet, connect};
use crate::subject::{Subject, only_own, subject};
use crate::turns::{Tally, asked, publish, terminals, wait_for_ends};
use envelope::{Outcome, Role};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::llama;

/// How long a turn may take; a model of random weights writes until its limit.
const DEADLINE: &str = "180s";
const PATIENCE: Duration = Duration::from_secs(200);

const QUESTIONS: [&str; 4] = [
    "What is the maximum collector-emitter voltage of the HV2N4410A?",
    "What is the notice period of the cleaning agreement?",
    "Which contracts end in 2026, and who signed them?",
    "Who is the captain of the ship?",
];

/// A context that holds every prompt: this model's tokens are little more than letters.
fn roomy() -> llama::Options {
    llama::Options {
        context_tokens: 32_768,
        args: ["--interrupt_requests", "false"].map(String::from).into(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "wants a real model server: see docs/operations/tune.md"]
async fn every_turn_ends_well_and_names_its_defaults() {
    turns_end_well(subject(roomy()).await, &QUESTIONS).await;
}

/// With the server's defaults it breaks off each reply for the next call, and its context is short.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "wants a real model server: see docs/operations/tune.md"]
async fn a_server_that_breaks_off_answers_and_reads_little_is_borne() {
    let what = "a server that breaks off answers";
    if let Some(model) = only_own(what, llama::Options::default()).await {
        // Half of its work is thrown away, so it is not asked much.
        turns_end_well(model, &QUESTIONS[..2]).await;
    }
}

async fn turns_end_well(model: Subject, questions: &[&str]) {
    let nats = testkit::nats::server().await;
    let mut fleet = Fleet::new(nats.url(), model.settings());
    fleet.stubbed.clear();
    fleet.setup().await;
    fleet.start(Role::Indexer).ready().await;
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/corpus");
    fleet.json(&["index", corpus]).await;
    for role in Role::ALL.into_iter().filter(|role| *role != Role::Indexer) {
        fleet.start(role);
    }
    fleet.ready().await;

    let bus = connect(nats.url()).await;
    let asking = questions.iter();
    let asking = asking.map(|question| json!({"question": question, "deadline": DEADLINE}));
    publish(&*bus, asking.collect()).await;
    wait_for_ends(&*bus, questions.len() as u64, PATIENCE).await;
    let ends = terminals(&*bus).await;
    let tally = Tally::of(&asked(&*bus).await, &ends);
    tally.print("turns with a real model server");
    for end in &ends {
        println!("  {:?} {:?}", end.outcome, end.answer);
        for entry in end.trail.iter().filter(|entry| !entry.fallbacks.is_empty()) {
            println!("    {} {:?}", entry.role, entry.fallbacks);
        }
    }
    let well = [Outcome::Answered, Outcome::Clarification];
    assert!(
        ends.iter().all(|end| well.contains(&end.outcome)),
        "{ends:#?}"
    );
    defaults_are_named(&fleet, &tally).await;
    calls_were_answered(&fleet).await;
    fleet.drain().await;
}

/// The workers' counters agree with the trails of the turns, for each kind.
async fn defaults_are_named(fleet: &Fleet, tally: &Tally) {
    let counted = async |label: &str| {
        let mut sum = 0;
        for process in &fleet.processes {
            sum += process.counter("argosy_fallbacks_total", &[label]).await;
        }
        sum
    };
    for (kind, told) in &tally.fallbacks {
        let label = format!("kind=\"{kind}\"");
        assert_eq!(counted(&label).await, *told as u64, "`{kind}`");
    }
    let told: usize = tally.fallbacks.values().sum();
    assert_eq!(counted("kind=").await, told as u64, "all kinds");
}

/// The model was really asked, and it replied.
async fn calls_were_answered(fleet: &Fleet) {
    let family = "argosy_llm_request_duration_seconds_count";
    let mut answered = Value::Null;
    for role in [Role::Planner, Role::Mapper, Role::Reducer] {
        let process = fleet.processes.iter().find(|p| p.member.role == role);
        let process = process.expect("a process of the role");
        let calls = process.counter(family, &[r#"outcome="ok""#]).await;
        answered[role.as_str()] = calls.into();
    }
    println!("  calls answered: {answered}");
    let calls = |role: Role| answered[role.as_str()].as_u64().unwrap_or(0);
    assert!(
        calls(Role::Planner) > 0 && calls(Role::Mapper) > 0,
        "{answered}"
    );
}
