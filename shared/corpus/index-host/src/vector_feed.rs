//! Feeds the corpus stream into a Qdrant server.
//!
//! Every retriever feeds the server that all of them search, in the order of the stream, and independently of its own
//! index: a server that is unavailable delays vectors, never words. The connection is made in the background; until it
//! is there, vector searches fail, and each result names the failure. The position of the feed is stored in the server
//! after the points that it covers, and a feed skips every part of the stream that is already written. So a new replica
//! begins at the position of the others, and usually only one replica writes.
//!
//! Two feeds may write at once. The rules, decided in `next` and `then`, are:
//! - The position in the server says that everything up to it was written. A feed that finds it behind its own
//!   position, before or after a part, goes back to it, because the collection was emptied, or an older one was
//!   restored. A collection that is gone is made again.
//! - A feed that wrote a part which another one had passed meanwhile has put older vectors over newer ones. It
//!   skips nothing until it is past that other position itself.
//!
//! Two gaps remain. A replica that dies before it has passed the position of the other feed leaves older vectors of the
//! chunks that changed there, until they change again; the text of a hit is always the newest, since it comes from the
//! lexical index. And a collection that is emptied between the write of a part and the write of the position, which are
//! two calls, may lack that part; so may a collection that is emptied while its first part is written.

use crate::options::VectorStore;
use crate::search_factory::{self, SearchFactory};
use bus::{Bus, BusError, Reader, StoredMessage, Stream};
use envelope::{ChunkRecord, Class, Classify, Edition};
use futures_util::future::BoxFuture;
use index::WithoutVector;
use llm::Embedder;
use qdrant::{Options, Qdrant};
use search::{Neighbour, SearchRequest, VectorSearch};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
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
/// After how long without a message it is looked whether the server still has what was written.
const LOOK: Duration = Duration::from_secs(30);
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
    Qdrant(#[from] search::Error),
    #[error(
        "the Qdrant server holds less than was written to it: the feed goes on from what it holds"
    )]
    Behind,
}

/// The source of a feed, and the server that it writes to.
pub struct FeedSource<'a> {
    /// The bus.
    pub bus: &'a Arc<dyn Bus>,
    /// Cancelled when the process stops.
    pub stop: &'a CancellationToken,
    /// The options, with the address of the server.
    pub options: &'a crate::Options,
    /// Which edition of the corpus.
    pub edition: &'a Edition,
    /// The number of the edition's beginning, which distinguishes it from an earlier one of the same name.
    pub begun: u64,
    /// The name of the source that feeds the server.
    pub stream: &'a str,
    /// The gauge of chunks that came without a vector.
    pub without_vector: WithoutVector,
}

/// The channels on which a feed reports its progress.
pub(crate) struct FeedListener {
    /// How far it is.
    pub(crate) at: watch::Sender<FeedPosition>,
    /// How many chunks came without a vector of the embedder while this process wrote. Chunks that other processes
    /// wrote are not counted, and chunks of a rebuilt collection count again.
    pub(crate) without_vector: WithoutVector,
}

/// Where a feed is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FeedPosition {
    /// The server has everything up to this sequence.
    pub(crate) sequence: u64,
    /// The last call of the server failed.
    pub(crate) is_away: bool,
}

/// The vectors of an edition in a server.
#[derive(Clone)]
pub struct VectorFeed {
    slot: Arc<Slot>,
    at: watch::Receiver<FeedPosition>,
    /// What was stored of the edition when the feed began.
    last: u64,
}

/// The collection, from the moment on that there is a connection to it.
#[derive(Default)]
struct Slot(OnceLock<Qdrant>);

impl VectorSearch for Slot {
    fn nearest<'a>(
        &'a self,
        vector: &'a [f32],
        request: &'a SearchRequest,
        k: usize,
    ) -> BoxFuture<'a, Result<Vec<Neighbour>, search::Error>> {
        match self.0.get() {
            Some(qdrant) => qdrant.nearest(vector, request, k),
            None => Box::pin(std::future::ready(Err(search::Error::Qdrant {
                call: "connect",
                text: "there was no connection to the server yet".into(),
                class: Class::Transient,
                retry_after: None,
            }))),
        }
    }
}

impl VectorFeed {
    fn new(slot: Arc<Slot>, at: watch::Receiver<FeedPosition>, last: u64) -> VectorFeed {
        VectorFeed { slot, at, last }
    }

    /// Those that a test says where they are.
    #[cfg(test)]
    pub(crate) fn told(
        at: watch::Receiver<FeedPosition>,
        last: u64,
        server: Option<Qdrant>,
    ) -> VectorFeed {
        let slot = server.map_or_else(OnceLock::new, OnceLock::from);
        VectorFeed::new(Arc::new(Slot(slot)), at, last)
    }

    /// The reason why not all vectors are in the server; `None` when all are.
    pub fn missing(&self) -> Option<&'static str> {
        missing(*self.at.borrow(), self.last)
    }

    /// Returns when waiting is no use: all vectors are there, or the server is away.
    pub(crate) async fn settled(&mut self) {
        let last = self.last;
        let settled = |at: &FeedPosition| at.is_away || missing(*at, last).is_none();
        if self.at.wait_for(settled).await.is_err() {
            // The feed has ended, and with it the edition.
            std::future::pending::<()>().await;
        }
    }

    /// Returns when [`VectorFeed::missing`] may have changed.
    pub async fn changed(&mut self) {
        let before = self.missing();
        let last = self.last;
        let is_other = |at: &FeedPosition| missing(*at, last) != before;
        if self.at.wait_for(is_other).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Removes the vectors of a dropped edition from the server. Without a connection they stay.
    pub async fn remove(self) {
        let Some(qdrant) = self.slot.0.get().cloned() else {
            return;
        };
        let collection = qdrant.collection().to_owned();
        match qdrant.remove().await {
            Ok(()) => tracing::info!(collection, "vectors of a dropped edition removed"),
            Err(error) => tracing::warn!(
                %error, collection, "vectors of a dropped edition not removed"
            ),
        }
    }
}

fn missing(at: FeedPosition, last: u64) -> Option<&'static str> {
    match at {
        FeedPosition { sequence, .. } if sequence >= last => None,
        FeedPosition { is_away: true, .. } => {
            Some("the Qdrant server is away: searches are by words alone")
        }
        _ => Some("the Qdrant server has not caught up"),
    }
}

/// Adds the Qdrant server that `retrieval.vectors` names to the parts of a search, and feeds it from now on. Without a
/// configured server, the parts stay as they are. If the server is unavailable, a task in `running` waits for it; this
/// call does not.
///
/// # Errors
/// A server that refuses, such as one that is too old.
pub async fn added(
    fed: FeedSource<'_>,
    factory: SearchFactory,
    running: &mut JoinSet<()>,
) -> Result<(SearchFactory, Option<VectorFeed>), search_factory::Error> {
    let FeedSource {
        bus,
        stop,
        options,
        edition,
        begun,
        stream,
        without_vector,
    } = fed;
    let embedder = match options.vectors {
        VectorStore::Embedded => None,
        VectorStore::Qdrant => factory.embedder(),
    };
    let Some(embedder) = embedder else {
        return Ok((factory, None));
    };
    let mut options = options.qdrant.clone();
    if *edition != Edition::main() || begun > 0 {
        // Editions never share vectors, whatever made them.
        options.collection_prefix = format!("{}-{edition}-{begun}", options.collection_prefix);
    }
    let connection = Connection {
        options,
        embedder,
        slot: Arc::default(),
    };
    let mut at = FeedPosition::default();
    match connection.open().await {
        Ok(_) => {}
        Err(error) if error.class() == Class::Permanent => {
            return Err(search_factory::Error::Qdrant(error));
        }
        Err(error) => {
            tracing::warn!(%error, "the Qdrant server is away; searching by words until it is there");
            at.is_away = true;
        }
    }
    let filter = envelope::subject::edition(edition);
    let last = bus.last(Stream::Chunks, &filter).await?;
    let last = last.map_or(0, |newest| newest.sequence);
    let (tell, at) = watch::channel(at);
    let told = FeedListener {
        at: tell,
        without_vector,
    };
    let slot = connection.slot.clone();
    let (bus, until, name) = (bus.clone(), stop.clone(), stream.to_owned());
    running.spawn(async move {
        let Some(qdrant) = connection.opened(&until).await else {
            return;
        };
        feed(&*bus, &qdrant, (&name, &filter), &told, &until).await
    });
    let vectors = VectorFeed::new(slot.clone(), at, last);
    Ok((factory.with_vectors(slot), Some(vectors)))
}

/// How the collection of an edition is reached.
struct Connection {
    options: Options,
    embedder: Arc<dyn Embedder>,
    slot: Arc<Slot>,
}

impl Connection {
    /// The collection; it connects to the server if there is no connection yet.
    async fn open(&self) -> Result<Qdrant, search::Error> {
        if let Some(qdrant) = self.slot.0.get() {
            return Ok(qdrant.clone());
        }
        let (name, dims) = (self.embedder.name(), self.embedder.dims());
        let qdrant = Qdrant::connect(&self.options, name, dims).await?;
        Ok(self.slot.0.get_or_init(|| qdrant).clone())
    }

    /// The same, waited for; `None` when told to stop.
    async fn opened(&self, stop: &CancellationToken) -> Option<Qdrant> {
        let opened = async {
            loop {
                match self.open().await {
                    Ok(qdrant) => return qdrant,
                    Err(error) => tracing::warn!(%error, "waiting for the Qdrant server"),
                }
                tokio::time::sleep(AWAY).await;
            }
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => None,
            qdrant = opened => Some(qdrant),
        }
    }
}

/// Feeds the server until told to stop; `told` hears how far it is. What is away is waited for.
pub(crate) async fn feed(
    bus: &dyn Bus,
    qdrant: &Qdrant,
    (stream, filter): (&str, &str),
    told: &FeedListener,
    stop: &CancellationToken,
) {
    while !stop.is_cancelled() {
        let Err(error) = run(bus, qdrant, (stream, filter), told, stop).await else {
            return;
        };
        tracing::warn!(%error, "feed of the Qdrant server interrupted");
        told.at
            .send_modify(|at| at.is_away = matches!(error, Interrupted::Qdrant(_)));
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
    told: &FeedListener,
    stop: &CancellationToken,
) -> Result<(), Interrupted> {
    // The collection may have been deleted, or the server restored without it: then it is filled again.
    qdrant.ensure_collection().await?;
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
    told.at.send_replace(FeedPosition {
        sequence: at,
        is_away: false,
    });
    let mut reader = bus.read(Stream::Chunks, filter, at + 1).await?;
    loop {
        let batch = tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(()),
            batch = batch(&mut *reader) => batch?,
        };
        let Some(last) = batch.last().map(|message| message.sequence) else {
            // Nothing new, and what was written may be gone.
            match position(qdrant, stream).await? < at {
                true => return Err(Interrupted::Behind),
                false => continue,
            }
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
                match then(at, last, position(qdrant, stream).await?) {
                    Then::Back => return Err(Interrupted::Behind),
                    Then::WriteOn => must_write = true,
                    Then::Commit => {
                        qdrant.commit(last, stream).await?;
                        must_write = false;
                    }
                }
            }
        }
        at = last;
        told.at.send_replace(FeedPosition {
            sequence: at,
            is_away: false,
        });
    }
}

/// What to do with a part of the stream.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// Go back to the position in the server.
    Back,
    /// Another feed has written it.
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

/// What to do once a part is written.
#[derive(Debug, PartialEq, Eq)]
enum Then {
    /// Go back to the position in the server: what was before the part is gone.
    Back,
    /// Say how far the server is.
    Commit,
    /// Skip nothing for now: another feed is ahead, and may have newer vectors.
    WriteOn,
}

/// What to do when the part after `at` up to `last` is written, and the server is at `position` now.
fn then(at: u64, last: u64, position: u64) -> Then {
    match position {
        _ if position < at => Then::Back,
        _ if position > last => Then::WriteOn,
        _ => Then::Commit,
    }
}

/// Where the server stands in this stream.
async fn position(qdrant: &Qdrant, stream: &str) -> Result<u64, search::Error> {
    let position = qdrant.position().await?;
    let ours = position.filter(|position| position.stream == stream);
    Ok(ours.map_or(0, |position| position.sequence))
}

/// The next messages: as many as a batch has, or all before a pause, or those of a second. None when
/// nothing comes for long.
async fn batch(reader: &mut dyn Reader) -> Result<Vec<StoredMessage>, BusError> {
    let Ok(first) = tokio::time::timeout(LOOK, reader.next()).await else {
        return Ok(Vec::new());
    };
    let (first, _) = first?;
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
fn records(batch: &[StoredMessage]) -> Vec<ChunkRecord> {
    let records = batch.iter().map(|m| ChunkRecord::decode(&m.body));
    records.filter_map(Result::ok).collect()
}

#[cfg(test)]
#[path = "qdrant_rules_tests.rs"]
mod rules_tests;
#[cfg(test)]
#[path = "vector_feed_tests.rs"]
mod tests;
