//! Serves the offline reader over HTTP, as `argosy offline-model` does, so that fleets under test call it with real
//! messages. It is no language model.

use crate::fleet::{Fleet, PATIENCE};
use argosy::model::OFFLINE;
use serde_json::Value;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// The served offline reader.
pub(crate) struct Model {
    pub(crate) child: Child,
    base_url: String,
}

impl Model {
    pub(crate) async fn start(fleet: &Fleet) -> Model {
        let mut child = Command::new(&fleet.plan.binary)
            .args([
                "offline-model",
                "--listen",
                "127.0.0.1:0",
                "--output",
                "json",
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("a model");
        let stdout = child.stdout.take().expect("its output");
        let mut lines = BufReader::new(stdout).lines();
        let line = tokio::time::timeout(PATIENCE, lines.next_line()).await;
        let line = line.expect("in time");
        let line = line.expect("readable").expect("a line");
        let said: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(said["model"], OFFLINE);
        let base_url = said["base_url"].as_str().expect("an address").to_owned();
        Model { child, base_url }
    }

    /// The options that make a fleet ask the served reader.
    pub(crate) fn options(&self, more: &str) -> Vec<String> {
        let url = &self.base_url;
        vec![
            format!("model.model={OFFLINE}"),
            format!(r#"model.nodes=[{{"name":"offline","base_url":"{url}"{more}}}]"#),
        ]
    }
}
