//! The mode that a question asks for, and the mode that the gateway chooses if the question leaves it open.
//!
//! These are two types on purpose: after hop 0 there is always a [`Mode`], and no worker has to handle an open
//! choice. *Not* here: the rules by which the gateway decides.

use crate::message::Mode;
use serde::{Deserialize, Serialize};
use std::fmt;

words! {
    /// What a question, or the configuration of a gateway, says about the mode.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub enum ModeChoice {
        /// Every stage.
        #[default]
        Agentic = "agentic",
        /// Retrieve and one call.
        Simple = "simple",
        /// The gateway decides by rules, without a model: simple where one search can be expected to do, agentic elsewhere.
        Auto = "auto",
        /// A large model acts step by step; refused in the profile `small`.
        Loop = "loop",
    }
}

impl ModeChoice {
    /// The mode that is named; `None` if the gateway is to decide.
    pub const fn named(self) -> Option<Mode> {
        match self {
            ModeChoice::Agentic => Some(Mode::Agentic),
            ModeChoice::Simple => Some(Mode::Simple),
            ModeChoice::Loop => Some(Mode::Loop),
            ModeChoice::Auto => None,
        }
    }
}

/// The mode that the gateway chose for a question that left it open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AutoMode {
    /// The mode.
    pub mode: Mode,
    /// Why, in a word.
    pub reason: String,
}

impl fmt::Display for AutoMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mode auto: {} ({})", self.mode.as_str(), self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_the_wire() {
        let all = [
            ModeChoice::Agentic,
            ModeChoice::Simple,
            ModeChoice::Auto,
            ModeChoice::Loop,
        ];
        for (choice, word) in all.into_iter().zip(ModeChoice::WORDS) {
            assert_eq!(serde_json::json!(choice), word);
            let mode = choice.named().map(|mode| serde_json::json!(mode));
            assert_eq!(mode, (word != "auto").then(|| serde_json::json!(word)));
        }
    }
}
