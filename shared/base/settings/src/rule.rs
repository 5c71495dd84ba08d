//! The rule that a value broke, as a message. The loader adds key, value and origin.

/// A value that its type does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrokenRule {
    /// There is no number in front, or nothing at all.
    #[error("`{text}` must start with a whole number, like `{example}`")]
    NoNumber {
        /// What was given.
        text: String,
        /// Something that would be right.
        example: &'static str,
    },
    /// A number without its unit.
    #[error("`{text}` needs a unit: {units}")]
    NoUnit {
        /// What was given.
        text: String,
        /// The units there are.
        units: &'static str,
    },
    /// An unknown unit.
    #[error("`{text}` has an unknown unit `{unit}`: use {units}")]
    UnknownUnit {
        /// What was given.
        text: String,
        /// Its unit.
        unit: String,
        /// The units there are.
        units: &'static str,
    },
    /// More than the type holds.
    #[error("`{text}` is too large")]
    TooLarge {
        /// What was given.
        text: String,
    },
    /// Outside of what makes sense at this place.
    #[error("`{value}` must be between `{min}` and `{max}`")]
    OutOfRange {
        /// What was given.
        value: String,
        /// The least that is allowed.
        min: String,
        /// The most that is allowed.
        max: String,
    },
    /// A backoff that starts at nothing.
    #[error("`first` must be longer than `0s`")]
    FirstIsZero,
    /// A backoff that shrinks, or is no number.
    #[error("`factor` must be a number of at least 1, not `{factor}`")]
    FactorTooSmall {
        /// What was given.
        factor: String,
    },
    /// A backoff whose end lies before its start.
    #[error("`max` (`{max}`) must not be shorter than `first` (`{first}`)")]
    MaxBelowFirst {
        /// The first delay.
        first: String,
        /// The longest delay.
        max: String,
    },
    /// The mask that stands for a secret, given as the secret.
    #[error("`***` is what a secret is shown as, not a secret")]
    MaskIsNoSecret,
}

/// The value itself when it lies within the range, bounds included.
pub(crate) fn within<T: PartialOrd + std::fmt::Display>(
    value: T,
    min: T,
    max: T,
) -> Result<T, BrokenRule> {
    if value >= min && value <= max {
        return Ok(value);
    }
    Err(BrokenRule::OutOfRange {
        value: value.to_string(),
        min: min.to_string(),
        max: max.to_string(),
    })
}
