//! Overrides the model or the prompts for the model calls of one turn, to find out what the answer would have been.
//!
//! The overrides are in the case, so every step of the turn gets them and no process has to be restarted. A question
//! may name a model among those that the fleet offers. A question can *not* bring prompts: only a replay of a
//! recorded step can. A worker of a release that does not know the field drops it.

use crate::limits::{MODEL_NAME_BYTES_MAX, PROMPT_BYTES_MAX};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The model and prompts that the calls of a turn use instead of those that their process is configured with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overrides {
    /// The model that the nodes are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Texts of prompts, by the name of the prompt.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prompts: BTreeMap<String, String>,
}

/// Why overrides are refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverrideError {
    /// The name of the model is empty or too long.
    #[error("a model's name has 1 to {MODEL_NAME_BYTES_MAX} bytes")]
    Model,
    /// The prompts are too long.
    #[error("the prompts have {bytes} bytes, the limit is {PROMPT_BYTES_MAX}")]
    Prompts {
        /// How much it is.
        bytes: usize,
    },
}

impl Overrides {
    /// True when nothing is overridden.
    pub fn is_empty(&self) -> bool {
        *self == Overrides::default()
    }

    /// Whether they fit into every step.
    ///
    /// # Errors
    /// When a name is empty or something is over its limit.
    pub fn check(&self) -> Result<(), OverrideError> {
        let fits = |name: &String| (1..=MODEL_NAME_BYTES_MAX).contains(&name.len());
        if self.model.as_ref().is_some_and(|name| !fits(name)) {
            return Err(OverrideError::Model);
        }
        let bytes = self.prompts.values().map(String::len).sum();
        match bytes > PROMPT_BYTES_MAX {
            true => Err(OverrideError::Prompts { bytes }),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_refused_by_name() {
        assert_eq!(Overrides::default().check(), Ok(()));
        let model = |name: &str| Overrides {
            model: Some(name.into()),
            ..Overrides::default()
        };
        assert_eq!(model("large").check(), Ok(()));
        assert_eq!(model("").check(), Err(OverrideError::Model));
        let prompts = [("reducer".into(), "x".repeat(PROMPT_BYTES_MAX + 1))].into();
        let (model, bytes) = (None, PROMPT_BYTES_MAX + 1);
        assert_eq!(
            Overrides { model, prompts }.check(),
            Err(OverrideError::Prompts { bytes })
        );
    }
}
