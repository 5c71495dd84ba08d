//! Tests the queries that are made for a folder.

use super::*;
use argosy::cli::Output;
use std::fs;
use std::io::Read;

fn line() -> ProgressLine {
    ProgressLine::new(Output::Json)
}

fn records(corpus: &mut Corpus) -> Vec<ChunkRecord> {
    let mut text = String::new();
    corpus.messages.read_to_string(&mut text).unwrap();
    let decode = |line: &str| ChunkRecord::decode(line.as_bytes()).unwrap();
    text.lines().map(decode).collect()
}

/// A folder of documents, some with a vendor, and a file that is no document.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..12 {
        let vendor = ["Acme", "Acme", "Bolt"][n % 3];
        let head = match n % 2 {
            0 => format!("---\nvendor: {vendor}\nlanguage: en\n---\n"),
            _ => "---\nlanguage: en\n---\n".to_owned(),
        };
        let sentence = |s: u32| {
            let words: Vec<String> = (0..20).map(|w| format!("word{s}x{w}")).collect();
            format!("The {}.", words.join(" "))
        };
        let sentences: Vec<String> = (0..20).map(sentence).collect();
        let text = format!("{head}# Report {n}\n{}\n", sentences.join(" "));
        fs::write(folder.path().join(format!("{n}.md")), text).unwrap();
    }
    fs::write(folder.path().join("image.png"), [0, 159, 146, 150]).unwrap();
    folder
}

#[test]
fn a_folder_is_asked_for_what_it_says_and_filtered_by_what_it_has() {
    let folder = folder();
    let mut corpus = Corpus::read(folder.path(), 30, &line()).unwrap();
    assert_eq!((corpus.documents, corpus.skipped), (12, 1));
    assert_eq!(
        corpus.filter,
        json!({"vendor": "Acme"}),
        "all have a language"
    );
    let records = records(&mut corpus);
    assert_eq!(records.len(), corpus.chunks);
    assert!(corpus.chunks > 12, "{} chunks", corpus.chunks);
    assert_eq!(corpus.queries.len(), 30);
    for query in &corpus.queries {
        assert_eq!(query.split(' ').count(), QUERY_WORDS, "{query}");
        let stands = |r: &ChunkRecord| {
            let words: Vec<&str> = r.text.split_whitespace().collect();
            words.join(" ").contains(query.as_str())
        };
        assert!(records.iter().any(stands), "{query}");
    }
    let again = Corpus::read(folder.path(), 30, &line()).unwrap();
    assert_eq!(again.queries, corpus.queries, "the same on every run");
}

#[test]
fn a_folder_without_metadata_is_filtered_by_endings() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.txt", "b.txt", "c.md"] {
        fs::write(folder.path().join(name), "A few words.").unwrap();
    }
    let corpus = Corpus::read(folder.path(), 5, &line()).unwrap();
    assert_eq!(corpus.filter, json!({"ext": "txt"}));
    assert_eq!(corpus.queries, ["A few words."; 5]);
}

#[test]
fn a_folder_of_nothing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = Corpus::read(folder.path(), 5, &line()).err().unwrap();
    assert!(
        nothing.message.contains("no text could be read"),
        "{}",
        nothing.message
    );
    let missing = Corpus::read(&folder.path().join("x"), 5, &line())
        .err()
        .unwrap();
    assert_eq!(missing.exit, 2);
}
