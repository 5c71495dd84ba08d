//! The local index: a view of the corpus stream that can be rebuilt from it at any time.
//!
//! The position of the view in the stream is committed together with the view, so a crash loses only what was not
//! committed: replaying from [`Index::position`] gives the same index, because every record replaces the earlier ones
//! of its chunk. There is one [`Writer`] per folder and any number of readers. All calls are blocking.

pub mod archive;
mod catalog;
mod dictionaries;
mod facets;
mod fetch;
pub(crate) mod filter;
mod heads;
mod inside;
mod named;
mod nearest;
mod occurrences;
mod places;
mod query;
mod readable;
mod replay_dedup;
mod row_writer;
mod rows;
pub(crate) mod schema;
mod sentence_cache;
mod stored;
mod table;
mod table_best;
mod table_fold;
mod table_misread;
mod table_names;
mod tally;
mod tenant;
mod term_queries;
mod terms;
mod told;
mod vectors;
mod word_likeness;
mod words;

pub use dictionaries::DictionarySizes;
pub(crate) use inside::Scored;
pub(crate) use occurrences::Occurrences;
pub use query::ONE_THREAD_CHUNKS_MAX;
pub(crate) use query::{Hits, Snapshot};
pub use readable::Access;
pub(crate) use schema::{
    WORD_BYTES_MAX, analyzer, analyzer_of, document_number, is_plain, text_analyzer,
};
pub(crate) use sentence_cache::{QuestionVector, SentenceRows, SentenceVectors};
pub use terms::query_stems;
pub(crate) use terms::{Terms, identifier, name_stems, stems};
pub use vectors::VectorSource;

use crate::Error;
use crate::gazetteer::Gazetteer;
use dictionaries::Dictionaries;
use envelope::{Bucket, ChunkRecord, TenantId};
use readable::DeniedSets;
use replay_dedup::{Before, ReplayDedup};
use rows::Layout;
use schema::Fields;
use search::StreamPosition;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use stored::Stores;
use tantivy::collector::DocSetCollector;
use tantivy::directory::{INDEX_WRITER_LOCK, MmapDirectory};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::query::{BooleanQuery, Occur};
use tantivy::schema::Value;
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{
    Directory, DocAddress, IndexReader, ReloadPolicy, Searcher, TantivyDocument, TantivyError, Term,
};
use term_queries::{any_term, term_query};
use vectors::{EachText, Store, VectorWriter};

/// Threads of the writer. Deletes are ordered by stamp and not by thread, so two threads give the same result as one.
pub const WRITER_THREADS: usize = 2;
/// Memory that each writer thread fills before it writes a segment, in bytes.
pub const WRITER_BYTES: usize = 60_000_000;
/// Share of deleted chunks from which a segment is written anew without them.
const DELETED_MAX: f32 = 0.3;
/// Blocks of stored records that tantivy's own reader keeps unpacked: searches ask [`Stores`].
const STORE_CACHE_BLOCKS: usize = 1;

/// The index, for readers. Cheap to clone.
#[derive(Clone)]
pub struct Index {
    inner: tantivy::Index,
    reader: IndexReader,
    fields: Fields,
    vectors: Store,
    /// What questions may name, as of a generation of the reader.
    names: Arc<Mutex<Option<Names>>>,
    /// What questions are linked to.
    dictionaries: Arc<Dictionaries>,
    /// Who may read which documents.
    access: Access,
    denied_sets: Arc<DeniedSets>,
    /// Its records.
    stores: Arc<Stores>,
    /// Whether it lacks the vectors that are wanted now: it has to be fed again.
    outdated: Arc<AtomicBool>,
}

/// Removes the indexes of older releases in a folder, unless a process writes into them. One that cannot be removed takes
/// room and does no harm.
fn remove_older(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let (name, dir) = (entry.file_name(), entry.path());
        if !name.to_str().is_some_and(schema::is_older) {
            continue;
        }
        let locked = MmapDirectory::open(&dir).map(|open| open.acquire_lock(&INDEX_WRITER_LOCK));
        match locked {
            Ok(Ok(_lock)) => match std::fs::remove_dir_all(&dir) {
                Ok(()) => tracing::info!(dir = %dir.display(), "index of an older release removed"),
                Err(error) => {
                    tracing::warn!(dir = %dir.display(), %error, "index of an older release stays")
                }
            },
            _ => {
                tracing::info!(dir = %dir.display(), "index of an older release is in use and stays")
            }
        }
    }
}

/// The gazetteer and the generation that it was made of.
type Names = (u64, Arc<Gazetteer>);

impl Index {
    /// Opens the index in `dir`, or makes an empty one. That of an older release is removed; a broken one, and one whose
    /// vectors were made in another way than `vectors` says are removed and replaced by an empty one. An empty index
    /// has no position, so the stream is replayed.
    pub fn open(dir: &Path, vectors: &VectorSource) -> Result<Index, Error> {
        remove_older(dir);
        let dir = dir.join(schema::FOLDER);
        match Index::open_in(&dir, vectors) {
            Err(error) if is_broken(&error) => {
                tracing::warn!(dir = %dir.display(), %error, "index unusable, begun anew");
                std::fs::remove_dir_all(&dir).map_err(Error::at(&dir))?;
                Ok(Index::open_in(&dir, vectors)?)
            }
            other => Ok(other?),
        }
    }

    /// An empty index in memory.
    pub fn open_in_ram(vectors: &VectorSource) -> Result<Index, Error> {
        let (schema, _) = schema::build();
        let store = Store::in_ram(vectors.clone());
        Ok(Index::over(tantivy::Index::create_in_ram(schema), store)?)
    }

    fn open_in(dir: &Path, vectors: &VectorSource) -> tantivy::Result<Index> {
        std::fs::create_dir_all(dir)?;
        let (schema, _) = schema::build();
        let store = Store::open(vectors.clone(), &dir.join("vectors"))?;
        let mut inner = tantivy::Index::open_or_create(MmapDirectory::open(dir)?, schema)?;
        // A search of a large index is then as long as its slowest half, not as all of it.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if cores > 1 {
            inner.set_multithread_executor(cores)?;
        }
        Index::over(inner, store)
    }

    fn over(inner: tantivy::Index, vectors: Store) -> tantivy::Result<Index> {
        schema::register(&inner);
        let (_, fields) = schema::build();
        let reader = inner
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .doc_store_cache_num_blocks(STORE_CACHE_BLOCKS)
            .try_into()?;
        let payload = payload(&inner)?;
        let layout = payload.as_ref().and_then(|p| p.vectors.as_ref());
        let made = layout.is_some_and(|layout| vectors.made(layout));
        let wanted = !matches!(vectors.source, VectorSource::None);
        let outdated = wanted && !made && payload.is_some();
        vectors
            .load(layout)
            .map_err(|error| TantivyError::InternalError(error.to_string()))?;
        Ok(Index {
            inner,
            reader,
            fields,
            vectors,
            names: Arc::default(),
            dictionaries: Arc::default(),
            access: Access::default(),
            denied_sets: Arc::default(),
            stores: Arc::default(),
            outdated: Arc::new(AtomicBool::new(outdated)),
        })
    }

    /// The same index, with rules of who may read which documents.
    pub fn with_access(self, access: Access) -> Index {
        Index { access, ..self }
    }

    /// The rules of who may read which documents.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Opens the writer. There is one at a time: while it lives, opening a second one is an error.
    pub fn writer(&self) -> Result<Writer, Error> {
        let options = IndexWriterOptions::builder()
            .num_worker_threads(WRITER_THREADS)
            .memory_budget_per_thread(WRITER_BYTES)
            .num_merge_threads(1)
            .build();
        let inner: tantivy::IndexWriter = match self.inner.writer_with_options(options) {
            Err(TantivyError::LockFailure(..)) => return Err(Error::held()),
            other => other?,
        };
        let mut merging = LogMergePolicy::default();
        merging.set_del_docs_ratio_before_merge(DELETED_MAX);
        inner.set_merge_policy(Box::new(merging));
        let layout = payload(&self.inner)?.and_then(|payload| payload.vectors);
        if self.is_outdated() {
            tracing::warn!("the vectors are of another embedder: the index is built anew");
            inner.delete_all_documents()?;
        }
        // Read from the folder, now that no other process can write to it.
        let empty = self.is_outdated() || self.inner.load_metas()?.segments.is_empty();
        // Before anything is taken in that the index does not show yet.
        self.read_names()?;
        Ok(Writer {
            inner,
            index: self.clone(),
            vectors: self.vectors.writer(layout),
            seen: empty.then(ReplayDedup::default),
            names: schema::analyzer_of_names(),
        })
    }

    /// The position in the stream up to which the last commit has taken records in; `None` when there was no commit.
    pub fn position(&self) -> Result<Option<StreamPosition>, Error> {
        let payload = payload(&self.inner)?.filter(|_| !self.is_outdated());
        Ok(payload.map(|payload| payload.position))
    }

    /// How many chunks a search can find.
    pub fn chunk_count(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Whether any chunk is in a bucket.
    pub(crate) fn has_bucket(&self, bucket: &Bucket) -> bool {
        let term = Term::from_field_text(self.fields.bucket, bucket.as_str());
        self.reader.searcher().doc_freq(&term).is_ok_and(|n| n > 0)
    }

    fn is_outdated(&self) -> bool {
        self.outdated.load(Ordering::Acquire)
    }

    /// Passes the head (first chunk) of each document of a tenant to `each`, in no particular order.
    pub fn each_head(
        &self,
        tenant: &TenantId,
        mut each: impl FnMut(ChunkRecord),
    ) -> Result<(), Error> {
        if self.is_outdated() {
            return Ok(());
        }
        let searcher = self.reader.searcher();
        let head = Term::from_field_u64(self.fields.n, 0);
        let tenant = Term::from_field_text(self.fields.tenant, tenant.as_str());
        let query = BooleanQuery::intersection(vec![term_query(head), term_query(tenant)]);
        for address in searcher.search(&query, &DocSetCollector)? {
            each(self.stored(&searcher, address)?);
        }
        Ok(())
    }

    /// Rows and chunks, in the order of rows.
    fn rows_in_order(&self, searcher: &Searcher) -> Result<Vec<(u64, DocAddress)>, Error> {
        let mut rows = Vec::new();
        for (segment, ordinal) in searcher.segment_readers().iter().zip(0..) {
            let column = segment.fast_fields().u64(schema::ROW)?;
            let docs = segment.doc_ids_alive();
            rows.extend(
                docs.filter_map(|doc| Some((column.first(doc)?, DocAddress::new(ordinal, doc)))),
            );
        }
        rows.sort_unstable();
        Ok(rows)
    }

    fn stored<T: DeserializeOwned>(
        &self,
        searcher: &Searcher,
        address: DocAddress,
    ) -> Result<T, Error> {
        let read = |bytes: &[u8]| serde_json::from_slice(bytes).map_err(Error::index);
        if let Some(bytes) = self.stores.value(searcher, self.fields.record, address)? {
            return read(&bytes);
        }
        let document: TantivyDocument = searcher.doc(address)?;
        let bytes = document
            .get_first(self.fields.record)
            .and_then(|value| value.as_bytes());
        read(bytes.unwrap_or_default())
    }
}

/// The writer of an index. Dropping it loses the records that were not committed.
pub struct Writer {
    inner: tantivy::IndexWriter,
    index: Index,
    vectors: Option<VectorWriter>,
    /// While an index that was empty is fed.
    seen: Option<ReplayDedup>,
    /// Reads the names of documents.
    names: TextAnalyzer,
}

impl Writer {
    /// Takes in records in the order of the stream. Idempotent; searches do not find the records before
    /// [`Writer::commit`].
    ///
    /// A head settles its document: a new one removes the chunks of other versions, a deleted one removes
    /// everything. So an interrupted run of the indexer leaves nothing behind here.
    pub fn apply(&mut self, records: &[ChunkRecord]) -> Result<(), Error> {
        let fields = self.index.fields;
        for record in records {
            let key = schema::chunk_key(record);
            let before = self.before(record);
            if before.chunk {
                let key = Term::from_field_text(fields.key, &key);
                self.inner.delete_term(key);
            }
            if record.is_head() {
                if before.others {
                    self.settle(record)?;
                }
                self.index.dictionaries.take_in(record, before.others);
            }
            if !record.deleted {
                let row = self.vectors.as_mut().map(|vectors| vectors.row(record));
                let document = fields.document(record, &key, row, &mut self.names)?;
                self.inner.add_document(document)?;
            }
        }
        Ok(())
    }

    /// What of a record may be in the index already: a delete is asked of every segment.
    fn before(&mut self, record: &ChunkRecord) -> Before {
        let known = self.seen.as_mut().and_then(|seen| seen.take_in(record));
        if known.is_none() {
            self.seen = None;
        }
        known.unwrap_or(Before::UNKNOWN)
    }

    fn settle(&mut self, head: &ChunkRecord) -> Result<(), Error> {
        let fields = self.index.fields;
        let doc = Term::from_field_text(fields.doc, &head.document_key());
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

    /// Makes the applied records durable and visible, together with their position in the stream.
    pub fn commit(&mut self, sequence: u64, stream: &str) -> Result<(), Error> {
        let position = StreamPosition {
            stream: stream.to_owned(),
            sequence,
        };
        let vectors = self.vectors.as_mut().map(VectorWriter::flush).transpose()?;
        let payload =
            serde_json::to_string(&Payload { position, vectors }).map_err(Error::index)?;
        let mut prepared = self.inner.prepare_commit()?;
        prepared.set_payload(&payload);
        prepared.commit()?;
        // Rows first: a chunk without a row is passed over, a row without a chunk is not looked at.
        if let Some(vectors) = &mut self.vectors {
            vectors.committed()?;
        }
        self.index.reader.reload()?;
        self.index.stores.forget();
        self.index.outdated.store(false, Ordering::Release);
        Ok(())
    }

    /// Fits the static table to the corpus when the corpus has doubled since, and deletes the vectors of deleted
    /// chunks when they are the majority. To be called after a commit when no more records wait; fitting takes some
    /// 60 s a million chunks.
    pub fn refit(&mut self) -> Result<(), Error> {
        self.seen = None;
        if self.index.dictionaries.is_stale() {
            self.index.read_names_anew()?;
        }
        let searcher = self.index.reader.searcher();
        let stale = |vectors: &VectorWriter| vectors.is_stale(searcher.num_docs());
        if !self.vectors.as_ref().is_some_and(stale) {
            return Ok(());
        }
        let Some(payload) = payload(&self.index.inner)? else {
            return Ok(());
        };
        let rows = self.index.rows_in_order(&searcher)?;
        let living: Vec<u64> = rows.iter().map(|(row, _)| *row).collect();
        let texts = |each: &mut EachText<'_>| {
            for (_, address) in &rows {
                let record: ChunkRecord = self.index.stored(&searcher, *address)?;
                each(&record.embedded_text())?;
            }
            Ok(())
        };
        if let Some(vectors) = &mut self.vectors {
            vectors.make_anew(&living, texts)?;
        }
        self.commit(payload.position.sequence, &payload.position.stream)
    }

    /// Removes everything, including records that were not committed, before the replay of a re-created stream. Visible
    /// after a commit.
    pub fn clear(&mut self) -> Result<(), Error> {
        // Begun anew first: it sets the clock of deletes back, and one of before would then stand in
        // the way of all that follow.
        self.inner.rollback()?;
        self.inner.delete_all_documents()?;
        self.index.dictionaries.clear();
        self.seen = Some(ReplayDedup::default());
        self.vectors.as_mut().map_or(Ok(()), VectorWriter::clear)
    }

    /// Waits for running merges, and releases the lock and the memory. Records that were not committed are lost.
    pub fn close(self) -> Result<(), Error> {
        self.inner.wait_merging_threads()?;
        Ok(())
    }
}

/// What a commit says besides the documents.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Payload {
    position: StreamPosition,
    #[serde(default)]
    vectors: Option<Layout>,
}

fn payload(index: &tantivy::Index) -> tantivy::Result<Option<Payload>> {
    let text = index.load_metas()?.payload;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
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

#[cfg(test)]
mod follow_up_tests;
#[cfg(test)]
mod language_tests;
#[cfg(test)]
#[path = "index/replay_tests.rs"]
mod replay_tests;
#[cfg(test)]
#[path = "index/tests.rs"]
mod tests;
