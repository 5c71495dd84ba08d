//! Tests the status of the whole fleet: the reports of real processes, the real queues of the server, and gauges that
//! are absent while the server is away.

use crate::fleet::{Fleet, connect, until};
use crate::http;
use crate::model;
use crate::turns::{publish, question};
use envelope::Role;
use serde_json::{Value, json};
use std::time::Duration;

const QUESTIONS: usize = 3;

/// The row of a role.
fn row(status: &Value, role: Role) -> &Value {
    let rows = status["roles"].as_array().expect("roles");
    let found = rows.iter().find(|row| row["role"] == role.as_str());
    found.expect("a row of every role")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_fleet_is_shown_as_it_is() {
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    let more = ["gateway.backlog_every=100ms", "nats.request_timeout=1s"];
    let more = more.map(String::from).to_vec();
    let mut fleet = Fleet::new(server.url(), [model::options(&node), more].concat());

    let bare = fleet.command(&["status"]).await;
    assert_eq!(bare.status.code(), Some(3), "{bare:?}");
    let said = String::from_utf8_lossy(&bare.stderr);
    assert!(said.contains("argosy setup"), "{said}");

    // Nobody maps, and two gateways count: what waits is told once.
    fleet.setup().await;
    for role in [Role::Gateway, Role::Planner, Role::Retriever, Role::Gateway] {
        fleet.start(role);
    }
    fleet.ready().await;
    let bus = connect(server.url()).await;
    let ids = ["one", "two", "three"].map(|id| question(Some(id.into()), "120s"));
    publish(&*bus, ids.to_vec()).await;
    let maps = json!(QUESTIONS);
    let shown = until("the batches to wait", async || {
        let status = fleet.json(&["status", "--turn", "one"]).await;
        (row(&status, Role::Mapper)["pending"] == maps).then_some(status)
    })
    .await;
    let mapper = row(&shown, Role::Mapper);
    assert_eq!(
        (&mapper["processes"], &mapper["ready"]),
        (&json!(0), &json!(0))
    );
    assert!(mapper["oldest_ms"].as_u64() > Some(0), "{mapper}");
    let gateway = row(&shown, Role::Gateway);
    assert_eq!(
        (&gateway["processes"], &gateway["ready"]),
        (&json!(2), &json!(2))
    );
    let planner = row(&shown, Role::Planner);
    assert_eq!(
        (&planner["ready"], &planner["limit"]),
        (&json!(1), &json!(64))
    );
    assert_eq!(planner["answered"], json!(QUESTIONS), "{planner}");
    assert!(planner["p95_ms"].as_u64() > Some(0), "{planner}");
    assert_eq!(shown["turn"]["state"], "waiting", "{shown}");
    assert_eq!(shown["turn"]["before"], "mapper");
    let steps = &shown["streams"][1];
    assert_eq!(steps["stream"], "ARGOSY_STEPS_0");
    assert!(steps["bytes"].as_u64() > Some(0), "{steps}");
    assert_eq!(shown["inbox"]["pending"], 0);

    let text = fleet.command(&["status", "--sort", "pending"]).await;
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    let first = text.lines().nth(1).unwrap_or_default();
    assert!(first.starts_with("mapper"), "{text}");
    let top = fleet
        .command(&["top", "-o", "json", "--every", "1", "--count", "2"])
        .await;
    let lines = String::from_utf8_lossy(&top.stdout).into_owned();
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("one object per line"))
        .collect();
    assert_eq!(lines.len(), 2, "{top:?}");
    assert_eq!(row(&lines[1], Role::Mapper)["pending"], maps);

    gauges_are_true_or_absent(&fleet, server, &maps).await;
}

/// The gauges of each gateway show what waits, and are gone while the server is.
async fn gauges_are_true_or_absent(
    fleet: &Fleet,
    mut server: testkit::nats::TestServer,
    maps: &Value,
) {
    let line = |role: &str, value: &Value| {
        format!("argosy_consumer_pending_messages{{role=\"{role}\"}} {value}")
    };
    let wanted = [
        line("mapper", maps),
        line("planner", &json!(0)),
        "argosy_dead_letter_messages{role=\"mapper\"} 0".to_owned(),
        "argosy_consumer_ack_pending_messages{role=\"indexer\"} 0".to_owned(),
    ];
    let gateways = fleet.processes.iter();
    let gateways = gateways.filter(|p| p.member.role == Role::Gateway);
    let gateways: Vec<_> = gateways.collect();
    for process in &gateways {
        let admin = process.admin().await;
        until("the gauges", async || {
            let (_, text) = http::get(admin, "/metrics").await?;
            let lines: Vec<&str> = text.lines().collect();
            wanted
                .iter()
                .all(|w| lines.contains(&w.as_str()))
                .then_some(())
        })
        .await;
    }
    server.kill().expect("a kill");
    for process in &gateways {
        let admin = process.admin().await;
        until("the gauges to go", async || {
            let (_, text) = http::get(admin, "/metrics").await?;
            let old = ["argosy_consumer_", "argosy_dead_letter_messages{"];
            let is_gone = old.iter().all(|family| !text.contains(family));
            is_gone.then_some(())
        })
        .await;
        assert_eq!(process.counter("argosy_nats_connected", &[]).await, 0);
    }
}
