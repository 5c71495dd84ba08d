//! What may be tuned about planning.

use crate::stage::Error;
use serde::{Deserialize, Serialize};
use settings::Span;

/// Limits of the one call and of what is taken from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Longest time for the call with its retries on other nodes; the turn's deadline may cut it
    /// shorter. Default `15s`.
    pub call_timeout: Span,
    /// Longest answer. Default 320 tokens, several times what the JSON of a simple question needs. A follow-up,
    /// which is written anew, may take as many more as its question has.
    pub max_tokens: u32,
    /// Most keywords that are taken over. Default 6; the prompt asks for 2 to 4.
    pub keywords_max: usize,
    /// Whether a file type or file name that the question does not mention may narrow the search.
    /// Default false: small models like to guess one, and a wrong guess hides the right document
    /// for as long as anything else matches.
    pub unnamed_hints: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            call_timeout: Span::from_secs(15),
            max_tokens: 320,
            keywords_max: 6,
            unnamed_hints: false,
        }
    }
}

impl Options {
    /// Checks that every number can be kept to.
    pub fn validate(&self) -> Result<(), Error> {
        if self.call_timeout.is_zero() {
            return Err(Error::Options("`call_timeout` is no time at all".into()));
        }
        if self.max_tokens < 32 {
            return Err(Error::Options(format!(
                "`max_tokens` is {}: want at least 32, or the JSON is cut off",
                self.max_tokens
            )));
        }
        if !(1..=32).contains(&self.keywords_max) {
            return Err(Error::Options(format!(
                "`keywords_max` is {}: want 1 to 32",
                self.keywords_max
            )));
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
        assert!(serde_json::from_str::<Options>(r#"{"hints": true}"#).is_err());
    }
}
