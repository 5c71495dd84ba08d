//! Ranks documents for a question: how likely each is the one that the question is about.
//!
//! What a document is called counts by how rare that is. A word that a question uses for its subject is as frequent there
//! as in the texts, so a match is worth no more than the word's rarity in texts; and it is worth no more than the rarity
//! of the match among documents, so what all documents are called is worth nothing, in any language. The passages that
//! were found count as well. The likelihood of a document is the softmax of the weighted sum. Pure.

use crate::profile::Unit;
use std::collections::HashMap;
use tantivy::DocAddress;

/// Where a unit of a question matches a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place {
    /// Its path.
    Path,
    /// Its title, or a short value of its metadata.
    Title,
    /// Its first chunk.
    Front,
}

/// How a unit of a question matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Likeness {
    /// It is the same word.
    Same,
    /// A word begins so.
    Begins,
    /// They are initials.
    Initials,
    /// It is nearly the same word.
    Nearly,
}

/// One match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Match {
    /// Which unit of the question.
    pub(crate) unit: usize,
    pub(crate) place: Place,
    pub(crate) likeness: Likeness,
    /// Its rarity among documents.
    pub(crate) rarity: f32,
}

/// A match that counts, and what it adds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Counted {
    pub(crate) unit: usize,
    pub(crate) place: Place,
    pub(crate) likeness: Likeness,
    pub(crate) weight: f32,
}

/// What speaks for a document.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Evidence {
    /// The matches in each [`Place`]: sums of rarities. Initials count as a path does.
    pub(crate) matched: [f32; 3],
    /// The fused score of its best passage, from 0 to 1.
    pub(crate) best: f32,
    /// The mean of its best three.
    pub(crate) three: f32,
    /// What the words of the question weigh in all.
    pub(crate) mass: f32,
}

/// Weights of the evidence. Learned by
/// `tools/collections/learn.py` on the collections of the half `choose` and the dev splits (docs/retrieval.md).
const PATH_WEIGHT: f32 = 3.0;
const TITLE_WEIGHT: f32 = 0.55;
pub(crate) const FRONT_WEIGHT: f32 = 3.1;
const BEST_WEIGHT: f32 = 4.8;
const THREE_WEIGHT: f32 = 1.5;

impl Likeness {
    /// What a match is worth beside one of the same word.
    const fn worth(self) -> f32 {
        match self {
            Likeness::Same => 1.0,
            Likeness::Begins => 0.8,
            Likeness::Initials | Likeness::Nearly => 0.7,
        }
    }

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Likeness::Same => "same",
            Likeness::Begins => "begins",
            Likeness::Initials => "initials",
            Likeness::Nearly => "nearly",
        }
    }
}

impl Place {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Place::Path => "path",
            Place::Title => "title",
            Place::Front => "front",
        }
    }
}

/// A document, and how likely it is the right one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Likely {
    /// Its number.
    pub(crate) document: u64,
    /// Its first chunk.
    pub(crate) head: DocAddress,
    /// From 0 to 1; 1 in sum.
    pub(crate) likelihood: f32,
    pub(crate) evidence: Evidence,
    /// What matched, with the weight of each match.
    pub(crate) matched: Vec<Counted>,
    /// Whether it is searched inside.
    pub(crate) searched_inside: bool,
}

/// What the matches of a document add up to. A piece of the question counts once: in the path before the title and the
/// first chunk, in a longer unit before a shorter one, then where it is worth most. `rarities` are those of the units in
/// texts, and `mass` is the sum of those of all words.
pub(crate) fn added_up(
    matches: &[Match],
    units: &[Unit],
    rarities: &[f32],
    mass: f32,
) -> (Evidence, Vec<Counted>) {
    let worth = |one: &Match| one.rarity.min(rarities[one.unit]) * one.likeness.worth();
    let mut order: Vec<&Match> = matches.iter().collect();
    order.sort_by(|a, b| {
        let key = |one: &Match| {
            let pieces = units[one.unit].pieces.count_ones();
            (
                one.place,
                one.likeness != Likeness::Same,
                std::cmp::Reverse(pieces),
            )
        };
        key(a)
            .cmp(&key(b))
            .then_with(|| worth(b).total_cmp(&worth(a)))
    });
    let mut evidence = Evidence {
        mass,
        ..Evidence::default()
    };
    let mut counted = Vec::new();
    let mut covered = 0u64;
    for one in order {
        let pieces = units[one.unit].pieces;
        if covered & pieces == 0 {
            covered |= pieces;
            let place = match one.likeness {
                // Whoever writes initials names something.
                Likeness::Initials => Place::Path,
                _ => one.place,
            };
            evidence.matched[place as usize] += worth(one);
            counted.push(Counted {
                unit: one.unit,
                place: one.place,
                likeness: one.likeness,
                weight: worth(one) * place.weight(mass),
            });
        }
    }
    (evidence, counted)
}

impl Evidence {
    fn weighed(&self) -> f32 {
        let places = [Place::Path, Place::Title, Place::Front];
        let matched = places.map(|place| self.matched[place as usize] * place.weight(self.mass));
        matched.iter().sum::<f32>() + passages_part(self)
    }

    /// What the weights are learned for, in their order.
    pub(crate) fn values(&self) -> [f32; 6] {
        let [path, title, front] = self.matched;
        [path, title, front, self.best, self.three, self.mass]
    }
}

impl Place {
    /// What a sum of rarities in this place is multiplied by, for a question whose words weigh so much in all. A name in
    /// a path is a name however long the question is; titles and texts have words of a long question by chance.
    fn weight(self, mass: f32) -> f32 {
        match self {
            Place::Path => PATH_WEIGHT,
            Place::Title => TITLE_WEIGHT / mass.max(1.0),
            Place::Front => FRONT_WEIGHT / mass.max(1.0),
        }
    }
}

/// What the passages of a document add.
pub(crate) fn passages_part(evidence: &Evidence) -> f32 {
    BEST_WEIGHT * evidence.best + THREE_WEIGHT * evidence.three
}

/// The likelihood of each document, the most likely first.
pub(crate) fn ranked(mut documents: Vec<Likely>) -> Vec<Likely> {
    let likelihoods = softmax(documents.iter().map(|one| one.evidence.weighed()));
    for (one, likelihood) in documents.iter_mut().zip(likelihoods) {
        one.likelihood = likelihood;
    }
    documents.sort_by(|a, b| {
        b.likelihood
            .total_cmp(&a.likelihood)
            .then(a.document.cmp(&b.document))
    });
    documents
}

/// The likelihood of each document by its passages alone, in the same order.
pub(crate) fn shares_by_passages(documents: &[Likely]) -> Vec<f32> {
    softmax(documents.iter().map(|one| passages_part(&one.evidence)))
}

fn softmax(logits: impl Iterator<Item = f32>) -> Vec<f32> {
    let logits: Vec<f32> = logits.collect();
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let all: Vec<f32> = logits.iter().map(|logit| (logit - most).exp()).collect();
    let sum: f32 = all.iter().sum();
    all.iter().map(|one| one / sum).collect()
}

/// The fused scores of passages by document: the best, and the mean of the best three.
pub(crate) fn by_document(scores: impl Iterator<Item = (u64, f32)>) -> HashMap<u64, (f32, f32)> {
    let mut best: HashMap<u64, [f32; 3]> = HashMap::new();
    for (document, score) in scores {
        let three = best.entry(document).or_default();
        let mut new = score;
        for place in three.iter_mut().filter(|place| **place < score) {
            std::mem::swap(place, &mut new);
        }
    }
    best.into_iter()
        .map(|(document, three)| (document, (three[0], three.iter().sum::<f32>() / 3.0)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_three_are_kept() {
        let scores = [(1, 0.2), (1, 0.9), (2, 0.5), (1, 0.3), (1, 0.6)];
        let by = by_document(scores.into_iter());
        assert_eq!(by[&1].0, 0.9);
        assert!((by[&1].1 - 0.6).abs() < 1e-6);
        assert_eq!(by[&2].0, 0.5);
    }
}
