//! The two passes of a search: which documents the question is about, by their profiles and by the passages of the wide
//! search, and then a search inside the most likely ones.
//!
//! *Not* here: what speaks for a document ([`crate::document_rank`]), and how its passages are ranked ([`crate::rerank`]).

use crate::Error;
use crate::document_rank::{
    Likely, Likeness, Place, added_up, by_document, ranked, shares_by_passages,
};
use crate::index::{Scored, Snapshot, Terms, analyzer_of};
use crate::profile::{Unit, units};
use search::{Fitting, SearchRequest};
use std::collections::{HashMap, HashSet};
use tantivy::DocAddress;
use text::{Language, stop};

/// Documents that are searched inside.
const SEARCHED_INSIDE: usize = 8;
/// Those that are so unlikely are not.
const LIKELIHOOD_MIN: f32 = 0.01;
/// Passages of the wide search whose documents are looked at, best first.
const WIDE_DOCUMENTS_MAX: usize = 100;
/// A document that is searched inside gives this part of the candidates of the wide search, but as many as are wanted.
const PARTS: usize = 10;
/// Chunks of all of them that are read at most: a document with more is left to the wide search.
const CHUNKS_INSIDE: u64 = 50_000;
/// Documents that are kept.
const KEPT: usize = 50;

/// The documents of a question, the most likely first.
pub(crate) struct RankedDocuments {
    pub(crate) likely: Vec<Likely>,
    pub(crate) units: Vec<Unit>,
    by_number: HashMap<u64, Likelihood>,
    /// How many chunks its words fit.
    pub(crate) fitting: Fitting,
    /// The language of the question.
    pub(crate) language: Language,
}

/// How likely a document is the right one, from 0 to 1.
#[derive(Debug, Clone, Copy, Default)]
struct Likelihood {
    all: f32,
    /// By its passages alone.
    by_passages: f32,
}

impl RankedDocuments {
    /// How likely a document is the right one; 0 for one that nothing speaks for.
    pub(crate) fn likelihood(&self, document: u64) -> f32 {
        let of = self.by_number.get(&document).copied().unwrap_or_default();
        of.all
    }

    /// How much likelier its profile makes a document than its passages alone do; below 0 where it makes others
    /// likelier. The score of a passage has its own part already.
    pub(crate) fn lift(&self, document: u64) -> f32 {
        let of = self.by_number.get(&document).copied().unwrap_or_default();
        of.all - of.by_passages
    }
}

/// Ranks documents by their profiles and by passages with their fused scores.
pub(crate) fn rank(
    snapshot: &Snapshot,
    request: &SearchRequest,
    chunks: &[DocAddress],
    fused: &[f32],
) -> Result<RankedDocuments, Error> {
    let language = Language::of(&request.query);
    let analyzer = &mut analyzer_of(language);
    let units = units(&request.query, analyzer, stop::is_unsearched);
    let numbers = snapshot.documents_of(chunks.iter().copied())?;
    let by_passages = by_document(numbers.iter().copied().zip(fused.iter().copied()));
    let mut wide: Vec<(u64, f32)> = by_passages
        .iter()
        .map(|(document, best)| (*document, best.0))
        .collect();
    wide.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    wide.truncate(WIDE_DOCUMENTS_MAX);
    let wide: Vec<u64> = wide.into_iter().map(|(document, _)| document).collect();
    let mut counts = Vec::with_capacity(units.len());
    for unit in &units {
        let of_unit = unit.stems.iter().map(|stem| snapshot.text_count(stem));
        counts.push(of_unit.collect::<Result<Vec<u64>, Error>>()?);
    }
    let found = snapshot.matching_heads(request, &units, &counts, &wide)?;
    let rarity = |of_unit: &Vec<u64>| {
        of_unit
            .iter()
            .map(|chunks| snapshot.text_rarity(*chunks))
            .sum()
    };
    let rarities: Vec<f32> = counts.iter().map(rarity).collect();
    let matches = found.values().flatten();
    let names = matches.filter(|one| one.place != Place::Front && one.likeness == Likeness::Same);
    let names: HashSet<usize> = names.map(|one| one.unit).collect();
    // Each word counts once: a time is called in several ways.
    let mut weighed = 0;
    let (mut mass, mut told) = (0.0, 0.0);
    for (n, (unit, rarity)) in units.iter().zip(&rarities).enumerate() {
        if unit.pieces.count_ones() == 1 && weighed & unit.pieces == 0 {
            weighed |= unit.pieces;
            mass += rarity;
            told += match unit {
                unit if unit.is_content_free => 0.0,
                unit if unit.is_group => rarity * told_by_group(&counts[n]),
                // What documents are called tells which is meant, however many texts have it.
                _ if names.contains(&n) => rarity.max(snapshot.text_rarity(1)),
                _ => *rarity,
            };
        }
    }
    let heads = snapshot.documents_of(found.keys().copied())?;
    let documents = found.iter().zip(heads).map(|((head, matches), document)| {
        let (mut evidence, matched) = added_up(matches, &units, &rarities, mass);
        (evidence.best, evidence.three) = by_passages.get(&document).copied().unwrap_or_default();
        Likely {
            document,
            head: *head,
            likelihood: 0.0,
            evidence,
            matched,
            searched_inside: false,
        }
    });
    let mut likely = ranked(documents.collect());
    let shares = shares_by_passages(&likely);
    let both = likely.iter().zip(shares);
    let by_number = both.map(|(one, by_passages)| {
        let all = one.likelihood;
        (one.document, Likelihood { all, by_passages })
    });
    let by_number = by_number.collect();
    likely.truncate(KEPT);
    choose_inside(&mut likely, CHUNKS_INSIDE, |document| {
        snapshot.chunk_count(document)
    })?;
    Ok(RankedDocuments {
        language,
        likely,
        units,
        by_number,
        fitting: Fitting {
            share: (-told).exp(),
            passages: (-told).exp() * snapshot.chunks_of_all() as f32,
        },
    })
}

/// What of its rarity counts of a group of characters: each character is in two of them, and one that stands nowhere is
/// likely to be no word.
fn told_by_group(counts: &[u64]) -> f32 {
    match counts.iter().any(|count| *count > 0) {
        true => 0.5,
        false => 0.0,
    }
}

/// What is found inside the most likely documents.
pub(crate) struct FoundInside {
    pub(crate) by_words: Scored,
    pub(crate) by_vector: Scored,
    /// What the documents leave of each stem of the question.
    pub(crate) left: Vec<f32>,
}

/// The best passages of the most likely documents, by words and by the vector `aim`, if there is one and the index keeps
/// vectors.
pub(crate) fn search_inside(
    snapshot: &Snapshot,
    request: &SearchRequest,
    terms: &Terms,
    aim: Option<&[f32]>,
    documents: &RankedDocuments,
) -> Result<FoundInside, Error> {
    let each = (request.fetch_k / PARTS).max(request.top_k);
    let chosen = documents.likely.iter().filter(|one| one.searched_inside);
    let (numbers, likelihoods): (Vec<u64>, Vec<f32>) =
        chosen.map(|one| (one.document, one.likelihood)).unzip();
    let inside = snapshot.inside(request, &numbers)?;
    let left = snapshot.left_inside(&inside, &likelihoods, &terms.stems)?;
    let by_words = snapshot.by_words_inside(&inside, terms, &left, each)?;
    let by_vector = match aim {
        Some(aim) => snapshot.by_vector_inside(&inside, aim, each)?,
        None => Vec::new(),
    };
    Ok(FoundInside {
        by_words,
        by_vector,
        left,
    })
}

/// Marks the documents that are searched inside: the most likely ones, with at most `room` chunks together.
fn choose_inside(
    likely: &mut [Likely],
    mut room: u64,
    chunks: impl Fn(u64) -> Result<u64, Error>,
) -> Result<(), Error> {
    for one in likely.iter_mut().take(SEARCHED_INSIDE) {
        if one.likelihood >= LIKELIHOOD_MIN
            && let Some(left) = room.checked_sub(chunks(one.document)?)
        {
            room = left;
            one.searched_inside = true;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document_rank::Evidence;

    #[test]
    fn a_document_without_room_is_left_to_the_wide_search() {
        let one = |document, likelihood| Likely {
            document,
            head: DocAddress::new(0, 0),
            likelihood,
            evidence: Evidence::default(),
            matched: Vec::new(),
            searched_inside: false,
        };
        let mut likely = [one(1, 0.5), one(2, 0.3), one(3, 0.19), one(4, 0.001)];
        let chunks = |document| Ok([0, 60, 50, 40, 1][document as usize]);
        choose_inside(&mut likely, 100, chunks).unwrap();
        let chosen = likely.iter().filter(|one| one.searched_inside);
        let chosen: Vec<u64> = chosen.map(|one| one.document).collect();
        assert_eq!(chosen, [1, 3]);
    }
}
