//! What the corpus stream carries: one message per chunk, and tombstones.
//!
//! The newest message of a subject wins. Chunk 0, the head, carries what the catalog needs and is
//! published last: a run that is interrupted never leaves a document that looks finished.

use crate::catalog::Entry;
use crate::chunk::chunks;
use crate::document::Document;
use crate::vector::{ChunkKey, Embedding};
use bytes::Bytes;
use envelope::{Bucket, CodecError, DocId, Passage, Subject, TenantId, UnixMs, WIRE};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Longest title of a chunk, in characters.
const TITLE_CHARS_MAX: usize = 240;

/// One chunk on the wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkRecord {
    /// Wire version.
    pub v: u16,
    /// Whose it is.
    pub tenant: TenantId,
    /// Part of the corpus.
    pub bucket: Bucket,
    /// The document.
    pub doc_id: DocId,
    /// Which chunk of it, from 0.
    pub n: u32,
    /// How many chunks it has; on a tombstone, how many it had.
    pub of: u32,
    /// Which version of the document: SHA-256 of its bytes in hex, and what its publisher added.
    pub hash: String,
    /// True when the chunk is no more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
    /// Title of the document with the headings of the chunk.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Path inside the corpus.
    pub source: String,
    /// Extension in lower case, without the dot.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ext: String,
    /// Page from 1, where the format has pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// First line of the chunk in the source, from 1.
    #[serde(default)]
    pub line: u32,
    /// The text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Metadata of the document.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, Value>,
    /// What cut and embedded it; empty where nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pipeline: String,
    /// Sequence of the document message that it was made of; 0 where there was none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub document_seq: u64,
    /// When that message was stored.
    #[serde(default = "at_zero", skip_serializing_if = "is_at_zero")]
    pub document_at: UnixMs,
    /// Its vector, where an encoder made one while it was indexed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Embedding>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn at_zero() -> UnixMs {
    UnixMs(0)
}

fn is_at_zero(at: &UnixMs) -> bool {
    at.0 == 0
}

impl ChunkRecord {
    /// Reads a message of the corpus stream.
    pub fn decode(bytes: &[u8]) -> Result<ChunkRecord, CodecError> {
        envelope::decode(bytes)
    }

    /// The message body.
    pub fn encode(&self) -> Result<Bytes, CodecError> {
        envelope::encode(self)
    }

    /// The id of the chunk: `<doc_id>.<n>`.
    pub fn chunk_id(&self) -> String {
        format!("{}.{}", self.doc_id, self.n)
    }

    /// Which chunk it is.
    pub fn key(&self) -> ChunkKey {
        ChunkKey {
            bucket: self.bucket.clone(),
            doc_id: self.doc_id.clone(),
            n: self.n,
        }
    }

    /// Where it is published.
    pub fn subject(&self) -> Subject {
        Subject::Chunk {
            bucket: self.bucket.clone(),
            doc: self.doc_id.clone(),
            n: self.n,
        }
    }

    /// True for chunk 0, which stands for the document.
    pub fn is_head(&self) -> bool {
        self.n == 0
    }

    /// The passage of a search.
    pub fn into_passage(self, score: f32) -> Passage {
        Passage {
            chunk_id: self.chunk_id(),
            bucket: self.bucket,
            doc_id: self.doc_id,
            title: self.title,
            source: self.source,
            page: self.page,
            line: self.line,
            score,
            text: self.text,
            metadata: self.metadata,
            found_by: Vec::new(),
        }
    }
}

/// The messages that bring the stream from `previous` to this version of the document, in the order
/// to publish them: chunks that are no more, then the chunks from the last to the first. Empty when
/// the document has no text.
pub fn publish_order(document: &Document, previous: Option<&Entry>) -> Vec<ChunkRecord> {
    let pieces = chunks(&document.lines);
    let of = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
    let same = previous
        .filter(|old| (&old.bucket, &old.doc_id) == (&document.bucket, &document.doc_id) && of > 0);
    let mut records = match same {
        Some(old) => (of..old.chunks)
            .map(|n| tombstone(&document.tenant, &document.source, old, n))
            .collect(),
        None => Vec::new(),
    };
    records.extend((0..of).zip(pieces).rev().map(|(n, piece)| ChunkRecord {
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
        text: piece.text,
        metadata: document.metadata.clone(),
        pipeline: String::new(),
        document_seq: 0,
        document_at: UnixMs(0),
        embedding: None,
    }));
    records
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
        text: String::new(),
        metadata: BTreeMap::new(),
        pipeline: String::new(),
        document_seq: 0,
        document_at: UnixMs(0),
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
    use crate::document::{Line, bucket_of, doc_id_of};

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
            hash: "h".into(),
            lines: text
                .lines()
                .zip(1..)
                .map(|(text, number)| Line {
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
    fn messages_survive_the_wire() {
        let record = publish_order(&document("some text"), None).remove(0);
        let bytes = record.encode().unwrap();
        assert!(bytes.starts_with(b"{\"v\":1,"));
        assert_eq!(ChunkRecord::decode(&bytes).unwrap(), record);
        assert_eq!(record.chunk_id(), format!("{}.0", record.doc_id));
        assert_eq!(
            record.subject().to_string(),
            format!("argosy.chunk.contracts.{}.0", record.doc_id)
        );
    }
}
