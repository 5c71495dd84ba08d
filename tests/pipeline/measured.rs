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
