//! The contract of the indexer: it turns the bytes of a document into messages of the corpus.
//!
//! Like a [`Stage`](crate::Stage) it is given no bus and no disk. The harness decides which messages are published,
//! in which order and under which write condition.

use crate::error::Error;
use bytes::Bytes;
use envelope::document::Notice;
use envelope::{Bucket, DocId, Edition, Problem, UnixMs};
use futures_util::future::BoxFuture;
use std::ops::Range;

/// A document message that the indexer works on.
#[derive(Debug, Clone, PartialEq)]
pub struct Incoming {
    /// The content of its headers.
    pub notice: Notice,
    /// The edition that it is indexed for.
    pub edition: Edition,
    /// Part of the corpus.
    pub bucket: Bucket,
    /// The document.
    pub doc_id: DocId,
    /// Sequence of the message in its stream: of two versions the higher one is newer.
    pub sequence: u64,
    /// When it was stored.
    pub stored_at: UnixMs,
}

/// The place of a message of the corpus in its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkPlace {
    /// The number of the chunk, from 0, which is the head.
    pub n: u32,
    /// How many chunks this version of the document has; in a tombstone, how many there may have been.
    pub of: u32,
    /// The version of the document, see [`Notice::version`].
    pub version: String,
    /// The pipeline that made the chunk, see [`Ingest::pipeline`].
    pub pipeline: String,
    /// Sequence of the document message from which the chunk was made; 0 if unknown.
    pub sequence: u64,
    /// When that message was stored.
    pub stored_at: UnixMs,
    /// Whether it is a tombstone.
    pub is_deleted: bool,
}

/// A message of the corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Which chunk, from 0.
    pub n: u32,
    /// The body.
    pub body: Bytes,
}

/// The result of indexing a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Its chunks, first to last: at least one.
    pub chunks: Vec<Chunk>,
    /// The part of the document that was left out, if any.
    pub left_out: Option<Problem>,
    /// The results for the columns of its schema.
    pub columns: Columns,
}

/// How many columns of a document had which result. A column may count twice: as `misfit` and as `missing`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Columns {
    /// They have a value.
    pub found: u32,
    /// They have none.
    pub missing: u32,
    /// The document has a value that does not fit their type.
    pub misfit: u32,
    /// A model returned a value that the document does not contain.
    pub invented: u32,
    /// A model call for them failed.
    pub unanswered: u32,
}

/// A document that is turned into chunks in several parts. A finished part stays finished when a later part fails: the
/// next call repeats only the part that failed.
pub trait DocumentWork: Send {
    /// Does the next part, which takes some seconds, whereas the whole document may take an hour. Returns `None` while
    /// there is more to do, and the chunks after the last part. A document without chunks is a failure that says why.
    /// After a call that was dropped half-way there must be no further call.
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Cut>, Error>>;
}

/// Makes messages of the corpus out of documents.
pub trait Ingest: Send + Sync + 'static {
    /// The place of a document: its bucket and its id, from its tenant and source alone.
    fn place(&self, notice: &Notice) -> (Bucket, DocId);

    /// Names chunker and embedder with their versions. Chunks that another pipeline has made are made anew.
    fn pipeline(&self) -> &str;

    /// SHA-256 of the bytes, in hex.
    fn hash(&self, bytes: Bytes) -> BoxFuture<'_, Result<String, Error>>;

    /// The place in its document that a message of the corpus states; `None` if the message cannot be read.
    fn known(&self, body: &[u8]) -> Option<ChunkPlace>;

    /// Begins to turn a version of a document into chunks. Nothing is done before [`DocumentWork::next`].
    fn draft<'a>(
        &'a self,
        incoming: &'a Incoming,
        version: &str,
        bytes: Bytes,
    ) -> Box<dyn DocumentWork + 'a>;

    /// Tombstones of these chunks of a document that may have had `of` chunks.
    fn tombstones(
        &self,
        incoming: &Incoming,
        which: Range<u32>,
        of: u32,
    ) -> Result<Vec<Chunk>, Error>;
}
