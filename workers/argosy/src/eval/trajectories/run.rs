//! A trajectory through a whole fleet of one process: the true stages on a bus in memory.

use super::bundled::NamedCase;
use super::case::{ScriptedReply, Trajectory, TrajectoryCase};
use super::recorded::Record;
use super::scripted::ScriptedChat;
use super::seen::{Difference, differences};
use crate::config::Config;
use crate::eval::Error;
use crate::local::{self, Local};
use crate::model::Chosen;
use crate::sample;
use client::Ask;
use documents::Mode;
use envelope::Terminal;
use serde::Serialize;
use settings::Sources;
use std::io;
use std::path::Path;
use std::time::Duration;
use telemetry::Registry;

/// Longest time for a question.
const WAIT: Duration = Duration::from_secs(60);

/// What became of a case.
#[derive(Debug, Clone, Serialize)]
pub(super) struct TrajectoryRun {
    /// The name of its file.
    pub(super) name: String,
    /// What it shows.
    pub(super) about: String,
    /// The way that it was to take.
    pub(super) expected: Trajectory,
    /// The way that it took.
    pub(super) seen: Trajectory,
    /// What differs.
    pub(super) differences: Vec<Difference>,
}

/// Runs a case. The index of the sample corpus is kept in `folder` for the next one.
///
/// # Errors
/// When its settings are none, its fleet does not run, or its question gets no end.
pub(super) async fn run(case: &NamedCase, folder: &Path) -> Result<TrajectoryRun, Error> {
    let NamedCase { name, case } = case;
    let own = tempfile::tempdir()?;
    let config = config(name, case, own.path())?;
    let (corpus, index) = match &case.documents {
        Some(_) => (own.path().join("corpus"), own.path().join("index")),
        None => (folder.join("corpus"), folder.join("index")),
    };
    write(case, &corpus)?;
    let (model, record) = (ScriptedChat::new(), Record::default());
    let chosen = Chosen {
        model: model.clone(),
        pools: Vec::new(),
        why: "it is written down what the model says".into(),
        offline: false,
    };
    let between = |searcher| record.over(searcher);
    let fleet = |error: local::Error| Error::Fleet(Box::new(error));
    let started = Local::start_between(&config, &index, chosen, Registry::new(), between).await;
    let mut local = started.map_err(fleet)?;
    let indexed = local.index(corpus, Mode::Incremental, |_| ()).await;
    let asked = match indexed {
        Ok(_) => {
            model.says(case.model.clone());
            record.taken();
            Ok(ask(&local, name, case).await)
        }
        Err(error) => Err(fleet(error)),
    };
    local.stop().await;
    let terminal = asked??;
    let seen = Trajectory::of(&terminal, record.taken());
    let mut differences = differences(case, &seen, &terminal);
    differences.extend(model.says(Vec::new()).iter().map(unsaid));
    Ok(TrajectoryRun {
        name: name.clone(),
        about: case.about.clone(),
        expected: case.expected.clone(),
        seen,
        differences,
    })
}

fn write(case: &TrajectoryCase, corpus: &Path) -> io::Result<()> {
    let Some(documents) = &case.documents else {
        return sample::unpack(corpus);
    };
    std::fs::create_dir_all(corpus)?;
    for (path, text) in documents {
        let path = corpus.join(path);
        if let Some(bucket) = path.parent() {
            std::fs::create_dir_all(bucket)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}

fn config(name: &str, case: &TrajectoryCase, own: &Path) -> Result<Config, Error> {
    let wrong = |what: String| Error::Case {
        name: name.to_owned(),
        what,
    };
    let data_dir = own.join("data").display().to_string();
    let own = [("data_dir".to_owned(), data_dir)];
    let flags = case.settings.clone().into_iter().chain(own);
    let loaded = settings::load::<Config>(Sources::new().flags(flags));
    let config = loaded.map_err(|error| wrong(error.to_string()))?.value;
    config
        .validate()
        .map_err(|error| wrong(error.to_string()))?;
    Ok(config)
}

async fn ask(local: &Local, name: &str, case: &TrajectoryCase) -> Result<Terminal, Error> {
    let ask = Ask {
        question: case.question.clone(),
        fields: case.fields.clone(),
        wait: WAIT,
    };
    let asked = client::ask(&*local.bus, ask, |_| ()).await;
    asked.map_err(|error| Error::Turn {
        id: name.to_owned(),
        error: Box::new(error),
    })
}

/// A reply that nobody asked for: the way was another one.
fn unsaid(reply: &ScriptedReply) -> Difference {
    let says = reply.says.as_ref();
    Difference {
        what: format!("reply to the {}", reply.role),
        expected: says.map_or("a failure".into(), ToString::to_string),
        seen: "not asked for".into(),
    }
}
