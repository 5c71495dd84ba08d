//! Computes how much better one search method is than another, question by question. Pure.
//!
//! The result is the difference of the two means over the same questions, with the standard error of the mean of the
//! differences. Two methods mostly agree, so this error is far smaller than the error of either mean.

use super::dataset::{Question, Unit};
use super::measure::{Asked, SHOWN};
use super::metrics::{hit, ndcg, recall};
use serde::Serialize;
use std::collections::BTreeMap;

/// The shorter of the two lists that hits are counted in.
const SHORT: usize = 4;

/// A difference of means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Difference {
    pub(super) mean: f64,
    /// The standard error of the mean.
    pub(super) error: f64,
}

/// The differences of some questions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Paired {
    pub(super) questions: usize,
    pub(super) hits_at_4: Difference,
    /// Documents only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ndcg_at_10: Option<Difference>,
    /// Facts only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) evidence_recall_at_10: Option<Difference>,
    /// Facts only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) all_evidence_at_10: Option<Difference>,
}

/// The differences of one way to another, over all questions that have an answer and for each type of them.
pub(super) fn paired(
    unit: Unit,
    questions: &[Question],
    base: &[Asked],
    other: &[Asked],
) -> BTreeMap<String, Paired> {
    let mut pairs: BTreeMap<String, Vec<(&Asked, &Asked)>> = BTreeMap::new();
    for (question, pair) in questions.iter().zip(base.iter().zip(other)) {
        if question.gold.is_empty() {
            continue;
        }
        pairs.entry("all".into()).or_default().push(pair);
        if let Some(kind) = &question.kind {
            pairs.entry(kind.clone()).or_default().push(pair);
        }
    }
    let of = |(kind, pairs): (String, Vec<(&Asked, &Asked)>)| (kind, Paired::of(unit, &pairs));
    pairs.into_iter().map(of).collect()
}

impl Paired {
    fn of(unit: Unit, pairs: &[(&Asked, &Asked)]) -> Paired {
        let by = |figure: &dyn Fn(&Asked) -> f64| {
            let differences = pairs
                .iter()
                .map(|(base, other)| figure(other) - figure(base));
            difference(&differences.collect::<Vec<_>>())
        };
        let share = |a: &Asked| recall(&a.ranking.found, SHOWN, a.ranking.grades.len());
        let facts = unit == Unit::Chunk;
        Paired {
            questions: pairs.len(),
            hits_at_4: by(&|a| f64::from(hit(&a.ranking.found, SHORT))),
            ndcg_at_10: (!facts).then(|| by(&|a| ndcg(&a.ranking.found, SHOWN, &a.ranking.grades))),
            evidence_recall_at_10: facts.then(|| by(&share)),
            all_evidence_at_10: facts.then(|| by(&|a| f64::from(share(a) >= 1.0))),
        }
    }
}

/// The mean of differences, and its error.
pub(super) fn difference(values: &[f64]) -> Difference {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let spread: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let variance = spread / (count - 1.0).max(1.0);
    Difference {
        mean,
        error: (variance / count).sqrt(),
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:+.3} ±{:.3}", self.mean, self.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_that_of_the_differences() {
        let one = difference(&[1.0, 0.0, 0.0, -1.0, 1.0]);
        assert!((one.mean - 0.2).abs() < 1e-9);
        assert!((one.error - (0.7_f64 / 5.0).sqrt()).abs() < 1e-9, "{one:?}");
        assert_eq!(difference(&[0.5; 3]).to_string(), "+0.500 ±0.000");
        assert_eq!(difference(&[]).mean, 0.0);
    }
}
