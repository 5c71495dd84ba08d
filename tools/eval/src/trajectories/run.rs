//! Runs a trajectory through a whole fleet in one process: the real stages on the memory bus.

use super::bundled::NamedCase;
use super::case::{ScriptedReply, Trajectory, TrajectoryCase};
use super::recorded::Record;
use super::scripted::ScriptedChat;
use super::seen::{TrajectoryDifference, differences};
use crate::Error;
use crate::fleet::Fleet;
use argosy::sample;
use serde::Serialize;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Longest time for a question.
const WAIT: Duration = Duration::from_secs(60);

/// The result of a case.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct TrajectoryRun {
    /// The name of its file.
    pub name: String,
    /// What the case shows.
    pub about: String,
    /// The steps that the question was expected to take.
    pub expected: Trajectory,
    /// The steps that it took.
    pub seen: Trajectory,
    /// What differs.
    pub differences: Vec<TrajectoryDifference>,
}

/// Runs a case through a fleet of its own. The index of the sample corpus is kept in `folder` for the
/// next case.
///
/// # Errors
/// When its settings are invalid, its fleet does not run, or its turn does not end.
pub(crate) async fn run_case(case: &NamedCase, folder: &Path) -> Result<TrajectoryRun, Error> {
    let NamedCase { name, case } = case;
    let own = tempfile::tempdir()?;
    let (corpus, index) = match &case.documents {
        Some(_) => (own.path().join("corpus"), own.path().join("index")),
        None => (folder.join("corpus"), folder.join("index")),
    };
    write(case, &corpus)?;
    let (model, record) = (ScriptedChat::new(), Record::default());
    let data_dir = own.path().join("data").display().to_string();
    let mut settings = case.settings.clone();
    settings.insert("data_dir".to_owned(), data_dir);
    let between = |searcher| record.over(searcher);
    let started = Fleet::with_settings(name, settings, &index, model.clone(), between);
    let mut fleet = started.await?;
    let asked = match fleet.index(corpus).await {
        Ok(()) => {
            model.says(case.model.clone());
            record.taken();
            let (question, fields) = (&case.question, case.fields.clone());
            fleet.ask(name, question, fields, WAIT).await
        }
        Err(error) => Err(error),
    };
    fleet.stop().await;
    let terminal = asked?;
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

/// A reply that was not asked for: the way was another one.
fn unsaid(reply: &ScriptedReply) -> TrajectoryDifference {
    let says = reply.says.as_ref();
    TrajectoryDifference {
        what: format!("reply to the {}", reply.role),
        expected: says.map_or("a failure".into(), ToString::to_string),
        seen: "not asked for".into(),
    }
}
