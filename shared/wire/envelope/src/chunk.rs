//! The messages of the corpus stream: one for each chunk, and tombstones for chunks that were deleted.
//!
//! The newest message of a subject counts. Chunk 0, the head, represents the document. *Not* here: how a document is
//! cut into chunks, and how their vectors are made.

use crate::codec::{CodecError, is_default};
use crate::edition::Edition;
use crate::ids::{Bucket, DocId, TenantId};
use crate::message::UnixMs;
use crate::payload::Passage;
use crate::place::Place;
use crate::subject::Subject;
use crate::terminal::Problem;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use bytes::Bytes;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;

/// One chunk on the wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkRecord {
    /// Wire version.
    pub v: u16,
    /// The tenant that owns it.
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
    /// True on a tombstone: the chunk was deleted.
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
    /// Where the text stands, where its first line and page do not say it: see [`Passage::place_at`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
    /// The text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Metadata of the document.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, Value>,
    /// The pipeline (chunker and embedder) that made it; empty where that is unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pipeline: String,
    /// Sequence of the document message that it was made of; 0 where there was none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub document_seq: u64,
    /// When that message was stored.
    #[serde(default, skip_serializing_if = "is_default")]
    pub document_at: UnixMs,
    /// On the head of a document: what was left out of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Problem>,
    /// Its vector, where an encoder made one while it was indexed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Embedding>,
}

impl ChunkRecord {
    /// Reads a message of the corpus stream.
    pub fn decode(bytes: &[u8]) -> Result<ChunkRecord, CodecError> {
        crate::codec::decode(bytes)
    }

    /// The message body.
    pub fn encode(&self) -> Result<Bytes, CodecError> {
        crate::codec::encode(self)
    }

    /// The id of the chunk: `<doc_id>.<n>`.
    pub fn chunk_id(&self) -> String {
        format!("{}.{}", self.doc_id, self.n)
    }

    /// The text that its vector is made of.
    pub fn embedded_text(&self) -> String {
        format!("{}\n{}", self.title, self.text)
    }

    /// The key of its document: `<bucket>/<doc_id>`.
    pub fn document_key(&self) -> String {
        format!("{}/{}", self.bucket, self.doc_id)
    }

    /// Which chunk it is.
    pub fn key(&self) -> ChunkKey {
        ChunkKey {
            bucket: self.bucket.clone(),
            doc_id: self.doc_id.clone(),
            n: self.n,
        }
    }

    /// Where it is published in an edition.
    pub fn subject(&self, edition: &Edition) -> Subject {
        Subject::Chunk {
            edition: edition.clone(),
            bucket: self.bucket.clone(),
            doc: self.doc_id.clone(),
            n: self.n,
        }
    }

    /// True for chunk 0, which represents the document.
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
            front: String::new(),
            source: self.source,
            page: self.page,
            line: self.line,
            places: self.places,
            score,
            text: self.text,
            metadata: self.metadata,
            found_by: Vec::new(),
        }
    }
}

/// The vector of a chunk, with one byte for each number. This takes a quarter of the room and keeps the order of hits
/// (docs/retrieval.md).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Embedding {
    /// The embedder that made it, see `llm::Embedder::name`.
    pub by: String,
    /// The value of one unit of [`Embedding::values`].
    pub scale: f32,
    /// The numbers in units of the scale, -127 to 127; in JSON: Base64 of their bytes.
    #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
    pub values: Vec<i8>,
}

impl Embedding {
    /// Rounds a vector to bytes. The largest number becomes 127.
    pub fn of(by: &str, vector: &[f32]) -> Embedding {
        let largest = vector.iter().fold(0.0f32, |max, x| max.max(x.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        Embedding {
            by: by.to_owned(),
            scale,
            values: vector.iter().map(|x| (x / scale).round() as i8).collect(),
        }
    }

    /// The vector, as exactly as one byte for each number allows.
    pub fn vector(&self) -> Vec<f32> {
        self.values
            .iter()
            .map(|v| f32::from(*v) * self.scale)
            .collect()
    }
}

fn to_base64<S: Serializer>(values: &[i8], serializer: S) -> Result<S::Ok, S::Error> {
    let bytes: Vec<u8> = values.iter().map(|v| v.cast_unsigned()).collect();
    serializer.serialize_str(&STANDARD_NO_PAD.encode(bytes))
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let bytes = STANDARD_NO_PAD.decode(text).map_err(D::Error::custom)?;
    Ok(bytes.into_iter().map(u8::cast_signed).collect())
}

/// Which chunk.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkKey {
    /// Part of the corpus.
    pub bucket: Bucket,
    /// The document.
    pub doc_id: DocId,
    /// Which chunk of it, from 0.
    pub n: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_are_close_to_numbers(vector in prop::collection::vec(-1.0f32..1.0, 0..64)) {
            let kept = Embedding::of("e", &vector);
            let json = serde_json::to_string(&kept).unwrap();
            let back: Embedding = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(&back.values, &kept.values);
            for (a, b) in vector.iter().zip(back.vector()) {
                prop_assert!((a - b).abs() <= kept.scale / 2.0 + 1e-6);
            }
        }
    }
}
