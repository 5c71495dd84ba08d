//! A reference implementation of the ranking, which fetches, stems and reads every candidate. The real ranking has to
//! give the same passages.
//!
//! It adds the weights of words in the order of the query, *not* in the order of a hash map, which changes from run to
//! run.

use crate::gazetteer::Named;
use crate::index::{Terms, identifier, name_stems, stems};
use crate::rerank::QueryFeatures;
use crate::similarity::Desk;
use envelope::{ChunkRecord, Passage};
use search::WordSet;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use tantivy::tokenizer::TextAnalyzer;

const NEW_WORDS_WEIGHT: f32 = 0.3;
const LOOKED_AT: usize = 100;
/// Words within which the query's words count as close.
const WINDOW_WORDS: usize = 24;
/// Weights of the features; those that a query has nothing for are left out. Chosen with the static table,
/// whose fused score is little more than that of words.
const WEIGHTS: [(Feature, f32); 9] = [
    (Feature::Found, 0.20),
    (Feature::Coverage, 0.16),
    (Feature::Proximity, 0.03),
    (Feature::Identifiers, 0.10),
    (Feature::Title, 0.02),
    (Feature::Named, 0.13),
    (Feature::Dated, 0.19),
    (Feature::Clause, 0.17),
    (Feature::Sentences, 0.15),
];

/// What the fused score weighs instead when a real encoder, which deserves this share of it or more, has
/// made the vectors: features of words only spoil what it knows. Chosen on the `dev` split of Cranfield and
/// CACM with MiniLM; between the two shares the weight grows evenly.
const FOUND_BY_ENCODER: f32 = 1.0;
const SHARE_OF_TABLE: f32 = 0.3;
const SHARE_OF_ENCODER: f32 = 0.6;

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
    /// How close in meaning its closest two sentences in a row are.
    Sentences,
}

/// A candidate with its score.
struct Scored {
    score: f32,
    record: ChunkRecord,
    /// Which words of the question it has, by their places in the question's words.
    has: Vec<usize>,
    /// Its different words.
    words: WordSet,
}

/// The best of the candidates, each with its record, in the order in which they were found.
pub(super) fn rerank(
    found: Vec<(ChunkRecord, f32)>,
    asked: Option<&QueryFeatures>,
    analyzer: &mut TextAnalyzer,
    top_k: usize,
) -> (Vec<Passage>, u32) {
    let mut scored = Vec::with_capacity(found.len());
    for (record, score) in found {
        let text = stems(analyzer, &record.text);
        let title = name_stems(&record, &format!("{} {}", record.title, record.source));
        let facts = name_stems(&record, &told(&record));
        let read = Read {
            record: &record,
            text: &text,
            title: &title,
            facts: &facts,
        };
        let (score, has) = match asked {
            Some(asked) => (self::score(score, &read, asked), read.has(&asked.terms)),
            None => (score, Vec::new()),
        };
        scored.push(Scored {
            score,
            has,
            words: WordSet::of(text.iter().map(String::as_str)),
            record,
        });
    }
    let weights: Vec<f32> = asked
        .iter()
        .flat_map(|asked| asked.terms.stems.iter().map(|(_, weight)| *weight))
        .collect();
    let named = asked.map_or(&[][..], |asked| &asked.named);
    pick(scored, &weights, named, top_k)
}

/// A candidate and the stems of its parts.
struct Read<'a> {
    record: &'a ChunkRecord,
    text: &'a [String],
    title: &'a [String],
    facts: &'a [String],
}

impl Read<'_> {
    /// Which words of the query it has.
    fn has(&self, terms: &Terms) -> Vec<usize> {
        let all = self.text.iter().chain(self.title).chain(self.facts);
        let there: HashSet<&str> = all.map(String::as_str).collect();
        let stems = terms.stems.iter().enumerate();
        stems
            .filter(|(_, (stem, _))| there.contains(stem.as_str()))
            .map(|(place, _)| place)
            .collect()
    }
}

fn score(found: f32, read: &Read<'_>, asked: &QueryFeatures) -> f32 {
    let terms = &asked.terms;
    let Read {
        record,
        text,
        title,
        facts,
    } = read;
    let weights: HashMap<&str, f32> = terms.stems.iter().map(|(s, w)| (s.as_str(), *w)).collect();
    let everything: f32 = terms.stems.iter().map(|(_, w)| w).sum();
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
            terms
                .stems
                .iter()
                .filter(|(s, _)| there.contains(s.as_str()))
                .map(|(_, w)| w)
                .sum(),
        )
    };
    let value = |feature| match feature {
        Feature::Found => Some(found),
        Feature::Coverage => Some(covered(&mut text.iter().chain(*title).chain(*facts))),
        Feature::Proximity => Some(share(densest(text, &weights))),
        Feature::Identifiers => {
            (!terms.identifiers.is_empty()).then(|| identical(record, &terms.identifiers))
        }
        Feature::Title => Some(covered(&mut title.iter())),
        Feature::Named => (!asked.named.is_empty()).then(|| named(record, &asked.named)),
        Feature::Dated => (!asked.days.is_empty()).then(|| dated(record, &asked.days)),
        Feature::Clause => (!terms.clauses.is_empty()).then(|| best_clause(text, terms)),
        Feature::Sentences => {
            let meaning = asked.meaning.as_ref();
            meaning.map(|m| m.closest(&record.text, &mut Desk::default()))
        }
    };
    let (mut sum, mut total) = (0.0, 0.0);
    for (feature, weight) in WEIGHTS {
        let weight = match feature {
            Feature::Found => found_weight(weight, asked.vector_share),
            _ => weight,
        };
        if let Some(value) = value(feature) {
            sum += weight * value;
            total += weight;
        }
    }
    sum / total
}

/// What the fused score weighs when vectors have this share of it.
fn found_weight(by_table: f32, share: f32) -> f32 {
    let way = (share - SHARE_OF_TABLE) / (SHARE_OF_ENCODER - SHARE_OF_TABLE);
    by_table + (FOUND_BY_ENCODER - by_table) * way.clamp(0.0, 1.0)
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

/// Takes `top_k`, best first. `weights` are those of the question's words. A document or a named value
/// that has filled its share waits until the others are through. Also tells how many were passed over
/// because one that was taken says the same.
fn pick(
    mut scored: Vec<Scored>,
    weights: &[f32],
    named: &[Named],
    top_k: usize,
) -> (Vec<Passage>, u32) {
    scored.sort_by(|a, b| {
        let key = |s: &Scored| (s.record.doc_id.clone(), s.record.n);
        b.score
            .total_cmp(&a.score)
            .then_with(|| key(a).cmp(&key(b)))
    });
    let mut shares = Shares::new(named, top_k);
    let mut seen = vec![0u16; weights.len()];
    let everything = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let mut chosen: Vec<Scored> = Vec::with_capacity(top_k);
    let mut repeated = 0;
    for only_with_room in [true, false] {
        while chosen.len() < top_k {
            let worth = |s: &Scored| {
                let new: f32 = s
                    .has
                    .iter()
                    .map(|w| weights[*w] / f32::from(1 + seen[*w]))
                    .sum();
                s.score + NEW_WORDS_WEIGHT * new / everything
            };
            let open = scored.iter().enumerate().take(LOOKED_AT);
            let open = open.filter(|(_, s)| !only_with_room || shares.have_room(&s.record));
            let best = open.map(|(i, s)| (worth(s), i));
            let Some((_, best)) = best.max_by(|(a, i), (b, j)| a.total_cmp(b).then(j.cmp(i)))
            else {
                break;
            };
            let next = scored.remove(best);
            if chosen.iter().any(|known| is_same(known, &next)) {
                repeated += 1;
                continue;
            }
            shares.take(&next.record);
            next.has.iter().for_each(|word| seen[*word] += 1);
            chosen.push(next);
        }
    }
    chosen.sort_by(|a, b| b.score.total_cmp(&a.score));
    let passages = chosen.into_iter();
    let passages = passages.map(|s| s.record.into_passage(s.score));
    (passages.collect(), repeated)
}

fn is_same(a: &Scored, b: &Scored) -> bool {
    a.record.text == b.record.text || a.words.are_same(&b.words)
}

/// How much of the list each document and each named value has.
struct Shares<'a> {
    named: &'a [Named],
    top_k: usize,
    documents: HashMap<(String, String), usize>,
    values: HashMap<&'a Named, usize>,
}

impl<'a> Shares<'a> {
    fn new(named: &'a [Named], top_k: usize) -> Shares<'a> {
        Shares {
            named,
            top_k,
            documents: HashMap::new(),
            values: HashMap::new(),
        }
    }

    fn have_room(&self, record: &ChunkRecord) -> bool {
        let of_document = self.documents.get(&document(record)).copied().unwrap_or(0);
        let mut values = self.values_of(record);
        of_document < self.top_k.div_ceil(2)
            && values.all(|value| {
                let rivals = self.named.iter().filter(|n| n.field == value.field).count();
                let taken = self.values.get(value).copied().unwrap_or(0);
                taken < self.top_k.div_ceil(rivals)
            })
    }

    fn take(&mut self, record: &ChunkRecord) {
        *self.documents.entry(document(record)).or_default() += 1;
        let values: Vec<_> = self.values_of(record).collect();
        for value in values {
            *self.values.entry(value).or_default() += 1;
        }
    }

    fn values_of(&self, record: &ChunkRecord) -> impl Iterator<Item = &'a Named> {
        self.named.iter().filter(move |value| value.is_of(record))
    }
}

fn document(record: &ChunkRecord) -> (String, String) {
    (record.bucket.to_string(), record.doc_id.to_string())
}
