//! Measures what the rounds of a turn have read, compared with one list of the same length.
//!
//! Every round searches as a retriever does, skips what the rounds before it have read, and reads as many passages
//! as `retriever.map_max` says. No model is called, so no planner chooses other words or decides that it is enough.
//! The measurement also shows how well the coverage of the question predicts that all evidence was read.

use super::dataset::{Dataset, DatasetName, Gold, Question};
use super::ground::Ground;
use super::measure::search;
use super::metrics::auroc;
use super::page::{Page, curve};
use super::{Error, Progress, methods};
use crate::SearchSetting;
use crate::cli::EvalLoopArgs;
use crate::outcome::{Emphasis, EvalReport, TextLine};
use argosy::machine::machine;
use envelope::{Passage, ReadMark};
use offline_reader::sub_queries;
use retriever::UnreadSearcher;
use search::Searcher;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use text::coverage;

/// Rounds of a turn, the default of its budget.
const ROUNDS: usize = 3;

/// What a question came to after each round.
struct Read<'a> {
    question: &'a Question,
    rounds: Vec<Round>,
}

/// After a round.
#[derive(Debug, Clone, Copy)]
struct Round {
    /// Passages that all rounds so far have read.
    passages: usize,
    /// Whether all evidence is among them.
    is_all: bool,
    /// Whether it is among the first so many of one list, by each way to search.
    linked: bool,
    plain: bool,
    /// How much of the question what was read speaks of.
    coverage: f64,
}

/// What it comes to.
#[derive(Debug, Serialize)]
struct Sums {
    split: &'static str,
    questions: usize,
    per_round: usize,
    rounds: Vec<RoundSums>,
    machine: String,
}

#[derive(Debug, Serialize)]
struct RoundSums {
    /// Most passages that were read by then.
    passages: usize,
    /// Share of the questions all of whose evidence was read in these rounds.
    rounds: f64,
    /// The same in one list of that length as a retriever searches, and in one that links nothing (`fused_rerank`).
    linked: f64,
    plain: f64,
    by_type: BTreeMap<String, f64>,
    /// How probable it is that a question with all evidence read is covered more than one without.
    coverage_auroc: Option<f64>,
}

/// The ways to search that are compared.
struct Searchers {
    /// As a retriever does, over this.
    base: Arc<dyn Searcher>,
    linked: Arc<dyn Searcher>,
    plain: Arc<dyn Searcher>,
    options: retriever::Options,
}

/// Asks every question round by round, and reports the progress to `say`.
///
/// # Errors
/// When the data set cannot be read or has no question, a search fails, or the page cannot be written.
pub(crate) async fn run(
    options: &EvalLoopArgs,
    setting: &SearchSetting<'_>,
    say: Progress<'_>,
) -> Result<EvalReport, Error> {
    let mut dataset = Dataset::load(DatasetName::MultihopRag, &options.path)?;
    dataset.keep(options.split, options.limit);
    dataset.questions.retain(|one| !one.gold.is_empty());
    if dataset.questions.is_empty() {
        return Err(Error::NoQuestion);
    }
    let factory = setting.factory().await?;
    let ground = Ground::build(&dataset, factory, options.index.as_deref(), None, say).await?;
    let plain = methods::plain().build(&ground, setting.retriever);
    let searchers = Searchers {
        base: plain.clone(),
        linked: methods::linked_over(plain.clone(), setting.retriever),
        plain,
        options: setting.retriever.clone(),
    };
    let mut read = Vec::new();
    for (n, question) in dataset.questions.iter().enumerate() {
        say(format!("{n} of {}", dataset.questions.len()));
        let rounds = searchers.rounds(question).await?;
        read.push(Read { question, rounds });
    }
    outcome(options, &read, setting.retriever.map_max)
}

fn outcome(options: &EvalLoopArgs, read: &[Read], per_round: usize) -> Result<EvalReport, Error> {
    let sums = Sums::of(options.split.as_str(), per_round, read);
    if let Some(path) = &options.report {
        page(&sums, read).write(path)?;
    }
    let mut outcome = EvalReport::of(&sums);
    let about = format!(
        ", {} questions, {per_round} passages a round, {}",
        sums.questions, sums.machine
    );
    outcome.line(
        TextLine::of("split ")
            .then(Emphasis::Strong, sums.split)
            .plain(about),
    );
    for (what, value) in sums.rows() {
        outcome.text(format!("{what:<52} {value}"));
    }
    Ok(outcome)
}

impl Searchers {
    async fn rounds(&self, question: &Question) -> Result<Vec<Round>, Error> {
        let per_round = self.options.map_max;
        let most = ROUNDS * per_round;
        let linked = search(&*self.linked, question, most).await?.passages;
        let plain = search(&*self.plain, question, most).await?.passages;
        let mut all: Vec<Passage> = Vec::new();
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            let read: Vec<ReadMark> = all.iter().map(ReadMark::of).collect();
            let unread = UnreadSearcher::over(&self.base, &read);
            let searcher = methods::linked_over(unread, &self.options);
            let new = search(&*searcher, question, per_round).await?;
            all.extend(new.passages);
            let passages = all.len();
            let first =
                |list: &[Passage]| is_all(&question.gold, &list[..passages.min(list.len())]);
            rounds.push(Round {
                passages,
                is_all: is_all(&question.gold, &all),
                linked: first(&linked),
                plain: first(&plain),
                coverage: covered(&question.text, &all),
            });
        }
        Ok(rounds)
    }
}

/// How much of a question passages speak of, part by part as rules take it apart.
fn covered(question: &str, passages: &[Passage]) -> f64 {
    let parts = sub_queries(question);
    let mut parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    if parts.is_empty() {
        parts.push(question);
    }
    let said = passages.iter().map(|one| {
        let values = one.metadata.values().filter_map(Value::as_str);
        let texts = [one.title.as_str(), &one.text].into_iter().chain(values);
        texts.collect::<Vec<_>>().join(" ")
    });
    let said: Vec<String> = said.collect();
    f64::from(coverage(&parts, said.iter().map(String::as_str)))
}

/// Whether everything that is right is among the passages.
fn is_all(gold: &Gold, passages: &[Passage]) -> bool {
    let ranking = gold.ranking(passages);
    let mut there: Vec<usize> = ranking.found.into_iter().flatten().collect();
    there.sort_unstable();
    there.dedup();
    there.len() == ranking.grades.len()
}

impl Sums {
    fn of(split: &'static str, per_round: usize, read: &[Read]) -> Sums {
        Sums {
            split,
            questions: read.len(),
            per_round,
            rounds: (0..ROUNDS).map(|n| RoundSums::of(n, read)).collect(),
            machine: machine(),
        }
    }

    fn rows(&self) -> Vec<(String, String)> {
        let mut rows = Vec::new();
        for (n, round) in (1..).zip(&self.rounds) {
            let by_type = round.by_type.iter();
            let by_type = by_type.map(|(kind, share)| format!("{kind} {share:.3}"));
            let by_type = by_type.collect::<Vec<_>>().join(", ");
            let passages = round.passages;
            rows.extend([
                (
                    format!("all evidence read in {n} rounds, {passages} passages"),
                    format!("{:.3}  {by_type}", round.rounds),
                ),
                (
                    format!("one list of {passages}, as a retriever searches"),
                    format!("{:.3}", round.linked),
                ),
                (
                    format!("one list of {passages} that links nothing"),
                    format!("{:.3}", round.plain),
                ),
                (
                    "coverage as a judge of it, area under the curve".into(),
                    (round.coverage_auroc).map_or("none".into(), |area| format!("{area:.3}")),
                ),
            ]);
        }
        rows
    }
}

impl RoundSums {
    fn of(n: usize, read: &[Read]) -> RoundSums {
        let rounds = || read.iter().map(|one| (one, one.rounds[n]));
        let share = |of: &dyn Fn(Round) -> bool| {
            rounds().filter(|(_, round)| of(*round)).count() as f64 / read.len().max(1) as f64
        };
        let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (one, round) in rounds() {
            let kind = one.question.kind.clone().unwrap_or_default();
            let counts = kinds.entry(kind).or_default();
            counts.0 += usize::from(round.is_all);
            counts.1 += 1;
        }
        let coverage = |is_all: bool| {
            let those = rounds().filter(|(_, round)| round.is_all == is_all);
            those.map(|(_, round)| round.coverage).collect::<Vec<f64>>()
        };
        RoundSums {
            passages: rounds().map(|(_, round)| round.passages).max().unwrap_or(0),
            rounds: share(&|round| round.is_all),
            linked: share(&|round| round.linked),
            plain: share(&|round| round.plain),
            by_type: kinds
                .into_iter()
                .map(|(kind, (all, of))| (kind, all as f64 / of as f64))
                .collect(),
            coverage_auroc: auroc(&coverage(true), &coverage(false)),
        }
    }
}

/// The share of the questions with all evidence, round by round.
fn page(sums: &Sums, read: &[Read]) -> Page {
    let points: Vec<(f64, f64)> = (1..)
        .zip(&sums.rounds)
        .map(|(n, round)| (f64::from(n) / ROUNDS as f64, round.rounds))
        .collect();
    let last = points.last().copied().unwrap_or_default();
    let missed = read.iter().filter(|one| !one.rounds[ROUNDS - 1].is_all);
    Page {
        title: format!("The rounds of a turn, split {}", sums.split),
        lead: format!("{} questions; {}", sums.questions, sums.machine),
        rows: sums.rows(),
        plot: curve(&points, "rounds", "all evidence read", last),
        failed: missed
            .map(|one| {
                let kind = one.question.kind.as_deref().unwrap_or_default();
                let covered = one.rounds[ROUNDS - 1].coverage;
                format!(
                    "{} {kind}: not all read; {covered:.2} covered",
                    one.question.id
                )
            })
            .collect(),
        ..Page::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_counted_beside_lists() {
        let question = Question {
            id: "q".into(),
            text: "what?".into(),
            kind: Some("inference".into()),
            gold: Gold::Facts(vec!["fact".into()]),
        };
        let round = |passages, is_all, coverage| Round {
            passages,
            is_all,
            linked: is_all,
            plain: false,
            coverage,
        };
        let one = |second| Read {
            question: &question,
            rounds: vec![
                round(5, false, 0.2),
                round(10, second, if second { 0.9 } else { 0.4 }),
                round(14, true, 1.0),
            ],
        };
        let read = [one(true), one(false)];
        let sums = Sums::of("dev", 5, &read);
        let shares: Vec<f64> = sums.rounds.iter().map(|round| round.rounds).collect();
        assert_eq!(shares, [0.0, 0.5, 1.0]);
        assert_eq!(sums.rounds[1].coverage_auroc, Some(1.0));
        assert_eq!(sums.rounds[2].passages, 14);
        assert_eq!(sums.rounds[1].by_type["inference"], 0.5);
        assert!(page(&sums, &read).html().contains("polyline"));
    }

    #[test]
    fn all_of_the_gold_has_to_be_there() {
        let gold = Gold::Facts(vec!["one".into(), "two".into()]);
        let passage = testkit::model::passage;
        assert!(!is_all(&gold, &[passage("a", "one"), passage("b", "one")]));
        assert!(is_all(&gold, &[passage("a", "one"), passage("b", "two")]));
    }
}
