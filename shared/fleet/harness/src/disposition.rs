//! Decides what is done with a message whose step failed: a pure table over the class of the failure, the number of
//! deliveries and the time that is left.

use envelope::{Class, UnixMs};
use std::time::Duration;

/// What is done with a message whose step failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disposition {
    /// Deliver it again after this time.
    Retry(Duration),
    /// Keep it, extend its ack, pull nothing, and try again after this time.
    Hold(Duration),
    /// Give it up: its default or `failed`, a dead letter, ack.
    GiveUp,
}

/// First and longest delay of a redelivery.
const RETRY_FIRST: Duration = Duration::from_millis(250);
const RETRY_MAX: Duration = Duration::from_secs(15);
/// How long a held message waits when the failure names no time.
const HOLD: Duration = Duration::from_millis(500);
const HOLD_MAX: Duration = Duration::from_secs(10);

/// The table. `delivered` counts from 1, `limit` is the last delivery that is worked on, `left` is the time to the
/// deadline of the turn, and `random` is in 0..1 (full jitter, so that processes do not retry all at once).
pub(crate) fn dispose(
    class: Class,
    delivered: u64,
    limit: u64,
    retry_after: Option<Duration>,
    left: Duration,
    random: f64,
) -> Disposition {
    match class {
        Class::Transient if delivered >= limit => Disposition::GiveUp,
        Class::Transient => match retry_after {
            // The default that is taken now is worth more than an answer that comes too late.
            Some(asked) if asked >= left => Disposition::GiveUp,
            Some(asked) => Disposition::Retry(asked.min(RETRY_MAX * 4)),
            None => Disposition::Retry(backoff(delivered, left, random)),
        },
        Class::Overloaded => Disposition::Hold(retry_after.unwrap_or(HOLD).min(HOLD_MAX)),
        Class::TooLarge | Class::Permanent | Class::Bug => Disposition::GiveUp,
    }
}

/// Exponential with full jitter, never below a twentieth of a second: a bare nak burns deliveries.
/// One wait takes at most an eighth of the time that is left, so that a step that keeps failing is
/// given up, and its default taken, while there is time for the steps after it.
fn backoff(delivered: u64, left: Duration, random: f64) -> Duration {
    let doublings = u32::try_from(delivered.saturating_sub(1))
        .unwrap_or(u32::MAX)
        .min(10);
    let ceiling = (RETRY_FIRST * 2u32.pow(doublings))
        .min(RETRY_MAX)
        .min(left / 8);
    ceiling
        .mul_f64(random.clamp(0.0, 1.0))
        .max(Duration::from_millis(50))
}

/// How long a step of a newer wire version waits for a worker that can read it.
pub(crate) fn newer_wire_delay(now: UnixMs, deadline: Option<UnixMs>) -> Duration {
    let left = deadline.map_or(0, |deadline| now.until(deadline));
    Duration::from_millis((left / 4).max(10_000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_class_and_the_deliveries_decide_between_retry_hold_and_give_up() {
        let long = Duration::from_secs(120);
        let at = |class, delivered| dispose(class, delivered, 8, None, long, 1.0);
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
        let left = Duration::from_secs(100_000);
        let asked = |s| {
            dispose(
                Class::Transient,
                1,
                8,
                Some(Duration::from_secs(s)),
                left,
                0.0,
            )
        };
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

    #[test]
    fn a_short_deadline_leaves_time_for_the_default() {
        let left = Duration::from_secs(20);
        let waits: Duration = (1..8).map(|delivered| backoff(delivered, left, 1.0)).sum();
        assert!(waits < Duration::from_secs(15), "{waits:?}");
        let too_late = Some(Duration::from_secs(30));
        let asked = dispose(Class::Transient, 1, 8, too_late, left, 0.0);
        assert_eq!(asked, Disposition::GiveUp);
    }

    proptest! {
        #[test]
        fn no_retry_is_bare_or_endless(
            delivered in 1u64..u64::MAX,
            left_ms in 0u64..3_600_000,
            random in -1.0f64..2.0,
        ) {
            let delay = backoff(delivered, Duration::from_millis(left_ms), random);
            prop_assert!(delay >= Duration::from_millis(50) && delay <= RETRY_MAX);
        }
    }
}
