//! Tests of the time limit of a document, and of the work that is kept while its message is held.

use super::*;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bus::{Headers, Publish};
use envelope::document::Notice;
use envelope::{Bucket, DocId, TenantId};
use stage::{Chunk, ChunkPlace, Columns, Cut};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use telemetry::Registry;

/// Makes a document in parts that each take a time; one of them is overloaded at first.
#[derive(Default)]
struct Parts {
    parts: u32,
    each: Duration,
    /// How often the second part fails.
    overloads: AtomicU32,
    /// How often the first part was done.
    read: AtomicU32,
}

struct InParts<'a> {
    of: &'a Parts,
    done: u32,
}

impl DocumentWork for InParts<'_> {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Cut>, stage::Error>> {
        Box::pin(async move {
            tokio::time::sleep(self.of.each).await;
            let fewer = |left: u32| left.checked_sub(1);
            let overloads = &self.of.overloads;
            if self.done == 1
                && overloads
                    .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer)
                    .is_ok()
            {
                return Err(stage::Error {
                    class: Class::Overloaded,
                    code: "embedder_away",
                    retry_after: None,
                    source: "the key is wrong".into(),
                });
            }
            if self.done == 0 {
                self.of.read.fetch_add(1, Ordering::Relaxed);
            }
            self.done += 1;
            Ok((self.done == self.of.parts).then(|| Cut {
                chunks: vec![Chunk {
                    n: 0,
                    body: Bytes::from_static(b"chunk"),
                }],
                left_out: None,
                columns: Columns::default(),
            }))
        })
    }
}

impl Ingest for Parts {
    fn place(&self, _: &Notice) -> (Bucket, DocId) {
        (Bucket::new("b").unwrap(), DocId::new("d").unwrap())
    }

    fn pipeline(&self) -> &str {
        "parts-1"
    }

    fn hash(&self, _: Bytes) -> BoxFuture<'_, Result<String, stage::Error>> {
        Box::pin(std::future::ready(Ok("0".repeat(64))))
    }

    fn known(&self, _: &[u8]) -> Option<ChunkPlace> {
        None
    }

    fn draft<'a>(&'a self, _: &'a Incoming, _: &str, _: Bytes) -> Box<dyn DocumentWork + 'a> {
        Box::new(InParts { of: self, done: 0 })
    }

    fn tombstones(&self, _: &Incoming, _: Range<u32>, _: u32) -> Result<Vec<Chunk>, stage::Error> {
        Ok(Vec::new())
    }
}

/// Has one document indexed; returns what is stored then, in the corpus and of dead letters.
async fn indexed(parts: Arc<Parts>) -> (u64, u64) {
    let topology = Topology::default();
    let bus = MemoryBus::new(&topology);
    let mut headers = Headers::default();
    for (name, value) in Notice::new(TenantId::default_tenant(), "b/d.md").headers() {
        headers = headers.with(name, value);
    }
    let document = Publish {
        headers,
        ..Publish::new("argosy.document.b.d", Bytes::from_static(b"text"))
    };
    bus.publish(document).await.unwrap();
    let registry = Registry::new();
    let indexer = IngestWorker::new(
        bus.clone(),
        parts,
        Edition::main(),
        Options::default(),
        0,
        Metrics::new(&registry, &[Role::Indexer]).unwrap(),
        IngestMetrics::new(&registry).unwrap(),
    );
    let stop = CancellationToken::new();
    let consumer = topology.documents(&Edition::main());
    let running = tokio::spawn(indexer.run(consumer, Health::new(&[]), stop.clone()));
    while bus.state(Stream::Documents).await.unwrap().messages > 0 {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    stop.cancel();
    running.await.unwrap();
    let messages = async |stream| bus.state(stream).await.unwrap().messages;
    (messages(Stream::Chunks).await, messages(Stream::Dead).await)
}

#[tokio::test(start_paused = true)]
async fn a_document_may_take_long_while_each_part_is_done_in_time() {
    let parts = Arc::new(Parts {
        parts: 10,
        each: Duration::from_secs(90),
        ..Parts::default()
    });
    assert_eq!(indexed(parts.clone()).await, (1, 0));
    assert_eq!(parts.read.load(Ordering::Relaxed), 1, "at one go");
}

#[tokio::test(start_paused = true)]
async fn a_part_that_takes_too_long_is_stopped_and_repeated_to_the_limit() {
    let parts = Arc::new(Parts {
        parts: 1,
        each: Options::default().step_timeout.duration() + Duration::from_secs(1),
        ..Parts::default()
    });
    assert_eq!(indexed(parts).await, (0, 1));
}

#[tokio::test(start_paused = true)]
async fn what_was_done_of_a_document_outlasts_a_hold() {
    let parts = Arc::new(Parts {
        parts: 3,
        overloads: AtomicU32::new(20),
        ..Parts::default()
    });
    assert_eq!(indexed(parts.clone()).await, (1, 0));
    assert_eq!(parts.read.load(Ordering::Relaxed), 1);
}
