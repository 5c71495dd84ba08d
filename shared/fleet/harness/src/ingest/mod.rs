//! Indexes documents: turns one document message into the messages of its chunks.
//!
//! The steps are: read what is stored, decide, make the chunks, publish them under a chain of write conditions with
//! the head last, announce the result, ack. Each publish expects that the message before it is still the newest one
//! of the document. If two indexers write the same document at the same time, they notice at the next message, and
//! the older version gives way. So a document may be delivered twice, its indexer may die between two chunks, and two
//! replicas may work on two versions: in the end one version is stored, and it is complete.
//!
//! *Not* here: how text and chunks are made ([`Ingest`]).

mod decide;
mod end;
mod metrics;
mod read;
mod write;

use crate::consumer_loop::{self, AckDecision, ConsumerEvent, DeliveryHandler, DrainReport};
use crate::deliver::Failure;
use crate::delivery_outcome::DeliveryOutcome;
use crate::disposition::{Disposition, dispose};
use crate::metrics::{Metrics, outcome};
use crate::options::Options;
use bus::{Bus, BusError, ConsumerSpec, Delivery, StoredMessage, Stream};
use bytes::Bytes;
use decide::{Mine, Next, Seen, decide};
use envelope::document::DocumentOutcome;
use envelope::limits::{DELIVERIES_MAX, DOCUMENT_BYTES_MAX};
use envelope::{Class, Edition, Problem, Role};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
pub use metrics::IngestMetrics;
use read::{nameless, read};
use stage::{DocumentWork, Incoming, Ingest};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use telemetry::Health;
use tokio_util::sync::CancellationToken;

/// For the back-off: a document has no deadline.
const LEFT: Duration = Duration::from_secs(3600);
/// How often one delivery starts again after another indexer wrote the document meanwhile.
const TRIES: u32 = 4;
/// Longest wait before it does.
const AGAIN_MAX: Duration = Duration::from_millis(200);

/// An indexer at work.
pub struct IngestWorker {
    bus: Arc<dyn Bus>,
    ingest: Arc<dyn Ingest>,
    edition: Edition,
    options: Options,
    metrics: Metrics,
    counts: IngestMetrics,
    rng: Mutex<fastrand::Rng>,
}

/// What came of a document message.
#[derive(Debug)]
struct Done {
    outcome: DocumentOutcome,
    /// Messages stored in the corpus.
    chunks: u32,
    /// Sequence of the newest of them, 0 when there is none.
    corpus_seq: u64,
    /// Whether this delivery did it.
    is_now: bool,
    /// What was left out of it.
    left_out: Option<Problem>,
}

/// What was done of a document, kept while its message is held: it is not read again, and no model
/// asked again, because something is away.
#[derive(Default)]
struct Work<'a> {
    /// Its version, and how far it has come.
    draft: Option<(String, Box<dyn DocumentWork + 'a>)>,
    made: Option<write::Made>,
}

impl Work<'_> {
    fn version(&self) -> Option<String> {
        let begun = self.draft.as_ref().map(|(version, _)| version);
        let made = self.made.as_ref().map(|made| &made.version);
        made.or(begun).cloned()
    }
}

impl Done {
    fn nothing(outcome: DocumentOutcome, corpus_seq: u64) -> Done {
        Done {
            outcome,
            chunks: 0,
            corpus_seq,
            is_now: false,
            left_out: None,
        }
    }
}

impl IngestWorker {
    /// An indexer on `bus` that writes `edition`. The slots of `options` are documents at once, and its time for a step
    /// is that for one part of the work on a document: fetching it, reading it, asking a model, a batch of vectors.
    /// `seed` is that of the jitter of retries.
    pub fn new(
        bus: Arc<dyn Bus>,
        ingest: Arc<dyn Ingest>,
        edition: Edition,
        options: Options,
        seed: u64,
        metrics: Metrics,
        counts: IngestMetrics,
    ) -> Self {
        IngestWorker {
            rng: Mutex::new(fastrand::Rng::with_seed(seed)),
            bus,
            ingest,
            edition,
            options,
            metrics,
            counts,
        }
    }

    /// Works until `stop` is cancelled, then drains.
    pub async fn run(
        self,
        consumer: ConsumerSpec,
        health: Health,
        stop: CancellationToken,
    ) -> DrainReport {
        let options = consumer_loop::Options {
            condition: Role::Indexer.as_str(),
            slots: self.options.slots as usize,
            grace: self.options.grace.duration(),
        };
        self.metrics.limit(Role::Indexer, options.slots);
        let bus = self.bus.clone();
        consumer_loop::run(bus, consumer, Arc::new(self), options, health, stop).await
    }

    /// Works on one delivery until it is done, given up, or to be delivered again.
    async fn process(&self, delivery: &Delivery) -> DeliveryOutcome {
        let message = &delivery.message;
        let queued = message.stored_at.until(self.bus.now());
        self.metrics
            .received(Role::Indexer, queued, delivery.delivered);
        let incoming = match read(&*self.ingest, &self.edition, message) {
            Ok(incoming) => incoming,
            Err(failure) => {
                let incoming = nameless(&self.edition, message);
                return self.give_up(delivery, &incoming, failure).await;
            }
        };
        if delivery.delivered > DELIVERIES_MAX {
            let text = format!("delivered {} times", delivery.delivered);
            let failure = Failure::new(Class::Permanent, "deliveries", text);
            return self.give_up(delivery, &incoming, failure).await;
        }
        let mut work = Work::default();
        let mut told = None;
        loop {
            let failure = match self.index(&incoming, message, &mut work).await {
                Ok(done) => return self.done(&incoming, message, done).await,
                Err(failure) => failure,
            };
            let (class, after) = (failure.class, failure.retry_after);
            let (delivered, random) = (delivery.delivered, self.random());
            let (code, error) = (failure.code, failure.text.as_str());
            let source = incoming.notice.source.as_str();
            match dispose(class, delivered, DELIVERIES_MAX, after, LEFT, random) {
                // Its slot is held and the server told so: a document is worth waiting for.
                Disposition::Hold(wait) => {
                    self.metrics.held(Role::Indexer);
                    if told != Some(code) {
                        tracing::warn!(code, error, source, "document held");
                        told = Some(code);
                    }
                    tokio::time::sleep(wait).await;
                }
                Disposition::Retry(delay) => {
                    tracing::warn!(
                        code,
                        error,
                        source,
                        delivered,
                        "the document will be tried again"
                    );
                    return DeliveryOutcome::Retry(delay);
                }
                Disposition::GiveUp => {
                    return self.give_up(delivery, &incoming, failure).await;
                }
            }
        }
    }

    /// Brings the corpus to what the message says. What is done for it stays in `work`.
    async fn index<'a>(
        &'a self,
        incoming: &'a Incoming,
        message: &StoredMessage,
        work: &mut Work<'a>,
    ) -> Result<Done, Failure> {
        if self.newer_waits(incoming, message).await? {
            return Ok(Done::nothing(DocumentOutcome::Superseded, 0));
        }
        for _ in 0..TRIES {
            let stored = self.stored(incoming).await?;
            let claimed = incoming.notice.hash.as_deref();
            let claimed = claimed.map(|hash| incoming.notice.version(hash));
            let known = work.version().or(claimed);
            let next = match self.decide(incoming, &stored, known.as_deref()) {
                Next::Write { .. } if work.made.is_none() && !incoming.notice.is_deleted => {
                    let version = self.begin(incoming, message, work).await?;
                    let next = self.decide(incoming, &stored, Some(&version));
                    if let Next::Write { .. } = next {
                        self.make(work).await?;
                    }
                    next
                }
                next => next,
            };
            let after = stored.newest.as_ref().map_or(0, |m| m.sequence);
            let messages = match (next, &work.made) {
                (Next::Superseded, _) => {
                    return Ok(Done::nothing(DocumentOutcome::Superseded, after));
                }
                (Next::Unchanged, _) => {
                    return Ok(Done {
                        left_out: stored.left_out(),
                        ..Done::nothing(DocumentOutcome::Unchanged, after)
                    });
                }
                (Next::Done(chunks), _) => {
                    return Ok(Done {
                        chunks,
                        left_out: stored.left_out(),
                        ..Done::nothing(wanted(incoming), after)
                    });
                }
                (Next::Delete { extent }, _) => write::deletion(&*self.ingest, incoming, extent)?,
                (Next::Write { extent }, Some(made)) => {
                    write::version(&*self.ingest, incoming, made, extent)?
                }
                (Next::Write { .. }, None) => return Err(bug("nothing was made to write")),
            };
            let chunks = u32::try_from(messages.len()).unwrap_or(u32::MAX);
            let last = write::chain(&*self.bus, incoming, messages, after).await?;
            if let Some(corpus_seq) = last {
                return Ok(Done {
                    outcome: wanted(incoming),
                    chunks,
                    corpus_seq,
                    is_now: true,
                    left_out: work.made.take().and_then(|made| made.cut.left_out),
                });
            }
            // Another indexer of the same document has to notice as well.
            tokio::time::sleep(AGAIN_MAX.mul_f64(self.random())).await;
        }
        let text = "somebody else keeps writing the same document";
        Err(Failure::new(Class::Transient, "contended", text))
    }

    fn decide(&self, incoming: &Incoming, stored: &write::Written, version: Option<&str>) -> Next {
        let known = |m: &Option<StoredMessage>| m.as_ref().and_then(|m| self.ingest.known(&m.body));
        let (newest, head) = (known(&stored.newest), known(&stored.head));
        let mine = Mine {
            sequence: incoming.sequence,
            stored_at: incoming.stored_at,
            is_deleted: incoming.notice.is_deleted,
            is_forced: incoming.notice.is_forced,
            version,
            pipeline: self.ingest.pipeline(),
            chunks: incoming.notice.chunks,
        };
        let seen = Seen {
            newest: newest.as_ref(),
            head: head.as_ref(),
        };
        decide(&mine, &seen)
    }

    /// Whether a newer message of the same document waits, or is in work: it stays until it is acked.
    async fn newer_waits(
        &self,
        incoming: &Incoming,
        message: &StoredMessage,
    ) -> Result<bool, BusError> {
        let newest = self.bus.last(Stream::Documents, &message.subject).await?;
        let newest = newest.filter(|newest| newest.sequence > message.sequence);
        let newer = newest.and_then(|newest| read(&*self.ingest, &self.edition, &newest).ok());
        Ok(newer.is_some_and(|newer| newer.doc_id == incoming.doc_id))
    }

    async fn stored(&self, incoming: &Incoming) -> Result<write::Written, BusError> {
        let across = write::across(incoming);
        let newest = self.bus.last(Stream::Chunks, &across).await?;
        let head = match &newest {
            None => None,
            Some(_) => {
                let head = write::subject(incoming, 0);
                self.bus.last(Stream::Chunks, &head).await?
            }
        };
        Ok(write::Written { newest, head })
    }

    /// Fetches the bytes of a document, once, and says which version they are.
    async fn begin<'a>(
        &'a self,
        incoming: &'a Incoming,
        message: &StoredMessage,
        work: &mut Work<'a>,
    ) -> Result<String, Failure> {
        if let Some(version) = work.version() {
            return Ok(version);
        }
        let limit = self.options.step_timeout.duration();
        let bytes = tokio::time::timeout(limit, self.bytes(incoming, message)).await;
        let bytes = bytes.unwrap_or_else(|_| {
            let text = format!("its bytes did not come in {limit:?}");
            Err(Failure::new(Class::Transient, "document_timeout", text))
        })?;
        self.counts.bytes(bytes.len());
        let hash = self.ingest.hash(bytes.clone()).await.map_err(failed)?;
        match &incoming.notice.hash {
            Some(said) if *said != hash => {
                let text = format!("the bytes have the hash `{hash}`, the header says `{said}`");
                Err(Failure::new(Class::Permanent, "hash_mismatch", text))
            }
            _ => {
                let version = incoming.notice.version(&hash);
                let draft = self.ingest.draft(incoming, &version, bytes);
                work.draft = Some((version.clone(), draft));
                Ok(version)
            }
        }
    }

    async fn bytes(&self, incoming: &Incoming, message: &StoredMessage) -> Result<Bytes, Failure> {
        let Some(file) = &incoming.notice.object else {
            return Ok(message.body.clone());
        };
        match self.bus.get_file(file, DOCUMENT_BYTES_MAX).await {
            Ok(Some(bytes)) => Ok(bytes),
            // A replica may not have it yet.
            Ok(None) => {
                let text = format!("the object `{file}` is not in the object store");
                Err(Failure::new(Class::Transient, "object_missing", text))
            }
            Err(error @ BusError::Refused(_)) => {
                Err(Failure::new(Class::Permanent, "too_large", error))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The chunks, each part of the work in time, and whatever the maker does.
    async fn make(&self, work: &mut Work<'_>) -> Result<(), Failure> {
        let Some((version, draft)) = &mut work.draft else {
            return Err(bug("a document that was not begun"));
        };
        let limit = self.options.step_timeout.duration();
        let cut = loop {
            let part = AssertUnwindSafe(async { draft.next().await });
            match tokio::time::timeout(limit, part.catch_unwind()).await {
                Ok(Ok(Ok(Some(cut)))) => break cut,
                Ok(Ok(Ok(None))) => {}
                Ok(Ok(Err(error))) => return Err(failed(error)),
                Ok(Err(_panic)) => {
                    return Err(Failure::new(Class::Bug, "panic", "the indexer panicked"));
                }
                Err(_) => {
                    let text = format!("a part of the work was not done in {limit:?}");
                    return Err(Failure::new(Class::Transient, "document_timeout", text));
                }
            }
        };
        if cut.chunks.is_empty() {
            return Err(bug("a document without chunks"));
        }
        self.counts.columns(&cut.columns);
        let version = std::mem::take(version);
        work.draft = None;
        work.made = Some(write::Made { version, cut });
        Ok(())
    }

    fn random(&self) -> f64 {
        self.rng
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .f64()
    }
}

/// What the message asks for, once it is done.
fn wanted(incoming: &Incoming) -> DocumentOutcome {
    match incoming.notice.is_deleted {
        true => DocumentOutcome::Deleted,
        false => DocumentOutcome::Indexed,
    }
}

fn bug(text: &str) -> Failure {
    Failure::new(Class::Bug, "bug", text)
}

fn failed(error: stage::Error) -> Failure {
    Failure {
        class: error.class,
        code: error.code,
        retry_after: error.retry_after,
        text: error.source.to_string(),
    }
}

impl DeliveryHandler for IngestWorker {
    fn handle_delivery<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, AckDecision> {
        Box::pin(async move {
            let _inflight = self.metrics.inflight(Role::Indexer);
            let begun = tokio::time::Instant::now();
            let verdict = self.process(delivery).await;
            self.metrics
                .answered(Role::Indexer, outcome(verdict), begun.elapsed());
            verdict.into()
        })
    }

    fn on(&self, event: ConsumerEvent) {
        self.metrics.on(Role::Indexer, event);
    }
}

#[cfg(test)]
#[path = "work_tests.rs"]
mod tests;
