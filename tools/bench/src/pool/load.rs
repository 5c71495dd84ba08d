//! Drives a closed loop of calls: each caller has one call in flight and takes the next one from a common list, as
//! the slots of mappers do. It also computes the figures of the calls, in pure code.

use argosy::cli_error::CliError;
use llm::{ChatModel, ChatRequest};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long a caller rests after a call that failed or was turned away, as a message is delivered again later.
const REST: Duration = Duration::from_millis(20);

/// One call that ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Call {
    pub(super) began: Instant,
    pub(super) ended: Instant,
    /// The tokens of the reply; `None` when the call failed.
    pub(super) tokens: Option<u64>,
    /// How often the call was turned away because everything was busy.
    pub(super) held: usize,
}

/// Callers at work.
pub(super) struct Load {
    callers: JoinSet<Vec<Call>>,
    asked: Arc<AtomicU64>,
    stop: CancellationToken,
}

impl Load {
    /// Starts so many callers of `model`.
    pub(super) fn start(
        model: Arc<dyn ChatModel>,
        callers: usize,
        request: impl Fn(u64) -> ChatRequest + Clone + Send + 'static,
    ) -> Load {
        let mut load = Load {
            callers: JoinSet::new(),
            asked: Arc::new(AtomicU64::new(0)),
            stop: CancellationToken::new(),
        };
        for _ in 0..callers {
            let (model, request) = (model.clone(), request.clone());
            let (asked, stop) = (load.asked.clone(), load.stop.clone());
            load.callers.spawn(async move {
                let mut calls = Vec::new();
                while !stop.is_cancelled() {
                    let request = request(asked.fetch_add(1, Ordering::Relaxed));
                    let call = call(&*model, &request).await;
                    if call.tokens.is_none() {
                        tokio::time::sleep(REST).await;
                    }
                    calls.push(call);
                }
                calls
            });
        }
        load
    }

    /// The number of calls that were begun so far.
    pub(super) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Begins no more calls and waits for those in flight: every one has its time-out.
    pub(super) async fn stop(mut self) -> Result<Vec<Call>, CliError> {
        self.stop.cancel();
        let mut calls = Vec::new();
        while let Some(done) = self.callers.join_next().await {
            calls.extend(done.map_err(|e| CliError::negative(format!("a caller broke off: {e}")))?);
        }
        Ok(calls)
    }
}

/// Makes one call. A call that is turned away because everything is busy is held and made again, as the harness does,
/// and its time goes on.
async fn call(model: &dyn ChatModel, request: &ChatRequest) -> Call {
    let (began, mut held) = (Instant::now(), 0);
    let reply = loop {
        let reply = model.chat(request).await;
        let is_busy = matches!(reply, Err(llm::Error::Overloaded { .. }));
        if !is_busy || began.elapsed() >= request.timeout {
            break reply;
        }
        held += 1;
        tokio::time::sleep(REST).await;
    };
    if let Err(error) = &reply {
        tracing::debug!(%error, "call failed");
    }
    Call {
        began,
        ended: Instant::now(),
        tokens: reply.ok().map(|reply| reply.usage.tokens_out),
        held,
    }
}

/// The results of the calls in a window of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measured {
    /// The calls that were in flight at some time in the window, and the number of those that failed.
    pub(super) calls: usize,
    pub(super) failed: usize,
    /// How often these calls had been turned away before.
    pub(super) held: usize,
    /// The tokens of the calls that ended in the window.
    pub(super) tokens_per_s: f64,
    /// The times of these calls from their beginning to their end, even where that lies outside: a call that hangs
    /// for longer than the window counts, and so does a failed one.
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
}

impl Measured {
    /// The results of the calls in a window that is not empty.
    pub(super) fn of(calls: &[Call], from: Instant, until: Instant) -> Measured {
        let within = |at: Instant| from <= at && at < until;
        let ended = calls.iter().filter(|call| within(call.ended));
        let tokens: u64 = ended.filter_map(|call| call.tokens).sum();
        let there = |call: &&Call| from <= call.ended && call.began < until;
        let there: Vec<_> = calls.iter().filter(there).collect();
        let mut times: Vec<_> = there.iter().map(|call| call.ended - call.began).collect();
        times.sort();
        let at = |share: f64| {
            let last = times.len().saturating_sub(1) as f64;
            let time = times.get((last * share).round() as usize);
            time.map_or(f64::NAN, |time| time.as_secs_f64() * 1_000.0)
        };
        Measured {
            calls: there.len(),
            failed: there.iter().filter(|call| call.tokens.is_none()).count(),
            held: there.iter().map(|call| call.held).sum(),
            tokens_per_s: tokens as f64 / (until - from).as_secs_f64(),
            p50_ms: at(0.50),
            p99_ms: at(0.99),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns the first calls away, then fails.
    struct Busy(AtomicU64);

    impl ChatModel for Busy {
        fn name(&self) -> &str {
            "busy"
        }

        fn chat<'a>(
            &'a self,
            _: &'a ChatRequest,
        ) -> llm::BoxFuture<'a, Result<llm::ChatReply, llm::Error>> {
            let left = self.0.fetch_sub(1, Ordering::Relaxed);
            Box::pin(std::future::ready(match left {
                1 => Err(llm::Error::TimedOut(Duration::ZERO)),
                _ => Err(llm::Error::Overloaded { retry_after: None }),
            }))
        }
    }

    #[tokio::test]
    async fn a_call_that_is_turned_away_is_made_again() {
        let request = super::super::world::World { scale: 1.0 }.request(0);
        let call = call(&Busy(AtomicU64::new(4)), &request).await;
        assert_eq!((call.held, call.tokens), (3, None));
    }

    #[test]
    fn only_the_window_counts_and_the_slow_end_of_it_too() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let call = |began, ended, tokens| Call {
            began: at(began),
            ended: at(ended),
            tokens,
            held: 1,
        };
        let calls = [
            call(0, 50, Some(1_000)),
            call(50, 150, Some(10)),
            call(100, 200, Some(20)),
            call(150, 160, None),
            call(250, 900, Some(40)),
            call(300, 310, Some(5)),
        ];
        let measured = Measured::of(&calls, at(100), at(300));
        assert_eq!((measured.calls, measured.failed), (4, 1));
        assert_eq!(measured.held, 4);
        assert_eq!(measured.tokens_per_s, 150.0);
        assert_eq!((measured.p50_ms, measured.p99_ms), (100.0, 650.0));
        let hanging = [call(0, 900, None)];
        let measured = Measured::of(&hanging, at(100), at(300));
        assert_eq!((measured.failed, measured.p99_ms), (1, 900.0));
        assert!(Measured::of(&[], at(0), at(1)).p99_ms.is_nan());
    }
}
