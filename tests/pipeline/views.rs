//! Indexes as views of the corpus stream: what was just written is read.

use crate::fleet::Fleet;
use envelope::Role;
use std::fs;

/// How often something is written and asked for at once.
const ROUNDS: u32 = 5;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_just_indexed_is_in_the_answer() {
    let server = testkit::nats::server().await;
    let mut fleet = Fleet::new(server.url(), vec!["gateway.deadline=24s".into()]);
    fleet.stubbed.clear();
    fleet.setup().await;
    let corpus = fleet.dir().join("corpus");
    fs::create_dir_all(&corpus).expect("a folder");
    let root = corpus.to_str().expect("a path").to_owned();
    fleet.start_all().await;
    let place = fleet
        .processes
        .iter()
        .position(|p| p.member.role == Role::Retriever);
    let place = place.expect("a retriever");
    let question = "At what time does the Orlau gate open?";
    let mut written = 0;
    for round in 0..ROUNDS {
        let time = format!("0{round}:{}7", round + 1);
        let text = format!("# Gate\n\nThe Orlau gate opens at {time}.\n");
        fs::write(corpus.join("gate.md"), text).expect("a file");
        let indexed = fleet.json(&["index", &root]).await;
        assert_eq!(indexed["indexed"], 1, "{indexed}");
        written = indexed["corpus_seq"].as_u64().expect("a sequence");
        // One that has just come back has its old index and does not wait to be ready.
        fleet.replace(place).await;
        let min_seq = written.to_string();
        let event = fleet.json(&["ask", question, "--min-seq", &min_seq]).await;
        let answer = event["answer"].as_str().expect("an answer");
        assert!(answer.contains(&time), "round {round}: {event}");
    }
    let again = fleet.json(&["index", &root]).await;
    assert_eq!(again["corpus_seq"].as_u64(), Some(written), "unchanged");

    // What no index will ever have does not keep an answer back.
    let never = (written + 1_000).to_string();
    let event = fleet.json(&["ask", question, "--min-seq", &never]).await;
    let fallbacks = event["trail"].as_array().expect("a trail").iter();
    let told = fallbacks.flat_map(|step| step["fallbacks"].as_array().cloned().unwrap_or_default());
    let behind: Vec<_> = told.filter(|f| f["kind"] == "searched_behind").collect();
    assert_eq!(behind.len(), 1, "{event}");
    assert_eq!(behind[0]["at"].as_u64(), Some(written), "{event}");
    let notices = event["notices"].to_string();
    assert!(notices.contains("newest documents"), "{event}");
    fleet.drain().await;
}
