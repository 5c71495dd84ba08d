//! Measures the cost of conversations: of their logs on a server, of the store that follows the logs, and of waiting
//! turns for other questions.
//!
//! The logs are written by the functions that a gateway uses, without the fleet around them. The fleet's part is
//! measured with its own processes and a stub model. Absolute figures depend on the machine.

mod beside;
mod log;
mod store;

use crate::cli::ConversationArgs;
use crate::fleet_run::{Ground, nats_server};
use crate::out::println;
use argosy::cli::Output;
use argosy::cli_error::CliError;
use argosy::config::Config;
use argosy::machine::machine;
use beside::Beside;
use log::{Busy, Reads};
use owo_colors::OwoColorize;
use serde::Serialize;
use store::Kept;

/// The measured values.
#[derive(Debug, Serialize)]
struct Report {
    machine: String,
    /// The turns that are opened and ended per second, each in a conversation without another writer.
    turns_per_s: f64,
    /// The bytes of the stream that a turn takes, with a question of 100 B, an answer of 800 B and five chunk ids.
    bytes_per_turn: f64,
    /// The exchanges that a recall reads.
    exchanges: usize,
    /// The reads of a recall from the log: the time of one at a time, and how many are made per second.
    recall_p50_ms: f64,
    recall_p99_ms: f64,
    recalls_per_s: f64,
    /// The same from the store on disk, without other work.
    store_recall_p50_ms: f64,
    store_recalls_per_s: f64,
    /// The share of appends for which another writer was quicker, where one writer opens and another ends turns of
    /// the same conversations.
    append_conflict_share: f64,
    /// The same share on three replicas.
    append_conflict_share_r3: f64,
    /// The time until a store has taken in the whole log, and the time until a full store is opened and checked.
    recovery_s: f64,
    reopen_s: f64,
    store_mb: f64,
    /// The turns in the log for both times.
    store_turns: usize,
    /// The result of a fleet of real processes; absent when the fleet was left out.
    #[serde(flatten)]
    beside: Option<Beside>,
}

/// `argosy-bench conversation`
pub async fn conversation(args: ConversationArgs, output: Output) -> Result<(), CliError> {
    let binary = nats_server()?;
    let config = Config::default();
    let ground = Ground::lay(binary.clone(), false, &config).await?;
    let (turns_per_s, bytes_per_turn) = log::turns(&ground.bus, &args).await?;
    let reads = log::recalls(&ground.bus, &args).await?;
    let kept = store::kept(&ground.bus, &args).await?;
    drop(ground);
    let one = Ground::lay(binary.clone(), false, &config).await?;
    let busy = log::busy(&one.bus, &args).await?;
    drop(one);
    let three = log::busy_on_three(&binary, &args).await?;
    let beside = match args.no_fleet {
        true => None,
        false => Some(beside::beside(binary, &args).await?),
    };
    let report = report(
        args.exchanges,
        turns_per_s,
        bytes_per_turn,
        &reads,
        &kept,
        [busy, three],
        beside,
    );
    if output == Output::Json {
        println!("{}", serde_json::json!(report));
    } else {
        show(&report);
    }
    Ok(())
}

fn report(
    exchanges: usize,
    turns_per_s: f64,
    bytes_per_turn: f64,
    reads: &Reads,
    kept: &Kept,
    [one, three]: [Busy; 2],
    beside: Option<Beside>,
) -> Report {
    Report {
        machine: machine(),
        turns_per_s,
        bytes_per_turn,
        exchanges,
        recall_p50_ms: reads.p50_ms,
        recall_p99_ms: reads.p99_ms,
        recalls_per_s: reads.per_s,
        store_recall_p50_ms: kept.reads.p50_ms,
        store_recalls_per_s: kept.reads.per_s,
        append_conflict_share: one.share(),
        append_conflict_share_r3: three.share(),
        recovery_s: kept.recovery_s,
        reopen_s: kept.reopen_s,
        store_mb: kept.megabytes,
        store_turns: kept.turns,
        beside,
    }
}

fn show(report: &Report) {
    println!("{}", report.machine);
    println!("{}", "the log of one server".bold());
    println!(
        "{:>10.0} turns opened and ended a second",
        report.turns_per_s
    );
    println!("{:>10.0} bytes a turn", report.bytes_per_turn);
    println!(
        "{:>10.0} recalls of {} exchanges a second; one alone {:.2} ms, p99 {:.2} ms",
        report.recalls_per_s, report.exchanges, report.recall_p50_ms, report.recall_p99_ms
    );
    println!(
        "{:>9.1}% of appends came too late where two write to one conversation; {:.1}% on three replicas",
        report.append_conflict_share * 100.0,
        report.append_conflict_share_r3 * 100.0
    );
    println!("{}", "the store on disk".bold());
    println!(
        "{:>10.0} recalls a second; one alone {:.2} ms",
        report.store_recalls_per_s, report.store_recall_p50_ms
    );
    println!(
        "{:>10.2} s to take in {} turns, {:.2} s to open them, {:.0} MB",
        report.recovery_s, report.store_turns, report.reopen_s, report.store_mb
    );
    if let Some(beside) = &report.beside {
        println!("{}", "a fleet, one question at a time".bold());
        println!(
            "{:>10.2} ms p50 without a conversation, {:.2} ms as one of eight of a conversation",
            beside.stateless_p50_ms, beside.recalled_p50_ms
        );
        println!("{}", "16 questions at a time".bold());
        println!(
            "{:>10.2} ms p99, {:.2} ms beside {} conversations with {} turns each in their logs",
            beside.alone_p99_ms, beside.beside_p99_ms, beside.conversations, beside.turns_each
        );
    }
}
