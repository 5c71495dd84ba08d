//! Tests a fleet in one process that gets its vectors from one server and has another server rerank its passages.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use argosy::config::Config;
use argosy::local::Local;
use argosy::model::OFFLINE;
use documents::PublishMode;
use envelope::{Outcome, Terminal};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;
use streams::client::Ask;
use testkit::node::{DIMS, FakeNode, FakeNodeBehaviour};

fn config(node: &FakeNode) -> Config {
    let nodes = json!([{"name": "a", "base_url": node.base_url()}]);
    let mut config = Config::default();
    config.model.model = OFFLINE.into();
    config.retrieval = serde_json::from_value(json!({
        "embedder": "http",
        "http": {"model": "letters", "dims": DIMS, "nodes": nodes},
        "reranker": {"model": "reader", "nodes": nodes, "timeout": "10s"},
    }))
    .unwrap();
    config
}

/// The inputs that the node was given, of each kind.
fn inputs(node: &FakeNode, field: &str) -> Vec<String> {
    let prompts = node.prompts();
    let lists = prompts.iter().filter_map(|p| p.body[field].as_array());
    lists
        .flatten()
        .map(|text| text.as_str().unwrap_or_default().to_owned())
        .collect()
}

fn corpus(dir: &Path) -> PathBuf {
    let corpus = dir.join("corpus");
    std::fs::create_dir_all(&corpus).unwrap();
    let text = "The harbour master is Ada Berg.";
    std::fs::write(corpus.join("harbour.md"), text).unwrap();
    std::fs::write(corpus.join("gate.md"), "The gate closes at noon.").unwrap();
    corpus
}

async fn indexed(node: &FakeNode, dir: &Path) -> Local {
    let corpus = corpus(dir);
    let mut local = Local::start(&config(node), &dir.join("index"))
        .await
        .unwrap();
    let summary = local
        .index(corpus, PublishMode::Incremental, |_| {})
        .await
        .unwrap();
    assert_eq!(summary.indexed, 2, "{:?}", summary.skipped);
    local
}

async fn ask(local: &Local) -> Terminal {
    let ask = Ask {
        question: "Who is the harbour master?".into(),
        wait: Duration::from_secs(60),
        ..Ask::default()
    };
    streams::client::ask(&*local.bus, ask, |_| {})
        .await
        .unwrap()
}

fn fallbacks(terminal: &Terminal) -> Vec<String> {
    let all = terminal.trail.iter().flat_map(|entry| &entry.fallbacks);
    all.map(|fallback| format!("{fallback:?}")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn chunks_and_queries_are_embedded_and_passages_ranked_by_the_server() {
    let node = FakeNode::saying("unused").await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let local = indexed(&node, dir.path()).await;
    let passages = inputs(&node, "input");
    assert_eq!(passages.len(), 2, "{passages:?}");
    let terminal = ask(&local).await;
    local.stop().await;
    assert_eq!(terminal.outcome, Outcome::Answered, "{terminal:?}");
    assert!(terminal.answer.unwrap().contains("Ada Berg"));
    let queries = inputs(&node, "input").split_off(2);
    assert!(
        !queries.is_empty(),
        "the query has a vector of the same embedder"
    );
    let ranked = inputs(&node, "documents");
    assert!(
        ranked.iter().any(|text| text.contains("Ada Berg")),
        "{ranked:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_server_is_waited_for_as_long_as_one_is_patient() {
    let node = FakeNode::saying("unused").await.unwrap();
    node.always(FakeNodeBehaviour::Slow(Duration::from_secs(3)));
    let dir = tempfile::tempdir().unwrap();
    let mut local = Local::start(&config(&node), &dir.path().join("index"))
        .await
        .unwrap();
    // Eight large documents share the cores of an encoder: the first is done after minutes.
    assert!(local.patience >= Duration::from_secs(1_800));
    let usual = std::mem::replace(&mut local.patience, Duration::from_millis(100));
    let root = corpus(dir.path());
    let given_up = local
        .index(root.clone(), PublishMode::Incremental, |_| {})
        .await;
    let given_up = given_up.unwrap_err();
    let given_up = argosy::cli_error::CliError::from(given_up);
    let hint = given_up.hint.unwrap_or_default();
    assert_eq!(given_up.exit, 6, "{}", given_up.message);
    assert!(hint.contains("--patience"), "{hint}");
    local.patience = usual;
    local
        .index(root, PublishMode::Incremental, |_| {})
        .await
        .unwrap();
    assert_eq!(local.chunk_count(), 2);
    local.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_went_away_is_named_in_the_trail() {
    let node = FakeNode::saying("unused").await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let local = indexed(&node, dir.path()).await;
    node.always(FakeNodeBehaviour::Status(503, "busy".into(), None));
    let terminal = ask(&local).await;
    local.stop().await;
    assert_eq!(terminal.outcome, Outcome::Answered, "{terminal:?}");
    let fallbacks = fallbacks(&terminal);
    for leg in ["vectors", "reranker"] {
        assert!(
            fallbacks.iter().any(|f| f.contains(leg)),
            "{leg}: {fallbacks:?}"
        );
    }
}
