//! Tests of the default embedder: texts with the same meaning lie close to each other, and no input breaks it.

use super::*;
use futures_util::FutureExt;
use proptest::prelude::*;

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(l, r)| l * r).sum()
}

fn length(vector: &[f32]) -> f32 {
    cosine(vector, vector).sqrt()
}

fn bare() -> StaticEmbedder {
    StaticEmbedder::new(StaticTable::shipped(), &Frequencies::default())
}

fn fitted(documents: &[&str]) -> StaticEmbedder {
    let table = StaticTable::shipped();
    let mut frequencies = Frequencies::default();
    for document in documents {
        frequencies.count(&table.tokens(document));
    }
    StaticEmbedder::new(table, &frequencies)
}

#[test]
fn neighbours_in_meaning_lie_closer_than_strangers() {
    let embedder = bare();
    let near = |left: &str, right: &str| cosine(&embedder.vector(left), &embedder.vector(right));
    for (text, friend, stranger) in [
        (
            "the doctor",
            "a physician in the hospital",
            "a tax on imports",
        ),
        ("car engine", "the motor of an automobile", "baking bread"),
        (
            "invoice overdue",
            "payment of the bill is late",
            "birds of prey",
        ),
    ] {
        assert!(near(text, friend) > near(text, stranger) + 0.1, "{text}");
    }
}

#[test]
fn what_every_document_says_weighs_little() {
    let memos: Vec<_> = (0..200).map(|n| format!("memo about item {n}")).collect();
    let memos: Vec<_> = memos.iter().map(String::as_str).collect();
    let embedder = fitted(&memos);
    let near = |left: &str, right: &str| cosine(&embedder.vector(left), &embedder.vector(right));
    assert!(near("memo about bread", "bread") > 0.95);
    assert!(near("memo about bread", "memo about taxes") < 0.5);
    assert!(cosine(&bare().vector("memo about bread"), &bare().vector("bread")) < 0.95);
}

#[test]
fn a_single_document_is_still_found() {
    let text = "the harbour master keeps the list of ships";
    let embedder = fitted(&[text]);
    let found = cosine(
        &embedder.vector("ships in the harbour"),
        &embedder.vector(text),
    );
    assert!(found > 0.3, "{found}");
}

#[test]
fn a_text_without_words_is_all_zeros() {
    for embedder in [bare(), fitted(&["some words", "other words"])] {
        for text in ["", " \n\t", "\u{200b}", "\u{fffd}\0"] {
            let vector = embedder.vector(text);
            assert_eq!(vector.len(), 256);
            assert!(vector.iter().all(|x| *x == 0.0), "{text:?}");
        }
    }
}

#[test]
fn all_texts_are_embedded_in_order() {
    let embedder = bare();
    let texts = ["one", "", "three"];
    let vectors = embedder.embed(&texts, Side::Query).now_or_never();
    let vectors = vectors.expect("nothing to wait for").unwrap();
    let one_by_one: Vec<_> = texts.iter().map(|t| embedder.vector(t)).collect();
    assert_eq!(vectors, one_by_one);
    assert_eq!((embedder.dims(), embedder.name()), (256, STATIC_NAME));
}

#[test]
fn sums_of_texts_make_that_of_all_of_them() {
    let embedder = fitted(&["the sea and the ships", "the price of bread"]);
    let [sea, bread] = ["Ships at sea.", "Bread has a price."];
    let sum = |text| {
        let mut sum = vec![1.0; embedder.dims()];
        embedder.sum_into(text, &mut SumBuffer::default(), &mut sum);
        sum
    };
    let pairs = sum(sea).into_iter().zip(sum(bread));
    let both = embedder.finished(pairs.map(|(a, b)| a + b).collect());
    let whole = embedder.vector(&format!("{sea} {bread}"));
    assert!(cosine(&both, &whole) > 0.9999);
}

#[test]
fn pieces_beyond_the_table_are_passed_over() {
    let embedder = bare();
    assert_eq!(length(&embedder.vector_of(&[30_522, u32::MAX])), 0.0);
}

#[test]
fn laws_of_any_text() {
    let embedder = fitted(&[
        "the sea and the ships",
        "the price of bread",
        "a tax on ships",
    ]);
    proptest!(ProptestConfig::with_cases(64), |(text in any::<String>())| {
        let vector = embedder.vector(&text);
        prop_assert!(vector.iter().all(|x| x.is_finite()));
        let length = length(&vector);
        prop_assert!(length == 0.0 || (length - 1.0).abs() < 1e-3, "{length}");
    });
    let words = prop::collection::vec("[a-z]{1,8}", 1..20).prop_shuffle();
    proptest!(ProptestConfig::with_cases(64), |(words in words)| {
        let mut sorted = words.clone();
        sorted.sort();
        let pair = [words.join(" "), sorted.join(" ")].map(|text| embedder.vector(&text));
        prop_assert!(length(&pair[0]) == 0.0 || cosine(&pair[0], &pair[1]) > 0.999);
    });
}
