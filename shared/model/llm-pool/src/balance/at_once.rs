//! Adapts how many calls a node gets at once: additive increase, multiplicative decrease, driven by the time to the
//! first token and by the time that a certain amount of an answer takes. Pure.
//!
//! Most servers queue without limit and never say that they are busy. Their load shows only in a later first token, or,
//! if they do not stream, in a later answer. In this way several processes that share a node find their shares without
//! communicating.

use std::time::Duration;
use tokio::time::Instant;

/// The first token comes late when each token of the prompt takes so many times the best seen, and all of them as much
/// longer. Only what was not cached counts, and prompts are compared with others of about their size, as answers are.
const LATE_FACTOR: f64 = 3.0;
const LATE_LEAST: f64 = 0.05;
/// An answer is slow when so much of it takes so many times the best seen, and as much longer. Tokens
/// come more slowly when many calls share a node, and that is no queue.
const SLOW_FACTOR: f64 = 4.0;
/// Answers are compared with others of about their size, within a factor of two: each has its part
/// that does not depend on it.
const SIZES: usize = 24;
/// What is left of the limit after a late token, and after the node said that it is busy.
const CUT_LATE: f64 = 0.9;
const CUT_BUSY: f64 = 0.5;
/// The best time is that of this window and the one before.
const WINDOW: Duration = Duration::from_secs(15);

/// What an answered call took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Took {
    /// To the first token, where the node streams.
    pub(crate) first_token: Option<Duration>,
    /// To the end.
    pub(crate) whole: Duration,
    /// Tokens of the prompt that were not cached; 0 where it is unknown.
    pub(crate) unread: u64,
    /// Tokens that were written, or bytes that were sent where no text is generated; 0 where it is unknown.
    pub(crate) size: u64,
}

/// The least of late: that of a window and of the one before.
#[derive(Debug, Clone, Copy, Default)]
struct Best {
    now: Option<f64>,
    before: Option<f64>,
    since: Option<Instant>,
}

impl Best {
    /// Takes in a sample, and returns the least.
    fn of(&mut self, sample: f64, now: Instant) -> f64 {
        if self.since.is_none_or(|since| now >= since + WINDOW) {
            self.before = self.now.take();
            self.since = Some(now);
        }
        let least = self.now.map_or(sample, |best| best.min(sample));
        self.now = Some(least);
        self.before.map_or(least, |before| before.min(least))
    }
}

/// The adaptive limit of one node.
#[derive(Debug, Clone)]
pub(crate) struct Permits {
    limit: f64,
    max: f64,
    /// Doubling until the first sign of too much.
    slow_start: bool,
    /// Seconds to the first token for one of the prompt, by the size of what was read.
    first: [Best; SIZES],
    /// Seconds for one of the size, by the size of the answer.
    pace: [Best; SIZES],
    cut_at: Option<Instant>,
}

impl Permits {
    /// At most `max` calls at once, and `first` before anything is known.
    pub(crate) fn new(first: usize, max: usize) -> Permits {
        let max = max.max(1) as f64;
        Permits {
            limit: (first.max(1) as f64).min(max),
            max,
            slow_start: true,
            first: [Best::default(); SIZES],
            pace: [Best::default(); SIZES],
            cut_at: None,
        }
    }

    /// Calls at once, now; at least 1.
    pub(crate) fn limit(&self) -> usize {
        self.limit as usize
    }

    /// A call went well. `in_flight` counts the call itself: a limit that was not reached is no reason
    /// for a higher one.
    pub(crate) fn succeeded(&mut self, took: Took, in_flight: usize, now: Instant) {
        // Both are taken in, whatever comes of the first.
        let (late, slow) = (self.is_late(took, now), self.is_slow(took, now));
        if late || slow {
            let round = took.first_token.filter(|_| late).unwrap_or(took.whole);
            return self.cut(CUT_LATE, round, now);
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

    fn is_late(&mut self, took: Took, now: Instant) -> bool {
        took.first_token.is_some_and(|first| {
            let (first, unread) = (first.as_secs_f64(), took.unread.max(1));
            let best = &mut self.first[class(unread)];
            let tokens = unread as f64;
            is_over(first, best.of(first / tokens, now) * tokens, LATE_FACTOR)
        })
    }

    fn is_slow(&mut self, took: Took, now: Instant) -> bool {
        if took.size == 0 {
            return false;
        }
        let time = took.whole - took.first_token.unwrap_or_default().min(took.whole);
        let (time, size) = (time.as_secs_f64(), took.size as f64);
        let best = &mut self.pace[class(took.size)];
        is_over(time, best.of(time / size, now) * size, SLOW_FACTOR)
    }
}

/// The class of what has so many tokens or bytes, at least one: each has twice the size of the one before.
fn class(size: u64) -> usize {
    (size.ilog2() as usize).min(SIZES - 1)
}

fn is_over(time: f64, best: f64, factor: f64) -> bool {
    time > (best * factor).max(best + LATE_LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: Duration = Duration::from_millis(1);

    fn first(first_token: Duration) -> Took {
        Took {
            first_token: Some(first_token),
            whole: first_token,
            ..Took::default()
        }
    }

    fn whole(whole: Duration, size: u64) -> Took {
        Took {
            whole,
            size,
            ..Took::default()
        }
    }

    #[test]
    fn grows_while_it_is_used_and_the_first_token_stays_early() {
        let now = Instant::now();
        let mut permits = Permits::new(8, 64);
        assert_eq!(permits.limit(), 8);
        permits.succeeded(first(20 * MS), 1, now);
        assert_eq!(permits.limit(), 8, "it was not used");
        for _ in 0..20 {
            permits.succeeded(first(20 * MS), 64, now);
        }
        assert_eq!(permits.limit(), 28);
        permits.succeeded(first(400 * MS), 28, now);
        assert_eq!(permits.limit(), 25);
        permits.succeeded(first(400 * MS), 28, now + MS);
        assert_eq!(permits.limit(), 25, "one cut a round");
        for _ in 0..25 {
            permits.succeeded(first(20 * MS), 64, now);
        }
        assert_eq!(permits.limit(), 26, "now by one a round");
    }

    /// Calls in turn, as tokens that were not cached and milliseconds to the first token; which of them are late.
    #[test]
    fn a_prompt_is_late_by_its_own_length() {
        for (what, calls, late) in [
            (
                "a cached call beside long prompts on a laptop",
                &[(1, 100), (1_600, 19_000), (1_600, 20_000), (12, 150)][..],
                &[][..],
            ),
            (
                "prompts of all lengths on a laptop",
                &[
                    (200, 2_400),
                    (560, 6_600),
                    (830, 9_800),
                    (1_900, 22_400),
                    (3_000, 35_400),
                ],
                &[],
            ),
            (
                "a queue of its like",
                &[(1_600, 19_000), (1_600, 40_000), (1_700, 80_000)],
                &[2],
            ),
            (
                "a queue on a large GPU, and overhead that is none",
                &[
                    (600, 40),
                    (600, 85),
                    (20, 15),
                    (20, 40),
                    (1_000, 50),
                    (600, 400),
                ],
                &[5],
            ),
            (
                "nothing is said of the prompts",
                &[(0, 50), (0, 60), (0, 400)],
                &[2],
            ),
        ] {
            let mut permits = Permits::new(8, 64);
            let now = Instant::now();
            let mut was_late = |(unread, ms): &(u64, u32)| {
                let took = Took {
                    unread: *unread,
                    ..first(*ms * MS)
                };
                permits.is_late(took, now)
            };
            let got = calls.iter().enumerate().filter(|(_, call)| was_late(call));
            assert_eq!(got.map(|(nth, _)| nth).collect::<Vec<_>>(), late, "{what}");
        }
    }

    #[test]
    fn the_first_limit_is_what_is_asked_for_within_the_ceiling() {
        assert_eq!(Permits::new(250, 1_000).limit(), 250);
        assert_eq!(Permits::new(250, 16).limit(), 16);
    }

    #[test]
    fn a_node_that_does_not_stream_is_held_back_by_its_whole_answers() {
        let mut now = Instant::now();
        let mut permits = Permits::new(8, 64);
        // Two slots: the tenth call waits for five answers.
        for _ in 0..100 {
            let round = permits.limit() as u32;
            for nth in 1..=round {
                let took = 200 * MS * nth.div_ceil(2);
                permits.succeeded(whole(took, 100), round as usize, now + took);
            }
            now += 100 * MS * round;
        }
        assert!((4..=12).contains(&permits.limit()), "{}", permits.limit());
        permits.busy(now + 10_000 * MS);
        assert!(permits.limit() <= 6);
    }

    #[test]
    fn long_answers_and_slow_tokens_after_the_first_are_told_apart() {
        let now = Instant::now();
        let mut permits = Permits::new(8, 64);
        for size in [1, 20, 150, 400, 3_000] {
            // A part that is always the same, and 5 ms a token.
            let took = 80 * MS + 5 * MS * size as u32;
            permits.succeeded(whole(took, size), 64, now);
            permits.succeeded(whole(took * 3, size), 64, now);
        }
        assert_eq!(permits.limit(), 18, "none of them was slow");
        let streamed = |whole| Took {
            first_token: Some(100 * MS),
            whole,
            size: 100,
            ..Took::default()
        };
        permits.succeeded(streamed(600 * MS), 64, now);
        assert_eq!(permits.limit(), 19);
        permits.succeeded(streamed(2_500 * MS), 64, now);
        assert_eq!(
            permits.limit(),
            17,
            "each token took almost five times as long"
        );
    }

    #[test]
    fn where_nobody_knows_sizes_only_its_word_holds_a_node_back() {
        let now = Instant::now();
        let mut permits = Permits::new(8, 16);
        for n in 1..50 {
            permits.succeeded(whole(100 * MS * n, 0), 16, now);
        }
        assert_eq!(permits.limit(), 16);
        permits.busy(now);
        assert_eq!(permits.limit(), 8);
    }

    #[test]
    fn a_node_that_became_slower_for_good_is_believed_in_time() {
        let mut now = Instant::now();
        let mut permits = Permits::new(8, 64);
        permits.succeeded(first(10 * MS), 64, now);
        for _ in 0..400 {
            now += 200 * MS;
            permits.succeeded(first(200 * MS), 64, now);
        }
        assert!(permits.limit() > 8, "{}", permits.limit());
    }

    proptest! {
        #[test]
        fn the_limit_stays_within_1_and_the_ceiling(
            max in 1usize..200, events in prop::collection::vec((0..3u8, 0..5_000u64), 0..200),
        ) {
            let mut now = Instant::now();
            let mut permits = Permits::new(8, max);
            for (event, ms) in events {
                now += MS * ms as u32;
                match event {
                    0 => permits.busy(now),
                    1 => permits.succeeded(whole(MS * ms as u32, ms), max, now),
                    _ => permits.succeeded(first(MS * ms as u32), max, now),
                }
                prop_assert!((1..=max).contains(&permits.limit()));
            }
        }
    }
}
