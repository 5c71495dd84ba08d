//! Bringing a folder into the corpus stream, and the corpus stream into an index.
//!
//! The stream is the truth on either bus; an index is a view of it. What is new or changed is
//! published chunk by chunk, the head of a document last: a run that is interrupted has not reported
//! what it has not stored.

use crate::fail::Fail;
use envelope::{TenantId, header};
use harness::bus::{Bus, Headers, Publish, Stored, Stream};
use harness::feed::View;
use harness::outbox::publish_until;
use retrieval::corpus::Cursor;
use retrieval::{
    Catalog, ChunkRecord, Document, Index, IndexPlan, Mode, Skip, SkipReason, Stamp, Writer,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch;

/// How long a publish may be repeated while the server is away, in milliseconds.
const PATIENCE_MS: u64 = 30_000;
/// Chunks on their way to the stream at once.
const IN_FLIGHT: usize = 64;

/// What an indexing run did.
#[derive(Debug, Default, serde::Serialize)]
pub struct Summary {
    /// Documents that were published: new or changed.
    pub indexed: usize,
    /// Documents that are as they were.
    pub unchanged: usize,
    /// Documents that are gone.
    pub deleted: usize,
    /// Messages that were stored.
    pub chunks: usize,
    /// Files that could not be indexed, and why.
    pub skipped: Vec<Skipped>,
    /// Sequence of the last message that was stored; 0 for none.
    #[serde(skip)]
    pub last: u64,
}

/// A file that could not be indexed.
#[derive(Debug, serde::Serialize)]
pub struct Skipped {
    /// The file, relative to the corpus.
    pub source: String,
    /// Why.
    pub reason: String,
}

/// What is told while a run goes on.
#[derive(Debug, Clone, Copy)]
pub enum Progress {
    /// This many files were looked at.
    Scanned(usize),
    /// So many of so many documents are stored.
    Published(usize, usize),
}

/// What the corpus stream holds of a tenant.
pub async fn catalog_of_stream(bus: &dyn Bus, tenant: &TenantId) -> Result<Catalog, Fail> {
    let mut catalog = Catalog::new(tenant.clone());
    let state = bus.state(Stream::Chunks).await?;
    if state.messages == 0 {
        return Ok(catalog);
    }
    let filter = "argosy.chunk.*.*.0";
    // Without a head there is nothing to read, and a reader would wait for ever.
    if bus.last(Stream::Chunks, filter).await?.is_none() {
        return Ok(catalog);
    }
    let mut reader = bus.read(Stream::Chunks, filter, 1).await?;
    loop {
        let (message, pending) = reader.next().await?;
        match ChunkRecord::decode(&message.body) {
            Ok(record) => catalog.observe(&record),
            Err(error) => {
                tracing::warn!(%error, subject = message.subject, "unreadable chunk passed over")
            }
        }
        if pending == 0 {
            return Ok(catalog);
        }
    }
}

/// Compares `root` with `catalog` and publishes the difference.
pub async fn index(
    bus: Arc<dyn Bus>,
    root: PathBuf,
    catalog: &Catalog,
    mode: Mode,
    mut progress: impl FnMut(Progress) + Send,
) -> Result<Summary, Fail> {
    if !root.is_dir() {
        return Err(
            Fail::not_found(format!("`{}` is not a folder", root.display()))
                .hint("name a folder with .md, .txt, .html, .pdf, .docx, .csv or .jsonl files"),
        );
    }
    let tenant = catalog.tenant().clone();
    let (stamps, skips, paths) = scan(root.clone(), tenant.clone(), &mut progress).await?;
    let IndexPlan {
        publish,
        delete,
        unchanged,
        kept,
    } = catalog.diff(&stamps, &skips, mode);
    let mut summary = Summary {
        unchanged,
        ..Summary::default()
    };
    summary.skipped = skips
        .into_iter()
        .filter(is_worth_telling)
        .map(told)
        .collect();
    for source in kept {
        tracing::info!(source, "cannot be read now; what is indexed of it is kept");
    }
    for (source, entry) in &delete {
        let records = retrieval::record::delete_order(&tenant, source, entry);
        store(&*bus, &records, &mut summary).await?;
        summary.deleted += usize::from(!publish.iter().any(|stamp| &stamp.source == source));
    }
    let total = publish.len();
    let mut cursor = Cursor::default();
    for (done, stamp) in publish.into_iter().enumerate() {
        let path = paths
            .get(&stamp.source)
            .cloned()
            .unwrap_or_else(|| root.join(&stamp.source));
        let read = read(cursor, path, stamp.source.clone(), tenant.clone());
        let document;
        (cursor, document) = read.await?;
        match document {
            Ok(document) => {
                let records =
                    retrieval::record::publish_order(&document, catalog.get(&stamp.source));
                store(&*bus, &records, &mut summary).await?;
                summary.indexed += 1;
            }
            Err(reason) => summary.skipped.push(Skipped {
                source: stamp.source,
                reason: reason.to_string(),
            }),
        }
        progress(Progress::Published(done + 1, total));
    }
    Ok(summary)
}

type Scanned = (Vec<Stamp>, Vec<Skip>, BTreeMap<String, PathBuf>);

/// Looks at every file once; memory holds one document at a time.
async fn scan(
    root: PathBuf,
    tenant: TenantId,
    progress: &mut (impl FnMut(Progress) + Send),
) -> Result<Scanned, Fail> {
    let (send, mut receive) = tokio::sync::mpsc::channel(64);
    let walking = tokio::task::spawn_blocking(move || {
        let (mut stamps, mut skips, mut paths) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (seen, (path, found)) in retrieval::corpus::walk(&root, &tenant).enumerate() {
            match found {
                Ok(document) => {
                    paths.insert(document.source.clone(), path);
                    stamps.push(document.stamp());
                }
                Err(skip) => skips.push(skip),
            }
            // A slow terminal does not slow the walk.
            let _ = send.try_send(seen + 1);
        }
        (stamps, skips, paths)
    });
    while let Some(seen) = receive.recv().await {
        progress(Progress::Scanned(seen));
    }
    walking
        .await
        .map_err(|e| Fail::negative(format!("reading the corpus failed: {e}")))
}

async fn read(
    mut cursor: Cursor,
    path: PathBuf,
    source: String,
    tenant: TenantId,
) -> Result<(Cursor, Result<Document, SkipReason>), Fail> {
    let reading = tokio::task::spawn_blocking(move || {
        let document = cursor.read(&path, &source, &tenant);
        (cursor, document)
    });
    reading
        .await
        .map_err(|e| Fail::negative(format!("reading a document failed: {e}")))
}

fn is_worth_telling(skip: &Skip) -> bool {
    !matches!(skip.reason, SkipReason::Hidden)
}

fn told(skip: Skip) -> Skipped {
    Skipped {
        source: skip.source,
        reason: skip.reason.to_string(),
    }
}

/// Stores the records of one document. The head comes last and alone: when it is there, all is.
async fn store(bus: &dyn Bus, records: &[ChunkRecord], summary: &mut Summary) -> Result<(), Fail> {
    use futures_util::{StreamExt, TryStreamExt};
    let Some((head, rest)) = records.split_last() else {
        return Ok(());
    };
    let publish = |record: &ChunkRecord| {
        let message = message(record);
        async move {
            let message = message?;
            let until = bus.now().plus(PATIENCE_MS);
            publish_until(bus, message, until)
                .await
                .map_err(|e| Fail::negative(format!("a chunk could not be stored: {e}")))
        }
    };
    futures_util::stream::iter(rest.iter().map(publish))
        .buffer_unordered(IN_FLIGHT)
        .try_collect::<Vec<_>>()
        .await?;
    publish(head).await?;
    summary.chunks += records.len();
    Ok(())
}

fn message(record: &ChunkRecord) -> Result<Publish, Fail> {
    let body = record
        .encode()
        .map_err(|e| Fail::negative(format!("chunk {}: {e}", record.chunk_id())))?;
    let headers = match record.is_head() {
        true => Headers::default().with(header::DOC_HASH, record.hash.as_str()),
        false => Headers::default(),
    };
    Ok(Publish {
        headers,
        ..Publish::new(record.subject(), body)
    })
}

/// A tantivy index as a view of the corpus stream.
pub struct IndexView {
    index: Index,
    writer: Writer,
    /// Which stream it was fed from: a re-created one starts it anew.
    stream: String,
    waiting: Vec<ChunkRecord>,
    applied: u64,
    committed: u64,
    seen: watch::Sender<u64>,
}

/// Records that are taken in at once.
const BATCH: usize = 512;
/// Messages after which the index is committed while new ones keep coming.
const COMMIT: u64 = 5_000;
/// The same while it is behind: what a crash would have it read again.
const COMMIT_BEHIND: u64 = 100_000;

impl IndexView {
    /// A view of `index` on the stream of this name; the receiver tells how far the index is.
    pub fn new(
        index: Index,
        stream: String,
    ) -> Result<(IndexView, watch::Receiver<u64>), retrieval::Error> {
        let mut writer = index.writer()?;
        let position = index.position()?;
        let committed = match &position {
            Some(at) if at.stream == stream => at.sequence,
            Some(_) => {
                tracing::warn!(
                    stream,
                    "the index was fed from another stream; it is built anew"
                );
                writer.clear()?;
                0
            }
            None => 0,
        };
        Ok(Self::from(index, writer, stream, committed))
    }

    /// The same on a stream that is empty at every start (the bus of one process): what the index
    /// holds stays.
    pub fn kept(index: Index) -> Result<(IndexView, watch::Receiver<u64>), retrieval::Error> {
        let writer = index.writer()?;
        Ok(Self::from(index, writer, "memory".into(), 0))
    }

    fn from(
        index: Index,
        writer: Writer,
        stream: String,
        committed: u64,
    ) -> (IndexView, watch::Receiver<u64>) {
        let (seen, receiver) = watch::channel(committed);
        (
            IndexView {
                index,
                writer,
                stream,
                waiting: Vec::new(),
                applied: committed,
                committed,
                seen,
            },
            receiver,
        )
    }

    /// How many chunks can be found.
    pub fn chunk_count(&self) -> u64 {
        self.index.chunk_count()
    }

    fn commit(&mut self) -> Result<(), retrieval::Error> {
        tokio::task::block_in_place(|| {
            self.take_in()?;
            self.writer.commit(self.applied, &self.stream)
        })?;
        self.committed = self.applied;
        Ok(())
    }

    fn take_in(&mut self) -> Result<(), retrieval::Error> {
        self.writer.apply(&self.waiting)?;
        self.waiting.clear();
        Ok(())
    }
}

impl View for IndexView {
    fn apply(
        &mut self,
        message: Stored,
        pending: u64,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        match ChunkRecord::decode(&message.body) {
            Ok(record) => self.waiting.push(record),
            // One bad chunk does not stop the corpus; it is named and passed over.
            Err(error) => {
                tracing::error!(%error, subject = message.subject, "unreadable chunk passed over")
            }
        }
        self.applied = message.sequence;
        if self.waiting.len() >= BATCH {
            tokio::task::block_in_place(|| self.take_in())?;
        }
        let most = if pending == 0 { COMMIT } else { COMMIT_BEHIND };
        if self.applied - self.committed >= most {
            self.commit()?;
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if self.applied > self.committed {
            self.commit()?;
            // Nothing more is waiting: the moment to look at the corpus as a whole.
            tokio::task::block_in_place(|| self.writer.refit())?;
            self.seen.send_replace(self.committed);
        }
        Ok(())
    }

    fn position(&self) -> u64 {
        self.applied
    }
}
