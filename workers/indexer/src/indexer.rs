//! The indexer: its components, and the handling of a single message. *Not* here: how a document becomes chunks
//! (`draft`).

use crate::columns::Columns;
use crate::draft::Draft;
use crate::error::Error;
use crate::extract::Extractor;
use crate::options::Options;
use crate::schema::{SchemaResult, Schemas};
use bytes::Bytes;
use documents::document::{bucket_of, doc_id_of, sha256_hex};
use documents::normalise::NORMALISER;
use documents::reader::read_bytes;
use documents::record::tombstone;
use documents::{Document, Entry, chunk};
use envelope::document::{DocumentForm, Notice};
use envelope::{Bucket, ChunkRecord, DocId, Problem};
use llm::Embedder;
use settings::InvalidOption;
use stage::{BoxFuture, Chunk, ChunkPlace, Incoming, Ingest};
use std::ops::Range;
use std::sync::Arc;

/// The indexer.
pub struct Indexer {
    /// Makes the vectors that travel with the chunks. `None` with the table of words, from which every retriever
    /// makes vectors itself.
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    /// The columns of documents, and the extractor for those that no rule finds.
    pub(crate) columns: Columns,
    pub(crate) cutting: chunk::Options,
    pipeline: String,
    /// How many chunks are embedded in one call.
    pub(crate) batch: usize,
}

/// A document after it is read.
pub(crate) struct Read {
    pub(crate) document: Document,
    pub(crate) applied: SchemaResult,
    /// What was left out of the document.
    pub(crate) left_out: Option<Problem>,
}

impl Indexer {
    /// Makes an indexer. With an embedder, vectors travel with the chunks.
    pub fn new(
        embedder: Option<Arc<dyn Embedder>>,
        options: &Options,
    ) -> Result<Indexer, InvalidOption> {
        options.validate()?;
        let cutting = options.cutting();
        let mut pipeline = format!("{NORMALISER}+{}", cutting.name());
        if let Some(embedder) = &embedder {
            pipeline = format!("{pipeline}+{}", embedder.name());
        }
        Ok(Indexer {
            embedder,
            columns: Columns::default(),
            cutting,
            pipeline,
            batch: options.batch as usize,
        })
    }

    /// The indexer with typed columns in the metadata. The extractor is asked for the columns that no rule finds. The
    /// schemas and the extractor are part of the pipeline.
    pub fn with_schemas(mut self, schemas: Schemas, extractor: Option<Extractor>) -> Indexer {
        self.columns = Columns::new(schemas, extractor);
        if let Some(name) = self.columns.name() {
            self.pipeline = format!("{}+{name}", self.pipeline);
        }
        self
    }

    /// A document with the columns that the rules of its schema find. Blocking.
    pub(crate) fn read(
        incoming: &Incoming,
        version: &str,
        bytes: &[u8],
        schemas: &Schemas,
    ) -> Result<Read, Error> {
        let Notice {
            tenant,
            source,
            metadata,
            form,
            ..
        } = &incoming.notice;
        let (mut document, left_out) = match form {
            DocumentForm::File => read_bytes(bytes, source, tenant)?,
            DocumentForm::Document => (Document::from_json(bytes, source, tenant)?, None),
        };
        // What the publisher says of it wins over what it says of itself.
        for (name, value) in metadata {
            document.metadata.insert(name.to_lowercase(), value.clone());
        }
        version.clone_into(&mut document.hash);
        let table = schemas.get(&document.bucket);
        Ok(Read {
            applied: table.map_or_else(SchemaResult::default, |table| table.apply(&mut document)),
            document,
            left_out: left_out.map(|reason| Problem::new(reason.as_str(), reason.to_string())),
        })
    }

    /// The message of a chunk, which names the pipeline and the document that the chunk was made from.
    pub(crate) fn message(&self, incoming: &Incoming, record: ChunkRecord) -> Result<Chunk, Error> {
        let record = ChunkRecord {
            pipeline: self.pipeline.clone(),
            document_seq: incoming.sequence,
            document_at: incoming.stored_at,
            ..record
        };
        let n = record.n;
        let body = record
            .encode()
            .map_err(|source| Error::Chunk { n, source })?;
        Ok(Chunk { n, body })
    }
}

impl Ingest for Indexer {
    fn place(&self, notice: &Notice) -> (Bucket, DocId) {
        let Notice { tenant, source, .. } = notice;
        (bucket_of(source), doc_id_of(tenant, source))
    }

    fn pipeline(&self) -> &str {
        &self.pipeline
    }

    fn hash(&self, bytes: Bytes) -> BoxFuture<'_, Result<String, stage::Error>> {
        Box::pin(async move {
            let hashing = tokio::task::spawn_blocking(move || sha256_hex(&bytes));
            Ok(hashing.await.map_err(|_| Error::Panic)?)
        })
    }

    fn known(&self, body: &[u8]) -> Option<ChunkPlace> {
        let record = ChunkRecord::decode(body).ok()?;
        Some(ChunkPlace {
            n: record.n,
            of: record.of,
            version: record.hash,
            pipeline: record.pipeline,
            sequence: record.document_seq,
            stored_at: record.document_at,
            is_deleted: record.deleted,
        })
    }

    fn draft<'a>(
        &'a self,
        incoming: &'a Incoming,
        version: &str,
        bytes: Bytes,
    ) -> Box<dyn stage::DocumentWork + 'a> {
        Box::new(Draft::new(self, incoming, version, bytes))
    }

    fn tombstones(
        &self,
        incoming: &Incoming,
        which: Range<u32>,
        of: u32,
    ) -> Result<Vec<Chunk>, stage::Error> {
        let entry = Entry {
            bucket: incoming.bucket.clone(),
            doc_id: incoming.doc_id.clone(),
            hash: String::new(),
            chunks: of,
            pipeline: String::new(),
            left_out: None,
        };
        let Notice { tenant, source, .. } = &incoming.notice;
        let records = which.map(|n| tombstone(tenant, source, &entry, n));
        Ok(records
            .map(|record| self.message(incoming, record))
            .collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
#[path = "indexer_tests.rs"]
mod tests;
