//! The corpus stream into a Qdrant server.
//!
//! Every retriever feeds the server that all of them search, in the order of the stream, and beside
//! its own index: a server that is away holds up vectors, never words. Where the feed stands is kept in
//! the server behind what was written, and whoever finds a part written already passes over it, so a new
//! replica begins where the others are and a single one does the work.
//!
//! That two write at once is allowed. The rules, decided in `next`:
//! - The position in the server says that everything up to it was written. Who finds it behind what he
//!   has himself goes back to it: somebody emptied the collection, or restored an older one.
//! - Who wrote a part that another one had passed meanwhile has put older vectors over newer ones. He
//!   passes over nothing until he is past that position himself.
//!
//! What is left: a replica that dies in exactly that stretch leaves vectors of older versions of the
//! chunks that changed in it, until they change again. The text that is found is the newest in any case,
//! since it comes from the lexical index.

use crate::fail::Fail;
use crate::search::{Kit, Place};
use envelope::{Class, Classed, Edition};
use harness::bus::{Bus, BusError, Reader, Stored, Stream};
use retrieval::qdrant::Qdrant;
use retrieval::{ChunkRecord, WithoutVector};
use std::sync::Arc;
use std::time::Duration;
use telemetry::Health;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Messages that are taken in at once.
const BATCH: usize = 512;
/// How long the stream has to be silent before less than a batch is taken in.
const QUIET: Duration = Duration::from_millis(50);
/// The same for a stream that is never silent: how long a batch is gathered at most.
const GATHERED: Duration = Duration::from_secs(1);
/// How long is waited after a failure, where the server said nothing.
const AWAY: Duration = Duration::from_secs(1);
/// The longest that is waited because the server said so.
const AWAY_MAX: Duration = Duration::from_secs(30);

/// Why a run of the feed ended.
#[derive(Debug, thiserror::Error)]
enum Interrupted {
    #[error(transparent)]
    Bus(#[from] BusError),
    #[error(transparent)]
    Qdrant(#[from] retrieval::Error),
    #[error("what the server holds is behind what was written to it: beginning again from there")]
    Behind,
}

/// What a server is fed from.
pub(crate) struct Fed<'a> {
    /// The bus.
    pub(crate) bus: &'a Arc<dyn Bus>,
    /// Readiness; the condition is `vectors`.
    pub(crate) health: &'a Health,
    /// Told to stop.
    pub(crate) stop: &'a CancellationToken,
    /// Where the server is.
    pub(crate) options: &'a crate::search::Options,
    /// Which edition of the corpus.
    pub(crate) edition: &'a Edition,
    /// The name of what it is fed from.
    pub(crate) stream: &'a str,
    /// Told how many chunks came without a vector.
    pub(crate) without_vector: WithoutVector,
}

/// Whom a feed tells how it goes.
pub struct Told {
    /// The last sequence whose vectors are found.
    pub seen: watch::Sender<u64>,
    /// How many chunks came without a vector of the embedder while this process wrote: what others wrote is
    /// not counted, and what was made anew counts on.
    pub without_vector: WithoutVector,
}

/// The kit with the server that `retrieval.vectors` names, fed from now on; not ready before that has
/// caught up. Without a server, the kit as it is.
///
/// # Errors
/// A server that refuses, such as one that is too old. One that is away is waited for.
pub(crate) async fn added(fed: Fed<'_>, kit: Kit, running: &mut JoinSet<()>) -> Result<Kit, Fail> {
    let Fed {
        bus,
        health,
        stop,
        options,
        edition,
        stream,
        without_vector,
    } = fed;
    let Some(embedder) = kit.embedder() else {
        return Ok(kit);
    };
    if options.vectors != Place::Qdrant {
        return Ok(kit);
    }
    health.not_ready("vectors", "the Qdrant server has not caught up");
    let mut options = options.qdrant.clone();
    if *edition != Edition::main() {
        // Editions never share vectors, whatever made them.
        options.collection_prefix = format!("{}{edition}-", options.collection_prefix);
    }
    let options = &options;
    let qdrant = loop {
        match Qdrant::connect(options, embedder.name(), embedder.dims()).await {
            Ok(qdrant) => break Arc::new(qdrant),
            Err(error) if error.class() == Class::Permanent => {
                return Err(Fail::usage(format!("in `retrieval.qdrant`: {error}")));
            }
            Err(error) => tracing::warn!(%error, "waiting for the Qdrant server"),
        }
        if tokio::time::timeout(AWAY, stop.cancelled()).await.is_ok() {
            return Err(Fail::negative(
                "told to stop before the Qdrant server was there",
            ));
        }
    };
    let filter = envelope::subject::edition(edition);
    let last = bus.last(Stream::Chunks, &filter).await?;
    let last = last.map_or(0, |newest| newest.sequence);
    let (tell, mut seen) = watch::channel(0);
    let told = Told {
        seen: tell,
        without_vector,
    };
    let (server, name) = (qdrant.clone(), stream.to_owned());
    let (bus, until) = (bus.clone(), stop.clone());
    running.spawn(async move { feed(&*bus, &server, (&name, &filter), &told, &until).await });
    let (health, stop) = (health.clone(), stop.clone());
    running.spawn(async move {
        tokio::select! {
            _ = seen.wait_for(|seen| *seen >= last) => {
                tracing::info!(sequence = last, "vectors caught up");
                health.ready("vectors");
            }
            () = stop.cancelled() => {}
        }
    });
    Ok(kit.with_qdrant(qdrant))
}

/// Feeds the server until told to stop. What is away is waited for.
pub async fn feed(
    bus: &dyn Bus,
    qdrant: &Qdrant,
    (stream, filter): (&str, &str),
    told: &Told,
    stop: &CancellationToken,
) {
    while !stop.is_cancelled() {
        let Err(error) = run(bus, qdrant, (stream, filter), told, stop).await else {
            return;
        };
        tracing::warn!(%error, "feed of the Qdrant server interrupted");
        let wait = match &error {
            Interrupted::Qdrant(error) => error.retry_after().unwrap_or(AWAY).min(AWAY_MAX),
            Interrupted::Bus(_) | Interrupted::Behind => AWAY,
        };
        let _ = tokio::time::timeout(wait, stop.cancelled()).await;
    }
}

async fn run(
    bus: &dyn Bus,
    qdrant: &Qdrant,
    (stream, filter): (&str, &str),
    told: &Told,
    stop: &CancellationToken,
) -> Result<(), Interrupted> {
    let mut must_write = false;
    let mut at = match qdrant.position().await? {
        Some(position) if position.stream == stream => position.sequence,
        None => 0,
        Some(_) => {
            tracing::warn!(
                stream,
                "the collection was fed from another stream, it is emptied"
            );
            qdrant.clear().await?;
            must_write = true;
            0
        }
    };
    told.seen.send_replace(at);
    let mut reader = bus.read(Stream::Chunks, filter, at + 1).await?;
    loop {
        let batch = tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(()),
            batch = batch(&mut *reader) => batch?,
        };
        let Some(last) = batch.last().map(|message| message.sequence) else {
            continue;
        };
        match next(at, last, position(qdrant, stream).await?, must_write) {
            Next::Back => return Err(Interrupted::Behind),
            Next::PassOver => {}
            Next::Write => {
                let without_vector = qdrant.apply(&records(&batch)).await? as u64;
                told.without_vector.add(without_vector);
                if without_vector > 0 {
                    tracing::warn!(
                        chunks = without_vector,
                        "chunks without a vector of this embedder: vectors do not find them; \
                         `argosy index --force` makes them anew"
                    );
                }
                let passed = position(qdrant, stream).await?;
                must_write = passed > last;
                if !must_write {
                    qdrant.commit(last, stream).await?;
                }
            }
        }
        at = last;
        told.seen.send_replace(at);
    }
}

/// What to do with a part of the stream.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// Go back to the position in the server.
    Back,
    /// Somebody has written it.
    PassOver,
    /// Write it.
    Write,
}

/// What to do with the part after `at` up to `last`, when the server is at `position`.
fn next(at: u64, last: u64, position: u64, must_write: bool) -> Next {
    match position {
        _ if position < at => Next::Back,
        _ if position >= last && !must_write => Next::PassOver,
        _ => Next::Write,
    }
}

/// Where the server stands in this stream.
async fn position(qdrant: &Qdrant, stream: &str) -> Result<u64, retrieval::Error> {
    let position = qdrant.position().await?;
    let ours = position.filter(|position| position.stream == stream);
    Ok(ours.map_or(0, |position| position.sequence))
}

/// The next messages: as many as a batch has, or all before a pause, or those of a second.
async fn batch(reader: &mut dyn Reader) -> Result<Vec<Stored>, BusError> {
    let (first, _) = reader.next().await?;
    let mut batch = vec![first];
    let end = Instant::now() + GATHERED;
    while batch.len() < BATCH {
        let until = end.min(Instant::now() + QUIET);
        match tokio::time::timeout_at(until, reader.next()).await {
            Ok(next) => batch.push(next?.0),
            Err(_) => break,
        }
    }
    Ok(batch)
}

/// One bad chunk does not stop the corpus; the lexical index names it.
fn records(batch: &[Stored]) -> Vec<ChunkRecord> {
    let records = batch.iter().map(|m| ChunkRecord::decode(&m.body));
    records.filter_map(Result::ok).collect()
}

#[cfg(test)]
#[path = "qdrant_view_tests.rs"]
mod tests;
