//! Filler text of a random length, in the shape that the mapper reads. Pure.

use crate::request::{PromptText, TOKEN_BYTES};
use fastrand::Rng;

/// The range of the lengths of answers, in tokens; every length in the range is equally likely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    /// The shortest. Default 20; less than 12 counts as 12, the shortest that is JSON.
    pub min: u32,
    /// The longest. Default 100.
    pub max: u32,
}

const SHORTEST: u32 = 12;
const HEAD: &str = r#"{"relevant":true,"facts":[""#;
const FILLER: &str = "The notice period is 90 days. ";
const TAIL: &str = r#""]}"#;

impl Default for Lengths {
    fn default() -> Self {
        Lengths { min: 20, max: 100 }
    }
}

impl Lengths {
    /// The mean.
    pub fn mean(self) -> f64 {
        let (min, max) = self.bounds();
        f64::from(min + max) / 2.0
    }

    /// The answer to a prompt: the same one at every node with the same `seed`.
    pub fn answer(self, seed: u64, prompt: &PromptText) -> String {
        let (min, max) = self.bounds();
        let drawn = Rng::with_seed(seed ^ prompt.hash).u32(min..=max);
        let bytes = drawn as usize * TOKEN_BYTES;
        let mut text = String::with_capacity(bytes);
        text.push_str(HEAD);
        let filler = bytes - HEAD.len() - TAIL.len();
        text.extend(FILLER.chars().cycle().take(filler));
        text.push_str(TAIL);
        text
    }

    fn bounds(self) -> (u32, u32) {
        let min = self.min.max(SHORTEST);
        (min, self.max.max(min))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::tokens;

    fn prompt(hash: u64) -> PromptText {
        PromptText {
            system: String::new(),
            user: String::new(),
            tokens: 1,
            hash,
        }
    }

    #[test]
    fn a_prompt_has_one_answer_and_it_is_json() {
        let lengths = Lengths::default();
        for hash in 0..200 {
            let answer = lengths.answer(7, &prompt(hash));
            assert_eq!(answer, lengths.answer(7, &prompt(hash)));
            let json: serde_json::Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(json["relevant"], true);
            assert!((20..=100).contains(&tokens(answer.len())));
        }
    }

    #[test]
    fn lengths_are_drawn_around_the_mean() {
        let lengths = Lengths::default();
        let sum: u32 = (0..2_000)
            .map(|hash| tokens(lengths.answer(1, &prompt(hash)).len()))
            .sum();
        let mean = f64::from(sum) / 2_000.0;
        assert!((mean - lengths.mean()).abs() < 2.0, "{mean}");
        let none = Lengths { min: 0, max: 0 };
        assert_eq!(tokens(none.answer(1, &prompt(1)).len()), 12);
    }
}
