//! A bus that one process sees: the true one, with everything that a network, a server and two of
//! its replicas do to it. `last` and `count` stay true, as the leader's answers are.

use crate::ledger::Reply;
use crate::plan::ACK_WAIT;
use crate::world::{Process, turn_in, turn_of};
use bus::{
    Ack, Bus, BusError, ConsumerSpec, CoreMessage, Delivery, Progress, Publish, PublishError,
    Puller, Reader, Stored, Stream, StreamState, Subscription,
};
use bytes::Bytes;
use envelope::{TurnId, UnixMs};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// Longest delay of a publish, a read, a late delivery.
const SLOW: Duration = Duration::from_millis(1_500);
/// Longest time that a delivery lies about: longer than it takes to be made again.
const LATE: Duration = Duration::from_millis(4_500);
/// Furthest that a follower is behind.
const LAG_MS: u64 = 3_000;
/// How long a caller waits for a bus that is away.
const NO_ANSWER: Duration = Duration::from_millis(200);

/// The bus as a process sees it.
pub(crate) struct DisturbedBus(pub Arc<Process>);

impl DisturbedBus {
    fn away(&self) -> BusError {
        BusError::Away("simulated".into())
    }

    /// Loses time that counts against a turn.
    async fn lose(&self, turn: Option<&TurnId>, time: Duration) {
        self.0.world.ledger().take(turn, time);
        sleep(time).await;
    }

    /// What comes before every read.
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

    /// What may happen instead of storing.
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
    ) -> BoxFuture<'a, Result<Option<Stored>, BusError>> {
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
    ) -> BoxFuture<'a, Result<Vec<Stored>, BusError>> {
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
    ) -> BoxFuture<'a, Result<Option<Stored>, BusError>> {
        self.0.world.bus.first(stream, subject, from)
    }

    fn progress<'a>(
        &'a self,
        consumer: &'a ConsumerSpec,
    ) -> BoxFuture<'a, Result<Progress, BusError>> {
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
            let puller = DisturbedPuller {
                process: p.clone(),
                inner: p.world.bus.consume(consumer).await?,
                late: Vec::new(),
            };
            Ok(Box::new(puller) as Box<dyn Puller>)
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

/// A puller whose deliveries come late, out of order and twice.
struct DisturbedPuller {
    process: Arc<Process>,
    inner: Box<dyn Puller>,
    /// Deliveries on their way, with when they arrive.
    late: Vec<Late>,
}

struct Late {
    arrives: Instant,
    delivery: Delivery,
    id: u64,
    /// Set when the server has the ack of a copy of it.
    acked: Arc<AtomicBool>,
}

impl DisturbedPuller {
    fn arrived(&mut self) -> Option<Delivery> {
        let now = Instant::now();
        while let Some(at) = self.late.iter().position(|late| late.arrives <= now) {
            let late = self.late.remove(at);
            if !late.acked.load(Ordering::Relaxed) {
                return Some(late.delivery);
            }
            // A server that has the ack delivers nothing again.
            self.process.world.ledger().close(late.id);
        }
        None
    }

    /// What becomes of a delivery on its way: it arrives now, or is put among the late ones.
    fn on_its_way(&mut self, delivery: Delivery) -> Option<Delivery> {
        let p = self.process.clone();
        let Delivery {
            message,
            delivered,
            ack,
        } = delivery;
        let (ack, acked): (Arc<dyn Ack>, _) = (ack.into(), Arc::new(AtomicBool::new(false)));
        let turn = turn_of(&message);
        if message.subject == envelope::subject::QUERY {
            let most = &mut p.world.ledger().inbox_deliveries;
            let most = most.entry(message.sequence).or_default();
            *most = delivered.max(*most);
        }
        let copy = || {
            let id = p
                .world
                .ledger()
                .open(p.id, &message.subject, turn.clone(), p.world.now());
            let ack = Box::new(DisturbedAck {
                process: p.clone(),
                inner: ack.clone(),
                id,
                turn: turn.clone(),
                acked: acked.clone(),
            });
            let delivery = Delivery {
                message: message.clone(),
                delivered,
                ack,
            };
            (id, delivery)
        };
        let after = |time: Duration| {
            let (id, delivery) = copy();
            Late {
                arrives: Instant::now() + time,
                delivery,
                id,
                acked: acked.clone(),
            }
        };
        p.log(|| {
            format!(
                "delivery {} of {} #{}",
                delivered, message.subject, message.sequence
            )
        });
        if p.strikes(p.world.rates().delivery_twice, "delivery twice") {
            p.world
                .ledger()
                .runs
                .entry(message.subject.clone())
                .or_default()
                .doubled += 1;
            self.late.push(after(p.while_below(SLOW)));
        }
        if !p.strikes(p.world.rates().delivery_late, "delivery late") {
            return Some(copy().1);
        }
        let late = p.while_below(LATE);
        p.world.ledger().take(turn.as_ref(), late);
        self.late.push(after(late));
        None
    }
}

impl Puller for DisturbedPuller {
    fn next(&mut self, free: usize) -> BoxFuture<'_, Result<Delivery, BusError>> {
        Box::pin(async move {
            loop {
                self.process.live_or_die("at a pull").await;
                if let Some(back) = self.process.world.away_until() {
                    sleep(back.saturating_sub(self.process.world.now())).await;
                    continue;
                }
                if let Some(delivery) = self.arrived() {
                    return Ok(delivery);
                }
                let earliest = self.late.iter().map(|late| late.arrives).min();
                let arrival = async {
                    match earliest {
                        Some(at) => sleep_until(at).await,
                        None => std::future::pending().await,
                    }
                };
                let more = free.saturating_sub(self.late.len());
                tokio::select! {
                    biased;
                    () = arrival => {}
                    next = self.inner.next(more) => {
                        // What reaches a process that is dead lies until it is made again.
                        self.process.live().await;
                        let arrived = self.on_its_way(next?);
                        if let Some(delivery) = arrived {
                            return Ok(delivery);
                        }
                    }
                }
            }
        })
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, Vec<Delivery>> {
        Box::pin(async move {
            let mut all = self.inner.close().await;
            all.extend(self.late.into_iter().map(|late| late.delivery));
            all
        })
    }
}

struct DisturbedAck {
    process: Arc<Process>,
    inner: Arc<dyn Ack>,
    id: u64,
    turn: Option<TurnId>,
    acked: Arc<AtomicBool>,
}

impl Drop for DisturbedAck {
    fn drop(&mut self) {
        self.process.world.ledger().dropped(self.id);
    }
}

impl Ack for DisturbedAck {
    fn ack(&self) -> BoxFuture<'_, Result<(), BusError>> {
        Box::pin(async move {
            let p = &self.process;
            p.live_or_die("before an ack").await;
            p.world.ledger().close(self.id);
            let away = || Err(BusError::Away("simulated".into()));
            if p.world.away_until().is_some() {
                return away();
            }
            if p.strikes(p.world.rates().ack_lost, "ack lost") {
                // It may even look confirmed.
                return if p.rng().bool() { Ok(()) } else { away() };
            }
            self.inner.ack().await?;
            self.acked.store(true, Ordering::Relaxed);
            if p.strikes(p.world.rates().ack_lost / 2.0, "ack unconfirmed") {
                return away();
            }
            Ok(())
        })
    }

    fn nak(&self, delay: Duration) -> BoxFuture<'_, Result<(), BusError>> {
        Box::pin(async move {
            let p = &self.process;
            p.live_or_die("before a nak").await;
            p.log(|| format!("nak for {delay:?}"));
            p.world.ledger().give_back(self.id, delay);
            if p.strikes(p.world.rates().ack_lost, "nak lost") || p.world.away_until().is_some() {
                p.world.ledger().take(self.turn.as_ref(), ACK_WAIT);
                return Err(BusError::Away("simulated".into()));
            }
            self.inner.nak(delay).await
        })
    }

    fn in_progress(&self) -> BoxFuture<'_, Result<(), BusError>> {
        Box::pin(async move {
            let p = &self.process;
            p.live().await;
            let away = p.world.away_until().is_some();
            if away || p.strikes(p.world.rates().beat_lost, "beat lost") {
                return Ok(());
            }
            self.inner.in_progress().await
        })
    }
}
