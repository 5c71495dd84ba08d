//! What may be tuned about mapping.

use crate::stage::Error;
use serde::{Deserialize, Serialize};
use settings::Span;

/// Limits of the one call and of what is taken from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Longest time for the call with its retries on other nodes; the turn's deadline may cut it
    /// shorter. Default `20s`.
    pub call_timeout: Span,
    /// Longest answer. Default 256 tokens: a handful of facts; small models that lose the thread
    /// would fill any more with repetitions.
    pub max_tokens: u32,
    /// Least share of a fact's words that must stand in the passage, 0 to 1; a fact below it is
    /// dropped as made up. Default 0.3, which lets paraphrases and translations with their names
    /// and numbers pass. 0 drops nothing.
    pub fact_support_min: f32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            call_timeout: Span::from_secs(20),
            max_tokens: 256,
            fact_support_min: 0.3,
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
        if !(0.0..=1.0).contains(&self.fact_support_min) {
            return Err(Error::Options(format!(
                "`fact_support_min` is {}: want 0 to 1",
                self.fact_support_min
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
            (r#"{"fact_support_min": 1.5}"#, "`fact_support_min`"),
        ] {
            let options: Options = serde_json::from_str(json).unwrap();
            assert!(options.validate().unwrap_err().to_string().contains(named));
        }
        assert!(serde_json::from_str::<Options>(r#"{"tokens": 8}"#).is_err());
    }
}
