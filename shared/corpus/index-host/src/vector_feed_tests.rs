//! Tests of the feed against a fake server that speaks the real protocol.

use super::*;
use bus::Publish;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use envelope::{Embedding, TenantId};
use index::{HybridSearcher, Index, Models};
use llm_pool::Pools;
use search::{SearchPart, SearchResult, Searcher};
use settings::TimeSpan;
use testkit::embedder::FakeEmbedder;
use testkit::qdrant::{Code, FakeQdrant, QdrantFault};

/// Vectors in this file have two numbers.
fn compass() -> Arc<FakeEmbedder> {
    FakeEmbedder::new("compass", |_| [0.0, 1.0])
}

/// A document of one chunk; `version` is its hash, and the end of its vector.
fn record(doc: &str, version: u8, text: &str) -> ChunkRecord {
    let record = serde_json::json!({
        "v": 1, "tenant": "default", "bucket": "maps", "doc_id": doc, "n": 0, "of": 1,
        "hash": version.to_string(), "source": format!("maps/{doc}.md"), "text": text,
    });
    ChunkRecord {
        embedding: Some(Embedding::of("compass", &[1.0, f32::from(version)])),
        ..serde_json::from_value(record).unwrap()
    }
}

/// Texts that are alike would be shown once.
fn numbered(n: u32) -> ChunkRecord {
    record(&format!("d{n}"), 1, &format!("text {n}"))
}

async fn publish(bus: &dyn Bus, record: &ChunkRecord) -> u64 {
    let body = record.encode().unwrap();
    let subject = record.subject(&envelope::Edition::main());
    bus.publish(Publish::new(subject, body)).await.unwrap();
    bus.state(Stream::Chunks).await.unwrap().last
}

struct World {
    server: FakeQdrant,
    qdrant: Qdrant,
    bus: Arc<MemoryBus>,
    registry: telemetry::Registry,
    metrics: index::Metrics,
}

impl World {
    async fn new() -> World {
        let server = FakeQdrant::start().await.unwrap();
        let options = Options {
            url: server.url(),
            timeout: TimeSpan::from_secs(5),
            ..Options::default()
        };
        let registry = telemetry::Registry::new();
        World {
            metrics: index::Metrics::new(&registry).unwrap(),
            registry,
            qdrant: Qdrant::connect(&options, "compass", 2).await.unwrap(),
            server,
            bus: MemoryBus::new(&Topology::default()),
        }
    }

    /// Feeds until `work` is done, which is told how far the feed is.
    async fn feeding<T>(&self, work: impl AsyncFnOnce(watch::Receiver<FeedPosition>) -> T) -> T {
        let (tell, at) = watch::channel(FeedPosition::default());
        let told = FeedListener {
            at: tell,
            without_vector: self.metrics.without_vector("main"),
        };
        let stop = CancellationToken::new();
        let done = async {
            let done = tokio::time::timeout(Duration::from_secs(120), work(at)).await;
            stop.cancel();
            done.expect("the feed gets there")
        };
        let feed = feed(
            &*self.bus,
            &self.qdrant,
            ("chunks@1", "argosy.chunk.main.>"),
            &told,
            &stop,
        );
        tokio::join!(feed, done).1
    }

    /// Feeds until everything up to `last` is there.
    async fn feed_to(&self, last: u64) {
        let reached = async |mut at: watch::Receiver<FeedPosition>| {
            at.wait_for(|at| at.sequence >= last).await.unwrap();
        };
        self.feeding(reached).await;
    }

    fn written(&self) -> usize {
        let calls = self.server.calls();
        // The position is a point of its own, and so is a chunk here: what counts is writes of more.
        calls
            .iter()
            .filter(|(call, points)| *call == "upsert" && *points > 1)
            .count()
    }
}

/// Searches by words in an index, by vectors in the server.
async fn search(world: &World, index: &Index) -> SearchResult {
    let searcher =
        HybridSearcher::new(index.clone(), index::Options::default()).with_models(Models {
            embedder: Some(compass()),
            elsewhere: Some(Arc::new(world.qdrant.clone())),
            reranker: None,
        });
    searcher.search(&harbour()).await.unwrap()
}

fn harbour() -> SearchRequest {
    SearchRequest::new(TenantId::default_tenant(), "harbour", 10, 5)
}

fn index_of(records: &[ChunkRecord]) -> Index {
    let index = Index::open_in_ram(&index::VectorSource::None).unwrap();
    let mut writer = index.writer().unwrap();
    writer.apply(records).unwrap();
    writer.commit(1, "s").unwrap();
    index
}

fn found(result: &SearchResult) -> Vec<&str> {
    let mut found: Vec<_> = result.passages.iter().map(|p| p.doc_id.as_str()).collect();
    found.sort_unstable();
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_in_the_stream_is_found_by_its_vector() {
    let world = World::new().await;
    let records = [
        record("north", 9, "up the map"),
        record("east", 0, "a harbour"),
    ];
    let mut last = 0;
    for record in &records {
        last = publish(&*world.bus, record).await;
    }
    world.feed_to(last).await;
    let index = index_of(&records);
    let result = search(&world, &index).await;
    assert_eq!(
        found(&result),
        ["east", "north"],
        "one by its word, one by its vector"
    );
    assert_eq!(result.failed, []);

    // Away: words answer, and the search says so.
    world
        .server
        .script(vec![QdrantFault::Refuse(Code::Unavailable); 2]);
    let result = search(&world, &index).await;
    assert_eq!(
        (found(&result), &result.failed),
        (vec!["east"], &vec![SearchPart::Vectors])
    );

    // Gone from the stream, gone from the server.
    let gone = ChunkRecord {
        deleted: true,
        ..record("north", 9, "")
    };
    let last = publish(&*world.bus, &gone).await;
    world.feed_to(last).await;
    assert_eq!(found(&search(&world, &index).await), ["east"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn chunks_that_vectors_cannot_find_are_told() {
    let world = World::new().await;
    let bare = ChunkRecord {
        embedding: None,
        ..record("bare", 1, "text")
    };
    publish(&*world.bus, &bare).await;
    let last = publish(&*world.bus, &record("north", 9, "up")).await;
    world.feed_to(last).await;
    let line = "argosy_retrieval_chunks_without_vector{edition=\"main\"} 1";
    let text = world.registry.encode();
    assert!(text.lines().any(|l| l == line), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_away_is_waited_for() {
    let world = World::new().await;
    let last = publish(&*world.bus, &record("north", 9, "up")).await;
    // Every call is made twice by the client when it may be the connection.
    world
        .server
        .script(vec![QdrantFault::Refuse(Code::Unavailable); 4]);
    world.server.script([QdrantFault::Busy(0)]);
    world.feed_to(last).await;
    assert_eq!(
        world.qdrant.position().await.unwrap().unwrap().sequence,
        last
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fresh_replica_writes_nothing_that_is_there() {
    let world = World::new().await;
    let mut last = 0;
    for n in 0..20 {
        last = publish(&*world.bus, &numbered(n)).await;
    }
    world.feed_to(last).await;
    assert_eq!(world.written(), 1);
    world.feed_to(last).await;
    assert_eq!(world.written(), 1, "it began where the first one ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_emptied_collection_is_filled_again() {
    let world = World::new().await;
    for n in 0..5 {
        publish(&*world.bus, &numbered(n)).await;
    }
    world
        .feeding(async |mut at| {
            at.wait_for(|at| at.sequence >= 5).await.unwrap();
            world.qdrant.clear().await.unwrap();
            let last = publish(&*world.bus, &record("north", 9, "up")).await;
            // Its own place in the stream is ahead of the server's: it goes back, and says so.
            at.wait_for(|at| at.sequence < 5).await.unwrap();
            at.wait_for(|at| at.sequence >= last).await.unwrap();
        })
        .await;
    let all: Vec<_> = (0..5).map(numbered).collect();
    assert_eq!(search(&world, &index_of(&all)).await.passages.len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collection_that_is_gone_is_made_again_and_filled() {
    let world = World::new().await;
    let all: Vec<_> = (0..5).map(numbered).collect();
    for record in &all {
        publish(&*world.bus, record).await;
    }
    world
        .feeding(async |mut at| {
            at.wait_for(|at| at.sequence >= 5).await.unwrap();
            world.qdrant.clone().remove().await.unwrap();
            let last = publish(&*world.bus, &record("north", 9, "up")).await;
            at.wait_for(|at| at.is_away).await.unwrap();
            at.wait_for(|at| !at.is_away && at.sequence >= last)
                .await
                .unwrap();
        })
        .await;
    let result = search(&world, &index_of(&all)).await;
    assert_eq!((result.passages.len(), result.failed), (5, Vec::new()));
}

/// No more messages are published: searches would otherwise be without vectors until the next one.
#[tokio::test]
async fn what_is_gone_is_noticed_although_nothing_comes() {
    let world = World::new().await;
    let last = publish(&*world.bus, &numbered(0)).await;
    world
        .feeding(async |mut at| {
            at.wait_for(|at| at.sequence >= last).await.unwrap();
            world.qdrant.clone().remove().await.unwrap();
            tokio::time::pause();
            tokio::time::advance(LOOK).await;
            tokio::time::resume();
            at.wait_for(|at| at.is_away).await.unwrap();
            at.wait_for(|at| !at.is_away && at.sequence >= last)
                .await
                .unwrap();
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_stream_begins_anew() {
    let world = World::new().await;
    let old = record("old", 1, "text");
    world
        .qdrant
        .apply(std::slice::from_ref(&old))
        .await
        .unwrap();
    world.qdrant.commit(7_000, "chunks@0").await.unwrap();
    let new = record("new", 1, "text");
    let last = publish(&*world.bus, &new).await;
    world.feed_to(last).await;
    let result = search(&world, &index_of(&[old, new])).await;
    assert_eq!(found(&result), ["new"]);
}

/// The parts of a search of a retriever whose vectors are in this server, and what is known of them.
async fn factory(
    world: &World,
    running: &mut JoinSet<()>,
) -> Result<(SearchFactory, VectorFeed), search_factory::Error> {
    let options = crate::Options {
        vectors: VectorStore::Qdrant,
        qdrant: Options {
            url: world.server.url(),
            timeout: TimeSpan::from_secs(5),
            ..Options::default()
        },
        ..crate::Options::default()
    };
    let registry = telemetry::Registry::new();
    let factory =
        SearchFactory::new(&options, Some(compass()), &registry, &Pools::default()).unwrap();
    let bus: Arc<dyn Bus> = world.bus.clone();
    let fed = FeedSource {
        bus: &bus,
        stop: &CancellationToken::new(),
        options: &options,
        edition: &Edition::main(),
        begun: 0,
        stream: "chunks@1",
        without_vector: world.metrics.without_vector("main"),
    };
    let (factory, vectors) = added(fed, factory, running).await?;
    Ok((factory, vectors.unwrap()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_away_does_not_keep_words_back() {
    let world = World::new().await;
    let records = [
        record("north", 9, "up the map"),
        record("east", 0, "a harbour"),
    ];
    for record in &records {
        publish(&*world.bus, record).await;
    }
    let index = index_of(&records);
    let away = vec![QdrantFault::Refuse(Code::Unavailable); 4];
    world.server.script(away);
    let mut running = JoinSet::new();
    let (factory, mut vectors) = factory(&world, &mut running).await.unwrap();
    let within = async |what: &str, wait: BoxFuture<'_, ()>| {
        let came = tokio::time::timeout(Duration::from_secs(30), wait).await;
        came.unwrap_or_else(|_| panic!("{what} did not come"));
    };
    within("that it is away", Box::pin(vectors.settled())).await;
    assert!(vectors.missing().unwrap().contains("away"));
    let searcher = factory.searcher(index);
    let result = searcher.search(&harbour()).await.unwrap();
    assert_eq!(
        (found(&result), &result.failed),
        (vec!["east"], &vec![SearchPart::Vectors])
    );
    // The server is there, and no process has to be restarted.
    let all = async {
        while vectors.missing().is_some() {
            vectors.changed().await;
        }
    };
    within("all of the vectors", Box::pin(all)).await;
    let result = searcher.search(&harbour()).await.unwrap();
    assert_eq!(
        (found(&result), result.failed.as_slice()),
        (vec!["east", "north"], &[][..])
    );

    // One that refuses is not waited for.
    world
        .server
        .script([QdrantFault::Refuse(Code::Unauthenticated)]);
    let refused = self::factory(&world, &mut running).await.err().unwrap();
    let said = refused.to_string();
    assert!(said.contains("retrieval.qdrant"), "{said}");
}

#[test]
fn what_is_missing_is_told_by_name() {
    let at = |sequence, is_away| missing(FeedPosition { sequence, is_away }, 7);
    assert_eq!(at(7, false), None);
    assert_eq!(at(7, true), None, "what was there is there");
    assert!(at(6, true).unwrap().contains("words alone"));
    assert!(at(6, false).unwrap().contains("caught up"));
}

/// A message every 20 ms: never a pause, never many.
struct Drip(u64);

impl Reader for Drip {
    fn next(
        &mut self,
    ) -> futures_util::future::BoxFuture<'_, Result<(StoredMessage, u64), BusError>> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            self.0 += 1;
            let message = StoredMessage {
                subject: "argosy.chunk.main.a.b.0".into(),
                sequence: self.0,
                stored_at: envelope::UnixMs(0),
                headers: bus::Headers::default(),
                body: bytes::Bytes::new(),
            };
            Ok((message, 0))
        })
    }
}

#[tokio::test]
async fn a_stream_that_is_never_silent_does_not_keep_a_batch_open() {
    let gathered = batch(&mut Drip(0)).await.unwrap();
    assert!((5..100).contains(&gathered.len()), "{}", gathered.len());
}
