//! Tests a table that is too long for an answer: its file goes from the retriever that made it to the client, and is
//! erased with the conversation.

use crate::fleet::Fleet;
use crate::model;
use std::path::PathBuf;
use std::time::Duration;
use testkit::grep::files_with;

/// A word of the documents and of the table's file that stands in no question and in no answer.
const MARKER: &str = "Zirbelkiefer";
/// The rows of the table. An answer carries some of them; the last ones are in the file alone.
const ROWS: usize = 60;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_file_of_a_long_table_is_fetched_whole_and_erased_with_its_conversation() {
    let store = tempfile::TempDir::with_prefix("argosy-store-").expect("a folder");
    let server = testkit::nats::server_with(|options| {
        options.store_dir = store.path().to_owned();
    })
    .await;
    let node = model::node(Duration::ZERO).await;
    let mut fleet = Fleet::new(server.url(), model::options(&node));
    fleet.stubbed.clear();
    fleet.setup().await;
    fleet.start_all().await;
    let invoices = fleet.dir().join("docs/invoices");
    std::fs::create_dir_all(&invoices).expect("a folder");
    for n in 0..ROWS {
        let text = format!(
            "---\nvendor_name: Acme Pumps\ninvoice_number: AP-{n}\nwood: {MARKER}{n:02}\n---\n# Invoice AP-{n}\n\nPumps.\n"
        );
        std::fs::write(invoices.join(format!("{n:02}.md")), text).expect("a document");
    }
    let docs = fleet.dir().join("docs").to_string_lossy().into_owned();
    let indexed = fleet.json(&["index", &docs]).await;
    let seq = indexed["corpus_seq"].to_string();
    let question = "List all invoices from Acme Pumps";
    let answer = fleet
        .json(&["ask", question, "--min-seq", &seq, "--conversation", "talk"])
        .await;
    let table = &answer["table"];
    assert_eq!(table["rows_total"], ROWS, "{answer:#}");
    assert_eq!(table["rows"].as_array().map(Vec::len), Some(50));
    assert_eq!(table["file"]["media_type"], "text/csv");

    let turn = answer["turn"].as_str().expect("a turn");
    let file = fleet.dir().join("all.csv");
    let written = file.to_string_lossy().into_owned();
    fleet.json(&["answer", turn, "--csv", &written]).await;
    let csv = std::fs::read_to_string(&file).expect("the file");
    assert_eq!(csv.lines().count(), ROWS + 1, "{csv}");
    assert!(csv.contains(&format!("{MARKER}59")), "{csv}");

    let with_table = || {
        let files = files_with(store.path(), &format!("{MARKER}59"));
        files.len()
    };
    let before = with_table();
    let erased = fleet.json(&["conversation", "rm", "talk", "--yes"]).await;
    assert_eq!(erased["conversations"][0]["erased"], true, "{erased}");
    // The corpus has the word, the objects have not.
    let left = files_with(store.path(), &format!("{MARKER}59"));
    let in_objects = |path: &&PathBuf| path.to_string_lossy().contains("OBJ_");
    assert_eq!(left.iter().filter(in_objects).count(), 0, "{left:?}");
    assert!(with_table() < before, "the file was an object: {left:?}");
    let gone = fleet
        .command(&["answer", turn, "--csv", &written, "-o", "json"])
        .await;
    assert!(!gone.status.success(), "{gone:?}");
    fleet.drain().await;
}
