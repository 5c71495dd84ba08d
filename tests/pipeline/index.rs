//! Tests the retriever's index as a view of the corpus stream: it is complete again after a kill.

use crate::fleet::{Fleet, connect};
use crate::served::Model;
use crate::turns::read_all;
use bus::Stream;
use envelope::{ChunkRecord, Role};
use index::{Index, VectorSource};
use std::fs;
use std::path::Path;

/// The answer of the fleet to a question about the lease.
async fn ask(fleet: &Fleet, question: &str) -> String {
    let output = fleet.command(&["ask", question, "-o", "json"]).await;
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join(name), text).expect("a file");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retriever_index_survives_restart() {
    let server = testkit::nats::server().await;
    let mut fleet = Fleet::new(server.url(), vec!["streams.ack_wait=5s".into()]);
    fleet.stubbed.clear();
    let model = Model::start(&fleet).await;
    fleet.plan.set.extend(model.options(""));
    fleet.setup().await;
    let corpus = fleet.dir().join("corpus");
    let folder = corpus.join("contracts");
    write(
        &folder,
        "lease.md",
        "# Lease of the Tarnow depot\n\nThe Tarnow lease ends on 31 March 2031.\n",
    );
    write(
        &folder,
        "crane.md",
        "# Crane service\n\nThe Brunnhof crane is inspected every 14 months.\n",
    );
    write(
        &folder,
        "fence.md",
        "# Fence\n\nThe Sellin fence is 212 metres long.\n",
    );
    let root = corpus.to_str().expect("a path").to_owned();
    fleet.start(Role::Indexer).ready().await;
    let indexed = fleet.json(&["index", &root]).await;
    assert_eq!(indexed["indexed"], 3, "{indexed}");
    fleet.start_all().await;
    let lease = ask(&fleet, "When does the Tarnow lease end?").await;
    assert!(lease.contains("31 March 2031"), "{lease}");

    // While nobody searches, one document changes, one goes, one comes.
    let place = fleet
        .processes
        .iter()
        .position(|p| p.member.role == Role::Retriever);
    let place = place.expect("a retriever");
    fleet.processes[place].member.kill().await.expect("a kill");
    write(
        &folder,
        "lease.md",
        "# Lease of the Tarnow depot\n\nThe Tarnow lease ends on 30 June 2034.\n",
    );
    write(
        &folder,
        "gate.md",
        "# Gate\n\nThe Orlau gate opens at 05:40.\n",
    );
    fs::remove_file(folder.join("crane.md")).expect("a file less");
    let indexed = fleet.json(&["index", &root]).await;
    let counts = (
        &indexed["indexed"],
        &indexed["deleted"],
        &indexed["unchanged"],
    );
    assert_eq!(counts, (&2.into(), &1.into(), &1.into()), "{indexed}");
    fleet.replace(place).await;
    fleet.ready().await;
    assert!(
        fleet.processes[place]
            .said("the index was fed from another")
            .is_none(),
        "the index goes on from where it was"
    );

    let lease = ask(&fleet, "When does the Tarnow lease end?").await;
    assert!(
        lease.contains("30 June 2034") && !lease.contains("31 March 2031"),
        "{lease}"
    );
    let gate = ask(&fleet, "When does the Orlau gate open?").await;
    assert!(gate.contains("05:40"), "{gate}");
    let fence = ask(&fleet, "How long is the Sellin fence?").await;
    assert!(fence.contains("212 metres"), "{fence}");
    let crane = ask(&fleet, "How often is the Brunnhof crane inspected?").await;
    assert!(
        !crane.contains("14 months"),
        "a deleted document answers: {crane}"
    );
    fleet.drain().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_that_was_killed_while_it_grew_is_whole_in_the_end() {
    let server = testkit::nats::server().await;
    let mut fleet = Fleet::new(server.url(), vec![]);
    fleet.stubbed.clear();
    fleet.setup().await;
    fleet.start(Role::Retriever).ready().await;
    fleet.start(Role::Indexer).ready().await;
    let bus = connect(server.url()).await;
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/corpus");
    let mut kills = 0;
    {
        let plan = fleet.plan.clone();
        let indexing = tokio::process::Command::new(&plan.binary)
            .args(["index", sample, "--server", &plan.server, "-o", "json"])
            .stdout(std::process::Stdio::null())
            .kill_on_drop(true)
            .spawn();
        let mut indexing = indexing.expect("an indexing process");
        while indexing.try_wait().expect("a look").is_none() {
            fleet.replace(0).await;
            kills += 1;
            tokio::time::sleep(std::time::Duration::from_millis(40)).await;
        }
        assert!(indexing.wait().await.expect("its end").success());
    }
    fleet.replace(0).await;
    fleet.ready().await;
    fleet.drain().await;

    let stored = read_all(&*bus, Stream::Chunks, "argosy.chunk.>").await;
    let records = stored
        .iter()
        .map(|m| ChunkRecord::decode(&m.body).expect("a record"));
    let wanted = Index::open_in_ram(&VectorSource::None).expect("an index");
    let records: Vec<_> = records.collect();
    let mut writer = wanted.writer().expect("a writer");
    writer.apply(&records).expect("applied");
    let last = stored.last().expect("a chunk").sequence;
    writer.commit(last, "reference").expect("committed");
    let dir = fleet.plan.data_dir.join("retriever/main");
    let index = Index::open(&dir, &VectorSource::None).expect("the index");
    println!("killed {kills} times while {} chunks came", stored.len());
    assert!(
        kills > 1,
        "the sample corpus was indexed before anything was killed"
    );
    assert_eq!(index.chunk_count(), wanted.chunk_count());
    let position = index.position().expect("a position").expect("one");
    assert_eq!(position.sequence, last);
}
