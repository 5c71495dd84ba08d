//! The circuit breaker of a node: closed, open or half-open, depending on the outcome of real calls. Pure.
//!
//! *Not* a health check: the breaker of a node that answers probes and fails calls is open, and that of a node that
//! fails some probes and answers calls is closed. A probe only shortens the time that a breaker stays open, and
//! only after an earlier probe found that nothing was listening.

use std::time::Duration;
use tokio::time::Instant;

/// Failures in a row after which a node is left alone.
const FAILURES_MAX: u32 = 5;
/// How long it is left alone the first time, and at most; doubled each time a trial fails.
const OPEN_FIRST: Duration = Duration::from_millis(500);
const OPEN_MAX: Duration = Duration::from_secs(30);
/// A node that opens again within this time after it closed is left alone for twice as long.
const MEMORY: Duration = Duration::from_secs(60);
/// A trial without a result for this long was given up by its caller.
const TRIAL_MAX: Duration = Duration::from_secs(30);
/// While one is under way, it is looked again after this time.
const TRIAL_LOOK: Duration = Duration::from_millis(250);

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// The node is called as usual, after this many failures in a row. `again` is how long the breaker stays open
    /// when it opens within that time: a node that fails again and again is trusted less each time.
    Closed {
        failures: u32,
        again: Option<(Instant, Duration)>,
    },
    /// The node is not called. `was_gone` is set once a probe was not answered.
    Open {
        until: Instant,
        wait: Duration,
        was_gone: bool,
    },
    /// This one call is let through, and has been under way since then.
    Trial {
        call: u64,
        since: Instant,
        wait: Duration,
    },
}

/// What a breaker lets through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum BreakerDecision {
    All,
    /// One call, to see.
    One,
    /// Nothing before then.
    None(Instant),
}

/// The breaker of one node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Breaker(State);

impl Default for Breaker {
    fn default() -> Self {
        Breaker(State::Closed {
            failures: 0,
            again: None,
        })
    }
}

impl Breaker {
    pub(crate) fn lets(&self, now: Instant) -> BreakerDecision {
        match self.0 {
            State::Closed { .. } => BreakerDecision::All,
            State::Open { until, .. } if now >= until => BreakerDecision::One,
            State::Open { until, .. } => BreakerDecision::None(until),
            State::Trial { since, .. } if now >= since + TRIAL_MAX => BreakerDecision::One,
            // The end of the trial is unknown: a waiting call has to hold on.
            State::Trial { since, .. } => {
                BreakerDecision::None((now + TRIAL_LOOK).min(since + TRIAL_MAX))
            }
        }
    }

    /// A call begins: when the breaker is open, it is the trial.
    pub(crate) fn began(&mut self, call: u64, now: Instant) {
        if let State::Open { wait, .. } | State::Trial { wait, .. } = self.0 {
            self.0 = State::Trial {
                call,
                since: now,
                wait,
            };
        }
    }

    /// A call succeeded, whenever it began: that proves the node well. True when the breaker was not closed before.
    pub(crate) fn succeeded(&mut self, now: Instant) -> bool {
        let (again, opens) = match self.0 {
            State::Closed { again, .. } => (again, false),
            State::Open { wait, .. } | State::Trial { wait, .. } => {
                (Some((now + MEMORY, (wait * 2).min(OPEN_MAX))), true)
            }
        };
        self.0 = State::Closed { failures: 0, again };
        opens
    }

    /// A call failed in a way that counts against the node.
    pub(crate) fn failed(&mut self, call: u64, now: Instant) {
        self.0 = match self.0 {
            State::Closed { failures, again } if failures + 1 < FAILURES_MAX => State::Closed {
                failures: failures + 1,
                again,
            },
            State::Closed { again, .. } => {
                let again = again.filter(|(until, _)| now < *until);
                open(now, again.map_or(OPEN_FIRST, |(_, wait)| wait))
            }
            State::Trial {
                call: trial, wait, ..
            } if trial == call => open(now, (wait * 2).min(OPEN_MAX)),
            // One that began before says nothing new.
            State::Trial { .. } | State::Open { .. } => return,
        };
    }

    /// A call was given up by its caller, which says nothing about the node. A trial may be made again at once.
    pub(crate) fn ended(&mut self, call: u64, now: Instant) {
        if let State::Trial {
            call: trial, wait, ..
        } = self.0
            && trial == call
        {
            self.0 = State::Open {
                until: now,
                wait,
                was_gone: false,
            };
        }
    }

    /// A probe was answered, or was not: a node that was gone and is back may be tried at once. A node that was
    /// reachable all the time answers probes and still fails calls.
    pub(crate) fn probed(&mut self, well: bool, now: Instant) {
        if let State::Open {
            until, was_gone, ..
        } = &mut self.0
        {
            if well && *was_gone {
                *until = (*until).min(now);
            }
            *was_gone = !well;
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.0, State::Closed { .. })
    }

    /// The word for people.
    pub(crate) fn word(&self) -> &'static str {
        match self.0 {
            State::Closed { .. } => "closed",
            State::Open { .. } => "open",
            State::Trial { .. } => "half_open",
        }
    }
}

fn open(now: Instant, wait: Duration) -> State {
    State::Open {
        until: now + wait,
        wait,
        was_gone: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A call that is no trial, and one that is.
    const OLD: u64 = 1;
    const TRIAL: u64 = 2;

    fn broken(now: Instant) -> Breaker {
        let mut breaker = Breaker::default();
        for _ in 0..FAILURES_MAX {
            assert_eq!(breaker.lets(now), BreakerDecision::All);
            breaker.failed(OLD, now);
        }
        breaker
    }

    #[test]
    fn opens_after_failures_in_a_row_and_tries_one() {
        let now = Instant::now();
        let mut breaker = broken(now);
        let later = now + OPEN_FIRST;
        assert_eq!(breaker.lets(now), BreakerDecision::None(later));
        breaker.failed(OLD, now);
        assert_eq!(breaker.lets(later), BreakerDecision::One);
        breaker.began(TRIAL, later);
        assert!(matches!(breaker.lets(later), BreakerDecision::None(_)));
        breaker.failed(TRIAL, later);
        assert_eq!(
            breaker.lets(later),
            BreakerDecision::None(later + OPEN_FIRST * 2)
        );
        breaker.began(TRIAL, later + OPEN_FIRST * 2);
        assert!(breaker.succeeded(later));
        assert_eq!(
            (breaker.lets(later), breaker.word()),
            (BreakerDecision::All, "closed")
        );
    }

    #[test]
    fn one_that_comes_and_goes_is_left_alone_for_longer_each_time() {
        let mut now = Instant::now();
        let mut breaker = broken(now);
        for doubled in 1..4 {
            breaker.began(TRIAL, now);
            breaker.succeeded(now);
            now += Duration::from_secs(1);
            (0..FAILURES_MAX).for_each(|_| breaker.failed(OLD, now));
            assert_eq!(
                breaker.lets(now),
                BreakerDecision::None(now + OPEN_FIRST * 2u32.pow(doubled))
            );
        }
        breaker.succeeded(now);
        now += MEMORY;
        (0..FAILURES_MAX).for_each(|_| breaker.failed(OLD, now));
        assert_eq!(breaker.lets(now), BreakerDecision::None(now + OPEN_FIRST));
    }

    #[test]
    fn a_success_in_between_keeps_it_closed() {
        let now = Instant::now();
        let mut breaker = Breaker::default();
        for _ in 0..20 {
            for _ in 1..FAILURES_MAX {
                breaker.failed(OLD, now);
            }
            assert!(!breaker.succeeded(now));
        }
        assert_eq!(breaker.lets(now), BreakerDecision::All);
    }

    #[test]
    fn a_trial_that_was_given_up_or_forgotten_may_be_made_again() {
        let now = Instant::now();
        let mut breaker = broken(now);
        breaker.began(TRIAL, now + OPEN_FIRST);
        breaker.ended(TRIAL, now + OPEN_FIRST);
        assert_eq!(breaker.lets(now + OPEN_FIRST), BreakerDecision::One);
        breaker.began(TRIAL, now + OPEN_FIRST);
        assert_eq!(
            breaker.lets(now + OPEN_FIRST + TRIAL_MAX),
            BreakerDecision::One
        );
    }

    #[test]
    fn a_call_that_began_before_the_trial_does_not_end_it() {
        let now = Instant::now() + OPEN_FIRST;
        let mut breaker = broken(now - OPEN_FIRST);
        breaker.began(TRIAL, now);
        breaker.ended(OLD, now);
        assert!(
            matches!(breaker.lets(now), BreakerDecision::None(_)),
            "one at a time"
        );
        breaker.failed(OLD, now);
        assert_eq!(breaker.word(), "half_open");
        // An answer is proof all the same.
        assert!(breaker.succeeded(now));
    }

    #[test]
    fn a_probe_shortens_the_wait_for_a_node_that_was_gone_and_for_no_other() {
        let now = Instant::now();
        let mut breaker = broken(now);
        for _ in 0..3 {
            breaker.probed(true, now);
            assert_eq!(breaker.lets(now), BreakerDecision::None(now + OPEN_FIRST));
        }
        breaker.probed(false, now);
        assert_eq!(breaker.lets(now), BreakerDecision::None(now + OPEN_FIRST));
        breaker.probed(true, now);
        assert_eq!(breaker.lets(now), BreakerDecision::One);
        // The next time it has to be gone again.
        breaker.began(TRIAL, now);
        breaker.failed(TRIAL, now);
        breaker.probed(true, now);
        assert_eq!(
            breaker.lets(now),
            BreakerDecision::None(now + OPEN_FIRST * 2)
        );
    }

    proptest! {
        #[test]
        fn it_never_stays_shut_for_ever(events in prop::collection::vec((0..6u8, 0..40_000u64), 0..60)) {
            let mut now = Instant::now();
            let mut breaker = Breaker::default();
            for (event, ms) in events {
                now += Duration::from_millis(ms);
                match event {
                    0 => breaker.failed(TRIAL, now),
                    1 => {
                        breaker.succeeded(now);
                    }
                    2 => breaker.began(TRIAL, now),
                    3 => breaker.ended(TRIAL, now),
                    _ => breaker.probed(event == 4, now),
                }
                if let BreakerDecision::None(until) = breaker.lets(now) {
                    prop_assert!(until <= now + OPEN_MAX.max(TRIAL_MAX));
                    prop_assert!(until > now);
                    let late = now + OPEN_MAX.max(TRIAL_MAX);
                    prop_assert!(!matches!(breaker.lets(late), BreakerDecision::None(_)));
                }
            }
        }
    }
}
