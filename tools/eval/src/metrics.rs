//! Computes the figures of one ranking. Pure.
//!
//! A ranking is a list of ranks, best first. Each rank lists the right items that are found there, as numbers below
//! `gold`. A document is one right item or none; a chunk may contain several facts.

/// Whether anything is found within the first `k`.
pub(super) fn hit(found: &[Vec<usize>], k: usize) -> bool {
    found.iter().take(k).any(|items| !items.is_empty())
}

/// One over the first rank within `k` where something is found; 0 where nothing is.
pub(super) fn reciprocal_rank(found: &[Vec<usize>], k: usize) -> f64 {
    let first = found.iter().take(k).position(|items| !items.is_empty());
    first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64)
}

/// The share of the gold that is found within the first `k`.
pub(super) fn recall(found: &[Vec<usize>], k: usize, gold: usize) -> f64 {
    let mut there = vec![false; gold];
    for item in found.iter().take(k).flatten() {
        there[*item] = true;
    }
    there.iter().filter(|t| **t).count() as f64 / gold.max(1) as f64
}

/// Average precision within the first `k`, as trec_eval's `map_cut` has it: the precisions at the
/// ranks of right documents, over the number of all right ones.
pub(super) fn average_precision(found: &[Vec<usize>], k: usize, gold: usize) -> f64 {
    let (mut right, mut sum) = (0.0, 0.0);
    for (rank, items) in (1..).zip(found.iter().take(k)) {
        if !items.is_empty() {
            right += 1.0;
            sum += right / f64::from(rank);
        }
    }
    sum / gold.max(1) as f64
}

/// The average precision of MultiHop-RAG, which is another one: the number of facts newly found at
/// a rank, over the rank, summed, over the number of facts (at most `k`).
pub(super) fn fact_precision(found: &[Vec<usize>], k: usize, gold: usize) -> f64 {
    let mut there = vec![false; gold];
    let mut sum = 0.0;
    for (rank, items) in (1..).zip(found.iter().take(k)) {
        for item in items {
            if !std::mem::replace(&mut there[*item], true) {
                sum += 1.0 / f64::from(rank);
            }
        }
    }
    sum / gold.min(k).max(1) as f64
}

/// Normalised discounted cumulative gain within the first `k`, as trec_eval has it: the gain is the
/// grade itself, the discount the binary logarithm of the rank plus one. `grades` are those of all
/// the gold.
pub(super) fn ndcg(found: &[Vec<usize>], k: usize, grades: &[f64]) -> f64 {
    let gain = |rank: usize, grade: f64| grade / ((rank + 2) as f64).log2();
    let reached: f64 = (0..k)
        .zip(found)
        .flat_map(|(rank, items)| items.iter().map(move |item| gain(rank, grades[*item])))
        .sum();
    let mut best: Vec<f64> = grades.iter().copied().filter(|g| *g > 0.0).collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let ideal: f64 = (0..k)
        .zip(best)
        .map(|(rank, grade)| gain(rank, grade))
        .sum();
    if ideal > 0.0 { reached / ideal } else { 0.0 }
}

/// How probable it is that one drawn from `high` is above one drawn from `low`, ties counting half:
/// the area under the ROC curve. `None` where one of them is empty.
pub(super) fn auroc(high: &[f64], low: &[f64]) -> Option<f64> {
    if high.is_empty() || low.is_empty() {
        return None;
    }
    let mut sorted = low.to_vec();
    sorted.sort_by(f64::total_cmp);
    let below = |x: f64| {
        let under = sorted.partition_point(|y| *y < x);
        let ties = sorted.partition_point(|y| *y <= x) - under;
        under as f64 + ties as f64 / 2.0
    };
    let wins: f64 = high.iter().map(|x| below(*x)).sum();
    Some(wins / (high.len() * low.len()) as f64)
}

/// The value that a share `q` of the values does not exceed (nearest rank); NaN for none.
pub(super) fn quantile(mut values: Vec<f64>, q: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = (q * values.len() as f64).ceil() as usize;
    values
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or(f64::NAN)
}

/// The mean; `None` for nothing.
pub(super) fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values
        .into_iter()
        .fold((0u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
#[path = "metrics_tests.rs"]
mod tests;
