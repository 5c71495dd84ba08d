//! Waits for a lease of a node, and holds it during the call.

use crate::balance::{Ask, Change, End, Grant, Patience, Wait};
use crate::failure::Failure;
use crate::metrics::Waits;
use crate::node::Node;
use crate::pool::Shared;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

/// A lease of a node. Dropping it returns the lease and says nothing about the node.
pub(crate) struct Lease<'p> {
    pub(crate) node: Arc<Node>,
    /// How long the node may be silent, as it was when it was asked.
    patience: Patience,
    call: u64,
    shared: &'p Shared,
    is_ended: AtomicBool,
}

impl Lease<'_> {
    /// How long the node may be silent, by what is known now.
    pub(crate) fn patience(&self) -> Patience {
        let now = self.shared.balance().patience(self.node.id, self.call);
        now.unwrap_or(self.patience)
    }

    /// The first token of the answer has come.
    pub(crate) fn begun(&self) {
        self.shared.balance().begun(self.node.id, self.call);
    }

    /// The call is over; only the first word counts.
    pub(crate) fn end(&self, end: End) {
        if self.is_ended.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut balance = self.shared.balance();
        let change = balance.ended(self.node.id, self.call, end, Instant::now());
        drop(balance);
        let (model, node) = (&self.shared.options.model, &self.node.name);
        match change {
            Some(Change::Failing) => tracing::warn!(
                model,
                node,
                "model node fails; it is left alone until it answers again"
            ),
            Some(Change::Well) => tracing::info!(model, node, "model node answers again"),
            None => {}
        }
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.end(End::Dropped);
        self.shared.forget_if_gone(&self.node.name);
    }
}

/// A place in the queue. Dropping it leaves the queue, and gives back the place that came too late.
struct Waiting<'p> {
    id: u64,
    granted: oneshot::Receiver<Grant>,
    shared: &'p Shared,
    /// A call that is made a second time is under way: it does not count.
    _waits: Option<Waits>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.shared.balance().leave(self.id);
        // A grant that is sent after this finds no receiver and is taken back by the sender.
        self.granted.close();
        if let Ok(grant) = self.granted.try_recv() {
            drop(self.shared.lease_for(grant));
        }
    }
}

/// Time alone may make room: it is looked for so often, whatever happens.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

impl Shared {
    fn lease_for(&self, grant: Grant) -> Lease<'_> {
        Lease {
            node: grant.node,
            patience: grant.patience,
            call: grant.call,
            shared: self,
            is_ended: AtomicBool::new(false),
        }
    }

    /// A lease now, if there is one and no call waits for it.
    pub(crate) fn lease_now(&self, ask: &Ask<'_>) -> Option<Lease<'_>> {
        let mut balance = self.balance();
        let free = !balance.someone_waits();
        let grant = free.then(|| balance.take(ask, Instant::now()).ok())??;
        Some(self.lease_for(grant))
    }

    /// A lease of the node that is picked, as soon as there is one. It waits for `patience` while all nodes are
    /// full, and until the deadline while all are away. A call that waited through an outage then waits as long as
    /// one that comes at its end.
    pub(crate) async fn lease(
        &self,
        ask: &Ask<'_>,
        patience: Duration,
        until: Instant,
    ) -> Result<Lease<'_>, Failure> {
        let model = &self.options.model;
        if let Some(lease) = self.lease_now(ask) {
            if !ask.again {
                self.metrics.no_wait(model);
            }
            return Ok(lease);
        }
        let mut patient = until.min(Instant::now() + patience);
        let (id, granted) = self.balance().wait(ask).ok_or(Failure::Full)?;
        let mut waiting = Waiting {
            id,
            granted,
            shared: self,
            _waits: (!ask.again).then(|| self.metrics.wait(model)),
        };
        loop {
            let now = Instant::now();
            let wait = {
                let mut balance = self.balance();
                balance.serve(now);
                balance.why_not(ask, now)
            };
            if let Ok(grant) = waiting.granted.try_recv() {
                return Ok(self.lease_for(grant));
            }
            let by = match wait {
                Wait::Full => patient,
                Wait::Away(_) | Wait::NoNodes => {
                    patient = until.min(now + patience);
                    until
                }
                Wait::TooLong(limit) => return Err(Failure::TooLong { limit: Some(limit) }),
            };
            // The call does not wait for anything after its own deadline.
            let in_vain = matches!(wait, Wait::Away(at) if at >= until);
            if now >= by || in_vain {
                return Err(given_up(&wait, now));
            }
            let look = match wait {
                Wait::Away(at) => at.min(now + LOOK_AGAIN),
                _ => now + LOOK_AGAIN,
            };
            if let Ok(Ok(grant)) = timeout_at(look.min(by), &mut waiting.granted).await {
                return Ok(self.lease_for(grant));
            }
        }
    }
}

fn given_up(wait: &Wait, now: Instant) -> Failure {
    match wait {
        Wait::Away(at) => Failure::Away {
            left: at.saturating_duration_since(now),
        },
        Wait::NoNodes => Failure::Away {
            left: Duration::ZERO,
        },
        Wait::Full | Wait::TooLong(_) => Failure::Full,
    }
}
