//! Tests of readiness and of the swap between editions, with stub indexes that take in records when the test lets them.
//! *Not* here: searches during a swap, which the race tests cover.

use super::*;
use crate::vector_feed::FeedPosition;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bus::{Publish, StoredMessage};
use bytes::Bytes;
use envelope::lookup::{DroppedPassage, Explanation};
use index::VectorSource as Kept;
use qdrant::{Options, Qdrant};
use search::{SearchRequest, SearchResult};
use testkit::qdrant::FakeQdrant;

type Broken = Box<dyn std::error::Error + Send + Sync>;

struct Nothing;

impl Searcher for Nothing {
    fn search<'a>(
        &'a self,
        _: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, search::Error>> {
        Box::pin(std::future::ready(Ok(SearchResult::default())))
    }

    fn explain<'a>(
        &'a self,
        _: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<Explanation, search::Error>> {
        let explanation = Explanation {
            dropped: vec![DroppedPassage::default()],
            ..Explanation::default()
        };
        Box::pin(std::future::ready(Ok(explanation)))
    }
}

/// Takes in messages up to a sequence that the test says.
struct Slow {
    may: watch::Receiver<u64>,
    at: u64,
    seen: watch::Sender<u64>,
}

impl Projection for Slow {
    fn apply(&mut self, message: StoredMessage, _: u64) -> Result<(), Broken> {
        if message.sequence > *self.may.borrow() {
            return Err("held up".into());
        }
        self.at = message.sequence;
        Ok(())
    }

    fn settle(&mut self) -> Result<(), Broken> {
        self.seen.send_replace(self.at);
        Ok(())
    }

    fn position(&self) -> u64 {
        self.at
    }
}

/// Opens such indexes; the vectors of `main` are said to be in a server, those of `small` are in this.
struct Slowly {
    may: watch::Sender<u64>,
    vectors: watch::Sender<FeedPosition>,
    server: Option<Qdrant>,
}

impl OpenEdition for Slowly {
    fn open<'a>(&'a self, what: OpenRequest<'a>) -> BoxFuture<'a, Result<OpenIndex, Error>> {
        std::fs::create_dir_all(what.dir).unwrap();
        let is_main = *what.edition == Edition::main();
        if is_main {
            // The earlier user of the folder may still use what it left.
            assert!(what.dir.with_file_name("elsewhen").exists());
        }
        let (seen, receiver) = watch::channel(0);
        let view = Slow {
            may: self.may.subscribe(),
            at: 0,
            seen,
        };
        let vectors = match (is_main, &self.server) {
            (true, _) => Some(VectorFeed::told(self.vectors.subscribe(), 2, None)),
            (false, None) => None,
            (false, server) => {
                let (_, at) = watch::channel(FeedPosition::default());
                Some(VectorFeed::told(at, 0, server.clone()))
            }
        };
        let opened = OpenIndex {
            searcher: Arc::new(Nothing),
            index: Index::open_in_ram(&Kept::None).unwrap(),
            view: Box::new(view),
            seen: receiver,
            vectors,
            tasks: JoinSet::new(),
        };
        Box::pin(std::future::ready(Ok(opened)))
    }
}

/// A replica over a corpus of two messages.
struct Replica {
    bus: Arc<MemoryBus>,
    open: Arc<Slowly>,
    health: Health,
    stop: CancellationToken,
    caught_up: watch::Receiver<bool>,
    running: JoinSet<()>,
    dir: tempfile::TempDir,
}

impl Replica {
    async fn start(server: Option<Qdrant>) -> Replica {
        let bus = MemoryBus::new(&Topology::default());
        for n in 0..2 {
            let message = format!("argosy.chunk.main.b.d.{n}");
            let message = Publish::new(message, Bytes::from_static(b"{}"));
            bus.publish(message).await.unwrap();
        }
        let registry = telemetry::Registry::new();
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("elsewhen")).unwrap();
        let (health, stop) = (Health::new(&[]), CancellationToken::new());
        let home = IndexContext {
            bus: bus.clone(),
            access: Default::default(),
            metrics: index::Metrics::new(&registry).unwrap(),
            health: health.clone(),
            stop: stop.clone(),
            dir: dir.path().to_owned(),
        };
        let open = Arc::new(Slowly {
            may: watch::Sender::new(1),
            vectors: watch::Sender::new(FeedPosition::default()),
            server,
        });
        let mut running = JoinSet::new();
        let serving = start(home, open.clone(), &mut running).await.unwrap();
        assert!(!dir.path().join("elsewhen").exists());
        let caught_up = serving.caught_up();
        Replica {
            bus,
            open,
            health,
            stop,
            caught_up,
            running,
            dir,
        }
    }

    /// Whether it has caught up after a while, and why not every condition is met.
    async fn after_a_while(&self) -> (bool, Vec<(String, String)>) {
        tokio::time::sleep(Duration::from_secs(60)).await;
        let conditions = self.health.report().conditions.into_iter();
        let reasons = conditions.filter_map(|(name, one)| Some((name, one.reason?)));
        (*self.caught_up.borrow(), reasons.collect())
    }

    async fn end(mut self) {
        self.stop.cancel();
        while self.running.join_next().await.is_some() {}
    }
}

fn at(sequence: u64, is_away: bool) -> FeedPosition {
    FeedPosition { sequence, is_away }
}

#[tokio::test(start_paused = true)]
async fn it_has_caught_up_when_the_index_and_the_vectors_have() {
    let replica = Replica::start(None).await;
    let (caught_up, reasons) = replica.after_a_while().await;
    let names: Vec<_> = reasons.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((caught_up, names), (false, vec!["index", "vectors"]));
    replica.open.may.send_replace(2);
    assert!(!replica.after_a_while().await.0, "the server is behind");
    replica.open.vectors.send_replace(at(2, false));
    assert_eq!(replica.after_a_while().await, (true, vec![]));
    // The collection was emptied: this is reported, and no index is removed for it.
    replica.open.vectors.send_replace(at(0, false));
    let (caught_up, reasons) = replica.after_a_while().await;
    assert_eq!((caught_up, reasons[0].0.as_str()), (true, "vectors"));
    replica.end().await;
}

#[tokio::test]
async fn reasons_are_those_of_the_index_that_is_searched() {
    let (_, seen) = watch::channel(0);
    let router = EditionRouter::of(Searched {
        edition: Edition::main(),
        searcher: Arc::new(Nothing),
        index: Index::open_in_ram(&Kept::None).unwrap(),
        seen,
    });
    let request = SearchRequest::new(envelope::TenantId::default_tenant(), "rent", 10, 5);
    let explanation = router.explain(&request).await.unwrap();
    assert_eq!(explanation.dropped, [DroppedPassage::default()]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_away_is_told_and_not_waited_for() {
    let replica = Replica::start(None).await;
    replica.open.may.send_replace(2);
    replica.open.vectors.send_replace(at(0, true));
    let (caught_up, reasons) = replica.after_a_while().await;
    assert!(caught_up);
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    assert!(reasons[0].1.contains("words alone"), "{reasons:?}");
    // The edition that is searched next keeps its vectors itself: nothing is missing any more, though
    // the one before is still fed.
    let small = Edition::new("small").unwrap();
    let begun = editions::begin(&*replica.bus, &Topology::default(), &small).await;
    editions::switch(&*replica.bus, &small, &begun.unwrap())
        .await
        .unwrap();
    assert_eq!(replica.after_a_while().await, (true, vec![]));
    assert!(replica.dir.path().join("small").exists());
    replica.end().await;
}

#[tokio::test]
async fn the_vectors_of_a_dropped_edition_leave_the_server() {
    let server = FakeQdrant::start().await.unwrap();
    let options = Options {
        url: server.url(),
        ..Options::default()
    };
    let qdrant = Qdrant::connect(&options, "compass", 2).await.unwrap();
    let replica = Replica::start(Some(qdrant)).await;
    let small = Edition::new("small").unwrap();
    let (bus, topology) = (&*replica.bus, Topology::default());
    let until = async |what: &str, holds: &dyn Fn() -> bool| {
        let look = async {
            while !holds() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let came = tokio::time::timeout(Duration::from_secs(30), look).await;
        came.unwrap_or_else(|_| panic!("{what} did not come"));
    };
    editions::begin(bus, &topology, &small).await.unwrap();
    let folder = replica.dir.path().join("small");
    until("the edition", &|| folder.exists()).await;
    editions::drop(bus, &topology, &small).await.unwrap();
    let removed = || {
        let calls = server.calls();
        calls.iter().any(|(call, _)| *call == "delete_collection")
    };
    until("the removal", &removed).await;
    replica.end().await;
}
