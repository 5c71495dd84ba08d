//! The context of a stage: the facts about the delivery that it works on.

use crate::live::Live;
use envelope::fanout::soft_deadline;
use envelope::{Case, Header, Role, UnixMs};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use time::OffsetDateTime;

/// The part of the whole time of a turn that is kept for finishing what a call was for, up to a fixed maximum.
const RESERVE_PART: u64 = 8;
const RESERVE_MAX: Duration = Duration::from_secs(15);

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

    /// How long a call of this role to a model may take, which is what the turn can spare for it: `most` where that is set
    /// and less. A model that is slow takes its time, and a step after it still has some.
    ///
    /// | role | part of what is left |
    /// |---|---|
    /// | planner | a third: the search, the maps and the answer come after it |
    /// | mapper | until the answer is begun with what is there (70 % of the time), at least half |
    /// | reducer | all but the reserve to finish an answer from what was read if the call fails |
    /// | others | half: what is there already has to be brought out, whatever comes of the call |
    pub fn time_to_call(&self, role: Role, most: Option<impl Into<Duration>>) -> Duration {
        let answer = soft_deadline(&self.header).until(self.header.deadline);
        let answer = Duration::from_millis(answer);
        let spare = spare(role, self.time_left(), answer, self.reserve());
        most.map_or(spare, |most| spare.min(most.into()))
    }

    /// The time that is kept for finishing an answer.
    pub fn reserve(&self) -> Duration {
        let whole = self.header.asked_at.until(self.header.deadline);
        Duration::from_millis(whole / RESERVE_PART).min(RESERVE_MAX)
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

/// What a call may take of what is left, of which `answer` is for the steps after the soft deadline.
fn spare(role: Role, left: Duration, answer: Duration, reserve: Duration) -> Duration {
    match role {
        Role::Planner => left / 3,
        Role::Mapper => left.saturating_sub(answer).max(left / 2),
        Role::Reducer => left - reserve.min(left / 2),
        _ => left / 2,
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

    /// Of turns of 60 s and of 300 s, in seconds: what is left, is for the answer, and is in reserve; what a planner, a
    /// mapper, a reducer and a validator may take of it.
    #[test]
    fn every_call_leaves_time_for_the_steps_after_it() {
        for (left, answer, reserve, wanted) in [
            (60, 18, 7, [20, 42, 53, 30]),
            (300, 90, 15, [100, 210, 285, 150]),
            (120, 90, 15, [40, 60, 105, 60]),
            (20, 90, 15, [6, 10, 10, 10]),
            (0, 90, 15, [0, 0, 0, 0]),
        ] {
            let [left, answer, reserve] = [left, answer, reserve].map(Duration::from_secs);
            let roles = [Role::Planner, Role::Mapper, Role::Reducer, Role::Validator];
            let spare = roles.map(|role| spare(role, left, answer, reserve).as_secs());
            assert_eq!(spare, wanted, "{left:?}");
        }
    }

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
