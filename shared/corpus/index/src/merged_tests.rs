//! Tests of the order of merged candidates: which properties of a chunk move it up, and which do not.

use super::*;
use crate::index::{Index, Terms, VectorSource};
use serde_json::json;
use static_embed::{Frequencies, StaticEmbedder, StaticTable};
use std::sync::Arc;

fn record(doc: &str, n: u32, title: &str, text: &str) -> ChunkRecord {
    serde_json::from_value(json!({
        "v": 1, "tenant": "default", "bucket": "b", "doc_id": doc, "n": n, "of": 9, "hash": "h",
        "title": title, "source": format!("b/{doc}.md"), "text": text,
    }))
    .unwrap()
}

fn terms(words: &[&str], identifiers: &[&str]) -> Terms {
    Terms {
        stems: words.iter().map(|w| ((*w).to_owned(), 1.0)).collect(),
        identifiers: identifiers.iter().map(|w| ((*w).to_owned(), 1.0)).collect(),
        ..Terms::default()
    }
}

/// Ids in order, all candidates having the same score of the index.
fn order(records: &[ChunkRecord], terms: &Terms, top_k: usize) -> Vec<String> {
    order_by(records, terms, None, top_k)
}

fn order_by(
    records: &[ChunkRecord],
    terms: &Terms,
    meaning: Option<SentenceSimilarity>,
    top_k: usize,
) -> Vec<String> {
    let index = Index::open_in_ram(&VectorSource::None).unwrap();
    let mut writer = index.writer().unwrap();
    writer.apply(records).unwrap();
    writer.commit(1, "s").unwrap();
    let snapshot = index.snapshot();
    let candidate = |chunk| Candidate {
        chunk,
        score: 1.0,
        lift: 0.0,
        judged: None,
        record: None,
    };
    let merged = Merged {
        candidates: snapshot.all().into_iter().map(candidate).collect(),
        snapshot,
        asked: Some(QueryFeatures {
            terms: terms.clone(),
            named: Vec::new(),
            days: Vec::new(),
            vector_share: 0.0,
            meaning,
        }),
        total_hits: 0,
        unknown_fields: Vec::new(),
        unlike_fields: Vec::new(),
        relevance: 0.0,
        cache_bytes: 0,
        documents: None,
        document_weight: 0.0,
    };
    let passages = merged.into_result(top_k).unwrap().result.passages;
    assert!(passages.iter().all(|p| (0.0..=1.0).contains(&p.score)));
    assert!(passages.windows(2).all(|w| w[0].score >= w[1].score));
    passages.into_iter().map(|p| p.chunk_id).collect()
}

#[test]
fn coverage_closeness_and_titles_count() {
    let filler = "word ".repeat(40);
    let records = vec![
        record("far", 0, "t", &format!("red {filler} fox")),
        record("half", 0, "t", "a red thing"),
        record("near", 0, "t", "the red fox"),
        record("titled", 0, "red fox", "red fox here"),
    ];
    assert_eq!(
        order(&records, &terms(&["red", "fox"], &[]), 4),
        ["titled.0", "near.0", "far.0", "half.0"]
    );
}

#[test]
fn part_names_are_compared_to_the_letter() {
    let records = vec![
        record("a", 0, "t", "tp 120 of TP-120X"),
        record("b", 0, "t", "tp 120: (TP-120), yes"),
    ];
    assert_eq!(
        order(&records, &terms(&["tp", "120"], &["tp120"]), 2),
        ["b.0", "a.0"]
    );
}

#[test]
fn one_document_does_not_fill_the_list() {
    let mut records: Vec<_> = (0..6)
        .map(|n| record("a", n, "t", &format!("red fox {n}")))
        .collect();
    records.push(record("b", 0, "t", "red"));
    records.push(record("c", 0, "t", "red fox 0")); // a copy of a.0
    let chosen = order(&records, &terms(&["red", "fox"], &[]), 4);
    assert_eq!(chosen, ["a.0", "a.1", "a.2", "b.0"]);
    records.truncate(6);
    assert_eq!(order(&records, &terms(&["red", "fox"], &[]), 4).len(), 4);
}

#[test]
fn a_search_without_words_has_an_order_too() {
    let records = vec![
        record("b", 0, "t", "x"),
        record("a", 1, "t", "y"),
        record("a", 0, "t", "z"),
    ];
    assert_eq!(order(&records, &Terms::default(), 3), ["a.0", "a.1", "b.0"]);
}

#[test]
fn a_sentence_that_means_it_counts_even_in_other_words() {
    let by = StaticEmbedder::new(StaticTable::shipped(), &Frequencies::default());
    let vector = by.vector("the doctor");
    let records = vec![
        record("a", 0, "t", "Bread is taxed. Ships are late. Birds sing."),
        record(
            "b",
            0,
            "t",
            "Bread is taxed. A physician came. She works in the hospital.",
        ),
    ];
    let terms = terms(&["doctor"], &[]);
    assert_eq!(
        order(&records, &terms, 2),
        ["a.0", "b.0"],
        "words know nothing of it"
    );
    let meaning = SentenceSimilarity::new(Arc::new(by), vector);
    assert_eq!(order_by(&records, &terms, Some(meaning), 2), ["b.0", "a.0"]);
}
