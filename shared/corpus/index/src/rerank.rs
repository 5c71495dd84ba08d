//! The built-in reranker: it scores candidates by features of their words, without a model.
//!
//! BM25 finds the candidates, and the reranker scores the few best again. It looks at how much of the query a chunk
//! contains, how close together these words are, whether numbers and part names are the same to the letter, whether the
//! title has the words, and whether a sentence is close to the query in meaning.
//!
//! The postings contain most of that. So a candidate first gets an upper bound of its score from the postings. Its
//! record is fetched only if the bound is high enough for the result, and its sentences are read only if the score by
//! the record still is. The result is the same as if every candidate had been read. Pure.

use crate::gazetteer::Named;
use crate::index::{
    Occurrences, SentenceVectors, Terms, WORD_BYTES_MAX, identifier, is_plain, name_stems, stems,
};
use crate::similarity::{Desk, SentenceSimilarity};
use envelope::ChunkRecord;
use serde_json::Value;
use std::collections::HashSet;
use tantivy::tokenizer::TextAnalyzer;

/// Words within which the query's words count as close.
const WINDOW_WORDS: u32 = 24;
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
/// Sums of the same numbers in another order differ by less.
const ROUNDED_UP: f32 = 1.000_01;

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

/// What a query is made of, for looking again.
pub(crate) struct QueryFeatures {
    pub(crate) terms: Terms,
    pub(crate) named: Vec<Named>,
    /// Days, see [`crate::times`].
    pub(crate) days: Vec<String>,
    /// The share of the vectors in the fused score; 0 where there are none.
    pub(crate) vector_share: f32,
    /// Its meaning, where sentences can be compared with it at once.
    pub(crate) meaning: Option<SentenceSimilarity>,
}

/// The features of a candidate, or the most that they can be: no part of the score falls when one of
/// them grows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Features {
    /// The fused score.
    found: f32,
    /// Words of the query in the text, in title and path, and anywhere: bit n stands for word n.
    text: u64,
    title: u64,
    all: u64,
    /// What the words in the best window weigh.
    densest: f32,
    identifiers: f32,
    named: f32,
    dated: f32,
    sentences: f32,
}

impl Features {
    /// The most that they can be by what the postings say, and by the sentences where those were read before.
    pub(crate) fn at_most(
        found: f32,
        seen: &Occurrences,
        sentences: Option<&SentenceVectors>,
        asked: &QueryFeatures,
    ) -> Features {
        let meaning = asked.meaning.as_ref().zip(sentences);
        Features {
            found,
            text: seen.text,
            title: seen.title,
            all: seen.text | seen.title | seen.metadata,
            // Not by places: between two of them may stand a word that is too long to be counted.
            densest: asked.terms.weight(seen.text) * ROUNDED_UP,
            identifiers: 1.0,
            named: share_named(&asked.named, |n, _| seen.may_have_named(n)),
            dated: 1.0,
            sentences: meaning.map_or(1.0, |(meaning, read)| meaning.closest_at_most(read)),
        }
    }

    /// What they are by the record, but for the sentences.
    pub(crate) fn by_record(
        self,
        seen: &Occurrences,
        record: &ChunkRecord,
        asked: &QueryFeatures,
        texts: &mut TextAnalyzer,
    ) -> Features {
        let terms = &asked.terms;
        let sure = self.text | self.title;
        let only_told = self.all & !sure;
        let told = match only_told {
            0 => 0,
            _ if is_plain(&record.metadata) && terms.not_ascii() & only_told == 0 => only_told,
            _ => terms.among(&name_stems(record, &told(record))),
        };
        let densest = match self.text.count_ones() {
            0 | 1 => terms.weight(self.text),
            _ if has_long_word(&record.text) => {
                densest(&terms.places(&stems(texts, &record.text)), terms)
            }
            _ => densest(&seen.places, terms),
        };
        Features {
            all: sure | told,
            densest,
            identifiers: identical(record, &terms.identifiers),
            named: share_named(&asked.named, |_, value| value.is_of(record)),
            dated: dated(record, &asked.days),
            ..self
        }
    }

    /// Returns these features with the similarity of the text's sentences to the query added.
    pub(crate) fn by_sentences(
        self,
        record: &ChunkRecord,
        asked: &QueryFeatures,
        desk: &mut Desk,
    ) -> Features {
        let meaning = asked.meaning.as_ref();
        Features {
            sentences: meaning.map_or(0.0, |meaning| meaning.closest(&record.text, desk)),
            ..self
        }
    }

    /// Which words of the query the chunk has.
    pub(crate) fn has(&self) -> u64 {
        self.all
    }

    /// The score, from 0 to 1.
    pub(crate) fn score(&self, asked: &QueryFeatures) -> f32 {
        let terms = &asked.terms;
        let everything = terms.weight(u64::MAX);
        let share = |sum: f32| {
            if everything > 0.0 {
                sum / everything
            } else {
                0.0
            }
        };
        let value = |feature| match feature {
            Feature::Found => Some(self.found),
            Feature::Coverage => Some(share(terms.weight(self.all))),
            Feature::Proximity => Some(share(self.densest)),
            Feature::Identifiers => (!terms.identifiers.is_empty()).then_some(self.identifiers),
            Feature::Title => Some(share(terms.weight(self.title))),
            Feature::Named => (!asked.named.is_empty()).then_some(self.named),
            Feature::Dated => (!asked.days.is_empty()).then_some(self.dated),
            Feature::Clause => (!terms.clauses.is_empty()).then(|| best_clause(self.text, terms)),
            Feature::Sentences => asked.meaning.as_ref().map(|_| self.sentences),
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
}

/// What the fused score weighs when vectors have this share of it.
fn found_weight(by_table: f32, share: f32) -> f32 {
    let way = (share - SHARE_OF_TABLE) / (SHARE_OF_ENCODER - SHARE_OF_TABLE);
    by_table + (FOUND_BY_ENCODER - by_table) * way.clamp(0.0, 1.0)
}

/// The texts of the metadata.
fn texts(record: &ChunkRecord) -> impl Iterator<Item = &str> {
    record.metadata.values().filter_map(Value::as_str)
}

/// The same in one.
fn told(record: &ChunkRecord) -> String {
    texts(record).collect::<Vec<_>>().join(" ")
}

/// Whether a text may have a word that is too long to be one: such a word has a place in the index and
/// is none of the words that are counted here.
fn has_long_word(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    // Wherever so many bytes stand in a row, one of these places is among them.
    let mut places = (WORD_BYTES_MAX - 1..bytes.len()).step_by(WORD_BYTES_MAX);
    places.any(|at| {
        let (before, after) = bytes.split_at(at + 1);
        let before = before.iter().rev().take_while(is_word).count();
        before > 0 && before + after.iter().take_while(is_word).count() >= WORD_BYTES_MAX
    })
}

/// The most that different words of the query weigh together inside one window. `places` are those of
/// words in a text, in its order.
fn densest(places: &[(u32, u8)], terms: &Terms) -> f32 {
    let weight = |word: u8| terms.stems[usize::from(word)].1;
    let mut inside = [0u32; u64::BITS as usize];
    let (mut first, mut sum, mut best) = (0, 0.0, 0.0f32);
    for &(at, word) in places {
        while at - places[first].0 >= WINDOW_WORDS {
            let left = places[first].1;
            let count = &mut inside[usize::from(left)];
            *count -= 1;
            if *count == 0 {
                sum -= weight(left);
            }
            first += 1;
        }
        let count = &mut inside[usize::from(word)];
        if *count == 0 {
            sum += weight(word);
        }
        *count += 1;
        best = best.max(sum);
    }
    best
}

/// The share of identifiers, by rarity, that the record has as they are written.
fn identical(record: &ChunkRecord, wanted: &[(String, f32)]) -> f32 {
    if wanted.is_empty() {
        return 0.0;
    }
    let mut there = vec![false; wanted.len()];
    let parts = [record.text.as_str(), record.title.as_str()].into_iter();
    for text in parts.chain(texts(record)) {
        let words = text.split(|c: char| c.is_whitespace() || c == '|');
        let words = words.filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()));
        for name in words.filter_map(identifier) {
            for (there, (wanted, _)) in there.iter_mut().zip(wanted) {
                *there |= *wanted == name;
            }
        }
    }
    let all: f32 = wanted.iter().map(|(_, weight)| weight).sum();
    let found = wanted.iter().zip(there).filter(|(_, there)| *there);
    found.map(|((_, weight), _)| weight).sum::<f32>() / all.max(f32::MIN_POSITIVE)
}

/// 1 when a value of the metadata is, or begins with, one of the days.
fn dated(record: &ChunkRecord, days: &[String]) -> f32 {
    let is_day = |text: &str| days.iter().any(|day| text.starts_with(day.as_str()));
    f32::from(u8::from(texts(record).any(is_day)))
}

/// The share, by rarity, of the best covered clause.
fn best_clause(text: u64, terms: &Terms) -> f32 {
    let share = |clause: &Vec<usize>| {
        let weight = |words: u64| -> f32 {
            let there = clause.iter().filter(|word| words & 1 << **word != 0);
            there.map(|word| terms.stems[*word].1).sum()
        };
        weight(text) / weight(u64::MAX).max(f32::MIN_POSITIVE)
    };
    terms.clauses.iter().map(share).fold(0.0, f32::max)
}

/// The share of the fields that are named in which one of the named values is had.
fn share_named(named: &[Named], has: impl Fn(usize, &Named) -> bool) -> f32 {
    let fields: HashSet<&str> = named.iter().map(|value| value.field.as_str()).collect();
    let having = named.iter().enumerate().filter(|(n, value)| has(*n, value));
    let having: HashSet<&str> = having.map(|(_, value)| value.field.as_str()).collect();
    having.len() as f32 / fields.len().max(1) as f32
}

#[cfg(test)]
#[path = "rerank_tests.rs"]
mod tests;
