//! What the beginning of a document says of a question where the passage that was found does not: a contract names the
//! house on its first page, and the rent on its third.
//!
//! Which words of a question the beginning has is known from the ranking of documents ([`crate::document_rank`]), so one
//! record is read for each document with something to say. *Not* a part of the passage: nothing is cited from it.

use crate::Error;
use crate::document_rank::{Likely, Place};
use crate::document_search::RankedDocuments;
use crate::index::{Snapshot, analyzer_of, document_number, stems};
use envelope::ChunkRecord;
use std::collections::HashSet;
use tantivy::tokenizer::TextAnalyzer;
use text::sentences::cut;

/// Characters of a sentence that are shown.
const CHARS_MAX: usize = 240;

/// The sentence at the beginning of a passage's document that has most of what a question says and the passage lacks,
/// by rarity; empty where there is none.
pub(crate) fn front(
    snapshot: &Snapshot,
    documents: &RankedDocuments,
    passage: &ChunkRecord,
) -> Result<String, Error> {
    let number = document_number(passage);
    let likely = documents.likely.iter().find(|one| one.document == number);
    let Some(likely) = likely.filter(|_| passage.n > 0) else {
        return Ok(String::new());
    };
    let mut wanted = said_in_front(likely, documents);
    if wanted.is_empty() {
        return Ok(String::new());
    }
    let analyzer = &mut analyzer_of(documents.language);
    let own = [&passage.title, &passage.source, &passage.text].map(|text| stems(analyzer, text));
    let own: HashSet<String> = own.into_iter().flatten().collect();
    wanted.retain(|(stem, _)| !own.contains(*stem));
    if wanted.is_empty() {
        return Ok(String::new());
    }
    let head = snapshot.record(likely.head)?;
    Ok(telling(&head.text, &wanted, analyzer).unwrap_or_default())
}

/// The words of the question that the beginning of a document has, and neither its path nor its title, as stems with
/// their weights.
fn said_in_front<'a>(likely: &Likely, documents: &'a RankedDocuments) -> Vec<(&'a str, f32)> {
    let front = likely.matched.iter();
    let front = front.filter(|counted| counted.place == Place::Front);
    let units = front.map(|counted| (&documents.units[counted.unit], counted.weight));
    let units = units.filter(|(unit, _)| !unit.is_content_free);
    units
        .map(|(unit, weight)| (&*unit.forms[0], weight))
        .collect()
}

/// The sentence that has most of what is wanted.
fn telling(text: &str, wanted: &[(&str, f32)], analyzer: &mut TextAnalyzer) -> Option<String> {
    let mut best: Option<(f32, &str)> = None;
    for (_, sentence) in cut::sentences(text) {
        let has: HashSet<String> = stems(analyzer, sentence).into_iter().collect();
        let has = wanted.iter().filter(|(stem, _)| has.contains(*stem));
        let worth: f32 = has.map(|(_, weight)| weight).sum();
        if worth > best.map_or(0.0, |(most, _)| most) {
            best = Some((worth, sentence));
        }
    }
    Some(text::line_of(best?.1, CHARS_MAX))
}
