//! Tests the indexing of folders with several indexers, killed indexers, bad files and large files.

use crate::fleet::{Fleet, connect, until};
use crate::turns::read_all;
use bus::{Bus, Headers, Publish, Stream};
use bus_nats::NatsBus;
use envelope::ChunkRecord;
use envelope::{Role, header};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The number of small documents in the folder.
const SMALL: usize = 200;
/// The bytes of the large document.
const LARGE: usize = 2 * 1024 * 1024;

/// Writes a folder of small documents, a large one and one that cannot be read.
fn write(folder: &Path, version: usize) {
    let boxes = folder.join("boxes");
    fs::create_dir_all(&boxes).expect("a folder");
    for n in 0..SMALL {
        let lot = n * 7 + version;
        let text = format!("# Box {n}\n\nThe box number {n} holds the seal of lot {lot}.\n");
        fs::write(boxes.join(format!("box{n:03}.md")), text).expect("a file");
    }
    let line = format!("In version {version} this report repeats a sentence without end.\n");
    let report = line.repeat(LARGE / line.len());
    fs::write(folder.join("report.txt"), report).expect("a file");
    fs::write(folder.join("poison.txt"), b"text\0text").expect("a file");
}

/// The live chunks of every document: the contents of its head, and the number of chunks.
async fn documents(bus: &NatsBus) -> BTreeMap<String, (ChunkRecord, usize)> {
    let stored = read_all(bus, Stream::Chunks, "argosy.chunk.>").await;
    let records: Vec<ChunkRecord> = stored
        .iter()
        .map(|m| ChunkRecord::decode(&m.body).expect("a record"))
        .filter(|record| !record.deleted)
        .collect();
    let heads = records.iter().filter(|record| record.is_head());
    heads
        .map(|head| {
            let of_it = |r: &&ChunkRecord| r.doc_id == head.doc_id && r.hash == head.hash;
            let chunks = records.iter().filter(of_it).count();
            let strangers = records
                .iter()
                .filter(|r| r.doc_id == head.doc_id && r.hash != head.hash);
            assert_eq!(strangers.count(), 0, "{} has two versions", head.source);
            (head.source.clone(), (head.clone(), chunks))
        })
        .collect()
}

fn all_whole(documents: &BTreeMap<String, (ChunkRecord, usize)>) {
    assert_eq!(documents.len(), SMALL + 1);
    for (source, (head, chunks)) in documents {
        assert_eq!(head.of as usize, *chunks, "{source} is not whole");
    }
}

fn json(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn indexers_that_are_killed_leave_every_document_whole() {
    let server = testkit::nats::server().await;
    let mut fleet = Fleet::new(server.url(), vec!["streams.ack_wait=2s".into()]);
    fleet.stubbed.clear();
    fleet.setup().await;
    let bus = connect(server.url()).await;
    let corpus = fleet.dir().join("corpus");
    write(&corpus, 1000);
    let root = corpus.to_str().expect("a path").to_owned();

    // Nobody indexes yet: everything waits, and the large one in the object store.
    let published = fleet.json(&["index", &root, "--no-wait"]).await;
    assert_eq!(published["published"], SMALL + 2, "{published}");
    let waiting = bus.state(Stream::Documents).await.expect("the stream");
    assert_eq!(waiting.messages as usize, SMALL + 2);
    assert!((waiting.bytes as usize) < LARGE, "{waiting:?}");

    for _ in 0..2 {
        fleet.start(Role::Indexer);
    }
    let left = async || {
        let state = bus.state(Stream::Documents).await;
        state.expect("the stream").messages as usize
    };
    let mut kills = 0;
    loop {
        let before = left().await;
        if before == 0 {
            break;
        }
        if before < SMALL && kills < 3 {
            fleet.replace(kills % 2).await;
            kills += 1;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(
        kills > 0,
        "everything was indexed before anything was killed"
    );
    all_whole(&documents(&bus).await);

    // A new version of everything, while one indexer after the other dies; the run waits for it.
    write(&corpus, 5000);
    let plan = fleet.plan.clone();
    let indexing = tokio::process::Command::new(&plan.binary)
        .args(["index", &root, "--server", &plan.server, "-o", "json"])
        .args(["--set", "streams.ack_wait=2s"])
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    let mut indexing = indexing.expect("an indexing process");
    let mut more = 0;
    while indexing.try_wait().expect("a look").is_none() {
        if more < 4 {
            fleet.replace(more % 2).await;
            more += 1;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let output = indexing.wait_with_output().await.expect("its end");
    let summary = json(&output);
    println!("{} kills; {summary}", kills + more);
    assert_eq!(output.status.code(), Some(1), "a file was skipped");
    assert_eq!(summary["changed"], SMALL + 1, "{summary}");
    assert_eq!(summary["skipped"][0]["source"], "poison.txt");
    let reason = summary["skipped"][0]["reason"].as_str();
    assert!(reason.is_some_and(|r| r.starts_with("binary")), "{summary}");
    let documents = documents(&bus).await;
    all_whole(&documents);
    let (box7, _) = &documents["boxes/box007.md"];
    assert!(box7.text.contains("lot 5049"), "{}", box7.text);

    // The bad file is in a dead letter, and no file is left behind of the large one.
    let letters = read_all(&*bus, Stream::Dead, "argosy.dead.indexer.>").await;
    let reasons = letters.iter().map(|m| m.headers.get(header::DEAD_REASON));
    assert!(letters.len() >= 2 && reasons.clone().all(|r| r == Some("binary")));
    let files = letters
        .iter()
        .any(|m| m.headers.get(header::OBJECT).is_some());
    assert!(!files, "a small file needs no object");

    let again = json(&fleet.command(&["index", &root, "-o", "json"]).await);
    assert_eq!(again["unchanged"], SMALL + 1, "{again}");
    assert_eq!(again["indexed"], 0, "{again}");

    // And the fleet answers from it.
    fleet.start_all().await;
    let question = "The seal of which lot does box number 123 hold?";
    let answer = until("an answer from the new version", async || {
        let output = fleet.command(&["ask", question, "-o", "json"]).await;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        said.contains("5861").then_some(said)
    });
    answer.await;
    fleet.drain().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_without_indexers_says_who_is_missing() {
    let server = testkit::nats::server().await;
    let mut fleet = Fleet::new(server.url(), vec![]);
    fleet.setup().await;
    let corpus = fleet.dir().join("corpus");
    fs::create_dir_all(&corpus).expect("a folder");
    fs::write(
        corpus.join("note.md"),
        "The Sellin fence is 212 metres long.\n",
    )
    .expect("a file");
    let root = corpus.to_str().expect("a path").to_owned();
    let stuck = fleet.command(&["index", &root, "--patience", "2"]).await;
    assert_eq!(stuck.status.code(), Some(6), "{stuck:?}");
    let said = String::from_utf8_lossy(&stuck.stderr);
    assert!(
        said.contains("note.md") && said.contains("argosy run indexer"),
        "{said}"
    );
    // What was published is indexed once somebody does it, and the run may be repeated meanwhile.
    fleet.start(Role::Indexer).ready().await;
    let summary = fleet.json(&["index", &root]).await;
    let done = [&summary["indexed"], &summary["unchanged"]].map(|n| n.as_u64().unwrap_or(0));
    assert_eq!(done[0] + done[1], 1, "{summary}");
    fleet.drain().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn documents_of_one_file_are_messages_of_their_own() {
    let server = testkit::nats::server().await;
    let mut fleet = Fleet::new(server.url(), vec![]);
    fleet.setup().await;
    let bus = connect(server.url()).await;
    let corpus = fleet.dir().join("corpus");
    fs::create_dir_all(corpus.join("boxes")).expect("a folder");
    let line = |n: usize| format!("{{\"id\": \"b{n}\", \"text\": \"The box {n} is blue.\"}}\n");
    let rows: String = (0..50).map(line).collect();
    fs::write(corpus.join("boxes/rows.jsonl"), rows).expect("a file");
    // Its parts are too large for a message and go through the object store.
    let table = "box,seal\nthe first box,the first seal\n".repeat(70_000);
    fs::write(corpus.join("large.csv"), table).expect("a file");
    let root = corpus.to_str().expect("a path").to_owned();
    fleet.start(Role::Indexer).ready().await;
    let summary = fleet.json(&["index", &root]).await;
    let indexed = summary["indexed"].as_u64().expect("a count");
    assert!(indexed > 51, "{summary}");
    let found = documents(&bus).await;
    assert_eq!(found.len() as u64, indexed);
    assert!(found["boxes/rows.jsonl#b7"].0.text.contains("box 7"));
    let again = fleet.json(&["index", &root]).await;
    assert_eq!(
        (&again["indexed"], &again["unchanged"]),
        (&0.into(), &indexed.into())
    );

    // Whoever says that it has read a document and has not is told so.
    let headers = Headers::default()
        .with(header::SOURCE, "boxes/rows.jsonl#b7")
        .with(header::FORM, "document");
    let bad = Publish {
        headers,
        ..Publish::new("argosy.document.boxes.b7", "no JSON".into())
    };
    bus.publish(bad).await.expect("a confirmation");
    let reason = until("a dead letter", async || {
        let letter = bus
            .last(Stream::Dead, "argosy.dead.indexer.main.boxes.*")
            .await;
        let letter = letter.expect("the stream")?;
        letter.headers.get(header::DEAD_REASON).map(str::to_owned)
    });
    assert_eq!(reason.await, "bad_form");
    fleet.drain().await;
}
