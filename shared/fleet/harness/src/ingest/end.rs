//! Ends the work on a document message: announces and counts the result, and deletes what was stored for the message.

use super::{Done, Failure, IngestWorker, write};
use crate::dead::{self, Death};
use crate::delivery_outcome::{AckReason, DeliveryOutcome};
use bus::{BusError, CoreMessage, Delivery, StoredMessage, Stream};
use envelope::document::{DocumentOutcome, IndexedEvent};
use envelope::{Problem, Role, Subject};
use stage::{ChunkPlace, Incoming};
use std::time::Duration;

impl IngestWorker {
    pub(super) async fn done(
        &self,
        incoming: &Incoming,
        message: &StoredMessage,
        done: Done,
    ) -> DeliveryOutcome {
        let Done {
            outcome,
            chunks,
            corpus_seq,
            is_now,
            left_out,
        } = done;
        let source = incoming.notice.source.as_str();
        tracing::info!(
            source,
            outcome = outcome.as_str(),
            chunks,
            "document finished"
        );
        if let Some(problem) = &left_out {
            let (code, error) = (problem.code.as_str(), problem.message.as_str());
            tracing::warn!(code, error, source, "a part of the document was left out");
        }
        let event = IndexedEvent {
            chunks,
            corpus_seq,
            problem: left_out,
            ..event(incoming, outcome)
        };
        self.tell(event).await;
        if is_now {
            self.counts.chunks(chunks);
        }
        self.counts.document(outcome);
        if let Some(file) = &incoming.notice.object {
            self.drop_file(file, incoming, message).await;
        }
        DeliveryOutcome::Ack(match (outcome, is_now) {
            (DocumentOutcome::Superseded, _) => AckReason::Dropped,
            (_, true) => AckReason::Ok,
            (_, false) => AckReason::AlreadyDone,
        })
    }

    /// The object belongs to this message, unless the publisher repeated itself or another edition has
    /// still to read it.
    async fn drop_file(&self, file: &str, incoming: &Incoming, message: &StoredMessage) {
        match self.others_need(incoming, message).await {
            Ok(false) => {}
            Ok(true) => return,
            Err(error) => {
                tracing::warn!(%error, file, "file not deleted; it expires by age");
                return;
            }
        }
        let newest = self.bus.last(Stream::Documents, &message.subject).await;
        let shared = newest.ok().flatten().is_some_and(|newest| {
            newest.sequence != message.sequence
                && newest.headers.get(envelope::header::OBJECT) == Some(file)
        });
        if shared {
            return;
        }
        if let Err(error) = self.bus.delete_file(file).await {
            tracing::warn!(%error, file, "file not deleted; it expires by age");
        }
    }

    /// Whether another edition has not come as far with the document as this one. Each looks when it is
    /// done itself, so the last of them finds all the others done. Where one had nothing to do, the
    /// object stays until it is too old.
    async fn others_need(
        &self,
        incoming: &Incoming,
        message: &StoredMessage,
    ) -> Result<bool, BusError> {
        if let Ok(Subject::Reindex { .. }) = Subject::parse(&message.subject) {
            return Ok(false);
        }
        let editions = streams::editions::read(&*self.bus).await?.editions;
        for other in editions.all().filter(|one| **one != incoming.edition) {
            let there = Incoming {
                edition: other.clone(),
                ..incoming.clone()
            };
            let there = self.head(&there).await?;
            if !there.is_some_and(|there| has_caught_up(&there, incoming)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What the head of the document says, in the edition of `incoming`.
    async fn head(&self, incoming: &Incoming) -> Result<Option<ChunkPlace>, BusError> {
        let subject = write::subject(incoming, 0);
        let head = self.bus.last(Stream::Chunks, &subject).await?;
        Ok(head.and_then(|head| self.ingest.known(&head.body)))
    }

    /// Stores the dead letter, publishes the event, acks. The ack removes the document from its queue for good, so
    /// there is none without a dead letter: the message is redelivered until one is stored. The object of a
    /// document that was given up stays until it expires.
    pub(super) async fn give_up(
        &self,
        delivery: &Delivery,
        incoming: &Incoming,
        failure: Failure,
    ) -> DeliveryOutcome {
        let (code, error) = (failure.code, failure.text.as_str());
        let source = incoming.notice.source.as_str();
        let death = Death {
            reason: code,
            error,
            stream: Stream::Documents,
            delivered: delivery.delivered,
        };
        let subject = Subject::DeadDocument {
            edition: incoming.edition.clone(),
            bucket: incoming.bucket.clone(),
            doc: incoming.doc_id.clone(),
        };
        let mut letter = dead::letter_at(subject, &delivery.message, &death);
        for (name, value) in incoming.notice.headers() {
            letter.headers = letter.headers.with(name, value);
        }
        if !dead::store(&*self.bus, letter).await {
            tracing::error!(
                code,
                error,
                source,
                "dead letter not stored; the document stays and is tried again"
            );
            return DeliveryOutcome::Retry(unburied(delivery.delivered));
        }
        tracing::error!(code, error, source, "document given up");
        self.metrics.dead(Role::Indexer, failure.class, true);
        self.counts.document(DocumentOutcome::Skipped);
        self.tell(IndexedEvent {
            problem: Some(Problem::new(code, error)),
            ..event(incoming, DocumentOutcome::Skipped)
        })
        .await;
        DeliveryOutcome::Ack(AckReason::DeadLetter)
    }

    /// Tells processes that listen; the stored messages say the same.
    async fn tell(&self, event: IndexedEvent) {
        let subject = Subject::Indexed {
            bucket: event.bucket.clone(),
            doc: event.doc_id.clone(),
        };
        let body = serde_json::to_vec(&event).unwrap_or_default();
        let message = CoreMessage::new(subject, body);
        if let Err(error) = self.bus.broadcast(message).await {
            tracing::debug!(%error, "event not sent");
        }
    }
}

fn event(incoming: &Incoming, outcome: DocumentOutcome) -> IndexedEvent {
    IndexedEvent::of(
        &incoming.notice,
        incoming.edition.clone(),
        incoming.bucket.clone(),
        incoming.doc_id.clone(),
        incoming.sequence,
        outcome,
    )
}

/// How long a document waits when its dead letter was not stored: 1 second at first, a minute in the end.
fn unburied(delivered: u64) -> Duration {
    let doublings = u32::try_from(delivered.saturating_sub(1)).unwrap_or(u32::MAX);
    Duration::from_secs(2u64.saturating_pow(doublings).min(60))
}

/// Whether what another edition has of a document was made of this message, or of a newer one. The same
/// version is not enough: with another pipeline by now, or by force, it is made anew there, and what that
/// pipeline is only the indexers of that edition know.
fn has_caught_up(there: &ChunkPlace, incoming: &Incoming) -> bool {
    there.sequence >= incoming.sequence && there.stored_at >= incoming.stored_at
}
