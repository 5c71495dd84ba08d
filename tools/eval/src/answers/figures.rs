//! Figures of each system over all questions, and of each pair of systems. Pure.

use super::judge::Verdict;
use super::row::Row;
use crate::metrics::{auroc, mean, quantile};
use crate::outcome::{EvalReport, TextLine};
use serde::Serialize;
use std::collections::BTreeMap;

/// The quantile of the normal distribution for an interval of 95 %.
const Z: f64 = 1.96;

/// A share with its interval of 95 % (Wilson).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Share {
    pub(super) of: usize,
    pub(super) share: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The figures of a system.
#[derive(Debug, Serialize)]
pub(super) struct SystemFigures {
    pub(super) system: String,
    /// Of the questions that the documents answer.
    pub(super) right: Share,
    pub(super) wrong: usize,
    pub(super) refused: usize,
    pub(super) failed: usize,
    /// Of those that they do not answer.
    pub(super) rightly_refused: Share,
    pub(super) right_by_kind: BTreeMap<String, Share>,
    /// Of the answers that assert something and are not marked `low_confidence`.
    pub(super) right_unmarked: Share,
    /// Of their confidence: right answers against wrong ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) auroc: Option<f64>,
    /// How often every value stood in what the model was shown, and how often the answer is right then.
    pub(super) shown: Share,
    pub(super) right_if_shown: Share,
    /// Of the right answers: those whose quotes have the values.
    pub(super) cited: Share,
    pub(super) calls: f64,
    pub(super) tokens_in: f64,
    pub(super) tokens_out: f64,
    pub(super) p50_ms: f64,
    pub(super) p95_ms: f64,
    /// Confidence in steps of a tenth: how many answers, and the share of right ones.
    pub(super) reliability: Vec<(f64, Share)>,
}

/// A system compared with the first one, question by question.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    pub(super) system: String,
    pub(super) less: String,
    /// Questions that only one of the two ends as expected.
    pub(super) better: usize,
    pub(super) worse: usize,
    /// Of McNemar's exact test, two-sided.
    pub(super) p: f64,
}

/// Everything that is told.
#[derive(Debug, Serialize)]
pub(super) struct AnswersReport {
    pub(super) about: String,
    /// The model; absent where the offline reader alone was asked.
    pub(super) model: Option<String>,
    pub(super) machine: String,
    pub(super) systems: Vec<SystemFigures>,
    pub(super) comparisons: Vec<Comparison>,
}

impl Share {
    fn of(marks: impl IntoIterator<Item = bool>) -> Share {
        let marks: Vec<bool> = marks.into_iter().collect();
        let n = marks.len() as f64;
        let share = mean(marks.iter().map(|mark| f64::from(*mark))).unwrap_or_default();
        let (centre, square) = (share + Z * Z / (2.0 * n), Z * Z / n);
        let spread = Z * (share * (1.0 - share) / n + square / (4.0 * n)).sqrt();
        let bound = |bound: f64| {
            if marks.is_empty() {
                0.0
            } else {
                (bound / (1.0 + square)).clamp(0.0, 1.0)
            }
        };
        Share {
            of: marks.len(),
            share,
            low: bound(centre - spread),
            high: bound(centre + spread),
        }
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.of {
            0 => f.write_str("-"),
            of => write!(
                f,
                "{:.3} ({:.2}-{:.2}) of {of}",
                self.share, self.low, self.high
            ),
        }
    }
}

impl SystemFigures {
    fn of(system: &str, rows: &[&Row]) -> SystemFigures {
        let (can, cannot): (Vec<&Row>, Vec<&Row>) =
            rows.iter().partition(|row| row.is_answerable());
        let right = |rows: &[&Row]| Share::of(rows.iter().map(|row| row.is_right));
        let count = |verdict| can.iter().filter(|row| row.verdict == verdict).count();
        let mut kinds: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
        for row in rows {
            kinds.entry(row.kind.clone()).or_default().push(row);
        }
        let given: Vec<&Row> = rows
            .iter()
            .filter(|row| row.is_assertion())
            .copied()
            .collect();
        let unmarked = given.iter().filter(|row| !row.is_marked_low);
        let confidence = |is_right| {
            let of = given.iter().filter(|row| row.is_right == is_right);
            let of = of.filter_map(|row| row.confidence.map(f64::from));
            of.collect::<Vec<f64>>()
        };
        let shown = can.iter().filter(|row| row.is_shown == Some(true));
        let over = |figure: &dyn Fn(&Row) -> f64| {
            mean(rows.iter().map(|row| figure(row))).unwrap_or_default()
        };
        let ms = || rows.iter().map(|row| row.ms as f64).collect();
        SystemFigures {
            system: system.to_owned(),
            right: right(&can),
            wrong: count(Verdict::Wrong),
            refused: count(Verdict::Refused),
            failed: count(Verdict::Failed),
            rightly_refused: right(&cannot),
            right_by_kind: kinds
                .into_iter()
                .map(|(kind, rows)| (kind, right(&rows)))
                .collect(),
            right_unmarked: Share::of(unmarked.map(|row| row.is_right)),
            auroc: auroc(&confidence(true), &confidence(false)),
            shown: Share::of(can.iter().filter_map(|row| row.is_shown)),
            right_if_shown: Share::of(shown.map(|row| row.is_right)),
            cited: Share::of(can.iter().filter_map(|row| row.is_cited)),
            calls: over(&|row| row.calls as f64),
            tokens_in: over(&|row| row.tokens_in as f64),
            tokens_out: over(&|row| row.tokens_out as f64),
            p50_ms: quantile(ms(), 0.5),
            p95_ms: quantile(ms(), 0.95),
            reliability: reliability(&given),
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!("  right, of those that can be answered   {}", self.right),
            format!(
                "  wrong {}, refused {}, failed {}",
                self.wrong, self.refused, self.failed
            ),
            format!(
                "  refused, of those that cannot          {}",
                self.rightly_refused
            ),
            format!(
                "  right, of answers not marked low       {}",
                self.right_unmarked
            ),
            format!("  the answer was shown to the model      {}", self.shown),
            format!(
                "  right where it was shown               {}",
                self.right_if_shown
            ),
        ];
        if self.cited.of > 0 {
            lines.push(format!(
                "  right answers whose quotes have it     {}",
                self.cited
            ));
        }
        if let Some(auroc) = self.auroc {
            lines.push(format!(
                "  AUROC of confidence                    {auroc:.3}"
            ));
        }
        let cost = format!(
            "  a question: {:.1} calls, {:.0} tokens in, {:.0} out, p50 {:.1} s, p95 {:.1} s",
            self.calls,
            self.tokens_in,
            self.tokens_out,
            self.p50_ms / 1_000.0,
            self.p95_ms / 1_000.0
        );
        let kinds = self.right_by_kind.iter();
        let kinds = kinds.map(|(kind, share)| format!("{kind} {:.2} of {}", share.share, share.of));
        lines.extend([
            cost,
            format!("  by kind: {}", kinds.collect::<Vec<_>>().join(", ")),
        ]);
        lines
    }
}

fn reliability(given: &[&Row]) -> Vec<(f64, Share)> {
    let mut steps: BTreeMap<u8, Vec<&Row>> = BTreeMap::new();
    for row in given {
        if let Some(confidence) = row.confidence {
            steps
                .entry((confidence * 10.0).floor().clamp(0.0, 9.0) as u8)
                .or_default()
                .push(row);
        }
    }
    let steps = steps.into_iter();
    steps
        .map(|(step, rows)| {
            let confidence = mean(rows.iter().filter_map(|row| row.confidence.map(f64::from)));
            let fallback = f64::from(step) / 10.0;
            (
                confidence.unwrap_or(fallback),
                Share::of(rows.iter().map(|row| row.is_right)),
            )
        })
        .collect()
}

impl Comparison {
    fn of(base: &[&Row], other: &[&Row]) -> Option<Comparison> {
        let count = |is_better: bool| {
            let pairs = base.iter().zip(other);
            pairs
                .filter(|(a, b)| a.is_right != b.is_right && b.is_right == is_better)
                .count()
        };
        let (better, worse) = (count(true), count(false));
        Some(Comparison {
            system: other.first()?.system.clone(),
            less: base.first()?.system.clone(),
            better,
            worse,
            p: mcnemar(better, worse),
        })
    }
}

/// The probability of so uneven a split of the questions that only one of two systems gets right, if both were as good.
fn mcnemar(better: usize, worse: usize) -> f64 {
    let n = better + worse;
    let mut probability = 0.5_f64.powi(i32::try_from(n).unwrap_or(i32::MAX));
    let mut sum = 0.0;
    for k in 0..=better.min(worse) {
        sum += probability;
        probability *= (n - k) as f64 / (k + 1) as f64;
    }
    (2.0 * sum).min(1.0)
}

impl AnswersReport {
    /// Of the rows of each question, in the order of the systems.
    pub(super) fn of(
        about: String,
        model: Option<String>,
        machine: String,
        rows: &[Vec<Row>],
    ) -> AnswersReport {
        let count = rows.first().map_or(0, Vec::len);
        let of_systems: Vec<Vec<&Row>> = (0..count)
            .map(|at| rows.iter().map(|row| &row[at]).collect())
            .collect();
        let figures = of_systems.iter().filter_map(|rows| {
            let first = rows.first()?;
            Some(SystemFigures::of(&first.system, rows))
        });
        let others = of_systems.iter().skip(1);
        AnswersReport {
            about,
            model,
            machine,
            systems: figures.collect(),
            comparisons: others
                .filter_map(|other| Comparison::of(&of_systems[0], other))
                .collect(),
        }
    }

    pub(super) fn outcome(&self) -> EvalReport {
        let mut outcome = EvalReport::of(self);
        outcome.text(format!("{}, {}", self.about, self.machine));
        if let Some(model) = &self.model {
            outcome.line(TextLine::strong("Model:").plain(format!(" {model}")));
        }
        for system in &self.systems {
            outcome.text("");
            outcome.line(TextLine::strong(system.system.as_str()));
            outcome.lines(&system.lines());
        }
        if !self.comparisons.is_empty() {
            outcome.text("");
        }
        for one in &self.comparisons {
            outcome.text(format!(
                "{} against {}: {} better, {} worse, p = {:.3}",
                one.system, one.less, one.better, one.worse, one.p
            ));
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_and_tests_are_those_of_the_books() {
        let share = Share::of((0..10).map(|n| n < 8));
        assert!(
            (share.low - 0.490).abs() < 0.001 && (share.high - 0.943).abs() < 0.001,
            "{share}"
        );
        assert_eq!(Share::of([]).to_string(), "-");
        assert!((mcnemar(1, 6) - 0.125).abs() < 1e-9);
        assert!((mcnemar(0, 5) - 0.0625).abs() < 1e-9);
        assert!((mcnemar(3, 3) - 1.0).abs() < 1e-9 && (mcnemar(0, 0) - 1.0).abs() < 1e-9);
    }
}
