//! The options of the reducer.

use envelope::{Profile, Role};
use llm::SetupError;
use serde::{Deserialize, Serialize};
use settings::TimeSpan;

/// The most characters of a prompt's text that an option can allow.
const CHARS_MAX: usize = 40_000;

/// What an answer is composed from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReducerInput {
    /// Passages for a question of the profile `large`, and facts for the others.
    #[default]
    Auto,
    /// What the mappers found in the passages.
    Facts,
    /// The passages that help, with their whole text.
    Passages,
}

impl ReducerInput {
    /// Whether the answer to a question of that profile is composed from passages.
    pub(crate) fn is_passages(self, profile: Profile) -> bool {
        match self {
            ReducerInput::Auto => profile == Profile::Large,
            ReducerInput::Facts => false,
            ReducerInput::Passages => true,
        }
    }
}

/// The gate, the limits of the one model call, and what is done when a model does not follow the form that it is
/// told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Passages that must be said to be relevant before an answer is written; with fewer, another
    /// round is asked for while one is left. Never more than there are passages. Default: by the question, one for a question
    /// of one part, and for a question of several one for each part whose names tell it from the others. A number holds for
    /// every question, whatever its parts.
    pub min_relevant: Option<usize>,
    /// What the model is shown to compose from: `facts` (what the mappers found), `passages` (those that help, themselves),
    /// or `auto`, passages where the question's profile is `large` and facts where it is `small`: a small model loses the
    /// thread in whole passages. Default `auto`. A stricter draft, and one from too little, is composed from facts.
    pub input: ReducerInput,
    /// Longest time for the call with its retries on other nodes, and never more than is left to the turn less an eighth of
    /// its whole time, at most 15 s, to finish an answer without the model. Default: that.
    pub call_timeout: Option<TimeSpan>,
    /// Longest answer. Default 400 tokens.
    pub max_tokens: u32,
    /// Most text of facts shown to the model, in characters. Over it, what a part of the question needs stays first, then the
    /// first facts of every source, those of the best first. Default 12,000, about 3,000 tokens; at most 40,000.
    pub facts_chars_max: usize,
    /// Most text of passages shown to the model where it is shown passages (`input`, simple mode, a broken
    /// stage), in characters. Over it, what a part of the question needs stays first, then the passages that help most.
    /// Default 12,000; at most 40,000.
    pub passages_chars_max: usize,
    /// Least share of a sentence's words that a fact must hold to be cited for it, when the model
    /// cited nothing at all, 0 to 1. Default 0.3.
    pub cite_overlap_min: f32,
    /// Whether the model is asked in a second call what is to be done according to its answer; what it lists is `action_items`
    /// in the event. Default false.
    pub action_items: bool,
    /// Whether the model is asked, where an agentic question is answered from passages in one call, if its draft is right. The
    /// reply is a word, whose probability the node is asked for, and which goes into the confidence; a node that says no
    /// probabilities is taken at its word. Such a draft is written to a prompt without a refusal and without marks: the confidence
    /// refuses, and rules cite. Of questions of the profile `small` alone. Default: where a language model answers.
    pub assess: Option<bool>,
    /// Most facts of an answer that is made without a model. Default 4.
    pub stitched_max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            min_relevant: None,
            input: ReducerInput::Auto,
            call_timeout: None,
            max_tokens: 400,
            facts_chars_max: 12_000,
            passages_chars_max: 12_000,
            cite_overlap_min: 0.3,
            action_items: false,
            assess: None,
            stitched_max: 4,
        }
    }
}

impl Options {
    /// Checks that every number can be kept to.
    pub fn validate(&self) -> Result<(), SetupError> {
        let role = Role::Reducer;
        let wrong = |what| Err(SetupError::Options { role, what });
        if self.call_timeout.is_some_and(TimeSpan::is_zero) {
            return wrong("`call_timeout` is no time at all".into());
        }
        if self.max_tokens < 16 {
            return wrong(format!(
                "`max_tokens` is {}: want at least 16",
                self.max_tokens
            ));
        }
        for (name, chars) in [
            ("facts_chars_max", self.facts_chars_max),
            ("passages_chars_max", self.passages_chars_max),
        ] {
            // With more, a draft with its facts and quotes might not fit one message.
            SetupError::check_range(role, name, chars, 1_000..=CHARS_MAX)?;
        }
        SetupError::check_range(role, "cite_overlap_min", self.cite_overlap_min, 0.0..=1.0)?;
        if self.stitched_max == 0 {
            return wrong("`stitched_max` is 0: want at least 1".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_chooses_the_input_unless_it_is_set() {
        for (input, small, large) in [
            (ReducerInput::Auto, false, true),
            (ReducerInput::Facts, false, false),
            (ReducerInput::Passages, true, true),
        ] {
            let of = |profile| input.is_passages(profile);
            assert_eq!((of(Profile::Small), of(Profile::Large)), (small, large));
        }
    }

    #[test]
    fn defaults_are_valid_and_nonsense_is_named() {
        assert!(Options::default().validate().is_ok());
        for (json, named) in [
            (r#"{"call_timeout": "0s"}"#, "`call_timeout`"),
            (r#"{"max_tokens": 8}"#, "`max_tokens`"),
            (r#"{"facts_chars_max": 10}"#, "`facts_chars_max`"),
            (r#"{"passages_chars_max": 1000000}"#, "`passages_chars_max`"),
            (r#"{"cite_overlap_min": 2}"#, "`cite_overlap_min`"),
            (r#"{"stitched_max": 0}"#, "`stitched_max`"),
        ] {
            let options: Options = serde_json::from_str(json).unwrap();
            let error = options.validate().unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
        assert!(serde_json::from_str::<Options>(r#"{"min": 3}"#).is_err());
    }
}
