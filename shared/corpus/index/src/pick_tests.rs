//! Tests of the choice of passages from the candidates.

use super::*;
use crate::index::analyzer;
use envelope::Passage;
use proptest::prelude::*;
use serde_json::json;

/// What is known of a candidate only when it is looked at; `None` for one of which all is known.
type Hidden = Option<(f32, u64, ChunkRecord)>;

fn scored(doc: &str, n: u32, score: f32, text: &str, has: &[usize], paper: &str) -> Scored<Hidden> {
    let record = json!({
        "v": 1, "tenant": "default", "bucket": "b", "doc_id": doc, "n": n, "of": 99, "hash": "h",
        "source": format!("b/{doc}.md"), "text": text, "metadata": {"paper": paper},
    });
    Scored {
        score,
        record: Some(serde_json::from_value(record).unwrap()),
        has: has.iter().fold(0, |all, word| all | 1 << word),
        exact: true,
        more: None,
    }
}

fn picked(
    scored: Vec<Scored<Hidden>>,
    weights: &[f32],
    named: &[Named],
    top_k: usize,
) -> (Vec<Passage>, u32) {
    let (passages, dropped) = chosen(scored, weights, named, top_k);
    let repeats = dropped.iter().filter(|one| one.why == Why::Repeats);
    (passages, repeats.count() as u32)
}

fn chosen(
    scored: Vec<Scored<Hidden>>,
    weights: &[f32],
    named: &[Named],
    top_k: usize,
) -> (Vec<Passage>, Vec<Dropped>) {
    let look = &mut |one: &mut Scored<Hidden>| {
        let (score, has, record) = one.more.take().expect("all is known already");
        (one.score, one.has, one.record) = (score, has, Some(record));
        one.exact = true;
        Ok(())
    };
    let shares = Shares::new(named, top_k, &|_| 0.0);
    let (taken, dropped) =
        pick(scored, weights, shares, (top_k, 9), &mut analyzer(), look).unwrap();
    let passages = taken
        .into_iter()
        .map(|(record, score)| record.into_passage(score));
    (passages.collect(), dropped)
}

fn ids(passages: &[Passage]) -> Vec<&str> {
    passages.iter().map(|p| p.chunk_id.as_str()).collect()
}

#[test]
fn a_part_of_the_question_that_nobody_has_yet_is_worth_something() {
    let found = || {
        vec![
            scored("a", 0, 0.80, "x", &[0], ""),
            scored("b", 0, 0.79, "y", &[0], ""),
            scored("c", 0, 0.75, "z", &[1], ""),
        ]
    };
    assert_eq!(ids(&picked(found(), &[1.0, 1.0], &[], 2).0), ["a.0", "c.0"]);
    assert_eq!(
        ids(&picked(found(), &[1.0, 0.01], &[], 2).0),
        ["a.0", "b.0"]
    );
}

#[test]
fn each_value_that_is_named_has_its_share() {
    let named = ["post", "herald"].map(|value| Named {
        field: "paper".into(),
        value: value.into(),
    });
    let mut found: Vec<Scored<Hidden>> = (0..6)
        .map(|n| scored(&format!("p{n}"), 0, 0.9, &format!("p{n}"), &[], "Post"))
        .collect();
    found.push(scored("h", 0, 0.1, "h", &[], "Herald"));
    found.push(scored("i", 0, 0.2, "i", &[], "Herald"));
    let (chosen, _) = picked(found, &[], &named, 4);
    assert_eq!(ids(&chosen), ["p0.0", "p1.0", "i.0", "h.0"]);
}

#[test]
fn what_is_dropped_says_why() {
    let found = vec![
        scored("a", 0, 0.9, "one", &[], ""),
        scored("a", 1, 0.8, "two", &[], ""),
        scored("b", 0, 0.7, "one", &[], ""),
        scored("c", 0, 0.6, "three", &[], ""),
        scored("d", 0, 0.5, "four", &[], ""),
    ];
    let (passages, dropped) = chosen(found, &[], &[], 2);
    assert_eq!(ids(&passages), ["a.0", "c.0"]);
    let mut dropped: Vec<_> = dropped
        .iter()
        .map(|one| (one.record.chunk_id().to_string(), one.why))
        .collect();
    dropped.sort_by(|a, b| a.0.cmp(&b.0));
    let why = |id: &str, why| (id.to_owned(), why);
    assert_eq!(
        dropped,
        [
            why("a.1", Why::Share),
            why("b.0", Why::Repeats),
            why("d.0", Why::Score)
        ]
    );
}

#[test]
fn nearly_the_same_text_is_shown_once() {
    let words: Vec<String> = ('a'..='z').map(|c| format!("word{c}")).collect();
    let scan = words.join(" ");
    let better = scan.replace("wordg ", "worg ");
    let other = scan.replace("wordi word", "other otherwise ");
    let found = vec![
        scored("scan", 0, 0.5, &scan, &[], ""),
        scored("better", 0, 0.6, &better, &[], ""),
        scored("other", 0, 0.4, &other, &[], ""),
    ];
    let (chosen, repeated) = picked(found, &[], &[], 3);
    assert_eq!((ids(&chosen), repeated), (vec!["better.0", "other.0"], 1));
}

#[test]
fn a_form_that_was_filled_in_twice_is_two_texts() {
    let invoice = |number: &str, amount: &str| {
        format!(
            "invoice {number} northwind ltd bills the customer named above for goods delivered to the \
             address below within thirty days by bank transfer please quote this number with every \
             payment the total is {amount} including all taxes and duties that apply no discount was agreed"
        )
    };
    let found = vec![
        scored("a", 0, 0.6, &invoice("2024-17", "1043.20"), &[], ""),
        scored("b", 0, 0.5, &invoice("2024-18", "99.00"), &[], ""),
        scored(
            "copy",
            0,
            0.4,
            &format!("copy {}", invoice("2024-18", "99.00")),
            &[],
            "",
        ),
    ];
    let (chosen, repeated) = picked(found, &[], &[], 3);
    assert_eq!((ids(&chosen), repeated), (vec!["a.0", "b.0"], 1));
}

proptest! {
    #[test]
    fn the_list_is_full_and_in_order(
        scores in prop::collection::vec((0.0f32..1.0, 0u32..5), 0..60),
        top_k in 1usize..20,
    ) {
        let found = scores.iter().enumerate().map(|(n, (score, doc))| {
            scored(&format!("d{doc}"), n as u32, *score, &format!("text {n}"), &[n % 3], "")
        });
        let (chosen, _) = picked(found.collect(), &[1.0, 2.0, 3.0], &[], top_k);
        prop_assert_eq!(chosen.len(), top_k.min(scores.len()));
        prop_assert!(chosen.windows(2).all(|w| w[0].score >= w[1].score));
    }

    /// Candidates that come with less known, over and under the number that is looked at.
    #[test]
    fn what_is_known_late_changes_nothing(
        scores in prop::collection::vec((0u8..20, 0u32..5, 0u64..8, 0u8..6, 0u64..8), 0..160),
        top_k in 1usize..20,
    ) {
        let one = |n: usize, score: u8, doc: u32| {
            let (doc, score) = (format!("d{doc}"), f32::from(score) / 20.0);
            scored(&doc, n as u32, score, &format!("text {}", n / 2), &[], ["post", "herald"][n % 2])
        };
        let named = ["post", "herald"].map(|value| Named {
            field: "paper".into(),
            value: value.into(),
        });
        let all = scores.iter().enumerate();
        let known = all.clone().map(|(n, (score, doc, has, ..))| Scored {
            has: *has,
            ..one(n, *score, *doc)
        });
        let hidden = all.map(|(n, (score, doc, has, more, may_have))| {
            let mut one = one(n, *score, *doc);
            one.more = Some((one.score, *has, one.record.take().unwrap()));
            Scored {
                score: one.score + f32::from(*more) / 20.0,
                has: has | may_have,
                exact: false,
                ..one
            }
        });
        let wanted = picked(known.collect(), &[1.0, 2.0, 3.0], &named, top_k);
        let got = picked(hidden.collect(), &[1.0, 2.0, 3.0], &named, top_k);
        prop_assert_eq!(got, wanted);
    }
}
