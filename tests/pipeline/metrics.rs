//! Tests the output of real processes at `/metrics`: promtool's linter accepts it, and docs/metrics.md lists every
//! metric family in it.

use crate::fleet::{Fleet, connect};
use crate::http;
use crate::model::{self, CALLS};
use crate::turns::{publish, question, terminals, wait_for_ends};
use envelope::Role;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use testkit::promtool;

/// The families of a text.
fn families(text: &str) -> BTreeSet<&str> {
    let types = text.lines().filter_map(|l| l.strip_prefix("# TYPE "));
    types.filter_map(|line| line.split(' ').next()).collect()
}

#[test]
fn promtool_finds_what_is_wrong() {
    let lint = promtool::check_metrics("argosy_messages 1\n").expect_err("no help, no type");
    assert!(lint.contains("argosy_messages"), "{lint}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_process_says_what_the_document_lists() {
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    let mut fleet = Fleet::new(server.url(), model::options(&node));
    fleet.setup().await;
    fleet.start_all().await;
    let bus = connect(server.url()).await;
    // Histograms have no series before something was measured.
    let mut measured = question(Some("measured".into()), "60s");
    measured["conversation"] = "talk".into();
    publish(&*bus, vec![measured]).await;
    wait_for_ends(&*bus, 1, crate::fleet::PATIENCE).await;
    assert_eq!(node.seen().calls, CALLS);
    let trail = terminals(&*bus).await.remove(0).trail;
    assert!(trail.len() > 4, "{trail:?}");

    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/metrics.md");
    let document = std::fs::read_to_string(docs).expect("docs/metrics.md");
    for process in &fleet.processes {
        let (role, admin) = (process.member.role, process.admin().await);
        let (status, text) = http::get(admin, "/metrics").await.expect("metrics");
        assert_eq!(status, 200);
        let checked = text.clone();
        let lint = tokio::task::spawn_blocking(move || promtool::check_metrics(&checked));
        assert_eq!(lint.await.expect("promtool"), Ok(()), "the {role}");
        let revision = settings::sources::revision();
        let build = format!(r#"argosy_build_info{{revision="{revision}""#);
        assert!(text.contains(&build), "{build} is not in\n{text}");
        let ours = families(&text);
        for family in ours.iter().filter(|name| !name.starts_with("process_")) {
            let listed = document.contains(&format!("| `{family}` |"));
            assert!(listed, "`{family}` of the {role} is not in docs/metrics.md");
        }
        for family in ["argosy_nats_connected", "argosy_messages_received_total"] {
            assert!(ours.contains(family), "the {role} has no `{family}`");
        }
        // Others have had nothing to do.
        if role == Role::Gateway || trail.iter().any(|entry| entry.role == role) {
            let received = process
                .counter("argosy_messages_received_total", &[role.as_str()])
                .await;
            assert!(received > 0, "the {role} has counted nothing");
        }
    }
    fleet.drain().await;
}
