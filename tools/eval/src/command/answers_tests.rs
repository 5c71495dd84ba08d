//! Repeats a recorded run of a small model without the model, and looks through its replies for words of the prompts.
//!
//! The recording belongs to the prompts and the search as they are. After a change of either, it is made anew as
//! `tests/answers/README.md` says.

use crate::answers::System;
use crate::cli::EvalAnswersArgs;
use argosy::config::Config;
use argosy::render::ProgressLine;
use serde_json::Value;
use settings::Sources;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Words in a row that a reply and a prompt have in common if the prompt has leaked.
const RUN: usize = 6;

fn below(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(path)
}

fn recorded() -> String {
    std::fs::read_to_string(below("tests/answers/recording.jsonl")).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recorded_run_is_repeated_without_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let calls = folder.path().join("calls.jsonl");
    std::fs::write(&calls, recorded()).unwrap();
    let data_dir = folder.path().join("data").display().to_string();
    let flags = [("data_dir".to_owned(), data_dir)];
    let config: Config = settings::load(Sources::new().flags(flags)).unwrap().value;
    let options = EvalAnswersArgs {
        path: None,
        systems: vec![System::Plain(3), System::Fleet("simple")],
        split: crate::Split::Dev,
        limit: Some(6),
        taken_away: 0,
        calls: Some(calls.clone()),
        replay: true,
        index: None,
        details: None,
        report: Some(folder.path().join("report.html")),
    };
    let line = Arc::new(ProgressLine::nowhere());
    let report = crate::answers::run(&options, &config, &line);
    let report = report.await.unwrap().object;
    insta::assert_snapshot!(shown(&report));
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains("<th>simple</th>") && page.contains("confidence"));
    assert_eq!(
        std::fs::read_to_string(&calls).unwrap(),
        recorded(),
        "nothing is added"
    );
}

/// The figures of each system that follow from the recording.
fn shown(report: &Value) -> String {
    let systems = report["systems"].as_array().unwrap().iter();
    let lines = systems.map(|one| {
        let shares = ["right", "rightly_refused", "shown"].map(|name| {
            format!(
                "{name} {:.2} of {}",
                one[name]["share"].as_f64().unwrap(),
                one[name]["of"]
            )
        });
        let counts = ["wrong", "refused", "failed", "calls", "tokens_in"];
        let counts = counts.map(|name| format!("{name} {:.1}", one[name].as_f64().unwrap()));
        format!(
            "{}: {}, {}",
            one["system"],
            shares.join(", "),
            counts.join(", ")
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn no_reply_repeats_a_prompt() {
    let mut own = HashSet::new();
    for entry in std::fs::read_dir(below("workers/reducer/prompts")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        own.extend(runs(&text));
    }
    let recorded = recorded();
    let replies = recorded.lines().filter_map(|line| {
        let call: Value = serde_json::from_str(line).unwrap();
        call["reply"]["Ok"].as_str().map(str::to_owned)
    });
    let mut count = 0;
    for reply in replies {
        count += 1;
        let leaked: Vec<String> = runs(&reply).filter(|run| own.contains(run)).collect();
        assert!(leaked.is_empty(), "{reply}: {leaked:?}");
    }
    assert!(count >= 10, "{count} replies");
}

#[test]
fn the_sets_are_of_the_form_that_they_say() {
    let check = std::process::Command::new("python3")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(below("tests/answers/check.py"))
        .output()
        .expect("python3 runs");
    assert!(
        check.status.success(),
        "{}",
        String::from_utf8_lossy(&check.stdout)
    );
}

/// Every run of some words of a text, in lower case.
fn runs(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let runs: Vec<String> = words.windows(RUN).map(|run| run.join(" ")).collect();
    runs.into_iter()
}
