//! Measures how well questions without an answer in the corpus are recognised right after the search.
//!
//! A question without an answer is *caught* when the retriever would ask back; a question with an answer for which it
//! would ask back is a *false alarm*. The retriever's own rule decides, over its own search with its options. No text
//! of a data set is reported: a question that was judged wrongly is named by its id.

use super::dataset::{Dataset, DatasetName, Question};
use super::ground::Ground;
use super::measure::search;
use super::metrics::auroc;
use super::page::{Page, curve};
use super::{Error, Progress, methods};
use crate::SearchSetting;
use crate::cli::EvalUnanswerableArgs;
use crate::outcome::{Emphasis, EvalReport, TextLine};
use argosy::machine::machine;
use retriever::Grounds;
use serde::Serialize;

/// Of the questions that have an answer, the share that may be asked back.
const FALSE_MAX: f64 = 0.03;

/// What came of a question.
struct Judged<'a> {
    question: &'a Question,
    grounds: Grounds,
    is_asked_back: bool,
}

/// What it comes to.
#[derive(Debug, Serialize)]
struct Sums {
    split: &'static str,
    /// Questions without an answer, and the number of them that were caught.
    null: usize,
    caught: usize,
    /// Questions with an answer, and those of them that were asked back.
    answerable: usize,
    false_alarms: usize,
    /// How probable it is that one with an answer has the higher score.
    auroc: Option<f64>,
    /// The share that would be caught if just [`FALSE_MAX`] of the others were asked back, by score alone, and the score.
    caught_at_most: f64,
    score_at_most: f64,
    machine: String,
}

/// Asks every question, and reports the progress to `say`.
///
/// # Errors
/// When the data set cannot be read or has questions of one kind alone, a search fails, or the page cannot be written.
pub(crate) async fn run(
    options: &EvalUnanswerableArgs,
    setting: &SearchSetting<'_>,
    say: Progress<'_>,
) -> Result<EvalReport, Error> {
    let mut dataset = Dataset::load(DatasetName::MultihopRag, &options.path)?;
    dataset.keep(options.split, None);
    if dataset.nulls() == 0 || dataset.nulls() == dataset.questions.len() {
        return Err(Error::NoQuestion);
    }
    let factory = setting.factory().await?;
    let ground = Ground::build(&dataset, factory, options.index.as_deref(), None, say).await?;
    let searcher = methods::linked().build(&ground, setting.retriever);
    let mut judged = Vec::new();
    for (n, question) in dataset.questions.iter().enumerate() {
        say(format!("{n} of {}", dataset.questions.len()));
        let found = search(&*searcher, question, setting.retriever.map_max).await?;
        let grounds = Grounds::of(&question.text, &found);
        judged.push(Judged {
            is_asked_back: grounds.is_not_in_documents(setting.retriever),
            question,
            grounds,
        });
    }
    outcome(options, &judged)
}

fn outcome(options: &EvalUnanswerableArgs, judged: &[Judged]) -> Result<EvalReport, Error> {
    let sums = Sums::of(options.split.as_str(), judged);
    if let Some(path) = &options.report {
        page(&sums, judged).write(path)?;
    }
    let mut outcome = EvalReport::of(&sums);
    if options.failed {
        for line in judged.iter().filter_map(Judged::failed) {
            outcome.text(line);
        }
    }
    let machine = format!(", {}", sums.machine);
    outcome.line(
        TextLine::of("split ")
            .then(Emphasis::Strong, sums.split)
            .plain(machine),
    );
    for (what, value) in sums.rows() {
        outcome.text(format!("{what:<46} {value}"));
    }
    Ok(outcome)
}

impl Judged<'_> {
    fn is_null(&self) -> bool {
        self.question.gold.is_empty()
    }

    fn score(&self) -> f64 {
        f64::from(self.grounds.score())
    }

    /// What was wrong, if something was.
    fn failed(&self) -> Option<String> {
        (self.is_null() != self.is_asked_back).then(|| {
            let what = if self.is_null() {
                "not caught"
            } else {
                "false alarm"
            };
            format!(
                "{} {}: {what}; relevance {:.3}, {} of {} names lacking, score {:.3}",
                self.question.id,
                self.question.kind.as_deref().unwrap_or_default(),
                self.grounds.relevance,
                self.grounds.lacking.len(),
                self.grounds.named,
                self.score()
            )
        })
    }
}

impl Sums {
    fn of(split: &'static str, judged: &[Judged]) -> Sums {
        let (null, answerable): (Vec<&Judged>, Vec<&Judged>) =
            judged.iter().partition(|one| one.is_null());
        let asked_back = |some: &[&Judged]| some.iter().filter(|one| one.is_asked_back).count();
        let scores = |some: &[&Judged]| some.iter().map(|one| one.score()).collect::<Vec<f64>>();
        let (low, high) = (scores(&null), scores(&answerable));
        let mut sorted = high.clone();
        sorted.sort_by(f64::total_cmp);
        let place = (FALSE_MAX * sorted.len() as f64).floor() as usize;
        let at_most = sorted.get(place).copied().unwrap_or_default();
        let caught = low.iter().filter(|score| **score < at_most).count();
        Sums {
            split,
            null: null.len(),
            caught: asked_back(&null),
            answerable: answerable.len(),
            false_alarms: asked_back(&answerable),
            auroc: auroc(&high, &low),
            caught_at_most: caught as f64 / low.len().max(1) as f64,
            score_at_most: at_most,
            machine: machine(),
        }
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let share = |part: usize, all: usize| {
            format!("{:.3}  {part} of {all}", part as f64 / all.max(1) as f64)
        };
        vec![
            ("without an answer, caught", share(self.caught, self.null)),
            (
                "with an answer, asked back",
                share(self.false_alarms, self.answerable),
            ),
            (
                "area under the curve of the score",
                self.auroc
                    .map_or_else(|| "none".into(), |area| format!("{area:.3}")),
            ),
            (
                "caught by score alone at 3 % false alarms",
                format!(
                    "{:.3}, below {:.4}",
                    self.caught_at_most, self.score_at_most
                ),
            ),
        ]
    }
}

/// The curve of what would be caught for what false alarms, with a cross where the rule stands.
fn page(sums: &Sums, judged: &[Judged]) -> Page {
    let mut sorted: Vec<&Judged> = judged.iter().collect();
    sorted.sort_by(|one, other| one.score().total_cmp(&other.score()));
    let (mut caught, mut alarms) = (0usize, 0usize);
    let mut points = vec![(0.0, 0.0)];
    let point = |caught: usize, alarms: usize| {
        let x = alarms as f64 / sums.answerable.max(1) as f64;
        (x, caught as f64 / sums.null.max(1) as f64)
    };
    for one in sorted {
        match one.is_null() {
            true => caught += 1,
            false => alarms += 1,
        }
        points.push(point(caught, alarms));
    }
    let rows = sums.rows().into_iter();
    Page {
        title: format!("What the documents do not say, split {}", sums.split),
        lead: format!("{} questions; {}", judged.len(), sums.machine),
        rows: rows.map(|(what, value)| (what.to_owned(), value)).collect(),
        plot: curve(
            &points,
            "with an answer, asked back",
            "without an answer, caught",
            point(sums.caught, sums.false_alarms),
        ),
        failed: judged.iter().filter_map(Judged::failed).collect(),
        ..Page::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::dataset::Gold;
    use super::*;

    fn question(id: &str, facts: &[&str]) -> Question {
        Question {
            id: id.into(),
            text: "what?".into(),
            kind: None,
            gold: Gold::Facts(facts.iter().map(|fact| (*fact).to_owned()).collect()),
        }
    }

    #[test]
    fn both_sides_are_counted() {
        let (null, other) = (question("n", &[]), question("a", &["fact"]));
        let judged = |question, relevance, is_asked_back| Judged {
            question,
            grounds: Grounds {
                relevance,
                ..Grounds::default()
            },
            is_asked_back,
        };
        let all = [
            judged(&null, 1.0, true),
            judged(&null, 3.0, false),
            judged(&other, 2.0, true),
            judged(&other, 4.0, false),
        ];
        let sums = Sums::of("dev", &all);
        assert_eq!((sums.null, sums.caught), (2, 1));
        assert_eq!((sums.answerable, sums.false_alarms), (2, 1));
        assert_eq!(sums.auroc, Some(0.75));
        assert_eq!((sums.caught_at_most, sums.score_at_most), (0.5, 2.0));
        let failed: Vec<String> = all.iter().filter_map(Judged::failed).collect();
        assert!(failed[0].contains("not caught") && failed[1].contains("false alarm"));
        assert!(page(&sums, &all).html().contains("polyline"));
    }
}
