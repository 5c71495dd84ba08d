//! The loop that keeps a consumer's slots busy until it is told to stop, and then drains.
//!
//! It knows nothing of steps: workers, indexers and the gateway's consumers all run on it.

use bus::{Bus, BusError, ConsumerSpec, Delivery, Puller};
use futures_util::future::BoxFuture;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use telemetry::Health;
use tokio::task::{Id, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How a delivery is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AckDecision {
    /// Ack: the work is done, or is never to be done.
    Ack,
    /// The work failed: redeliver after this time.
    Retry(Duration),
    /// The message was not due: redeliver after this time.
    Later(Duration),
}

/// An event of a consumer loop, for counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsumerEvent {
    /// A delivery is being worked on.
    Begun,
    /// It was answered.
    Answered,
    /// An in-progress signal was sent.
    AckExtended,
    /// An ack or nak did not reach the server.
    AckFailed,
    /// This many deliveries were given back while draining.
    GivenBack(usize),
    /// It has drained, in this time.
    Drained(Duration),
}

/// Works on the deliveries of a consumer loop.
pub trait DeliveryHandler: Send + Sync + 'static {
    /// Works on one delivery. May be dropped at any await; the delivery is then given back.
    fn handle_delivery<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, AckDecision>;
    /// Whether nothing is to be pulled for now; asked after every event and [`DeliveryHandler::resumed`].
    fn paused(&self) -> bool {
        false
    }
    /// Returns when a pause has begun or ended, so that [`DeliveryHandler::paused`] has to be asked again.
    fn resumed(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }
    /// Called for each event of the loop.
    fn on(&self, _event: ConsumerEvent) {}
}

/// How a consumer loop runs.
#[derive(Debug, Clone)]
pub struct Options {
    /// The name of the readiness condition that tells whether the loop is consuming.
    pub condition: &'static str,
    /// How many deliveries are worked on at once.
    pub slots: usize,
    /// How long running deliveries may take after the loop was told to stop.
    pub grace: Duration,
}

/// What a consumer loop did while it drained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DrainReport {
    /// Deliveries that were answered after it was told to stop.
    pub finished: usize,
    /// Deliveries that were given back unfinished.
    pub given_back: usize,
}

/// How long an absent bus or a missing consumer is left alone.
const AWAY: Duration = Duration::from_millis(500);
/// After how long a delivery that is given back is made again.
const GIVE_BACK: Duration = Duration::from_millis(100);

/// Pulls from `consumer` into `handler` until `stop` is cancelled, then drains.
pub async fn run(
    bus: Arc<dyn Bus>,
    consumer: ConsumerSpec,
    handler: Arc<dyn DeliveryHandler>,
    options: Options,
    health: Health,
    stop: CancellationToken,
) -> DrainReport {
    let Some(mut puller) = open(&*bus, &consumer, &options, &health, &stop).await else {
        return DrainReport::default();
    };
    let abandon = CancellationToken::new();
    let mut running = JoinSet::new();
    let mut in_flight = InFlight::default();
    loop {
        let free = options.slots.saturating_sub(running.len());
        let may_pull = free > 0 && !handler.paused();
        let mut next = None;
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            Some(ended) = running.join_next_with_id(), if !running.is_empty() => {
                let id = ended.map_or_else(|panic| panic.id(), |(id, _)| id);
                next = in_flight.ended(id);
            }
            // Also while it waits for a delivery: a pause must not let one more through.
            () = handler.resumed(), if free > 0 => {}
            pulled = puller.next(free.max(1)), if may_pull => match pulled {
                Ok(delivery) => next = in_flight.unless_held(delivery),
                Err(error) => match reopen(&*bus, error, &consumer, &options, &health, &stop).await {
                    Reopened::Same => {}
                    Reopened::Fresh(fresh) => puller = fresh,
                    Reopened::Stopped => break,
                },
            },
        }
        if let Some(delivery) = next {
            let sequence = delivery.message.sequence;
            let work = answer(
                handler.clone(),
                delivery,
                consumer.ack_wait,
                abandon.clone(),
            );
            in_flight.began(running.spawn(work).id(), sequence);
        }
    }
    let told = Instant::now();
    let drained = drain(puller, running, abandon, &*handler, options.grace).await;
    // Where the work was acked, a nak does no harm; where it was not, another process may take the message.
    for delivery in in_flight.again.into_values().flatten() {
        let _ = delivery.ack.nak(GIVE_BACK).await;
    }
    handler.on(ConsumerEvent::Drained(told.elapsed()));
    drained
}

/// The messages that are worked on. A server that was killed forgets what it delivered last, and
/// delivers it again: the work is not begun twice in one process. What comes again waits for the end
/// of the work and finds what came of it; meanwhile the beats of the first speak for both.
#[derive(Default)]
struct InFlight {
    held: HashMap<Id, u64>,
    again: BTreeMap<u64, VecDeque<Delivery>>,
}

impl InFlight {
    /// The delivery, unless its message is worked on.
    fn unless_held(&mut self, mut delivery: Delivery) -> Option<Delivery> {
        let sequence = delivery.message.sequence;
        if !self.held.values().any(|held| *held == sequence) {
            return Some(delivery);
        }
        // Whatever the server remembers.
        delivery.delivered = delivery.delivered.max(2);
        self.again.entry(sequence).or_default().push_back(delivery);
        None
    }

    /// A task works on the message.
    fn began(&mut self, task: Id, sequence: u64) {
        self.held.insert(task, sequence);
    }

    /// It has ended; returns what waited for that.
    fn ended(&mut self, task: Id) -> Option<Delivery> {
        let sequence = self.held.remove(&task)?;
        let waiting = self.again.get_mut(&sequence)?;
        let next = waiting.pop_front();
        if waiting.is_empty() {
            self.again.remove(&sequence);
        }
        next
    }
}

/// Opens the consumer; waits, not ready, while it is missing or the bus is away. The log has a line when
/// the waiting begins and one when it is over.
async fn open(
    bus: &dyn Bus,
    consumer: &ConsumerSpec,
    options: &Options,
    health: &Health,
    stop: &CancellationToken,
) -> Option<Box<dyn Puller>> {
    health.not_ready(options.condition, "not consuming yet");
    let mut has_waited = false;
    loop {
        match bus.consume(consumer).await {
            Ok(puller) => {
                if has_waited {
                    tracing::info!(consumer = consumer.name, "consuming");
                }
                health.ready(options.condition);
                return Some(puller);
            }
            Err(error) => {
                match has_waited {
                    false => {
                        tracing::warn!(consumer = consumer.name, %error, "not consuming yet");
                    }
                    true => {
                        tracing::debug!(consumer = consumer.name, %error, "still not consuming");
                    }
                }
                has_waited = true;
                health.not_ready(options.condition, error.to_string());
            }
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => return None,
            () = tokio::time::sleep(AWAY) => {}
        }
    }
}

enum Reopened {
    Same,
    Fresh(Box<dyn Puller>),
    Stopped,
}

/// After a failed pull: a consumer that is gone is opened anew, an absent bus is waited for.
async fn reopen(
    bus: &dyn Bus,
    error: BusError,
    consumer: &ConsumerSpec,
    options: &Options,
    health: &Health,
    stop: &CancellationToken,
) -> Reopened {
    if let BusError::Missing(_) | BusError::Different { .. } = error {
        return match open(bus, consumer, options, health, stop).await {
            Some(puller) => Reopened::Fresh(puller),
            None => Reopened::Stopped,
        };
    }
    tracing::debug!(consumer = consumer.name, %error, "pull failed");
    tokio::select! {
        biased;
        () = stop.cancelled() => Reopened::Stopped,
        () = tokio::time::sleep(AWAY / 5) => Reopened::Same,
    }
}

async fn drain(
    puller: Box<dyn Puller>,
    mut running: JoinSet<bool>,
    abandon: CancellationToken,
    handler: &dyn DeliveryHandler,
    grace: Duration,
) -> DrainReport {
    let mut drained = DrainReport::default();
    for delivery in puller.close().await {
        // The message was never worked on: another process may have it at once. A lost nak costs one ack time-out.
        let _ = delivery.ack.nak(GIVE_BACK).await;
    }
    let deadline = Instant::now() + grace;
    while let Ok(Some(done)) = tokio::time::timeout_at(deadline, running.join_next()).await {
        drained.finished += usize::from(done.unwrap_or(false));
    }
    abandon.cancel();
    while let Some(done) = running.join_next().await {
        drained.given_back += usize::from(!done.unwrap_or(false));
    }
    handler.on(ConsumerEvent::GivenBack(drained.given_back));
    drained
}

/// Works on one delivery and answers it; true when it was acked.
async fn answer(
    handler: Arc<dyn DeliveryHandler>,
    delivery: Delivery,
    ack_wait: Duration,
    abandon: CancellationToken,
) -> bool {
    handler.on(ConsumerEvent::Begun);
    let answer = tokio::select! {
        biased;
        () = beat(&*handler, &delivery, ack_wait) => AckDecision::Retry(GIVE_BACK),
        answer = handler.handle_delivery(&delivery) => answer,
        () = abandon.cancelled() => AckDecision::Retry(GIVE_BACK),
    };
    let answered = match answer {
        AckDecision::Ack => delivery.ack.ack().await,
        AckDecision::Retry(delay) | AckDecision::Later(delay) => delivery.ack.nak(delay).await,
    };
    if let Err(error) = answered {
        // It will be delivered again, and finished from what is stored.
        tracing::warn!(subject = delivery.message.subject, %error, "the ack did not reach the server; the message will be delivered again");
        handler.on(ConsumerEvent::AckFailed);
    }
    handler.on(ConsumerEvent::Answered);
    answer == AckDecision::Ack
}

/// Tells the server that the work goes on, three times per ack time-out, for ever.
async fn beat(handler: &dyn DeliveryHandler, delivery: &Delivery, ack_wait: Duration) {
    // No tick at the start: it would wake the runtime once more for every delivery.
    let every = ack_wait / 3;
    let mut ticks = tokio::time::interval_at(Instant::now() + every, every);
    loop {
        ticks.tick().await;
        handler.on(ConsumerEvent::AckExtended);
        // A missed beat is made up for by the next; three missed ones are a redelivery.
        let _ = delivery.ack.in_progress().await;
    }
}
