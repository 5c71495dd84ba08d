//! The confidence of an answer that its own model has assessed: how likely the answer is right. It is a logistic of two
//! figures, fitted to labelled answers of a real model (docs/answers.md); the weights say of which.
//!
//! *Not* here: the confidence of other answers, which says how well their words stand in the sources, and is no
//! probability.

use envelope::{Assessment, Citation};

/// The weights: a constant, that of the logit of what the model says, and that of the best passage. Fitted to 46 answers of
/// Qwen2.5-Coder-1.5B-Instruct (Q4_K_M), of the splits `dev`; 22 of them are right.
const WEIGHTS: [f32; 3] = [-5.0, 2.2, 1.2];
/// What a model says counts from here to 1 less this, so that no word decides alone.
const EDGE: f32 = 0.001;

/// How likely an answer is right, 0 to 1, by what its model says and by whether it cites the passage that the search put
/// first, which the first of `sources` is.
pub(crate) fn of(assessment: Assessment, cited: &[Citation], sources: &[Citation]) -> f32 {
    let best = sources.iter().min_by_key(|source| source.n);
    let is_best = best.is_some_and(|best| cited.iter().any(|one| one.chunk_id == best.chunk_id));
    let [constant, said, first] = WEIGHTS;
    let best = if is_best { first } else { 0.0 };
    logistic(constant + said * logit(assessment.right) + best)
}

fn logit(p: f32) -> f32 {
    let p = p.clamp(EDGE, 1.0 - EDGE);
    (p / (1.0 - p)).ln()
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(n: u16) -> Citation {
        let of = crate::testing::citation(&format!("doc{n}"));
        Citation { n, ..of }
    }

    #[test]
    fn a_surer_word_and_the_best_passage_raise_it() {
        let sources = [source(1), source(2)];
        let of = |right: f32, cited: &[Citation]| of(Assessment { right }, cited, &sources);
        let best = &sources[..1];
        let other = &sources[1..];
        let rising = [
            of(0.0, other),
            of(0.5, other),
            of(0.9, other),
            of(0.9, best),
            of(1.0, best),
        ];
        assert!(rising.is_sorted(), "{rising:?}");
        assert!(rising.iter().all(|one| (0.0..1.0).contains(one)));
        assert_eq!(of(0.9, &[]), of(0.9, other));
        // The best stays the best where the answer numbers its sources anew.
        let anew = [Citation { n: 1, ..source(2) }];
        assert_eq!(of(0.9, &anew), of(0.9, other));
    }
}
