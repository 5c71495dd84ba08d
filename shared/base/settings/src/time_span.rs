//! A length of time as people write it: a whole number and a unit. Resolution is one millisecond. Not a calendar:
//! there are no months, and no sums such as `1h30m` (write `90m`).

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::rule::{BrokenRule, within};
use crate::units::Units;

const UNITS: Units = Units {
    names: "ms, s, m, h or d",
    example: "30s",
    nothing: "0s",
    sizes: [
        ("d", 86_400_000),
        ("h", 3_600_000),
        ("m", 60_000),
        ("s", 1_000),
        ("ms", 1),
    ],
};

/// A length of time, in whole milliseconds: read from `250ms`, `30s`, `5m`, `2h` or `7d`, and shown
/// in the largest unit that divides it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeSpan {
    millis: u64,
}

impl TimeSpan {
    /// No time at all.
    pub const ZERO: TimeSpan = TimeSpan::from_millis(0);

    /// So many milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self { millis }
    }

    /// So many seconds; saturates after 584 million years.
    pub const fn from_secs(secs: u64) -> Self {
        Self::from_millis(secs.saturating_mul(1_000))
    }

    /// So many minutes; saturates like seconds.
    pub const fn from_mins(mins: u64) -> Self {
        Self::from_millis(mins.saturating_mul(60_000))
    }

    /// So many hours; saturates like seconds.
    pub const fn from_hours(hours: u64) -> Self {
        Self::from_millis(hours.saturating_mul(3_600_000))
    }

    /// The same as a std duration.
    pub const fn duration(self) -> Duration {
        Duration::from_millis(self.millis)
    }

    /// In whole milliseconds.
    pub const fn as_millis(self) -> u64 {
        self.millis
    }

    /// In seconds, fractions included.
    pub fn as_secs_f64(self) -> f64 {
        self.duration().as_secs_f64()
    }

    /// Whether it is no time at all.
    pub const fn is_zero(self) -> bool {
        self.millis == 0
    }

    /// The span itself when it lies within the bounds, which are included.
    ///
    /// # Errors
    /// [`BrokenRule::OutOfRange`] names both bounds.
    pub fn within(self, min: TimeSpan, max: TimeSpan) -> Result<TimeSpan, BrokenRule> {
        within(self, min, max)
    }
}

impl From<TimeSpan> for Duration {
    fn from(span: TimeSpan) -> Self {
        span.duration()
    }
}

impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        UNITS.write(self.millis, f)
    }
}

impl FromStr for TimeSpan {
    type Err = BrokenRule;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        UNITS.read(text).map(Self::from_millis)
    }
}

impl Serialize for TimeSpan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TimeSpan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shows_the_largest_unit_that_divides() {
        let shown = |millis| TimeSpan::from_millis(millis).to_string();
        assert_eq!(shown(0), "0s");
        assert_eq!(shown(250), "250ms");
        assert_eq!(shown(30_000), "30s");
        assert_eq!(shown(90_000), "90s");
        assert_eq!(shown(300_000), "5m");
        assert_eq!(shown(7_200_000), "2h");
        assert_eq!(shown(7 * 86_400_000), "7d");
    }

    #[test]
    fn names_the_broken_rule() {
        let error = |text: &str| text.parse::<TimeSpan>().unwrap_err().to_string();
        assert_eq!(error("30"), "`30` needs a unit: ms, s, m, h or d");
        assert_eq!(
            error("30sec"),
            "`30sec` has an unknown unit `sec`: use ms, s, m, h or d"
        );
        assert_eq!(
            error("soon"),
            "`soon` must start with a whole number, like `30s`"
        );
        assert_eq!(
            error("1.5s"),
            "`1.5s` must start with a whole number, like `30s`"
        );
        assert_eq!(
            error("18446744073709551615d"),
            "`18446744073709551615d` is too large"
        );
        let range = TimeSpan::from_secs(9).within(TimeSpan::from_secs(1), TimeSpan::from_secs(5));
        assert_eq!(
            range.unwrap_err().to_string(),
            "`9s` must be between `1s` and `5s`"
        );
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(millis in any::<u64>()) {
            let span = TimeSpan::from_millis(millis);
            prop_assert_eq!(span.to_string().parse::<TimeSpan>(), Ok(span));
        }

        #[test]
        fn no_text_panics(text in ".{0,24}") {
            let _ = text.parse::<TimeSpan>();
        }
    }
}
