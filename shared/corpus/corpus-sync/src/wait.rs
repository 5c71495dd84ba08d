//! Waits for the results of published documents. They come from events or, where an event is lost, from the streams.

use crate::publish::Sent;
use crate::{Error, SkippedFile, Summary, SyncProgress};
use bus::{Bus, BusError, Stream, Subscription};
use envelope::ChunkRecord;
use envelope::document::{DocumentOutcome, IndexedEvent};
use envelope::{Subject, header};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Documents on their way at once, and bytes of them: what waits takes room in streams.
const OUT_MAX: usize = 1_000;
const OUT_BYTES_MAX: usize = 64 * 1024 * 1024;
/// After how long without news of any document what is stored is looked at.
const QUIET: Duration = Duration::from_secs(1);
/// How many documents are looked at then.
const LOOK_MAX: usize = 32;
/// How many sources a failure names.
const NAMED: usize = 3;

/// Published documents without a result so far.
pub(super) struct Waiting<P> {
    bus: Arc<dyn Bus>,
    /// What has come of the documents so far.
    pub(super) summary: Summary,
    progress: P,
    /// Absent when the run does not wait.
    events: Option<(Box<dyn Subscription>, Duration)>,
    out: BTreeMap<u64, Sent>,
    done: usize,
    total: usize,
    bytes: usize,
    /// When something last came of a document.
    moved: Instant,
    /// When what is stored was last looked at.
    looked: Instant,
}

impl<P: FnMut(SyncProgress) + Send> Waiting<P> {
    /// Listens before anything is published.
    pub(super) async fn listen(
        bus: Arc<dyn Bus>,
        patience: Option<Duration>,
        total: usize,
        (summary, progress): (Summary, P),
    ) -> Result<Waiting<P>, BusError> {
        let events = match patience {
            Some(patience) => Some((bus.subscribe("argosy.indexed.*.*", None).await?, patience)),
            None => None,
        };
        Ok(Waiting {
            bus,
            summary,
            progress,
            events,
            out: BTreeMap::new(),
            done: 0,
            total,
            bytes: 0,
            moved: Instant::now(),
            looked: Instant::now(),
        })
    }

    /// One more was published. Waits while there are too many.
    pub(super) async fn add(&mut self, sent: Sent) -> Result<(), Error> {
        if self.events.is_none() {
            match sent.notice.is_deleted {
                true => self.summary.deleted += 1,
                false => self.summary.published += 1,
            }
            let done = self.summary.published + self.summary.deleted;
            (self.progress)(SyncProgress::Done(done, self.total));
            return Ok(());
        }
        if self.out.is_empty() {
            self.moved = Instant::now();
        }
        self.bytes += sent.bytes;
        self.out.insert(sent.sequence, sent);
        self.until(OUT_MAX, OUT_BYTES_MAX).await
    }

    /// Waits for the rest.
    pub(super) async fn all(&mut self) -> Result<(), Error> {
        self.until(0, 0).await
    }

    async fn until(&mut self, most: usize, most_bytes: usize) -> Result<(), Error> {
        while self.out.len() > most || self.bytes > most_bytes {
            let Some((events, patience)) = &mut self.events else {
                return Ok(());
            };
            let patience = *patience;
            match tokio::time::timeout(QUIET, events.next()).await {
                Ok(Some(message)) => {
                    if let Ok(event) = serde_json::from_slice::<IndexedEvent>(&message.body) {
                        self.came(event);
                    }
                }
                Ok(None) => tokio::time::sleep(QUIET).await,
                // Progress is also reported when nothing has happened, so that a user does not wonder.
                Err(_quiet) => (self.progress)(SyncProgress::Done(self.done, self.total)),
            }
            // Others may be heard all the time.
            if self.moved.elapsed() >= QUIET && self.looked.elapsed() >= QUIET {
                while self.look().await {}
                self.looked = Instant::now();
            }
            if self.moved.elapsed() > patience {
                return Err(self.stuck(patience));
            }
        }
        Ok(())
    }

    fn came(&mut self, event: IndexedEvent) {
        // Another edition may be first, or later.
        let is_its = |sent: &Sent| sent.to.edition == event.edition;
        if !self.out.get(&event.sequence).is_some_and(is_its) {
            return; // Somebody else's.
        }
        let Some(sent) = self.out.remove(&event.sequence) else {
            return;
        };
        let summary = &mut self.summary;
        self.moved = Instant::now();
        self.bytes -= sent.bytes;
        self.done += 1;
        summary.chunks += event.chunks as usize;
        summary.corpus_seq = summary.corpus_seq.max(Some(event.corpus_seq));
        // Of what is indexed, what was left out.
        let left_out = event.problem.clone();
        let left_out = left_out.filter(|_| event.outcome != DocumentOutcome::Skipped);
        let source = &sent.notice.source;
        let in_part = left_out.map(|why| SkippedFile::of(source.clone(), Some(why), true));
        summary.skipped.extend(in_part);
        match event.outcome {
            DocumentOutcome::Indexed => {
                summary.indexed += 1;
                match sent.was_known {
                    true => summary.changed += 1,
                    false => summary.added += 1,
                }
            }
            // Gone already is gone as well.
            DocumentOutcome::Deleted => summary.deleted += 1,
            DocumentOutcome::Unchanged if sent.notice.is_deleted => summary.deleted += 1,
            DocumentOutcome::Unchanged => summary.unchanged += 1,
            DocumentOutcome::Superseded => summary.superseded += 1,
            DocumentOutcome::Skipped => {
                let skipped = SkippedFile::of(sent.notice.source, event.problem, false);
                summary.skipped.push(skipped);
            }
        }
        (self.progress)(SyncProgress::Done(self.done, self.total));
    }

    /// Asks the streams about the oldest ones; true when that brought news.
    async fn look(&mut self) -> bool {
        let before = self.done;
        let oldest: Vec<Sent> = self.out.values().take(LOOK_MAX).cloned().collect();
        for sent in oldest {
            match outcome(&*self.bus, &sent).await {
                Ok(Some(event)) => self.came(event),
                Ok(None) => {}
                Err(error) => {
                    tracing::debug!(%error, "what became of a document is not known yet");
                    return false;
                }
            }
        }
        self.done > before && !self.out.is_empty()
    }

    fn stuck(&self, patience: Duration) -> Error {
        let named: Vec<&str> = self
            .out
            .values()
            .take(NAMED)
            .map(|sent| sent.notice.source.as_str())
            .collect();
        let more = match self.out.len().saturating_sub(NAMED) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        Error::Stuck {
            patience,
            done: self.done,
            total: self.total,
            waiting: format!("{}{more}", named.join(", ")),
        }
    }
}

/// The result of a document in its edition, as far as it is stored; `None` while it is unknown. Its message proves
/// nothing while another edition may hold it.
async fn outcome(bus: &dyn Bus, sent: &Sent) -> Result<Option<IndexedEvent>, BusError> {
    let waits = bus.last(Stream::Documents, &sent.subject()).await?;
    let waits = waits.is_some_and(|newest| newest.sequence == sent.sequence);
    let (edition, bucket, doc) = (&sent.to.edition, &sent.bucket, &sent.doc_id);
    let across = envelope::subject::chunks(edition, bucket, doc);
    let newest = bus.last(Stream::Chunks, &across).await?;
    let corpus_seq = newest.map_or(0, |newest| newest.sequence);
    let event = |outcome| {
        let (edition, bucket, doc) = (edition.clone(), bucket.clone(), doc.clone());
        IndexedEvent {
            corpus_seq,
            ..IndexedEvent::of(&sent.notice, edition, bucket, doc, sent.sequence, outcome)
        }
    };
    let letter = Subject::DeadDocument {
        edition: edition.clone(),
        bucket: bucket.clone(),
        doc: doc.clone(),
    };
    let origin = format!("{}/{}", Stream::Documents.name(), sent.sequence);
    let letter = bus.last(Stream::Dead, &letter.to_string()).await?;
    if let Some(letter) = letter
        && letter.headers.get(header::DEAD_ORIGIN) == Some(&origin)
    {
        let said = |name| letter.headers.get(name).unwrap_or_default();
        let (code, text) = (said(header::DEAD_REASON), said(header::DEAD_ERROR));
        return Ok(Some(IndexedEvent {
            problem: Some(envelope::Problem::new(code, text)),
            ..event(DocumentOutcome::Skipped)
        }));
    }
    let head = Subject::Chunk {
        edition: edition.clone(),
        bucket: bucket.clone(),
        doc: doc.clone(),
        n: 0,
    };
    let head = bus.last(Stream::Chunks, &head.to_string()).await?;
    let head = head.and_then(|head| ChunkRecord::decode(&head.body).ok());
    // The head of a version is stored last, the first tombstone of a deletion first.
    if let Some(head) = &head
        && head.document_seq == sent.sequence
        && !head.deleted
    {
        return Ok(Some(IndexedEvent {
            chunks: head.of,
            problem: head.left_out.clone(),
            ..event(DocumentOutcome::Indexed)
        }));
    }
    if waits {
        return Ok(None);
    }
    Ok(Some(match head {
        None if sent.notice.is_deleted => event(DocumentOutcome::Deleted),
        None => event(DocumentOutcome::Superseded),
        Some(head) if head.deleted && sent.notice.is_deleted => event(DocumentOutcome::Deleted),
        Some(head) if Some(&head.hash) == sent.notice.hash.as_ref() => IndexedEvent {
            problem: head.left_out,
            ..event(DocumentOutcome::Unchanged)
        },
        Some(_) => event(DocumentOutcome::Superseded),
    }))
}
