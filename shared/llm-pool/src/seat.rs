//! A place for one call, and waiting for one.

use crate::balance::{Ask, End, NodeId, Ticket, Wait};
use crate::failure::Failure;
use crate::node::Node;
use crate::pool::Shared;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

/// A place at a node. Dropping it gives the place back and says nothing of the node.
pub(crate) struct Seat<'p> {
    pub(crate) node: Arc<Node>,
    call: u64,
    shared: &'p Shared,
    is_ended: AtomicBool,
}

impl Seat<'_> {
    /// The call is over; only the first word counts.
    pub(crate) fn end(&self, end: End) {
        if self.is_ended.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut balance = self.shared.balance();
        balance.ended(self.node.id, self.call, end, Instant::now());
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.end(End::Dropped);
    }
}

/// A wait that leaves the queue when it is given up, and hands on the turn that it did not use.
struct Waiting<'p> {
    id: u64,
    woken: oneshot::Receiver<()>,
    shared: &'p Shared,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut balance = self.shared.balance();
        balance.leave(self.id);
        if self.woken.try_recv().is_ok() {
            balance.wake_next();
        }
    }
}

/// Whoever waits looks again after this time, whatever he was told.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

impl Shared {
    /// A place now, if there is one.
    pub(crate) fn try_seat(&self, ask: &Ask<'_>, tried: &[NodeId]) -> Result<Seat<'_>, Wait> {
        let mut balance = self.balance();
        let Ticket { node, call } = balance.take(ask, tried, Instant::now())?;
        // There may be room for the next one, too.
        balance.wake_next();
        Ok(Seat {
            node,
            call,
            shared: self,
            is_ended: AtomicBool::new(false),
        })
    }

    /// A place at the node that is picked, as soon as there is one: for `patience` while all are full,
    /// until the deadline while all are away.
    pub(crate) async fn seat(
        &self,
        ask: &Ask<'_>,
        tried: &[NodeId],
        patience: Duration,
        until: Instant,
    ) -> Result<Seat<'_>, Failure> {
        let patient = until.min(Instant::now() + patience);
        // Who comes new does not pass those who wait.
        let others = self.balance().someone_waits();
        let mut wait = match others {
            true => Wait::Full,
            false => match self.try_seat(ask, tried) {
                Ok(seat) => return Ok(seat),
                Err(wait) => wait,
            },
        };
        loop {
            let by = match wait {
                Wait::Full => patient,
                Wait::Away(_) => until,
                Wait::TooLong(limit) => {
                    return Err(Failure::TooLong { limit: Some(limit) });
                }
                Wait::NoNodes => until,
            };
            // Nobody waits for what comes after his time.
            let now = Instant::now();
            let in_vain = matches!(wait, Wait::Away(at) if at >= until);
            if now >= by || in_vain {
                return Err(match wait {
                    Wait::Away(at) => Failure::Away {
                        left: at.saturating_duration_since(now),
                    },
                    Wait::NoNodes => Failure::Away {
                        left: Duration::ZERO,
                    },
                    _ => Failure::Full,
                });
            }
            let look = Instant::now() + LOOK_AGAIN;
            let look = match wait {
                Wait::Away(until) => until.min(look),
                _ => look,
            };
            self.turn(ask, look.min(by)).await?;
            wait = match self.try_seat(ask, tried) {
                Ok(seat) => return Ok(seat),
                Err(wait) => wait,
            };
        }
    }

    /// Waits to be woken, or until then.
    async fn turn(&self, ask: &Ask<'_>, until: Instant) -> Result<(), Failure> {
        let (id, woken) = self.balance().wait(ask).ok_or(Failure::Full)?;
        let mut waiting = Waiting {
            id,
            woken,
            shared: self,
        };
        let _ = timeout_at(until, &mut waiting.woken).await;
        Ok(())
    }
}
