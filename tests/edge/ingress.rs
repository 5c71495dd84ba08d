//! Tests bad messages from outside. Each is refused with its code and one clear sentence, or kept as a dead letter if
//! there is nobody to reply to, and the next good question is answered. The same cases run on the memory bus and on a
//! real server.

use crate::binary::argosy;
use crate::canned;
use crate::scenario::{self, BadQuestion, BadStep};
use argosy::config::Config;
use argosy::fleet::{FleetPlan, Member};
use argosy::local::Local;
use argosy::model::OFFLINE;
use argosy::roles::Process;
use bus::{Bus, CoreMessage, Publish, Stream, Subscription};
use bus_nats::{NatsBus, setup};
use bytes::Bytes;
use documents::PublishMode;
use envelope::limits::{ENVELOPE_BYTES_MAX, QUESTION_CHARS_MAX};
use envelope::{Outcome, Role, Terminal, header, subject};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use streams::client::Ask;
use telemetry::{Health, Registry};
use tokio_util::sync::CancellationToken;

/// How long anything that has to happen by itself may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// The longest sentence for a user, in characters.
const SENTENCE_MAX: usize = 300;

/// A question that is answered, and a part of its answer.
struct Good {
    question: &'static str,
    says: &'static str,
}

async fn next(heard: &mut dyn Subscription, what: &str) -> CoreMessage {
    let next = tokio::time::timeout(PATIENCE, heard.next()).await;
    next.unwrap_or_else(|_| panic!("waited {PATIENCE:?} for {what}"))
        .unwrap_or_else(|| panic!("the subscription ended before {what}"))
}

fn is_refused(body: &[u8], case: &BadQuestion, how: &str) {
    let terminal: Terminal = envelope::decode(body).unwrap();
    let name = format!("{} ({how})", case.name);
    assert_eq!(terminal.outcome, Outcome::Refused, "{name}: {terminal:?}");
    let error = terminal.error.unwrap_or_else(|| panic!("{name}: no error"));
    assert_eq!(error.code, case.code, "{name}: {error:?}");
    assert!(error.message.contains(&case.says), "{name}: {error:?}");
    let chars = error.message.chars().count();
    assert!(
        chars <= SENTENCE_MAX && !error.message.contains('\n'),
        "{name}: no sentence: {error:?}"
    );
}

async fn answers(bus: &dyn Bus, good: &Good, after: &str) {
    let ask = Ask {
        question: good.question.into(),
        wait: PATIENCE,
        ..Ask::default()
    };
    let terminal = streams::client::ask(bus, ask, |_| ()).await;
    let terminal = terminal.unwrap_or_else(|e| panic!("after {after}: {e}"));
    let answer = terminal.answer.as_deref().unwrap_or_default();
    assert!(answer.contains(good.says), "after {after}: {terminal:?}");
}

/// Sends the case through the inbox: a terminal event is stored, and the same event is sent to the asker.
async fn by_inbox(bus: &dyn Bus, case: &BadQuestion) {
    let mut ended = bus.subscribe("argosy.answer.*", None).await.unwrap();
    let mut told = bus.subscribe("_INBOX.edge.>", None).await.unwrap();
    let mut headers = case.headers();
    let may_hear = headers.get(header::REPLY).is_none();
    if may_hear {
        headers = headers.with(header::REPLY, "_INBOX.edge.inbox");
    }
    let message = Publish {
        headers,
        ..Publish::new(subject::QUERY, case.bytes())
    };
    let at = bus.publish(message).await.unwrap();
    let end = next(&mut *ended, &format!("the end of {}", case.name)).await;
    is_refused(&end.body, case, "inbox");
    if may_hear {
        let reply = next(&mut *told, &format!("the reply to {}", case.name)).await;
        assert_eq!(reply.body, end.body, "{}", case.name);
    }
    // What was refused is nowhere but in the inbox: no subject of the fleet was written to.
    let last = bus.state(Stream::Inbox).await.unwrap().last;
    assert_eq!(last, at, "{}", case.name);
}

/// Sends the case by request and reply.
async fn by_request(bus: &dyn Bus, case: &BadQuestion) {
    let mut told = bus.subscribe("_INBOX.edge.>", None).await.unwrap();
    let request = CoreMessage {
        subject: subject::ASK.into(),
        reply: Some("_INBOX.edge.request".into()),
        headers: case.headers(),
        body: case.bytes(),
    };
    bus.broadcast(request).await.unwrap();
    let reply = next(&mut *told, &format!("the reply to {}", case.name)).await;
    is_refused(&reply.body, case, "request");
}

async fn refuses_bad_questions(bus: &dyn Bus, good: &Good) {
    answers(bus, good, "the start").await;
    for case in scenario::all::<BadQuestion>("bad_questions.jsonl") {
        by_inbox(bus, &case).await;
        if !case.by_inbox_only {
            by_request(bus, &case).await;
        }
        answers(bus, good, &case.name).await;
    }
    assert_eq!(bus.state(Stream::Dead).await.unwrap().messages, 0);
}

/// A step that cannot be read is kept as it was, with the reason. Its turn, if it has one, has failed.
async fn keeps_bad_steps(bus: &dyn Bus, good: &Good) {
    let cases: Vec<BadStep> = scenario::all("bad_steps.jsonl");
    for (n, case) in cases.iter().enumerate() {
        let mut dead = bus.subscribe("argosy.dead.>", None).await.unwrap();
        let mut ended = bus.subscribe("argosy.answer.*", None).await.unwrap();
        let subject = case.subject.replace("{turn}", &format!("bad-{n}"));
        let step = Publish::new(&subject, case.bytes());
        bus.publish(step).await.unwrap();
        let letter = next(&mut *dead, &format!("the dead letter of {}", case.name)).await;
        assert_eq!(letter.body, case.bytes(), "{}", case.name);
        let reason = letter.headers.get(header::DEAD_REASON);
        assert_eq!(reason, Some(case.reason.as_str()), "{}", case.name);
        assert_eq!(letter.headers.get(header::DEAD_SUBJECT), Some(&*subject));
        if let Some(outcome) = case.outcome {
            let end = next(&mut *ended, &format!("the end of {}", case.name)).await;
            let terminal: Terminal = envelope::decode(&end.body).unwrap();
            assert_eq!(terminal.outcome, outcome, "{}: {terminal:?}", case.name);
            assert!(terminal.error.is_some(), "{}: {terminal:?}", case.name);
        }
        answers(bus, good, &case.name).await;
    }
}

/// Another question under a used id is refused as that, and the turn that has the id is not affected.
async fn refuses_a_used_id(bus: &dyn Bus, good: &Good) {
    let ask = |question: &str, reply: &str| {
        let body = json!({ "question": question, "id": "mine", "reply_to": reply });
        Publish::new(subject::QUERY, Bytes::from(body.to_string()))
    };
    let mut told = bus.subscribe("_INBOX.edge.>", None).await.unwrap();
    bus.publish(ask(good.question, "_INBOX.edge.first"))
        .await
        .unwrap();
    let first = next(&mut *told, "the first answer").await;
    bus.publish(ask("Something else?", "_INBOX.edge.other"))
        .await
        .unwrap();
    let other = next(&mut *told, "the refusal").await;
    assert_eq!(other.subject, "_INBOX.edge.other");
    let other: Terminal = envelope::decode(&other.body).unwrap();
    assert_eq!(other.outcome, Outcome::Refused);
    assert_eq!(other.error.unwrap().code, "id_in_use");
    bus.publish(ask(good.question, "_INBOX.edge.again"))
        .await
        .unwrap();
    let again = next(&mut *told, "the answer again").await;
    assert_eq!(
        (&*again.subject, again.body),
        ("_INBOX.edge.again", first.body)
    );
}

/// The largest message that is allowed is not refused.
async fn takes_the_largest_question(bus: &dyn Bus) {
    let question = "ä".repeat(QUESTION_CHARS_MAX);
    let ask = Ask {
        question,
        wait: PATIENCE,
        ..Ask::default()
    };
    let terminal = streams::client::ask(bus, ask, |_| ()).await.unwrap();
    assert_ne!(terminal.outcome, Outcome::Refused, "{terminal:?}");
    assert!(envelope::encode(&terminal).unwrap().len() < ENVELOPE_BYTES_MAX);
}

async fn all_cases(bus: &dyn Bus, good: &Good) {
    refuses_bad_questions(bus, good).await;
    keeps_bad_steps(bus, good).await;
    refuses_a_used_id(bus, good).await;
    takes_the_largest_question(bus).await;
    answers(bus, good, "everything").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_messages_on_the_memory_bus() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = dir.path().join("corpus");
    std::fs::create_dir(&corpus).unwrap();
    std::fs::write(corpus.join("cat.md"), "The cat sat on the mat.\n").unwrap();
    let mut config = Config::default();
    config.model.model = OFFLINE.into();
    let mut local = Local::start(&config, &dir.path().join("index"))
        .await
        .unwrap();
    local
        .index(corpus, PublishMode::Incremental, |_| ())
        .await
        .unwrap();
    let good = Good {
        question: "Where did the cat sit?",
        says: "on the mat",
    };
    all_cases(&*local.bus, &good).await;
    local.stop().await;
}

/// The gateway as a process, so that its end would be seen; the other roles run in this process, with canned answers.
pub(crate) struct Fleet {
    bus: Arc<dyn Bus>,
    gateway: Member,
    others: Process,
    running: tokio::task::JoinSet<()>,
}

impl Fleet {
    /// Sets the server up and starts the gateway alone.
    pub(crate) async fn gateway(url: String, dir: &Path) -> Fleet {
        let config = Config::default();
        let options = bus_nats::Options {
            url: url.clone(),
            ..config.nats("edge", false)
        };
        let bus = NatsBus::connect(options).await.unwrap();
        setup(&bus, &config.streams).await.unwrap();
        let plan = FleetPlan {
            binary: argosy().to_owned(),
            server: url,
            data_dir: dir.join("data"),
            set: vec![],
            config: None,
            args: vec![],
            log: "warn".into(),
            log_dir: Some(dir.join("logs")),
        };
        let others = Process {
            config,
            bus: bus.clone(),
            health: Health::new(&[]),
            registry: Registry::new(),
            stop: CancellationToken::new(),
            seed: 7,
            traces: telemetry::Traces::off(),
            faults: None,
        };
        Fleet {
            bus,
            gateway: plan.start(Role::Gateway, &[]).unwrap(),
            others,
            running: tokio::task::JoinSet::new(),
        }
    }

    /// Starts the roles that think.
    pub(crate) fn start_others(&mut self) {
        let with = canned::collaborators();
        self.running = self.others.start(&Role::THINKING, &with).unwrap();
    }

    /// Ends everything. The gateway has to end well, and to have run until now.
    pub(crate) async fn end(mut self) {
        assert!(self.gateway.ended().is_none(), "the gateway is gone");
        self.gateway.terminate().await;
        assert!(self.gateway.wait(PATIENCE).await, "the gateway ended badly");
        self.others.stop.cancel();
        while self.running.join_next().await.is_some() {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_messages_on_a_server() {
    let server = testkit::nats::server().await;
    let dir = tempfile::tempdir().unwrap();
    let mut fleet = Fleet::gateway(server.url(), dir.path()).await;
    fleet.start_others();
    let good = Good {
        question: "What is the notice period?",
        says: "90 days",
    };
    all_cases(&*fleet.bus, &good).await;
    fleet.end().await;
    let log = std::fs::read_to_string(dir.path().join("logs/gateway.log")).unwrap();
    assert!(!log.contains("panicked"), "{log}");
}
