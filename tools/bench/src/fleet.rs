//! Measures the fleet against bare JetStream in the same run.
//!
//! A closed loop keeps a fixed number of questions in flight. The model is a stub, so the measured cost is that of
//! the messages in the fleet, the server and the driver. The ratios matter, because absolute figures depend on the
//! machine. Runs of the fleet and of the floor alternate on fresh servers, so that a drift of the machine affects
//! both.

use crate::cli::FleetArgs;
use crate::fleet_run::{self, Kind, Measured, Setting};
use crate::out::println;
use crate::{driver, real, steady};
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
    peak_rss_mb: f64,
    workers_rss_mb: f64,
    messages_per_query: f64,
    bytes_per_message: f64,
    floor_queries_per_s: Option<f64>,
    floor_p50_ms: Option<f64>,
    floor_cpu_ms_per_query: Option<f64>,
    floor_messages_per_query: Option<f64>,
    ratio: Option<f64>,
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
    let (mut fleets, mut floors) = (Vec::new(), Vec::new());
    for repetition in 0..args.repeat.max(1) {
        fleets.push(fleet_run::run(&setting, Kind::Fleet).await?);
        if !args.no_floor && args.rounds == 1 {
            floors.push(fleet_run::run(&setting, Kind::Floor).await?);
        }
        tracing::info!(repetition, "repetition done");
    }
    let rows: Vec<Row> = (0..args.in_flight.len())
        .map(|i| row(i, &args, &fleets, &floors))
        .collect();
    let idle: Vec<f64> = fleets.iter().map(|f| f.idle_worker_rss_mb).collect();
    let sizes = fleets[0].sizes.clone();
    let class = if args.sync_always { "F" } else { "P" };
    if output == Output::Json {
        let report = json!({
            "class": class, "model_delay_ms": args.model_delay_ms, "maps": fleet_run::MAPS, "rounds": args.rounds, "machine": machine(),
            "search_delay_ms": args.search_delay_ms, "repetitions": args.repeat, "idle_worker_rss_mb": median(idle), "runs": rows, "message_sizes": sizes,
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
        "{:>9} {:>10} {:>8} {:>8} {:>10} {:>8} {:>8} {:>6} {:>10} {:>8} {:>6}",
        "in flight",
        "queries/s",
        "p50 ms",
        "p99 ms",
        "cpu ms/q",
        "rss MB",
        "workers",
        "msg/q",
        "floor q/s",
        "msg/q",
        "ratio"
    );
    println!("{}", head.bold());
    for r in &rows {
        println!(
            "{:>9} {:>10.0} {:>8.2} {:>8.2} {:>10.2} {:>8.0} {:>8.0} {:>6.1} {:>10} {:>8} {:>6}",
            r.in_flight,
            r.queries_per_s,
            r.p50_ms,
            r.p99_ms,
            r.cpu_ms_per_query,
            r.peak_rss_mb,
            r.workers_rss_mb,
            r.messages_per_query,
            shown(r.floor_queries_per_s, 0),
            shown(r.floor_messages_per_query, 1),
            shown(r.ratio, 2),
        );
    }
    println!("one idle worker: {:.1} MB resident", median(idle));
    println!("{}", "median bytes by kind of message".bold());
    for size in sizes {
        println!("{:>28} {:>7.0}", size.kind, size.p50_bytes);
    }
    Ok(())
}

fn shown(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "--".into(), |v| format!("{v:.digits$}"))
}

fn row(i: usize, args: &FleetArgs, fleets: &[Measured], floors: &[Measured]) -> Row {
    let of = |runs: &[Measured], pick: fn(&driver::Run) -> f64| {
        median(runs.iter().map(|m| pick(&m.runs[i])).collect())
    };
    let floor = |pick: fn(&driver::Run) -> f64| (!floors.is_empty()).then(|| of(floors, pick));
    // Fleet and floor of one repetition ran after each other: the ratio is taken pair by pair.
    let pairs = fleets
        .iter()
        .zip(floors)
        .map(|(a, b)| a.runs[i].queries_per_s / b.runs[i].queries_per_s);
    let ratios: Vec<f64> = pairs.collect();
    Row {
        in_flight: args.in_flight[i],
        queries: fleets[0].runs[i].queries,
        queries_per_s: of(fleets, |r| r.queries_per_s),
        p50_ms: of(fleets, |r| r.p50_ms),
        p99_ms: of(fleets, |r| r.p99_ms),
        cpu_ms_per_query: of(fleets, |r| r.cpu_ms_per_query),
        peak_rss_mb: of(fleets, |r| r.peak_rss_mb),
        workers_rss_mb: of(fleets, |r| r.workers_rss_mb),
        messages_per_query: of(fleets, |r| r.messages_per_query),
        bytes_per_message: of(fleets, |r| r.bytes_per_message),
        floor_queries_per_s: floor(|r| r.queries_per_s),
        floor_p50_ms: floor(|r| r.p50_ms),
        floor_cpu_ms_per_query: floor(|r| r.cpu_ms_per_query),
        floor_messages_per_query: floor(|r| r.messages_per_query),
        ratio: (!ratios.is_empty()).then(|| median(ratios)),
    }
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
