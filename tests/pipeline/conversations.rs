//! Tests conversations while gateways, workers of the role `conversation` and the server are killed again and again.
//! Every turn ends once, in order, and gets the answers of all turns before it.

use crate::fleet::{Fleet, connect};
use crate::model;
use bus::{Bus, Stream};
use bus_nats::NatsBus;
use conversation_log::{EventKind, LogEvent, Read, State};
use envelope::{Outcome, Role, Terminal};
use serde_json::json;
use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use streams::client::Ask;
use testkit::nats::TestServer;
use tokio::process::Command;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

/// How long the fake model takes. A turn asks it three times in a row, so that eight turns last long enough for
/// [`FEWEST_KILLS`], however fast the machine is.
const MODEL: Duration = Duration::from_millis(100);
/// With fewer kills the test shows nothing.
const FEWEST_KILLS: usize = 6;
const CONVERSATIONS: usize = 12;
const TURNS: usize = 8;
/// How often a process dies.
const KILL_EVERY: Duration = Duration::from_millis(300);
/// How long after the last answer the log may stay unchanged with a turn open: several times the ack wait.
const SETTLED: Duration = Duration::from_secs(30);
/// How long all of it may take.
const PATIENCE: Duration = Duration::from_secs(240);

/// Asks a question, and asks it again under the same id until there is an answer, as a client does that missed a
/// message.
async fn ask(bus: &NatsBus, conversation: &str, n: usize) -> Terminal {
    let fields = json!({
        "id": format!("{conversation}-{n}"),
        "conversation": conversation,
        "deadline": "100s",
    });
    let question = format!("What is the notice period of contract {n}?");
    let begun = Instant::now();
    loop {
        let ask = Ask {
            question: question.clone(),
            fields: fields.as_object().cloned().unwrap_or_default(),
            wait: Duration::from_secs(20),
        };
        match streams::client::ask(bus, ask, |_| {}).await {
            Ok(terminal) => return terminal,
            Err(error) => assert!(begun.elapsed() < PATIENCE, "{error}"),
        }
        sleep(Duration::from_millis(100)).await;
    }
}

/// One client, which asks each question after the answer to the one before.
async fn talk(bus: Arc<NatsBus>, conversation: String) {
    for n in 0..TURNS {
        let terminal = ask(&bus, &conversation, n).await;
        assert_eq!(terminal.outcome, Outcome::Answered, "{terminal:?}");
        let first = &terminal.trail[0];
        let told = match n {
            0 => "nothing was said before".to_owned(),
            1 => "1 exchange before".to_owned(),
            n => format!("{n} exchanges before"),
        };
        assert_eq!(
            (first.role, first.decided.as_str()),
            (Role::Conversation, told.as_str())
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conversations_survive_kill_9() {
    let server = testkit::nats::server().await;
    let bus = connect(server.url()).await;
    let mut talks = JoinSet::new();
    for n in 0..CONVERSATIONS {
        talks.spawn(talk(bus.clone(), format!("talk-{n}")));
    }
    let all = async move {
        while let Some(done) = talks.join_next().await {
            done.expect("a talk");
        }
    };
    under_kills(server, all, PATIENCE, [CONVERSATIONS, TURNS]).await;
}

/// A client in another language and many more turns; this takes minutes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes"]
async fn a_hundred_conversations_of_a_foreign_client_survive_kill_9() {
    const MANY: [usize; 2] = [100, 20];
    let server = testkit::nats::server().await;
    let url = server.url();
    let (host, port) = url
        .trim_start_matches("nats://")
        .split_once(':')
        .expect("host and port");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/pipeline/talker.py");
    let [conversations, turns] = MANY.map(|n| n.to_string());
    let mut client = Command::new("python3");
    client
        .args([script, host, port, &conversations, &turns])
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    let asked = async move {
        let output = client.output().await.expect("python3");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}");
        println!("the client: {said}");
        let said: serde_json::Value = serde_json::from_str(&said).expect("JSON");
        assert_eq!(said["answered"], MANY[0] * MANY[1]);
    };
    under_kills(server, asked, Duration::from_secs(1_500), MANY).await;
}

/// Gateways, conversation workers and the server die until `clients` are done; then every log has to be right.
async fn under_kills(
    mut server: TestServer,
    clients: impl Future<Output = ()>,
    patience: Duration,
    talks: [usize; 2],
) {
    let node = model::node(MODEL).await;
    let set = [model::options(&node), vec!["streams.ack_wait=2s".into()]].concat();
    let mut fleet = Fleet::new(server.url(), set);
    fleet.setup().await;
    fleet.start_all().await;
    let bus = connect(server.url()).await;
    let mut rng = fastrand::Rng::new();
    let (begun, mut kills) = (Instant::now(), 0);
    let mut clients = Box::pin(clients);
    loop {
        let tick = tokio::time::timeout(KILL_EVERY, &mut clients);
        if tick.await.is_ok() {
            break;
        }
        assert!(begun.elapsed() < patience, "the talks are not over");
        kills += 1;
        if kills % 12 == 0 {
            server.kill().expect("a kill");
            sleep(Duration::from_millis(300)).await;
            server.restart().await.expect("a restart");
        } else {
            let role = [Role::Gateway, Role::Conversation][rng.usize(..2)];
            let place = fleet.processes.iter().position(|p| p.member.role == role);
            fleet.replace(place.expect("one of each role")).await;
        }
    }
    println!("{kills} kills in {:?}", begun.elapsed());
    assert!(kills >= FEWEST_KILLS);
    assert_logs(&bus, talks).await;
    // A process that has only just been started would die of the signal before it listens to it.
    fleet.ready().await;
    fleet.drain().await;
}

/// Reads the log of every conversation up to where no turn is open. A client has its answer before the gateway writes
/// `ended`; when that gateway was killed between the two, another one writes it as soon as the message comes again.
async fn settled_logs(bus: &NatsBus) -> BTreeMap<String, Vec<Read>> {
    let mut reader = bus
        .read(Stream::Conversations, ">", 1)
        .await
        .expect("a reader");
    let mut logs: BTreeMap<String, Vec<Read>> = BTreeMap::new();
    loop {
        let next = tokio::time::timeout(SETTLED, reader.next()).await;
        let open = || logs.iter().map(|(s, log)| (s, log.last().map(Read::state)));
        let (stored, after) = next
            .unwrap_or_else(|_| panic!("turns stay open: {:?}", open().collect::<Vec<_>>()))
            .expect("an event");
        let event = LogEvent::read(&stored.body).expect("an event");
        let sequence = stored.sequence;
        logs.entry(stored.subject)
            .or_default()
            .push(Read { sequence, event });
        let ended = |log: &Vec<Read>| log.last().is_some_and(|read| read.state().open.is_empty());
        if after == 0 && logs.values().all(ended) {
            return logs;
        }
    }
}

/// Every log follows from its events: each turn is opened and ended once and in its order, and nothing is open.
async fn assert_logs(bus: &NatsBus, [conversations, turns]: [usize; 2]) {
    let logs = settled_logs(bus).await;
    assert_eq!(logs.len(), conversations);
    for (subject, events) in logs {
        let (mut state, mut opened) = (State::default(), Vec::new());
        for read in events {
            assert_eq!(
                read.event.state,
                state.after(&read.event.event).expect("it follows"),
                "{subject}"
            );
            if let EventKind::Opened(turn) = &read.event.event {
                opened.push(turn.header.turn.to_string());
            }
            state = read.state();
        }
        let talk = subject.rsplit('.').next().unwrap_or_default();
        let wanted: Vec<String> = (0..turns).map(|n| format!("{talk}-{n}")).collect();
        assert_eq!((opened, state.open.len()), (wanted, 0), "{subject}");
    }
}
