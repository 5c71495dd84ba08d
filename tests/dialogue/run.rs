//! Runs one dialogue through a fleet of one process: indexes its documents, and asks its turns one after the other.

use crate::outcome;
use crate::script::{Scenario, Turn};
use argosy::config::Config;
use argosy::local::Local;
use argosy::model::ChosenModel;
use documents::PublishMode;
use envelope::Terminal;
use eval::trajectories::ScriptedReply;
use eval::trajectories::scripted::ScriptedChat;
use serde_json::Map;
use settings::Sources;
use std::path::Path;
use std::time::Duration;
use streams::client::Ask;
use telemetry::Registry;

/// How long a turn may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The differences from the scenario, each with file and line.
pub(crate) async fn differences(scenario: &Scenario) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let corpus = dir.path().join("corpus");
    write(scenario, &corpus);
    let model = ScriptedChat::new();
    let chosen = ChosenModel {
        model: model.clone(),
        pools: Vec::new(),
        why: "a test".into(),
        offline: false,
    };
    let config = config(scenario, dir.path());
    let index = dir.path().join("index");
    let local = Local::start_with(&config, &index, chosen, Registry::new()).await;
    let mut local = local.unwrap();
    local
        .index(corpus, PublishMode::Incremental, |_| ())
        .await
        .unwrap();
    let mut findings = Vec::new();
    for (n, turn) in (1..).zip(&scenario.turns) {
        let at = |what: String| {
            format!(
                "tests/scenarios/{}:{}: turn {n} of \"{}\": {what}",
                scenario.file, turn.line, scenario.title
            )
        };
        let says = turn.says.iter().cloned();
        model.says(
            says.map(|(role, text)| ScriptedReply::new(role, text))
                .collect(),
        );
        let seen = asked(&local, scenario, turn).await;
        findings.extend(
            outcome::differences(&turn.expected, &seen)
                .into_iter()
                .map(at),
        );
        for ScriptedReply { role, says, .. } in model.says(Vec::new()) {
            let text = says.map_or("(fails)".into(), |says| says.to_string());
            findings.push(at(format!("the {role} was not asked for `{text}`")));
        }
    }
    local.stop().await;
    findings
}

fn write(scenario: &Scenario, corpus: &Path) {
    for (path, text) in &scenario.documents {
        let path = corpus.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn config(scenario: &Scenario, dir: &Path) -> Config {
    let data_dir = (
        "data_dir".to_owned(),
        dir.join("data").display().to_string(),
    );
    // The scenarios are of passages that are mapped one by one, unless they say something else.
    let mapped = ["planner.read_at_once", "reducer.assess"].map(|key| (key.into(), "false".into()));
    let flags = mapped
        .into_iter()
        .chain(scenario.settings.iter().cloned())
        .chain([data_dir]);
    let loaded = settings::load::<Config>(Sources::new().flags(flags));
    let config = loaded.unwrap_or_else(|error| panic!("{}: {error}", scenario.file));
    config.value.validate().unwrap();
    config.value
}

async fn asked(local: &Local, scenario: &Scenario, turn: &Turn) -> Terminal {
    let mut fields = Map::new();
    if scenario.is_conversation {
        fields.insert("conversation".into(), "dialogue".into());
    }
    let ask = Ask {
        question: turn.user.clone(),
        fields,
        wait: PATIENCE,
    };
    let asked = streams::client::ask(&*local.bus, ask, |_| ()).await;
    asked.unwrap_or_else(|error| panic!("{}:{}: {error}", scenario.file, turn.line))
}
