//! The options of the validator.

use crate::policy::{ContradictedPolicy, UnsupportedPolicy};
use envelope::Role;
use llm::SetupError;
use serde::{Deserialize, Serialize};
use settings::TimeSpan;

/// Which checks are made, and how strictly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Overlap below which an answer is flagged as of low confidence: the share of its words that stand in the facts,
    /// 0 to 1. Default 0.2.
    pub low_confidence: f32,
    /// Confidence below which an answer is flagged that its own model has assessed (`reducer.assess`), 0 to 1: there the
    /// confidence says how likely the answer is right. Default 0.5: of 168 answers of a 1.5B model 75 were above it, and 56 of
    /// them right (docs/answers.md).
    pub low_likely: f32,
    /// Confidence below which such an answer is withheld: the user is told that the documents do not say, 0 to 1. Default 0.3:
    /// of 168 answers it withholds 8 of 79 that are right, and 33 of 48 to questions that cannot be answered
    /// (docs/answers.md). 0 for never.
    pub withheld_below: f32,
    /// Whether an answer that cites nothing fails. Default true.
    pub citations_required: bool,
    /// Whether every number, date and identifier of an answer has to stand in the facts, the
    /// question or the name of a source. Default true. Answers that compute a sum fail it.
    pub figures_checked: bool,
    /// What is done with sentences that the cited sources do not say: `mark` them in the event, `cut` them out, or `refuse`
    /// the answer after one stricter draft. Default `mark`: of what is flagged, much is true (docs/trust.md).
    pub unsupported: UnsupportedPolicy,
    /// What is done with sentences that a cited source denies: `mark` them in the event, `cut` them out, or `retry` once
    /// with a stricter draft, and then mark them. Default `retry`.
    pub contradicted: ContradictedPolicy,
    /// Longest time for the call of the model that judges (`model_of.validator`), with its retries on other nodes, and never
    /// more than half of what is left to the turn. Default: that half.
    pub call_timeout: Option<TimeSpan>,
    /// Longest judgement. Default 160 tokens: two words and a sentence.
    pub max_tokens: u32,
    /// Most text of passages that is shown to the model that judges, in characters; with more, each is cut to its share.
    /// Default 12,000, about 3,000 tokens; at most 40,000.
    pub judge_chars_max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            low_confidence: 0.2,
            low_likely: 0.5,
            withheld_below: 0.3,
            citations_required: true,
            figures_checked: true,
            unsupported: UnsupportedPolicy::default(),
            contradicted: ContradictedPolicy::default(),
            call_timeout: None,
            max_tokens: 160,
            judge_chars_max: 12_000,
        }
    }
}

impl Options {
    /// Checks that every number can be kept to.
    pub fn validate(&self) -> Result<(), SetupError> {
        let role = Role::Validator;
        for (name, share) in [
            ("low_confidence", self.low_confidence),
            ("low_likely", self.low_likely),
            ("withheld_below", self.withheld_below),
        ] {
            SetupError::check_range(role, name, share, 0.0..=1.0)?;
        }
        let call_timeout = self.call_timeout.map(TimeSpan::duration);
        SetupError::check_json_call(role, call_timeout, self.max_tokens)?;
        SetupError::check_range(role, "judge_chars_max", self.judge_chars_max, 500..=40_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid_and_nonsense_is_named() {
        assert!(Options::default().validate().is_ok());
        for low_confidence in [-0.1, 1.1, f32::NAN] {
            let options = Options {
                low_confidence,
                ..Options::default()
            };
            let error = options.validate().unwrap_err().to_string();
            assert!(error.contains("`low_confidence`"), "{error}");
        }
        for (json, named) in [
            (r#"{"low_likely": 2}"#, "`low_likely`"),
            (r#"{"withheld_below": -1}"#, "`withheld_below`"),
            (r#"{"call_timeout": "0s"}"#, "`call_timeout`"),
            (r#"{"max_tokens": 8}"#, "`max_tokens`"),
            (r#"{"judge_chars_max": 0}"#, "`judge_chars_max`"),
        ] {
            let options: Options = serde_json::from_str(json).unwrap();
            assert!(options.validate().unwrap_err().to_string().contains(named));
        }
        assert!(serde_json::from_str::<Options>(r#"{"confidence": 0.5}"#).is_err());
    }
}
