//! Tests the commands with which operators follow a turn: its trace while it runs and afterwards, the retry of steps
//! that were given up, and a replay.

use crate::fleet::{Fleet, PATIENCE, connect, until};
use crate::model::{self, MAPS};
use crate::turns::{QUESTION, publish};
use bus::{Bus, Stream};
use bus_nats::NatsBus;
use envelope::{Outcome, Terminal, TurnId};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::node::{FakeNode, FakeNodeBehaviour};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::time::timeout;

async fn ended(bus: &NatsBus, turn: &str) -> Terminal {
    let at = format!("argosy.answer.{turn}");
    let stored = until("the end of a turn", async || {
        bus.last(Stream::Answers, &at).await.expect("a look")
    })
    .await;
    envelope::decode(&stored.body).expect("a terminal event")
}

async fn ask(bus: &NatsBus, id: &str) {
    publish(bus, vec![json!({ "id": id, "question": QUESTION })]).await;
}

/// The role, the hop and the state of each step of the main path.
fn path(trace: &Value) -> Vec<String> {
    let steps = trace["steps"].as_array().expect("steps");
    let word = |step: &Value| {
        let [role, doing] = ["role", "doing"].map(|field| step[field].as_str().expect("a word"));
        let inherited = if step["inherited"] == true {
            " (inherited)"
        } else {
            ""
        };
        format!("{role} {} {doing}{inherited}", step["hop"])
    };
    steps.iter().map(word).collect()
}

/// How many maps are in which state.
fn maps(trace: &Value, doing: &str) -> usize {
    let maps = trace["steps"][1]["maps"].as_array().expect("maps");
    maps.iter().filter(|map| map["doing"] == doing).count()
}

async fn fleet(url: String, node: &FakeNode) -> (Fleet, std::sync::Arc<NatsBus>) {
    let mut fleet = Fleet::new(url.clone(), model::options(node));
    fleet.setup().await;
    fleet.start_all().await;
    (fleet, connect(url).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_is_seen_while_it_runs_and_afterwards() {
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    node.script([FakeNodeBehaviour::Answer])
        .always(FakeNodeBehaviour::Hold);
    let (mut fleet, bus) = fleet(server.url(), &node).await;
    let unknown = fleet.command(&["trace", "nobody-asked"]).await;
    assert_eq!(unknown.status.code(), Some(3), "{unknown:?}");

    ask(&bus, "seen").await;
    node.until(|seen| seen.in_flight == MAPS).await;
    let running = fleet.json(&["trace", "seen"]).await;
    assert_eq!(running["outcome"], Value::Null, "{running:#}");
    assert_eq!(path(&running), ["planner 0 done", "retriever 1 done"]);
    assert_eq!(maps(&running, "runs"), MAPS, "{running:#}");
    assert_eq!(running["question"], QUESTION);

    let mut following = fleet.begun(&["trace", "seen", "--follow"]);
    let mut stdout = BufReader::new(following.stdout.take().expect("a pipe"));
    let mut lines = String::new();
    let first = timeout(PATIENCE, stdout.read_line(&mut lines)).await;
    first.expect("a line in time").expect("a line");
    node.always(FakeNodeBehaviour::Answer).release(MAPS);
    let rest = timeout(PATIENCE, stdout.read_to_string(&mut lines)).await;
    rest.expect("an end in time").expect("text");
    println!("{lines}");
    let followed = following.wait().await.expect("an end");
    assert!(followed.success(), "{lines}");
    assert!(lines.contains("hop 3   runs"), "{lines}");
    assert!(lines.contains("hop 3   done"), "{lines}");
    let last = lines.lines().last().expect("a line");
    assert!(last.starts_with("turn seen  answered in"), "{last}");

    let whole = fleet.json(&["trace", "seen"]).await;
    assert_eq!(
        path(&whole),
        [
            "planner 0 done",
            "retriever 1 done",
            "reducer 4 done",
            "validator 5 done"
        ]
    );
    assert_eq!(
        (maps(&whole, "done"), &whole["outcome"]),
        (MAPS, &json!("answered"))
    );
    assert_eq!(whole["usage"]["calls"], model::CALLS);
    let text = fleet.command(&["trace", "seen"]).await;
    let text = String::from_utf8(text.stdout).expect("text");
    println!("{text}");
    assert!(
        text.contains("mapper x5") && text.contains("5 ok"),
        "{text}"
    );

    // As when the time to live of its steps is over: the trail of the answer is left.
    for (stream, filter) in [
        (Stream::Steps(0), "argosy.>"),
        (Stream::Timers, "argosy.timer.seen.>"),
        (Stream::Timers, "argosy.timer.seen"),
    ] {
        bus.purge(stream, filter).await.expect("a purge");
    }
    let late = fleet.json(&["trace", "seen"]).await;
    assert_eq!(
        (&late["aged_out"], path(&late)),
        (&json!(true), path(&whole))
    );
    let refused = fleet
        .command(&["replay", "seen", "--from", "reducer"])
        .await;
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    let words = String::from_utf8(refused.stderr).expect("text");
    assert!(
        words.contains("aged out") && words.contains("streams.keep"),
        "{words}"
    );
    fleet.drain().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_letter_is_tried_again_once() {
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    let gone = FakeNodeBehaviour::Status(404, "no such model".into(), None);
    node.script([FakeNodeBehaviour::Answer, gone]);
    let (mut fleet, bus) = fleet(server.url(), &node).await;
    ask(&bus, "hurt").await;
    assert_eq!(ended(&bus, "hurt").await.outcome, Outcome::Answered);
    let hurt = fleet.json(&["trace", "hurt"]).await;
    assert_eq!(
        (maps(&hurt, "done"), maps(&hurt, "failed")),
        (MAPS - 1, 1),
        "{hurt:#}"
    );

    let listed = fleet
        .json(&["dead", "ls", "--role", "mapper", "--since", "5m"])
        .await;
    let letters = listed["letters"].as_array().expect("letters");
    assert_eq!(
        (letters.len(), &letters[0]["turn"]),
        (1, &json!("hurt")),
        "{listed:#}"
    );
    assert_eq!(
        (&letters[0]["hop"], &letters[0]["retried_as"]),
        (&json!(3), &Value::Null)
    );
    let number = letters[0]["number"].to_string();
    let none = fleet.json(&["dead", "ls", "--older-than", "1h"]).await;
    assert_eq!(none["letters"], json!([]));
    let shown = fleet.json(&["dead", "show", &number]).await;
    assert!(
        shown["payload"]
            .as_str()
            .is_some_and(|p| p.contains(QUESTION)),
        "{shown:#}"
    );
    assert_eq!(shown["reason"], letters[0]["reason"]);

    let unsure = fleet
        .command(&["dead", "retry", &number, "-o", "json"])
        .await;
    assert_eq!(unsure.status.code(), Some(7), "{unsure:?}");
    let plan: Value = serde_json::from_slice(&unsure.stdout).expect("JSON");
    assert_eq!(plan["done"], false);
    let calls = node.seen().calls;
    let first = fleet.json(&["dead", "retry", &number, "--yes"]).await;
    let turn = first["letters"][0]["turn"]
        .as_str()
        .expect("a turn")
        .to_owned();
    assert_eq!(plan["letters"][0]["turn"], turn.as_str());
    let new = ended(&bus, &turn).await;
    assert_eq!(
        (new.outcome, new.parent),
        (Outcome::Answered, TurnId::new("hurt").ok())
    );
    assert_eq!(
        node.seen().calls,
        calls + 2,
        "one map and one reduction; the rest is taken over"
    );
    let second = fleet.json(&["dead", "retry", &number, "--yes"]).await;
    assert_eq!(second["letters"][0]["turn"], turn.as_str());
    assert_eq!(node.seen().calls, calls + 2);

    let old = fleet.json(&["trace", "hurt"]).await;
    assert_eq!(
        (&old["again"][0]["turn"], &old["again"][0]["how"]),
        (&json!(turn), &json!("retry"))
    );
    let again = fleet.json(&["trace", &turn]).await;
    assert_eq!(
        (&again["parent"], maps(&again, "done")),
        (&json!("hurt"), MAPS),
        "{again:#}"
    );
    assert_eq!(again["usage"]["calls"], 2, "{again:#}");
    let relisted = fleet.json(&["dead", "ls"]).await;
    assert_eq!(relisted["letters"][0]["retried_as"], turn.as_str());

    let unsaid = fleet.command(&["dead", "drop", "--yes"]).await;
    assert_eq!(unsaid.status.code(), Some(2), "{unsaid:?}");
    let dropped = fleet
        .json(&["dead", "drop", "--role", "mapper", "--yes"])
        .await;
    assert_eq!(dropped["letters"][0]["what"], "deleted");
    assert_eq!(fleet.json(&["dead", "ls"]).await["letters"], json!([]));
    fleet.drain().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_is_replayed_with_another_model_and_prompt() {
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    let (mut fleet, bus) = fleet(server.url(), &node).await;
    ask(&bus, "first").await;
    ended(&bus, "first").await;
    let calls = node.seen().calls;
    let prompt = fleet.dir().join("own.md");
    let text = "Answer like a pirate.\n---user---\n{{question}}\n<facts>\n{{facts}}\n</facts>\n";
    std::fs::write(&prompt, text).expect("a prompt");
    let prompt = format!("prompt.reducer={}", prompt.display());
    let with = ["--with", "model=large", "--with", &prompt];
    let replay = |from| [&["replay", "first", "--from", from][..], &with[..]].concat();
    let shown = fleet.json(&replay("reducer")).await;
    assert_eq!(
        (&shown["parent"], &shown["hop"]),
        (&json!("first"), &json!(4)),
        "{shown:#}"
    );
    assert_eq!(shown["calls_made_again"], 1);
    let turn = shown["turn"].as_str().expect("a turn").to_owned();
    let new = ended(&bus, &turn).await;
    assert_eq!(
        (new.outcome, new.model.as_deref()),
        (Outcome::Answered, Some("large"))
    );
    let prompts = node.prompts();
    assert_eq!(prompts.len(), calls + 1);
    let body = &prompts[calls].body;
    assert_eq!(body["model"], "large");
    assert!(
        body["messages"].to_string().contains("like a pirate"),
        "{body}"
    );
    let trace = fleet.json(&["trace", &turn]).await;
    assert_eq!(
        path(&trace),
        [
            "planner 0 done (inherited)",
            "retriever 1 done (inherited)",
            "reducer 4 done",
            "validator 5 done"
        ]
    );
    assert_eq!(trace["overrides"]["model"], "large");

    // Every replay is a turn of its own; one from the maps makes all of them again.
    let maps = fleet.json(&replay("mapper")).await;
    let other = maps["turn"].as_str().expect("a turn");
    assert_ne!(other, turn);
    ended(&bus, other).await;
    assert_eq!(node.seen().calls, calls + 1 + MAPS + 1);
    let old = fleet.json(&["trace", "first"]).await;
    let again: Vec<_> = old["again"]
        .as_array()
        .expect("turns")
        .iter()
        .map(|a| &a["turn"])
        .collect();
    assert_eq!(again, [&json!(turn), &json!(other)]);

    let absent = fleet
        .command(&["replay", "first", "--from", "clarifier"])
        .await;
    assert_eq!(absent.status.code(), Some(3), "{absent:?}");
    for wrong in [
        ["replay", "first", "--from", "gateway"].to_vec(),
        [
            "replay",
            "first",
            "--from",
            "reducer",
            "--with",
            "prompt.cook=Cargo.toml",
        ]
        .to_vec(),
    ] {
        let refused = fleet.command(&wrong).await;
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    }
    fleet.drain().await;
}
