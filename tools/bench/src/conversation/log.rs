//! Measures logs of conversations on a server: opening and ending turns, reading exchanges back, and two writers on
//! the same conversation.

use crate::cli::ConversationArgs;
use argosy::cli_error::CliError;
use argosy::config::Config;
use bus::{Bus, Stream};
use bus_nats::{self as nats, NatsBus};
use conversation_log::{
    Admission, AdmissionRequest, ConversationKey, Ending, EventSource, Limits, LogEvent, Read,
    TurnOpening, admit, end, exchanges,
};
use envelope::{
    Busy as WhenBusy, Case, Citation, ConversationId, ExchangePlace, Header, Outcome, Role,
    TenantId, Terminal, TurnId, UnixMs,
};
use nats_server::Cluster;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use streams::conversation::{AppendResult, Logs};
use tokio::task::JoinSet;

/// The turns of one conversation.
pub(super) const TURNS_EACH: usize = 10;
/// The writers and readers at once.
const AT_ONCE: usize = 64;
/// The reads that are made one after the other.
const ALONE: usize = 500;
/// The conversations to which two write.
const CONTESTED: usize = 16;

/// The times of reading exchanges.
pub(super) struct Reads {
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) per_s: f64,
}

/// Appends, and the number of those that came too late.
#[derive(Default)]
pub(super) struct Busy {
    appends: usize,
    late: usize,
}

impl Busy {
    pub(super) fn share(&self) -> f64 {
        self.late as f64 / self.appends.max(1) as f64
    }
}

pub(super) fn key(n: usize) -> ConversationKey {
    let id = ConversationId::new(format!("bench-{n:06}"));
    ConversationKey {
        tenant: TenantId::default_tenant(),
        conversation: id.unwrap_or_else(|error| unreachable!("{error}")),
    }
}

/// A question of 100 bytes.
fn asking(key: &ConversationKey, n: usize, now: UnixMs) -> AdmissionRequest {
    let turn = TurnId::derived(n as u64 + 1, now.0);
    let question = format!(
        "{:<100}",
        format!("How long is the notice period of contract {n}?")
    );
    let mut case = Case::default();
    case.question.original = question;
    AdmissionRequest {
        opened: TurnOpening {
            header: Header {
                turn,
                tenant: key.tenant.clone(),
                groups: Default::default(),
                shard: 0,
                hop: 0,
                round: 0,
                role: Role::Gateway,
                asked_at: now,
                created_at: now,
                deadline: now.plus(120_000),
                conversation: Some(key.conversation.clone()),
                parent: None,
                first_hop: 0,
                reply_to: Some("_INBOX.bench.conversation".into()),
                question_hash: "5f0e5f0e5f0e5f0e".into(),
                live: false,
                traceparent: None,
                tracestate: None,
            },
            case,
            inbox: n as u64 + 1,
            answers: None,
        },
        when_busy: WhenBusy::Enqueue,
        reply_to: None,
    }
}

/// An answer of 800 bytes that cites five chunks.
fn terminal(key: &ConversationKey, turn: &TurnId, now: UnixMs) -> Terminal {
    let tenant = key.tenant.clone();
    Terminal {
        conversation: Some(key.conversation.clone()),
        answer: Some("The notice period is ninety days. ".repeat(24)[..800].to_owned()),
        citations: (1..=5).filter_map(cited).collect(),
        ..Terminal::bare(turn.clone(), tenant, Outcome::Answered, now)
    }
}

fn cited(n: u16) -> Option<Citation> {
    serde_json::from_value(json!({
        "n": n, "doc_id": "contracts-2024", "chunk_id": format!("contracts-2024-000{n}.17"), "title": "Contracts",
        "source": "contracts-2024.pdf", "score": 0.9, "quote": "ninety days",
    }))
    .ok()
}

fn opened(before: Option<&Read>, asking: AdmissionRequest, now: UnixMs) -> Option<LogEvent> {
    match admit(before, asking, Limits { waiting_max: 4 }, now) {
        Admission::Open { event, .. } => Some(*event),
        _ => None,
    }
}

fn ended(before: &Read, key: &ConversationKey, now: UnixMs) -> Option<LogEvent> {
    let open = before.event.state.open.first()?;
    let terminal = terminal(key, &open.turn, now);
    match end(Some(before), &terminal, 0, now) {
        Ending::Append(event) => Some(*event),
        Ending::Ended => None,
    }
}

/// Opens and ends the turns of one conversation, as a gateway does: each append follows a read of the last event.
async fn write(bus: Arc<dyn Bus>, n: usize) -> Result<(), CliError> {
    let (logs, key) = (Logs::on(bus.clone()), key(n));
    for turn in 0..TURNS_EACH {
        let last = logs.last(&key).await.map_err(failed)?;
        let asking = asking(&key, n * TURNS_EACH + turn, bus.now());
        let event = opened(last.as_ref(), asking, bus.now());
        append(&logs, &key, last.as_ref(), event).await?;
        let last = logs.last(&key).await.map_err(failed)?;
        let event = last.as_ref().and_then(|last| ended(last, &key, bus.now()));
        append(&logs, &key, last.as_ref(), event).await?;
    }
    Ok(())
}

async fn append(
    logs: &Logs,
    key: &ConversationKey,
    before: Option<&Read>,
    event: Option<LogEvent>,
) -> Result<(), CliError> {
    let event = event.ok_or_else(|| CliError::negative("a turn that cannot follow"))?;
    match logs.append(key, before, &event).await.map_err(failed)? {
        AppendResult::Stored { .. } => Ok(()),
        AppendResult::Unknown => Err(CliError::negative("somebody else wrote to the log")),
    }
}

pub(super) fn failed(error: impl std::fmt::Display) -> CliError {
    CliError::negative(error.to_string())
}

/// How many turns are opened and ended per second, and the bytes of one.
pub(super) async fn turns(
    bus: &Arc<NatsBus>,
    args: &ConversationArgs,
) -> Result<(f64, f64), CliError> {
    let conversations = args.turns.div_ceil(TURNS_EACH);
    let before = bus.state(Stream::Conversations).await?.bytes;
    let begun = Instant::now();
    let mut running = JoinSet::new();
    for n in 0..conversations {
        while running.len() >= AT_ONCE {
            done(running.join_next().await)?;
        }
        running.spawn(write(bus.clone(), n));
    }
    while !running.is_empty() {
        done(running.join_next().await)?;
    }
    let turns = (conversations * TURNS_EACH) as f64;
    let per_s = turns / begun.elapsed().as_secs_f64();
    let bytes = bus.state(Stream::Conversations).await?.bytes - before;
    Ok((per_s, bytes as f64 / turns))
}

fn done(
    joined: Option<Result<Result<(), CliError>, tokio::task::JoinError>>,
) -> Result<(), CliError> {
    joined.map_or(Ok(()), |joined| joined.map_err(failed)?)
}

/// The exchanges of conversations that recalls read.
pub(super) async fn recalls(
    bus: &Arc<NatsBus>,
    args: &ConversationArgs,
) -> Result<Reads, CliError> {
    let logs = Logs::on(bus.clone());
    let mut wanted = Vec::new();
    for n in 0..args.turns.div_ceil(TURNS_EACH) {
        let last = logs.last(&key(n)).await.map_err(failed)?;
        wanted.extend(last.map(|last| (key(n), places(&last, args.exchanges))));
    }
    reads(Arc::new(logs), wanted, AT_ONCE, args.reads).await
}

/// The places of the last exchanges, which a recall reads.
pub(super) fn places(last: &Read, count: usize) -> Vec<ExchangePlace> {
    let exchanges = last.state().exchanges;
    let before = exchanges.len().saturating_sub(count);
    exchanges.into_iter().skip(before).collect()
}

/// Reads exchanges, one after the other and then many at once.
pub(super) async fn reads(
    source: Arc<dyn EventSource>,
    wanted: Vec<(ConversationKey, Vec<ExchangePlace>)>,
    at_once: usize,
    reads: usize,
) -> Result<Reads, CliError> {
    let mut alone = Vec::new();
    for n in 0..ALONE {
        let (key, places) = &wanted[n * 7 % wanted.len()];
        let begun = Instant::now();
        whole(&*source, key, places).await?;
        alone.push(begun.elapsed().as_secs_f64() * 1_000.0);
    }
    alone.sort_by(f64::total_cmp);
    let begun = Instant::now();
    let wanted = Arc::new(wanted);
    let mut readers = JoinSet::new();
    for reader in 0..at_once {
        let (source, wanted) = (source.clone(), wanted.clone());
        let count = reads / at_once;
        readers.spawn(async move {
            for n in 0..count {
                let (key, places) = &wanted[(reader * count + n) % wanted.len()];
                whole(&*source, key, places).await?;
            }
            Ok(())
        });
    }
    while !readers.is_empty() {
        done(readers.join_next().await)?;
    }
    let count = (reads / at_once * at_once) as f64;
    Ok(Reads {
        p50_ms: alone[ALONE / 2],
        p99_ms: alone[ALONE * 99 / 100],
        per_s: count / begun.elapsed().as_secs_f64(),
    })
}

async fn whole(
    source: &dyn EventSource,
    key: &ConversationKey,
    places: &[ExchangePlace],
) -> Result<(), CliError> {
    let told = exchanges::read(source, key, places).await.map_err(failed)?;
    match told.iter().all(Option::is_some) {
        true => Ok(()),
        false => Err(CliError::negative("an exchange is not there any more")),
    }
}

/// One writer opens turns of some conversations as fast as it may, and another ends them, as two gateways do with a
/// busy conversation.
pub(super) async fn busy(bus: &Arc<NatsBus>, args: &ConversationArgs) -> Result<Busy, CliError> {
    let turns = args.turns.div_ceil(10 * CONTESTED).max(TURNS_EACH);
    let mut writers = JoinSet::new();
    for n in 0..CONTESTED {
        writers.spawn(contest(bus.clone(), n, turns, true));
        writers.spawn(contest(bus.clone(), n, turns, false));
    }
    let mut sum = Busy::default();
    while let Some(joined) = writers.join_next().await {
        let one = joined.map_err(failed)??;
        sum.appends += one.appends;
        sum.late += one.late;
    }
    Ok(sum)
}

async fn contest(bus: Arc<dyn Bus>, n: usize, turns: usize, opens: bool) -> Result<Busy, CliError> {
    let (logs, key) = (Logs::on(bus.clone()), key(1_000_000 + n));
    let (mut busy, mut did) = (Busy::default(), 0);
    while did < turns {
        let last = logs.last(&key).await.map_err(failed)?;
        let event = match opens {
            true => {
                let asking = asking(&key, n * 1_000_000 + did, bus.now());
                opened(last.as_ref(), asking, bus.now())
            }
            false => last.as_ref().and_then(|last| ended(last, &key, bus.now())),
        };
        let Some(event) = event else {
            tokio::task::yield_now().await;
            continue;
        };
        busy.appends += 1;
        let appended = logs.append(&key, last.as_ref(), &event).await;
        match appended.map_err(failed)? {
            AppendResult::Stored { .. } => did += 1,
            AppendResult::Unknown => busy.late += 1,
        }
    }
    Ok(busy)
}

/// Does the same on a cluster of three servers.
pub(super) async fn busy_on_three(
    binary: &Path,
    args: &ConversationArgs,
) -> Result<Busy, CliError> {
    let dir = tempfile::tempdir()?;
    let cluster = Cluster::start(binary, dir.path(), 3)
        .await
        .map_err(failed)?;
    let mut config = Config::default();
    config.streams.replicas = 3;
    let options = nats::Options {
        url: cluster.url(),
        ..config.nats("argosy-bench", false)
    };
    let bus = NatsBus::connect(options).await?;
    nats::setup(&bus, &config.streams).await?;
    busy(&bus, args).await
}
