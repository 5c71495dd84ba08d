//! Publishes questions, and reads the terminal event of each.

use crate::fleet::until;
use crate::http;
use bus::{Bus, Publish, StoredMessage, Stream};
use bytes::Bytes;
use envelope::{Outcome, Role, Terminal, TurnId};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;
use streams::outbox::publish_until;
use tokio::time::{Instant, timeout};

/// A question of a usual length.
pub(crate) const QUESTION: &str =
    "What is the notice period of the cleaning agreement with Osterby, and when does it end?";

/// A question with this deadline; without an id the fleet gives it one.
pub(crate) fn question(id: Option<String>, deadline: &str) -> Value {
    let mut body = json!({ "question": QUESTION, "deadline": deadline });
    if let Some(id) = id {
        body["id"] = id.into();
    }
    body
}

/// Stores questions in the inbox, all at once, even if the server goes away meanwhile.
pub(crate) async fn publish(bus: &dyn Bus, questions: Vec<Value>) {
    let until = bus.now().plus(30_000);
    let publishing = questions.into_iter().map(|body| {
        let body = Bytes::from(body.to_string());
        publish_until(bus, Publish::new(envelope::subject::QUERY, body), until)
    });
    for stored in join_all(publishing).await {
        stored.expect("a question is stored");
    }
}

/// Every message of a stream.
pub(crate) async fn read_all(bus: &dyn Bus, stream: Stream, filter: &str) -> Vec<StoredMessage> {
    let mut all = Vec::new();
    if bus.last(stream, filter).await.expect("a look").is_none() {
        return all;
    }
    let mut reader = bus.read(stream, filter, 1).await.expect("a reader");
    loop {
        let next = timeout(Duration::from_secs(10), reader.next()).await;
        let (message, pending) = next.expect("a message in time").expect("a message");
        all.push(message);
        if pending == 0 {
            return all;
        }
    }
}

/// The turn of every question in the inbox. A question that was stored twice is one turn.
pub(crate) async fn asked(bus: &dyn Bus) -> BTreeMap<TurnId, Value> {
    let inbox = read_all(bus, Stream::Inbox, envelope::subject::QUERY).await;
    let turn = |message: StoredMessage| {
        let body: Value = serde_json::from_slice(&message.body).expect("a question");
        let turn = match body["id"].as_str() {
            Some(id) => TurnId::new(id).expect("an id"),
            None => TurnId::derived(message.sequence, message.stored_at.0),
        };
        (turn, body)
    };
    inbox.into_iter().map(turn).collect()
}

/// Every terminal event, in the order in which they were stored.
pub(crate) async fn terminals(bus: &dyn Bus) -> Vec<Terminal> {
    let stored = read_all(bus, Stream::Answers, "argosy.answer.*").await;
    let read = |m: &StoredMessage| envelope::decode(&m.body).expect("a terminal event");
    stored.iter().map(read).collect()
}

/// Waits until so many turns have ended; the server may be away meanwhile.
pub(crate) async fn wait_for_ends(bus: &dyn Bus, turns: u64, patience: Duration) {
    let begun = Instant::now();
    let mut ended = 0;
    while begun.elapsed() < patience {
        ended = bus
            .count(Stream::Answers, "argosy.answer.*")
            .await
            .unwrap_or(ended);
        if ended >= turns {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let open = open_turns(bus).await;
    panic!("only {ended} of {turns} turns ended within {patience:?}; the open ones: {open:#?}");
}

/// The turns without a terminal event, each with every subject that holds a message of it. The last subject shows how
/// far the turn came.
async fn open_turns(bus: &dyn Bus) -> BTreeMap<TurnId, Vec<String>> {
    let ended: BTreeSet<_> = terminals(bus).await.into_iter().map(|t| t.turn).collect();
    let mut open = BTreeMap::new();
    for turn in asked(bus)
        .await
        .into_keys()
        .filter(|turn| !ended.contains(turn))
    {
        let mut subjects = Vec::new();
        for (stream, filter) in [
            (Stream::Timers, format!("argosy.timer.{turn}.>")),
            (Stream::Timers, format!("argosy.timer.{turn}")),
            (Stream::Steps(0), format!("argosy.step.0.*.{turn}.>")),
            (Stream::Steps(0), format!("argosy.part.0.{turn}.>")),
        ] {
            let stored = read_all(bus, stream, &filter).await;
            subjects.extend(stored.into_iter().map(|m| m.subject));
        }
        open.insert(turn, subjects);
    }
    open
}

/// How the turns of a test ended.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) turns: usize,
    pub(crate) outcomes: BTreeMap<&'static str, usize>,
    /// The steps of answered turns that were done by a later delivery than the first, by role.
    pub(crate) late: BTreeMap<&'static str, usize>,
    /// The named defaults that were taken, by kind.
    pub(crate) fallbacks: BTreeMap<&'static str, usize>,
    latencies: Vec<u64>,
}

impl Tally {
    /// Checks that each of these turns has exactly one terminal event and nothing else has one, and
    /// counts them.
    pub(crate) fn of(asked: &BTreeMap<TurnId, Value>, ended: &[Terminal]) -> Tally {
        let mut ends: BTreeMap<&TurnId, usize> = BTreeMap::new();
        let mut tally = Tally {
            turns: asked.len(),
            outcomes: BTreeMap::new(),
            late: BTreeMap::new(),
            fallbacks: BTreeMap::new(),
            latencies: Vec::new(),
        };
        for terminal in ended {
            assert!(
                asked.contains_key(&terminal.turn),
                "{} was not asked",
                terminal.turn
            );
            *ends.entry(&terminal.turn).or_default() += 1;
            tally.add(terminal);
        }
        let lost: Vec<_> = asked
            .keys()
            .filter(|turn| !ends.contains_key(turn))
            .collect();
        assert!(lost.is_empty(), "turns without an end: {lost:?}");
        let twice: Vec<_> = ends.iter().filter(|(_, n)| **n > 1).collect();
        assert!(twice.is_empty(), "turns with more than one end: {twice:?}");
        tally.latencies.sort_unstable();
        tally
    }

    fn add(&mut self, terminal: &Terminal) {
        *self.outcomes.entry(terminal.outcome.as_str()).or_default() += 1;
        self.latencies
            .push(terminal.asked_at.until(terminal.ended_at));
        for entry in &terminal.trail {
            if entry.attempt > 1 {
                *self.late.entry(entry.role.as_str()).or_default() += 1;
            }
            for fallback in &entry.fallbacks {
                *self.fallbacks.entry(fallback.as_str()).or_default() += 1;
            }
        }
    }

    /// How many turns ended in this way.
    pub(crate) fn count(&self, outcome: Outcome) -> usize {
        self.outcomes.get(outcome.as_str()).copied().unwrap_or(0)
    }

    /// The share of turns that were answered.
    pub(crate) fn answered(&self) -> f64 {
        self.count(Outcome::Answered) as f64 / self.turns.max(1) as f64
    }

    /// Prints the results.
    pub(crate) fn print(&self, title: &str) {
        let at = |share: f64| {
            let last = self.latencies.len().saturating_sub(1);
            self.latencies
                .get((last as f64 * share).round() as usize)
                .copied()
                .unwrap_or(0)
        };
        println!("{title}: {} turns, {:?}", self.turns, self.outcomes);
        println!(
            "  latency ms        p50 {} p99 {} max {}",
            at(0.5),
            at(0.99),
            at(1.0)
        );
        println!("  steps done late   {:?}", self.late);
        println!("  fallbacks         {:?}", self.fallbacks);
    }
}

/// The deliveries of each thinking role's consumer, except the first of each step, as the server itself counts them.
pub(crate) async fn redeliveries(
    bus: &dyn Bus,
    monitor: SocketAddr,
) -> BTreeMap<&'static str, u64> {
    let path = "/jsz?accounts=true&streams=true&consumers=true";
    let account = until("the server's account of its consumers", async || {
        let (_, body) = http::get(monitor, path).await?;
        serde_json::from_str::<Value>(&body).ok()
    })
    .await;
    let mut all = BTreeMap::new();
    for role in Role::THINKING {
        let filter = envelope::subject::steps_of(0, role);
        let steps = bus.count(Stream::Steps(0), &filter).await.expect("a count");
        let delivered = delivered(&account, role).expect("the consumer of a role");
        all.insert(role.as_str(), delivered.saturating_sub(steps));
    }
    all
}

/// Deliveries of a role's consumer so far.
fn delivered(account: &Value, role: Role) -> Option<u64> {
    let streams = account["account_details"][0]["stream_detail"].as_array()?;
    let steps = streams
        .iter()
        .find(|s| s["name"] == Stream::Steps(0).name())?;
    let consumers = steps["consumer_detail"].as_array()?;
    let consumer = consumers.iter().find(|c| c["name"] == role.as_str())?;
    consumer["delivered"]["consumer_seq"].as_u64()
}
