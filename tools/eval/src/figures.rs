//! Computes the figures of a search method over many questions, such as the mean nDCG. Pure.

use super::dataset::{Question, Unit};
use super::measure::{Asked, DEPTH, SHOWN};
use super::metrics::{
    auroc, average_precision, fact_precision, hit, mean, ndcg, quantile, recall, reciprocal_rank,
};
use super::signal::Signal;
use serde::Serialize;
use std::collections::BTreeMap;

/// The shorter of the two lists that hits are counted in.
const SHORT: usize = 4;

/// The figures of one method. Null: the data set does not have it, or it was not asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Figures {
    /// Questions that have an answer; all figures but the last three groups are means over them.
    pub(super) answerable: usize,
    pub(super) hits_at_4: Option<f64>,
    pub(super) hits_at_10: Option<f64>,
    pub(super) map_at_10: Option<f64>,
    pub(super) mrr_at_10: Option<f64>,
    /// Documents only.
    pub(super) ndcg_at_10: Option<f64>,
    /// Facts only.
    pub(super) evidence_recall_at_10: Option<f64>,
    /// Facts only.
    pub(super) all_evidence_at_10: Option<f64>,
    /// What is among the first hundred at all.
    pub(super) recall_at_100: Option<f64>,
    /// Documents only.
    pub(super) map_at_100: Option<f64>,
    /// Facts only: all of them are among the first hundred.
    pub(super) all_evidence_at_100: Option<f64>,
    /// By [`Signal::Relevance`].
    pub(super) null_auroc: Option<f64>,
    /// By every signal.
    pub(super) null_auroc_by_signal: Option<BTreeMap<&'static str, f64>>,
    /// Latency of a search, in milliseconds.
    pub(super) p50_ms: f64,
    /// The same, exceeded by one search in a hundred.
    pub(super) p99_ms: f64,
}

impl Figures {
    /// The figures of some questions and what came of them.
    pub(super) fn of(unit: Unit, all: &[(&Question, &Asked)]) -> Figures {
        let (answerable, null): (Vec<_>, Vec<_>) =
            all.iter().copied().partition(|(q, _)| !q.gold.is_empty());
        let over = |figure: &dyn Fn(&Asked) -> f64| mean(answerable.iter().map(|(_, a)| figure(a)));
        let shown = |figure: fn(&[Vec<usize>], usize, usize) -> f64, k| {
            over(&|a| figure(&a.ranking.found, k, a.ranking.grades.len()))
        };
        let deep = |figure: fn(&[Vec<usize>], usize, usize) -> f64| {
            let rankings = answerable.iter().filter_map(|(_, a)| a.deep.as_ref());
            mean(rankings.map(|r| figure(&r.found, DEPTH, r.grades.len())))
        };
        let (documents, facts) = (unit == Unit::Document, unit == Unit::Chunk);
        let by_signal = by_signal(&answerable, &null);
        Figures {
            answerable: answerable.len(),
            hits_at_4: over(&|a| f64::from(hit(&a.ranking.found, SHORT))),
            hits_at_10: over(&|a| f64::from(hit(&a.ranking.found, SHOWN))),
            map_at_10: shown(
                if documents {
                    average_precision
                } else {
                    fact_precision
                },
                SHOWN,
            ),
            mrr_at_10: over(&|a| reciprocal_rank(&a.ranking.found, SHOWN)),
            ndcg_at_10: over(&|a| ndcg(&a.ranking.found, SHOWN, &a.ranking.grades))
                .filter(|_| documents),
            evidence_recall_at_10: shown(recall, SHOWN).filter(|_| facts),
            all_evidence_at_10: shown(all_found, SHOWN).filter(|_| facts),
            recall_at_100: deep(recall),
            map_at_100: deep(average_precision).filter(|_| documents),
            all_evidence_at_100: deep(all_found).filter(|_| facts),
            null_auroc: by_signal
                .as_ref()
                .and_then(|by| by.get(Signal::Relevance.name()).copied()),
            null_auroc_by_signal: by_signal,
            p50_ms: quantile(all.iter().map(|(_, a)| a.ms).collect(), 0.5),
            p99_ms: quantile(all.iter().map(|(_, a)| a.ms).collect(), 0.99),
        }
    }
}

fn all_found(found: &[Vec<usize>], k: usize, gold: usize) -> f64 {
    f64::from(gold > 0 && recall(found, k, gold) >= 1.0)
}

fn by_signal(
    answerable: &[(&Question, &Asked)],
    null: &[(&Question, &Asked)],
) -> Option<BTreeMap<&'static str, f64>> {
    let of = |asked: &[(&Question, &Asked)], n: usize| -> Vec<f64> {
        asked.iter().map(|(_, a)| a.signals[n]).collect()
    };
    let areas = Signal::ALL.iter().enumerate().map(|(n, signal)| {
        let area = auroc(&of(answerable, n), &of(null, n))?;
        Some((signal.name(), area))
    });
    areas.collect()
}
