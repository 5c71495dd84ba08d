//! What is looked at again and again during a long run: answers, memory, and what the streams hold.

use crate::driver::{DRIVER, SERVER};
use crate::host::pss_mb;
use crate::out::println;
use argosy::cli_error::CliError;
use bus::{Bus, BusError, Stream};
use serde::Serialize;
use std::time::{Duration, Instant};

/// The time between two samples.
const EVERY: Duration = Duration::from_secs(5);
/// For how long a server may be away.
const AWAY: Duration = Duration::from_secs(30);

/// One sample: what was answered since the one before, and what there is now.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Sample {
    pub(super) at_s: f64,
    pub(super) queries_per_s: f64,
    pub(super) p99_ms: f64,
    pub(super) workers_pss_mb: f64,
    pub(super) server_pss_mb: f64,
    pub(super) driver_pss_mb: f64,
    pub(super) steps_mb: f64,
    pub(super) steps_messages: u64,
    pub(super) timers_messages: u64,
    pub(super) inbox_messages: u64,
    pub(super) answers_mb: f64,
}

/// Looks again and again at the streams and at the memory of these processes, by name; ends only where the server is away
/// for too long.
pub(super) async fn watch(
    bus: &dyn Bus,
    processes: &(dyn Fn() -> Vec<(String, u32)> + Sync),
    samples: &mut Vec<Sample>,
) -> Result<(), CliError> {
    let begun = Instant::now();
    let mut seen = begun;
    loop {
        tokio::time::sleep(EVERY).await;
        let mut sample = match streams(bus).await {
            Ok(sample) => sample,
            Err(_) if seen.elapsed() < AWAY => continue,
            Err(error) => return Err(error.into()),
        };
        seen = Instant::now();
        for (name, pid) in processes() {
            *match name.as_str() {
                SERVER => &mut sample.server_pss_mb,
                DRIVER => &mut sample.driver_pss_mb,
                _ => &mut sample.workers_pss_mb,
            } += pss_mb(pid);
        }
        sample.at_s = begun.elapsed().as_secs_f64();
        samples.push(sample);
    }
}

async fn streams(bus: &dyn Bus) -> Result<Sample, BusError> {
    let steps = bus.state(Stream::Steps(0)).await?;
    let timers = bus.state(Stream::Timers).await?;
    let inbox = bus.state(Stream::Inbox).await?;
    let answers = bus.state(Stream::Answers).await?;
    Ok(Sample {
        inbox_messages: inbox.messages,
        answers_mb: answers.bytes as f64 / 1e6,
        steps_mb: steps.bytes as f64 / 1e6,
        steps_messages: steps.messages,
        timers_messages: timers.messages,
        ..Sample::default()
    })
}

/// Fills in rates and times from the answers: when each came, and how long it took, in seconds; by the first of these.
pub(super) fn fill(samples: &mut [Sample], answers: &[(f64, f64)]) {
    let (mut from, mut at_s) = (0, 0.0);
    for sample in samples {
        let to = answers.partition_point(|(at, _)| *at < sample.at_s);
        let mut took: Vec<f64> = answers[from..to]
            .iter()
            .map(|(_, took)| took * 1000.0)
            .collect();
        took.sort_by(f64::total_cmp);
        sample.queries_per_s = took.len() as f64 / (sample.at_s - at_s);
        sample.p99_ms = took.get(took.len() * 99 / 100).copied().unwrap_or(f64::NAN);
        (from, at_s) = (to, sample.at_s);
    }
}

/// Prints them as a table.
pub(super) fn table(samples: &[Sample]) {
    println!(
        "{:>7} {:>9} {:>8} {:>11} {:>10} {:>9} {:>9} {:>9}",
        "s", "queries/s", "p99 ms", "workers MB", "server MB", "steps MB", "messages", "timers"
    );
    for s in samples {
        println!(
            "{:>7.0} {:>9.0} {:>8.1} {:>11.0} {:>10.0} {:>9.1} {:>9} {:>9}",
            s.at_s,
            s.queries_per_s,
            s.p99_ms,
            s.workers_pss_mb,
            s.server_pss_mb,
            s.steps_mb,
            s.steps_messages,
            s.timers_messages
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_counts_in_the_sample_after_it() {
        let at = |at_s| Sample {
            at_s,
            ..Sample::default()
        };
        let mut samples = [at(5.0), at(10.0), at(15.0)];
        fill(
            &mut samples,
            &[(1.0, 0.5), (4.9, 0.1), (5.0, 0.2), (99.0, 9.0)],
        );
        let rates = samples.clone().map(|s| s.queries_per_s);
        assert_eq!(rates, [0.4, 0.2, 0.0]);
        assert_eq!((samples[0].p99_ms, samples[1].p99_ms), (500.0, 200.0));
        assert!(samples[2].p99_ms.is_nan());
    }
}
