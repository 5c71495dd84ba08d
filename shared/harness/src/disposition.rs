//! What is done about a failure: class and number of deliveries, to a disposition. A pure table.

use envelope::{Class, UnixMs};
use std::time::Duration;

/// What is done with a message whose step failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// Deliver it again after this time.
    Retry(Duration),
    /// Keep it, tell the server so, pull nothing, and try again after this time.
    Hold(Duration),
    /// Give it up: its default or `failed`, a dead letter, ack.
    GiveUp,
}

/// First and longest delay of a redelivery.
const RETRY_FIRST: Duration = Duration::from_millis(250);
const RETRY_MAX: Duration = Duration::from_secs(15);
/// How long a held message waits when nobody said how long.
const HOLD: Duration = Duration::from_millis(500);
const HOLD_MAX: Duration = Duration::from_secs(10);

/// The table. `delivered` counts from 1, `limit` is the last delivery that is worked on, `random`
/// is in 0..1 (full jitter: the fleet must not come back as one).
pub fn dispose(
    class: Class,
    delivered: u64,
    limit: u64,
    retry_after: Option<Duration>,
    random: f64,
) -> Disposition {
    match class {
        Class::Transient if delivered >= limit => Disposition::GiveUp,
        Class::Transient => Disposition::Retry(match retry_after {
            Some(asked) => asked.min(RETRY_MAX * 4),
            None => backoff(delivered, random),
        }),
        Class::Overloaded => Disposition::Hold(retry_after.unwrap_or(HOLD).min(HOLD_MAX)),
        Class::TooLarge | Class::Permanent | Class::Bug => Disposition::GiveUp,
    }
}

/// Exponential with full jitter, never below a twentieth of a second: a bare nak burns deliveries.
fn backoff(delivered: u64, random: f64) -> Duration {
    let doublings = u32::try_from(delivered.saturating_sub(1))
        .unwrap_or(u32::MAX)
        .min(10);
    let ceiling = (RETRY_FIRST * 2u32.pow(doublings)).min(RETRY_MAX);
    ceiling
        .mul_f64(random.clamp(0.0, 1.0))
        .max(Duration::from_millis(50))
}

/// How long a step of a newer wire version waits for a worker that can read it.
pub fn newer_wire_delay(now: UnixMs, deadline: Option<UnixMs>) -> Duration {
    let left = deadline.map_or(0, |deadline| now.until(deadline));
    Duration::from_millis((left / 4).max(10_000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_table() {
        let at = |class, delivered| dispose(class, delivered, 8, None, 1.0);
        assert_eq!(
            at(Class::Transient, 1),
            Disposition::Retry(Duration::from_millis(250))
        );
        assert_eq!(
            at(Class::Transient, 4),
            Disposition::Retry(Duration::from_secs(2))
        );
        assert_eq!(
            at(Class::Transient, 7),
            Disposition::Retry(Duration::from_secs(15))
        );
        assert_eq!(at(Class::Transient, 8), Disposition::GiveUp);
        assert_eq!(at(Class::Overloaded, 8), Disposition::Hold(HOLD));
        for class in [Class::TooLarge, Class::Permanent, Class::Bug] {
            assert_eq!(at(class, 1), Disposition::GiveUp);
        }
    }

    #[test]
    fn a_server_that_says_when_is_believed_within_reason() {
        let asked = |s| dispose(Class::Transient, 1, 8, Some(Duration::from_secs(s)), 0.0);
        assert_eq!(asked(7), Disposition::Retry(Duration::from_secs(7)));
        assert_eq!(asked(86_400), Disposition::Retry(Duration::from_secs(60)));
    }

    #[test]
    fn a_newer_message_waits_for_a_newer_worker() {
        assert_eq!(
            newer_wire_delay(UnixMs(0), Some(UnixMs(120_000))),
            Duration::from_secs(30)
        );
        assert_eq!(
            newer_wire_delay(UnixMs(0), Some(UnixMs(8_000))),
            Duration::from_secs(10)
        );
        assert_eq!(newer_wire_delay(UnixMs(0), None), Duration::from_secs(10));
    }

    proptest! {
        #[test]
        fn no_retry_is_bare_or_endless(delivered in 1u64..u64::MAX, random in -1.0f64..2.0) {
            let delay = backoff(delivered, random);
            prop_assert!(delay >= Duration::from_millis(50) && delay <= RETRY_MAX);
        }
    }
}
