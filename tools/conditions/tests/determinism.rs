//! Tests that the same plan always gives the same bytes, by hashes that are in this file.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use argosy_conditions::{Corpus, CorpusPlan, Error, Half};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The hash of all that is written, in order.
fn hash(corpus: &Corpus) -> String {
    let mut hasher = Sha256::new();
    for file in &corpus.files {
        hasher.update(file.path.as_bytes());
        hasher.update(&file.bytes);
    }
    hasher.update(corpus.questions_jsonl());
    hasher.update(&corpus.schema);
    hasher.update(corpus.names_json());
    hasher
        .finalize()
        .iter()
        .fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}"); // writing to a String cannot fail
            hex
        })
}

fn corpus(half: Half, documents: usize) -> Corpus {
    Corpus::generate(CorpusPlan::new(half, documents)).unwrap()
}

/// A change of words or rules changes these hashes, and then earlier figures do not compare. The test side must not
/// change once something was tuned.
#[test]
fn the_bytes_are_those_that_figures_were_measured_on() {
    let found = Half::ALL.map(|half| (hash(&corpus(half, 500)), hash(&corpus(half, 5_000))));
    let expected = [
        (
            "45889efcc7e555549f414cb5517fc8d17ebc4a5d929221680dc8a3bbb1d5b90a",
            "764ce393f165cfa2dfa48d4522a53ceaedad2413d7aca8b144c7ebf46f887694",
        ),
        (
            "029717ef88c70469af34dbf28cfc6f7c20c76d384de5361776a2654033723261",
            "da37362834c308bba4e1e533e49cd4a662db0c10757d60c61a6abe1649fdf1f9",
        ),
    ];
    assert_eq!(
        found
            .each_ref()
            .map(|(small, large)| (small.as_str(), large.as_str())),
        expected
    );
}

#[test]
fn another_seed_is_another_corpus() {
    let plan = CorpusPlan::new(Half::Dev, 500);
    let other = CorpusPlan { seed: 7, ..plan };
    let (one, other) = (
        Corpus::generate(plan).unwrap(),
        Corpus::generate(other).unwrap(),
    );
    assert_ne!(hash(&one), hash(&other));
    assert_eq!(other.questions.len(), 400);
}

#[test]
fn what_is_written_is_what_was_made() {
    let corpus = corpus(Half::Test, 500);
    let folder = tempfile::tempdir().unwrap();
    corpus.write(folder.path()).unwrap();
    for file in &corpus.files {
        let written = std::fs::read(folder.path().join("documents").join(&file.path)).unwrap();
        assert_eq!(written, file.bytes, "{}", file.path);
    }
    let questions =
        argosy_conditions::read_questions(&folder.path().join("questions.jsonl")).unwrap();
    assert_eq!(questions, corpus.questions);
    let summary = std::fs::read(folder.path().join("summary.json")).unwrap();
    let summary: argosy_conditions::CorpusSummary = serde_json::from_slice(&summary).unwrap();
    assert_eq!(summary, corpus.summary());
}

#[test]
fn too_small_a_corpus_is_refused() {
    let refused = Corpus::generate(CorpusPlan::new(Half::Dev, 20));
    assert!(matches!(refused, Err(Error::TooSmall { documents: 20 })));
}
