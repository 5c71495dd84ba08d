//! The options of the planner.

use envelope::limits::BUCKETS_MAX;
use envelope::{Bucket, Role};
use llm::SetupError;
use serde::{Deserialize, Serialize};
use settings::TimeSpan;

/// Limits of the one model call, and of what is taken from its reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Longest time for the call with its retries on other nodes, and never more than a third of what is left to the turn.
    /// Default: that third.
    pub call_timeout: Option<TimeSpan>,
    /// Longest answer. Default 480 tokens, several times what the JSON of a simple question needs; twice as many in the
    /// profile `large`. A follow-up, which is written anew, may take as many more as its question has.
    pub max_tokens: u32,
    /// Most keywords that are taken over. Default 6; the prompt asks for 2 to 4. Twice as many, at most 32, in the profile
    /// `large`.
    pub keywords_max: usize,
    /// Whether a file type or file name that the question does not mention may narrow the search.
    /// Default false: small models like to guess one, and a wrong guess hides the right document
    /// for as long as anything else matches.
    pub unnamed_hints: bool,
    /// Parts of the corpus that hold places, such as `["facilities"]`, at most 16: a question that asks where something
    /// is (route `location_search`) is searched for in them and answered from the passages in one call, and in the whole
    /// corpus when they hold nothing for it, which is told. Every agentic question is given a route then, also one
    /// that is asked alone. Default none: no question takes that route.
    pub location_buckets: Vec<Bucket>,
    /// Whether a question of the profile `small` is planned by rules, and answered from its best passages
    /// (`retriever.read_max`) in one prompt, without a call for the plan and one for each passage; in a dialogue the call that
    /// chooses its route stays. Default: where a language model answers. What the offline reader answers is mapped, and so is
    /// every question of the profile `large`.
    pub read_at_once: Option<bool>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            call_timeout: None,
            max_tokens: 480,
            keywords_max: 6,
            unnamed_hints: false,
            location_buckets: Vec::new(),
            read_at_once: None,
        }
    }
}

impl Options {
    /// Checks that every number can be kept to.
    pub fn validate(&self) -> Result<(), SetupError> {
        let role = Role::Planner;
        let call_timeout = self.call_timeout.map(TimeSpan::duration);
        SetupError::check_json_call(role, call_timeout, self.max_tokens)?;
        SetupError::check_range(role, "keywords_max", self.keywords_max, 1..=32)?;
        let count = self.location_buckets.len();
        if count > BUCKETS_MAX {
            let what =
                format!("`location_buckets` has {count} buckets: want at most {BUCKETS_MAX}");
            return Err(SetupError::Options { role, what });
        }
        Ok(())
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
            (r#"{"keywords_max": 0}"#, "`keywords_max`"),
        ] {
            let options: Options = serde_json::from_str(json).unwrap();
            assert!(options.validate().unwrap_err().to_string().contains(named));
        }
        let many = Options {
            location_buckets: vec![Bucket::new("b").unwrap(); BUCKETS_MAX + 1],
            ..Options::default()
        };
        let error = many.validate().unwrap_err().to_string();
        assert!(error.contains("`location_buckets` has 17"), "{error}");
        let no_name = r#"{"location_buckets": ["a b"]}"#;
        assert!(serde_json::from_str::<Options>(no_name).is_err());
        assert!(serde_json::from_str::<Options>(r#"{"hints": true}"#).is_err());
    }
}
