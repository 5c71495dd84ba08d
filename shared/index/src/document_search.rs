//! The two passes of a search: which documents the question is about, by their profiles and by the passages of the wide
//! search, and then a search inside the most likely ones.
//!
//! *Not* here: what speaks for a document ([`crate::document_rank`]), and how its passages are ranked ([`crate::rerank`]).

use crate::Error;
use crate::document_rank::{Likely, added_up, by_document, ranked, shares_by_passages};
use crate::index::{Snapshot, Terms, analyzer};
use crate::profile::{Unit, units};
use search::SearchRequest;
use std::collections::HashMap;
use tantivy::DocAddress;
use text::stop;

/// Documents that are searched inside.
const SEARCHED_INSIDE: usize = 8;
/// Those that are so unlikely are not.
const LIKELIHOOD_MIN: f32 = 0.01;
/// Passages of the wide search whose documents are looked at, best first.
const WIDE_DOCUMENTS_MAX: usize = 100;
/// A document that is searched inside gives this part of the candidates of the wide search.
const PARTS: usize = 4;
/// Documents that are kept.
const KEPT: usize = 50;

/// The documents of a question, the most likely first.
pub(crate) struct RankedDocuments {
    pub(crate) likely: Vec<Likely>,
    pub(crate) units: Vec<Unit>,
    by_number: HashMap<u64, Likelihood>,
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
        self.by_number
            .get(&document)
            .copied()
            .unwrap_or_default()
            .all
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
    let units = units(&request.query, &mut analyzer(), stop::is_unsearched);
    let numbers = snapshot.documents_of(chunks.iter().copied())?;
    let by_passages = by_document(numbers.iter().copied().zip(fused.iter().copied()));
    let mut wide: Vec<(u64, f32)> = by_passages
        .iter()
        .map(|(document, best)| (*document, best.0))
        .collect();
    wide.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    wide.truncate(WIDE_DOCUMENTS_MAX);
    let wide: Vec<u64> = wide.into_iter().map(|(document, _)| document).collect();
    let found = snapshot.matching_heads(request, &units, &wide)?;
    let mut rarities = Vec::with_capacity(units.len());
    for unit in &units {
        let mut sum = 0.0;
        for stem in &unit.stems {
            sum += snapshot.text_rarity(stem)?;
        }
        rarities.push(sum);
    }
    let single = units
        .iter()
        .zip(&rarities)
        .filter(|(unit, _)| unit.pieces.count_ones() == 1);
    let mass: f32 = single.map(|(_, rarity)| rarity).sum();
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
    Ok(RankedDocuments {
        likely,
        units,
        by_number,
    })
}

/// Scored chunks.
pub(crate) type Scored = Vec<(f32, DocAddress)>;

/// The best passages of the most likely documents, by words and by the vector `aim`, if there is one and the index keeps
/// vectors.
pub(crate) fn inside(
    snapshot: &Snapshot,
    request: &SearchRequest,
    terms: &Terms,
    aim: Option<&[f32]>,
    documents: &RankedDocuments,
) -> Result<(Scored, Scored), Error> {
    let (mut by_words, mut by_vector) = (Vec::new(), Vec::new());
    let each = (request.fetch_k / PARTS).max(request.top_k);
    for (place, one) in documents.likely.iter().enumerate() {
        if !is_searched_inside(place, one) {
            break;
        }
        by_words.extend(snapshot.by_words_inside(request, terms, one.document, each)?);
        if let Some(aim) = aim {
            let close = snapshot.by_vector_inside(request, aim, one.document, each)?;
            by_vector.extend(close.iter().map(|close| (close.score, close.address)));
        }
    }
    Ok((by_words, by_vector))
}

/// Whether the document at a place of the list, from 0, is searched inside.
pub(crate) fn is_searched_inside(place: usize, one: &Likely) -> bool {
    place < SEARCHED_INSIDE && one.likelihood >= LIKELIHOOD_MIN
}
