//! Tests what the processes of a fleet report of model nodes, both chat models and embedders.

use crate::fleet::{Fleet, connect, until};
use crate::model;
use crate::turns::{publish, question};
use envelope::Role;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::node::{DIMS, FakeNode};

/// The nodes of the process of a role.
fn nodes(seen: &Value, role: Role) -> &Value {
    let all = seen.as_array().expect("processes");
    let found = all.iter().find(|one| one["role"] == role.as_str());
    &found.expect("a process of the role")["nodes"]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_process_tells_of_the_nodes_that_it_asks() {
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    let vectors = FakeNode::saying("").await.expect("a fake node");
    let url = vectors.base_url();
    let more = [
        "retrieval.embedder=http".to_owned(),
        format!("retrieval.http.dims={DIMS}"),
        "retrieval.http.model=vectors".into(),
        format!(r#"retrieval.http.nodes=[{{"name":"v","base_url":"{url}"}}]"#),
    ];
    let mut fleet = Fleet::new(server.url(), [model::options(&node), more.into()].concat());
    fleet.setup().await;
    let none = fleet.command(&["nodes"]).await;
    assert_eq!(none.status.code(), Some(3), "{none:?}");

    for role in [Role::Gateway, Role::Planner, Role::Indexer] {
        fleet.start(role);
    }
    fleet.ready().await;
    let bus = connect(server.url()).await;
    publish(&*bus, vec![question(None, "60s")]).await;
    let seen = until("the plan to be told of", async || {
        let seen = fleet.json(&["nodes"]).await;
        (nodes(&seen, Role::Planner)[0]["answered"] == 1).then_some(seen)
    })
    .await;
    let processes = seen.as_array().expect("processes");
    assert_eq!(processes.len(), 2, "a gateway has none: {seen:#}");
    let chat = &nodes(&seen, Role::Planner)[0];
    let told = ["model", "name", "breaker", "failed"].map(|field| &chat[field]);
    assert_eq!(
        told,
        [&json!("fake"), &json!("fake"), &json!("closed"), &json!(0)]
    );
    let embeds = &nodes(&seen, Role::Indexer)[0];
    let told = ["model", "name", "breaker", "answered"].map(|field| &embeds[field]);
    assert_eq!(
        told,
        [&json!("vectors"), &json!("v"), &json!("closed"), &json!(0)]
    );

    let shown = fleet.command(&["nodes"]).await;
    let shown = String::from_utf8(shown.stdout).expect("text");
    println!("{shown}");
    let head = shown.lines().next().expect("a head");
    assert!(head.contains("MODEL") && head.contains("ERRORS"), "{head}");
    let planner = shown.lines().find(|line| line.starts_with("planner-"));
    assert!(planner.is_some_and(|line| line.contains("0.0%")), "{shown}");
    fleet.drain().await;
}
