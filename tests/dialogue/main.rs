//! Runs the dialogues in `tests/scenarios/*.md`, each through a whole fleet in this process. It checks which route
//! every question takes, how it is rewritten, which roles work on it, and what the answer is.
//! `tests/scenarios/README.md` describes the form of these files; a new case is a new file.
//!
//! *Not* here: the lines of `tests/scenarios/*.jsonl`, which are bad messages (`edge`), and what happens when processes
//! die (`pipeline`, `race`).
//!
//! | module | what |
//! |---|---|
//! | [`lines`] | a file as headings, fields and documents, with their lines |
//! | [`script`] | the scenario that is made of these lines; errors name the line |
//! | [`outcome`] | the differences between the result of a turn and the expected one |
//! | [`run`] | runs the turns one after the other through a fleet whose model replies as the scenario says |
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on may panic, in its helpers too"
)]

mod lines;
mod outcome;
mod run;
mod script;

use script::Scenario;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")
}

/// Runs every scenario, each under the name of its file, and reports all that is wrong with any of them at once.
fn scenarios() -> Vec<Scenario> {
    let entries = std::fs::read_dir(folder()).unwrap().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths
        .retain(|path| path.extension().is_some_and(|e| e == "md") && !path.ends_with("README.md"));
    paths.sort();
    let (mut scenarios, mut wrong) = (Vec::new(), Vec::new());
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        match script::read(&name, &text) {
            Ok(scenario) => scenarios.push(scenario),
            Err(error) => wrong.push(error),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(!scenarios.is_empty(), "there are no scenarios");
    scenarios
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_dialogue_goes_as_it_is_written() {
    let mut findings = Vec::new();
    for scenario in scenarios() {
        findings.extend(run::differences(&scenario).await);
    }
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

/// The routes for which the scenarios exist. If one is taken away, this list has to say so.
#[test]
fn every_route_is_taken_by_some_turn() {
    let scenarios = scenarios();
    let turns = || scenarios.iter().flat_map(|scenario| &scenario.turns);
    for route in envelope::PlanRoute::ALL {
        let takes = turns().any(|turn| turn.expected.route == Some(route));
        assert!(takes, "no turn takes the route `{}`", route.as_str());
    }
    let longest = scenarios.iter().map(|scenario| scenario.turns.len()).max();
    assert!(longest >= Some(4), "no dialogue of four turns");
}
