//! Turns a document into the messages of the corpus stream, in the order in which they are published.
//!
//! The head has what the catalog needs and is published last, so a run that is interrupted never leaves a document
//! that looks complete. *Not* here: the format of a message; see [`ChunkRecord`].

use crate::catalog::Entry;
use crate::chunk::{self, Piece};
use crate::document::Document;
use envelope::{ChunkRecord, Place, TenantId, UnixMs, WIRE, told_places};
use std::collections::BTreeMap;

/// Longest title of a chunk, in characters.
const TITLE_CHARS_MAX: usize = 240;

/// The chunks of a document, first to last. None when the document has no text.
pub fn records(document: &Document, cutting: &chunk::Options) -> Vec<ChunkRecord> {
    let pieces = cutting.cut(&document.lines);
    let of = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
    let record = |(n, piece): (u32, Piece)| ChunkRecord {
        v: WIRE,
        tenant: document.tenant.clone(),
        bucket: document.bucket.clone(),
        doc_id: document.doc_id.clone(),
        n,
        of,
        hash: document.hash.clone(),
        deleted: false,
        title: chunk_title(&document.title, &piece.headings),
        source: document.source.clone(),
        ext: document.ext.clone(),
        page: piece.page,
        line: piece.line,
        places: places(document, &piece),
        text: piece.text,
        metadata: document.metadata.clone(),
        pipeline: String::new(),
        document_seq: 0,
        document_at: UnixMs(0),
        left_out: None,
        embedding: None,
    };
    (0..of).zip(pieces).map(record).collect()
}

/// The places of a piece; none where its first line and page say it all.
fn places(document: &Document, piece: &Piece) -> Vec<Place> {
    let places = piece.marks.iter().map(|mark| Place {
        at: u32::try_from(mark.at).unwrap_or(u32::MAX),
        line: mark.line,
        page: mark.page,
        page_name: mark
            .page
            .and_then(|page| document.page_names.get(&page).cloned()),
    });
    let told = told_places(places, &piece.text);
    match &told[..] {
        [one] if one.page_name.is_none() && (one.line, one.page) == (piece.line, piece.page) => {
            Vec::new()
        }
        _ => told,
    }
}

/// The messages that bring the stream from `previous` to this version of the document, in the order
/// to publish them: chunks that are no more, then the chunks of the usual size from the last to the
/// first. Empty when the document has no text.
pub fn publish_order(document: &Document, previous: Option<&Entry>) -> Vec<ChunkRecord> {
    let fresh = records(document, &chunk::Options::default());
    let of = u32::try_from(fresh.len()).unwrap_or(u32::MAX);
    let same = previous
        .filter(|old| (&old.bucket, &old.doc_id) == (&document.bucket, &document.doc_id) && of > 0);
    let over = same.into_iter().flat_map(|old| {
        (of..old.chunks).map(|n| tombstone(&document.tenant, &document.source, old, n))
    });
    over.chain(fresh.into_iter().rev()).collect()
}

/// The tombstone of a chunk. That of the head makes every index drop the whole document.
pub fn tombstone(tenant: &TenantId, source: &str, entry: &Entry, n: u32) -> ChunkRecord {
    ChunkRecord {
        v: WIRE,
        tenant: tenant.clone(),
        bucket: entry.bucket.clone(),
        doc_id: entry.doc_id.clone(),
        n,
        of: entry.chunks,
        hash: entry.hash.clone(),
        deleted: true,
        title: String::new(),
        source: source.to_owned(),
        ext: String::new(),
        page: None,
        line: 0,
        places: Vec::new(),
        text: String::new(),
        metadata: BTreeMap::new(),
        pipeline: String::new(),
        document_seq: 0,
        document_at: UnixMs(0),
        left_out: None,
        embedding: None,
    }
}

/// `Title > Section > Subsection`, without repeating a first heading that is the title.
fn chunk_title(title: &str, headings: &[String]) -> String {
    let inner = match headings.first() {
        Some(first) if first == title => &headings[1..],
        _ => headings,
    };
    let mut full = title.to_owned();
    for heading in inner {
        full.push_str(" > ");
        full.push_str(heading);
    }
    full.chars().take(TITLE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{NumberedLine, bucket_of, doc_id_of};
    use envelope::Edition;

    fn document(text: &str) -> Document {
        let tenant = TenantId::default_tenant();
        let source = "contracts/lease.md";
        Document {
            bucket: bucket_of(source),
            doc_id: doc_id_of(&tenant, source),
            tenant,
            source: source.into(),
            title: "Lease".into(),
            ext: "md".into(),
            metadata: BTreeMap::new(),
            page_names: BTreeMap::new(),
            hash: "h".into(),
            lines: text
                .lines()
                .zip(1..)
                .map(|(text, number)| NumberedLine {
                    number,
                    page: None,
                    text: text.into(),
                })
                .collect(),
        }
    }

    fn entry(document: &Document, chunks: u32) -> Entry {
        Entry {
            bucket: document.bucket.clone(),
            doc_id: document.doc_id.clone(),
            hash: "old".into(),
            chunks,
            pipeline: String::new(),
            left_out: None,
        }
    }

    fn shape(records: &[ChunkRecord]) -> Vec<(u32, bool)> {
        records.iter().map(|r| (r.n, r.deleted)).collect()
    }

    #[test]
    fn the_head_comes_last_and_leftovers_first() {
        let long = "A sentence of some words that fill the piece. ".repeat(60);
        let document = document(&long);
        let fresh = publish_order(&document, None);
        assert!(fresh.len() >= 3);
        assert_eq!(fresh.last().unwrap().n, 0);
        assert!(fresh.iter().all(|r| r.of as usize == fresh.len()));

        let of = fresh.len() as u32;
        let update = publish_order(&document, Some(&entry(&document, of + 2)));
        assert_eq!(shape(&update)[..2], [(of, true), (of + 1, true)]);
        assert_eq!(update[2..], fresh[..]);
    }

    #[test]
    fn titles_carry_the_headings_once() {
        let document = document("# Lease\n## Pets\nNo pets are allowed.");
        let records = publish_order(&document, None);
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].title, "Lease"); // the heading of the document is part of the chunk
        assert_eq!(
            chunk_title("Lease", &["Lease".into(), "Pets".into()]),
            "Lease > Pets"
        );
        assert_eq!(chunk_title("T", &[]), "T");
    }

    #[test]
    fn each_sentence_knows_its_page_and_line() {
        let texts = [
            "Code word: ALPHA",
            "",
            "Code word: BRAVO",
            "A sentence that goes",
            "on. Code word: CHARLIE",
        ];
        let pages = [1, 2, 3, 4, 5];
        let lines = texts.iter().zip(pages).zip(1..);
        let mut document = document("");
        document.page_names.insert(4, "iv".into());
        document.lines = lines
            .map(|((text, page), number)| NumberedLine {
                number,
                page: Some(page),
                text: (*text).to_owned(),
            })
            .collect();
        let record = publish_order(&document, None).remove(0);
        let passage = record.into_passage(1.0);
        for (word, page, line, name) in [
            ("ALPHA", 1, 1, None),
            ("BRAVO", 3, 3, None),
            ("goes", 4, 4, Some("iv")),
            ("on.", 5, 5, None),
            ("CHARLIE", 5, 5, None),
        ] {
            let place = passage.place_at(passage.text.find(word).unwrap());
            assert_eq!(
                (place.page, place.line, place.page_name.as_deref()),
                (Some(page), line, name),
                "{word}"
            );
        }
    }

    #[test]
    fn rows_below_a_repeated_header_have_the_page_of_the_rows() {
        let mut document = document("");
        document.page_names = BTreeMap::from([(1, "iv".into()), (2, "v".into())]);
        let row = |number: u32| NumberedLine {
            number,
            page: Some(1 + number / 40),
            text: format!("| row {number} of the table | and some more words |"),
        };
        document.lines = (1..80).map(row).collect();
        let last = publish_order(&document, None).remove(0).into_passage(1.0);
        assert_eq!((last.page, last.page_name()), (Some(2), Some("v")));
        assert_eq!(
            last.place_at(0).page_name.as_deref(),
            Some("iv"),
            "its header"
        );
    }

    #[test]
    fn plain_lines_need_no_places() {
        let of = |text: &str| publish_order(&document(text), None).remove(0).places;
        assert_eq!(of("# Lease\n\nA line.\n\nAnother\nline. And more."), []);
        let table =
            "| a | b |\n".to_owned() + &"| some words of a row | and some more |\n".repeat(60);
        let rows = publish_order(&document(&table), None);
        assert!(rows.len() > 2 && rows.iter().all(|r| r.places.len() <= 2));
        for row in rows {
            let passage = row.into_passage(1.0);
            let second = passage.text.match_indices('\n').nth(1).unwrap().0 + 1;
            assert_eq!(passage.place_at(second).line, passage.line + 1);
        }
    }

    #[test]
    fn messages_survive_the_wire() {
        let record = publish_order(&document("some text"), None).remove(0);
        let bytes = record.encode().unwrap();
        assert!(bytes.starts_with(b"{\"v\":1,"));
        assert_eq!(ChunkRecord::decode(&bytes).unwrap(), record);
        assert_eq!(record.chunk_id(), format!("{}.0", record.doc_id));
        assert_eq!(
            record.subject(&Edition::main()).to_string(),
            format!("argosy.chunk.main.contracts.{}.0", record.doc_id)
        );
    }
}
