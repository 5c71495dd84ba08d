//! Makes the point of a chunk: its id, and the payload that filters and hits read.

use crate::order;
use crate::order::Place;
use envelope::ChunkRecord;
use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::{ListValue, PointId, PointStruct, Struct, Value, Vector, Vectors};
use search::{StreamPosition, filter_terms};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Keys of the payload. Those with a tenant belong to chunks; the position has none.
pub(super) const TENANT: &str = "tenant";
pub(super) const BUCKET: &str = "bucket";
pub(super) const DOC_ID: &str = "doc_id";
pub(super) const N: &str = "n";
/// The document, `<bucket>/<doc>`.
pub(super) const DOC: &str = "doc";
/// The hash of the document.
pub(super) const VERSION: &str = "version";
pub(super) const FACTS: &str = "facts";
pub(super) const TEXTS: &str = "texts";
pub(super) const ORDER: &str = "order";
/// Keys inside [`TEXTS`] and [`ORDER`]: `of` is the name of a field, `v` is its value.
pub(super) const OF: &str = "of";
pub(super) const V: &str = "v";
const STREAM: &str = "stream";
const SEQUENCE: &str = "sequence";

/// What the id of the point is made of that keeps the position: no key of a chunk.
const POSITION_KEY: &str = "position";

/// The id of a chunk, from its document and number: the same in every run.
pub(super) fn id_of(doc: &str, n: u32) -> PointId {
    PointId::from(uuid(&format!("{doc}/{n}")))
}

/// A UUID of version 8 (RFC 9562, section 5.8) from a SHA-256.
fn uuid(key: &str) -> String {
    let mut bytes = [0u8; 16];
    bytes.copy_from_slice(&Sha256::digest(key.as_bytes())[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let part = |from: usize, to: usize| &hex[from..to];
    [
        part(0, 8),
        part(8, 12),
        part(12, 16),
        part(16, 20),
        part(20, 32),
    ]
    .join("-")
}

/// The point of a record and its vector.
pub(super) fn of(record: &ChunkRecord, vector: Vec<f32>) -> PointStruct {
    let doc = record.document_key();
    let facts = filter_terms::of(record);
    let (texts, order) = values(&facts);
    let payload = [
        (TENANT, text(record.tenant.as_str())),
        (BUCKET, text(record.bucket.as_str())),
        (DOC_ID, text(record.doc_id.as_str())),
        (N, Value::from(i64::from(record.n))),
        (DOC, text(&doc)),
        (VERSION, text(&record.hash)),
        (TEXTS, list(texts)),
        (ORDER, list(order)),
        (FACTS, list(facts.iter().map(|fact| text(fact)).collect())),
    ];
    point(id_of(&doc, record.n), payload, vector)
}

/// The point that keeps the position. Its vector says nothing and is never asked for.
pub(super) fn of_position(position: &StreamPosition, dims: usize) -> PointStruct {
    let sequence = i64::try_from(position.sequence).unwrap_or(i64::MAX);
    let payload = [
        (STREAM, text(&position.stream)),
        (SEQUENCE, Value::from(sequence)),
    ];
    point(position_id(), payload, vec![1.0; dims])
}

/// Where the position is kept.
pub(super) fn position_id() -> PointId {
    PointId::from(uuid(POSITION_KEY))
}

/// The position, from the payload of its point.
pub(super) fn to_position(payload: &HashMap<String, Value>) -> Option<StreamPosition> {
    Some(StreamPosition {
        stream: payload.get(STREAM)?.as_str()?.clone(),
        sequence: payload.get(SEQUENCE)?.as_integer()?.try_into().ok()?,
    })
}

/// What `contains` and what ranges look at, from the facts of a chunk: `kind NUL field NUL value`.
fn values(facts: &[String]) -> (Vec<Value>, Vec<Value>) {
    let (mut texts, mut order) = (Vec::new(), Vec::new());
    for fact in facts {
        let mut parts = fact.splitn(3, '\0');
        let (Some(kind), Some(field), Some(value)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        if matches!(kind, "t" | "d") {
            texts.push(pair(field, text(value)));
        }
        let places = match kind {
            "t" => order::of_text(field, value),
            "d" => value
                .parse()
                .map(|n| vec![order::of_number(field, n)])
                .unwrap_or_default(),
            _ => Vec::new(),
        };
        let place = |Place { of, v }: Place| pair(&of, Value::from(v));
        order.extend(places.into_iter().map(place));
    }
    (texts, order)
}

fn point<const N: usize>(
    id: PointId,
    payload: [(&str, Value); N],
    vector: Vec<f32>,
) -> PointStruct {
    PointStruct {
        id: Some(id),
        payload: payload.map(|(key, value)| (key.to_owned(), value)).into(),
        vectors: Some(Vectors::from(Vector::new_dense(vector))),
    }
}

fn pair(of: &str, v: Value) -> Value {
    let fields = HashMap::from([(OF.to_owned(), text(of)), (V.to_owned(), v)]);
    Value {
        kind: Some(Kind::StructValue(Struct { fields })),
    }
}

fn list(values: Vec<Value>) -> Value {
    Value {
        kind: Some(Kind::ListValue(ListValue { values })),
    }
}

fn text(text: &str) -> Value {
    Value::from(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_uuids_that_stay() {
        assert_eq!(uuid("contracts/lease-1/0"), uuid("contracts/lease-1/0"));
        assert_ne!(uuid("contracts/lease-1/0"), uuid("contracts/lease-1/1"));
        // SHA-256 of `abc` begins ba7816bf 8f01cfea 414140de 5dae2223.
        assert_eq!(uuid("abc"), "ba7816bf-8f01-8fea-8141-40de5dae2223");
    }

    #[test]
    fn a_position_survives() {
        let position = StreamPosition {
            stream: "S@1".into(),
            sequence: 1 << 60,
        };
        let point = of_position(&position, 2);
        assert_eq!(to_position(&point.payload), Some(position));
        assert!(!point.payload.contains_key(TENANT));
    }
}
