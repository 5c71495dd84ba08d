//! Tests every built-in trajectory case in a fleet, and tests that cases with wrong expectations are reported.

use crate::cli::EvalTrajectoriesArgs;
use crate::trajectories::bundled::{NamedCase, bundled};
use crate::trajectories::case::ToolCall;
use crate::trajectories::{TrajectoryRun, run, run_case};
use envelope::Role;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_question_goes_the_way_that_is_written_down() {
    let all = EvalTrajectoriesArgs {
        name: None,
        path: None,
    };
    let report = run(&all, &|_| ()).await.unwrap();
    let told = |one: &TrajectoryRun| {
        let lines = one.differences.iter().map(|differs| {
            let (expected, seen) = (&differs.expected, &differs.seen);
            format!(
                "{}: {}: expected {expected}, seen {seen}",
                one.name, differs.what
            )
        });
        lines.collect::<Vec<_>>()
    };
    let differing: Vec<String> = report.runs.iter().flat_map(told).collect();
    assert!(differing.is_empty(), "\n{}\n", differing.join("\n"));
}

/// A case that expects something wrong in one place.
fn spoilt(spoil: impl FnOnce(&mut NamedCase)) -> NamedCase {
    let mut cases = bundled().unwrap();
    cases.retain(|one| one.name == "contracts-drill-down");
    let mut case = cases.remove(0);
    spoil(&mut case);
    case
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_differs_is_told() {
    let case = spoilt(|NamedCase { case, .. }| {
        let expected = &mut case.expected;
        expected.visited.pop();
        expected.tools[1].conditions.clear();
        expected.tools.push(ToolCall::default());
        expected.searches += 1;
        expected.calls.insert(Role::Reducer, 2);
        expected.ending.limits.push("time".into());
        case.says.push("a word that is not there".into());
        let mut unasked = case.model[0].clone();
        unasked.when = "what no prompt contains".into();
        case.model.push(unasked);
    });
    let folder = tempfile::tempdir().unwrap();
    let seen = run_case(&case, folder.path()).await.unwrap();
    let what: Vec<&str> = seen
        .differences
        .iter()
        .map(|one| one.what.as_str())
        .collect();
    let wanted = [
        "visited",
        "call 2 of the corpus",
        "call 3 of the corpus",
        "searches",
        "model calls",
        "ending",
        "said",
        "reply to the planner",
    ];
    assert_eq!(what, wanted);
}

#[tokio::test]
async fn settings_that_are_none_are_named() {
    let case = spoilt(|NamedCase { case, .. }| {
        case.settings.insert("retriever.map_min".into(), "5".into());
    });
    let folder = tempfile::tempdir().unwrap();
    let error = run_case(&case, folder.path())
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("trajectory `contracts-drill-down`: "),
        "{error}"
    );
    assert!(error.contains("map_min"), "{error}");
}
