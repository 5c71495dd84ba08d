//! The built-in reranker: features of words instead of a model.
//!
//! BM25 finds; this looks again at the few best: how much of the query is there, how close
//! together, are numbers and part names the same to the letter, does the title say it. Pure.

use crate::index::{Terms, identifier, stems};
use crate::record::ChunkRecord;
use envelope::Passage;
use std::collections::{HashMap, HashSet};
use tantivy::tokenizer::TextAnalyzer;

/// Words within which the query's words count as close.
const WINDOW_WORDS: usize = 24;
/// Weights of the features; they add up to 1.
const WEIGHTS: [(Feature, f32); 5] = [
    (Feature::Bm25, 0.40),
    (Feature::Coverage, 0.25),
    (Feature::Proximity, 0.10),
    (Feature::Identifiers, 0.15),
    (Feature::Title, 0.10),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Feature {
    /// The index's score, relative to the best one.
    Bm25,
    /// Share of the query that text and title contain, by rarity.
    Coverage,
    /// Share of it inside the best window.
    Proximity,
    /// Share of its numbers and part names that are there to the letter.
    Identifiers,
    /// Share of it in title and path.
    Title,
}

/// The best `top_k` of the candidates, best first; scores are from 0 to 1 and only comparable
/// within one search. One document fills at most half of the list while others have something.
pub(crate) fn rerank(
    found: Vec<(f32, ChunkRecord)>,
    terms: &Terms,
    analyzer: &mut TextAnalyzer,
    top_k: usize,
) -> Vec<Passage> {
    let best = found
        .iter()
        .map(|(score, _)| *score)
        .fold(f32::MIN_POSITIVE, f32::max);
    let mut scored: Vec<(f32, ChunkRecord)> = found
        .into_iter()
        .map(|(bm25, record)| (score(bm25 / best, &record, terms, analyzer), record))
        .collect();
    scored.sort_by(|(a, x), (b, y)| {
        b.total_cmp(a)
            .then_with(|| (&x.doc_id, x.n).cmp(&(&y.doc_id, y.n)))
    });
    diverse(scored, top_k)
}

fn score(bm25: f32, record: &ChunkRecord, terms: &Terms, analyzer: &mut TextAnalyzer) -> f32 {
    let text = stems(analyzer, &record.text);
    let title = stems(analyzer, &format!("{} {}", record.title, record.source));
    let weights: HashMap<&str, f32> = terms.stems.iter().map(|(s, w)| (s.as_str(), *w)).collect();
    let everything: f32 = weights.values().sum();
    let share = |sum: f32| {
        if everything > 0.0 {
            sum / everything
        } else {
            0.0
        }
    };
    let covered = |words: &mut dyn Iterator<Item = &String>| -> f32 {
        let there: HashSet<&str> = words.map(String::as_str).collect();
        share(
            weights
                .iter()
                .filter(|(s, _)| there.contains(*s))
                .map(|(_, w)| w)
                .sum(),
        )
    };
    let (mut sum, mut total) = (0.0, 0.0);
    for (feature, weight) in WEIGHTS {
        let value = match feature {
            Feature::Bm25 => bm25,
            Feature::Coverage => covered(&mut text.iter().chain(&title)),
            Feature::Proximity => share(densest(&text, &weights)),
            Feature::Identifiers if terms.identifiers.is_empty() => continue,
            Feature::Identifiers => identical(record, &terms.identifiers),
            Feature::Title => covered(&mut title.iter()),
        };
        sum += weight * value;
        total += weight;
    }
    sum / total
}

/// The most that different words of the query weigh together inside one window.
fn densest(text: &[String], weights: &HashMap<&str, f32>) -> f32 {
    let hits: Vec<(usize, &str, f32)> = text
        .iter()
        .enumerate()
        .filter_map(|(at, word)| {
            weights
                .get_key_value(word.as_str())
                .map(|(s, w)| (at, *s, *w))
        })
        .collect();
    let mut inside: HashMap<&str, usize> = HashMap::new();
    let (mut first, mut sum, mut best) = (0, 0.0, 0.0f32);
    for &(at, word, weight) in &hits {
        while at - hits[first].0 >= WINDOW_WORDS {
            let (_, left, weight) = hits[first];
            if let Some(count) = inside.get_mut(left) {
                *count -= 1;
                if *count == 0 {
                    sum -= weight;
                }
            }
            first += 1;
        }
        let count = inside.entry(word).or_default();
        if *count == 0 {
            sum += weight;
        }
        *count += 1;
        best = best.max(sum);
    }
    best
}

/// The share of identifiers, by rarity, that the record has as they are written.
fn identical(record: &ChunkRecord, wanted: &[(String, f32)]) -> f32 {
    let words = |text: &str| -> HashSet<String> {
        text.split(|c: char| c.is_whitespace() || c == '|')
            .filter_map(identifier)
            .collect()
    };
    let mut there = words(&record.text);
    there.extend(words(&record.title));
    let all: f32 = wanted.iter().map(|(_, weight)| weight).sum();
    let found = wanted.iter().filter(|(word, _)| there.contains(word));
    found.map(|(_, weight)| weight).sum::<f32>() / all.max(f32::MIN_POSITIVE)
}

/// Takes from the top; a document that has filled its half waits until the others are through.
fn diverse(scored: Vec<(f32, ChunkRecord)>, top_k: usize) -> Vec<Passage> {
    let share = top_k.div_ceil(2);
    let mut taken: HashMap<(String, String), usize> = HashMap::new();
    let mut texts = HashSet::new();
    let (mut chosen, mut waiting) = (Vec::new(), Vec::new());
    for (score, record) in scored {
        if !texts.insert(record.text.clone()) {
            continue; // the same text again, from a copy of the file
        }
        let key = (record.bucket.to_string(), record.doc_id.to_string());
        let count = taken.entry(key).or_default();
        let list = if *count < share {
            &mut chosen
        } else {
            &mut waiting
        };
        *count += 1;
        list.push(record.into_passage(score));
    }
    chosen.extend(waiting);
    chosen.truncate(top_k);
    chosen.sort_by(|a, b| b.score.total_cmp(&a.score));
    chosen
}

#[cfg(test)]
#[path = "rerank_tests.rs"]
mod tests;
