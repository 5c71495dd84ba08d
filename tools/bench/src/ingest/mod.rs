//! The ingest benchmark: measures how much faster documents are indexed with more indexers.
//!
//! Documents go through a real nats-server to one process per indexer, the same as `argosy run indexer`: an indexer
//! reads a document, cuts it into chunks, embeds them where vectors travel with the chunks, and publishes them with
//! write conditions. There are two measurements. With the static table, indexers make no vectors (retrievers do), so
//! the cores are the limit. With an embedder that only sleeps, more indexers have more calls in flight at once.
//!
//! The *floor* is measured in the same run: the messages that the indexers stored are published to a fresh server
//! without write conditions, as fast as the server takes them.

mod run;

use crate::cli::IngestArgs;
use crate::fleet_run::nats_server;
use crate::out::println;
use crate::waiting::Waiting;
use argosy::cli::Output;
use argosy::cli_error::CliError;
use argosy::machine::machine;
use argosy::render::ProgressLine;
use owo_colors::OwoColorize;
use run::{Floor, Run, Setting};
use serde::Serialize;

/// The documents at once in an indexer with the static table, which is the default.
const SLOTS: u32 = 8;

/// The result with one embedder.
#[derive(Debug, Serialize)]
struct Report {
    embedder: &'static str,
    slots: u32,
    /// The same messages published bare: messages per second, and the server's processor time for one message in
    /// microseconds.
    floor_per_s: f64,
    floor_server_us: f64,
    runs: Vec<Row>,
}

/// One run.
#[derive(Debug, Serialize)]
struct Row {
    replicas: u32,
    chunks: u64,
    seconds: f64,
    chunks_per_s: f64,
    /// The chunks per second for each core of the machine.
    chunks_per_s_per_core: f64,
    /// The ratio to the first run.
    ratio: f64,
    /// The ratio to the floor.
    floor_ratio: f64,
    /// The processor time for a chunk, in microseconds: of all indexers, and of the server.
    cpu_us: f64,
    server_us: f64,
    /// The most memory of one indexer, in MB.
    peak_rss_mb: f64,
}

/// `argosy-bench ingest`
pub async fn ingest(args: IngestArgs, output: Output) -> Result<(), CliError> {
    let line = ProgressLine::new(output);
    let binary = nats_server()?;
    let waiting = Waiting::start(args.embedder_ms).await?;
    let mut reports = Vec::new();
    for (embedder, slots, set) in [
        (static_embed::STATIC_NAME, SLOTS, Vec::new()),
        ("waiting", args.waiting_slots, waiting.options()),
    ] {
        let setting = Setting {
            nats_server: binary.clone(),
            documents: args.documents,
            parts: args.parts,
            slots,
            set,
        };
        let mut runs = Vec::new();
        let mut floor = None;
        for replicas in &args.replicas {
            line.say(format!("{embedder}: {replicas} indexers"));
            let (run, messages) = setting.run(*replicas, floor.is_none()).await?;
            runs.push((*replicas, run));
            if !messages.is_empty() {
                line.say(format!("{embedder}: the floor"));
                floor = Some(setting.floor(messages).await?);
            }
        }
        let floor = floor.ok_or_else(|| CliError::usage("--replicas wants a number"))?;
        reports.push(report(embedder, slots, floor, &runs));
    }
    line.done();
    show(&args, &reports, output);
    Ok(())
}

fn report(embedder: &'static str, slots: u32, floor: Floor, runs: &[(u32, Run)]) -> Report {
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let first = runs.first().map_or(f64::NAN, |(_, run)| run.per_s());
    let row = |(replicas, run): &(u32, Run)| Row {
        replicas: *replicas,
        chunks: run.chunks,
        seconds: run.seconds,
        chunks_per_s: run.per_s(),
        chunks_per_s_per_core: run.per_s() / cores,
        ratio: run.per_s() / first,
        floor_ratio: run.per_s() / floor.per_s,
        cpu_us: run.indexers_ms * 1_000.0 / run.chunks as f64,
        server_us: run.server_ms * 1_000.0 / run.chunks as f64,
        peak_rss_mb: run.peak_rss_mb,
    };
    Report {
        embedder,
        slots,
        floor_per_s: floor.per_s,
        floor_server_us: floor.server_us,
        runs: runs.iter().map(row).collect(),
    }
}

fn show(args: &IngestArgs, reports: &[Report], output: Output) {
    if output == Output::Json {
        let report = serde_json::json!({
            "machine": machine(), "documents": args.documents, "parts": args.parts,
            "embedder_ms": args.embedder_ms, "embedders": reports,
        });
        println!("{report:#}");
        return;
    }
    println!(
        "{}: {} documents of {} parts of 180 words",
        machine(),
        args.documents,
        args.parts
    );
    for report in reports {
        let waits = match report.embedder {
            "waiting" => format!(" {} ms a call", args.embedder_ms),
            _ => String::new(),
        };
        println!(
            "\nembedder {}{waits}, {} documents at once in each indexer; bare {:.0} messages/s",
            report.embedder, report.slots, report.floor_per_s
        );
        let head = format!(
            "{:>8} {:>8} {:>9} {:>8} {:>6} {:>9} {:>11} {:>10} {:>7}",
            "indexers",
            "chunks/s",
            "per core",
            "seconds",
            "ratio",
            "of floor",
            "us a chunk",
            "server us",
            "peak MB"
        );
        println!("{}", head.bold());
        for r in &report.runs {
            println!(
                "{:>8} {:>8.0} {:>9.0} {:>8.2} {:>6.2} {:>9.2} {:>11.0} {:>10.0} {:>7.0}",
                r.replicas,
                r.chunks_per_s,
                r.chunks_per_s_per_core,
                r.seconds,
                r.ratio,
                r.floor_ratio,
                r.cpu_us,
                r.server_us,
                r.peak_rss_mb
            );
        }
    }
}
