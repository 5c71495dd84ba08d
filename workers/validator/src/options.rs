//! What may be tuned about validating.

use crate::stage::Error;
use serde::{Deserialize, Serialize};

/// Which checks are made, and how strictly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Confidence below which an answer is flagged: the share of its words that stand in the facts,
    /// 0 to 1. Default 0.2.
    pub low_confidence: f32,
    /// Whether an answer that cites nothing fails. Default true.
    pub citations_required: bool,
    /// Whether every number, date and identifier of an answer has to stand in the facts, the
    /// question or the name of a source. Default true. Answers that compute a sum fail it.
    pub figures_checked: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            low_confidence: 0.2,
            citations_required: true,
            figures_checked: true,
        }
    }
}

impl Options {
    /// Checks that the threshold is one.
    pub fn validate(&self) -> Result<(), Error> {
        if (0.0..=1.0).contains(&self.low_confidence) {
            return Ok(());
        }
        Err(Error::Options(format!(
            "`low_confidence` is {}: want 0 to 1",
            self.low_confidence
        )))
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
        assert!(serde_json::from_str::<Options>(r#"{"confidence": 0.5}"#).is_err());
    }
}
