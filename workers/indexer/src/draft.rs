//! Turns one document into chunks in stages: the document is read, its columns are completed, it is cut, and its
//! chunks are embedded batch by batch.
//!
//! Each stage has a time limit of its own, and its result is kept when a later stage fails. So a document that is
//! held while an embedder is away is not read again, and the model is not called twice for it.

use crate::error::Error;
use crate::indexer::{Indexer, Read};
use bytes::Bytes;
use documents::Document;
use documents::record::records;
use envelope::{ChunkRecord, Embedding, Problem};
use llm::Side;
use stage::{BoxFuture, Columns, Cut, Incoming};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long one part of the work waits for the text: less than any limit of a part of the work, beyond which the text is
/// given up and its reader goes on for nobody.
const READING: Duration = Duration::from_millis(500);

/// A document, with the parts of the work that are done.
pub(crate) struct Draft<'a> {
    indexer: &'a Indexer,
    incoming: &'a Incoming,
    version: String,
    at: At,
}

/// The last part that is done.
enum At {
    Bytes(Bytes),
    /// A thread reads it.
    Reading(JoinHandle<Result<Read, Error>>),
    Read(Box<Read>),
    Whole(Box<Document>, Said),
    Cut(Vec<ChunkRecord>, Said),
    /// A part was begun and dropped, or this was the last one.
    Gone,
}

/// What is reported of the document beside its chunks.
struct Said {
    left_out: Option<Problem>,
    columns: Columns,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(
        indexer: &'a Indexer,
        incoming: &'a Incoming,
        version: &str,
        bytes: Bytes,
    ) -> Draft<'a> {
        Draft {
            indexer,
            incoming,
            version: version.to_owned(),
            at: At::Bytes(bytes),
        }
    }

    async fn advance(&mut self) -> Result<Option<Cut>, Error> {
        if let At::Cut(records, _) = &mut self.at
            && embed(self.indexer, records).await?
        {
            return Ok(None);
        }
        self.at = match std::mem::replace(&mut self.at, At::Gone) {
            At::Bytes(bytes) => At::Reading(self.read(bytes)),
            // Text recognition may take longer than a part of the work has.
            At::Reading(mut reading) => match timeout(READING, &mut reading).await {
                Ok(read) => At::Read(Box::new(read.map_err(|_| Error::Panic)??)),
                Err(_) => At::Reading(reading),
            },
            At::Read(read) => self.complete(*read).await,
            At::Whole(document, said) => {
                let sizes = self.indexer.cutting;
                let cutting = tokio::task::spawn_blocking(move || records(&document, &sizes));
                At::Cut(cutting.await.map_err(|_| Error::Panic)?, said)
            }
            At::Cut(records, said) => return self.cut(records, said).map(Some),
            At::Gone => return Err(Error::Panic),
        };
        Ok(None)
    }

    fn read(&self, bytes: Bytes) -> JoinHandle<Result<Read, Error>> {
        let (of, named) = (self.incoming.clone(), self.version.clone());
        let schemas = self.indexer.columns.schemas();
        tokio::task::spawn_blocking(move || Indexer::read(&of, &named, &bytes, &schemas))
    }

    /// Completes the columns that no rule found. The model is asked once, whatever the result is.
    async fn complete(&self, read: Read) -> At {
        let Read {
            mut document,
            applied,
            left_out,
        } = read;
        let columns = &self.indexer.columns;
        let (columns, misfits) = columns.complete(&mut document, applied).await;
        let left_out = both(left_out, misfits);
        At::Whole(Box::new(document), Said { left_out, columns })
    }

    fn cut(&self, mut records: Vec<ChunkRecord>, said: Said) -> Result<Cut, Error> {
        let of = self.incoming;
        if let Some(head) = records.first_mut() {
            head.left_out = said.left_out.clone();
        }
        let messages = records.into_iter().map(|r| self.indexer.message(of, r));
        Ok(Cut {
            chunks: messages.collect::<Result<_, _>>()?,
            left_out: said.left_out,
            columns: said.columns,
        })
    }
}

/// Embeds the first batch that has no vectors yet; returns false when there is none.
async fn embed(indexer: &Indexer, records: &mut [ChunkRecord]) -> Result<bool, Error> {
    let Some(embedder) = &indexer.embedder else {
        return Ok(false);
    };
    let is_bare = |batch: &&mut [ChunkRecord]| batch.iter().any(|r| r.embedding.is_none());
    let Some(batch) = records.chunks_mut(indexer.batch).find(is_bare) else {
        return Ok(false);
    };
    let texts: Vec<String> = batch.iter().map(ChunkRecord::embedded_text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder.embed(&texts, Side::Passage).await?;
    if vectors.len() != batch.len() {
        return Err(Error::Vectors {
            name: embedder.name().to_owned(),
            want: batch.len(),
            got: vectors.len(),
        });
    }
    for (record, vector) in batch.iter_mut().zip(vectors) {
        record.embedding = Some(Embedding::of(embedder.name(), &vector));
    }
    Ok(true)
}

impl stage::DocumentWork for Draft<'_> {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Cut>, stage::Error>> {
        Box::pin(async move { Ok(self.advance().await?) })
    }
}

/// Joins two problems into one, under the code of the first.
fn both(one: Option<Problem>, other: Option<Problem>) -> Option<Problem> {
    match (one, other) {
        (Some(one), Some(other)) => {
            let message = format!("{}; {}", one.message, other.message);
            Some(Problem::new(one.code, message))
        }
        (one, other) => one.or(other),
    }
}
