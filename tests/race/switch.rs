//! Tests the switch from one edition to another while searches run: each search uses only one of them.
//!
//! The indexes are fakes whose results tell their edition; the code that holds and swaps the indexes is real.

use crate::editions::small;
use crate::ingest::{notice, text};
use crate::world::{On, World, until, within};
use bus::StoredMessage;
use envelope::{ChunkRecord, Edition, Filter, Principal};
use futures_util::future::BoxFuture;
use index::{Index, VectorSource};
use index_host::editions::{Error, IndexContext, OpenEdition, OpenIndex, OpenRequest, start};
use search::{SearchRequest, SearchResult, Searcher};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use streams::editions;
use streams::feed::Projection;
use telemetry::Health;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// An index that keeps records as they come. A search reads it in two halves, with time in between.
#[derive(Default)]
struct Shelf(Mutex<BTreeMap<String, ChunkRecord>>);

struct ShelfSearcher {
    edition: Edition,
    shelf: Arc<Shelf>,
}

impl Searcher for ShelfSearcher {
    fn search<'a>(
        &'a self,
        _request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, search::Error>> {
        let half = |wanted: u32| {
            let records = self.shelf.0.lock().unwrap();
            let of_it = records.values().filter(move |r| r.n % 2 == wanted).cloned();
            let passages = of_it.map(|record| {
                let mut passage = record.into_passage(1.0);
                passage.title = self.edition.to_string();
                passage
            });
            passages.collect::<Vec<_>>()
        };
        Box::pin(async move {
            let mut passages = half(0);
            tokio::time::sleep(Duration::from_millis(5)).await;
            passages.extend(half(1));
            Ok(SearchResult {
                passages,
                ..SearchResult::default()
            })
        })
    }
}

struct ShelfView {
    shelf: Arc<Shelf>,
    at: u64,
    seen: watch::Sender<u64>,
    /// While this is set, the index takes nothing in.
    is_held: Option<Arc<AtomicBool>>,
}

impl Projection for ShelfView {
    fn apply(
        &mut self,
        message: StoredMessage,
        _pending: u64,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if let Some(held) = &self.is_held
            && held.load(Ordering::Relaxed)
        {
            return Err("held up".into());
        }
        let record = ChunkRecord::decode(&message.body)?;
        let mut records = self.shelf.0.lock().unwrap();
        records.insert(message.subject.clone(), record);
        self.at = message.sequence;
        Ok(())
    }

    fn settle(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.seen.send_replace(self.at);
        Ok(())
    }

    fn position(&self) -> u64 {
        self.at
    }
}

struct Shelves {
    small_is_held: Arc<AtomicBool>,
    /// What each opened index was fed from.
    opened: Mutex<Vec<String>>,
}

impl OpenEdition for Shelves {
    fn open<'a>(&'a self, what: OpenRequest<'a>) -> BoxFuture<'a, Result<OpenIndex, Error>> {
        let OpenRequest {
            edition,
            dir,
            stream,
            ..
        } = what;
        std::fs::create_dir_all(dir).unwrap();
        self.opened.lock().unwrap().push(stream.to_owned());
        let shelf = Arc::new(Shelf::default());
        let (seen, receiver) = watch::channel(0);
        let is_small = *edition == small();
        let view = ShelfView {
            shelf: shelf.clone(),
            at: 0,
            seen,
            is_held: is_small.then(|| self.small_is_held.clone()),
        };
        let searcher = ShelfSearcher {
            edition: edition.clone(),
            shelf,
        };
        Box::pin(std::future::ready(Ok(OpenIndex {
            searcher: Arc::new(searcher),
            index: Index::open_in_ram(&VectorSource::None).unwrap(),
            tasks: JoinSet::new(),
            view: Box::new(view),
            seen: receiver,
            vectors: None,
        })))
    }
}

/// Searches once. All passages have to be of one edition, whole; returns the edition.
async fn search(searcher: &dyn Searcher) -> Option<String> {
    let request = SearchRequest {
        principal: Principal::default(),
        buckets: Vec::new(),
        filter: Filter::default(),
        query: "the clause".into(),
        keywords: Vec::new(),
        context: None,
        strategy: Default::default(),
        fetch_k: 100,
        top_k: 100,
        after: None,
    };
    let found = searcher.search(&request).await.unwrap();
    let first = found.passages.first()?.title.clone();
    let titles: Vec<_> = found.passages.iter().map(|p| p.title.as_str()).collect();
    assert!(
        titles.iter().all(|t| *t == first),
        "two editions: {titles:?}"
    );
    Some(first)
}

pub(crate) async fn every_search_is_over_one_edition(on: On) {
    let world = World::new(on).await;
    let bus = &*world.bus;
    let (_main, body) = (world.indexer(&world.bus, 1), text("only", 4));
    world.document(notice(), body.clone()).await;
    world.indexed().await;

    let dir = tempfile::tempdir().unwrap();
    let health = Health::new(&[]);
    let stop = CancellationToken::new();
    let held = Arc::new(AtomicBool::new(true));
    let home = IndexContext {
        bus: world.bus.clone(),
        access: Default::default(),
        metrics: index::Metrics::new(&telemetry::Registry::new()).unwrap(),
        health: health.clone(),
        stop: stop.clone(),
        dir: dir.path().to_owned(),
    };
    // What a process before this one left of an edition that is no more.
    std::fs::create_dir_all(dir.path().join("elsewhen")).unwrap();
    let open = Arc::new(Shelves {
        small_is_held: held.clone(),
        opened: Mutex::default(),
    });
    let mut running = JoinSet::new();
    let searcher = start(home, open.clone(), &mut running).await.unwrap();
    health.started();
    until("the replica to be ready", async || health.is_ready()).await;
    assert!(!dir.path().join("elsewhen").exists());

    world.begin(&small()).await;
    let _small = world.small_indexer(&world.bus);
    world.reindex(&small(), notice(), body.clone()).await;
    world.indexed().await;
    until("a folder beside", async || {
        dir.path().join("small").exists()
    })
    .await;
    let mut asking = JoinSet::new();
    let (seen, done) = (Arc::new(Mutex::new(Vec::new())), CancellationToken::new());
    for _ in 0..8 {
        let (searcher, seen, done) = (searcher.clone(), seen.clone(), done.clone());
        asking.spawn(async move {
            while !done.is_cancelled() {
                let found = search(&*searcher).await;
                seen.lock().unwrap().push(found.unwrap());
                tokio::task::yield_now().await;
            }
        });
    }
    // The record is switched before this replica has taken in the other edition.
    let record = editions::read(bus).await.unwrap();
    editions::switch(bus, &small(), &record).await.unwrap();
    world.quiet().await;
    assert_eq!(search(&*searcher).await.as_deref(), Some("main"));
    held.store(false, Ordering::Relaxed);
    until("searches over the other edition", async || {
        search(&*searcher).await.as_deref() == Some("small")
    })
    .await;
    world.quiet().await;
    done.cancel();
    within("the last searches", async {
        while asking.join_next().await.is_some_and(|r| {
            r.unwrap();
            true
        }) {}
    })
    .await;
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    let count = |name: &str| seen.iter().filter(|s| *s == name).count();
    assert!(
        count("main") > 8 && count("small") > 8,
        "{} and {}",
        count("main"),
        count("small")
    );

    // It is taken back as fast, and a dropped one leaves no folder.
    let record = editions::read(bus).await.unwrap();
    editions::switch(bus, &Edition::main(), &record)
        .await
        .unwrap();
    until("the first edition again", async || {
        search(&*searcher).await.as_deref() == Some("main")
    })
    .await;
    drop(_small);
    editions::drop(bus, &world.topology, &small())
        .await
        .unwrap();
    // One of the same name is another one, although the replica may not have noticed the drop.
    world.begin(&small()).await;
    until("the new one to be opened", async || {
        open.opened.lock().unwrap().len() == 3
    })
    .await;
    let opened = open.opened.lock().unwrap().clone();
    assert!(opened[1] != opened[2], "{opened:?}");
    editions::drop(bus, &world.topology, &small())
        .await
        .unwrap();
    until("the folder to go", async || {
        let entries = std::fs::read_dir(dir.path()).unwrap();
        entries.count() == 1
    })
    .await;
    stop.cancel();
    within("the end", async {
        while running.join_next().await.is_some() {}
    })
    .await;
}
