//! The error of setting up a worker, shared by all workers that take steps. *Not* the error of a step.

use crate::prompt::PromptError;
use envelope::Role;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

/// Least `max_tokens` of an answer that is JSON.
const JSON_TOKENS_MIN: u32 = 32;

/// Why a worker cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// Options with values that are not allowed.
    #[error("{role} options: {what}")]
    Options {
        /// The role with these options.
        role: Role,
        /// The option, its value, and what is allowed.
        what: String,
    },
    /// A prompt that cannot be used.
    #[error(transparent)]
    Prompt(#[from] PromptError),
}

impl SetupError {
    /// Checks whether these options allow a call that is answered in JSON.
    ///
    /// # Errors
    /// When it has no time, or its answer no room.
    pub fn check_json_call(
        role: Role,
        call_timeout: Option<Duration>,
        max_tokens: u32,
    ) -> Result<(), SetupError> {
        if call_timeout.is_some_and(|most| most.is_zero()) {
            let what = "`call_timeout` is no time at all".into();
            return Err(SetupError::Options { role, what });
        }
        if max_tokens < JSON_TOKENS_MIN {
            let what = format!(
                "`max_tokens` is {max_tokens}: want at least {JSON_TOKENS_MIN}, or the JSON is cut off"
            );
            return Err(SetupError::Options { role, what });
        }
        Ok(())
    }

    /// Checks whether an option has a value of a range.
    ///
    /// # Errors
    /// When it is outside.
    pub fn check_range<T: PartialOrd + Display>(
        role: Role,
        name: &str,
        value: T,
        range: RangeInclusive<T>,
    ) -> Result<(), SetupError> {
        if range.contains(&value) {
            return Ok(());
        }
        let what = format!(
            "`{name}` is {value}: want {} to {}",
            range.start(),
            range.end()
        );
        Err(SetupError::Options { role, what })
    }
}
