//! Asks systems the same questions side by side, and judges their answers by the values that a right one states.
//!
//! Systems are plain retrieval-augmented generation with one prompt ([`System::Plain`]), the modes of a whole fleet in
//! this process, the model with the right documents alone (`oracle`) or with none (`closed`), and the offline reader.
//! All of them search the same index in the same way. Every call of the model is recorded (`recording`), so a run goes on
//! where it was cut off and is repeated without a model. *Not* measured: how well an answer is written.
//!
//! | module | what |
//! |---|---|
//! | `question` | the questions with their values and documents |
//! | `sight` | hides documents from the searches of a fleet |
//! | `plain` | the baseline |
//! | `recording` | the calls of the model |
//! | `values`, `judge` | whether a text states a value; what an answer is (pure) |
//! | `row`, `figures`, `html` | what came of a question; figures and the report (pure) |

mod figures;
mod html;
mod judge;
mod plain;
mod question;
mod recording;
mod row;
mod sight;
mod system;
mod values;

use crate::cli::EvalAnswersArgs;
use crate::details::write;
use crate::fleet::Fleet;
use crate::methods::linked_over;
use crate::outcome::EvalReport;
use crate::{Error, Progress};
use argosy::config::Config;
use argosy::machine::machine;
use argosy::render::ProgressLine;
use figures::AnswersReport;
use llm::ChatModel;
use question::{AnswerQuestion, QuestionSet};
use recording::Recording;
use row::{Given, Row};
use search::Searcher;
use sight::Sight;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
pub use system::System;
pub(crate) use values::without_marks;

/// Longest time for a question: small machines take minutes.
const WAIT: Duration = Duration::from_secs(900);
/// Passages of the right documents that the oracle is shown.
const ORACLE_PASSAGES: usize = 7;

/// A fleet that runs, with its model and searcher.
struct Running {
    fleet: Fleet,
    model: Arc<dyn ChatModel>,
    searcher: Arc<dyn Searcher>,
    sight: Sight,
}

/// Asks every question of every system, and reports the progress to `line`.
///
/// # Errors
/// When the questions cannot be read or there is none, a fleet fails, or a file cannot be read or written.
pub(crate) async fn run(
    options: &EvalAnswersArgs,
    config: &Config,
    line: &Arc<ProgressLine>,
) -> Result<EvalReport, Error> {
    let say: Progress<'_> = &|text| line.say(text);
    let scratch = tempfile::tempdir()?;
    say("reading".into());
    let mut set = QuestionSet::load(options.path.as_deref(), scratch.path())?;
    set.keep(options.split, options.limit);
    let answerable = set.questions.iter().filter(|one| one.is_answerable());
    let taken_away = answerable.take(options.taken_away);
    let taken_away: Vec<AnswerQuestion> = taken_away.map(AnswerQuestion::without_sources).collect();
    let questions: Vec<AnswerQuestion> = set.questions.into_iter().chain(taken_away).collect();
    if questions.is_empty() {
        return Err(Error::NoQuestion);
    }
    let recording = Recording::open(options.calls.as_deref())?;
    let index = options.index.clone();
    let index = index.unwrap_or_else(|| scratch.path().join("index"));
    let mut rows: Vec<Vec<Row>> = questions.iter().map(|_| Vec::new()).collect();
    let mut model = None;
    // The two fleets use one index, one after the other.
    for is_offline in [false, true] {
        let of_fleet = |system: &&System| (**system == System::Offline) == is_offline;
        let systems: Vec<&System> = options.systems.iter().filter(of_fleet).collect();
        if systems.is_empty() {
            continue;
        }
        let is_replay = options.replay;
        let mut running = started(
            config,
            &index,
            is_offline,
            is_replay,
            &recording,
            line.clone(),
        )
        .await?;
        running.fleet.index(set.corpus.clone()).await?;
        let retriever = &config.retriever;
        let asked = all(
            &running, &systems, &questions, retriever, &recording, &mut rows, say,
        )
        .await;
        if !is_offline {
            model = Some(running.model.name().to_owned());
        }
        running.fleet.stop().await;
        asked?;
    }
    for of_question in &mut rows {
        of_question.sort_by_key(|row| {
            options
                .systems
                .iter()
                .position(|one| one.to_string() == row.system)
        });
    }
    let report = AnswersReport::of(
        format!(
            "{}, split {}, {} questions",
            set.name,
            options.split.as_str(),
            questions.len()
        ),
        model,
        machine(),
        &rows,
    );
    if let Some(path) = &options.details {
        let lines = rows
            .iter()
            .flatten()
            .map(|row| serde_json::json!(row).to_string());
        write(path, &lines.collect::<Vec<_>>())?;
    }
    if let Some(path) = &options.report {
        html::write(&report, &rows, path)?;
    }
    Ok(report.outcome())
}

/// Starts a fleet whose model is recorded and whose searches are hidden from.
async fn started(
    config: &Config,
    index: &Path,
    is_offline: bool,
    is_replay: bool,
    recording: &Recording,
    line: Arc<ProgressLine>,
) -> Result<Running, Error> {
    // The offline reader takes no time, and has its own rules from release to release.
    let recording = match is_offline {
        true => &Recording::open(None)?,
        false => recording,
    };
    let sight = Sight::default();
    let (mut model, mut searcher) = (None, None);
    let over = |asked| {
        let recorded = recording.over((is_offline || !is_replay).then_some(asked));
        model.insert(recorded).clone()
    };
    let between = |seen| searcher.insert(sight.over(seen)).clone();
    let by_reader = is_offline || is_replay;
    let fleet = Fleet::configured(config, index, by_reader, over, between, line).await?;
    let (Some(model), Some(searcher)) = (model, searcher) else {
        unreachable!("a fleet is started with a model and a searcher");
    };
    Ok(Running {
        fleet,
        model,
        searcher,
        sight,
    })
}

/// Every question of each system. The first system changes from question to question, so that none of them alone
/// profits from warm caches.
async fn all(
    running: &Running,
    systems: &[&System],
    questions: &[AnswerQuestion],
    retriever: &retriever::Options,
    recording: &Recording,
    rows: &mut [Vec<Row>],
    say: Progress<'_>,
) -> Result<(), Error> {
    for (n, question) in questions.iter().enumerate() {
        for turn in 0..systems.len() {
            let system = systems[(n + turn) % systems.len()];
            say(format!("{n} of {} questions, {system}", questions.len()));
            recording.taken();
            let given = running.answer(system, question, retriever).await?;
            // A run that is not recorded would have to be made again.
            recording.written()?;
            rows[n].push(Row::of(
                &system.to_string(),
                question,
                given,
                &recording.taken(),
            ));
        }
    }
    Ok(())
}

impl Running {
    async fn answer(
        &self,
        system: &System,
        question: &AnswerQuestion,
        retriever: &retriever::Options,
    ) -> Result<Given, Error> {
        match (system, question.is_answerable()) {
            (System::Oracle, _) => self.sight.only(&question.sources),
            (_, false) => self.sight.without(&question.sources),
            (_, true) => self.sight.all(),
        }
        let plain = async |count: Option<usize>| {
            let searcher = linked_over(self.searcher.clone(), retriever);
            let passages = match count {
                Some(count) => Some(plain::passages(&*searcher, question, count).await?),
                None => None,
            };
            let answer = plain::answer(&*self.model, question, passages.as_deref()).await;
            Ok(Given::plain(answer))
        };
        match system {
            System::Plain(count) => plain(Some(*count)).await,
            System::Oracle => plain(Some(ORACLE_PASSAGES)).await,
            System::Closed => plain(None).await,
            System::Fleet(mode) => self.asked(question, mode).await,
            System::Offline => self.asked(question, "agentic").await,
        }
    }

    async fn asked(&self, question: &AnswerQuestion, mode: &str) -> Result<Given, Error> {
        let mut fields = question.fields.clone();
        fields.insert("mode".into(), mode.into());
        let asked = self.fleet.ask(&question.id, &question.text, fields, WAIT);
        let terminal = asked.await?;
        Ok(Given::by_fleet(&terminal))
    }
}
