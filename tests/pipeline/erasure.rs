//! Tests the erasure of a conversation in a fleet of real processes: no file of the server or of a worker contains
//! its text, and its fork, a replay in a branch and its export are as documented.

use crate::fleet::{Fleet, until};
use crate::model;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use testkit::grep::files_with;
use tokio::time::sleep;

/// A word of the questions of the conversation, and of nothing else.
const MARKER: &str = "marzipan";

async fn ask(fleet: &Fleet, conversation: &str, question: &str) -> Value {
    let args = ["ask", question, "--conversation", conversation];
    fleet.json(&args).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_erased_is_in_no_file_of_the_fleet() {
    let store = tempfile::TempDir::with_prefix("argosy-store-").expect("a folder");
    let server = testkit::nats::server_with(|options| {
        options.store_dir = store.path().to_owned();
    })
    .await;
    let node = model::node(Duration::ZERO).await;
    let set = [model::options(&node), vec!["gateway.sweep_every=1s".into()]].concat();
    let mut fleet = Fleet::new(server.url(), set);
    fleet.setup().await;
    fleet.start_all().await;
    let question = format!("What is the notice period of the {MARKER} contract?");
    for _ in 0..2 {
        ask(&fleet, "talk", &question).await;
    }
    ask(&fleet, "other", "What is the notice period?").await;
    fleet
        .json(&[
            "conversation",
            "fork",
            "talk",
            "--at",
            "1",
            "--as",
            "branch",
        ])
        .await;
    let next = ask(&fleet, "branch", &question).await;
    assert_eq!(next["trail"][0]["decided"], "1 exchange before");
    let replay = [
        "replay",
        next["turn"].as_str().expect("a turn"),
        "--from",
        "reducer",
    ];
    let replayed = fleet
        .json(&[&replay[..], &["--as", "again"]].concat())
        .await;
    assert_eq!(replayed["conversation"], "again");
    let shown = until("the end of the replay", async || {
        let shown = fleet.json(&["conversation", "show", "again"]).await;
        shown["turns"][1]["outcome"].is_string().then_some(shown)
    })
    .await;
    assert_eq!(shown["turns"][1]["outcome"], "answered", "{shown}");
    assert_eq!(shown["copy_of"], "branch");
    let more = ask(&fleet, "again", &question).await;
    assert_eq!(more["trail"][0]["decided"], "2 exchanges before");

    let in_server = || files_with(store.path(), MARKER);
    let folder = fleet.dir().to_owned();
    let in_fleet = || files_with(&folder, MARKER);
    assert!(!in_server().is_empty());
    until("it in the store of the role", async || {
        (!in_fleet().is_empty()).then_some(())
    })
    .await;
    let rm = ["conversation", "rm", "talk", "--yes", "--forks"];
    let erased = fleet.json(&rm).await;
    let ids: Vec<_> = erased["conversations"]
        .as_array()
        .expect("conversations")
        .iter()
        .map(|one| (&one["conversation"], &one["erased"]))
        .collect();
    let yes = json!(true);
    for id in ["talk", "branch", "again"] {
        assert!(ids.contains(&(&json!(id), &yes)), "{id} in {erased}");
    }
    assert_eq!(in_server(), [""; 0].map(PathBuf::from), "{erased}");
    let stores = erased["stores"].as_array().expect("stores");
    assert!(!stores.is_empty(), "{erased}");
    for store in stores {
        assert_eq!(store["behind"], 0, "{erased}");
    }
    until("nothing in any store", async || {
        in_fleet().is_empty().then_some(())
    })
    .await;
    let other = fleet.json(&["conversation", "show", "other"]).await;
    assert_eq!(other["turns"].as_array().map(Vec::len), Some(1));
    let refused = fleet
        .command(&["ask", "And now?", "--conversation", "talk", "-o", "json"])
        .await;
    let refused: Value = serde_json::from_slice(&refused.stdout).expect("JSON");
    assert_eq!(refused["error"]["code"], "conversation_erased");
    fleet.drain().await;
    assert_eq!(
        in_fleet(),
        [""; 0].map(PathBuf::from),
        "what they wrote while they ended"
    );
}

/// On three replicas the servers' Raft log holds what was said until it is compacted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes"]
async fn what_is_erased_is_in_no_file_of_three_replicas_after_minutes() {
    const COMPACTED: Duration = Duration::from_secs(480);
    let cluster = testkit::nats::cluster().await;
    let node = model::node(Duration::ZERO).await;
    let set = [model::options(&node), vec!["streams.replicas=3".into()]].concat();
    let mut fleet = Fleet::new(cluster.url(), set);
    fleet.setup().await;
    fleet.start_all().await;
    let question = format!("What is the notice period of the {MARKER} contract?");
    ask(&fleet, "talk", &question).await;
    assert!(!files_with(cluster.store(), MARKER).is_empty());
    let rm = ["conversation", "rm", "talk", "--yes"];
    fleet.json(&rm).await;
    let erased = Instant::now();
    loop {
        let left = files_with(cluster.store(), MARKER);
        if left.is_empty() {
            break;
        }
        assert!(erased.elapsed() < COMPACTED, "{left:?}");
        // A server in use: it compacts what has changed.
        ask(&fleet, "other", "What is the notice period?").await;
        sleep(Duration::from_secs(5)).await;
    }
    println!("in no file of three servers after {:?}", erased.elapsed());
    fleet.drain().await;
}
