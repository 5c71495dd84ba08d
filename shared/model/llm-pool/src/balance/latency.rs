//! Measures how long calls take: a moving mean, and the quantile after which a call counts as late. Pure.
//!
//! *Not* metrics for people: only the balancer uses these numbers.

use std::time::Duration;
use tokio::time::Instant;

/// Weight of a new sample in the mean.
const WEIGHT: f64 = 0.3;
/// An answer counts as at most this many times the mean. So one long answer among short ones does not make its node
/// look slow, while three in a row do.
const ANSWER_MOST: f64 = 4.0;
/// Below this, in seconds, an answer is never too long for the mean.
const ANSWER_LEAST: f64 = 0.02;
/// The mean of a node that is not asked halves in this time, so that one which was slow once is tried
/// again.
const HALF_LIFE: Duration = Duration::from_secs(10);

/// An exponentially weighted mean of times.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mean {
    seconds: f64,
    at: Option<Instant>,
}

impl Mean {
    /// Takes in how long an answer took. Most of that time is the length of the answer, so a single long one says
    /// little about its node.
    pub(crate) fn observe_answer(&mut self, took: Duration, now: Instant) {
        let most = match self.at {
            None => took,
            Some(_) => Duration::from_secs_f64((self.seconds * ANSWER_MOST).max(ANSWER_LEAST)),
        };
        self.observe(took.min(most), now);
    }

    pub(crate) fn observe(&mut self, sample: Duration, now: Instant) {
        let sample = sample.as_secs_f64();
        self.seconds = match self.at {
            None => sample,
            Some(_) => self.seconds + WEIGHT * (sample - self.seconds),
        };
        self.at = Some(now);
    }

    /// The mean as it was after the last sample, in seconds; 0 before the first.
    pub(crate) fn measured(&self) -> f64 {
        self.seconds
    }

    /// The mean as of now, in seconds; 0 before the first sample.
    pub(crate) fn seconds(&self, now: Instant) -> f64 {
        let idle = self.at.map_or(Duration::ZERO, |at| now - at);
        self.seconds * 0.5f64.powf(idle.as_secs_f64() / HALF_LIFE.as_secs_f64())
    }
}

/// Each bucket ends a fifth above the one before; the first ends at a millisecond.
const GROWTH: f64 = 1.2;
/// The last one ends beyond half an hour.
const BUCKETS: usize = 80;
/// Samples after which old ones lose half of their weight.
const FADE: f64 = 512.0;
/// With fewer samples there is no quantile.
const SAMPLES_MIN: f64 = 20.0;

/// A histogram of times that forgets.
#[derive(Debug, Clone)]
pub(crate) struct Quantiles {
    buckets: [f64; BUCKETS],
    total: f64,
}

impl Default for Quantiles {
    fn default() -> Self {
        Quantiles {
            buckets: [0.0; BUCKETS],
            total: 0.0,
        }
    }
}

impl Quantiles {
    /// Takes in a sample.
    pub(crate) fn observe(&mut self, sample: Duration) {
        let ms = sample.as_secs_f64() * 1_000.0;
        let bucket = ms.max(1.0).log(GROWTH).ceil() as usize;
        self.buckets[bucket.min(BUCKETS - 1)] += 1.0;
        self.total += 1.0;
        if self.total >= 2.0 * FADE {
            self.buckets.iter_mut().for_each(|count| *count /= 2.0);
            self.total /= 2.0;
        }
    }

    /// The time that this share of the calls stay under, at most a fifth too long; `None` while too
    /// little is known.
    pub(crate) fn at(&self, share: f64) -> Option<Duration> {
        if self.total < SAMPLES_MIN {
            return None;
        }
        let mut below = 0.0;
        let bucket = self.buckets.iter().position(|count| {
            below += count;
            below >= share * self.total
        });
        let end = GROWTH.powi(i32::try_from(bucket.unwrap_or(BUCKETS - 1)).unwrap_or(0));
        Some(Duration::from_secs_f64(end / 1_000.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_mean_follows_and_fades() {
        let start = Instant::now();
        let mut mean = Mean::default();
        assert_eq!(mean.seconds(start), 0.0);
        mean.observe(Duration::from_secs(1), start);
        mean.observe(Duration::from_secs(2), start);
        assert!((mean.seconds(start) - 1.3).abs() < 1e-9);
        assert!((mean.seconds(start + HALF_LIFE) - 0.65).abs() < 1e-9);
        assert!((mean.measured() - 1.3).abs() < 1e-9);
    }

    #[test]
    fn one_long_answer_moves_the_mean_a_little_and_three_move_it_far() {
        let now = Instant::now();
        let mut mean = Mean::default();
        let long = Duration::from_secs(60);
        mean.observe_answer(Duration::from_secs(1), now);
        mean.observe_answer(long, now);
        assert!((mean.measured() - 1.9).abs() < 1e-9);
        mean.observe_answer(long, now);
        mean.observe_answer(long, now);
        assert!(mean.measured() > 6.0);
        // The first answer of all, and differences of milliseconds, count whole.
        let mut quick = Mean::default();
        quick.observe_answer(Duration::from_micros(100), now);
        quick.observe_answer(Duration::from_millis(20), now);
        assert!((quick.measured() - 0.00607).abs() < 1e-9);
    }

    #[test]
    fn a_quantile_wants_samples_and_forgets_old_ones() {
        let mut times = Quantiles::default();
        for _ in 0..19 {
            times.observe(Duration::from_millis(10));
        }
        assert_eq!(times.at(0.95), None);
        for _ in 0..2_000 {
            times.observe(Duration::from_millis(10));
        }
        assert!(times.at(0.95).unwrap() < Duration::from_millis(13));
        for _ in 0..4_000 {
            times.observe(Duration::from_millis(200));
        }
        assert!(times.at(0.5).unwrap() >= Duration::from_millis(200));
    }

    proptest! {
        #[test]
        fn a_quantile_is_never_below_nor_far_above(
            mut samples in prop::collection::vec(1u64..600_000, 20..400), share in 0.01f64..0.999,
        ) {
            let mut times = Quantiles::default();
            for ms in &samples {
                times.observe(Duration::from_millis(*ms));
            }
            samples.sort_unstable();
            let rank = ((share * samples.len() as f64).ceil() as usize).clamp(1, samples.len());
            let exact = samples[rank - 1] as f64 / 1_000.0;
            let got = times.at(share).unwrap().as_secs_f64();
            prop_assert!(got >= exact * 0.999 && got <= exact * GROWTH * 1.001, "{got} for {exact}");
        }
    }
}
