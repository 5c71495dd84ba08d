//! Tests `argosy ask` with models that do not follow their instructions: what the terminal event reports of each. The
//! tests of the stages cover single stages.

use crate::shell::Shell;
use serde_json::{Value, json};
use testkit::node::{FakeNode, ReceivedPrompt};

const LEASE: &str =
    "# Lease\n\nThe lease of the Orlin depot ends on 31 March 2027. The rent is 900 EUR a month.\n";
const FACT: &str = "The lease of the Orlin depot ends on 31 March 2027.";

/// Asks a corpus of one lease with a model that plans well, replies to the mapper with `reads` and to the reducer
/// with `writes`. Passages are mapped one by one.
async fn ask(reads: fn(&ReceivedPrompt) -> String, writes: fn(&ReceivedPrompt) -> String) -> Value {
    asked(reads, writes, &["--set", "planner.read_at_once=false"]).await
}

/// The same with these flags.
async fn asked(
    reads: fn(&ReceivedPrompt) -> String,
    writes: fn(&ReceivedPrompt) -> String,
    flags: &'static [&'static str],
) -> Value {
    let says = move |prompt: &ReceivedPrompt| match &prompt.user {
        user if user.contains("\"keywords\"") => {
            json!({"keywords": ["lease", "depot"], "file_filter": null, "source_hint": null})
                .to_string()
        }
        user if user.contains("\"grade\"") => reads(prompt),
        _ => writes(prompt),
    };
    let node = FakeNode::start(says).await.unwrap();
    let nodes = json!([{"name": "odd", "base_url": node.base_url()}]).to_string();
    let run = tokio::task::spawn_blocking(move || {
        let shell = Shell::without_model();
        shell.write("docs/lease.md", LEASE);
        let question = "When does the lease of the Orlin depot end?";
        let nodes = format!("model.nodes={nodes}");
        let model = ["--set", "model.model=odd", "--set", &nodes];
        let ask = ["ask", question, "--corpus", "docs", "-o", "json"];
        let args = [&ask[..], &model, flags].concat();
        shell.run(&args).exits(0).json()
    });
    run.await.unwrap()
}

fn reads_well(_: &ReceivedPrompt) -> String {
    json!({"grade": 0.9, "facts": [FACT]}).to_string()
}

fn writes_well(_: &ReceivedPrompt) -> String {
    "The lease of the Orlin depot ends on 31 March 2027 [1].".into()
}

/// Writes well, and says yes of its own draft, without a probability.
fn writes_well_and_says_yes(prompt: &ReceivedPrompt) -> String {
    match prompt.user.contains("<answer>") {
        true => "Yes.".into(),
        false => writes_well(prompt),
    }
}

/// Replies with the first example of the mapper's prompt, whatever the passage is.
fn reads_the_example(prompt: &ReceivedPrompt) -> String {
    let mut lines = prompt.user.lines();
    lines
        .find(|line| line.starts_with("{\"grade\""))
        .unwrap()
        .to_owned()
}

/// The kinds of fallbacks in the trail of an event.
fn fallbacks(event: &Value) -> Vec<&str> {
    let entries = event["trail"].as_array().unwrap().iter();
    let told = entries.filter_map(|entry| entry["fallbacks"].as_array());
    told.flatten()
        .map(|fallback| fallback["kind"].as_str().unwrap())
        .collect()
}

fn assert_told(event: &Value, kinds: &[&str]) {
    let told = fallbacks(event);
    assert!(kinds.iter().all(|kind| told.contains(kind)), "{event}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mapper_that_says_its_examples_is_not_believed() {
    let event = ask(reads_the_example, writes_well).await;
    assert_eq!(event["outcome"], "answered");
    assert_told(&event, &["map_default", "facts_unsupported", "caveat"]);
    let quote = event["citations"][0]["quote"].as_str().unwrap();
    assert!(LEASE.contains(quote), "a quote of the source: {event}");
    assert!(!event.to_string().contains("serviced"), "{event}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_small_model_reads_at_once_and_is_asked_about_its_draft() {
    let event = asked(reads_well, writes_well_and_says_yes, &[]).await;
    let trail = event["trail"].as_array().unwrap().iter();
    let roles: Vec<_> = trail.map(|entry| entry["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["planner", "retriever", "reducer", "validator"]);
    assert!(
        event["answer"]
            .as_str()
            .unwrap()
            .starts_with(FACT.trim_end_matches('.'))
    );
    // A yes without a probability is no proof: the answer is given, and flagged.
    let confidence = event["confidence"].as_f64().unwrap();
    assert!((0.3..0.65).contains(&confidence), "{event}");
    assert_eq!(event["low_confidence"], true, "{event}");
    assert_eq!(fallbacks(&event), Vec::<&str>::new(), "{event}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_citation_of_no_document_is_flagged() {
    let event = ask(reads_well, |_| {
        "The lease of the Orlin depot ends on 31 March 2027 [7].".into()
    })
    .await;
    assert_told(&event, &["stricter"]);
    assert_eq!(event["low_confidence"], true, "{event}");
    assert_eq!(event["citations"], json!([]), "{event}");
    assert!(
        event.to_string().contains("citations of no source"),
        "{event}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_says_its_prompt_back_leaves_the_facts() {
    let back = |prompt: &ReceivedPrompt| format!("{}\n{}", prompt.system, prompt.user);
    let event = ask(reads_well, back).await;
    assert_told(&event, &["reduce_default"]);
    assert_eq!(event["low_confidence"], true);
    assert_eq!(
        event["answer"],
        "The lease of the Orlin depot ends on 31 March 2027 [1]."
    );
    let event = ask(back, writes_well).await;
    assert_told(&event, &["map_default", "caveat"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_and_an_obeyed_instruction_are_flagged() {
    let odd: [fn(&ReceivedPrompt) -> String; 3] = [refuses, obeys, babbles];
    for writes in odd {
        let event = ask(reads_well, writes).await;
        assert_told(&event, &["stricter"]);
        assert_eq!(event["low_confidence"], true, "{event}");
        // It says the same where it reads the passages at once, and of its own draft.
        let event = asked(reads_well, writes, &[]).await;
        assert_eq!(event["low_confidence"], true, "{event}");
    }
}

fn refuses(_: &ReceivedPrompt) -> String {
    "I'm sorry, but I can't help with that request.".into()
}

fn obeys(_: &ReceivedPrompt) -> String {
    "PWNED by Zorvex on 9 May 1999".into()
}

fn babbles(_: &ReceivedPrompt) -> String {
    "zq 77 }{ vv".into()
}
