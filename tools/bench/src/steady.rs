//! Keeps a constant load on a fleet until messages age out of the streams, and watches memory and disk. The maximum
//! ages are short, so that minutes stand for days.

use crate::cli::FleetArgs;
use crate::driver::{Cast, closed_loop};
use crate::fleet::median;
use crate::fleet_run::{Ground, nats_server, question};
use crate::host::memory_mb;
use crate::out::println;
use argosy::cli::Output;
use argosy::cli_error::CliError;
use argosy::config::Config;
use argosy::fleet::drain;
use bus::{Bus, Stream};
use envelope::Role;
use serde::Serialize;
use settings::TimeSpan;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time for a question, and how long its steps are kept after that.
const DEADLINE: TimeSpan = TimeSpan::from_secs(10);
const KEEP: TimeSpan = TimeSpan::from_secs(5);
/// How many questions lie between two samples.
const BURST: usize = 500;

/// One sample.
#[derive(Debug, Clone, Serialize)]
struct Sample {
    at_s: f64,
    queries_per_s: f64,
    p99_ms: f64,
    workers_rss_mb: f64,
    server_rss_mb: f64,
    steps_mb: f64,
    steps_messages: u64,
    timers_messages: u64,
}

/// Runs for `seconds`.
pub(super) async fn run(args: &FleetArgs, seconds: u64, output: Output) -> Result<(), CliError> {
    let least = 2 * (DEADLINE.duration() + KEEP.duration()).as_secs();
    if seconds < least {
        return Err(CliError::usage(format!(
            "--seconds {seconds}: a steady run needs at least {least} s, twice the time that a message is kept"
        )));
    }
    let mut config = Config::default();
    config.streams.keep = KEEP;
    let binary = nats_server()?;
    let ground = Ground::lay(binary, args.sync_always, &config).await?;
    let set = vec![
        "run.slots=256".into(),
        format!("streams.keep={KEEP}"),
        format!("gateway.deadline={DEADLINE}"),
    ];
    let mut members = ground
        .plan(set, args.stubs())?
        .start_each(&Role::ANSWERING)?;
    let pids: Vec<u32> = members.iter().filter_map(|m| m.pid()).collect();
    let in_flight = args.in_flight.last().copied().unwrap_or(16);
    let samples = sample(&ground, &pids, in_flight, seconds).await;
    drain(&mut members, Duration::from_secs(40)).await;
    report(&samples?, in_flight, output)
}

async fn sample(
    ground: &Ground,
    pids: &[u32],
    in_flight: usize,
    seconds: u64,
) -> Result<Vec<Sample>, CliError> {
    let bus: Arc<dyn Bus> = ground.bus.clone();
    let cast = Cast {
        bus: bus.clone(),
        server: ground.server.pid(),
        workers: pids,
    };
    closed_loop(&cast, "hello-", &question, 1, 1).await?;
    let begun = Instant::now();
    let mut samples = Vec::new();
    while begun.elapsed() < Duration::from_secs(seconds) {
        let run = closed_loop(
            &cast,
            &format!("s{}-", samples.len()),
            &question,
            in_flight,
            BURST,
        )
        .await?;
        let (steps, timers) = (
            bus.state(Stream::Steps(0)).await?,
            bus.state(Stream::Timers).await?,
        );
        samples.push(Sample {
            at_s: begun.elapsed().as_secs_f64(),
            queries_per_s: run.queries_per_s,
            p99_ms: run.p99_ms,
            workers_rss_mb: pids.iter().map(|pid| memory_mb(*pid, "VmRSS")).sum(),
            server_rss_mb: memory_mb(ground.server.pid(), "VmRSS"),
            steps_mb: steps.bytes as f64 / 1e6,
            steps_messages: steps.messages,
            timers_messages: timers.messages,
        });
    }
    Ok(samples)
}

fn report(samples: &[Sample], in_flight: usize, output: Output) -> Result<(), CliError> {
    // Before the first messages age out everything grows; from then on it must not.
    let settled = (DEADLINE.duration() + KEEP.duration()).as_secs_f64();
    let after: Vec<&Sample> = samples.iter().filter(|s| s.at_s > settled).collect();
    let (early, late) = after.split_at(after.len() / 2);
    let of =
        |half: &[&Sample], pick: fn(&Sample) -> f64| median(half.iter().map(|s| pick(s)).collect());
    let growth = |pick: fn(&Sample) -> f64| of(late, pick) / of(early, pick);
    let (memory, disk) = (growth(|s| s.workers_rss_mb), growth(|s| s.steps_mb));
    let server = growth(|s| s.server_rss_mb);
    if output == Output::Json {
        let report = serde_json::json!({ "in_flight": in_flight, "samples": samples, "growth_of_the_second_half":
            { "workers_rss": memory, "server_rss": server, "steps_bytes": disk } });
        println!("{report:#}");
        return Ok(());
    }
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
            s.workers_rss_mb,
            s.server_rss_mb,
            s.steps_mb,
            s.steps_messages,
            s.timers_messages
        );
    }
    println!(
        "second half against the first, once messages age out: workers {memory:.2}, server {server:.2}, steps {disk:.2}"
    );
    Ok(())
}
