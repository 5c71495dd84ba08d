//! Growing delays with full jitter, as they are configured. *Not* here: drawing one and waiting for it; the retry loop
//! does.

use serde::{Deserialize, Serialize};

use crate::rule::BrokenRule;
use crate::time_span::TimeSpan;

/// How long to wait between tries: a ceiling that starts at `first`, is multiplied by `factor` after
/// each try and never exceeds `max`; the delay is drawn evenly from zero to that ceiling.
///
/// Default: 200 ms, factor 2, at most 10 s.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Backoff {
    first: TimeSpan,
    factor: f64,
    max: TimeSpan,
}

/// What is read before the rules are checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    first: TimeSpan,
    factor: f64,
    max: TimeSpan,
}

impl Backoff {
    /// Checks that the first delay is longer than nothing, the factor at least 1, and the longest
    /// delay not shorter than the first.
    ///
    /// # Errors
    /// [`BrokenRule`] names which of the three is broken.
    pub fn new(first: TimeSpan, factor: f64, max: TimeSpan) -> Result<Self, BrokenRule> {
        if first.is_zero() {
            return Err(BrokenRule::FirstIsZero);
        }
        if !factor.is_finite() || factor < 1.0 {
            return Err(BrokenRule::FactorTooSmall {
                factor: factor.to_string(),
            });
        }
        if max < first {
            return Err(BrokenRule::MaxBelowFirst {
                first: first.to_string(),
                max: max.to_string(),
            });
        }
        Ok(Self { first, factor, max })
    }

    /// The ceiling of the first delay.
    pub fn first(&self) -> TimeSpan {
        self.first
    }

    /// By how much the ceiling grows after each try.
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// The ceiling that is never exceeded.
    pub fn max(&self) -> TimeSpan {
        self.max
    }
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            first: TimeSpan::from_millis(200),
            factor: 2.0,
            max: TimeSpan::from_secs(10),
        }
    }
}

impl TryFrom<Unchecked> for Backoff {
    type Error = BrokenRule;

    fn try_from(raw: Unchecked) -> Result<Self, Self::Error> {
        Self::new(raw.first, raw.factor, raw.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_backoff() -> impl Strategy<Value = Backoff> {
        (1u64..60_000, 1.0f64..10.0, 0u64..3_600_000).prop_map(|(first, factor, more)| {
            Backoff::new(
                TimeSpan::from_millis(first),
                factor,
                TimeSpan::from_millis(first + more),
            )
            .unwrap()
        })
    }

    #[test]
    fn names_the_broken_rule() {
        let error = |first, factor, max| {
            Backoff::new(
                TimeSpan::from_millis(first),
                factor,
                TimeSpan::from_millis(max),
            )
            .unwrap_err()
            .to_string()
        };
        assert_eq!(error(0, 2.0, 10), "`first` must be longer than `0s`");
        assert_eq!(
            error(1, 0.5, 10),
            "`factor` must be a number of at least 1, not `0.5`"
        );
        assert_eq!(
            error(1, f64::NAN, 10),
            "`factor` must be a number of at least 1, not `NaN`"
        );
        assert_eq!(
            error(2_000, 2.0, 500),
            "`max` (`500ms`) must not be shorter than `first` (`2s`)"
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(backoff in any_backoff()) {
            let json = serde_json::to_value(backoff).unwrap();
            prop_assert_eq!(serde_json::from_value::<Backoff>(json).unwrap(), backoff);
        }
    }
}
