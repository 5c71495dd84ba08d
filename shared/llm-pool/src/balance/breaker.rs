//! Whether a node is asked at all: closed, open, half-open, from what real calls came to. Pure.
//!
//! *Not* a health check: a node that answers probes and fails calls is open, one that fails probes in
//! a burst and answers calls is closed. A probe only shortens the time that a node stays open.

use std::time::Duration;
use tokio::time::Instant;

/// Failures in a row after which a node is left alone.
const FAILURES_MAX: u32 = 5;
/// How long it is left alone the first time, and at most; doubled each time a trial fails.
const OPEN_FIRST: Duration = Duration::from_millis(500);
const OPEN_MAX: Duration = Duration::from_secs(30);
/// A node that opens again within this time after it closed is left alone for twice as long.
const MEMORY: Duration = Duration::from_secs(60);
/// A trial that nobody heard of for this long was given up by its caller.
const TRIAL_MAX: Duration = Duration::from_secs(30);
/// While one is under way, it is looked again after this time.
const TRIAL_LOOK: Duration = Duration::from_millis(250);

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// Asked as usual; so many failures in a row. `again` is how long it is left alone when it opens
    /// before that time: a node that comes and goes is trusted less each time.
    Closed {
        failures: u32,
        again: Option<(Instant, Duration)>,
    },
    /// Left alone.
    Open { until: Instant, wait: Duration },
    /// One call is let through, and is under way since then.
    Trial { since: Instant, wait: Duration },
}

/// What a breaker lets through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Lets {
    /// Everything.
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
    /// What it lets through now.
    pub(crate) fn lets(&self, now: Instant) -> Lets {
        match self.0 {
            State::Closed { .. } => Lets::All,
            State::Open { until, .. } if now >= until => Lets::One,
            State::Open { until, .. } => Lets::None(until),
            State::Trial { since, .. } if now >= since + TRIAL_MAX => Lets::One,
            // It ends when it ends: whoever waits is to hold on.
            State::Trial { since, .. } => Lets::None((now + TRIAL_LOOK).min(since + TRIAL_MAX)),
        }
    }

    /// A call begins: of an open one it is the trial.
    pub(crate) fn began(&mut self, now: Instant) {
        if let State::Open { wait, .. } | State::Trial { wait, .. } = self.0 {
            self.0 = State::Trial { since: now, wait };
        }
    }

    /// A call went well, whenever it began: that is proof. True when the node was not asked before.
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

    /// A call failed in a way that speaks against the node.
    pub(crate) fn failed(&mut self, now: Instant) {
        self.0 = match self.0 {
            State::Closed { failures, again } if failures + 1 < FAILURES_MAX => State::Closed {
                failures: failures + 1,
                again,
            },
            State::Closed { again, .. } => {
                let again = again.filter(|(until, _)| now < *until);
                open(now, again.map_or(OPEN_FIRST, |(_, wait)| wait))
            }
            State::Trial { wait, .. } => open(now, (wait * 2).min(OPEN_MAX)),
            // One that began before says nothing new.
            State::Open { .. } => return,
        };
    }

    /// A call ended without saying anything of the node: given up by its caller. A trial may be made
    /// again at once.
    pub(crate) fn ended(&mut self, now: Instant) {
        if let State::Trial { wait, .. } = self.0 {
            self.0 = State::Open { until: now, wait };
        }
    }

    /// A probe was answered: an open node may be tried at once.
    pub(crate) fn probed(&mut self, now: Instant) {
        if let State::Open { until, wait } = self.0 {
            self.0 = State::Open {
                until: until.min(now),
                wait,
            };
        }
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn broken(now: Instant) -> Breaker {
        let mut breaker = Breaker::default();
        for _ in 0..FAILURES_MAX {
            assert_eq!(breaker.lets(now), Lets::All);
            breaker.failed(now);
        }
        breaker
    }

    #[test]
    fn opens_after_failures_in_a_row_and_tries_one() {
        let now = Instant::now();
        let mut breaker = broken(now);
        let later = now + OPEN_FIRST;
        assert_eq!(breaker.lets(now), Lets::None(later));
        breaker.failed(now);
        assert_eq!(breaker.lets(later), Lets::One);
        breaker.began(later);
        assert!(matches!(breaker.lets(later), Lets::None(_)));
        breaker.failed(later);
        assert_eq!(breaker.lets(later), Lets::None(later + OPEN_FIRST * 2));
        breaker.began(later + OPEN_FIRST * 2);
        assert!(breaker.succeeded(later));
        assert_eq!((breaker.lets(later), breaker.word()), (Lets::All, "closed"));
    }

    #[test]
    fn one_that_comes_and_goes_is_left_alone_for_longer_each_time() {
        let mut now = Instant::now();
        let mut breaker = broken(now);
        for doubled in 1..4 {
            breaker.began(now);
            breaker.succeeded(now);
            now += Duration::from_secs(1);
            (0..FAILURES_MAX).for_each(|_| breaker.failed(now));
            assert_eq!(
                breaker.lets(now),
                Lets::None(now + OPEN_FIRST * 2u32.pow(doubled))
            );
        }
        breaker.succeeded(now);
        now += MEMORY;
        (0..FAILURES_MAX).for_each(|_| breaker.failed(now));
        assert_eq!(breaker.lets(now), Lets::None(now + OPEN_FIRST));
    }

    #[test]
    fn a_success_in_between_keeps_it_closed() {
        let now = Instant::now();
        let mut breaker = Breaker::default();
        for _ in 0..20 {
            for _ in 1..FAILURES_MAX {
                breaker.failed(now);
            }
            assert!(!breaker.succeeded(now));
        }
        assert_eq!(breaker.lets(now), Lets::All);
    }

    #[test]
    fn a_trial_that_was_given_up_or_forgotten_may_be_made_again() {
        let now = Instant::now();
        let mut breaker = broken(now);
        breaker.began(now + OPEN_FIRST);
        breaker.ended(now + OPEN_FIRST);
        assert_eq!(breaker.lets(now + OPEN_FIRST), Lets::One);
        breaker.began(now + OPEN_FIRST);
        assert_eq!(breaker.lets(now + OPEN_FIRST + TRIAL_MAX), Lets::One);
    }

    #[test]
    fn a_probe_shortens_the_wait() {
        let now = Instant::now();
        let mut breaker = broken(now);
        breaker.probed(now);
        assert_eq!(breaker.lets(now), Lets::One);
    }

    proptest! {
        #[test]
        fn it_never_stays_shut_for_ever(events in prop::collection::vec((0..5u8, 0..40_000u64), 0..60)) {
            let mut now = Instant::now();
            let mut breaker = Breaker::default();
            for (event, ms) in events {
                now += Duration::from_millis(ms);
                match event {
                    0 => breaker.failed(now),
                    1 => {
                        breaker.succeeded(now);
                    }
                    2 => breaker.began(now),
                    3 => breaker.ended(now),
                    _ => breaker.probed(now),
                }
                if let Lets::None(until) = breaker.lets(now) {
                    prop_assert!(until <= now + OPEN_MAX.max(TRIAL_MAX));
                    prop_assert!(until > now);
                    let late = now + OPEN_MAX.max(TRIAL_MAX);
                    prop_assert!(!matches!(breaker.lets(late), Lets::None(_)));
                }
            }
        }
    }
}
