//! The context of a stage: the facts about the delivery that it works on.

use crate::live::Live;
use envelope::{Case, Header, UnixMs};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use time::OffsetDateTime;

/// The facts that a stage knows about its step.
#[derive(Debug, Clone)]
pub struct StepContext {
    /// Identity, place and time of the step.
    pub header: Header,
    /// What every stage of the turn may read.
    pub case: Case,
    /// Which delivery this is, from 1.
    pub attempt: u16,
    /// When the work on it began.
    pub started_at: UnixMs,
    /// When this attempt began; later than `started_at` if an earlier attempt was put off because the model was
    /// overloaded.
    pub now: UnixMs,
    /// The current time.
    pub clock: StepClock,
    /// Seed of the randomness of this step: the same for every delivery of it.
    pub seed: u64,
    /// The live sink of the step; it is off unless the publisher of the question asked for live text.
    pub live: Live,
}

impl StepContext {
    /// The time left until the deadline of the turn; it shrinks from call to call.
    pub fn time_left(&self) -> Duration {
        let now = self.now.max(self.clock.now());
        Duration::from_millis(now.until(self.header.deadline))
    }

    /// The day on which this attempt began, in UTC, as `2026-03-05 (Thursday)`: for prompts that read dates.
    pub fn today(&self) -> String {
        day_of(self.now)
    }

    /// A generator that draws the same numbers at every delivery of this step.
    pub fn rng(&self) -> fastrand::Rng {
        fastrand::Rng::with_seed(self.seed)
    }
}

/// A clock that is read during a step. Without a source of time it always returns the same time.
#[derive(Clone, Default)]
pub struct StepClock(Option<Arc<dyn Fn() -> UnixMs + Send + Sync>>);

impl StepClock {
    /// A clock that returns the time of `now`.
    pub fn new(now: impl Fn() -> UnixMs + Send + Sync + 'static) -> StepClock {
        StepClock(Some(Arc::new(now)))
    }

    fn now(&self) -> UnixMs {
        self.0.as_ref().map_or(UnixMs(0), |now| now())
    }
}

impl fmt::Debug for StepClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "StepClock"
        } else {
            "StepClock (stands still)"
        })
    }
}

/// The day of a time, in UTC; that of the epoch where the calendar ends before.
fn day_of(time: UnixMs) -> String {
    let seconds = i64::try_from(time.0 / 1_000).unwrap_or_default();
    let moment = OffsetDateTime::from_unix_timestamp(seconds);
    let day = moment.unwrap_or(OffsetDateTime::UNIX_EPOCH).date();
    format!("{day} ({})", day.weekday())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_and_beyond_the_calendar_there_is_one_too() {
        for (time, day) in [
            (0, "1970-01-01 (Thursday)"),
            (1_709_164_799_999, "2024-02-28 (Wednesday)"),
            (1_709_164_800_000, "2024-02-29 (Thursday)"),
            (u64::MAX, "1970-01-01 (Thursday)"),
        ] {
            assert_eq!(day_of(UnixMs(time)), day, "{time}");
        }
    }
}
