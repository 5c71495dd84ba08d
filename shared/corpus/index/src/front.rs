//! What the beginning of a document says of a question where the passage that was found does not: a contract names the
//! house on its first page, and the rent on its third.
//!
//! Which words of a question the beginning has is known from the ranking of documents ([`crate::document_rank`]), so one
//! record is read for each document with something to say. *Not* a part of the passage: nothing is quoted from it.

use crate::Error;
use crate::document_rank::{FRONT_WEIGHT, Likely, Place};
use crate::document_search::RankedDocuments;
use crate::index::{Snapshot, analyzer_of, document_number, stems};
use envelope::ChunkRecord;
use std::collections::{HashMap, HashSet};
use tantivy::DocAddress;
use tantivy::tokenizer::TextAnalyzer;
use text::one_line;
use text::sentences::cut;

/// Characters that are shown; a longer sentence is cut into such pieces.
const CHARS_MAX: usize = 240;
/// What it has to say at least, as a share of what the words of the question weigh by their rarity (ADR 0035).
const SHARE_MIN: f32 = 0.1;

/// Finds what the beginnings of documents say.
pub(crate) struct Fronts<'a> {
    snapshot: &'a Snapshot,
    documents: &'a RankedDocuments,
    analyzer: TextAnalyzer,
    /// The pieces of first chunks that were read.
    heads: HashMap<DocAddress, Vec<Piece>>,
}

struct Piece {
    text: String,
    stems: HashSet<String>,
}

impl<'a> Fronts<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, documents: &'a RankedDocuments) -> Fronts<'a> {
        Fronts {
            snapshot,
            documents,
            analyzer: analyzer_of(documents.language),
            heads: HashMap::new(),
        }
    }

    /// The sentence at the beginning of a passage's document that has most of what the question says and the passage
    /// lacks, by rarity; empty where that is little.
    pub(crate) fn of(&mut self, passage: &ChunkRecord) -> Result<String, Error> {
        let number = document_number(passage);
        let mut likely = self.documents.likely.iter();
        let likely = likely.find(|one| one.document == number && passage.n > 0);
        let Some(likely) = likely else {
            return Ok(String::new());
        };
        let mut wanted = said_in_front(likely, self.documents);
        if !is_enough(wanted.iter().map(|(_, weight)| weight).sum()) {
            return Ok(String::new());
        }
        let own = [&passage.title, &passage.source, &passage.text];
        let own = own.map(|text| stems(&mut self.analyzer, text));
        let own: HashSet<String> = own.into_iter().flatten().collect();
        wanted.retain(|(stem, _)| !own.contains(*stem));
        if !is_enough(wanted.iter().map(|(_, weight)| weight).sum()) {
            return Ok(String::new());
        }
        let pieces = self.pieces(likely.head)?;
        let worth = |piece: &Piece| -> f32 {
            let has = wanted
                .iter()
                .filter(|(stem, _)| piece.stems.contains(*stem));
            has.map(|(_, weight)| weight).sum()
        };
        let mut best: Option<(f32, &Piece)> = None;
        for piece in pieces {
            let worth = worth(piece);
            if best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, piece));
            }
        }
        let best = best.filter(|(worth, _)| is_enough(*worth));
        Ok(best.map_or_else(String::new, |(_, piece)| piece.text.clone()))
    }

    fn pieces(&mut self, head: DocAddress) -> Result<&[Piece], Error> {
        if !self.heads.contains_key(&head) {
            let text = self.snapshot.record(head)?.text;
            let sentences = cut::sentences(&text).into_iter();
            let pieces = sentences.flat_map(|(_, sentence)| cut_long(sentence));
            let pieces = pieces.map(|piece| Piece {
                text: one_line(piece),
                stems: stems(&mut self.analyzer, piece).into_iter().collect(),
            });
            let pieces = pieces.collect();
            self.heads.insert(head, pieces);
        }
        Ok(self.heads.get(&head).map_or(&[], Vec::as_slice))
    }
}

fn is_enough(weight: f32) -> bool {
    weight >= SHARE_MIN * FRONT_WEIGHT
}

/// The words of the question that the beginning of a document has as they are, and neither its path nor its title, as stems
/// with their weights.
fn said_in_front<'a>(likely: &Likely, documents: &'a RankedDocuments) -> Vec<(&'a str, f32)> {
    let front = likely.matched.iter();
    let front = front.filter(|counted| counted.place == Place::Front);
    let units = front.map(|counted| (&documents.units[counted.unit], counted.weight));
    let units = units.filter(|(unit, _)| !unit.is_content_free);
    units
        .map(|(unit, weight)| (&*unit.forms[0], weight))
        .collect()
}

/// The pieces of a sentence that are short enough, cut at blanks where there are any.
fn cut_long(sentence: &str) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), sentence.trim());
    while let Some((end, _)) = rest.char_indices().nth(CHARS_MAX) {
        let blank = rest[..end].rfind(char::is_whitespace);
        let (piece, behind) = rest.split_at(blank.filter(|at| *at > 0).unwrap_or(end));
        pieces.push(piece);
        rest = behind.trim_start();
    }
    pieces.push(rest);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sentence_is_cut_and_nothing_is_lost() {
        let words: Vec<String> = (0..200).map(|n| format!("word{n}")).collect();
        let long = words.join(" ");
        let pieces = cut_long(&long);
        assert_eq!(pieces.join(" "), long);
        assert!(
            pieces
                .iter()
                .all(|piece| piece.chars().count() <= CHARS_MAX)
        );
        let unspaced = "赁".repeat(500);
        assert_eq!(cut_long(&unspaced).concat(), unspaced);
        assert_eq!(cut_long("short"), ["short"]);
    }
}
