//! The records and requests that the test cases for vector stores use.

use crate::place::EMBEDDER;
use documents::document::{bucket_of, doc_id_of};
use envelope::{ChunkKey, ChunkRecord, ConditionOrigin, Embedding, Filter, TenantId};
use search::{SearchRequest, StreamPosition};
use serde_json::{Value, json};

/// A chunk of a document with a vector, version `h1`, of the default tenant. The vector is brought to
/// length 1, as embedders do.
pub(crate) fn chunk(source: &str, n: u32, vector: [f32; 3]) -> ChunkRecord {
    chunk_of("default", source, n, vector)
}

/// The same of any tenant.
pub(crate) fn chunk_of(tenant: &str, source: &str, n: u32, vector: [f32; 3]) -> ChunkRecord {
    let tenant = TenantId::new(tenant).unwrap();
    let mut record: ChunkRecord = serde_json::from_value(json!({
        "v": 1, "tenant": tenant, "bucket": bucket_of(source),
        "doc_id": doc_id_of(&tenant, source), "n": n, "of": 3, "hash": "h1",
        "title": "A Title", "source": source, "ext": "md", "text": "some text",
    }))
    .unwrap();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    record.embedding = Some(Embedding::of(EMBEDDER, &vector.map(|x| x / length)));
    record
}

/// Other versions and kinds of a record.
pub(crate) trait Change {
    /// With this metadata.
    fn with(self, metadata: Value) -> Self;
    /// Of this version of the document.
    fn version(self, hash: &str) -> Self;
    /// Deleted.
    fn tombstone(self) -> Self;
}

impl Change for ChunkRecord {
    fn with(mut self, metadata: Value) -> Self {
        self.metadata = serde_json::from_value(metadata).unwrap();
        self
    }

    fn version(mut self, hash: &str) -> Self {
        self.hash = hash.to_owned();
        self
    }

    fn tombstone(mut self) -> Self {
        self.deleted = true;
        self.embedding = None;
        self.text.clear();
        self
    }
}

/// A request of the default tenant.
pub(crate) fn request(filter: Value) -> SearchRequest {
    SearchRequest {
        filter: Filter::parse(&filter, ConditionOrigin::User).unwrap(),
        ..SearchRequest::new(TenantId::default_tenant(), "", 100, 10)
    }
}

/// A position in the stream of the cases.
pub(crate) fn at(sequence: u64) -> StreamPosition {
    StreamPosition {
        stream: "ARGOSY_CHUNKS@1".into(),
        sequence,
    }
}

/// The key of a record.
pub(crate) fn key(record: &ChunkRecord) -> ChunkKey {
    ChunkKey {
        bucket: record.bucket.clone(),
        doc_id: record.doc_id.clone(),
        n: record.n,
    }
}
