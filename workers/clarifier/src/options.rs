//! The options of the clarifier.

use envelope::Role;
use llm::SetupError;
use serde::{Deserialize, Serialize};
use settings::TimeSpan;

/// Limits of the one model call, and of what is taken from its reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Longest time for the call with its retries on other nodes, and never more than half of what is left to the turn.
    /// Default: that half.
    pub call_timeout: Option<TimeSpan>,
    /// Longest answer. Default 160 tokens.
    pub max_tokens: u32,
    /// Most suggested replies. Default 4; 0 suggests none.
    pub options_max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            call_timeout: None,
            max_tokens: 160,
            options_max: 4,
        }
    }
}

impl Options {
    /// Checks that every number can be kept to.
    pub fn validate(&self) -> Result<(), SetupError> {
        let role = Role::Clarifier;
        let call_timeout = self.call_timeout.map(TimeSpan::duration);
        SetupError::check_json_call(role, call_timeout, self.max_tokens)?;
        let most = self.options_max;
        if most > 16 {
            let what = format!("`options_max` is {most}: want at most 16");
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
            (r#"{"options_max": 99}"#, "`options_max`"),
        ] {
            let options: Options = serde_json::from_str(json).unwrap();
            assert!(options.validate().unwrap_err().to_string().contains(named));
        }
        assert!(serde_json::from_str::<Options>(r#"{"options": 3}"#).is_err());
    }
}
