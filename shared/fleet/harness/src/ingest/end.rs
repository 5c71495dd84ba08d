//! Ends the work on a document message: announces and counts the result, and deletes what was stored for the message.

use super::read::nameless;
use super::{Done, Failure, IngestWorker, write};
use crate::dead::{self, Death};
use crate::delivery_outcome::{AckReason, DeliveryOutcome};
use bus::{BusError, CoreMessage, Delivery, Headers, StoredMessage, Stream};
use envelope::document::{DocumentOutcome, IndexedEvent, Notice};
use envelope::{Problem, Role, Subject, TenantId};
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
        tracing::info!(
            source = incoming.notice.source,
            outcome = outcome.as_str(),
            chunks,
            "document finished"
        );
        if let Some(problem) = &left_out {
            let (code, error) = (problem.code.as_str(), problem.message.as_str());
            tracing::warn!(
                code,
                error,
                source = incoming.notice.source,
                "a part of the document was left out"
            );
        }
        let (bucket, doc_id) = (incoming.bucket.clone(), incoming.doc_id.clone());
        let event = IndexedEvent {
            chunks,
            corpus_seq,
            problem: left_out,
            ..IndexedEvent::of(
                &incoming.notice,
                incoming.edition.clone(),
                bucket,
                doc_id,
                message.sequence,
                outcome,
            )
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
        if matches!(
            Subject::parse(&message.subject),
            Ok(Subject::Reindex { .. })
        ) {
            return Ok(false);
        }
        let editions = streams::editions::read(&*self.bus).await?.editions;
        let others: Vec<_> = editions
            .all()
            .filter(|one| **one != incoming.edition)
            .collect();
        if others.is_empty() {
            return Ok(false);
        }
        for other in others {
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
        incoming: Option<&Incoming>,
        failure: Failure,
    ) -> DeliveryOutcome {
        let message = &delivery.message;
        let (bucket, doc_id) = match incoming {
            Some(incoming) => (incoming.bucket.clone(), incoming.doc_id.clone()),
            None => nameless(message),
        };
        let notice = match incoming {
            Some(incoming) => incoming.notice.clone(),
            None => Notice::new(TenantId::default_tenant(), ""),
        };
        let (code, error) = (failure.code, failure.text.as_str());
        let death = Death {
            reason: code,
            error,
            stream: Stream::Documents,
            delivered: delivery.delivered,
        };
        let subject = Subject::DeadDocument {
            edition: self.edition.clone(),
            bucket: bucket.clone(),
            doc: doc_id.clone(),
        };
        let mut letter = dead::letter_at(subject, message, &death);
        for (name, value) in notice.headers() {
            letter.headers = letter.headers.with(name, value);
        }
        if !dead::store(&*self.bus, letter).await {
            tracing::error!(
                code,
                error,
                source = notice.source,
                "dead letter not stored; the document stays and is tried again"
            );
            return DeliveryOutcome::Retry(unburied(delivery.delivered));
        }
        tracing::error!(code, error, source = notice.source, "document given up");
        self.metrics.dead(Role::Indexer, failure.class, true);
        self.counts.document(DocumentOutcome::Skipped);
        let (sequence, outcome) = (message.sequence, DocumentOutcome::Skipped);
        self.tell(IndexedEvent {
            problem: Some(Problem::new(code, error)),
            ..IndexedEvent::of(
                &notice,
                self.edition.clone(),
                bucket,
                doc_id,
                sequence,
                outcome,
            )
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
        let message = CoreMessage {
            subject: subject.to_string(),
            reply: None,
            headers: Headers::default(),
            body: serde_json::to_vec(&event).unwrap_or_default().into(),
        };
        if let Err(error) = self.bus.broadcast(message).await {
            tracing::debug!(%error, "event not sent");
        }
    }
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
