//! Tests of which sentences are flagged, with reworded and mutated sentences of the sample corpus.
//!
//! The corpus is small, so the required shares are lower than those measured on news; see docs/trust.md.

use argosy_groundedness::{SentenceVerdict, Thresholds, check};
use mutations::{Mutation, MutationCase, SourceText, generate};
use std::path::Path;

/// Every third case is enough to notice what breaks.
const STEP: usize = 3;

fn sources(folder: &Path) -> Vec<SourceText> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the sample corpus")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let mut sources = Vec::new();
    for path in paths {
        if path.is_dir() {
            sources.extend(self::sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "md") {
            let text = std::fs::read_to_string(&path).expect("a document");
            sources.push(SourceText::of_prose(path.display().to_string(), text));
        }
    }
    sources
}

fn is_flagged(case: &MutationCase) -> bool {
    let passages: Vec<&str> = case.passages.iter().map(String::as_str).collect();
    let sentences = check(&case.sentence, &passages, &Thresholds::default()).sentences;
    let flags = [SentenceVerdict::Unsupported, SentenceVerdict::Contradicted];
    sentences.iter().any(|one| flags.contains(&one.verdict))
}

#[test]
fn what_was_made_false_is_flagged_and_what_is_true_is_not() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/corpus");
    let cases = generate(&sources(&corpus), 1);
    let (mut true_ones, mut true_flagged, mut false_ones, mut false_flagged) = (0, 0, 0, 0);
    for case in cases.iter().step_by(STEP) {
        let flagged = usize::from(is_flagged(case));
        match case.mutation {
            Mutation::None => (true_ones, true_flagged) = (true_ones + 1, true_flagged + flagged),
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
