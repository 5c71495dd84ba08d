//! Keeps a constant load on a fleet until messages age out of the streams, and watches memory and disk. The maximum
//! ages are short, so that minutes stand for days.

use crate::cli::FleetArgs;
use crate::driver::{Answered, Cast, Run, Until, closed_loop, closed_loop_with};
use crate::fleet::{costs, median};
use crate::fleet_run::{Ground, nats_server, question, settings};
use crate::out::println;
use crate::samples::{self, Sample, watch};
use argosy::cli::Output;
use argosy::cli_error::CliError;
use argosy::config::Config;
use argosy::fleet::drain;
use envelope::Role;
use settings::TimeSpan;
use std::time::Duration;

/// The time for a question, and how long its steps are kept after that.
const DEADLINE: TimeSpan = TimeSpan::from_secs(10);
const KEEP: TimeSpan = TimeSpan::from_secs(5);

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
    let each = |one: Answered| answers.push((one.at.as_secs_f64(), one.took.as_secs_f64()));
    let asking = closed_loop_with(cast, "s-", &question, in_flight, Until::Elapsed(time), each);
    let (mut samples, processes) = (Vec::new(), || cast.processes.clone());
    let run = tokio::select! {
        run = asking => run?,
        Err(error) = watch(&*cast.bus, &processes, &mut samples) => return Err(error),
    };
    samples::fill(&mut samples, &answers);
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
    samples::table(samples);
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
