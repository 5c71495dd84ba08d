//! The reasons of a search: which documents were taken for the right ones, and what spoke for each.

use crate::Error;
use crate::document_rank::passages_part;
use crate::document_search::is_searched_inside;
use crate::merged::Merged;
use envelope::lookup::{DocumentMatch, RankedDocument};

/// The documents of a search, the most likely first; none where they are not ranked. Blocking.
pub(crate) fn explained(merged: &Merged) -> Result<Vec<RankedDocument>, Error> {
    let Some(documents) = merged.documents() else {
        return Ok(Vec::new());
    };
    let mut explained = Vec::new();
    for (place, one) in documents.likely.iter().enumerate() {
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
            searched_inside: is_searched_inside(place, one),
            evidence: one.evidence.values().to_vec(),
        });
    }
    Ok(explained)
}
