//! Whether the word of this model on an answer means anything. It is asked about answers of which everybody knows whether
//! they are right, in the prompt in which it is asked about its draft: a model that is no surer of the right ones than of the
//! wrong ones guesses, and its no is no reason to withhold an answer (ADR 0026).
//!
//! It is asked once in the life of a process, when it first says no; steps that come to a no at the same time each ask. *Not* here: a model that says yes to everything, whose
//! answers are given with a confidence that they do not deserve.

use std::sync::OnceLock;

/// A text, a question and an answer to it.
pub(crate) struct KnownAnswer {
    pub(crate) source: &'static str,
    pub(crate) question: &'static str,
    pub(crate) answer: &'static str,
    is_right: bool,
}

const fn known(source: &'static str, pair: [&'static str; 2], is_right: bool) -> KnownAnswer {
    let [question, answer] = pair;
    KnownAnswer {
        source,
        question,
        answer,
        is_right,
    }
}

const LEASE: &str = "Lease of the hall\n\n| Item | Value |\n|---|---|\n| Rent | EUR 820 a month |\n| Notice | 3 months |\n\
    | Deposit | EUR 1,640 |";
const LETTER: &str = "Letter of 12 January\n\nMs. Tarn has taken over the workshop from Mr. Olden, who has retired. The new machines \
    will be delivered in spring.";
const ROOF: &str = "Report on the roof\n\nThe roof was repaired in 2019 by the firm Hale. The gutters are to be renewed next year.";

/// What the model is asked, in this order: answers about one text stand together, so that a node need not read it twice.
pub(crate) const KNOWN: [KnownAnswer; 6] = [
    known(
        LEASE,
        ["How long is the period of notice?", "3 months"],
        true,
    ),
    known(
        LEASE,
        [
            "How long is the period of notice?",
            "The deposit is EUR 1,640.",
        ],
        false,
    ),
    known(
        LETTER,
        [
            "Who runs the workshop now?",
            "Ms. Tarn runs the workshop now.",
        ],
        true,
    ),
    known(
        LETTER,
        [
            "Who runs the workshop now?",
            "Mr. Olden runs the workshop now.",
        ],
        false,
    ),
    known(
        ROOF,
        [
            "Which firm repaired the roof?",
            "The firm Hale repaired the roof.",
        ],
        true,
    ),
    known(
        ROOF,
        [
            "What did the repair of the roof cost?",
            "The repair of the roof cost EUR 2,019.",
        ],
        false,
    ),
];

/// How much larger the log-odds of yes must be for the right answers, in the mean. Qwen2.5-Coder has 2.3 with 1.5B parameters, and
/// its word tells right drafts from others (AUROC .73); 0.3 with 0.5B, where it does not (.61; docs/answers.md).
const APART: f32 = 1.0;

/// Whether the word of a model that gave these probabilities of yes to [`KNOWN`] means anything.
pub(crate) fn means_something(yes: &[f32; KNOWN.len()]) -> bool {
    let mean = |is_right: bool| {
        let of = KNOWN
            .iter()
            .zip(yes)
            .filter(|(known, _)| known.is_right == is_right);
        let odds: Vec<f32> = of.map(|(_, yes)| log_odds(*yes)).collect();
        odds.iter().sum::<f32>() / odds.len() as f32
    };
    mean(true) - mean(false) >= APART
}

/// Bounded, so that a model that is certain of one answer does not decide alone.
fn log_odds(p: f32) -> f32 {
    let p = p.clamp(0.01, 0.99);
    (p / (1.0 - p)).ln()
}

/// What was found out of the model of this process.
#[derive(Default)]
pub(crate) struct Word(OnceLock<bool>);

impl Word {
    /// Whether it means something, if that is known.
    pub(crate) fn means_something(&self) -> Option<bool> {
        self.0.get().copied()
    }

    /// Keeps the first finding. Steps that ask at the same time find the same.
    pub(crate) fn found(&self, means_something: bool) -> bool {
        *self.0.get_or_init(|| means_something)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probabilities for log-odds.
    fn yes(odds: [f32; 6]) -> [f32; 6] {
        odds.map(|odds| 1.0 / (1.0 + (-odds).exp()))
    }

    #[test]
    fn what_was_measured_of_two_models() {
        for (odds, means) in [
            ([2.39, -0.24, 2.26, 0.39, 2.64, 0.13], true),
            ([-0.85, -0.84, -0.36, -0.73, -0.48, -0.98], false),
            ([9.0, 9.0, 9.0, 9.0, 9.0, 9.0], false),
            ([9.0, 3.0, -1.0, -1.0, -1.0, -1.0], false),
            ([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0], false),
        ] {
            assert_eq!(means_something(&yes(odds)), means, "{odds:?}");
        }
    }

    #[test]
    fn as_many_known_answers_are_right_as_wrong() {
        assert_eq!(KNOWN.iter().filter(|known| known.is_right).count(), 3);
    }
}
