//! Tests the answers of the offline reader from the sample corpus, by every way of asking.

use crate::fleet::{Fleet, PATIENCE, connect, until};
use crate::served::Model;
use crate::turns::terminals;
use bus::{Bus, CoreMessage, Headers, Publish, StoredMessage, Stream};
use bus_nats::NatsBus;
use corpus_sync::Options;
use documents::{Catalog, PublishMode};
use envelope::{Outcome, Role, TenantId, Terminal, TurnId, subject};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::time::timeout;

const QUESTION: &str = "What is the maximum collector-emitter voltage of the HV2N4410A?";
const SOURCE: &str = "datasheets/hv2n4410a.md";
const ANSWER: &str = "45 V";
/// What `ask -o json` always holds.
const FIELDS: [&str; 14] = [
    "outcome",
    "answer",
    "citations",
    "confidence",
    "low_confidence",
    "notices",
    "clarification",
    "error",
    "model",
    "usage",
    "trail",
    "turn",
    "trace_id",
    "duration_ms",
];

async fn index_sample(bus: Arc<NatsBus>) -> corpus_sync::Summary {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/corpus"));
    let nothing = Catalog::new(TenantId::default_tenant());
    let indexed = corpus_sync::index(
        bus,
        root,
        &nothing,
        Options::waiting(PublishMode::Incremental),
        |_| {},
    )
    .await;
    indexed.expect("an index")
}

fn check(terminal: &Terminal) {
    assert_eq!(terminal.outcome, Outcome::Answered, "{terminal:?}");
    let answer = terminal.answer.as_deref().unwrap_or_default();
    assert!(
        answer.contains(ANSWER) && answer.contains("[1]"),
        "{answer}"
    );
    assert!(
        terminal.citations.iter().any(|c| c.source == SOURCE),
        "{:?}",
        terminal.citations
    );
    // A model server on one of its usual ports of this machine would be found and asked instead.
    assert_eq!(terminal.model.as_deref(), Some("offline-extractive"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_a_question_over_the_sample_corpus() {
    let server = testkit::nats::server().await;
    let mut fleet = Fleet::new(server.url(), vec!["streams.ack_wait=5s".into()]);
    fleet.stubbed.clear();
    let model = Model::start(&fleet).await;
    fleet.plan.set.extend(model.options(""));
    let missing = fleet.command(&["setup", "--check"]).await;
    assert_eq!(missing.status.code(), Some(1), "{missing:?}");
    fleet.setup().await;
    fleet.json(&["setup", "--check"]).await;
    let bus = connect(server.url()).await;
    fleet.start(Role::Indexer).ready().await;
    let summary = index_sample(bus.clone()).await;
    assert!(summary.indexed >= 60, "{summary:?}");
    assert!(summary.skipped.is_empty(), "{summary:?}");
    fleet.start_all().await;

    let turn = asks_with_the_binary(&fleet).await;
    fetches_an_earlier_answer(&fleet, &turn).await;
    asks_in_simple_mode(&fleet).await;
    asks_by_request(&bus).await;
    asks_by_publishing(&bus).await;
    asks_after_messages(&bus).await;
    let ends = terminals(&*bus).await;
    assert!(ends.iter().all(|end| end.outcome == Outcome::Answered));
    assert_eq!(ends.len(), 5);
    fleet.drain().await;
}

async fn asks_with_the_binary(fleet: &Fleet) -> String {
    let shown = fleet.json(&["ask", QUESTION]).await;
    for field in FIELDS {
        assert!(shown.get(field).is_some(), "no `{field}` in {shown}");
    }
    assert_eq!(shown["outcome"], "answered", "{shown}");
    let answer = shown["answer"].as_str().expect("an answer");
    assert!(
        answer.contains(ANSWER) && answer.contains("[1]"),
        "{answer}"
    );
    let cited = shown["citations"].as_array().expect("citations");
    let source = cited
        .iter()
        .find(|c| c["source"] == SOURCE)
        .expect("the source");
    assert!(source["line"].as_u64() > Some(0), "{source}");
    assert!(
        source["quote"].as_str().is_some_and(|q| q.contains("45")),
        "{source}"
    );
    for role in ["planner", "retriever", "mapper", "reducer", "validator"] {
        assert!(steps(&shown, role) > 0, "no {role} in the trail of {shown}");
    }
    shown["turn"].as_str().expect("a turn").to_owned()
}

fn steps(shown: &Value, role: &str) -> usize {
    let trail = shown["trail"].as_array().expect("a trail");
    trail.iter().filter(|entry| entry["role"] == role).count()
}

async fn fetches_an_earlier_answer(fleet: &Fleet, turn: &str) {
    let shown = fleet.json(&["answer", turn]).await;
    assert_eq!(shown["turn"], turn);
    assert!(
        shown["answer"].as_str().is_some_and(|a| a.contains(ANSWER)),
        "{shown}"
    );
    let unknown = fleet.command(&["answer", "q-nobody-asked"]).await;
    assert_eq!(unknown.status.code(), Some(3), "{unknown:?}");
}

async fn asks_in_simple_mode(fleet: &Fleet) {
    let shown = fleet.json(&["ask", QUESTION, "--mode", "simple"]).await;
    assert!(
        shown["answer"].as_str().is_some_and(|a| a.contains(ANSWER)),
        "{shown}"
    );
    assert_eq!(
        (steps(&shown, "planner"), steps(&shown, "mapper")),
        (0, 0),
        "{shown}"
    );
    assert_eq!(
        (steps(&shown, "retriever"), steps(&shown, "reducer")),
        (1, 1),
        "{shown}"
    );
}

/// A request to `argosy.ask`, as any NATS client makes it; its reply is the terminal event.
async fn asks_by_request(bus: &NatsBus) {
    let reply = "_INBOX.test.request";
    let mut replies = bus.subscribe(reply, None).await.expect("an ear");
    let request = CoreMessage {
        subject: subject::ASK.into(),
        reply: Some(reply.into()),
        headers: Headers::default(),
        body: json!({ "question": QUESTION }).to_string().into(),
    };
    bus.broadcast(request).await.expect("a request");
    let heard = timeout(PATIENCE, replies.next())
        .await
        .expect("a reply in time");
    let terminal: Terminal = envelope::decode(&heard.expect("a reply").body).expect("an event");
    check(&terminal);
    assert!(terminal.turn.is_derived());
}

/// A question published to the inbox by hand: its turn id follows from its place in the stream, and its terminal
/// event is kept although no client listens.
async fn asks_by_publishing(bus: &NatsBus) {
    check(&published(bus, json!({ "question": QUESTION })).await);
}

/// A fragment is answered in the sense that it has after the earlier messages.
async fn asks_after_messages(bus: &NatsBus) {
    let end = published(
        bus,
        json!({
            "question": "What about the QD-7705?",
            "messages": [
                {"role": "user", "content": "What is the dropout voltage of the QD-7706 at full load?"},
                {"role": "assistant", "content": "It is typically 210 mV [1]."},
            ],
        }),
    )
    .await;
    let meant = "What is the dropout voltage of the QD-7705 at full load?";
    assert_eq!(end.rewritten.as_deref(), Some(meant), "{end:?}");
    let answer = end.answer.as_deref().unwrap_or_default();
    assert!(answer.contains("320") && answer.contains("[1]"), "{answer}");
    let planned = &end.trail[0].decided;
    assert!(
        planned.starts_with("after 1 exchange: rewrite_then_retrieve"),
        "{planned}"
    );
}

async fn published(bus: &NatsBus, question: Value) -> Terminal {
    let body = question.to_string();
    let stored = bus.publish(Publish::new(subject::QUERY, body.into())).await;
    let sequence = stored.expect("a sequence");
    let message = message(bus, sequence).await;
    let turn = TurnId::derived(sequence, message.stored_at.0);
    let at = envelope::Subject::Answer { turn }.to_string();
    let end = until("the answer of a published question", async || {
        bus.last(Stream::Answers, &at).await.expect("a look")
    })
    .await;
    envelope::decode(&end.body).expect("a terminal event")
}

async fn message(bus: &NatsBus, sequence: u64) -> StoredMessage {
    let reader = bus.read(Stream::Inbox, subject::QUERY, sequence).await;
    let (message, _) = reader.expect("a reader").next().await.expect("a message");
    assert_eq!(message.sequence, sequence);
    message
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_waits_for_the_role_that_is_missing() {
    let server = testkit::nats::server().await;
    let mut fleet = Fleet::new(server.url(), vec![]);
    fleet.setup().await;
    fleet.stubbed = Role::ALL.to_vec();
    for role in Role::ALL.into_iter().filter(|role| *role != Role::Reducer) {
        fleet.start(role);
    }
    fleet.ready().await;
    let late = fleet
        .command(&[
            "ask",
            "What now?",
            "--timeout",
            "1",
            "--set",
            "gateway.deadline=1s",
            "-o",
            "json",
        ])
        .await;
    let shown: Value = serde_json::from_slice(&late.stdout).expect("JSON");
    assert_eq!(shown["outcome"], "expired", "{shown}");
    assert_eq!(late.status.code(), Some(1), "{late:?}");
    let bus = connect(server.url()).await;
    let body = json!({ "id": "waiting", "question": "What then?" }).to_string();
    bus.publish(Publish::new(subject::QUERY, body.into()))
        .await
        .expect("stored");
    let waiting = envelope::subject::steps_of(0, Role::Reducer).replace('>', "waiting.*");
    until("the step of the reducer", async || {
        bus.last(Stream::Steps(0), &waiting).await.expect("a look")
    })
    .await;
    fleet.start(Role::Reducer);
    until("its answer", async || {
        bus.last(Stream::Answers, "argosy.answer.waiting")
            .await
            .expect("a look")
    })
    .await;
    fleet.drain().await;
}
