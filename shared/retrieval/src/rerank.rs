//! The built-in reranker: features of words instead of a model.
//!
//! BM25 finds; this looks again at the few best: how much of the query is there, how close
//! together, are numbers and part names the same to the letter, does the title say it. Pure.

use crate::gazetteer::Named;
use crate::index::{Terms, identifier, stems};
use crate::record::ChunkRecord;
use envelope::Passage;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use tantivy::tokenizer::TextAnalyzer;

/// Words within which the query's words count as close.
const WINDOW_WORDS: usize = 24;
/// Weights of the features; those that a query has nothing for are left out.
const WEIGHTS: [(Feature, f32); 8] = [
    (Feature::Found, 0.40),
    (Feature::Coverage, 0.25),
    (Feature::Proximity, 0.10),
    (Feature::Identifiers, 0.15),
    (Feature::Title, 0.10),
    (Feature::Named, 0.15),
    (Feature::Dated, 0.10),
    (Feature::Clause, 0.10),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Feature {
    /// The fused score.
    Found,
    /// Share of the query that text, title and metadata contain, by rarity.
    Coverage,
    /// Share of it inside the best window.
    Proximity,
    /// Share of its numbers and part names that are there to the letter.
    Identifiers,
    /// Share of it in title and path.
    Title,
    /// Share of the fields that the query names a value of in which it has such a value.
    Named,
    /// Whether its metadata holds a day that the query names.
    Dated,
    /// Share of that one of the query's clauses that is best covered.
    Clause,
}

/// What a query is made of, for looking again.
pub(crate) struct Asked {
    pub(crate) terms: Terms,
    pub(crate) named: Vec<Named>,
    /// Days, see [`crate::dates`].
    pub(crate) days: Vec<String>,
}

/// A chunk that was found, with its fused score from 0 to 1.
pub(crate) struct Candidate {
    pub(crate) record: ChunkRecord,
    pub(crate) score: f32,
}

/// The best `top_k` of the candidates, best first; scores are from 0 to 1 and only comparable
/// within one search. Without what was asked the order is as it was found. One document fills at most
/// half of the list while others have something, and so does each of several values of a field that
/// the query names.
pub(crate) fn rerank(
    found: Vec<Candidate>,
    asked: Option<&Asked>,
    analyzer: &mut TextAnalyzer,
    top_k: usize,
) -> Vec<Passage> {
    let mut scored: Vec<(f32, ChunkRecord)> = found
        .into_iter()
        .map(|Candidate { record, score }| match asked {
            Some(asked) => (self::score(score, &record, asked, analyzer), record),
            None => (score, record),
        })
        .collect();
    scored.sort_by(|(a, x), (b, y)| {
        b.total_cmp(a)
            .then_with(|| (&x.doc_id, x.n).cmp(&(&y.doc_id, y.n)))
    });
    diverse(scored, asked.map_or(&[], |asked| &asked.named), top_k)
}

fn score(found: f32, record: &ChunkRecord, asked: &Asked, analyzer: &mut TextAnalyzer) -> f32 {
    let terms = &asked.terms;
    let text = stems(analyzer, &record.text);
    let title = stems(analyzer, &format!("{} {}", record.title, record.source));
    let facts = stems(analyzer, &told(record));
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
    let value = |feature| match feature {
        Feature::Found => Some(found),
        Feature::Coverage => Some(covered(&mut text.iter().chain(&title).chain(&facts))),
        Feature::Proximity => Some(share(densest(&text, &weights))),
        Feature::Identifiers => {
            (!terms.identifiers.is_empty()).then(|| identical(record, &terms.identifiers))
        }
        Feature::Title => Some(covered(&mut title.iter())),
        Feature::Named => (!asked.named.is_empty()).then(|| named(record, &asked.named)),
        Feature::Dated => (!asked.days.is_empty()).then(|| dated(record, &asked.days)),
        Feature::Clause => (!terms.clauses.is_empty()).then(|| best_clause(&text, terms)),
    };
    let (mut sum, mut total) = (0.0, 0.0);
    for (feature, weight) in WEIGHTS {
        if let Some(value) = value(feature) {
            sum += weight * value;
            total += weight;
        }
    }
    sum / total
}

/// The texts of the metadata.
fn told(record: &ChunkRecord) -> String {
    let values = record.metadata.values();
    values
        .filter_map(Value::as_str)
        .collect::<Vec<_>>()
        .join(" ")
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
    there.extend(words(&told(record)));
    let all: f32 = wanted.iter().map(|(_, weight)| weight).sum();
    let found = wanted.iter().filter(|(word, _)| there.contains(word));
    found.map(|(_, weight)| weight).sum::<f32>() / all.max(f32::MIN_POSITIVE)
}

/// 1 when a value of the metadata is, or begins with, one of the days.
fn dated(record: &ChunkRecord, days: &[String]) -> f32 {
    let is_day = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        days.iter().any(|day| text.starts_with(day.as_str()))
    };
    f32::from(u8::from(record.metadata.values().any(is_day)))
}

/// The share, by rarity, of the best covered clause.
fn best_clause(text: &[String], terms: &Terms) -> f32 {
    let there: HashSet<&str> = text.iter().map(String::as_str).collect();
    let share = |clause: &Vec<usize>| {
        let weight = |only_there: bool| -> f32 {
            let words = clause.iter().map(|i| &terms.stems[*i]);
            let words = words.filter(|(s, _)| !only_there || there.contains(s.as_str()));
            words.map(|(_, weight)| weight).sum()
        };
        weight(true) / weight(false).max(f32::MIN_POSITIVE)
    };
    terms.clauses.iter().map(share).fold(0.0, f32::max)
}

/// The share of the fields that are named in which the record has one of the named values.
fn named(record: &ChunkRecord, named: &[Named]) -> f32 {
    let fields: HashSet<&str> = named.iter().map(|n| n.field.as_str()).collect();
    let has = |field: &&&str| named.iter().any(|n| n.field == **field && n.is_of(record));
    fields.iter().filter(has).count() as f32 / fields.len().max(1) as f32
}

/// Takes from the top; a document or a named value that has filled its share waits until the others
/// are through.
fn diverse(scored: Vec<(f32, ChunkRecord)>, named: &[Named], top_k: usize) -> Vec<Passage> {
    let share = top_k.div_ceil(2);
    let mut taken: HashMap<(String, String), usize> = HashMap::new();
    let mut values: HashMap<&Named, usize> = HashMap::new();
    let share_of = |value: &Named| {
        let rivals = named.iter().filter(|n| n.field == value.field).count();
        top_k.div_ceil(rivals)
    };
    let mut texts = HashSet::new();
    let (mut chosen, mut waiting) = (Vec::new(), Vec::new());
    for (score, record) in scored {
        if !texts.insert(record.text.clone()) {
            continue; // the same text again, from a copy of the file
        }
        let key = (record.bucket.to_string(), record.doc_id.to_string());
        let count = taken.entry(key).or_default();
        let mut has_room = *count < share;
        for value in named.iter().filter(|value| value.is_of(&record)) {
            let count = values.entry(value).or_default();
            has_room &= *count < share_of(value);
            *count += usize::from(has_room);
        }
        let list = if has_room { &mut chosen } else { &mut waiting };
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
