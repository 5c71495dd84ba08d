//! The confidence of an answer that its own model has assessed: how likely the answer is right. It is a logistic of what
//! the model says, fitted to labelled answers of a real model (docs/answers.md); the weights say of which.
//!
//! *Not* here: the confidence of other answers, which says how well their words stand in the sources, and is no
//! probability of being right.

use envelope::Assessment;

/// The weights: a constant, and that of the logit of what the model says. Fitted to 168 answers of Qwen2.5-Coder-1.5B-Instruct
/// (16 bits), of which 79 are right, to questions of the splits `dev` (docs/answers.md).
const WEIGHTS: [f32; 2] = [-1.76, 1.25];
/// What a model says counts from here to 1 less this, so that no word decides alone.
const EDGE: f32 = 0.001;

/// How likely an answer is right, 0 to 1, by what its model says of it.
pub(crate) fn of(assessment: Assessment) -> f32 {
    let [constant, said] = WEIGHTS;
    logistic(constant + said * logit(assessment.right))
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

    #[test]
    fn a_surer_word_raises_it() {
        let rising = [0.0, 0.2, 0.75, 0.9, 1.0].map(|right| of(Assessment { right }));
        assert!(rising.is_sorted(), "{rising:?}");
        assert!(rising[0] > 0.0 && rising[4] < 1.0, "{rising:?}");
    }
}
