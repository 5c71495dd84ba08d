//! The options of the mapper.

use envelope::Role;
use llm::SetupError;
use serde::{Deserialize, Serialize};
use settings::TimeSpan;

/// Limits of the one model call, and of what is taken from its reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Longest time for the call with its retries on other nodes, and never more than there is until the answer is begun with
    /// what was read (70 % of the time), or half of what is left to the turn. Default: that.
    pub call_timeout: Option<TimeSpan>,
    /// Longest answer. Default 256 tokens: a handful of facts; small models that lose the thread
    /// would fill any more with repetitions.
    pub max_tokens: u32,
    /// Grade above which a passage counts as relevant, 0 to below 1. Default 0.7, so that a passage that is only about
    /// the same thing does not.
    pub relevant_above: f32,
    /// Least share of a reworded fact's words that must stand in one to three sentences of the passage, 0 to 1; its figures
    /// must stand there as well. A fact below it is dropped as made up, as is one that only the prompt says. Default 0.5:
    /// of sentences of answers to other passages, 0.3 % pass it, of those that reword their own passages 69 to 78 %
    /// (RAGTruth, questions and summaries; facts reword less). 0 drops nothing.
    pub fact_support_min: f32,
    /// Most passages of a search that one step maps, 1 to 64, with as many calls at once as `run.slots` allows; of a search with more, each passage
    /// has a step of its own. A step with several needs half as many messages for a question, and its process has all of
    /// them; with 1, passages are spread over mappers one by one. Read by retrievers. Default 8.
    pub batch: u16,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            call_timeout: None,
            max_tokens: 256,
            relevant_above: 0.7,
            fact_support_min: 0.5,
            batch: 8,
        }
    }
}

impl Options {
    /// Checks that every number can be kept to.
    pub fn validate(&self) -> Result<(), SetupError> {
        let role = Role::Mapper;
        let call_timeout = self.call_timeout.map(TimeSpan::duration);
        SetupError::check_json_call(role, call_timeout, self.max_tokens)?;
        let above = self.relevant_above;
        if !(0.0..1.0).contains(&above) {
            let what =
                format!("`relevant_above` is {above}: want 0 to below 1, or no grade is above it");
            return Err(SetupError::Options { role, what });
        }
        if !(1..=64).contains(&self.batch) {
            let what = format!("`batch` is {}: want 1 to 64", self.batch);
            return Err(SetupError::Options { role, what });
        }
        SetupError::check_range(role, "fact_support_min", self.fact_support_min, 0.0..=1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid_and_nonsense_is_named() {
        assert!(Options::default().validate().is_ok());
        for (json, named) in [
            (r#"{"call_timeout": "0s"}"#, "`call_timeout`"),
            (r#"{"max_tokens": 8}"#, "`max_tokens`"),
            (r#"{"relevant_above": 1}"#, "`relevant_above`"),
            (r#"{"fact_support_min": 1.5}"#, "`fact_support_min`"),
            (r#"{"batch": 0}"#, "`batch`"),
        ] {
            let options: Options = serde_json::from_str(json).unwrap();
            assert!(options.validate().unwrap_err().to_string().contains(named));
        }
        assert!(serde_json::from_str::<Options>(r#"{"tokens": 8}"#).is_err());
    }
}
