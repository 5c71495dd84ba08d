//! Which of the best are shown: no text twice, no document or source alone, and every part of the
//! question by something. Pure.
//!
//! Greedy, as maximal marginal relevance is (Carbonell and Goldstein, SIGIR 1998), with the words of
//! the question in the place of similarity: a chunk is worth more when it has words that none of the
//! chosen ones has.

use crate::gazetteer::Named;
use crate::record::ChunkRecord;
use envelope::Passage;
use envelope::ids::fnv1a_64;
use std::collections::{HashMap, HashSet};

/// What the words of the question that a chunk adds are worth, beside its score. Measured, see
/// docs/retrieval.md.
const NEW_WORDS_WEIGHT: f32 = 0.3;
/// Texts that share this part of their words are one text.
const SAME_SHARE: f32 = 0.9;
/// Shorter texts, in different words, are alike by accident.
const SAME_WORDS_MIN: usize = 20;
/// How many of the best are looked at for one place.
const LOOKED_AT: usize = 100;

/// A candidate with its score.
pub(crate) struct Scored {
    pub(crate) score: f32,
    pub(crate) record: ChunkRecord,
    /// Which words of the question it has, by their places in the question's words.
    pub(crate) has: Vec<usize>,
    /// Its different words.
    pub(crate) words: Words,
}

/// The different words of a text, hashed.
#[derive(Debug, Default)]
pub(crate) struct Words {
    all: HashSet<u64>,
    /// Those with a digit: in forms that are filled in they are all that tells one from the next.
    figures: HashSet<u64>,
}

impl Words {
    pub(crate) fn of<'a>(words: impl Iterator<Item = &'a str>) -> Words {
        let mut of = Words::default();
        for word in words {
            let hash = fnv1a_64(word.as_bytes());
            of.all.insert(hash);
            if word.contains(char::is_numeric) {
                of.figures.insert(hash);
            }
        }
        of
    }

    /// Whether they are those of one text, from a copy of the file or from an older scan of it: all of
    /// the figures and nearly all of the words.
    pub(crate) fn are_same(&self, other: &Words) -> bool {
        let (a, b) = (&self.all, &other.all);
        let (less, more) = match a.len() <= b.len() {
            true => (a, b),
            false => (b, a),
        };
        if less.len() < SAME_WORDS_MIN || (less.len() as f32) < SAME_SHARE * more.len() as f32 {
            return false;
        }
        let both = less.intersection(more).count();
        self.figures == other.figures
            && both as f32 >= SAME_SHARE * (less.len() + more.len() - both) as f32
    }
}

/// Takes `top_k`, best first. `weights` are those of the question's words. A document or a named value
/// that has filled its share waits until the others are through. Also tells how many were passed over
/// because one that was taken says the same.
pub(crate) fn pick(
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

#[cfg(test)]
#[path = "pick_tests.rs"]
mod tests;
