//! Keeps a constant load on a fleet until messages age out of the streams, and watches memory and disk. The maximum
//! ages are short, so that minutes stand for days.

use crate::cli::FleetArgs;
use crate::driver::{Answered, Cast, DRIVER, Run, SERVER, Until, closed_loop, closed_loop_with};
use crate::fleet::{costs, median};
use crate::fleet_run::{Ground, nats_server, question, settings};
use crate::out::println;
use argosy::cli::Output;
use argosy::cli_error::CliError;
use argosy::config::Config;
use argosy::fleet::drain;
use bus::Stream;
use envelope::Role;
use serde::Serialize;
use settings::TimeSpan;
use std::time::{Duration, Instant};

/// The time for a question, and how long its steps are kept after that.
const DEADLINE: TimeSpan = TimeSpan::from_secs(10);
const KEEP: TimeSpan = TimeSpan::from_secs(5);
/// The time between two samples.
const EVERY: Duration = Duration::from_secs(5);

/// One sample: what was answered since the one before, and what there is now.
#[derive(Debug, Clone, Serialize)]
struct Sample {
    at_s: f64,
    queries_per_s: f64,
    p99_ms: f64,
    workers_pss_mb: f64,
    server_pss_mb: f64,
    driver_pss_mb: f64,
    steps_mb: f64,
    steps_messages: u64,
    timers_messages: u64,
}

/// A run: what it was in all, its samples, and the rate over its last third.
struct Steady {
    run: Run,
    samples: Vec<Sample>,
    sustained: f64,
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
    let mut set = settings();
    set.push(format!("streams.keep={KEEP}"));
    set.push(format!("gateway.deadline={DEADLINE}"));
    let mut members = ground
        .plan(set, args.stubs())?
        .start_each(&Role::ANSWERING)?;
    let cast = Cast::of(&ground, &members);
    let in_flight = args.in_flight.last().copied().unwrap_or(16);
    let measured = measure(&cast, in_flight, Duration::from_secs(seconds)).await;
    drain(&mut members, Duration::from_secs(40)).await;
    report(&measured?, in_flight, output);
    Ok(())
}

async fn measure(cast: &Cast, in_flight: usize, time: Duration) -> Result<Steady, CliError> {
    closed_loop(cast, "hello-", &question, 1, 1).await?;
    let mut answers = Vec::new();
    let each = |one: Answered| answers.push((one.at.as_secs_f64(), one.took));
    let asking = closed_loop_with(cast, "s-", &question, in_flight, Until::Elapsed(time), each);
    let mut samples = Vec::new();
    let run = tokio::select! {
        run = asking => run?,
        Err(error) = watch(cast, &mut samples) => return Err(error),
    };
    let mut from = 0.0;
    for sample in &mut samples {
        let within = answers
            .iter()
            .filter(|(at, _)| (from..sample.at_s).contains(at));
        let mut took: Vec<f64> = within
            .map(|(_, took)| took.as_secs_f64() * 1000.0)
            .collect();
        took.sort_by(f64::total_cmp);
        sample.queries_per_s = took.len() as f64 / (sample.at_s - from);
        sample.p99_ms = took.get(took.len() * 99 / 100).copied().unwrap_or(f64::NAN);
        from = sample.at_s;
    }
    let (all, third) = (time.as_secs_f64(), time.as_secs_f64() / 3.0);
    let last = answers
        .iter()
        .filter(|(at, _)| (all - third..all).contains(at));
    let sustained = last.count() as f64 / third;
    Ok(Steady {
        run,
        samples,
        sustained,
    })
}

/// Looks at memory and streams again and again; ends only where a look fails.
async fn watch(cast: &Cast, samples: &mut Vec<Sample>) -> Result<(), CliError> {
    let begun = Instant::now();
    loop {
        tokio::time::sleep(EVERY).await;
        let steps = cast.bus.state(Stream::Steps(0)).await?;
        let timers = cast.bus.state(Stream::Timers).await?;
        let (mut workers, mut server, mut driver) = (0.0, 0.0, 0.0);
        for ((name, _), pss_mb) in cast.processes.iter().zip(cast.memory_mb()) {
            match name.as_str() {
                SERVER => server += pss_mb,
                DRIVER => driver += pss_mb,
                _ => workers += pss_mb,
            }
        }
        samples.push(Sample {
            at_s: begun.elapsed().as_secs_f64(),
            queries_per_s: 0.0,
            p99_ms: 0.0,
            workers_pss_mb: workers,
            server_pss_mb: server,
            driver_pss_mb: driver,
            steps_mb: steps.bytes as f64 / 1e6,
            steps_messages: steps.messages,
            timers_messages: timers.messages,
        });
    }
}

fn report(measured: &Steady, in_flight: usize, output: Output) {
    let Steady {
        run,
        samples,
        sustained,
    } = measured;
    // Before the first messages age out everything grows; from then on it must not.
    let settled = (DEADLINE.duration() + KEEP.duration()).as_secs_f64();
    let after: Vec<&Sample> = samples.iter().filter(|s| s.at_s > settled).collect();
    let (early, late) = after.split_at(after.len() / 2);
    let of =
        |half: &[&Sample], pick: fn(&Sample) -> f64| median(half.iter().map(|s| pick(s)).collect());
    let growth = |pick: fn(&Sample) -> f64| of(late, pick) / of(early, pick);
    let (memory, disk) = (growth(|s| s.workers_pss_mb), growth(|s| s.steps_mb));
    let server = growth(|s| s.server_pss_mb);
    if output == Output::Json {
        let report = serde_json::json!({
            "in_flight": in_flight, "queries": run.queries, "sustained_queries_per_s": sustained,
            "cpu_ms_per_query": run.cpu_ms_per_query(), "pss_mb": run.pss_mb(), "processes": run.processes,
            "messages_per_query": run.messages_per_query, "samples": samples,
            "growth_of_the_second_half": { "workers_pss": memory, "server_pss": server, "steps_bytes": disk },
        });
        println!("{report:#}");
        return;
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
            s.workers_pss_mb,
            s.server_pss_mb,
            s.steps_mb,
            s.steps_messages,
            s.timers_messages
        );
    }
    costs(in_flight, &run.processes);
    println!(
        "sustained {sustained:.0} questions/s over the last third of {} questions, {:.2} ms of processor time and {:.1} \
         messages each, timers included; memory of all {:.0} MB (Pss)",
        run.queries,
        run.cpu_ms_per_query(),
        run.messages_per_query,
        run.pss_mb()
    );
    println!(
        "second half against the first, once messages age out: workers {memory:.2}, server {server:.2}, steps {disk:.2}"
    );
}
