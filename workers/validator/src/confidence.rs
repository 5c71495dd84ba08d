//! The confidence of an answer that its own model has assessed: how likely the answer is right. It is a logistic of two
//! figures, fitted to labelled answers of a real model (docs/answers.md); the weights say of which.
//!
//! *Not* here: the confidence of other answers, which says how well their words stand in the sources, and is no
//! probability of being right.

use crate::citations::without_marks;
use envelope::{Assessment, Draft};
use std::collections::HashSet;
use text::words;

/// The weights: a constant, that of the logit of what the model says, and that of the best passage. Fitted to 168 answers of
/// Qwen2.5-Coder-1.5B-Instruct (Q4_K_M), of which 79 are right, to questions of the splits `dev` (docs/answers.md).
const WEIGHTS: [f32; 3] = [-2.81, 1.05, 1.52];
/// What a model says counts from here to 1 less this, so that no word decides alone.
const EDGE: f32 = 0.001;

/// How likely the answer of a draft is right, 0 to 1, by what its model says of it, and by whether no passage holds more of
/// it than the one that the search put first.
pub(crate) fn of(assessment: Assessment, answer: &str, question: &str, draft: &Draft) -> f32 {
    let [constant, said, first] = WEIGHTS;
    let first = if is_of_first(answer, question, draft) {
        first
    } else {
        0.0
    };
    logistic(constant + said * logit(assessment.right) + first)
}

/// Whether the first source holds the most words of the answer that the question does not have, and of sources that
/// hold as many of them, the most of all its words.
fn is_of_first(answer: &str, question: &str, draft: &Draft) -> bool {
    let words = |text: &str| words::content(text).into_iter().collect::<HashSet<_>>();
    let all = words(&without_marks(answer));
    let own: HashSet<_> = all.difference(&words(question)).cloned().collect();
    let held = draft.sources.iter().map(|source| {
        let facts = draft.facts.iter().filter(|fact| fact.n == source.n);
        let facts: Vec<&str> = facts.map(|fact| fact.text.as_str()).collect();
        let text = words(&format!(
            "{} {} {}",
            source.title,
            source.source,
            facts.join(" ")
        ));
        (
            own.intersection(&text).count(),
            all.intersection(&text).count(),
        )
    });
    let held: Vec<_> = held.collect();
    held.first()
        .is_some_and(|first| held.iter().max() == Some(first))
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
    use crate::testing;
    use envelope::{Citation, Fact};

    fn draft(facts: &[(u16, &str)]) -> Draft {
        let source = |n: u16| Citation {
            n,
            ..testing::citation(&format!("doc{n}"))
        };
        let fact = |(n, text): &(u16, &str)| Fact {
            n: *n,
            text: (*text).into(),
        };
        Draft {
            sources: vec![source(1), source(2)],
            facts: facts.iter().map(fact).collect(),
            ..testing::draft("")
        }
    }

    #[test]
    fn a_surer_word_raises_it_and_so_does_the_best_passage() {
        let two = draft(&[
            (1, "The rent is 900 euro."),
            (2, "The deposit is 800 euro."),
        ]);
        let of = |right, answer| of(Assessment { right }, answer, "What is due?", &two);
        let (first, other) = ("The rent is 900 euro [1].", "The deposit is 800 euro [2].");
        let rising = [
            of(0.0, other),
            of(0.9, other),
            of(0.9, first),
            of(1.0, first),
        ];
        assert!(rising.is_sorted(), "{rising:?}");
        assert!(rising[0] > 0.0 && rising[3] < 1.0, "{rising:?}");
    }

    #[test]
    fn words_of_the_question_do_not_tell_passages_apart() {
        let two = draft(&[(1, "Of the rent of May see below."), (2, "It is 900 euro.")]);
        let is_first = |answer, question| is_of_first(answer, question, &two);
        let question = "What is the rent of May?";
        assert!(!is_first("The rent of May is 900.", question));
        assert!(is_first("The rent of May.", ""));
        // Of equals the first counts, and without sources none is the first.
        assert!(is_first("Lamps", ""));
        assert!(!is_of_first("Lamps", "", &testing::draft("")));
    }
}
