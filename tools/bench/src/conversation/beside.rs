//! Measures a fleet of real processes with a stub model: how much recalling a conversation adds to the time of a
//! question, and whether other questions take longer while turns wait in the logs of conversations.

use super::log::failed;
use crate::cli::ConversationArgs;
use crate::driver::{Cast, closed_loop};
use crate::fleet_run::{Ground, question};
use argosy::cli_error::CliError;
use argosy::config::Config;
use argosy::fleet::drain;
use bus::{Bus, Publish, Stream};
use bytes::Bytes;
use envelope::{Role, subject};
use futures_util::future::try_join_all;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// The turns of each conversation, which wait or would run.
const TURNS_EACH: usize = 5;
/// The questions of a conversation in the loop of one at a time.
const TALK: usize = 8;
/// How many questions run at once beside the conversations.
const IN_FLIGHT: usize = 16;
/// How long the turns may take to get into their logs.
const OPENED_MAX: Duration = Duration::from_secs(120);

/// The result of the fleet.
#[derive(Debug, Serialize)]
pub(super) struct Beside {
    /// Times of one question at a time: without a conversation, and as one of eight questions of a conversation.
    pub(super) stateless_p50_ms: f64,
    pub(super) recalled_p50_ms: f64,
    pub(super) recall_adds_p50_ms: f64,
    /// Times of questions without a conversation, 16 at a time: with nothing beside them, and beside conversations
    /// whose turns wait.
    pub(super) alone_p99_ms: f64,
    pub(super) beside_p99_ms: f64,
    pub(super) beside_ratio: f64,
    pub(super) conversations: usize,
    pub(super) turns_each: usize,
}

/// Runs both fleets.
pub(super) async fn beside(binary: PathBuf, args: &ConversationArgs) -> Result<Beside, CliError> {
    let [stateless, recalled] = alone(binary.clone(), args).await?;
    let (alone, beside) = waiting(binary, args).await?;
    Ok(Beside {
        stateless_p50_ms: stateless,
        recalled_p50_ms: recalled,
        recall_adds_p50_ms: recalled - stateless,
        alone_p99_ms: alone,
        beside_p99_ms: beside,
        beside_ratio: beside / alone,
        conversations: args.conversations,
        turns_each: TURNS_EACH,
    })
}

fn stubbed() -> Vec<String> {
    vec!["--stub-ms".into(), "0".into()]
}

fn talked(name: &str) -> Bytes {
    let n: usize = name
        .rsplit('-')
        .next()
        .and_then(|n| n.parse().ok())
        .unwrap_or(0);
    let text = "What is the notice period of the cleaning agreement, and when does it end?";
    let talk = n / TALK;
    format!(r#"{{"question":"{text}","conversation":"t{talk}","reply_to":"_INBOX.bench.{name}"}}"#)
        .into()
}

/// Asks one question at a time. The values are medians of two loops of each kind, which take turns.
async fn alone(binary: PathBuf, args: &ConversationArgs) -> Result<[f64; 2], CliError> {
    let ground = Ground::lay(binary, false, &Config::default()).await?;
    let plan = ground.plan(vec!["run.slots=256".into()], stubbed())?;
    let mut members = plan.start_each(&Role::ANSWERING)?;
    let cast = Cast::of(&ground, &members);
    closed_loop(&cast, "hello-", &question, 1, 50).await?;
    closed_loop(&cast, "warm-", &talked, 1, 1).await?;
    let mut p50 = [Vec::new(), Vec::new()];
    for round in 0..3 {
        let loops = [&question as crate::driver::Body<'_>, &talked];
        for (kind, body) in loops.into_iter().enumerate() {
            // Conversations of their own in each round.
            let prefix = format!("r{round}-{kind}-{}", round + 1);
            p50[kind].push(
                closed_loop(&cast, &prefix, body, 1, args.questions)
                    .await?
                    .p50_ms,
            );
        }
    }
    drain(&mut members, Duration::from_secs(40)).await;
    Ok(p50.map(crate::fleet::median))
}

/// Measures beside waiting turns: no worker recalls, so that the first turn of each conversation stays open and the
/// others wait behind it.
async fn waiting(binary: PathBuf, args: &ConversationArgs) -> Result<(f64, f64), CliError> {
    let ground = Ground::lay(binary, false, &Config::default()).await?;
    let roles: Vec<Role> = Role::ANSWERING
        .into_iter()
        .filter(|role| *role != Role::Conversation)
        .collect();
    let plan = ground.plan(vec!["run.slots=256".into()], stubbed())?;
    let mut members = plan.start_each(&roles)?;
    let cast = Cast::of(&ground, &members);
    let count = args.questions * 10;
    closed_loop(&cast, "hello-", &question, IN_FLIGHT, count).await?;
    let mut alone = Vec::new();
    for round in 0..3 {
        let prefix = format!("a{round}-");
        let run = closed_loop(&cast, &prefix, &question, IN_FLIGHT, count);
        alone.push(run.await?.p99_ms);
    }
    open_all(&ground, args.conversations).await?;
    let mut beside = Vec::new();
    for round in 0..3 {
        let prefix = format!("b{round}-");
        let run = closed_loop(&cast, &prefix, &question, IN_FLIGHT, count);
        beside.push(run.await?.p99_ms);
    }
    drain(&mut members, Duration::from_secs(40)).await;
    Ok((crate::fleet::median(alone), crate::fleet::median(beside)))
}

/// Asks in all conversations, and waits until every turn is open in its log.
async fn open_all(ground: &Ground, conversations: usize) -> Result<(), CliError> {
    for turn in 0..TURNS_EACH {
        let asked = (0..conversations).map(|n| {
            let body = format!(
                r#"{{"question":"And in contract {turn}?","conversation":"w{n}","deadline":"1h"}}"#
            );
            ground
                .bus
                .publish(Publish::new(subject::QUERY, body.into()))
        });
        try_join_all(asked).await.map_err(failed)?;
    }
    let wanted = (conversations * TURNS_EACH) as u64;
    let opened = async {
        loop {
            let state = ground.bus.state(Stream::Conversations).await?;
            if state.messages >= wanted {
                return Ok::<(), CliError>(());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let opened = tokio::time::timeout(OPENED_MAX, opened).await;
    opened.map_err(|_| CliError::negative("the turns did not get into their logs in time"))?
}
