//! The bus in one process: JetStream's semantics as [`Bus`] documents them, without a server.
//!
//! `argosy dev` and the simulation run on it, and it passes the same conformance suite as NATS. It is for one
//! process only: nothing is written to disk, nothing crosses a process boundary, and everything is gone when the
//! last handle is dropped. It has no replicas, so nothing ever lags and [`PublishError::Conflict`] never happens.
//!
//! Time is tokio's, so tests can pause the clock. There is no background task: the next call on a stream processes
//! expiry, schedules and redelivery, and a call that waits for a message wakes up when one of these falls due. One
//! mutex guards the state and is never held across an await. The specification of a stream limits its size. A
//! subscription has a bounded queue, which drops messages that do not fit, as a server does with slow consumers.

mod consumer;
mod core;
mod files;
mod log;
mod pull;
mod restore;
mod snapshots;
mod subjects;

use crate::topology::Topology;
use crate::{
    Bus, BusError, BusFuture, ConsumerProgress, ConsumerSpec, CoreMessage, Publish, PublishError,
    Puller, Reader, StoredMessage, Stream, StreamState, Subscription,
};
use bytes::Bytes;
use consumer::Consumer;
use core::Core;
use envelope::{Editions, UnixMs};
use files::Files;
use futures_util::{FutureExt, future::BoxFuture};
use log::Log;
use snapshots::Kept;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The time at which the clock of a bus starts by default: 2026-01-01 00:00 UTC, so that a simulation depends on its
/// seed alone.
pub const EPOCH: UnixMs = UnixMs(1_767_225_600_000);

/// Most messages of one [`Bus::last_of_each`], as on the server.
const LAST_OF_EACH_MAX: usize = 1024;

/// A bus for one process.
pub struct MemoryBus {
    shared: Arc<Shared>,
}

impl MemoryBus {
    /// A bus with the streams and consumers of `topology`, empty, whose clock starts at [`EPOCH`].
    pub fn new(topology: &Topology) -> Arc<MemoryBus> {
        MemoryBus::starting_at(topology, EPOCH)
    }

    /// Like [`MemoryBus::new`], with a clock that starts at `epoch`. Pass the real time when real questions are
    /// asked.
    pub fn starting_at(topology: &Topology, epoch: UnixMs) -> Arc<MemoryBus> {
        let mut logs: BTreeMap<Stream, Log> = topology
            .streams()
            .into_iter()
            .map(|spec| (spec.stream, Log::new(spec, epoch)))
            .collect();
        for spec in topology.consumers(&Editions::default()) {
            if let Some(log) = logs.get_mut(&spec.stream) {
                log.consumers.insert(spec.name.clone(), Consumer::new(spec));
            }
        }
        let shared = Shared {
            clock: Clock {
                start: Instant::now(),
                epoch,
            },
            state: Mutex::new(State {
                logs,
                core: Core::default(),
                files: Files::new(topology.files_bytes.bytes()),
                snapshots: Kept::new(topology.snapshots_bytes.bytes()),
            }),
        };
        Arc::new(MemoryBus {
            shared: Arc::new(shared),
        })
    }
}

/// What the bus, its pullers, readers and subscriptions hold together.
struct Shared {
    clock: Clock,
    state: Mutex<State>,
}

struct State {
    logs: BTreeMap<Stream, Log>,
    core: Core,
    files: Files,
    snapshots: Kept,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves no half-made change behind that is worse than stopping here.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with a stream that has been brought up to now.
    fn with<T>(&self, stream: Stream, act: impl FnOnce(&mut Log) -> T) -> Result<T, BusError> {
        let now = self.clock.now();
        let mut state = self.state();
        let log = state
            .logs
            .get_mut(&stream)
            .ok_or_else(|| BusError::Missing(format!("stream {}", stream.name())))?;
        log.advance(now);
        Ok(act(log))
    }
}

/// Milliseconds of bus time, measured by tokio's clock.
struct Clock {
    start: Instant,
    epoch: UnixMs,
}

impl Clock {
    fn now(&self) -> UnixMs {
        let elapsed = Instant::now().saturating_duration_since(self.start);
        self.epoch.plus(elapsed.as_millis() as u64)
    }

    fn instant(&self, at: UnixMs) -> Instant {
        self.start + Duration::from_millis(self.epoch.until(at))
    }
}

impl State {
    /// A message for the stream that stores its subject, if one does.
    fn store(&mut self, now: UnixMs, message: Publish) -> Result<u64, PublishError> {
        if !subjects::is_literal(&message.subject) {
            let subject = message.subject;
            return Err(PublishError::Refused(format!("bad subject `{subject}`")));
        }
        let Some(log) = self.logs.values_mut().find(|l| l.takes(&message.subject)) else {
            let subject = message.subject;
            return Err(PublishError::Refused(format!(
                "no stream takes `{subject}`"
            )));
        };
        log.advance(now);
        log.store(now, message)
    }
}

impl Bus for MemoryBus {
    fn now(&self) -> UnixMs {
        self.shared.clock.now()
    }

    fn publish(&self, message: Publish) -> BoxFuture<'_, Result<u64, PublishError>> {
        async move {
            let now = self.now();
            let mut state = self.shared.state();
            // As on a server, a subscription gets the message whether or not it is stored.
            state.core.deliver_with(&message.subject, || CoreMessage {
                headers: message.headers.clone(),
                ..CoreMessage::new(&message.subject, message.body.clone())
            });
            state.store(now, message)
        }
        .boxed()
    }

    fn last<'a>(
        &'a self,
        stream: Stream,
        subject: &'a str,
    ) -> BusFuture<'a, Option<StoredMessage>> {
        async move { self.shared.with(stream, |log| log.last(subject)) }.boxed()
    }

    fn count<'a>(&'a self, stream: Stream, filter: &'a str) -> BusFuture<'a, u64> {
        async move { self.shared.with(stream, |log| log.count(filter)) }.boxed()
    }

    fn last_of_each<'a>(
        &'a self,
        stream: Stream,
        filters: &'a [String],
    ) -> BusFuture<'a, Vec<StoredMessage>> {
        async move {
            let found = self.shared.with(stream, |log| log.last_of_each(filters))?;
            if found.len() > LAST_OF_EACH_MAX {
                return Err(BusError::Refused("too many subjects match".into()));
            }
            Ok(found)
        }
        .boxed()
    }

    fn read<'a>(
        &'a self,
        stream: Stream,
        filter: &'a str,
        from: u64,
    ) -> BusFuture<'a, Box<dyn Reader>> {
        async move {
            let reader = pull::MemoryReader::open(&self.shared, stream, filter, from)?;
            Ok(Box::new(reader) as Box<dyn Reader>)
        }
        .boxed()
    }

    fn state(&self, stream: Stream) -> BusFuture<'_, StreamState> {
        async move { self.shared.with(stream, |log| log.state()) }.boxed()
    }

    fn first<'a>(
        &'a self,
        stream: Stream,
        subject: &'a str,
        from: u64,
    ) -> BusFuture<'a, Option<StoredMessage>> {
        async move { self.shared.with(stream, |log| log.first(subject, from)) }.boxed()
    }

    fn progress<'a>(&'a self, consumer: &'a ConsumerSpec) -> BusFuture<'a, ConsumerProgress> {
        async move {
            let found = self
                .shared
                .with(consumer.stream, |log| log.progress(&consumer.name))?;
            found.ok_or_else(|| BusError::Missing(format!("consumer {}", consumer.name)))
        }
        .boxed()
    }

    fn consume<'a>(&'a self, consumer: &'a ConsumerSpec) -> BusFuture<'a, Box<dyn Puller>> {
        async move {
            let puller = pull::MemoryPuller::open(&self.shared, consumer)?;
            Ok(Box::new(puller) as Box<dyn Puller>)
        }
        .boxed()
    }

    fn add_consumer<'a>(&'a self, consumer: &'a ConsumerSpec) -> BusFuture<'a, ()> {
        let spec = consumer.clone();
        async move {
            self.shared
                .with(spec.stream, |log| log.add_consumer(spec.clone()))
        }
        .boxed()
    }

    fn drop_consumer<'a>(&'a self, consumer: &'a ConsumerSpec) -> BusFuture<'a, ()> {
        async move {
            self.shared
                .with(consumer.stream, |log| log.drop_consumer(&consumer.name))
        }
        .boxed()
    }

    fn erase(&self, stream: Stream, sequence: u64) -> BusFuture<'_, bool> {
        async move { self.shared.with(stream, |log| log.erase(sequence)) }.boxed()
    }

    fn purge<'a>(&'a self, stream: Stream, filter: &'a str) -> BusFuture<'a, u64> {
        async move { self.shared.with(stream, |log| log.purge(filter)) }.boxed()
    }

    fn broadcast(&self, message: CoreMessage) -> BusFuture<'_, ()> {
        async move {
            if !subjects::is_literal(&message.subject) {
                let subject = message.subject;
                return Err(BusError::Refused(format!("bad subject `{subject}`")));
            }
            let now = self.now();
            let mut state = self.shared.state();
            let stored = Publish {
                headers: message.headers.clone(),
                ..Publish::new(&message.subject, message.body.clone())
            };
            // As on a server, a stream that takes the subject stores it without a confirmation.
            let _ = state.store(now, stored);
            state
                .core
                .deliver_with(&message.subject, || message.clone());
            Ok(())
        }
        .boxed()
    }

    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
        queue: Option<&'a str>,
    ) -> BusFuture<'a, Box<dyn Subscription>> {
        async move {
            let subscription = core::MemorySubscription::open(&self.shared, subject, queue);
            Ok(Box::new(subscription) as Box<dyn Subscription>)
        }
        .boxed()
    }

    fn put_file<'a>(&'a self, name: &'a str, bytes: Bytes) -> BusFuture<'a, ()> {
        async move {
            let now = self.now();
            self.shared.state().files.put(now, name, bytes)
        }
        .boxed()
    }

    fn get_file<'a>(&'a self, name: &'a str, max_bytes: u64) -> BusFuture<'a, Option<Bytes>> {
        async move {
            let now = self.now();
            self.shared.state().files.get(now, name, max_bytes)
        }
        .boxed()
    }

    fn files_taken(&self) -> BusFuture<'_, f64> {
        async move { Ok(self.shared.state().files.taken(self.now())) }.boxed()
    }

    fn delete_file<'a>(&'a self, name: &'a str) -> BusFuture<'a, ()> {
        async move {
            self.shared.state().files.delete(name);
            Ok(())
        }
        .boxed()
    }

    fn connected(&self) -> bool {
        true
    }
}
