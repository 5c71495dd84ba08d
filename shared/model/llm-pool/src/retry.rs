//! The one retry loop: whole calls, a few times, within a time limit. It is the only user of the `backoff` crate,
//! which is unmaintained; so the crate is easy to replace.
//!
//! The caller decides which failure is worth another attempt, and on which node it is made; this module only counts,
//! waits and stops.

use backoff::backoff::Backoff;
use backoff::{ExponentialBackoff, ExponentialBackoffBuilder};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often and how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Tries after the first.
    pub(crate) retries: u32,
    /// How long to wait before each retry, where the other side did not say.
    pub(crate) backoff: settings::Backoff,
    /// No try begins after this.
    pub(crate) until: Instant,
}

/// What a try came to.
#[derive(Debug)]
pub(crate) enum Step<T, E> {
    /// It went well.
    Done(T),
    /// It went wrong for good.
    Failed(E),
    /// It failed in a way that may be temporary; `wait` is how long the other side asked for.
    Again { error: E, wait: Option<Duration> },
    /// The request has to be worded differently, at once; this does not count as a retry. The caller bounds how
    /// often this happens.
    Rephrase(E),
}

/// Repeats `attempt` while it asks for it and `limits` allow, and tells `notice` about every retry beforehand. Ends
/// with the last error.
pub(crate) async fn retry<T, E, Attempt, Trying>(
    limits: Limits,
    mut attempt: Attempt,
    mut notice: impl FnMut(&E),
) -> Result<T, E>
where
    Attempt: FnMut() -> Trying,
    Trying: Future<Output = Step<T, E>>,
{
    let mut waits = waits(limits.backoff);
    let mut left = limits.retries;
    loop {
        let (error, wait) = match attempt().await {
            Step::Done(done) => return Ok(done),
            Step::Failed(error) => return Err(error),
            Step::Rephrase(error) => (error, Some(Duration::ZERO)),
            Step::Again { error, .. } if left == 0 => return Err(error),
            Step::Again { error, wait } => {
                left -= 1;
                let wait = wait.or_else(|| waits.next_backoff());
                (
                    error,
                    wait.filter(|wait| Instant::now() + *wait < limits.until),
                )
            }
        };
        let Some(wait) = wait else {
            return Err(error);
        };
        notice(&error);
        sleep(wait).await;
    }
}

/// The waits of a backoff. The crate jitters around an interval, our settings draw from zero to a ceiling: the same when
/// the interval is half the ceiling and the jitter is all of it.
fn waits(backoff: settings::Backoff) -> ExponentialBackoff {
    ExponentialBackoffBuilder::new()
        .with_initial_interval(backoff.first().duration() / 2)
        .with_max_interval(backoff.max().duration() / 2)
        .with_multiplier(backoff.factor())
        .with_randomization_factor(1.0)
        .with_max_elapsed_time(None)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use settings::TimeSpan;
    use std::collections::VecDeque;

    fn limits(retries: u32, time: Duration) -> Limits {
        Limits {
            retries,
            backoff: settings::Backoff::new(
                TimeSpan::from_millis(1),
                2.0,
                TimeSpan::from_millis(2),
            )
            .unwrap(),
            until: Instant::now() + time,
        }
    }

    fn again_after(error: u8, wait: Option<u64>) -> Step<&'static str, u8> {
        Step::Again {
            error,
            wait: wait.map(Duration::from_millis),
        }
    }

    async fn run(
        limits: Limits,
        steps: impl IntoIterator<Item = Step<&'static str, u8>>,
    ) -> (Result<&'static str, u8>, Vec<u8>) {
        let mut steps = VecDeque::from_iter(steps);
        let mut noticed = Vec::new();
        let attempt = || {
            let step = steps.pop_front();
            async move { step.expect("one try more than the test allows") }
        };
        let result = retry(limits, attempt, |error| noticed.push(*error)).await;
        (result, noticed)
    }

    const LONG: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn ends_with_the_last_error_when_the_retries_are_used_up() {
        let steps = (1..=3).map(|n| again_after(n, None));
        assert_eq!(run(limits(2, LONG), steps).await, (Err(3), vec![1, 2]));
        let none = run(limits(0, LONG), [again_after(1, None)]).await;
        assert_eq!(none, (Err(1), vec![]));
    }

    #[tokio::test]
    async fn stops_at_what_is_final() {
        let good = [again_after(1, Some(0)), Step::Done("good")];
        assert_eq!(run(limits(2, LONG), good).await, (Ok("good"), vec![1]));
        let bad = [again_after(1, None), Step::Failed(2)];
        assert_eq!(run(limits(2, LONG), bad).await, (Err(2), vec![1]));
    }

    #[tokio::test]
    async fn rephrasing_does_not_count() {
        let steps = [
            Step::Rephrase(1),
            Step::Rephrase(2),
            again_after(3, None),
            Step::Done("good"),
        ];
        let (result, noticed) = run(limits(1, LONG), steps).await;
        assert_eq!((result, noticed), (Ok("good"), vec![1, 2, 3]));
    }

    #[tokio::test]
    async fn waits_as_long_as_it_is_told() {
        let start = Instant::now();
        let steps = [again_after(1, Some(40)), Step::Done("good")];
        assert_eq!(run(limits(1, LONG), steps).await.0, Ok("good"));
        assert!(start.elapsed() >= Duration::from_millis(40));
    }

    #[tokio::test]
    async fn a_wait_that_does_not_fit_is_not_begun() {
        let start = Instant::now();
        let (result, _) = run(limits(5, LONG), [again_after(1, Some(60_000))]).await;
        assert_eq!(result, Err(1));
        let (result, _) = run(limits(5, Duration::ZERO), [again_after(2, None)]).await;
        assert_eq!(result, Err(2));
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    /// The longest that each of some waits may be.
    fn ceilings(backoff: settings::Backoff, count: usize) -> Vec<Duration> {
        let mut waits = waits(backoff);
        let ceiling = |_| {
            let ceiling = waits.current_interval * 2;
            let _ = waits.next_backoff();
            ceiling
        };
        (0..count).map(ceiling).collect()
    }

    #[test]
    fn waits_grow_and_stop_at_the_maximum() {
        let ceilings = ceilings(settings::Backoff::default(), 200);
        let millis: Vec<_> = ceilings.iter().map(Duration::as_millis).collect();
        assert_eq!(millis[..3], [200, 400, 800]);
        assert_eq!([millis[6], millis[199]], [10_000, 10_000]);
    }

    fn any_backoff() -> impl Strategy<Value = settings::Backoff> {
        (1u64..60_000, 1.0f64..10.0, 0u64..3_600_000).prop_map(|(first, factor, more)| {
            let [first, max] = [first, first + more].map(TimeSpan::from_millis);
            settings::Backoff::new(first, factor, max).unwrap()
        })
    }

    proptest! {
        #[test]
        fn a_wait_lies_between_zero_and_its_ceiling(backoff in any_backoff(), count in 1usize..40) {
            let ceilings = ceilings(backoff, count);
            prop_assert!(ceilings.is_sorted(), "they never shrink");
            prop_assert!(ceilings[0] >= backoff.first().duration() - Duration::from_nanos(1));
            let mut waits = waits(backoff);
            for ceiling in ceilings {
                // The crate rounds up.
                let wait = waits.next_backoff().unwrap();
                prop_assert!(wait <= ceiling + Duration::from_nanos(1));
                prop_assert!(ceiling <= backoff.max().duration());
            }
        }
    }
}
