//! Tests building a new edition of the corpus beside the one that is searched, and the switch to it, with real
//! processes and a real server.

use crate::fleet::{Fleet, until};
use envelope::Role;
use serde_json::Value;
use std::fs;
use std::path::Path;

const QUESTION: &str = "When does the Tarnow lease end?";

/// Writes a long lease with the fact in the middle; the chunk that holds the fact tells how the document was cut.
fn write_lease(folder: &Path, end: &str) {
    let clause = |n: usize| {
        format!("Clause {n} says that the tenant keeps gate {n} of the depot clean and shut.\n\n")
    };
    let before: String = (0..60).map(clause).collect();
    let after: String = (60..90).map(clause).collect();
    let text = format!("# Tarnow depot\n\n{before}The Tarnow lease ends on {end}.\n\n{after}");
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join("lease.md"), text).expect("a file");
}

impl Fleet {
    /// Starts an indexer of the edition that cuts small pieces; returns its place.
    fn start_small_indexer(&mut self) -> usize {
        let before = self.plan.set.len();
        for option in [
            "indexer.edition=small",
            "indexer.chunk_tokens=64",
            "indexer.overlap_tokens=8",
        ] {
            self.plan.set.push(option.into());
        }
        self.start(Role::Indexer);
        self.plan.set.truncate(before);
        self.processes.len() - 1
    }

    /// The answer to the question, and the number of the first chunk that it cites.
    async fn answer(&self) -> Option<(String, u32)> {
        let output = self.command(&["ask", QUESTION, "-o", "json"]).await;
        let said: Value = serde_json::from_slice(&output.stdout).ok()?;
        let cited = said["citations"][0]["chunk_id"].as_str()?;
        let (_, n) = cited.rsplit_once('.')?;
        Some((said["answer"].as_str()?.to_owned(), n.parse().ok()?))
    }

    /// Waits for an answer that says this from a chunk of such a number, and returns the number.
    async fn answers(&self, says: &str, chunk: impl Fn(u32) -> bool) -> u32 {
        until(&format!("an answer with {says}"), async || {
            let (answer, n) = self.answer().await?;
            (answer.contains(says) && chunk(n)).then_some(n)
        })
        .await
    }

    /// The output of `argosy edition ls`: name, state, documents, chunks and number of pipelines.
    async fn editions(&self) -> Vec<(String, String, u64, u64, usize)> {
        let rows = self.json(&["edition", "ls"]).await;
        let text = |row: &Value, field: &str| row[field].as_str().expect("a text").to_owned();
        let number = |row: &Value, field: &str| row[field].as_u64().expect("a number");
        let rows = rows.as_array().expect("rows").iter().map(|row| {
            let pipelines = row["pipelines"].as_array().expect("names").len();
            let (name, state) = (text(row, "name"), text(row, "state"));
            let (documents, chunks) = (number(row, "documents"), number(row, "chunks"));
            (name, state, documents, chunks, pipelines)
        });
        rows.collect()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_corpus_is_built_anew_and_switched_to_while_it_answers() {
    let server = testkit::nats::server().await;
    let mut fleet = Fleet::new(server.url(), vec!["streams.ack_wait=5s".into()]);
    fleet.stubbed.clear();
    fleet.setup().await;
    let corpus = fleet.dir().join("corpus");
    let folder = corpus.join("contracts");
    write_lease(&folder, "31 March 2031");
    fs::write(
        folder.join("fence.md"),
        "# Fence\n\nThe Sellin fence is long.\n",
    )
    .expect("a file");
    let root = corpus.to_str().expect("a path").to_owned();
    fleet.start_all().await;
    let indexed = fleet.json(&["index", &root]).await;
    assert_eq!(indexed["indexed"], 2, "{indexed}");
    let of_main = fleet.answers("31 March 2031", |_| true).await;

    // Nothing is built yet: no switch, and no edition of another name.
    let begun = fleet.json(&["edition", "begin", "small"]).await;
    assert_eq!(begun["beside"], "small", "{begun}");
    let refused = fleet.command(&["edition", "switch", "small"]).await;
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("2 are missing") && said.contains("--force"));
    let unknown = fleet.command(&["index", &root, "--edition", "large"]).await;
    assert_eq!(unknown.status.code(), Some(3), "{unknown:?}");

    // A document that is published before its indexer runs, and what there is already.
    let gate = "# Gate\n\nThe Orlau gate opens at 05:40.\n";
    fs::write(folder.join("gate.md"), gate).expect("a file");
    let indexed = fleet.json(&["index", &root]).await;
    assert_eq!(indexed["indexed"], 1, "{indexed}");
    let small = fleet.start_small_indexer();
    fleet.processes[small].ready().await;
    let built = fleet.json(&["index", &root, "--edition", "small"]).await;
    assert_eq!(built["skipped"], Value::Array(Vec::new()), "{built}");
    let again = fleet.json(&["index", &root, "--edition", "small"]).await;
    assert_eq!(
        (&again["indexed"], &again["unchanged"]),
        (&0.into(), &3.into())
    );
    let editions = fleet.editions().await;
    let [main, other] = &editions[..] else {
        panic!("{editions:?}")
    };
    assert_eq!((main.0.as_str(), main.1.as_str()), ("main", "current"));
    assert_eq!((other.0.as_str(), other.1.as_str()), ("small", "beside"));
    assert_eq!((main.2, main.4, other.2, other.4), (3, 1, 3, 1));
    assert!(other.3 > main.3 + 5, "{editions:?}");
    fleet.answers("31 March 2031", |n| n == of_main).await;

    // The switch, taken back, and taken again. A replica that starts later has the current one.
    let switched = fleet.json(&["edition", "switch", "small"]).await;
    let made = &switched["pipelines"];
    assert!(made["small"][0].is_string() && made["main"][0] != made["small"][0]);
    fleet.answers("31 March 2031", |n| n > of_main).await;
    fleet.json(&["edition", "switch", "main"]).await;
    fleet.answers("31 March 2031", |n| n == of_main).await;
    fleet.json(&["edition", "switch", "small"]).await;
    let of_small = fleet.answers("31 March 2031", |n| n > of_main).await;
    let processes = fleet.processes.iter();
    let places: Vec<_> = processes.map(|p| p.member.role).collect();
    let place = |role| places.iter().position(|r| *r == role).expect("a process");
    fleet.replace(place(Role::Retriever)).await;
    fleet.ready().await;
    fleet.answers("31 March 2031", |n| n == of_small).await;

    // The old one goes with its indexers, and the corpus goes on.
    let old = &mut fleet.processes[place(Role::Indexer)];
    old.member.terminate().await;
    old.ended().await;
    let refused = fleet.command(&["edition", "drop", "small"]).await;
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    fleet.json(&["edition", "drop", "main"]).await;
    let editions = fleet.editions().await;
    assert_eq!(editions.len(), 1, "{editions:?}");
    assert_eq!((editions[0].0.as_str(), editions[0].2), ("small", 3));
    let setup = fleet.json(&["setup"]).await;
    let rows = setup.as_array().expect("rows");
    assert!(rows.iter().all(|r| r["change"] == "unchanged"), "{setup}");
    write_lease(&folder, "30 June 2034");
    let indexed = fleet.json(&["index", &root]).await;
    assert_eq!(
        (&indexed["indexed"], &indexed["unchanged"]),
        (&1.into(), &2.into())
    );
    fleet.answers("30 June 2034", |n| n == of_small).await;
    let data = fleet.plan.data_dir.join("retriever");
    until("the old index to go", async || {
        let left = fs::read_dir(&data).expect("a folder").flatten();
        let names: Vec<_> = left.map(|e| e.file_name()).collect();
        (names == ["small"]).then_some(())
    })
    .await;
    fleet.processes.remove(place(Role::Indexer));
    fleet.drain().await;
}
