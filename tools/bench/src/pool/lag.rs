//! Measures how late the timers of this process fire. On a machine that runs other programs as well, this lateness
//! limits a measurement long before the CPU does.

use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_millis(10);

/// Reads the clock until it is asked for the result.
pub(super) struct Lag {
    looking: JoinSet<Vec<f64>>,
    stop: CancellationToken,
}

impl Lag {
    pub(super) fn start() -> Lag {
        let mut lag = Lag {
            looking: JoinSet::new(),
            stop: CancellationToken::new(),
        };
        let stop = lag.stop.clone();
        lag.looking.spawn(async move {
            let mut late = Vec::new();
            while !stop.is_cancelled() {
                let began = Instant::now();
                tokio::time::sleep(EVERY).await;
                late.push((began.elapsed() - EVERY).as_secs_f64() * 1_000.0);
            }
            late
        });
        lag
    }

    /// The lateness that 99 of 100 timers kept to, in milliseconds; 1 ms of it is the timer's own.
    pub(super) async fn p99_ms(mut self) -> f64 {
        self.stop.cancel();
        let late = self.looking.join_next().await;
        let mut late = late.and_then(Result::ok).unwrap_or_default();
        late.sort_by(f64::total_cmp);
        let at = (late.len().saturating_sub(1) as f64 * 0.99).round() as usize;
        late.get(at).copied().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_holds_the_thread_is_seen() {
        let lag = Lag::start();
        tokio::time::sleep(EVERY).await;
        std::thread::sleep(Duration::from_millis(60));
        tokio::time::sleep(EVERY).await;
        let late = lag.p99_ms().await;
        assert!(late > 25.0, "{late}");
    }
}
