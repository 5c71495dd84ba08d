//! Tests that the measurements of `argosy-bench` on the binary that ships run, with nothing stubbed. It does not test
//! the measured values.

use crate::binary::argosy;
use crate::fleet::bench;
use envelope::Role;
use serde_json::Value;
use std::path::Path;
use std::process::Output;
use tokio::process::Command;

async fn measured(argosy: &Path) -> Output {
    let mut command = Command::new(bench());
    command.args(["fleet", "--real", "--in-flight", "2", "--queries", "6"]);
    command.args(["--repeat", "1", "-o", "json", "--argosy"]);
    command.arg(argosy).kill_on_drop(true);
    command.output().await.expect("it runs")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fleet_with_nothing_stubbed_is_measured_by_role() {
    // Found or fetched as the other tests do it.
    let server = testkit::nats::binary().await;
    assert!(server.is_file());
    let output = measured(argosy()).await;
    assert!(output.status.success(), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (&report["documents"], &report["repetitions"]),
        (&65.into(), &1.into())
    );
    let run = &report["runs"][0];
    assert_eq!((&run["in_flight"], &run["queries"]), (&2.into(), &6.into()));
    assert!(
        run["queries_per_s"].as_f64().is_some_and(|n| n > 0.0),
        "{run}"
    );
    let (p50, p99) = (run["p50_ms"].as_f64(), run["p99_ms"].as_f64());
    assert!(p50 > Some(0.0) && p99 >= p50, "{run}");
    let costs = run["processes"].as_array().expect("by process");
    let names: Vec<&str> = costs
        .iter()
        .map(|one| one["name"].as_str().expect("a name"))
        .collect();
    for name in Role::ALL
        .map(Role::as_str)
        .iter()
        .chain(&["nats-server", "driver"])
    {
        assert!(names.contains(name), "{name}: {run}");
    }
    assert_eq!(names.len(), Role::ALL.len() + 2, "{run}");
    let sum = |field: &str| -> f64 { costs.iter().filter_map(|one| one[field].as_f64()).sum() };
    for field in ["cpu_ms_per_query", "pss_mb"] {
        let all = run[field].as_f64().expect("the sum");
        assert!(all > 0.0 && (sum(field) - all).abs() < 1e-6 * all, "{run}");
    }
    assert!(
        costs.iter().all(|one| one["pss_mb"].as_f64() > Some(1.0)),
        "{run}"
    );
    let ended: u64 = run["outcomes"]
        .as_object()
        .expect("by outcome")
        .iter()
        .filter(|(name, _)| ["answered", "clarification"].contains(&name.as_str()))
        .filter_map(|(_, times)| times.as_u64())
        .sum();
    assert_eq!(ended, 6, "{run}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_binary_that_ships_it_says_how_to_build_it() {
    let output = measured(Path::new("/nowhere/argosy")).await;
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("cargo build --release"), "{said}");
}

/// Every role and the server are killed, and the picture of the run is drawn.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_soak_counts_what_is_lost_while_everything_is_killed() {
    let server = testkit::nats::binary().await;
    assert!(server.is_file());
    let dir = tempfile::tempdir().expect("a folder");
    let page = dir.path().join("soak.html");
    let mut command = Command::new(bench());
    command.args(["soak", "--seconds", "18", "--rate", "10", "--seed", "7"]);
    command.args(["--kill-every", "1.5", "--kill-server-every", "7"]);
    command.args(["-o", "json", "--html"]).arg(&page);
    let output = command.kill_on_drop(true).output();
    let output = output.await.expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let account = &report["account"];
    assert_eq!(account["asked"], 180, "{account}");
    for fault in ["lost", "doubled", "strangers"] {
        assert_eq!(account[fault], serde_json::json!([]), "{account}");
    }
    assert_eq!(account["outcomes"]["answered"], 180, "{account}");
    let kills = report["kills"].as_array().expect("kills");
    let mut killed: Vec<&str> = kills.iter().filter_map(|k| k["process"].as_str()).collect();
    killed.sort();
    killed.dedup();
    let all = Role::ANSWERING.map(Role::as_str);
    assert!(all.iter().all(|role| killed.contains(role)), "{killed:?}");
    assert!(killed.contains(&"nats-server"), "{killed:?}");
    let page = std::fs::read_to_string(page).expect("a page");
    assert_eq!(page.matches("<svg").count(), 4, "{page}");
    assert!(page.contains("<title>nats-server at "), "{page}");
}
