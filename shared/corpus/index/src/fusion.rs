//! Merges two lists of scores into one. Pure.
//!
//! Scores of the word search have no upper bound, and scores of the vector search lie close together. So they cannot be
//! added as they are: each list is first scaled to 0..1. Fusion by ranks ([`Fusion::Ranks`]) needs no scores, but
//! ignores by how much the first hit was better.

use serde::{Deserialize, Serialize};

/// How lists are merged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fusion {
    /// By weighted scores, after the scores of each list are scaled to 0..1.
    #[default]
    Scores,
    /// By ranks: reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009), weighted.
    Ranks,
}

/// The constant of reciprocal rank fusion, from the same paper.
const RANK_OFFSET: f32 = 60.0;

/// One score from 0 to 1 for each candidate, from its score in either list; `None` stands for a
/// candidate that a list does not have. `weight` is the share of the second list.
pub(crate) fn fuse(
    words: &[Option<f32>],
    vectors: &[Option<f32>],
    weight: f32,
    fusion: Fusion,
) -> Vec<f32> {
    let weight = match (has_any(words), has_any(vectors)) {
        (true, true) => weight.clamp(0.0, 1.0),
        (false, true) => 1.0,
        _ => 0.0,
    };
    let (words, vectors) = match fusion {
        Fusion::Scores => (stretched(words), stretched(vectors)),
        Fusion::Ranks => (ranked(words), ranked(vectors)),
    };
    let pairs = words.iter().zip(&vectors);
    pairs
        .map(|(w, v)| (1.0 - weight) * w + weight * v)
        .collect()
}

fn has_any(list: &[Option<f32>]) -> bool {
    list.iter().any(Option::is_some)
}

/// Scales scores: the worst becomes 0, the best 1; a candidate without a score counts as the worst.
pub(crate) fn stretched(list: &[Option<f32>]) -> Vec<f32> {
    let there = || list.iter().flatten().copied();
    let (min, max) = there().fold((f32::INFINITY, f32::NEG_INFINITY), |(min, max), s| {
        (min.min(s), max.max(s))
    });
    let stretch = |s: f32| {
        if max > min {
            (s - min) / (max - min)
        } else {
            1.0
        }
    };
    list.iter().map(|s| s.map_or(0.0, stretch)).collect()
}

/// 1 for the first, less for each further one, 0 for a candidate that is not in the list.
fn ranked(list: &[Option<f32>]) -> Vec<f32> {
    let mut order: Vec<usize> = (0..list.len()).filter(|i| list[*i].is_some()).collect();
    order.sort_by(|a, b| {
        list[*b]
            .partial_cmp(&list[*a])
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut scores = vec![0.0; list.len()];
    for (rank, i) in order.into_iter().enumerate() {
        scores[i] = (RANK_OFFSET + 1.0) / (RANK_OFFSET + 1.0 + rank as f32);
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_weights_are_shares() {
        let words = [Some(10.0), Some(5.0), None];
        let vectors = [Some(0.0), Some(1.0), Some(0.5)];
        let fused = fuse(&words, &vectors, 0.25, Fusion::Scores);
        assert_eq!(fused, [0.75, 0.25, 0.125]);
        assert_eq!(
            fuse(&words, &[None; 3], 0.25, Fusion::Scores),
            [1.0, 0.0, 0.0]
        );
        assert_eq!(fuse(&[None; 3], &vectors, 0.25, Fusion::Scores)[1], 1.0);
    }

    #[test]
    fn ranks_forget_scores() {
        let near = fuse(&[Some(1.0), Some(0.99)], &[None, None], 0.5, Fusion::Ranks);
        let far = fuse(&[Some(9.0), Some(0.01)], &[None, None], 0.5, Fusion::Ranks);
        assert_eq!(near, far);
        assert_eq!(near, [1.0, 61.0 / 62.0]);
    }

    proptest! {
        #[test]
        fn scores_are_shares_and_a_better_one_never_hurts(
            list in prop::collection::vec((prop::option::of(0.0f32..50.0), prop::option::of(-1.0f32..1.0)), 1..40),
            weight in 0.0f32..1.0,
            ranks in any::<bool>(),
        ) {
            let fusion = if ranks { Fusion::Ranks } else { Fusion::Scores };
            let (words, vectors): (Vec<_>, Vec<_>) = list.into_iter().unzip();
            let fused = fuse(&words, &vectors, weight, fusion);
            for (i, s) in fused.iter().enumerate() {
                prop_assert!((0.0..=1.0 + 1e-5).contains(s));
                for (j, t) in fused.iter().enumerate() {
                    if words[i] > words[j] && vectors[i] > vectors[j] {
                        prop_assert!(s + 1e-5 >= *t);
                    }
                }
            }
        }
    }
}
