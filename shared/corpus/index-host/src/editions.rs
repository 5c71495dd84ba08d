//! The indexes of a retriever: one for each edition, and searches over the current one.
//!
//! Each edition is fed into a folder of its own. When the stored record of editions names another one as current, every
//! replica swaps by itself: once the index of that edition has all messages that were stored before the change, the
//! next search uses it. A running search ends on the index where it began, so no search reads two editions. The index
//! of an edition that was dropped is kept until its last search has ended, then its folder is deleted. If a Qdrant
//! server keeps the vectors, a swap also waits for the vectors, unless the server is unavailable. *Not* here: how an
//! index is opened ([`OpenEdition`]), and what changes the record (`streams::editions`).

mod error;
mod lag;
mod serving;

pub use error::Error;

use crate::vector_feed::VectorFeed;
use bus::{Bus, BusError, Stream};
use envelope::{Edition, subject};
use futures_util::future::BoxFuture;
use index::{Access, Index};
use search::Searcher;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use streams::access::{self, StoredRules};
use streams::editions::{self, Record};
use streams::feed::{Projection, feed};
use telemetry::Health;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The opened index of one edition.
pub struct OpenIndex {
    /// The searcher over the index.
    pub searcher: Arc<dyn Searcher>,
    /// The view that takes the chunks of the edition in.
    pub view: Box<dyn Projection>,
    /// The index itself, for counts.
    pub index: Index,
    /// The sequence up to which a search finds the messages of the stream.
    pub seen: watch::Receiver<u64>,
    /// The feed of its vectors, if a Qdrant server keeps them.
    pub vectors: Option<VectorFeed>,
    /// Other tasks of the index; they end with [`OpenRequest::stop`].
    pub tasks: JoinSet<()>,
}

/// A request to open the index of an edition.
#[derive(Clone, Copy)]
pub struct OpenRequest<'a> {
    /// The edition.
    pub edition: &'a Edition,
    /// The number of the edition's beginning, which distinguishes it from an earlier one of the same name.
    pub begun: u64,
    /// The folder of its index.
    pub dir: &'a Path,
    /// The name of the source that feeds the index. A stream or an edition that was begun again has another name, and
    /// then the files in the folder are not used.
    pub stream: &'a str,
    /// The rules of who may read what, which the index has to have.
    pub access: &'a Access,
    /// Cancelled when the index is no longer needed.
    pub stop: &'a CancellationToken,
}

/// Opens the index of an edition.
pub trait OpenEdition: Send + Sync + 'static {
    /// Opens the index of an edition, with its feed and its tasks.
    fn open<'a>(&'a self, what: OpenRequest<'a>) -> BoxFuture<'a, Result<OpenIndex, Error>>;
}

/// The surroundings of the indexes: their feed, their folder, and where their state is reported.
pub struct IndexContext {
    /// The bus.
    pub bus: Arc<dyn Bus>,
    /// The rules of who may read what. They are read before an index is opened, and kept as the bus says.
    pub access: Access,
    /// Metrics that report how far the indexes are behind.
    pub metrics: index::Metrics,
    /// Readiness. The conditions are `index`, and `vectors` if a Qdrant server keeps the vectors of the current
    /// edition.
    pub health: Health,
    /// Cancelled when the process stops.
    pub stop: CancellationToken,
    /// A folder for the folders of the editions.
    pub dir: PathBuf,
}

/// How long an absent bus, or an index that cannot be opened, is left alone.
const AGAIN: Duration = Duration::from_millis(500);
/// How long a dropped index waits for the searches on it.
const LINGER: Duration = Duration::from_secs(30);
/// How often it looks whether they have ended.
const LOOK: Duration = Duration::from_millis(200);
/// The conditions of being ready.
const CONDITION: &str = "index";
const VECTORS: &str = "vectors";
/// What the name of a folder begins with that is to be deleted.
const LEFT: &str = ".left-";

/// The searcher of the current edition.
pub struct EditionRouter {
    of: RwLock<Searched>,
    caught_up: watch::Sender<bool>,
}

/// What is searched at present.
#[derive(Clone)]
struct Searched {
    edition: Edition,
    searcher: Arc<dyn Searcher>,
    index: Index,
    seen: watch::Receiver<u64>,
}

impl EditionRouter {
    fn of(searched: Searched) -> EditionRouter {
        EditionRouter {
            of: RwLock::new(searched),
            caught_up: watch::Sender::new(false),
        }
    }

    /// Whether the index has reached the end that the corpus had when the index was opened. Before that, a search would
    /// cover only a part of the corpus.
    pub fn caught_up(&self) -> watch::Receiver<bool> {
        self.caught_up.subscribe()
    }

    fn get(&self) -> Searched {
        self.of
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set(&self, new: Searched) {
        *self.of.write().unwrap_or_else(PoisonError::into_inner) = new;
        self.caught_up.send_replace(true);
    }

    /// The index that is searched at present.
    pub fn index(&self) -> Index {
        self.get().index
    }

    /// The edition that is searched at present, and the sequence of the corpus stream that its index has
    /// reached.
    pub fn reached(&self) -> (Edition, u64) {
        let Searched { edition, seen, .. } = self.get();
        let at = *seen.borrow();
        (edition, at)
    }
}

/// The index of an edition, being fed.
struct Held {
    /// Tells it from an earlier edition of the same name.
    begun: u64,
    searched: Searched,
    vectors: Option<VectorFeed>,
    dir: PathBuf,
    stop: CancellationToken,
    fed: JoinSet<()>,
}

impl Held {
    /// Ends the feed; what it had taken in is settled.
    async fn end(&mut self) {
        self.stop.cancel();
        while self.fed.join_next().await.is_some() {}
    }
}

/// All that a replica holds.
struct Keeper {
    home: IndexContext,
    open: Arc<dyn OpenEdition>,
    stream: String,
    held: BTreeMap<Edition, Held>,
    /// What is searched, and when it was begun.
    serving: (Edition, u64),
    current: Arc<EditionRouter>,
    is_ready: bool,
    /// Whether the condition of vectors was ever told.
    has_vectors: bool,
    /// Dropped indexes on their way out.
    leaving: JoinSet<()>,
    left: u64,
}

/// Opens the index of the current edition, and from then on the indexes of the editions that the record names. The
/// tasks are in `running` and end with [`IndexContext::stop`]. If the corpus stream does not exist yet, this waits for
/// it.
pub async fn start(
    home: IndexContext,
    open: Arc<dyn OpenEdition>,
    running: &mut JoinSet<()>,
) -> Result<Arc<EditionRouter>, Error> {
    let waiting = "catching up with the corpus";
    home.health.not_ready(CONDITION, waiting);
    let (stream, record, stored) = first(&home).await?;
    home.access.set(stored.rules);
    let serving = record.editions.current.clone();
    let held = hold(&home, &*open, &serving, &record, &stream).await?;
    // Only now: a process before this one that still drains had its files until here.
    clear(&home.dir, &record);
    let begun = held.begun;
    let current = Arc::new(EditionRouter::of(held.searched.clone()));
    let (told, record) = watch::channel(record);
    let (bus, stop) = (home.bus.clone(), home.stop.clone());
    running.spawn(async move { editions::watch(&*bus, told, stop).await });
    let (bus, stop, kept) = (home.bus.clone(), home.stop.clone(), home.access.clone());
    running.spawn(async move {
        access::watch(&*bus, stored.sequence, |rules| kept.set(rules), stop).await;
    });
    let keeper = Keeper {
        home,
        open,
        stream,
        held: BTreeMap::from([(serving.clone(), held)]),
        serving: (serving, begun),
        current: current.clone(),
        is_ready: false,
        has_vectors: false,
        leaving: JoinSet::new(),
        left: 0,
    };
    running.spawn(keeper.keep(record));
    Ok(current)
}

/// The stream of the corpus by name, and the record and the rules as they are now.
async fn first(home: &IndexContext) -> Result<(String, Record, StoredRules), Error> {
    let look = async || -> Result<_, BusError> {
        let state = home.bus.state(Stream::Chunks).await?;
        let stream = format!("{}@{}", Stream::Chunks.name(), state.created_ms);
        let record = editions::read(&*home.bus).await?;
        Ok((stream, record, access::read(&*home.bus).await?))
    };
    loop {
        match look().await {
            Ok(found) => return Ok(found),
            Err(error @ BusError::Refused(_)) => {
                tracing::error!(%error, "a record of the corpus cannot be read");
            }
            Err(error) => tracing::warn!(%error, "the corpus stream is not there yet"),
        }
        let told = tokio::time::timeout(AGAIN, home.stop.cancelled()).await;
        if told.is_ok() {
            return Err(Error::Stopped);
        }
    }
}

/// Opens the index of an edition and begins to feed it.
async fn hold(
    home: &IndexContext,
    open: &dyn OpenEdition,
    edition: &Edition,
    record: &Record,
    stream: &str,
) -> Result<Held, Error> {
    let begun = record.editions.begun(edition);
    let stream = format!("{stream}/{edition}@{begun}");
    let dir = home.dir.join(edition.as_str());
    let stop = home.stop.child_token();
    let what = OpenRequest {
        edition,
        begun,
        dir: &dir,
        stream: &stream,
        access: &home.access,
        stop: &stop,
    };
    let OpenIndex {
        searcher,
        index,
        mut view,
        seen,
        vectors,
        tasks: mut fed,
    } = open.open(what).await?;
    let bus = home.bus.clone();
    let (until, filter) = (stop.clone(), subject::edition(edition));
    fed.spawn(async move { feed(&*bus, Stream::Chunks, &filter, &mut *view, until).await });
    let (bus, until, at) = (home.bus.clone(), stop.clone(), seen.clone());
    let behind = home.metrics.lag(edition.as_str());
    let filter = subject::edition(edition);
    fed.spawn(async move {
        tokio::select! {
            () = until.cancelled() => {}
            () = lag::tell(&*bus, &filter, &at, &behind) => {}
        }
    });
    Ok(Held {
        begun,
        searched: Searched {
            edition: edition.clone(),
            searcher,
            index,
            seen,
        },
        vectors,
        dir,
        stop,
        fed,
    })
}

/// Comes back when the index holds all that is stored of its edition now.
async fn caught_up(bus: &dyn Bus, edition: &Edition, mut seen: watch::Receiver<u64>) -> u64 {
    let filter = subject::edition(edition);
    let last = loop {
        match bus.last(Stream::Chunks, &filter).await {
            Ok(newest) => break newest.map_or(0, |newest| newest.sequence),
            Err(error) => tracing::warn!(%error, "the end of the corpus stream cannot be read yet"),
        }
        tokio::time::sleep(AGAIN).await;
    };
    if seen.wait_for(|seen| *seen >= last).await.is_err() {
        // The feed has ended, which it does when the process is told to stop.
        std::future::pending::<()>().await;
    }
    last
}

impl Keeper {
    async fn keep(mut self, mut record: watch::Receiver<Record>) {
        loop {
            let wanted = record.borrow_and_update().clone();
            self.release(&wanted).await;
            let is_whole = self.hold_all(&wanted).await;
            let current = wanted.editions.current.clone();
            let held = self.held.get(&current);
            let held = held.map(|held| (held.searched.seen.clone(), held.vectors.clone()));
            let mut searched = self.vectors();
            let begun = wanted.editions.begun(&current);
            let behind = !self.is_ready || self.serving != (current.clone(), begun);
            let bus = self.home.bus.clone();
            let caught_up = async {
                let Some((seen, vectors)) = held else {
                    return std::future::pending().await;
                };
                let sequence = caught_up(&*bus, &current, seen).await;
                if let Some(mut vectors) = vectors {
                    vectors.settled().await;
                }
                sequence
            };
            let moved = async {
                match &mut searched {
                    Some(vectors) => vectors.changed().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = self.home.stop.cancelled() => break,
                changed = record.changed() => if changed.is_err() { break },
                sequence = caught_up, if behind => self.serve(&current, sequence),
                // Told at the top.
                () = moved => {}
                Some(_) = self.leaving.join_next(), if !self.leaving.is_empty() => {}
                () = tokio::time::sleep(AGAIN * 10), if !is_whole => {}
            }
        }
        for held in self.held.values_mut() {
            held.end().await;
        }
        // What was to be deleted and is not yet goes at the next start.
        self.leaving.shutdown().await;
    }

    /// Opens what the record names and is not held; false when one cannot be opened now.
    async fn hold_all(&mut self, wanted: &Record) -> bool {
        let mut is_whole = true;
        for edition in wanted.editions.all() {
            if self.held.contains_key(edition) {
                continue;
            }
            match hold(&self.home, &*self.open, edition, wanted, &self.stream).await {
                Ok(held) => {
                    tracing::info!(%edition, "edition is fed");
                    self.held.insert(edition.clone(), held);
                }
                Err(error) => {
                    tracing::error!(%edition, %error, "edition not opened; tried again");
                    is_whole = false;
                }
            }
        }
        is_whole
    }

    /// The vectors that are searched, where a server keeps them; tells whether they are all there.
    fn vectors(&mut self) -> Option<VectorFeed> {
        let held = self.held.get(&self.serving.0);
        let vectors = held.and_then(|held| held.vectors.clone());
        self.has_vectors |= vectors.is_some();
        if self.has_vectors {
            match vectors.as_ref().and_then(VectorFeed::missing) {
                Some(reason) => self.home.health.not_ready(VECTORS, reason),
                None => self.home.health.ready(VECTORS),
            }
        }
        vectors
    }

    /// From now on searches are over this edition.
    fn serve(&mut self, edition: &Edition, sequence: u64) {
        if let Some(held) = self.held.get(edition) {
            self.current.set(held.searched.clone());
            self.serving = (edition.clone(), held.begun);
            tracing::info!(%edition, sequence, "edition is searched");
        }
        self.is_ready = true;
        self.home.health.ready(CONDITION);
    }

    /// Lets go of what the record does not name any more; what is searched stays until something else is.
    async fn release(&mut self, wanted: &Record) {
        let editions = &wanted.editions;
        let is_gone = |(edition, held): &(&Edition, &Held)| match editions.has(edition) {
            // Of another of that name nothing is of use, though searches stay on it for a while.
            true => editions.begun(edition) != held.begun,
            false => **edition != self.serving.0,
        };
        let gone = self.held.iter().filter(is_gone);
        let gone: Vec<Edition> = gone.map(|(edition, _)| edition.clone()).collect();
        for edition in gone {
            let Some(mut held) = self.held.remove(&edition) else {
                continue;
            };
            held.end().await;
            if let Some(vectors) = held.vectors.take() {
                self.leaving.spawn(vectors.remove());
            }
            // Out of the way at once: an edition of that name may be begun again.
            self.left += 1;
            let aside = self.home.dir.join(format!("{LEFT}{}-{edition}", self.left));
            if let Err(error) = std::fs::rename(&held.dir, &aside) {
                tracing::warn!(%edition, %error, "a dropped index could not be put aside");
                continue;
            }
            tracing::info!(%edition, "edition dropped");
            self.leaving.spawn(leave(held.searched.searcher, aside));
        }
    }
}

/// Deletes a dropped index once no search uses it any more.
async fn leave(searcher: Arc<dyn Searcher>, dir: PathBuf) {
    let unused = async {
        while Arc::strong_count(&searcher) > 1 {
            tokio::time::sleep(LOOK).await;
        }
    };
    let _ = tokio::time::timeout(LINGER, unused).await;
    drop(searcher);
    remove(&dir);
}

fn remove(dir: &Path) {
    if let Err(error) = std::fs::remove_dir_all(dir) {
        tracing::warn!(dir = %dir.display(), %error, "dropped index not deleted");
    }
}

/// Deletes what an earlier process left of editions that are no more.
fn clear(dir: &Path, record: &Record) {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_gone = match Edition::new(name.as_str()) {
            Ok(edition) => !record.editions.has(&edition),
            Err(_) => name.starts_with(LEFT),
        };
        if is_gone && entry.path().is_dir() {
            remove(&entry.path());
        }
    }
}

#[cfg(test)]
#[path = "editions_tests.rs"]
mod tests;
