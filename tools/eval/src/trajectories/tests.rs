//! Tests of what the built-in trajectories cover. Other tests, which have a fleet, run each trajectory through it.

use super::bundled::bundled;
use super::case::Tool;
use envelope::Role;

/// What the cases cover: a case that is removed has to be removed here as well.
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
