//! Tests of loading the model from its folder: the error when it is missing and, with the weights, its vectors.

use super::*;

#[test]
fn a_missing_file_is_named_with_the_fix() {
    let why = MiniLm::open(Path::new("/nonexistent")).unwrap_err();
    let why = why.to_string();
    assert!(why.contains("`/nonexistent/model.safetensors`"), "{why}");
    assert!(why.contains("`argosy models pull`"), "{why}");
}

/// The model's folder, for the tests that need it.
fn folder() -> MiniLm {
    let dir = std::env::var_os("ARGOSY_MINILM_DIR").expect("ARGOSY_MINILM_DIR names the folder");
    MiniLm::open(Path::new(&dir)).unwrap()
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(l, r)| l * r).sum()
}

#[test]
#[ignore = "needs the weights: ARGOSY_MINILM_DIR=folder cargo test -p argosy-static-embed --features minilm -- --ignored"]
fn sentences_are_as_far_apart_as_published() {
    let model = folder();
    let vector = |text: &str| model.vector(text).unwrap();
    let food = vector("A man is eating food.");
    let bread = cosine(&food, &vector("A man is eating a piece of bread."));
    let baby = cosine(&food, &vector("The girl is carrying a baby."));
    assert!((bread - 0.7553).abs() < 1e-4, "{bread}");
    assert!((baby + 0.1050).abs() < 1e-4, "{baby}");
}

#[tokio::test]
#[ignore = "needs the weights: ARGOSY_MINILM_DIR=folder cargo test -p argosy-static-embed --features minilm -- --ignored"]
async fn many_texts_are_what_each_is_alone() {
    let model = folder();
    let long = "a clause of the contract ".repeat(80);
    let texts = ["one", "", "two words", long.as_str(), "one"];
    let vectors = model.embed(&texts, Side::Passage).await.unwrap();
    for (text, vector) in texts.iter().zip(&vectors) {
        assert_eq!(*vector, model.vector(text).unwrap());
    }
    assert!(vectors[1].iter().all(|x| *x == 0.0));
    assert_eq!((vectors[0].len(), model.dims()), (384, 384));
}
