//! The reasons of a search: which documents were taken for the right ones and what spoke for each, and which passages
//! were dropped.

use crate::Error;
use crate::diversify::{Dropped, Why};
use crate::document_rank::passages_part;
use crate::merged::Merged;
use envelope::lookup::{DocumentMatch, DroppedPassage, Explanation, RankedDocument};

/// Passages that are named; the rest are worse.
const DROPPED_MAX: usize = 20;

/// The reasons of a search for so many passages. Blocking.
pub(crate) fn explained(merged: Merged, top_k: usize) -> Result<Explanation, Error> {
    let documents = documents(&merged)?;
    let dropped = merged.picked(top_k, DROPPED_MAX)?.dropped;
    Ok(Explanation {
        documents,
        dropped: dropped_passages(dropped),
    })
}

fn dropped_passages(mut dropped: Vec<Dropped>) -> Vec<DroppedPassage> {
    dropped.sort_by(|a, b| b.score.total_cmp(&a.score));
    let shown = dropped.into_iter().take(DROPPED_MAX);
    let passage = |one: Dropped| DroppedPassage {
        source: one.record.source,
        page: one.record.page,
        line: one.record.line,
        score: one.score,
        why: match one.why {
            Why::Repeats => "repeats",
            Why::Share => "share",
            Why::Score => "score",
        }
        .to_owned(),
    };
    shown.map(passage).collect()
}

/// The documents of a search, the most likely first; none where they are not ranked.
fn documents(merged: &Merged) -> Result<Vec<RankedDocument>, Error> {
    let Some(documents) = merged.documents() else {
        return Ok(Vec::new());
    };
    let mut explained = Vec::new();
    for one in &documents.likely {
        let matched = one.matched.iter().map(|counted| DocumentMatch {
            said: documents.units[counted.unit].forms[0].clone(),
            place: counted.place.as_str().to_owned(),
            how: counted.likeness.as_str().to_owned(),
            weight: counted.weight,
        });
        let mut matched: Vec<DocumentMatch> = matched.collect();
        matched.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        explained.push(RankedDocument {
            source: merged.snapshot().record(one.head)?.source,
            likelihood: one.likelihood,
            matched,
            passages: passages_part(&one.evidence),
            searched_inside: one.searched_inside,
            evidence: one.evidence.values().to_vec(),
        });
    }
    Ok(explained)
}
