//! Computes the figures of each mode, and compares the modes question by question. Pure.

use super::super::labelled::{FleetQuestion, is_nothing};
use super::super::metrics::{mean, quantile};
use super::super::paired::{Difference, difference};
use envelope::{Mode, ModeChoice, Outcome, Terminal};
use serde::Serialize;
use std::collections::BTreeMap;

/// What came of one question in one mode.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Run {
    kind: String,
    is_right: bool,
    end: RunEnd,
    calls: u32,
    tokens: u64,
    ms: u64,
    /// What was decided, where that was left open.
    #[serde(skip_serializing_if = "Option::is_none")]
    auto: Option<Mode>,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum RunEnd {
    Answered,
    AskedBack,
    /// The answer is that the documents do not say, or a table of none.
    SaidNothing,
    Failed,
}

/// The figures of a mode over all questions.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct ModeFigures {
    mode: &'static str,
    /// Share of the questions that ended as expected, over all and by kind.
    right: f64,
    right_by_kind: BTreeMap<String, f64>,
    answered: usize,
    asked_back: usize,
    said_nothing: usize,
    failed: usize,
    /// Means of a question; tokens are those read and written together.
    calls: f64,
    tokens: f64,
    p50_ms: f64,
    p95_ms: f64,
    /// Of mode `auto`: the share of the questions that it decided to be simple.
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_simple: Option<f64>,
}

/// One mode less another, question by question, with the standard error of the mean.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct ModeDifference {
    mode: &'static str,
    less: &'static str,
    right: Difference,
    calls: Difference,
    tokens: Difference,
    ms: Difference,
}

/// Everything that is told.
#[derive(Debug, Serialize)]
pub(super) struct ModesReport {
    pub(super) dataset: &'static str,
    pub(super) split: &'static str,
    pub(super) questions: usize,
    /// The class of model that the questions were asked for: mode `loop` is of `large` alone.
    pub(super) profile: &'static str,
    /// Which model answered, and why that one.
    pub(super) model: String,
    /// What the figures of a mode are not, where the model cannot do what the mode wants.
    pub(super) note: Option<&'static str>,
    pub(super) machine: String,
    pub(super) modes: Vec<ModeFigures>,
    pub(super) differences: Vec<ModeDifference>,
}

impl Run {
    pub(super) fn of(question: &FleetQuestion, terminal: &Terminal) -> Run {
        let usage = &terminal.usage;
        Run {
            kind: question.kind.clone(),
            is_right: question.expected.is_in(terminal),
            end: RunEnd::of(terminal),
            calls: usage.calls,
            tokens: usage.tokens_in + usage.tokens_out,
            ms: terminal.asked_at.until(terminal.ended_at),
            auto: terminal.auto.as_ref().map(|auto| auto.mode),
        }
    }
}

impl RunEnd {
    fn of(terminal: &Terminal) -> RunEnd {
        match terminal.outcome {
            Outcome::Clarification => RunEnd::AskedBack,
            Outcome::Answered if is_nothing(terminal) => RunEnd::SaidNothing,
            Outcome::Answered => RunEnd::Answered,
            Outcome::Refused | Outcome::Failed | Outcome::Expired | Outcome::Cancelled => {
                RunEnd::Failed
            }
        }
    }
}

impl ModeFigures {
    /// Of each mode, in the order of [`ModeChoice::WORDS`]; those that the questions were asked in.
    pub(super) fn of(runs: &[Vec<Run>]) -> Vec<ModeFigures> {
        let words = ModeChoice::WORDS.into_iter().enumerate().take(count(runs));
        words
            .map(|(at, mode)| {
                let of_mode: Vec<&Run> = runs.iter().map(|of_modes| &of_modes[at]).collect();
                ModeFigures::of_mode(mode, &of_mode)
            })
            .collect()
    }

    fn of_mode(mode: &'static str, runs: &[&Run]) -> ModeFigures {
        let over = |figure: &dyn Fn(&Run) -> f64| {
            mean(runs.iter().map(|run| figure(run))).unwrap_or_default()
        };
        let ended = |end| runs.iter().filter(|run| run.end == end).count();
        let mut kinds: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for run in runs {
            let right = f64::from(run.is_right);
            kinds.entry(run.kind.clone()).or_default().push(right);
        }
        let by_kind = |(kind, right): (String, Vec<f64>)| (kind, mean(right).unwrap_or_default());
        let ms = || runs.iter().map(|run| run.ms as f64).collect();
        let decided = runs.iter().filter_map(|run| run.auto);
        ModeFigures {
            mode,
            right: over(&|run| f64::from(run.is_right)),
            right_by_kind: kinds.into_iter().map(by_kind).collect(),
            answered: ended(RunEnd::Answered),
            asked_back: ended(RunEnd::AskedBack),
            said_nothing: ended(RunEnd::SaidNothing),
            failed: ended(RunEnd::Failed),
            calls: over(&|run| f64::from(run.calls)),
            tokens: over(&|run| run.tokens as f64),
            p50_ms: quantile(ms(), 0.5),
            p95_ms: quantile(ms(), 0.95),
            decided_simple: mean(decided.map(|mode| f64::from(mode == Mode::Simple))),
        }
    }
}

/// How many modes every question was asked in.
fn count(runs: &[Vec<Run>]) -> usize {
    runs.iter().map(Vec::len).min().unwrap_or(0)
}

/// Each further mode less agentic, and auto and loop less simple.
pub(super) fn differences(runs: &[Vec<Run>]) -> Vec<ModeDifference> {
    let [agentic, simple, auto, acting] = [0, 1, 2, 3];
    let pairs = [
        (simple, agentic),
        (auto, agentic),
        (auto, simple),
        (acting, agentic),
        (acting, simple),
    ];
    let modes = count(runs);
    let pairs = pairs.into_iter().filter(|(mode, _)| *mode < modes);
    let of = |(mode, less): (usize, usize)| {
        let by = |figure: &dyn Fn(&Run) -> f64| {
            let each = runs
                .iter()
                .map(|run| figure(&run[mode]) - figure(&run[less]));
            difference(&each.collect::<Vec<_>>())
        };
        ModeDifference {
            mode: ModeChoice::WORDS[mode],
            less: ModeChoice::WORDS[less],
            right: by(&|run| f64::from(run.is_right)),
            calls: by(&|run| f64::from(run.calls)),
            tokens: by(&|run| run.tokens as f64),
            ms: by(&|run| run.ms as f64),
        }
    };
    pairs.map(of).collect()
}

/// A line of JSON for each question and mode. The text of a question is not among it.
pub(super) fn details(questions: &[FleetQuestion], runs: &[Vec<Run>]) -> Vec<String> {
    let pairs = questions.iter().zip(runs);
    let lines = pairs.flat_map(|(question, of_modes)| {
        let modes = ModeChoice::WORDS.into_iter().zip(of_modes);
        modes.map(|(mode, run)| {
            serde_json::json!({"id": question.id, "mode": mode, "run": run}).to_string()
        })
    });
    lines.collect()
}

impl ModesReport {
    /// As lines of a terminal.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{:<8} {:>6} {:>9} {:>11} {:>12} {:>7} {:>6} {:>8} {:>8} {:>8}",
            "mode",
            "right",
            "answered",
            "asked back",
            "said nothing",
            "failed",
            "calls",
            "tokens",
            "p50 ms",
            "p95 ms"
        )];
        for one in &self.modes {
            lines.push(format!(
                "{:<8} {:>6.3} {:>9} {:>11} {:>12} {:>7} {:>6.2} {:>8.0} {:>8.0} {:>8.0}",
                one.mode,
                one.right,
                one.answered,
                one.asked_back,
                one.said_nothing,
                one.failed,
                one.calls,
                one.tokens,
                one.p50_ms,
                one.p95_ms
            ));
        }
        for one in &self.modes {
            if let Some(share) = one.decided_simple {
                lines.push(format!("{} decided on simple for {share:.3}", one.mode));
            }
        }
        lines.push(String::new());
        lines.push("right, by kind".into());
        let kinds = self.modes.first().map(|one| &one.right_by_kind);
        for kind in kinds.into_iter().flat_map(BTreeMap::keys) {
            let shares = self.modes.iter().map(|one| {
                let share = one.right_by_kind.get(kind).copied().unwrap_or_default();
                format!("{} {share:.3}", one.mode)
            });
            lines.push(format!(
                "  {kind:<18} {}",
                shares.collect::<Vec<_>>().join("  ")
            ));
        }
        lines.push(String::new());
        lines.push("question by question, with the standard error".into());
        for one in &self.differences {
            lines.push(format!(
                "  {} less {}: right {}, calls {}, tokens {:+.0} ±{:.0}, ms {:+.1} ±{:.1}",
                one.mode,
                one.less,
                one.right,
                one.calls,
                one.tokens.mean,
                one.tokens.error,
                one.ms.mean,
                one.ms.error
            ));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{TenantId, TurnId, UnixMs};
    use reducer::NO_INFORMATION;

    fn run(kind: &str, is_right: bool, calls: u32, auto: Option<Mode>) -> Run {
        Run {
            kind: kind.into(),
            is_right,
            end: RunEnd::Answered,
            calls,
            tokens: u64::from(calls) * 100,
            ms: u64::from(calls) * 10,
            auto,
        }
    }

    #[test]
    fn modes_are_compared_question_by_question() {
        let question = |kind: &str, simple_is_right, auto| {
            let is_simple = auto == Mode::Simple;
            let calls = if is_simple { 1 } else { 7 };
            vec![
                run(kind, true, 7, None),
                run(kind, simple_is_right, 1, None),
                run(kind, simple_is_right || !is_simple, calls, Some(auto)),
            ]
        };
        let runs = [
            question("fact", true, Mode::Simple),
            question("comparison", false, Mode::Agentic),
        ];
        let [agentic, simple, auto] = ModeFigures::of(&runs).try_into().unwrap();
        let right: [f64; 3] = [&agentic, &simple, &auto].map(|one| one.right);
        assert_eq!(right, [1.0, 0.5, 1.0]);
        assert_eq!(simple.right_by_kind["comparison"], 0.0);
        assert_eq!((auto.calls, auto.decided_simple), (4.0, Some(0.5)));
        assert_eq!((agentic.p95_ms, agentic.decided_simple), (70.0, None));
        let told = differences(&runs);
        let means: Vec<f64> = told.iter().map(|one| one.right.mean).collect();
        assert_eq!(means, [-0.5, 0.0, 0.5]);
        assert_eq!(told[1].calls.mean, -3.0);
        // Of a large model there is one mode more.
        let with_loop = runs.map(|mut of_modes| {
            of_modes.push(run("fact", false, 4, None));
            of_modes
        });
        let figures = ModeFigures::of(&with_loop);
        assert_eq!((figures.len(), figures[3].mode), (4, "loop"));
        let told = differences(&with_loop);
        let pairs: Vec<_> = told
            .iter()
            .skip(3)
            .map(|one| (one.mode, one.less))
            .collect();
        assert_eq!(pairs, [("loop", "agentic"), ("loop", "simple")]);
        assert_eq!(told[3].calls.mean, -3.0);
    }

    #[test]
    fn an_end_is_told_by_the_event() {
        let ended = |outcome, answer: Option<&str>| {
            let tenant = TenantId::default_tenant();
            let bare = Terminal::bare(TurnId::again("x"), tenant, outcome, UnixMs(1));
            RunEnd::of(&Terminal {
                answer: answer.map(str::to_owned),
                ..bare
            })
        };
        assert_eq!(ended(Outcome::Answered, Some("5 [1].")), RunEnd::Answered);
        assert_eq!(
            ended(Outcome::Answered, Some(NO_INFORMATION)),
            RunEnd::SaidNothing
        );
        assert_eq!(ended(Outcome::Clarification, None), RunEnd::AskedBack);
        assert_eq!(ended(Outcome::Expired, None), RunEnd::Failed);
    }
}
