//! Compares the classes that the rules give with the right ones. Pure.

use serde::Serialize;
use std::collections::BTreeMap;

/// How the questions were labelled.
pub(super) struct ClassScore {
    labels: &'static [&'static str],
    /// How many questions of one label were given another, or the same.
    given: BTreeMap<(&'static str, &'static str), usize>,
    failed: Vec<String>,
}

/// How well one label was given.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct LabelFigures {
    pub(super) label: &'static str,
    /// How many questions have it.
    pub(super) questions: usize,
    /// Of those that were given it, the share that have it.
    pub(super) precision: f64,
    /// Of those that have it, the share that were given it.
    pub(super) recall: f64,
    pub(super) f1: f64,
}

impl ClassScore {
    pub(super) fn new(labels: &'static [&'static str]) -> ClassScore {
        ClassScore {
            labels,
            given: BTreeMap::new(),
            failed: Vec::new(),
        }
    }

    /// Takes in a question with its label, and the label that it was given.
    pub(super) fn add(&mut self, question: &str, right: &'static str, given: &'static str) {
        *self.given.entry((right, given)).or_default() += 1;
        if right != given {
            let question = text::one_line(question);
            self.failed
                .push(format!("{right} read as {given}: {question}"));
        }
    }

    /// How many questions of the label `right` were given the label `given`.
    pub(super) fn count(&self, right: &str, given: &str) -> usize {
        let of =
            |(pair, count): (&(&str, &str), &usize)| (*pair == (right, given)).then_some(*count);
        self.given.iter().find_map(of).unwrap_or_default()
    }

    /// The labels, in their order.
    pub(super) fn labels(&self) -> &'static [&'static str] {
        self.labels
    }

    /// The figures of each label.
    pub(super) fn figures(&self) -> Vec<LabelFigures> {
        let of = |label: &&'static str| {
            let sum =
                |count: &dyn Fn(&str) -> usize| self.labels.iter().map(|one| count(one)).sum();
            let questions: usize = sum(&|given| self.count(label, given));
            let given: usize = sum(&|right| self.count(right, label));
            let right = self.count(label, label);
            LabelFigures {
                label,
                questions,
                precision: share(right, given),
                recall: share(right, questions),
                f1: share(2 * right, questions + given),
            }
        };
        self.labels.iter().map(of).collect()
    }

    /// How many questions there are.
    pub(super) fn questions(&self) -> usize {
        self.given.values().sum()
    }

    /// The share of questions with the right label.
    pub(super) fn accuracy(&self) -> f64 {
        share(self.questions() - self.failed.len(), self.questions())
    }

    /// What was labelled otherwise, a line each.
    pub(super) fn failed(&self) -> &[String] {
        &self.failed
    }
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_of_each_label() {
        let mut score = ClassScore::new(&["a", "b"]);
        for (right, given) in [("a", "a"), ("a", "a"), ("a", "b"), ("b", "b"), ("b", "a")] {
            score.add("one\n question", right, given);
        }
        let [a, b] = &score.figures()[..] else {
            panic!("two labels")
        };
        assert_eq!((a.questions, b.questions), (3, 2));
        assert!((a.precision - 2.0 / 3.0).abs() < 1e-9 && (a.recall - 2.0 / 3.0).abs() < 1e-9);
        assert!((b.f1 - 0.5).abs() < 1e-9);
        assert!((score.accuracy() - 0.6).abs() < 1e-9);
        assert_eq!(score.failed()[0], "a read as b: one question");
        assert!(ClassScore::new(&["a"]).accuracy().abs() < 1e-9);
    }
}
