//! Tests of which sentences are flagged, with reworded and mutated sentences of the sample corpus, which
//! `tools/mutations` has generated.
//!
//! The corpus is small, so the required shares are lower than those measured on news; see docs/trust.md.

use argosy_groundedness::{SentenceVerdict, Thresholds, check};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::Path;

/// Every third case is enough to notice what breaks.
const STEP: usize = 3;

/// A fact of a document: true in other words, and false in several ways.
#[derive(Deserialize)]
struct MutatedFact {
    seed: u64,
    /// Documents, and which bytes of them.
    passages: Vec<(String, usize, usize)>,
    /// Mutation, rewordings, sentence.
    sentences: Vec<(String, String, String)>,
}

fn is_flagged(sentence: &str, passages: &[&str]) -> bool {
    let sentences = check(sentence, passages, &Thresholds::default()).sentences;
    let flags = [SentenceVerdict::Unsupported, SentenceVerdict::Contradicted];
    sentences.iter().any(|one| flags.contains(&one.verdict))
}

#[test]
fn what_was_made_false_is_flagged_and_what_is_true_is_not() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let lines = std::fs::read_to_string(root.join("tools/mutations/sample.jsonl")).unwrap();
    let facts = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let facts: Vec<MutatedFact> = facts.filter(|fact: &MutatedFact| fact.seed == 1).collect();
    let mut texts: HashMap<&str, String> = HashMap::new();
    for (document, ..) in facts.iter().flat_map(|fact| &fact.passages) {
        let path = root.join("tests/fixtures/corpus").join(document);
        texts
            .entry(document)
            .or_insert_with(|| std::fs::read_to_string(path).unwrap());
    }
    let cases = facts.iter().flat_map(|fact| {
        let passages = fact.passages.iter();
        let passages =
            passages.map(|(document, start, end)| &texts[document.as_str()][*start..*end]);
        let passages: Vec<&str> = passages.collect();
        let sentences = fact.sentences.iter();
        sentences.map(move |(mutation, _, sentence)| (mutation, sentence, passages.clone()))
    });
    let (mut true_ones, mut true_flagged, mut false_ones, mut false_flagged) = (0, 0, 0, 0);
    for (mutation, sentence, passages) in cases.step_by(STEP) {
        let flagged = usize::from(is_flagged(sentence, &passages));
        match mutation.as_str() {
            "none" => (true_ones, true_flagged) = (true_ones + 1, true_flagged + flagged),
            _ => (false_ones, false_flagged) = (false_ones + 1, false_flagged + flagged),
        }
    }
    println!(
        "{true_flagged} of {true_ones} true, {false_flagged} of {false_ones} false ones flagged"
    );
    assert!(
        true_ones >= 60 && false_ones >= 120,
        "{true_ones} {false_ones}"
    );
    assert!(true_flagged * 100 <= true_ones * 5);
    assert!(false_flagged * 100 >= false_ones * 85);
}
