//! Measures the fleet against bare JetStream in the same run.
//!
//! A closed loop keeps a fixed number of questions in flight. The model is a stub, so the measured cost is that of
//! the messages in the fleet, the server and the driver. The ratios matter, because absolute figures depend on the
//! machine. Runs of the fleet and of the floor alternate on fresh servers, so that a drift of the machine affects both.

use crate::cli::FleetArgs;
use crate::driver::{Cost, Run};
use crate::fleet_run::{self, Kind, Measured, Setting};
use crate::out::println;
use crate::{real, steady};
use argosy::cli::Output;
use argosy::cli_error::CliError;
use argosy::machine::machine;
use owo_colors::OwoColorize;
use serde::Serialize;
use serde_json::json;

/// One row of the report: medians over the repetitions.
#[derive(Debug, Serialize)]
struct Row {
    in_flight: usize,
    queries: usize,
    queries_per_s: f64,
    p50_ms: f64,
    p99_ms: f64,
    cpu_ms_per_query: f64,
    /// The peak of the memory of all processes together.
    pss_mb: f64,
    /// By process: the workers, the server, the driver.
    processes: Vec<Cost>,
    messages_per_query: f64,
    bytes_per_message: f64,
    /// Bare JetStream with as many messages.
    floor: Option<Floor>,
}

/// A floor beside a row.
#[derive(Debug, Serialize)]
struct Floor {
    queries_per_s: f64,
    p50_ms: f64,
    cpu_ms_per_query: f64,
    messages_per_query: f64,
    /// The fleet's questions a second by the floor's, of the same repetition.
    ratio: f64,
}

/// `argosy-bench fleet`
pub async fn fleet(args: FleetArgs, output: Output) -> Result<(), CliError> {
    if args.real {
        return real::run(&args, output).await;
    }
    if let Some(seconds) = args.seconds {
        return steady::run(&args, seconds, output).await;
    }
    let setting = Setting::of(&args)?;
    let mut fleets = Vec::new();
    let mut floors = Vec::new();
    for repetition in 0..args.repeat.max(1) {
        fleets.push(fleet_run::run(&setting, Kind::Fleet).await?);
        if !args.no_floor && args.rounds == 1 {
            floors.push(fleet_run::run(&setting, Kind::Floor).await?);
        }
        tracing::info!(repetition, "repetition done");
    }
    for (fleet, floor) in fleets.iter().zip(&floors) {
        same_messages(fleet, floor)?;
    }
    let rows: Vec<Row> = (0..args.in_flight.len())
        .map(|i| row(i, &args, &fleets, &floors))
        .collect();
    let idle: Vec<f64> = fleets.iter().map(|f| f.idle_worker_pss_mb).collect();
    let sizes = fleets[0].sizes.clone();
    let class = if args.sync_always { "F" } else { "P" };
    if output == Output::Json {
        let report = json!({
            "class": class, "model_delay_ms": args.model_delay_ms, "maps": fleet_run::MAPS, "rounds": args.rounds, "machine": machine(),
            "search_delay_ms": args.search_delay_ms, "repetitions": args.repeat, "idle_worker_pss_mb": median(idle), "runs": rows, "message_sizes": sizes,
        });
        println!("{report:#}");
        return Ok(());
    }
    println!(
        "{} class {class}, model {} ms, index {} ms, rounds of a question {}, {} repetitions",
        machine(),
        args.model_delay_ms,
        args.search_delay_ms,
        args.rounds,
        args.repeat
    );
    let head = format!(
        "{:>9} {:>10} {:>8} {:>8} {:>9} {:>7} {:>6} {:>10} {:>6}",
        "in flight",
        "queries/s",
        "p50 ms",
        "p99 ms",
        "cpu ms/q",
        "Pss MB",
        "msg/q",
        "floor q/s",
        "ratio"
    );
    println!("{}", head.bold());
    for r in &rows {
        let floor = r.floor.as_ref();
        let bare = floor.map_or("--".into(), |f| format!("{:.0}", f.queries_per_s));
        let ratio = floor.map_or("--".into(), |f| format!("{:.2}", f.ratio));
        println!(
            "{:>9} {:>10.0} {:>8.2} {:>8.2} {:>9.2} {:>7.0} {:>6.1} {bare:>10} {ratio:>6}",
            r.in_flight,
            r.queries_per_s,
            r.p50_ms,
            r.p99_ms,
            r.cpu_ms_per_query,
            r.pss_mb,
            r.messages_per_query,
        );
    }
    if let Some(last) = rows.last() {
        costs(last.in_flight, &last.processes);
    }
    println!("one idle worker: {:.1} MB (Pss)", median(idle));
    println!("{}", "median bytes by kind of message".bold());
    for size in sizes {
        println!("{:>28} {:>7.0}", size.kind, size.p50_bytes);
    }
    Ok(())
}

/// A ratio of two runs that store different messages would say nothing.
fn same_messages(fleet: &Measured, floor: &Measured) -> Result<(), CliError> {
    let pairs = fleet.runs.iter().zip(&floor.runs);
    let mut pairs = pairs.map(|(a, b)| (a.messages_per_query, b.messages_per_query));
    match pairs.find(|(a, b)| (a - b).abs() > 0.5) {
        None => Ok(()),
        Some((a, b)) => Err(CliError::negative(format!(
            "a question of the fleet stores {a:.1} messages and one of the floor {b:.1}, which are not to be compared: \
             bring floor.rs up to date"
        ))),
    }
}

/// What each process has cost, as a table.
pub(crate) fn costs(in_flight: usize, processes: &[Cost]) {
    let head = format!("{:>12} {:>9} {:>7}", "process", "cpu ms/q", "Pss MB");
    println!(
        "{}",
        format!("by process, with {in_flight} in flight").bold()
    );
    println!("{head}");
    for one in processes {
        println!(
            "{:>12} {:>9.3} {:>7.1}",
            one.name, one.cpu_ms_per_query, one.pss_mb
        );
    }
}

fn row(i: usize, args: &FleetArgs, fleets: &[Measured], floors: &[Measured]) -> Row {
    let of = |runs: &[Measured], pick: fn(&Run) -> f64| {
        median(runs.iter().map(|m| pick(&m.runs[i])).collect())
    };
    let floor = |runs: &[Measured]| {
        // Fleet and floor of one repetition ran after each other: the ratio is taken pair by pair.
        let pairs = fleets.iter().zip(runs);
        let ratios = pairs.map(|(a, b)| a.runs[i].queries_per_s / b.runs[i].queries_per_s);
        (!runs.is_empty()).then(|| Floor {
            queries_per_s: of(runs, |r| r.queries_per_s),
            p50_ms: of(runs, |r| r.p50_ms),
            cpu_ms_per_query: of(runs, Run::cpu_ms_per_query),
            messages_per_query: of(runs, |r| r.messages_per_query),
            ratio: median(ratios.collect()),
        })
    };
    let runs: Vec<&Run> = fleets.iter().map(|fleet| &fleet.runs[i]).collect();
    Row {
        in_flight: args.in_flight[i],
        queries: runs[0].queries,
        queries_per_s: of(fleets, |r| r.queries_per_s),
        p50_ms: of(fleets, |r| r.p50_ms),
        p99_ms: of(fleets, |r| r.p99_ms),
        cpu_ms_per_query: of(fleets, Run::cpu_ms_per_query),
        pss_mb: of(fleets, Run::pss_mb),
        processes: medians(&runs),
        messages_per_query: of(fleets, |r| r.messages_per_query),
        bytes_per_message: of(fleets, |r| r.bytes_per_message),
        floor: floor(floors),
    }
}

/// What each process has cost: medians over runs of the same processes.
pub(crate) fn medians(runs: &[&Run]) -> Vec<Cost> {
    let of = |n: usize, pick: fn(&Cost) -> f64| {
        median(runs.iter().map(|run| pick(&run.processes[n])).collect())
    };
    let first = runs.first().map_or(&[][..], |run| &run.processes);
    let costs = first.iter().enumerate();
    let costs = costs.map(|(n, one)| Cost {
        name: one.name.clone(),
        cpu_ms_per_query: of(n, |cost| cost.cpu_ms_per_query),
        pss_mb: of(n, |cost| cost.pss_mb),
    });
    costs.collect()
}

/// The median of some figures.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => (values[n / 2 - 1] + values[n / 2]) / 2.0,
    }
}
