//! What is shown of what was found.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn scored(doc: &str, n: u32, score: f32, text: &str, has: &[usize], paper: &str) -> Scored {
    let record = json!({
        "v": 1, "tenant": "default", "bucket": "b", "doc_id": doc, "n": n, "of": 99, "hash": "h",
        "source": format!("b/{doc}.md"), "text": text, "metadata": {"paper": paper},
    });
    Scored {
        score,
        record: serde_json::from_value(record).unwrap(),
        has: has.to_vec(),
        words: text
            .split_whitespace()
            .map(|word| envelope::ids::fnv1a_64(word.as_bytes()))
            .collect(),
    }
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
    assert_eq!(ids(&pick(found(), &[1.0, 1.0], &[], 2)), ["a.0", "c.0"]);
    assert_eq!(ids(&pick(found(), &[1.0, 0.01], &[], 2)), ["a.0", "b.0"]);
}

#[test]
fn each_value_that_is_named_has_its_share() {
    let named = ["post", "herald"].map(|value| Named {
        field: "paper".into(),
        value: value.into(),
    });
    let mut found: Vec<Scored> = (0..6)
        .map(|n| scored(&format!("p{n}"), 0, 0.9, &format!("p{n}"), &[], "Post"))
        .collect();
    found.push(scored("h", 0, 0.1, "h", &[], "Herald"));
    found.push(scored("i", 0, 0.2, "i", &[], "Herald"));
    let picked = pick(found, &[], &named, 4);
    assert_eq!(ids(&picked), ["p0.0", "p1.0", "i.0", "h.0"]);
}

#[test]
fn nearly_the_same_text_is_shown_once() {
    let words: Vec<String> = (0..40).map(|n| format!("word{n}")).collect();
    let scan = words.join(" ");
    let better = scan.replace("word7 ", "wor7 ");
    let other = scan.replace("word1", "other1");
    let found = vec![
        scored("scan", 0, 0.5, &scan, &[], ""),
        scored("better", 0, 0.6, &better, &[], ""),
        scored("other", 0, 0.4, &other, &[], ""),
    ];
    assert_eq!(ids(&pick(found, &[], &[], 3)), ["better.0", "other.0"]);
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
        let picked = pick(found.collect(), &[1.0, 2.0, 3.0], &[], top_k);
        prop_assert_eq!(picked.len(), top_k.min(scores.len()));
        prop_assert!(picked.windows(2).all(|w| w[0].score >= w[1].score));
    }
}
