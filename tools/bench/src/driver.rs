//! Drives a closed loop: a fixed number of questions is in flight, and each answer starts the next question.

use crate::host::{cpu_ms, memory_mb};
use argosy::cli_error::CliError;
use bus::{Bus, Publish, Stream};
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// The result of one closed loop.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) queries: usize,
    pub(super) queries_per_s: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) cpu_ms_per_query: f64,
    /// The peak memory of all processes together: server, workers and driver.
    pub(super) peak_rss_mb: f64,
    /// The peak memory of the workers alone.
    pub(super) workers_rss_mb: f64,
    pub(super) messages_per_query: f64,
    pub(super) bytes_per_message: f64,
}

/// The processes that take part.
pub(super) struct Cast<'a> {
    pub(super) bus: Arc<dyn Bus>,
    pub(super) server: u32,
    pub(super) workers: &'a [u32],
}

/// Makes the body of a question from the question's name. The answer goes to `_INBOX.bench.<name>`.
pub(super) type Body<'a> = &'a (dyn Fn(&str) -> Bytes + Sync);

/// How long no answer may come before a run is given up.
const SILENCE: Duration = Duration::from_secs(30);
/// The streams that hold the messages of a question.
const STREAMS: [Stream; 4] = [
    Stream::Inbox,
    Stream::Steps(0),
    Stream::Timers,
    Stream::Answers,
];

/// Asks `queries` questions, `in_flight` at a time.
pub(super) async fn closed_loop(
    cast: &Cast<'_>,
    prefix: &str,
    body: Body<'_>,
    in_flight: usize,
    queries: usize,
) -> Result<Run, CliError> {
    closed_loop_with(cast, prefix, body, in_flight, queries, |_| {}).await
}

/// Asks in a closed loop, and calls `each` with every answer.
pub(super) async fn closed_loop_with(
    cast: &Cast<'_>,
    prefix: &str,
    body: Body<'_>,
    in_flight: usize,
    queries: usize,
    mut each: impl FnMut(Bytes),
) -> Result<Run, CliError> {
    let mut answers = cast.bus.subscribe("_INBOX.bench.*", None).await?;
    let mut asked: HashMap<String, Instant> = HashMap::new();
    let mut asking = JoinSet::new();
    let mut latencies = Vec::with_capacity(queries);
    let (stored, cpu) = (stored(cast).await?, cpu(cast));
    let begun = Instant::now();
    let mut next = 0;
    while latencies.len() < queries {
        while next < queries && asked.len() < in_flight {
            let name = format!("{prefix}{next}");
            let message = Publish::new(envelope::subject::QUERY, body(&name));
            asked.insert(name, Instant::now());
            let bus = cast.bus.clone();
            asking.spawn(async move { bus.publish(message).await });
            next += 1;
        }
        tokio::select! {
            Some(stored) = asking.join_next(), if !asking.is_empty() => {
                let stored = stored.map_err(|e| CliError::negative(e.to_string()))?;
                stored.map_err(|e| CliError::negative(format!("a question was not stored: {e}")))?;
            }
            answer = tokio::time::timeout(SILENCE, answers.next()) => {
                let Ok(Some(answer)) = answer else {
                    return Err(CliError::negative(format!("no answer for {} s; {} of {queries} came", SILENCE.as_secs(), latencies.len())));
                };
                let name = answer.subject.rsplit('.').next().unwrap_or_default();
                // A delivery may come twice; the question counts once.
                if let Some(at) = asked.remove(name) {
                    latencies.push(at.elapsed().as_secs_f64() * 1000.0);
                    each(answer.body);
                }
            }
        }
    }
    let wall = begun.elapsed().as_secs_f64();
    let n = queries as f64;
    let (messages, bytes) = self::stored(cast).await?;
    let cpu = self::cpu(cast) - cpu;
    latencies.sort_by(f64::total_cmp);
    let percentile = |p: f64| latencies[((latencies.len() - 1) as f64 * p).round() as usize];
    let workers_rss_mb = cast
        .workers
        .iter()
        .map(|pid| memory_mb(*pid, "VmHWM"))
        .sum::<f64>();
    Ok(Run {
        queries,
        queries_per_s: n / wall,
        p50_ms: percentile(0.50),
        p99_ms: percentile(0.99),
        cpu_ms_per_query: cpu / n,
        peak_rss_mb: workers_rss_mb
            + memory_mb(cast.server, "VmHWM")
            + memory_mb(std::process::id(), "VmHWM"),
        workers_rss_mb,
        messages_per_query: (messages - stored.0) / n,
        bytes_per_message: (bytes - stored.1) / (messages - stored.0).max(1.0),
    })
}

/// The messages and bytes stored so far. A timer that fires counts when it fires, which is after the run, because
/// runs are shorter than their deadlines.
async fn stored(cast: &Cast<'_>) -> Result<(f64, f64), CliError> {
    let (mut messages, mut bytes) = (0.0, 0.0);
    for stream in STREAMS {
        let state = cast.bus.state(stream).await?;
        messages += state.last as f64;
        bytes += state.bytes as f64;
    }
    Ok((messages, bytes))
}

fn cpu(cast: &Cast<'_>) -> f64 {
    cast.workers
        .iter()
        .chain([&cast.server, &std::process::id()])
        .map(|pid| cpu_ms(*pid))
        .sum()
}
