//! The local index: a view of the corpus stream that can be rebuilt from it at any time.
//!
//! Where the view stands in the stream is committed together with it, so a crash loses what was
//! not committed and nothing else: replaying from [`Index::position`] gives the same index, because
//! every record replaces what it speaks of. One [`Writer`] per folder; any number of readers.
//! Blocking throughout.

mod facts;
mod filter;
mod query;
mod schema;

pub(crate) use query::{Terms, identifier, stems};
pub(crate) use schema::analyzer;

use crate::catalog::Catalog;
use crate::record::ChunkRecord;
use crate::search::Error;
use envelope::{Bucket, TenantId};
use schema::Fields;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tantivy::collector::DocSetCollector;
use tantivy::directory::MmapDirectory;
use tantivy::indexer::IndexWriterOptions;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::{IndexReader, ReloadPolicy, Searcher, TantivyDocument, TantivyError, Term};

/// Memory that the writer fills before it writes a segment, in bytes.
const WRITER_BYTES: usize = 30_000_000;
/// Blocks of stored records that a reader keeps unpacked, 16 KiB each.
const STORE_CACHE_BLOCKS: usize = 16;

/// The index, for reading. Cheap to clone.
#[derive(Clone)]
pub struct Index {
    inner: tantivy::Index,
    reader: IndexReader,
    fields: Fields,
}

/// How far the corpus stream has been taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The stream, so that a re-created one is not mistaken for it.
    pub stream: String,
    /// Its last sequence that is in the index.
    pub sequence: u64,
}

impl Index {
    /// Opens the index in `dir`, or makes an empty one. An index of another release, or a broken
    /// one, is removed and begun anew: it has no position, so the stream is replayed.
    pub fn open(dir: &Path) -> Result<Index, Error> {
        let dir = dir.join(schema::FOLDER);
        match Index::open_in(&dir) {
            Err(error) if is_broken(&error) => {
                tracing::warn!(dir = %dir.display(), %error, "index unusable, begun anew");
                std::fs::remove_dir_all(&dir).map_err(|source| Error::Io {
                    path: dir.clone(),
                    source,
                })?;
                Ok(Index::open_in(&dir)?)
            }
            other => Ok(other?),
        }
    }

    /// An empty index in memory.
    pub fn open_in_ram() -> Result<Index, Error> {
        let (schema, _) = schema::build();
        Ok(Index::over(tantivy::Index::create_in_ram(schema))?)
    }

    fn open_in(dir: &Path) -> tantivy::Result<Index> {
        std::fs::create_dir_all(dir)?;
        let (schema, _) = schema::build();
        Index::over(tantivy::Index::open_or_create(
            MmapDirectory::open(dir)?,
            schema,
        )?)
    }

    fn over(inner: tantivy::Index) -> tantivy::Result<Index> {
        schema::register(&inner);
        let (_, fields) = schema::build();
        let reader = inner
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .doc_store_cache_num_blocks(STORE_CACHE_BLOCKS)
            .try_into()?;
        Ok(Index {
            inner,
            reader,
            fields,
        })
    }

    /// The writer. There is one at a time; while it lives, a second one is refused.
    pub fn writer(&self) -> Result<Writer, Error> {
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .memory_budget_per_thread(WRITER_BYTES)
            .num_merge_threads(1)
            .build();
        Ok(Writer {
            inner: self.inner.writer_with_options(options)?,
            index: self.clone(),
        })
    }

    /// What the index has taken in, as of its last commit; `None` when that is nothing.
    pub fn position(&self) -> Result<Option<Position>, Error> {
        let payload = self.inner.load_metas()?.payload;
        Ok(payload.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// How many chunks can be found.
    pub fn chunk_count(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Whether any chunk is in a bucket.
    pub(crate) fn has_bucket(&self, bucket: &Bucket) -> bool {
        let term = Term::from_field_text(self.fields.bucket, bucket.as_str());
        self.reader.searcher().doc_freq(&term).is_ok_and(|n| n > 0)
    }

    /// The documents of a tenant.
    pub fn catalog(&self, tenant: &TenantId) -> Result<Catalog, Error> {
        let searcher = self.reader.searcher();
        let head = Term::from_field_u64(self.fields.n, 0);
        let tenant_term = Term::from_field_text(self.fields.tenant, tenant.as_str());
        let query = BooleanQuery::intersection(vec![term_query(head), term_query(tenant_term)]);
        let mut catalog = Catalog::new(tenant.clone());
        for address in searcher.search(&query, &DocSetCollector)? {
            catalog.observe(&self.stored(&searcher, address)?);
        }
        Ok(catalog)
    }

    fn stored(
        &self,
        searcher: &Searcher,
        address: tantivy::DocAddress,
    ) -> Result<ChunkRecord, Error> {
        let document: TantivyDocument = searcher.doc(address)?;
        let bytes = document
            .get_first(self.fields.record)
            .and_then(|value| value.as_bytes())
            .unwrap_or_default();
        serde_json::from_slice(bytes).map_err(|error| Error::Index(error.to_string()))
    }
}

/// Takes in records. Dropping it loses what was not committed.
pub struct Writer {
    inner: tantivy::IndexWriter,
    index: Index,
}

impl Writer {
    /// Takes in records in the order of the stream. Idempotent; nothing is found before
    /// [`Writer::commit`].
    ///
    /// A head settles its document: a new one removes the chunks of other versions, a deleted one
    /// removes everything. So an interrupted run of the indexer leaves nothing behind here.
    pub fn apply(&mut self, records: &[ChunkRecord]) -> Result<(), Error> {
        let fields = self.index.fields;
        for record in records {
            let key = schema::chunk_key(record);
            self.inner
                .delete_term(Term::from_field_text(fields.key, &key));
            if record.is_head() {
                self.settle(record)?;
            }
            if !record.deleted {
                self.inner.add_document(fields.document(record, &key)?)?;
            }
        }
        Ok(())
    }

    fn settle(&mut self, head: &ChunkRecord) -> Result<(), Error> {
        let fields = self.index.fields;
        let doc = Term::from_field_text(fields.doc, &schema::doc_key(head));
        if head.deleted {
            self.inner.delete_term(doc);
            return Ok(());
        }
        let version = Term::from_field_text(fields.version, &head.hash);
        let others = BooleanQuery::new(vec![
            (Occur::Must, term_query(doc)),
            (Occur::MustNot, term_query(version)),
        ]);
        self.inner.delete_query(Box::new(others))?;
        Ok(())
    }

    /// Makes what was applied durable and visible, together with its position.
    pub fn commit(&mut self, sequence: u64, stream: &str) -> Result<(), Error> {
        let position = Position {
            stream: stream.to_owned(),
            sequence,
        };
        let payload =
            serde_json::to_string(&position).map_err(|error| Error::Index(error.to_string()))?;
        let mut prepared = self.inner.prepare_commit()?;
        prepared.set_payload(&payload);
        prepared.commit()?;
        self.index.reader.reload()?;
        Ok(())
    }

    /// Forgets everything, as before a replay of a re-created stream. Visible after a commit.
    pub fn clear(&mut self) -> Result<(), Error> {
        self.inner.delete_all_documents()?;
        Ok(())
    }

    /// Waits for running merges and gives the lock and the memory back. What was not committed is
    /// lost.
    pub fn close(self) -> Result<(), Error> {
        self.inner.wait_merging_threads()?;
        Ok(())
    }
}

fn term_query(term: Term) -> Box<dyn Query> {
    Box::new(TermQuery::new(term, IndexRecordOption::Basic))
}

/// Whether a new index is the cure. A full disk or a missing permission is not.
fn is_broken(error: &TantivyError) -> bool {
    matches!(
        error,
        TantivyError::SchemaError(_)
            | TantivyError::DataCorruption(_)
            | TantivyError::IncompatibleIndex(_)
            | TantivyError::OpenReadError(_)
            | TantivyError::InternalError(_)
    )
}

impl From<TantivyError> for Error {
    fn from(error: TantivyError) -> Self {
        Error::Index(error.to_string())
    }
}

#[cfg(test)]
#[path = "index/tests.rs"]
mod tests;
