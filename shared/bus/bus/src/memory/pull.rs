//! Pullers and readers of a stream in the memory bus, and the acks of pulled messages.

use super::Shared;
use super::consumer::Consumer;
use crate::{
    Ack, BusError, BusFuture, ConsumerSpec, Delivery, Puller, Reader, StoredMessage, Stream,
};
use envelope::UnixMs;
use futures_util::{FutureExt, future, future::BoxFuture};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::sleep_until;

/// Notified when there may be a message to take.
pub(super) type Wake = Arc<Notify>;

/// What a look at the stream found, or when to look again at the latest.
type Look<T> = Result<T, Option<UnixMs>>;

impl Shared {
    /// Looks until something is found. Nothing is taken unless it is returned in the same poll, so
    /// the future may be dropped at any time.
    async fn until_found<T>(
        &self,
        wake: &Notify,
        mut look: impl FnMut() -> Result<Look<T>, BusError>,
    ) -> Result<T, BusError> {
        loop {
            let rung = wake.notified();
            tokio::pin!(rung);
            // Registered before looking: what comes in between is not missed.
            rung.as_mut().enable();
            match look()? {
                Ok(found) => return Ok(found),
                Err(None) => rung.await,
                Err(Some(at)) => {
                    let later = sleep_until(self.clock.instant(at));
                    tokio::pin!(later);
                    future::select(rung, later).await;
                }
            }
        }
    }
}

fn earliest(a: Option<UnixMs>, b: Option<UnixMs>) -> Option<UnixMs> {
    a.into_iter().chain(b).min()
}

/// A puller of a durable consumer. It takes a message only when it is asked for one, so no message is ever in
/// transit.
pub(super) struct MemoryPuller {
    shared: Arc<Shared>,
    stream: Stream,
    name: Arc<str>,
    wake: Wake,
}

impl MemoryPuller {
    pub(super) fn open(shared: &Arc<Shared>, wanted: &ConsumerSpec) -> Result<Self, BusError> {
        let wake = shared.with(wanted.stream, |log| {
            let name = format!("consumer {}/{}", wanted.stream.name(), wanted.name);
            let Some(consumer) = log.consumers.get(&wanted.name) else {
                return Err(BusError::Missing(name));
            };
            let drift = drift(wanted, &consumer.spec);
            if drift.is_empty() {
                Ok(consumer.feed.wake.clone())
            } else {
                let what = drift.join(", ");
                Err(BusError::Different { name, what })
            }
        })??;
        Ok(MemoryPuller {
            shared: shared.clone(),
            stream: wanted.stream,
            name: wanted.name.as_str().into(),
            wake,
        })
    }

    fn look(&self) -> Result<Look<Delivery>, BusError> {
        let now = self.shared.clock.now();
        let taken = self.shared.with(self.stream, |log| {
            let due = log.next_due();
            let Some(consumer) = log.consumers.get_mut(&*self.name) else {
                let name = format!("consumer {}/{}", self.stream.name(), self.name);
                return Err(BusError::Missing(name));
            };
            Ok(match consumer.take(now) {
                None => Err(earliest(due, consumer.next_again())),
                Some((sequence, delivered)) => match log.get(sequence) {
                    Some(message) => Ok((message, delivered)),
                    None => Err(Some(now)),
                },
            })
        })??;
        Ok(taken.map(|(message, delivered)| Delivery {
            ack: Box::new(MemoryAck {
                shared: self.shared.clone(),
                stream: self.stream,
                name: self.name.clone(),
                sequence: message.sequence,
            }),
            message,
            delivered,
        }))
    }
}

/// In what a consumer differs. Its limit may be tuned without a release; what it takes may not.
fn drift(wanted: &ConsumerSpec, found: &ConsumerSpec) -> Vec<String> {
    let mut drift = Vec::new();
    if wanted.filters != found.filters {
        drift.push(format!(
            "filters are {:?}, wanted {:?}",
            found.filters, wanted.filters
        ));
    }
    if wanted.ack_wait != found.ack_wait {
        drift.push(format!(
            "ack_wait is {:?}, wanted {:?}",
            found.ack_wait, wanted.ack_wait
        ));
    }
    drift
}

impl Puller for MemoryPuller {
    fn next(&mut self, free: usize) -> BusFuture<'_, Delivery> {
        if free == 0 {
            return future::pending().boxed();
        }
        let this = &*self;
        this.shared.until_found(&this.wake, || this.look()).boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, Vec<Delivery>> {
        future::ready(Vec::new()).boxed()
    }
}

struct MemoryAck {
    shared: Arc<Shared>,
    stream: Stream,
    name: Arc<str>,
    sequence: u64,
}

impl MemoryAck {
    fn with(&self, act: impl FnOnce(&mut Consumer, UnixMs, u64)) -> Result<(), BusError> {
        let now = self.shared.clock.now();
        self.shared.with(self.stream, |log| {
            if let Some(consumer) = log.consumers.get_mut(&*self.name) {
                act(consumer, now, self.sequence);
            }
        })
    }
}

impl Ack for MemoryAck {
    fn ack(&self) -> BusFuture<'_, ()> {
        async {
            self.shared
                .with(self.stream, |log| log.acked(&self.name, self.sequence))
        }
        .boxed()
    }

    fn nak(&self, delay: Duration) -> BusFuture<'_, ()> {
        async move { self.with(|consumer, now, sequence| consumer.again_in(now, sequence, delay)) }
            .boxed()
    }

    fn in_progress(&self) -> BusFuture<'_, ()> {
        async {
            self.with(|consumer, now, sequence| {
                consumer.again_in(now, sequence, consumer.spec.ack_wait);
            })
        }
        .boxed()
    }
}

/// A reader of a stream; the stream forgets it when it is dropped.
pub(super) struct MemoryReader {
    shared: Arc<Shared>,
    stream: Stream,
    id: u64,
    wake: Wake,
}

impl MemoryReader {
    pub(super) fn open(
        shared: &Arc<Shared>,
        stream: Stream,
        filter: &str,
        from: u64,
    ) -> Result<Self, BusError> {
        let (id, wake) = shared.with(stream, |log| log.open_reader(filter, from))?;
        Ok(MemoryReader {
            shared: shared.clone(),
            stream,
            id,
            wake,
        })
    }

    fn look(&self) -> Result<Look<(StoredMessage, u64)>, BusError> {
        self.shared.with(self.stream, |log| {
            let due = log.next_due();
            let reader = log.readers.get_mut(&self.id).ok_or(due)?;
            let sequence = reader.waiting.pop_first().ok_or(due)?;
            let after = reader.waiting.len() as u64;
            let message = log.get(sequence).ok_or(due)?;
            Ok((message, after))
        })
    }
}

impl Reader for MemoryReader {
    fn next(&mut self) -> BusFuture<'_, (StoredMessage, u64)> {
        let this = &*self;
        this.shared.until_found(&this.wake, || this.look()).boxed()
    }
}

impl Drop for MemoryReader {
    fn drop(&mut self) {
        if let Some(log) = self.shared.state().logs.get_mut(&self.stream) {
            log.readers.remove(&self.id);
        }
    }
}
