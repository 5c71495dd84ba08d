//! Tests the profile `large` in one process: a model chooses a bucket before it makes the plan, and after a review of
//! the results it sends the next search into one document.

use crate::binary::argosy;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use testkit::sim_node::{Options, Params, PromptText, SimNode};
use tokio::process::Command;

const QUESTION: &str = "What does the Acme contract say about ending it?";
const LIST: &str = "Contracts: the Acme contract, about pumps; the Bolt contract, about lamps. What the Acme contract says about ending it stands in acme.";
const CLAUSE: &str = "Termination: the notice period is 90 days.";

async fn node(says: fn(&PromptText) -> String) -> SimNode {
    let options = Options {
        params: Params {
            step_base: Duration::from_micros(100),
            ..Params::default()
        },
        ..Options::default()
    };
    let node = SimNode::answering(options, says).await;
    node.expect("a simulated node")
}

/// Asks a corpus of two buckets, and reads one passage a round.
async fn asked(node: &SimNode, flags: &[&str]) -> Value {
    let dir = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("docs/contracts/list.md", LIST);
    write("docs/contracts/acme.md", CLAUSE);
    write("docs/memos/lunch.md", "Lunch is at noon.");
    let mut command = Command::new(argosy());
    command.args(["ask", QUESTION, "--corpus", "docs", "-o", "json"]);
    command.args(flags);
    let nodes = json!([{"name": "sim", "base_url": node.base_url()}]);
    for option in [
        "model.model=sim".to_owned(),
        format!("model.nodes={nodes}"),
        "retriever.map_max=1".to_owned(),
    ] {
        command.args(["--set", &option]);
    }
    let output = command.current_dir(dir.path()).kill_on_drop(true).output();
    let output = output.await.expect("a command");
    let shown = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&shown).unwrap_or_else(|error| {
        panic!(
            "{error}: {shown}\n{}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

fn decided<'a>(ended: &'a Value, role: &str) -> Vec<&'a str> {
    let trail = ended["trail"].as_array().into_iter().flatten();
    let own = trail.filter(|entry| entry["role"] == role);
    own.filter_map(|entry| entry["decided"].as_str()).collect()
}

/// The replies to all prompts but those of the planner.
fn others(prompt: &PromptText) -> String {
    let user = &prompt.user;
    match () {
        () if user.contains("\"grade\"") => match llm::section::read(user, "text") {
            Some(text) if text.contains("90 days") => {
                json!({"grade": 0.9, "facts": [CLAUSE]}).to_string()
            }
            _ => json!({"grade": 0.1, "facts": []}).to_string(),
        },
        () => "The notice period is 90 days [1].".into(),
    }
}

fn reviews(prompt: &PromptText) -> String {
    let user = &prompt.user;
    match () {
        () if user.contains("<buckets>") => {
            json!({"bucket": "contracts", "intent": "qa"}).to_string()
        }
        () if user.contains("<evaluation>") => {
            let results = llm::section::read(user, "evaluation").unwrap_or_default();
            assert!(
                results.contains("the Acme contract, about pumps"),
                "{results}"
            );
            json!({"reasoning": "The clause is missing.", "status": "more", "next_tool_call": {
                "tool": "search_text",
                "args": {"bucket": "contracts", "query": "termination notice period", "filters": []}}})
            .to_string()
        }
        () if user.contains("\"keywords\"") => json!({"keywords": ["Acme contract"]}).to_string(),
        () => others(prompt),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_sends_the_next_search_to_where_the_first_one_points() {
    let node = node(reviews).await;
    let ended = asked(&node, &["--profile", "large"]).await;
    assert_eq!(ended["outcome"], "answered", "{ended}");
    let answer = ended["answer"].as_str().unwrap_or_default();
    assert!(answer.contains("90 days"), "{answer}");
    let planned = decided(&ended, "planner");
    let [first, review] = &planned[..] else {
        panic!("{planned:?}")
    };
    assert!(first.ends_with(", in contracts"), "{first}");
    assert_eq!(
        *review,
        "review: more: search_text \"termination notice period\" where bucket = \"contracts\" (The clause is missing.)"
    );
    assert_eq!(decided(&ended, "retriever").len(), 2, "{ended}");
    // Choice, plan, passage, review, passage, answer.
    assert_eq!(
        (&ended["usage"]["calls"], &ended["usage"]["searches"]),
        (&json!(6), &json!(2))
    );
}

fn acts(prompt: &PromptText) -> String {
    let user = &prompt.user;
    let Some(steps) = llm::section::read(user, "steps") else {
        return others(prompt);
    };
    let call = |tool: &str, args: serde_json::Value| {
        json!({"reasoning": "So it is.", "tool": tool, "args": args}).to_string()
    };
    match steps.matches("Step ").count() {
        0 => call("search_text", json!({"query": "Acme contract"})),
        1 => {
            let id = steps
                .split("document ")
                .nth(1)
                .and_then(|rest| rest.split(' ').next());
            call("get_document_metadata", json!({"doc_id": id}))
        }
        2 => call(
            "search_text",
            json!({"bucket": "contracts", "query": "termination notice period"}),
        ),
        _ => call("done", json!({})),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_loop_acts_until_it_is_done() {
    let node = node(acts).await;
    let ended = asked(&node, &["--mode", "loop", "--profile", "large"]).await;
    assert_eq!(ended["outcome"], "answered", "{ended}");
    let answer = ended["answer"].as_str().unwrap_or_default();
    assert!(answer.contains("90 days"), "{answer}");
    assert_eq!(ended["low_confidence"], false, "{ended}");
    let planned = decided(&ended, "planner");
    let [first, look, second, end] = &planned[..] else {
        panic!("{planned:?}")
    };
    assert_eq!(*first, "step 1: search_text \"Acme contract\" (So it is.)");
    assert!(look.starts_with("step 2: get_document_metadata "), "{look}");
    assert!(
        second.starts_with("step 3: search_text \"termination notice period\""),
        "{second}"
    );
    assert_eq!(*end, "the loop ends: done (So it is.)");
    assert!(
        decided(&ended, "mapper").is_empty(),
        "nobody maps what a loop finds"
    );
    assert_eq!(
        (&ended["usage"]["calls"], &ended["usage"]["searches"]),
        (&json!(5), &json!(2))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_loop_wants_a_large_model() {
    let node = node(acts).await;
    let ended = asked(&node, &["--mode", "loop", "--profile", "small"]).await;
    assert_eq!(ended["outcome"], "refused", "{ended}");
    let told = ended["error"]["message"].as_str().unwrap_or_default();
    assert!(told.contains("set `profile` to `large`"), "{told}");
}
