//! Wraps the deliveries of one process: they come late, out of order or twice, and acks get lost.

use crate::bus::SLOW;
use crate::plan::ACK_WAIT;
use crate::world::{Process, turn_of};
use bus::{Ack, BusError, Delivery, Puller};
use envelope::TurnId;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// The longest delay of a delivery: longer than the time after which it is made again.
const LATE: Duration = Duration::from_millis(4_500);

/// A puller whose deliveries come late, out of order and twice.
pub(crate) struct DisturbedPuller {
    process: Arc<Process>,
    inner: Box<dyn Puller>,
    /// The late deliveries, with their times of arrival.
    late: Vec<Late>,
}

struct Late {
    arrives: Instant,
    delivery: Delivery,
    id: u64,
    /// Whether the server has the ack of a copy of it.
    acked: Arc<AtomicBool>,
}

impl DisturbedPuller {
    /// The deliveries of `inner` as `process` sees them.
    pub(crate) fn new(process: Arc<Process>, inner: Box<dyn Puller>) -> Self {
        DisturbedPuller {
            process,
            inner,
            late: Vec::new(),
        }
    }

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

    /// What becomes of a delivery: it arrives now, or is put among the late ones.
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
