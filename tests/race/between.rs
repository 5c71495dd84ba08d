//! A bus wrapper that changes publishes as a test wants, records each attempt with its result, and can suppress the
//! in-progress acks of running work.

use bus::{
    Ack, Bus, BusError, ConsumerProgress, ConsumerSpec, CoreMessage, Delivery, Publish,
    PublishError, Puller, Reader, StoredMessage, Stream, StreamState, Subscription,
};
use bytes::Bytes;
use envelope::UnixMs;
use futures_util::future::BoxFuture;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;

use crate::world::within;

/// What the wrapper does with a publish.
pub(crate) enum Do {
    /// It passes the publish on.
    Pass,
    /// It publishes another message instead.
    Instead(Publish),
    /// It stores nothing, and tells the publisher so.
    Fail(PublishError),
    /// It stores nothing, and tells the publisher that the message was stored.
    Swallow,
    /// It stores nothing, and the publish never returns.
    Stall,
    /// It stores the message, and the publish never returns.
    StallStored,
    /// It stores the message, and tells the publisher that the result is unknown.
    Unconfirmed,
    /// It holds the publish until a permit is added.
    Hold(Arc<Semaphore>),
}

/// A publish and its result; `None` while there is no result, or because there never is one.
pub(crate) type Tried = (Publish, Option<Result<u64, PublishError>>);

type Rule = dyn Fn(&Publish) -> Do + Send + Sync;

/// The wrapper.
pub(crate) struct Between {
    inner: Arc<dyn Bus>,
    rule: Box<Rule>,
    mute: bool,
    /// How many acks of first deliveries were lost, where they are.
    lost_acks: Option<Arc<AtomicUsize>>,
    /// The subject to which subscribing never returns.
    deaf: Option<&'static str>,
    /// How many of the next requests for files never return.
    files_lost: AtomicUsize,
    /// How many of the next files are not stored, and with which error.
    files_failed: Mutex<Option<(usize, BusError)>>,
    /// Whether broadcasts are dropped silently.
    hushed: AtomicBool,
    tried: Mutex<Vec<Tried>>,
    naks: Arc<Mutex<Vec<(String, Duration)>>>,
    came: Semaphore,
}

impl Between {
    pub(crate) fn new(
        inner: &Arc<dyn Bus>,
        rule: impl Fn(&Publish) -> Do + Send + Sync + 'static,
    ) -> Arc<Between> {
        Between::build(inner, rule, false, None)
    }

    /// A wrapper that passes no in-progress signal on, so that running work is delivered again after the ack wait.
    pub(crate) fn mute(inner: &Arc<dyn Bus>) -> Arc<Between> {
        Between::build(inner, |_| Do::Pass, true, None)
    }

    /// A wrapper in which subscribing to a subject never returns, as while a server is away; this counts as meddling.
    pub(crate) fn deaf(inner: &Arc<dyn Bus>, subject: &'static str) -> Arc<Between> {
        Between::build(inner, |_| Do::Pass, false, Some(subject))
    }

    /// A wrapper that loses the ack of each first delivery: whoever acks is told that it was sent, and nothing is.
    pub(crate) fn losing_acks(inner: &Arc<dyn Bus>) -> Arc<Between> {
        let mut between = Between::build(inner, |_| Do::Pass, false, None);
        Arc::get_mut(&mut between).unwrap().lost_acks = Some(Arc::default());
        between
    }

    /// How many acks were lost.
    pub(crate) fn lost_acks(&self) -> usize {
        let lost = self.lost_acks.as_ref();
        lost.map_or(0, |lost| lost.load(Ordering::SeqCst))
    }

    fn build(
        inner: &Arc<dyn Bus>,
        rule: impl Fn(&Publish) -> Do + Send + Sync + 'static,
        mute: bool,
        deaf: Option<&'static str>,
    ) -> Arc<Between> {
        Arc::new(Between {
            inner: inner.clone(),
            rule: Box::new(rule),
            mute,
            lost_acks: None,
            deaf,
            files_lost: AtomicUsize::new(0),
            files_failed: Mutex::default(),
            hushed: AtomicBool::new(false),
            tried: Mutex::default(),
            naks: Arc::default(),
            came: Semaphore::new(0),
        })
    }

    /// The next `n` requests for files never return.
    pub(crate) fn lose_files(&self, n: usize) {
        self.files_lost.store(n, Ordering::Relaxed);
    }

    /// The next `n` files are not stored, and the caller is told so.
    pub(crate) fn fail_files(&self, n: usize, error: BusError) {
        *self.files_failed.lock().unwrap() = Some((n, error));
    }

    /// All broadcasts from now on are dropped silently.
    pub(crate) fn hush(&self) {
        self.hushed.store(true, Ordering::Relaxed);
    }

    /// Waits for `n` publishes that were not simply passed on.
    pub(crate) async fn meddled(&self, n: u32) {
        let came = within("a publish to meddle with", self.came.acquire_many(n));
        came.await.unwrap().forget();
    }

    /// The publishes to subjects that hold `part`, oldest first.
    pub(crate) fn tried(&self, part: &str) -> Vec<Tried> {
        let tried = self.tried.lock().unwrap();
        tried
            .iter()
            .filter(|(message, _)| message.subject.contains(part))
            .cloned()
            .collect()
    }

    /// The messages that were given back and the delay of each, by subject, oldest first.
    pub(crate) fn naks(&self) -> Vec<(String, Duration)> {
        self.naks.lock().unwrap().clone()
    }

    async fn meddle(&self, message: Publish) -> Result<u64, PublishError> {
        let what = (self.rule)(&message);
        if !matches!(what, Do::Pass | Do::StallStored) {
            self.came.add_permits(1);
        }
        match what {
            Do::Pass => self.inner.publish(message).await,
            Do::Instead(other) => self.inner.publish(other).await,
            Do::Fail(error) => Err(error),
            Do::Swallow => Ok(0),
            Do::Stall => std::future::pending().await,
            Do::StallStored => {
                let stored = self.inner.publish(message).await;
                assert!(stored.is_ok(), "{stored:?}");
                self.came.add_permits(1);
                std::future::pending().await
            }
            Do::Unconfirmed => {
                let stored = self.inner.publish(message).await;
                assert!(stored.is_ok(), "{stored:?}");
                Err(PublishError::Unconfirmed("scripted".into()))
            }
            Do::Hold(until) => {
                until.acquire().await.unwrap().forget();
                self.inner.publish(message).await
            }
        }
    }
}

impl Bus for Between {
    fn now(&self) -> UnixMs {
        self.inner.now()
    }

    fn publish(&self, message: Publish) -> BoxFuture<'_, Result<u64, PublishError>> {
        Box::pin(async move {
            let place = {
                let mut tried = self.tried.lock().unwrap();
                tried.push((message.clone(), None));
                tried.len() - 1
            };
            let came = self.meddle(message).await;
            self.tried.lock().unwrap()[place].1 = Some(came.clone());
            came
        })
    }

    fn last<'a>(
        &'a self,
        stream: Stream,
        subject: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredMessage>, BusError>> {
        self.inner.last(stream, subject)
    }

    fn count<'a>(
        &'a self,
        stream: Stream,
        filter: &'a str,
    ) -> BoxFuture<'a, Result<u64, BusError>> {
        self.inner.count(stream, filter)
    }

    fn last_of_each<'a>(
        &'a self,
        stream: Stream,
        filters: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<StoredMessage>, BusError>> {
        self.inner.last_of_each(stream, filters)
    }

    fn read<'a>(
        &'a self,
        stream: Stream,
        filter: &'a str,
        from: u64,
    ) -> BoxFuture<'a, Result<Box<dyn Reader>, BusError>> {
        self.inner.read(stream, filter, from)
    }

    fn state(&self, stream: Stream) -> BoxFuture<'_, Result<StreamState, BusError>> {
        self.inner.state(stream)
    }

    fn first<'a>(
        &'a self,
        stream: Stream,
        subject: &'a str,
        from: u64,
    ) -> BoxFuture<'a, Result<Option<StoredMessage>, BusError>> {
        self.inner.first(stream, subject, from)
    }

    fn progress<'a>(
        &'a self,
        consumer: &'a ConsumerSpec,
    ) -> BoxFuture<'a, Result<ConsumerProgress, BusError>> {
        self.inner.progress(consumer)
    }

    fn consume<'a>(
        &'a self,
        consumer: &'a ConsumerSpec,
    ) -> BoxFuture<'a, Result<Box<dyn Puller>, BusError>> {
        Box::pin(async move {
            let inner = self.inner.consume(consumer).await?;
            Ok(Box::new(Pulling {
                inner,
                mute: self.mute,
                lost_acks: self.lost_acks.clone(),
                naks: self.naks.clone(),
            }) as Box<dyn Puller>)
        })
    }

    fn add_consumer<'a>(
        &'a self,
        consumer: &'a ConsumerSpec,
    ) -> BoxFuture<'a, Result<(), BusError>> {
        self.inner.add_consumer(consumer)
    }

    fn drop_consumer<'a>(
        &'a self,
        consumer: &'a ConsumerSpec,
    ) -> BoxFuture<'a, Result<(), BusError>> {
        self.inner.drop_consumer(consumer)
    }

    fn erase(&self, stream: Stream, sequence: u64) -> BoxFuture<'_, Result<bool, BusError>> {
        self.inner.erase(stream, sequence)
    }

    fn purge<'a>(
        &'a self,
        stream: Stream,
        filter: &'a str,
    ) -> BoxFuture<'a, Result<u64, BusError>> {
        self.inner.purge(stream, filter)
    }

    fn broadcast(&self, message: CoreMessage) -> BoxFuture<'_, Result<(), BusError>> {
        if self.hushed.load(Ordering::Relaxed) {
            return Box::pin(std::future::pending());
        }
        self.inner.broadcast(message)
    }

    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
        queue: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Box<dyn Subscription>, BusError>> {
        if self.deaf == Some(subject) {
            self.came.add_permits(1);
            return Box::pin(std::future::pending());
        }
        self.inner.subscribe(subject, queue)
    }

    fn put_file<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, Result<(), BusError>> {
        if let Some((left @ 1.., error)) = &mut *self.files_failed.lock().unwrap() {
            *left -= 1;
            return Box::pin(std::future::ready(Err(error.clone())));
        }
        self.inner.put_file(name, bytes)
    }

    fn get_file<'a>(
        &'a self,
        name: &'a str,
        max_bytes: u64,
    ) -> BoxFuture<'a, Result<Option<Bytes>, BusError>> {
        let fewer = |left: usize| left.checked_sub(1);
        let lost = self
            .files_lost
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer);
        match lost {
            Ok(_) => Box::pin(std::future::pending()),
            Err(_) => self.inner.get_file(name, max_bytes),
        }
    }

    fn delete_file<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), BusError>> {
        self.inner.delete_file(name)
    }

    fn connected(&self) -> bool {
        self.inner.connected()
    }
}

struct Pulling {
    inner: Box<dyn Puller>,
    mute: bool,
    lost_acks: Option<Arc<AtomicUsize>>,
    naks: Arc<Mutex<Vec<(String, Duration)>>>,
}

impl Puller for Pulling {
    fn next(&mut self, free: usize) -> BoxFuture<'_, Result<Delivery, BusError>> {
        Box::pin(async move {
            let Delivery {
                message,
                delivered,
                ack,
            } = self.inner.next(free).await?;
            let ack = Box::new(Acking {
                inner: ack,
                subject: message.subject.clone(),
                mute: self.mute,
                lost: self.lost_acks.clone().filter(|_| delivered == 1),
                naks: self.naks.clone(),
            });
            Ok(Delivery {
                message,
                delivered,
                ack,
            })
        })
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, Vec<Delivery>> {
        self.inner.close()
    }
}

struct Acking {
    inner: Box<dyn Ack>,
    subject: String,
    mute: bool,
    /// Counts its ack, which is lost.
    lost: Option<Arc<AtomicUsize>>,
    naks: Arc<Mutex<Vec<(String, Duration)>>>,
}

impl Ack for Acking {
    fn ack(&self) -> BoxFuture<'_, Result<(), BusError>> {
        if let Some(lost) = &self.lost {
            lost.fetch_add(1, Ordering::SeqCst);
            return Box::pin(std::future::ready(Ok(())));
        }
        self.inner.ack()
    }

    fn nak(&self, delay: Duration) -> BoxFuture<'_, Result<(), BusError>> {
        let nak = (self.subject.clone(), delay);
        self.naks.lock().unwrap().push(nak);
        self.inner.nak(delay)
    }

    fn in_progress(&self) -> BoxFuture<'_, Result<(), BusError>> {
        if self.mute {
            return Box::pin(std::future::ready(Ok(())));
        }
        self.inner.in_progress()
    }
}
