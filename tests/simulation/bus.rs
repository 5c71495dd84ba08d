//! Wraps the bus for one process, and injects the faults of a network, of a server and of two of its replicas. The
//! results of `last` and `count` stay correct, because the leader answers them.

use crate::deliveries::DisturbedPuller;
use crate::ledger::Reply;
use crate::world::{Process, turn_in};
use bus::{
    Bus, BusError, ConsumerProgress, ConsumerSpec, CoreMessage, Publish, PublishError, Puller,
    Reader, StoredMessage, Stream, StreamState, Subscription,
};
use bytes::Bytes;
use envelope::{TurnId, UnixMs};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// The longest delay of a publish, a read or a late delivery.
pub(crate) const SLOW: Duration = Duration::from_millis(1_500);
/// How far a follower is behind at most.
const LAG_MS: u64 = 3_000;
/// How long a caller waits for a bus that is away.
const NO_ANSWER: Duration = Duration::from_millis(200);

/// The bus of one process.
pub(crate) struct DisturbedBus(pub Arc<Process>);

impl DisturbedBus {
    fn away(&self) -> BusError {
        BusError::Away("simulated".into())
    }

    /// Takes time that counts against a turn.
    async fn lose(&self, turn: Option<&TurnId>, time: Duration) {
        self.0.world.ledger().take(turn, time);
        sleep(time).await;
    }

    /// The disturbances before every read.
    async fn before_read(&self, what: &str, subject: &str) -> Result<(), BusError> {
        let p = &self.0;
        p.live_or_die(what).await;
        let turn = turn_in(subject);
        if p.world.away_until().is_some() {
            p.world.ledger().hit("outage");
            self.lose(turn.as_ref(), NO_ANSWER).await;
            return Err(self.away());
        }
        if p.strikes(p.world.rates().read_slow, "read slow") {
            self.lose(turn.as_ref(), p.while_below(SLOW)).await;
        }
        if p.strikes(p.world.rates().read_failed, "read failed") {
            p.log(|| format!("{what} {subject} failed"));
            return Err(self.away());
        }
        p.live().await;
        Ok(())
    }

    /// The disturbances that may replace a publish.
    async fn before_publish(&self, message: &Publish) -> Result<(), PublishError> {
        let p = &self.0;
        p.live_or_die("before a publish").await;
        let rates = p.world.rates();
        let turn = turn_in(&message.subject);
        let lost = || PublishError::Unconfirmed("simulated".into());
        // A failure makes the outbox wait for two seconds at most.
        let waits = Duration::from_secs(2);
        let failed = if p.world.away_until().is_some() {
            p.world.ledger().hit("outage");
            Some((NO_ANSWER, lost()))
        } else if p.strikes(rates.publish_lost, "publish lost") {
            Some((NO_ANSWER, lost()))
        } else if p.strikes(rates.publish_conflict, "publish conflict") {
            Some((Duration::ZERO, PublishError::Conflict))
        } else if p.strikes(rates.publish_full, "publish full") {
            Some((Duration::ZERO, PublishError::Full))
        } else {
            None
        };
        if let Some((time, error)) = failed {
            p.log(|| format!("publish {} not stored: {error}", message.subject));
            p.world.ledger().take(turn.as_ref(), waits);
            self.lose(turn.as_ref(), time).await;
            return Err(error);
        }
        if p.strikes(rates.publish_slow, "publish slow") {
            self.lose(turn.as_ref(), p.while_below(SLOW)).await;
        }
        p.live().await;
        Ok(())
    }
}

impl Bus for DisturbedBus {
    fn now(&self) -> UnixMs {
        self.0.world.bus.now()
    }

    fn publish(&self, message: Publish) -> BoxFuture<'_, Result<u64, PublishError>> {
        Box::pin(async move {
            let p = &self.0;
            self.before_publish(&message).await?;
            let subject = message.subject.clone();
            let stored = p.world.bus.publish(message).await;
            p.log(|| format!("publish {subject} -> {stored:?}"));
            p.live_or_die("after a publish").await;
            if p.strikes(p.world.rates().publish_unconfirmed, "publish unconfirmed") {
                let turn = turn_in(&subject);
                p.world.ledger().take(turn.as_ref(), Duration::from_secs(2));
                self.lose(turn.as_ref(), p.while_below(SLOW)).await;
                p.live().await;
                return Err(PublishError::Unconfirmed("simulated".into()));
            }
            stored
        })
    }

    fn last<'a>(
        &'a self,
        stream: Stream,
        subject: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredMessage>, BusError>> {
        Box::pin(async move {
            self.before_read("last", subject).await?;
            self.0.world.bus.last(stream, subject).await
        })
    }

    fn count<'a>(
        &'a self,
        stream: Stream,
        filter: &'a str,
    ) -> BoxFuture<'a, Result<u64, BusError>> {
        Box::pin(async move {
            self.before_read("count", filter).await?;
            self.0.world.bus.count(stream, filter).await
        })
    }

    fn last_of_each<'a>(
        &'a self,
        stream: Stream,
        filters: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<StoredMessage>, BusError>> {
        Box::pin(async move {
            let p = &self.0;
            self.before_read("last of each", filters.first().map_or("", String::as_str))
                .await?;
            let mut found = p.world.bus.last_of_each(stream, filters).await?;
            if p.strikes(p.world.rates().follower_lags, "follower lags") {
                let seen = UnixMs(self.now().0 - p.rng().u64(..=LAG_MS));
                let all = found.len();
                found.retain(|message| message.stored_at < seen);
                p.log(|| format!("a follower has {} of {all} of {filters:?}", found.len()));
            }
            Ok(found)
        })
    }

    fn read<'a>(
        &'a self,
        stream: Stream,
        filter: &'a str,
        from: u64,
    ) -> BoxFuture<'a, Result<Box<dyn Reader>, BusError>> {
        Box::pin(async move {
            self.before_read("read", filter).await?;
            self.0.world.bus.read(stream, filter, from).await
        })
    }

    fn state(&self, stream: Stream) -> BoxFuture<'_, Result<StreamState, BusError>> {
        Box::pin(async move {
            self.before_read("state", "").await?;
            self.0.world.bus.state(stream).await
        })
    }

    fn first<'a>(
        &'a self,
        stream: Stream,
        subject: &'a str,
        from: u64,
    ) -> BoxFuture<'a, Result<Option<StoredMessage>, BusError>> {
        self.0.world.bus.first(stream, subject, from)
    }

    fn progress<'a>(
        &'a self,
        consumer: &'a ConsumerSpec,
    ) -> BoxFuture<'a, Result<ConsumerProgress, BusError>> {
        self.0.world.bus.progress(consumer)
    }

    fn consume<'a>(
        &'a self,
        consumer: &'a ConsumerSpec,
    ) -> BoxFuture<'a, Result<Box<dyn Puller>, BusError>> {
        Box::pin(async move {
            let p = &self.0;
            p.live().await;
            if p.strikes(p.world.rates().open_failed, "open failed") {
                p.world.ledger().take(None, Duration::from_millis(500));
                return Err(self.away());
            }
            let inner = p.world.bus.consume(consumer).await?;
            Ok(Box::new(DisturbedPuller::new(p.clone(), inner)) as Box<dyn Puller>)
        })
    }

    fn add_consumer<'a>(
        &'a self,
        consumer: &'a ConsumerSpec,
    ) -> BoxFuture<'a, Result<(), BusError>> {
        self.0.world.bus.add_consumer(consumer)
    }

    fn drop_consumer<'a>(
        &'a self,
        consumer: &'a ConsumerSpec,
    ) -> BoxFuture<'a, Result<(), BusError>> {
        self.0.world.bus.drop_consumer(consumer)
    }

    fn erase(&self, stream: Stream, sequence: u64) -> BoxFuture<'_, Result<bool, BusError>> {
        self.0.world.bus.erase(stream, sequence)
    }

    fn purge<'a>(
        &'a self,
        stream: Stream,
        filter: &'a str,
    ) -> BoxFuture<'a, Result<u64, BusError>> {
        self.0.world.bus.purge(stream, filter)
    }

    fn broadcast(&self, message: CoreMessage) -> BoxFuture<'_, Result<(), BusError>> {
        Box::pin(async move {
            let p = &self.0;
            p.live_or_die("before a word").await;
            let lost = p.strikes(p.world.rates().word_lost, "word lost");
            let refused = p.world.away_until().is_some() || lost && p.rng().bool();
            if message.subject.starts_with("_INBOX.") {
                p.log(|| format!("reply {}, refused {refused}", message.subject));
                p.world.ledger().replies.push(Reply {
                    subject: message.subject.clone(),
                    body: message.body.clone(),
                    refused,
                });
            }
            match (refused, lost) {
                (true, _) => Err(self.away()),
                (false, true) => Ok(()),
                (false, false) => p.world.bus.broadcast(message).await,
            }
        })
    }

    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
        queue: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Box<dyn Subscription>, BusError>> {
        Box::pin(async move {
            self.before_read("subscribe", subject).await?;
            self.0.world.bus.subscribe(subject, queue).await
        })
    }

    fn put_file<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, Result<(), BusError>> {
        self.0.world.bus.put_file(name, bytes)
    }

    fn get_file<'a>(
        &'a self,
        name: &'a str,
        max_bytes: u64,
    ) -> BoxFuture<'a, Result<Option<Bytes>, BusError>> {
        self.0.world.bus.get_file(name, max_bytes)
    }

    fn delete_file<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), BusError>> {
        self.0.world.bus.delete_file(name)
    }

    fn connected(&self) -> bool {
        self.0.world.away_until().is_none()
    }
}
