//! Tests look-ups into the corpus from outside: their results, and the replies to bad requests. The same cases run on
//! the memory bus and on a real server.

use argosy::config::Config;
use bus::memory::MemoryBus;
use bus::{Bus, CoreMessage, Headers};
use bus_nats::NatsBus;
use envelope::limits::LOOKUP_REPLY_BYTES_MAX;
use envelope::{ChunkRecord, Principal};
use futures_util::future::BoxFuture;
use index::{HybridSearcher, Index, Options, VectorSource};
use index_host::catalog::{CatalogCache, CatalogMetrics};
use index_host::lookup::{self, Lookup};
use search::{CatalogSource, SearchRequest, SearchResult, Searcher};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use telemetry::Registry;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long any reply may take.
const PATIENCE: Duration = Duration::from_secs(20);

fn record(tenant: &str, source: &str, text: &str, metadata: Value) -> ChunkRecord {
    let owner = envelope::TenantId::new(tenant).unwrap();
    serde_json::from_value(json!({
        "v": 1, "tenant": tenant, "bucket": documents::document::bucket_of(source),
        "doc_id": documents::document::doc_id_of(&owner, source), "n": 0, "of": 1, "hash": "1",
        "source": source, "title": source, "ext": "md", "line": 7, "text": text, "metadata": metadata,
    }))
    .unwrap()
}

/// A corpus of two tenants, served on `bus`.
struct Corpus {
    bus: Arc<dyn Bus>,
    stop: CancellationToken,
    running: JoinSet<()>,
}

/// A searcher that does not return until it is released.
struct Stuck(Arc<Semaphore>);

impl Searcher for Stuck {
    fn search<'a>(
        &'a self,
        _request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, search::Error>> {
        Box::pin(async {
            drop(self.0.acquire().await);
            Ok(SearchResult::default())
        })
    }
}

/// A search goes on when its requester no longer waits, and its slot is not given to another search.
#[tokio::test(start_paused = true)]
async fn a_search_that_takes_too_long_keeps_its_slot_until_it_is_done() {
    let go = Arc::new(Semaphore::new(0));
    let index = Index::open_in_ram(&VectorSource::None).unwrap();
    let bus = MemoryBus::starting_at(&Config::default().streams, envelope::UnixMs(0));
    let corpus = Corpus::of(bus, Arc::new(Stuck(go.clone())), index).await;
    let search = || corpus.ask("argosy.search", json!({"query": "lease"}));
    let all = futures_util::future::join_all((0..16).map(|_| search())).await;
    for reply in all {
        assert_eq!(reply["error"]["code"], "timed_out", "{reply}");
    }
    let reply = search().await;
    assert_eq!(reply["error"]["code"], "overloaded", "{reply}");
    go.add_permits(Semaphore::MAX_PERMITS);
    tokio::time::sleep(Duration::from_millis(1)).await;
    let reply = search().await;
    assert_eq!(reply["result"]["total_hits"], 0, "{reply}");
    corpus.end().await;
}

impl Corpus {
    async fn serve(bus: Arc<dyn Bus>) -> Corpus {
        let index = Index::open_in_ram(&VectorSource::None).unwrap();
        let noise = "Nothing is said here about it. ".repeat(20);
        let lease = format!("{noise}The Tarnow lease ends on 31 March 2031. {noise}");
        let records = [
            record(
                "default",
                "contracts/lease.md",
                &lease,
                json!({"year": 2024, "city": "Tarnow"}),
            ),
            record(
                "default",
                "contracts/crane.md",
                "The crane is inspected.",
                json!({"year": 2023}),
            ),
            record(
                "other",
                "contracts/secret.md",
                "The Tarnow lease of others.",
                json!({"pin": 1}),
            ),
        ];
        let mut writer = index.writer().unwrap();
        writer.apply(&records).unwrap();
        writer.commit(3, "test").unwrap();
        let searcher = Arc::new(HybridSearcher::new(index.clone(), Options::default()));
        Corpus::of(bus, searcher, index).await
    }

    async fn of(bus: Arc<dyn Bus>, searcher: Arc<dyn Searcher>, index: Index) -> Corpus {
        let stop = CancellationToken::new();
        let mut running = JoinSet::new();
        let lookup = Lookup::new(searcher, move || index.clone());
        running.spawn(lookup::serve(bus.clone(), lookup, None, stop.clone()));
        let corpus = Corpus { bus, stop, running };
        for _ in 0..100 {
            // Until it listens, a server answers with nothing, and the memory bus not at all.
            let asked = corpus.raw("argosy.count", b"{}".to_vec(), Duration::from_millis(200));
            if asked.await.is_some_and(|reply| !reply.is_null()) {
                return corpus;
            }
        }
        panic!("nobody listens")
    }

    async fn raw(&self, subject: &str, body: Vec<u8>, wait: Duration) -> Option<Value> {
        let inbox = format!("_INBOX.lookup{}", fastrand::u64(..));
        let mut replies = self.bus.subscribe(&inbox, None).await.unwrap();
        let request = CoreMessage {
            subject: subject.into(),
            reply: Some(inbox),
            headers: Headers::default(),
            body: body.into(),
        };
        self.bus.broadcast(request).await.unwrap();
        let reply = tokio::time::timeout(wait, replies.next()).await.ok()??;
        assert!(reply.body.len() <= LOOKUP_REPLY_BYTES_MAX);
        Some(serde_json::from_slice(&reply.body).unwrap_or(Value::Null))
    }

    async fn ask(&self, subject: &str, request: Value) -> Value {
        let body = request.to_string().into_bytes();
        let reply = self.raw(subject, body, PATIENCE).await;
        reply.unwrap_or_else(|| panic!("no reply in {PATIENCE:?}: {subject}"))
    }

    async fn end(mut self) {
        self.stop.cancel();
        let ended = async { while self.running.join_next().await.is_some() {} };
        let ended = tokio::time::timeout(PATIENCE, ended).await;
        assert!(ended.is_ok(), "it ends when it is told to");
    }
}

async fn good_requests(corpus: &Corpus) {
    let reply = corpus
        .ask(
            "argosy.search",
            json!({"query": "When does the Tarnow lease end?", "context_chars": 80}),
        )
        .await;
    let found = &reply["result"];
    assert_eq!(found["matched"]["kind"], "matched", "{reply}");
    assert_eq!(
        found["passages"][0]["source"], "contracts/lease.md",
        "{reply}"
    );
    let text = found["passages"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("31 March 2031") && text.chars().count() <= 84,
        "{text}"
    );
    assert_eq!(found["passages"][0]["line"], 7);
    assert!(
        !reply.to_string().contains("secret"),
        "the tenant is a condition: {reply}"
    );
    assert_eq!(reply["v"], 1);

    let linked = json!({"query": "List the contracts of Tarnow in 2024"});
    let reply = corpus.ask("argosy.search", linked.clone()).await;
    // No schema describes the column, so the condition is a weight: what it names comes first, and nothing is excluded.
    let conditions = &reply["result"]["conditions"];
    assert!(
        conditions["shared"].to_string().contains("Tarnow"),
        "{reply}"
    );
    assert_eq!(conditions["filter"], Value::Null, "{reply}");
    assert_eq!(
        reply["result"]["passages"][0]["source"], "contracts/lease.md",
        "{reply}"
    );

    let explained = json!({"query": "contracts of Tarnow", "explain": true, "top_k": 1});
    let reply = corpus.ask("argosy.search", explained).await;
    let likeliest = &reply["result"]["documents"][0];
    assert_eq!(likeliest["source"], "contracts/lease.md", "{reply}");
    assert!(likeliest["matched"].to_string().contains("path"), "{reply}");
    let dropped = &reply["result"]["dropped"][0];
    assert_eq!(dropped["why"], "score", "{reply}");
    let unlinked = json!({"query": linked["query"], "link": false});
    let reply = corpus.ask("argosy.search", unlinked).await;
    assert_eq!(reply["result"]["conditions"], Value::Null, "{reply}");

    let of_others = json!({"query": "lease", "tenant": "other"});
    let reply = corpus.ask("argosy.search", of_others).await;
    assert_eq!(reply["result"]["total_hits"], 1, "{reply}");
    let nothing = json!({"query": "lease", "filters": {"year": 1999}});
    let reply = corpus.ask("argosy.search", nothing).await;
    assert_eq!(reply["result"]["matched"]["kind"], "empty", "{reply}");

    let request = json!({"facets": ["year"], "filters": {"source": {"contains": "contracts"}}});
    let reply = corpus.ask("argosy.count", request).await;
    assert_eq!(reply["result"]["documents"], 2, "{reply}");
    let values = json!([{"value": "2023", "documents": 1}, {"value": "2024", "documents": 1}]);
    assert_eq!(reply["result"]["facets"][0]["values"], values, "{reply}");

    let by_source = json!({"source": "contracts/lease.md"});
    let reply = corpus.ask("argosy.metadata", by_source).await;
    assert_eq!(reply["result"]["metadata"]["city"], "Tarnow", "{reply}");
    let by_id = json!({"doc_id": reply["result"]["doc_id"]});
    assert_eq!(corpus.ask("argosy.metadata", by_id).await, reply);
    let of_others = json!({"source": "contracts/secret.md"});
    let reply = corpus.ask("argosy.metadata", of_others).await;
    assert_eq!(reply["error"]["code"], "not_found", "{reply}");

    let within = json!({"query": "lease", "source": "contracts/crane.md", "strategy": "keyword"});
    let reply = corpus.ask("argosy.search", within).await;
    assert_eq!(reply["result"]["matched"]["kind"], "empty", "{reply}");
    let within = json!({"query": "inspected lease", "source": "contracts/crane.md"});
    let reply = corpus.ask("argosy.search", within).await;
    assert_eq!(reply["result"]["total_hits"], 1, "{reply}");

    let reply = corpus.ask("argosy.catalog", json!({})).await;
    let wanted = json!([{
        "bucket": "contracts", "documents": 2, "columns": [
            {"field": "year", "type": "number", "documents": 2, "coverage": 1.0,
             "values": [{"value": "2023", "documents": 1}, {"value": "2024", "documents": 1}],
             "range": {"from": 2023, "to": 2024}},
            {"field": "city", "type": "text", "documents": 1, "coverage": 0.5,
             "values": [{"value": "tarnow", "documents": 1}]},
        ],
    }]);
    assert_eq!(reply["result"]["buckets"], wanted, "{reply}");
    let (cache, keeper) = CatalogCache::over_bus(
        corpus.bus.clone(),
        CatalogMetrics::new(&Registry::new()).unwrap(),
    );
    let (stop, mut keeping) = (CancellationToken::new(), JoinSet::new());
    keeping.spawn(keeper.keep(stop.clone()));
    let catalog = cache.catalog(&Principal::default()).await;
    assert_eq!(catalog.buckets[0].documents, 2, "as a planner has it");
    stop.cancel();
    while keeping.join_next().await.is_some() {}
    let of_nobody = json!({"tenant": "nobody"});
    let reply = corpus.ask("argosy.catalog", of_nobody).await;
    assert_eq!(reply["result"]["buckets"], json!([]), "{reply}");
}

async fn bad_requests(corpus: &Corpus) {
    let many: Vec<u32> = (0..10_000).collect();
    let operators = "AND OR NOT (( \"\" ~* +-^:[] TO {} && || !".repeat(20);
    for (request, code) in [
        (json!({"query": "lease ".repeat(17_000)}), "too_large"),
        (json!({"query": "lease ".repeat(1_700)}), "query_too_long"),
        (json!({"query": "lease", "top_k": 0}), "bad_field"),
        (
            json!({"query": "lease", "filters": {"year": {"near": 1}}}),
            "bad_filter",
        ),
        (json!({"query": "lease", "tenant": "*"}), "bad_id"),
        (json!("lease"), "not_json"),
    ] {
        let reply = corpus.ask("argosy.search", request).await;
        assert_eq!(reply["error"]["code"], code, "{reply}");
        let message = reply["error"]["message"].as_str().unwrap();
        assert!(
            message.chars().count() <= 300 && !message.contains('\n'),
            "{message}"
        );
    }
    for (request, code, says) in [
        (
            json!({"query": "lease", "strategy": "semantic"}),
            "strategy_unavailable",
            "take `hybrid` or `keyword`",
        ),
        (
            json!({"query": "lease", "strategy": "best"}),
            "bad_field",
            "want keyword, semantic or hybrid",
        ),
        (
            json!({"query": "lease", "doc_id": "gone-1"}),
            "not_found",
            "`gone-1`",
        ),
        (
            json!({"query": "lease", "source": "contracts/secret.md"}),
            "not_found",
            "`contracts/secret.md`",
        ),
    ] {
        let reply = corpus.ask("argosy.search", request).await;
        assert_eq!(reply["error"]["code"], code, "{reply}");
        let message = reply["error"]["message"].as_str().unwrap();
        assert!(message.contains(says), "{message}");
    }
    let reply = corpus
        .ask("argosy.catalog", json!({"buckets": ["contracts", "mail"]}))
        .await;
    assert_eq!(reply["error"]["code"], "not_found", "{reply}");
    assert_eq!(
        reply["error"]["message"],
        "there is no bucket `mail`; there are `contracts`"
    );
    // Odd, and yet to be answered.
    let reply = corpus
        .ask("argosy.search", json!({"query": operators}))
        .await;
    assert!(reply["result"]["passages"].is_array(), "{reply}");
    let reply = corpus
        .ask(
            "argosy.search",
            json!({"query": "lease", "filters": {"year": {"in": many}}}),
        )
        .await;
    assert_eq!(
        reply["result"]["passages"][0]["source"], "contracts/lease.md",
        "{reply}"
    );
    let reply = corpus
        .ask(
            "argosy.search",
            json!({"query": "lease", "filters": {"yeer": 2024}}),
        )
        .await;
    assert_eq!(
        reply["result"]["unknown_fields"],
        json!(["yeer"]),
        "{reply}"
    );
    let known = &reply["result"]["known_fields"];
    assert_eq!(
        *known,
        json!([
            "bucket", "city", "doc_id", "ext", "named", "source", "title", "year"
        ])
    );
    assert_eq!(reply["result"]["matched"]["kind"], "relaxed", "{reply}");
    let reply = corpus.ask("argosy.count", json!({"facets": ["pin"]})).await;
    assert_eq!(
        reply["result"]["unknown_fields"],
        json!(["pin"]),
        "of another tenant: {reply}"
    );
    assert_eq!(reply["result"]["facets"][0]["values"], json!([]), "{reply}");
    let broken = corpus
        .raw("argosy.search", b"\xff\x00{".to_vec(), PATIENCE)
        .await;
    assert_eq!(broken.unwrap()["error"]["code"], "not_json");
}

/// Many requests at once: each gets a reply, which is the result or the error that there are too many.
async fn a_crowd(corpus: &Corpus) {
    let asked = (0..60).map(|_| corpus.ask("argosy.search", json!({"query": "Tarnow lease"})));
    let replies = futures_util::future::join_all(asked).await;
    let of = |reply: &&Value| reply["result"]["passages"].is_array();
    let answered = replies.iter().filter(of).count();
    assert!(answered >= 16, "{answered}");
    for reply in replies.iter().filter(|reply| !of(reply)) {
        assert_eq!(reply["error"]["code"], "overloaded", "{reply}");
    }
}

async fn all(bus: Arc<dyn Bus>) {
    let corpus = Corpus::serve(bus).await;
    good_requests(&corpus).await;
    bad_requests(&corpus).await;
    a_crowd(&corpus).await;
    good_requests(&corpus).await;
    corpus.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn looking_into_the_corpus_on_the_memory_bus() {
    let config = Config::default();
    let now = envelope::UnixMs(1_700_000_000_000);
    all(MemoryBus::starting_at(&config.streams, now)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn looking_into_the_corpus_on_a_server() {
    let server = testkit::nats::server().await;
    let options = bus_nats::Options {
        url: server.url(),
        ..Config::default().nats("edge", false)
    };
    all(NatsBus::connect(options).await.unwrap()).await;
}
