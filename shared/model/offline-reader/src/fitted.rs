//! How likely a unit answers, in languages without lists of names and of words that mean the same: a logistic regression
//! over what can be counted in any language.
//!
//! How the weights were fitted stands in docs/languages.md. *Not* used for English, whose rules read more than words. Pure.

/// What can be counted of a unit.
pub(super) struct Signs {
    /// The share of the words of the question that stand anywhere in the passage, by weight.
    pub(super) anywhere: f32,
    /// The same of those that stand in the unit, or less so around it.
    pub(super) near: f32,
    /// How many of them the unit has itself.
    pub(super) said: usize,
    /// How many words the unit has.
    pub(super) words: usize,
    /// How many words the question has.
    pub(super) asked: usize,
    /// Whether the passage has half of the names of the question.
    pub(super) is_named: bool,
    /// Whether the question certainly wants a kind of answer.
    pub(super) is_strict: bool,
    /// Whether the unit has the kind of answer that is wanted.
    pub(super) meets: bool,
    /// Whether the passage is of another part or year.
    pub(super) is_strange: bool,
    /// Whether the unit is a question itself.
    pub(super) asks: bool,
}

/// Weights of the logarithm of the odds (docs/languages.md).
const ANYWHERE: f32 = 2.54;
const NEAR: f32 = 2.96;
const SAID: f32 = 2.53;
const WORDS: f32 = -0.86;
const ASKED: f32 = -0.94;
const NAMED: f32 = 2.09;
const MEETS_STRICT: f32 = 1.02;
const MISSES_STRICT: f32 = -1.36;
const MEETS: f32 = 0.28;
const ALWAYS: f32 = -5.36;
/// Set by hand, since the sets have hardly any: what counts against another part or year, and against a question.
const STRANGE: f32 = -1.2;
/// The logarithm of the odds of a score of one half; what is given as an answer has a little less at least.
const HALF: f32 = -2.0;

impl Signs {
    /// From 0 to 1.
    pub(super) fn score(&self) -> f32 {
        let log = |count: usize| (1.0 + count as f32).ln();
        let wanted = match (self.is_strict, self.meets) {
            (true, true) => MEETS_STRICT,
            (true, false) => MISSES_STRICT,
            (false, true) => MEETS,
            (false, false) => 0.0,
        };
        let odds = ALWAYS
            + ANYWHERE * self.anywhere
            + NEAR * self.near
            + SAID * log(self.said)
            + WORDS * log(self.words)
            + ASKED * log(self.asked)
            + NAMED * f32::from(self.is_named)
            + wanted
            + STRANGE * f32::from(u8::from(self.is_strange) + u8::from(self.asks));
        1.0 / (1.0 + (HALF - odds).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Signs = Signs {
        anywhere: 1.0,
        near: 1.0,
        said: 4,
        words: 12,
        asked: 4,
        is_named: true,
        is_strict: true,
        meets: true,
        is_strange: false,
        asks: false,
    };

    #[test]
    fn what_says_more_of_the_question_is_likelier() {
        assert!(ALL.score() > 0.9, "{}", ALL.score());
        let less = [
            Signs {
                anywhere: 0.5,
                ..ALL
            },
            Signs { near: 0.5, ..ALL },
            Signs { said: 2, ..ALL },
            Signs { words: 60, ..ALL },
            Signs { asked: 9, ..ALL },
            Signs {
                is_named: false,
                ..ALL
            },
            Signs {
                meets: false,
                ..ALL
            },
            Signs {
                is_strange: true,
                ..ALL
            },
            Signs { asks: true, ..ALL },
        ];
        for (n, less) in less.iter().enumerate() {
            assert!(less.score() < ALL.score(), "{n}");
        }
        let nothing = Signs {
            anywhere: 0.0,
            near: 0.0,
            said: 0,
            ..ALL
        };
        assert!(nothing.score() < 0.1, "{}", nothing.score());
    }
}
