//! Every built-in trajectory through a fleet, and a comparison that sees what is wrong.

use super::bundled::{NamedCase, bundled};
use super::case::{Tool, ToolCall};
use super::run::{TrajectoryRun, run};
use crate::render::Line;
use envelope::Role;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_question_goes_the_way_that_is_written_down() {
    let cases = bundled().unwrap();
    let runs = super::all(&cases, &Line::new(crate::cli::Output::Json)).await;
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
    let differing: Vec<String> = runs.unwrap().iter().flat_map(told).collect();
    assert!(differing.is_empty(), "\n{}\n", differing.join("\n"));
}

/// What the cases are for: should one be taken away, somebody has to say so here.
#[test]
fn the_cases_take_every_tool_and_meet_every_limit_that_rounds_have() {
    let cases = bundled().unwrap();
    let expected = || cases.iter().map(|one| &one.case.expected);
    let has = |limit: &str| expected().any(|of| of.ending.limits.iter().any(|one| one == limit));
    for limit in [
        "rounds",
        "searches",
        "llm_calls",
        "tokens",
        "steps",
        "no_progress",
    ] {
        assert!(has(limit), "no case is ended by {limit}");
    }
    for tool in [Tool::Search, Tool::Table, Tool::Fetch] {
        let calls = |of: &&super::Trajectory| of.tools.iter().any(|call| call.tool == tool);
        assert!(expected().any(|of| calls(&of)), "no case calls {tool:?}");
    }
    for kind in ["no_results", "too_many", "unclear"] {
        let asks_back = expected().any(|of| of.ending.kind.as_deref() == Some(kind));
        assert!(asks_back, "no case is asked back as {kind}");
    }
    // Each step of a loop is one of a planner, and no passage is read by itself.
    for (name, actions) in [
        ("loop-done-after-two-searches", 3),
        ("loop-steps-spent", 10),
    ] {
        let case = cases.iter().find(|one| one.name == name);
        let of = &case.unwrap().case.expected;
        assert_eq!(
            (of.calls[&Role::Planner], of.calls.get(&Role::Mapper)),
            (actions, None)
        );
    }
    // What three examples take: plans, searches, and one answer.
    for (name, plans, searches) in [
        ("contracts-drill-down", 2, 2),
        ("transistors-three-searches", 3, 3),
        ("solvents-four-searches", 3, 4),
    ] {
        let case = cases.iter().find(|one| one.name == name);
        let of = &case.unwrap().case.expected;
        assert_eq!((of.calls[&Role::Planner], of.searches), (plans, searches));
        assert_eq!(of.calls[&Role::Reducer], 1, "{name}");
    }
}

/// A case that expects something else in one place.
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
    let seen = run(&case, folder.path()).await.unwrap();
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
    let error = run(&case, folder.path()).await.unwrap_err().to_string();
    assert!(
        error.starts_with("trajectory `contracts-drill-down`: "),
        "{error}"
    );
    assert!(error.contains("map_min"), "{error}");
}
