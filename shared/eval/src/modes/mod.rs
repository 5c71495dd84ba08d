//! Compares the modes of a question (`mode` on the wire) in a whole fleet that runs in one process.
//!
//! Every question is asked in each mode, one after the other. The first mode changes from question to question, so that
//! no mode alone profits from warm caches. The model is the configured one; without one it is the offline reader, which is
//! no language model, and the report says so. Mode `loop` is included where the profile is `large`. *Not* measured: how good
//! an answer is; see `labelled`.

mod articles;
mod figures;

use super::labelled::{self, FleetQuestion};
use super::{Error, Progress, Split};
use crate::details::write;
use crate::fleet::{Fleet, FleetError, ask};
use crate::machine::machine;
use crate::outcome::{EvalReport, TextLine};
use crate::sample;
use envelope::{ModeChoice, Profile};
use figures::{ModeFigures, ModesReport, Run};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest time for a question.
const WAIT: Duration = Duration::from_secs(120);

/// What is told of the offline reader in the profile `large`.
const BY_RULES: &str = "The offline reader calls no tool: its reviews and its loops are decided by rules, so these figures say what \
                        they cost, and nothing of a model that acts.";

/// The options of the measurement.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder of MultiHop-RAG. Default: the sample corpus with its labelled questions.
    pub path: Option<PathBuf>,
    /// The split whose questions are asked.
    pub split: Split,
    /// The number of questions, which are the same in every run. Default: all.
    pub limit: Option<usize>,
    /// The folder in which the index is kept. Default: none, it is not kept.
    pub index: Option<PathBuf>,
    /// The file that gets a line of JSON for each question and mode.
    pub details: Option<PathBuf>,
}

/// Asks every question in every mode of the fleet that `start` makes, and reports the progress to `say`. `start` gets
/// the folder of the index. The fleet must not cache replies: if one mode got the replies for which another mode had
/// paid, the figures would not be comparable.
///
/// # Errors
/// When the questions cannot be read or there is none, the fleet fails, a question gets no end, or a file cannot be written.
pub async fn run(
    options: &Options,
    start: impl AsyncFnOnce(PathBuf) -> Result<Box<dyn Fleet>, FleetError>,
    say: Progress<'_>,
) -> Result<EvalReport, Error> {
    let folder = tempfile::tempdir()?;
    let corpus = folder.path().join("corpus");
    say("reading".into());
    let (name, questions) = read(options, &corpus)?;
    if questions.is_empty() {
        return Err(Error::NoQuestion);
    }
    let index = options.index.clone();
    let index = index.unwrap_or_else(|| folder.path().join("index"));
    let mut fleet = start(index).await.map_err(Error::Fleet)?;
    let asked = all(&mut *fleet, corpus, &questions, say).await;
    let (model, profile) = (fleet.model(), fleet.profile());
    let is_offline = fleet.is_offline();
    fleet.stop().await;
    let runs = asked?;
    let report = ModesReport {
        dataset: name,
        split: options.split.as_str(),
        questions: questions.len(),
        profile: profile.as_str(),
        model,
        note: (is_offline && profile == Profile::Large).then_some(BY_RULES),
        machine: machine(),
        modes: ModeFigures::of(&runs),
        differences: figures::differences(&runs),
    };
    if let Some(path) = &options.details {
        write(path, &figures::details(&questions, &runs))?;
    }
    Ok(outcome(&report))
}

/// The name of what is asked, and the questions; its documents are in `corpus` then.
fn read(options: &Options, corpus: &Path) -> Result<(&'static str, Vec<FleetQuestion>), Error> {
    let (split, limit) = (options.split, options.limit);
    let Some(path) = &options.path else {
        sample::unpack(corpus)?;
        return Ok(("sample", labelled::of_sample(split, limit)?));
    };
    let (dataset, questions) = labelled::of_multihop(path, split, limit)?;
    articles::write(&dataset.documents, corpus)?;
    Ok(("multihop_rag", questions))
}

/// The modes that a class of model can take, in the order of [`ModeChoice::WORDS`].
fn modes(profile: Profile) -> &'static [&'static str] {
    match profile {
        Profile::Small => &ModeChoice::WORDS[..3],
        Profile::Large => &ModeChoice::WORDS,
    }
}

/// Every question in each of the modes of the fleet.
async fn all(
    fleet: &mut dyn Fleet,
    corpus: PathBuf,
    questions: &[FleetQuestion],
    say: Progress<'_>,
) -> Result<Vec<Vec<Run>>, Error> {
    let modes = modes(fleet.profile());
    fleet.index(corpus).await.map_err(Error::Fleet)?;
    let mut runs = Vec::with_capacity(questions.len());
    for (n, question) in questions.iter().enumerate() {
        say(format!("{n} of {} questions", questions.len()));
        let mut of_modes = Vec::with_capacity(modes.len());
        for turn in 0..modes.len() {
            let at = (n + turn) % modes.len();
            let mut fields = question.fields.clone();
            fields.insert("mode".into(), modes[at].into());
            let terminal = ask(fleet, &question.id, &question.text, fields, WAIT).await?;
            of_modes.push((at, Run::of(question, &terminal)));
        }
        of_modes.sort_by_key(|(at, _)| *at);
        runs.push(of_modes.into_iter().map(|(_, run)| run).collect());
    }
    Ok(runs)
}

fn outcome(report: &ModesReport) -> EvalReport {
    let mut outcome = EvalReport::of(report);
    let about = format!(
        ", split {}, {} questions, {}",
        report.split, report.questions, report.machine
    );
    outcome.line(TextLine::strong(report.dataset).plain(about));
    let model = format!(" {}, profile {}", report.model, report.profile);
    outcome.line(TextLine::strong("Model:").plain(model));
    report.note.iter().for_each(|note| outcome.text(*note));
    outcome.text("");
    outcome.lines(&report.lines());
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_model_is_not_asked_for_a_loop() {
        assert_eq!(modes(Profile::Small), ["agentic", "simple", "auto"]);
        assert_eq!(modes(Profile::Large), ["agentic", "simple", "auto", "loop"]);
    }
}
