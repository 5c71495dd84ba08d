//! How many calls a node is given at once: additive increase, multiplicative decrease, on the time to
//! the first token. Pure.
//!
//! Most servers queue without limit and never say that they are busy; what they do show is that the
//! first token comes later. Several processes that share a node find their shares this way without
//! talking to each other.

use std::time::Duration;
use tokio::time::Instant;

/// Calls at once before anything is known.
const FIRST: f64 = 8.0;
/// The first token comes late when it takes so many times the best seen, and as much longer.
const LATE_FACTOR: u32 = 3;
const LATE_LEAST: Duration = Duration::from_millis(50);
/// What is left of the limit after a late token, and after the node said that it is busy.
const CUT_LATE: f64 = 0.9;
const CUT_BUSY: f64 = 0.5;
/// The best time is that of this window and the one before.
const WINDOW: Duration = Duration::from_secs(15);

/// The adaptive limit of one node.
#[derive(Debug, Clone)]
pub(crate) struct Permits {
    limit: f64,
    max: f64,
    /// Doubling until the first sign of too much.
    slow_start: bool,
    best: Option<Duration>,
    best_before: Option<Duration>,
    window_since: Option<Instant>,
    cut_at: Option<Instant>,
}

impl Permits {
    /// At most `max` calls at once.
    pub(crate) fn new(max: usize) -> Permits {
        let max = max.max(1) as f64;
        Permits {
            limit: FIRST.min(max),
            max,
            slow_start: true,
            best: None,
            best_before: None,
            window_since: None,
            cut_at: None,
        }
    }

    /// Calls at once, now; at least 1.
    pub(crate) fn limit(&self) -> usize {
        self.limit as usize
    }

    /// A call went well; `first_token` where the node streams. `in_flight` counts the call itself:
    /// a limit that was not reached is no reason for a higher one.
    pub(crate) fn succeeded(
        &mut self,
        first_token: Option<Duration>,
        in_flight: usize,
        now: Instant,
    ) {
        if let Some(first) = first_token {
            self.note(first, now);
            if self.is_late(first) {
                return self.cut(CUT_LATE, first, now);
            }
        }
        if in_flight + 1 >= self.limit() {
            let more = if self.slow_start {
                1.0
            } else {
                1.0 / self.limit
            };
            self.limit = (self.limit + more).min(self.max);
        }
    }

    /// The node is asked again after it was left alone: from the beginning, with what is known of its
    /// first tokens.
    pub(crate) fn restart(&mut self) {
        self.limit = 1.0;
        self.slow_start = true;
    }

    /// The node said that it is busy.
    pub(crate) fn busy(&mut self, now: Instant) {
        self.cut(CUT_BUSY, Duration::from_secs(1), now);
    }

    /// A cut counts once for all calls that were in flight when it was made.
    fn cut(&mut self, factor: f64, round: Duration, now: Instant) {
        self.slow_start = false;
        if self.cut_at.is_none_or(|at| now >= at + round) {
            self.limit = (self.limit * factor).max(1.0);
            self.cut_at = Some(now);
        }
    }

    fn is_late(&self, first: Duration) -> bool {
        let best = self.best.into_iter().chain(self.best_before).min();
        best.is_some_and(|best| first > (best * LATE_FACTOR).max(best + LATE_LEAST))
    }

    fn note(&mut self, first: Duration, now: Instant) {
        if self.window_since.is_none_or(|since| now >= since + WINDOW) {
            self.best_before = self.best.take();
            self.window_since = Some(now);
        }
        self.best = Some(self.best.map_or(first, |best| best.min(first)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn grows_while_it_is_used_and_the_first_token_stays_early() {
        let now = Instant::now();
        let mut permits = Permits::new(64);
        assert_eq!(permits.limit(), 8);
        permits.succeeded(Some(20 * MS), 1, now);
        assert_eq!(permits.limit(), 8, "it was not used");
        for _ in 0..20 {
            permits.succeeded(Some(20 * MS), 64, now);
        }
        assert_eq!(permits.limit(), 28);
        permits.succeeded(Some(400 * MS), 28, now);
        assert_eq!(permits.limit(), 25);
        permits.succeeded(Some(400 * MS), 28, now + MS);
        assert_eq!(permits.limit(), 25, "one cut a round");
        for _ in 0..25 {
            permits.succeeded(Some(20 * MS), 64, now);
        }
        assert_eq!(permits.limit(), 26, "now by one a round");
    }

    #[test]
    fn a_node_that_does_not_stream_is_held_back_by_its_word_only() {
        let now = Instant::now();
        let mut permits = Permits::new(16);
        for _ in 0..50 {
            permits.succeeded(None, 16, now);
        }
        assert_eq!(permits.limit(), 16);
        permits.busy(now);
        assert_eq!(permits.limit(), 8);
    }

    #[test]
    fn a_node_that_became_slower_for_good_is_believed_in_time() {
        let mut now = Instant::now();
        let mut permits = Permits::new(64);
        permits.succeeded(Some(10 * MS), 64, now);
        for _ in 0..400 {
            now += 200 * MS;
            permits.succeeded(Some(200 * MS), 64, now);
        }
        assert!(permits.limit() > 8, "{}", permits.limit());
    }

    proptest! {
        #[test]
        fn the_limit_stays_within_1_and_the_ceiling(
            max in 1usize..200, events in prop::collection::vec((0..3u8, 0..5_000u64), 0..200),
        ) {
            let mut now = Instant::now();
            let mut permits = Permits::new(max);
            for (event, ms) in events {
                now += MS * ms as u32;
                match event {
                    0 => permits.busy(now),
                    1 => permits.succeeded(None, max, now),
                    _ => permits.succeeded(Some(MS * ms as u32), max, now),
                }
                prop_assert!((1..=max).contains(&permits.limit()));
            }
        }
    }
}
