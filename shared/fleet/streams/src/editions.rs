//! Reads, watches and changes the record on the bus that says which edition is searched.
//!
//! The record is one message in the stream of the corpus, and its last value wins. A change is stored only if the
//! record still has the sequence that was read. The stream of documents hands every document to every edition by
//! itself: each edition has a consumer of its own, and a message stays until all of them have acked it. So a change is
//! only a write of the record and of a consumer, and indexers hand nothing over to each other. *Not* here: what an
//! edition is made of (`ingest`), and which edition a search uses.

use crate::feed;
use crate::outbox::store_until;
use bus::topology::{Topology, editions_in};
use bus::{Bus, BusError, Publish, PublishError, StoredMessage, Stream, WriteCondition};
use envelope::subject::EDITION;
use envelope::{Edition, EditionError, Editions};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The record of editions, and its position in the corpus stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// The content of the record.
    pub editions: Editions,
    /// The sequence of the record; 0 if none is stored.
    pub sequence: u64,
}

/// Why the record was not changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The record does not allow the change.
    #[error(transparent)]
    Edition(#[from] EditionError),
    /// An edition of that name was dropped, and chunks of it are left.
    #[error(
        "{chunks} messages of an earlier edition `{edition}` are left; `argosy edition drop {edition}` clears them"
    )]
    Left {
        /// The name.
        edition: Edition,
        /// How many heads of documents are left.
        chunks: u64,
    },
    /// New chunks arrive while the chunks are deleted.
    #[error("another process keeps writing the edition `{0}`; stop its indexers and drop it again")]
    Written(Edition),
    /// Another process changed the record meanwhile.
    #[error("somebody else changed the editions at the same time; look at them and try again")]
    Changed,
    /// It could not be stored.
    #[error("the record of editions could not be stored: {0}")]
    Publish(PublishError),
    /// The bus.
    #[error(transparent)]
    Bus(#[from] BusError),
}

/// How long storing the record may be repeated, in milliseconds.
const PATIENCE_MS: u64 = 10_000;
/// How long nothing of a dropped edition may be written before it counts as gone.
const QUIET: Duration = Duration::from_millis(500);
/// How often it is cleared at most.
const CLEARED_MAX: u32 = 10;

/// Reads the record. Without a record, the corpus has one edition, `main`.
pub async fn read(bus: &dyn Bus) -> Result<Record, BusError> {
    match bus.last(Stream::Chunks, EDITION).await? {
        None => Ok(Record::default()),
        Some(stored) => decode(&stored),
    }
}

fn decode(stored: &StoredMessage) -> Result<Record, BusError> {
    Ok(Record {
        editions: editions_in(stored)?,
        sequence: stored.sequence,
    })
}

/// Stores a changed record, unless it has changed since it was read.
pub async fn write(bus: &dyn Bus, editions: Editions, read: &Record) -> Result<Record, Error> {
    if editions == read.editions {
        return Ok(read.clone());
    }
    let body = envelope::encode(&editions)
        .map_err(|e| Error::Publish(PublishError::Refused(e.to_string())))?;
    let message = Publish {
        condition: WriteCondition::LastIs(EDITION.into(), read.sequence),
        ..Publish::new(EDITION, body)
    };
    let stored = store_until(bus, message, bus.now().plus(PATIENCE_MS)).await;
    match stored {
        Ok(sequence) => Ok(Record { editions, sequence }),
        Err(PublishError::Exists) => {
            // It may be this very record, whose confirmation was lost.
            let now = self::read(bus).await?;
            match now.editions == editions {
                true => Ok(now),
                false => Err(Error::Changed),
            }
        }
        Err(error) => Err(Error::Publish(error)),
    }
}

/// Begins an edition beside the current one. When the call returns, every document that is published from now on is
/// kept for the new edition, and so is every document that already waits.
pub async fn begin(bus: &dyn Bus, topology: &Topology, edition: &Edition) -> Result<Record, Error> {
    let record = read(bus).await?;
    // Grows with every record that is stored.
    let at = record.sequence + 1;
    let wanted = record.editions.begin(edition, at)?;
    if !record.editions.has(edition) {
        let left = bus
            .last(Stream::Chunks, &envelope::subject::edition(edition))
            .await?;
        if left.is_some() {
            let heads = envelope::subject::heads(edition.as_str());
            return Err(Error::Left {
                edition: edition.clone(),
                chunks: bus.count(Stream::Chunks, &heads).await?,
            });
        }
    }
    let record = write(bus, wanted, &record).await?;
    bus.add_consumer(&topology.documents(edition)).await?;
    Ok(record)
}

/// Makes the edition beside the current one the current one. The caller checks whether it is ready. `read` is the
/// record that the caller looked at.
pub async fn switch(bus: &dyn Bus, edition: &Edition, read: &Record) -> Result<Record, Error> {
    write(bus, read.editions.switch(edition)?, read).await
}

/// Drops an edition. It removes the edition from the record first, so that no process keeps an index of it, then its
/// consumer with the messages that wait for this consumer only, then its chunks. May be repeated. Returns the number of
/// deleted messages.
pub async fn drop(bus: &dyn Bus, topology: &Topology, edition: &Edition) -> Result<u64, Error> {
    let record = read(bus).await?;
    let wanted = record.editions.drop(edition)?;
    write(bus, wanted, &record).await?;
    bus.drop_consumer(&topology.documents(edition)).await?;
    let all = envelope::subject::edition(edition);
    let mut gone = 0;
    for _ in 0..CLEARED_MAX {
        gone += bus.purge(Stream::Chunks, &all).await?;
        // An indexer that had a document in hand may write on for a while.
        tokio::time::sleep(QUIET).await;
        if bus.last(Stream::Chunks, &all).await?.is_none() {
            return Ok(gone);
        }
    }
    Err(Error::Written(edition.clone()))
}

/// Keeps `told` equal to the record until `stop` is cancelled. If the connection is lost, this waits for it.
pub async fn watch(bus: &dyn Bus, told: watch::Sender<Record>, stop: CancellationToken) {
    let from = told.borrow().sequence;
    let keep = |message: StoredMessage| match decode(&message) {
        Ok(record) => {
            told.send_replace(record);
        }
        // Of a newer release: what is served stays what it is.
        Err(error) => tracing::error!(%error, "the record of editions cannot be read"),
    };
    feed::watch(bus, Stream::Chunks, EDITION, from, keep, stop).await;
}
