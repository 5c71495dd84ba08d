//! Tests indexes as views of the corpus stream: a document that was just written is found, a kill leaves nothing
//! incomplete, and a replica that starts from a snapshot equals one that reads the whole stream.

use crate::fleet::{Fleet, PATIENCE, connect, until};
use bus::{Bus, Publish, Snapshots, Stream};
use bytes::Bytes;
use envelope::{ChunkRecord, Filter, Principal, Role, TenantId};
use futures_util::{StreamExt, stream};
use index::{HybridSearcher, Index, Options, VectorSource};
use search::{SearchRequest, Searcher};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// How often a document is written and asked for at once.
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

/// The number of chunks of the corpus during whose feed processes are killed.
const CHUNKS: u32 = 2_000;

fn record(n: u32) -> ChunkRecord {
    let source = format!("log/{n}.md");
    let tenant = TenantId::default_tenant();
    let text = format!(
        "Gauge G{n:05} reads {} millibar in the shift of noon.",
        n * 3
    );
    let record = json!({
        "v": 1, "tenant": tenant, "bucket": "log", "n": 0, "of": 1, "hash": format!("h{n}"),
        "doc_id": documents::document::doc_id_of(&tenant, &source), "source": source, "text": text,
    });
    serde_json::from_value(record).expect("a record")
}

async fn publish(bus: &dyn Bus, numbers: std::ops::Range<u32>) {
    let stored = stream::iter(numbers).map(async |n| {
        let record = record(n);
        let body: Bytes = record.encode().expect("a body");
        let message = Publish::new(record.subject(&envelope::Edition::main()), body);
        bus.publish(message).await.expect("stored")
    });
    stored.buffer_unordered(64).count().await;
}

/// How many chunks an index holds, its position, and what it finds for some questions.
async fn seen(index: Index) -> (u64, Option<u64>, Vec<(String, u64)>) {
    let options = Options {
        vectors: false,
        ..Options::default()
    };
    let (chunks, position) = (index.chunk_count(), index.position().expect("a position"));
    let searcher = HybridSearcher::new(index, options);
    let mut found = Vec::new();
    for n in (0..CHUNKS).step_by(199) {
        let request = SearchRequest {
            principal: Principal::default(),
            buckets: Vec::new(),
            filter: Filter::default(),
            query: format!("What does gauge G{n:05} read?"),
            keywords: Vec::new(),
            context: None,
            strategy: Default::default(),
            fetch_k: 20,
            top_k: 3,
            after: None,
        };
        let result = searcher.search(&request).await.expect("a search");
        found.push((result.passages[0].source.clone(), result.total_hits));
    }
    (chunks, position.map(|p| p.sequence), found)
}

fn open(data_dir: &Path) -> Index {
    Index::open(&data_dir.join("retriever/main"), &VectorSource::None).expect("an index")
}

/// The contents of an index that was fed from nothing and never killed.
async fn reference(chunks: u32) -> (u64, Option<u64>, Vec<(String, u64)>) {
    let index = Index::open_in_ram(&VectorSource::None).expect("an index");
    let records: Vec<_> = (0..chunks).map(record).collect();
    let mut writer = index.writer().expect("a writer");
    writer.apply(&records).expect("applied");
    writer
        .commit(u64::from(chunks), "reference")
        .expect("committed");
    seen(index).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_retriever_killed_while_it_catches_up_or_restores_is_whole_in_the_end() {
    let server = testkit::nats::server().await;
    let set = ["snapshots.every=1s", "snapshots.changes=1000"];
    let mut fleet = Fleet::new(server.url(), set.map(String::from).into());
    fleet.stubbed.clear();
    fleet.setup().await;
    let bus = connect(server.url()).await;
    publish(&*bus, 0..CHUNKS).await;

    // Killed while it is fed from nothing, each time a little later.
    let first = fleet.plan.data_dir.clone();
    fleet.start(Role::Retriever);
    let mut behind = 0;
    for round in 0..4 {
        until("the feed", async || fleet.processes[0].said("running")).await;
        tokio::time::sleep(Duration::from_millis(30 * round)).await;
        fleet.processes[0].member.kill().await.expect("a kill");
        let position = open(&first).position().expect("a position");
        behind += u32::from(position.is_none_or(|p| p.sequence < u64::from(CHUNKS)));
        fleet.replace(0).await;
    }
    println!("killed {behind} times before it had caught up");
    assert!(behind > 1, "it had caught up before anything was killed");
    fleet.ready().await;
    let snapshots = until("a snapshot", async || {
        let all = bus.list().await.ok()?;
        (!all.is_empty()).then_some(all)
    })
    .await;
    assert_eq!(snapshots[0].sequence, u64::from(CHUNKS), "{snapshots:?}");
    fleet.drain().await;
    let wanted = reference(CHUNKS).await;
    assert_eq!(seen(open(&first)).await, wanted);

    // Another replica begins with it, and is killed while it is unpacked.
    let second = fleet.dir().join("second");
    fleet.plan.data_dir = second.clone();
    let (folder, aside) = (second.join("retriever/main"), "archive-in");
    fleet.start(Role::Retriever);
    let mut halves = 0;
    for round in 0..12 {
        let start = Instant::now();
        while !folder.join(aside).exists() && fleet.processes[0].said("running").is_none() {
            assert!(start.elapsed() < PATIENCE, "neither restored nor fed");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        tokio::time::sleep(Duration::from_millis(10 * (round % 4))).await;
        fleet.processes[0].member.kill().await.expect("a kill");
        match folder.join(aside).exists() {
            true => halves += 1,
            // Too late: once more.
            false => fs::remove_dir_all(&folder).expect("an empty folder"),
        }
        fleet.replace(0).await;
        if halves == 3 {
            break;
        }
    }
    println!("killed {halves} times before it was restored");
    assert!(halves > 1, "it was restored before anything was killed");
    publish(&*bus, CHUNKS..CHUNKS + 10).await;
    fleet.ready().await;
    let restored = fleet.processes[0].said("index restored from a snapshot");
    assert!(restored.is_some(), "it was fed from nothing");
    until("the newest chunks", async || {
        let last = bus.state(Stream::Chunks).await.ok()?.last;
        let index = Index::open(&folder, &VectorSource::None).ok()?;
        (index.position().ok()??.sequence == last).then_some(())
    })
    .await;
    fleet.drain().await;
    assert_eq!(seen(open(&second)).await, reference(CHUNKS + 10).await);
    let left = fs::read_dir(&folder).expect("the folder").count();
    assert_eq!(left, 1, "the index and nothing beside it");
}

/// How often a chunk is written: the feed never sees a pause that it would take for the end.
const STEADY: Duration = Duration::from_millis(10);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_retriever_that_starts_while_the_corpus_is_written_to_gets_ready_and_keeps_up() {
    let server = testkit::nats::server().await;
    let mut fleet = Fleet::new(server.url(), Vec::new());
    fleet.stubbed.clear();
    fleet.setup().await;
    let bus = connect(server.url()).await;
    publish(&*bus, 0..CHUNKS).await;
    let mut load = JoinSet::new();
    let writer = bus.clone();
    load.spawn(async move {
        for n in CHUNKS.. {
            publish(&*writer, n..n + 1).await;
            tokio::time::sleep(STEADY).await;
        }
    });
    fleet.start(Role::Retriever);
    for _ in 0..2 {
        fleet.ready().await;
        let last = bus.state(Stream::Chunks).await.expect("a state").last;
        until("what was just written", async || {
            let position = open(&fleet.plan.data_dir).position().ok()??;
            (position.sequence >= last).then_some(())
        })
        .await;
        fleet.replace(0).await;
    }
    fleet.ready().await;
    load.shutdown().await;
    fleet.drain().await;
}
