//! Tests of the splits and their limits, and of the rank of a document that is found by several chunks.

use super::*;
use serde_json::json;

fn passage(id: &str, n: u32, text: &str) -> Passage {
    let doc_id = doc_id(id);
    serde_json::from_value(json!({
        "bucket": "generic", "chunk_id": format!("{doc_id}.{n}"), "doc_id": doc_id, "title": "",
        "source": "s", "score": 1.0, "text": text,
    }))
    .unwrap()
}

fn question(n: usize) -> Question {
    Question {
        id: n.to_string(),
        text: String::new(),
        kind: None,
        gold: Gold::Facts(vec![]),
    }
}

fn data(questions: usize) -> Dataset {
    Dataset {
        name: DatasetName::Cacm,
        documents: vec![],
        questions: (0..questions).map(question).collect(),
        unit: Unit::Chunk,
        unmatched: 0,
    }
}

fn ids(split: Split, limit: Option<usize>) -> Vec<String> {
    let mut data = data(300);
    data.keep(split, limit);
    data.questions.into_iter().map(|q| q.id).collect()
}

#[test]
fn splits_share_nothing_and_leave_nothing_out() {
    let (dev, test) = (ids(Split::Dev, None), ids(Split::Test, None));
    assert!((80..120).contains(&dev.len()), "{}", dev.len());
    assert_eq!(dev.len() + test.len(), 300);
    assert!(dev.iter().all(|id| !test.contains(id)));
    assert_eq!(ids(Split::All, None).len(), 300);
}

#[test]
fn a_limit_takes_the_same_sample_in_the_same_order() {
    let (few, more) = (ids(Split::All, Some(10)), ids(Split::All, Some(20)));
    assert_eq!((few.len(), more.len()), (10, 20));
    assert!(few.iter().all(|id| more.contains(id)));
    let numbers: Vec<u32> = more.iter().map(|id| id.parse().unwrap()).collect();
    assert!(numbers.is_sorted());
}

#[test]
fn a_document_counts_at_its_best_chunk() {
    let gold = Gold::Documents([(doc_id("a"), 2), (doc_id("b"), 0), (doc_id("c"), 1)].into());
    let passages = [
        passage("b", 0, ""),
        passage("a", 3, ""),
        passage("b", 1, ""),
        passage("a", 0, ""),
        passage("x", 0, ""),
    ];
    let ranking = gold.ranking(&passages);
    assert_eq!(ranking.grades.len(), 2);
    let at: Vec<bool> = ranking
        .found
        .iter()
        .map(|items| !items.is_empty())
        .collect();
    assert_eq!(at, [false, true, false]);
    assert_eq!(ranking.grades[ranking.found[1][0]], 2.0);
    assert!(!gold.is_empty() && Gold::Documents([(doc_id("b"), 0)].into()).is_empty());
}

#[test]
fn blanks_and_line_ends_do_not_hide_a_fact() {
    let gold = Gold::Facts(vec![squeezed("the red fox"), squeezed("was here")]);
    let passages = [
        passage("a", 0, "a fox"),
        passage("a", 1, "It is said: the  red\nfox was here."),
    ];
    assert_eq!(gold.ranking(&passages).found, [vec![], vec![0, 1]]);
}

#[test]
fn documents_have_paths_that_say_nothing() {
    let document = document("4983", " T ", "one\n\ntwo", BTreeMap::new());
    assert_eq!((document.title.as_str(), document.lines.len()), ("T", 3));
    assert_eq!(document.doc_id, doc_id("4983"));
    assert!(!document.source.contains("4983"));
}

#[test]
fn a_time_begins_with_its_day() {
    assert_eq!(
        day_of("2023-11-27 08:45:59Z"),
        linking::days::day(2023, 11, 27)
    );
    assert_eq!((day_of("2023"), day_of("2023-02-31 x")), (None, None));
    assert_eq!(whole_day("2023-11-27"), day_of("2023-11-27"));
    assert_eq!(whole_day("2023-11-27 08:45:59Z"), None);
}
