//! `argosy eval modes`: the modes of a question beside each other, through a whole fleet of one process.
//!
//! Every question is asked in each mode, one after the other, in an order that goes round, so that no mode has the warm
//! caches for itself. The model is the one that is configured; without one it is the offline reader, which is no language
//! model, and the report says so. *Not* measured: how good an answer is, see `labelled`.

mod articles;
mod figures;

use super::Error;
use super::labelled::{self, FleetQuestion};
use crate::cli::{EvalModes, Output};
use crate::config::Config;
use crate::local::Local;
use crate::machine::machine;
use crate::out::println;
use crate::render::Line;
use crate::sample;
use client::Ask;
use documents::Mode as Indexing;
use envelope::{ModeChoice, Terminal};
use figures::{ModeFigures, ModesReport, Run};
use owo_colors::OwoColorize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest time for a question.
const WAIT: Duration = Duration::from_secs(120);

/// `argosy eval modes`
pub async fn run(args: EvalModes, mut config: Config, output: Output) -> Result<(), Error> {
    let line = Line::new(output);
    let folder = tempfile::tempdir()?;
    let corpus = folder.path().join("corpus");
    line.say("reading".into());
    let (name, questions) = read(&args, &corpus)?;
    if questions.is_empty() {
        return Err(Error::NoQuestion);
    }
    // A reply that one mode got for nothing because another had paid for it would be no figure.
    config.model.cache.entries = 0;
    config
        .models
        .values_mut()
        .for_each(|model| model.cache.entries = 0);
    let index = args.index.unwrap_or_else(|| folder.path().join("index"));
    let mut local = Local::start(&config, &index).await.map_err(fleet)?;
    let asked = all(&mut local, corpus, &questions, &line).await;
    let model = local.chosen.why.clone();
    local.stop().await;
    line.done();
    let runs = asked?;
    let report = ModesReport {
        dataset: name,
        split: args.split.as_str(),
        questions: questions.len(),
        model,
        machine: machine(),
        modes: ModeFigures::of(&runs),
        differences: figures::differences(&runs),
    };
    if let Some(path) = &args.details {
        super::write(path, &figures::details(&questions, &runs))?;
    }
    tell(&report, output);
    Ok(())
}

/// The name of what is asked, and the questions; its documents are in `corpus` then.
fn read(args: &EvalModes, corpus: &Path) -> Result<(&'static str, Vec<FleetQuestion>), Error> {
    let Some(path) = &args.path else {
        sample::unpack(corpus)?;
        return Ok(("sample", labelled::of_sample(args.split, args.limit)?));
    };
    let (dataset, questions) = labelled::of_multihop(path, args.split, args.limit)?;
    articles::write(&dataset.documents, corpus)?;
    Ok(("multihop_rag", questions))
}

fn fleet(error: crate::local::Error) -> Error {
    Error::Fleet(Box::new(error))
}

/// Every question in each of the modes, in the order of [`ModeChoice::WORDS`].
async fn all(
    local: &mut Local,
    corpus: PathBuf,
    questions: &[FleetQuestion],
    line: &Line,
) -> Result<Vec<[Run; 3]>, Error> {
    let indexed = local.index(corpus, Indexing::Incremental, |progress| {
        line.show(progress)
    });
    indexed.await.map_err(fleet)?;
    let mut runs = Vec::with_capacity(questions.len());
    for (n, question) in questions.iter().enumerate() {
        line.say(format!("{n} of {} questions", questions.len()));
        let mut of_modes = [const { None }; 3];
        for turn in 0..of_modes.len() {
            let at = (n + turn) % of_modes.len();
            let terminal = ask(local, question, ModeChoice::WORDS[at]).await?;
            of_modes[at] = Some(Run::of(question, &terminal));
        }
        let [Some(first), Some(second), Some(third)] = of_modes else {
            continue;
        };
        runs.push([first, second, third]);
    }
    Ok(runs)
}

async fn ask(local: &Local, question: &FleetQuestion, mode: &str) -> Result<Terminal, Error> {
    let mut fields = question.fields.clone();
    fields.insert("mode".into(), mode.into());
    let ask = Ask {
        question: question.text.clone(),
        fields,
        wait: WAIT,
    };
    let asked = client::ask(&*local.bus, ask, |_| ()).await;
    asked.map_err(|error| Error::Turn {
        id: question.id.clone(),
        error: Box::new(error),
    })
}

fn tell(report: &ModesReport, output: Output) {
    if output == Output::Json {
        println!("{}", serde_json::json!(report));
        return;
    }
    println!(
        "{}, split {}, {} questions, {}",
        report.dataset.bold(),
        report.split,
        report.questions,
        report.machine
    );
    println!("{} {}\n", "Model:".bold(), report.model);
    report.lines().iter().for_each(|line| println!("{line}"));
}
