//! The embeddings and rerank scores of the fake node: vectors count letters, scores count words. Results are not in
//! the order of the texts, since a client has to sort them by their `index`.

use serde_json::{Value, json};

/// Numbers in its vectors.
pub const DIMS: usize = 8;

/// The vector of a text: how often each of the first letters of the alphabet occurs; not of length 1.
pub fn vector(text: &str) -> Vec<f32> {
    let letters = ('a'..).take(DIMS);
    let count = |letter| text.chars().filter(|c| *c == letter).count() as f32;
    letters.map(count).collect()
}

/// An answer of `/v1/embeddings`.
pub(super) fn embeddings(body: &Value) -> Value {
    let texts = texts(&body["input"]);
    let rows = texts.iter().enumerate().rev();
    let rows: Vec<Value> = rows
        .map(|(index, text)| json!({"object": "embedding", "index": index, "embedding": vector(text)}))
        .collect();
    json!({"object": "list", "model": body["model"], "data": rows})
}

/// An answer of `/v1/rerank`: best first.
pub(super) fn rerank(body: &Value) -> Value {
    let mut results = scores(&body["query"], &body["documents"]);
    results.sort_by(|a, b| b.1.total_cmp(&a.1));
    let results: Vec<Value> = results
        .into_iter()
        .map(|(index, score)| json!({"index": index, "relevance_score": score}))
        .collect();
    json!({"model": body["model"], "results": results})
}

/// An answer of `/rerank` of Text Embeddings Inference.
pub(super) fn rerank_tei(body: &Value) -> Value {
    let scores = scores(&body["query"], &body["texts"]).into_iter().rev();
    scores
        .map(|(index, score)| json!({"index": index, "score": score}))
        .collect()
}

/// The share of the query's words that each text has.
fn scores(query: &Value, given: &Value) -> Vec<(usize, f32)> {
    let words: Vec<&str> = query.as_str().unwrap_or_default().split(' ').collect();
    let score = |text: &String| {
        let there = words.iter().filter(|word| text.contains(**word)).count();
        there as f32 / words.len() as f32
    };
    texts(given).iter().map(score).enumerate().collect()
}

fn texts(given: &Value) -> Vec<String> {
    let texts = given.as_array().into_iter().flatten();
    texts
        .map(|text| text.as_str().unwrap_or_default().to_owned())
        .collect()
}
