//! Counting the messages of a pump that runs no stage, as a worker counts its own: for the gateway.

use crate::metrics::Metrics;
use crate::pump::{Answer, ConsumerEvent, Take};
use bus::{Bus, Delivery};
use envelope::Role;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio::time::Instant;

/// The same work, counted.
pub struct Counted {
    take: Arc<dyn Take>,
    role: Role,
    metrics: Metrics,
    bus: Arc<dyn Bus>,
}

impl Counted {
    /// Counts what `take` does as done by `role`. The bus is asked for the time.
    pub fn new(take: Arc<dyn Take>, role: Role, metrics: Metrics, bus: Arc<dyn Bus>) -> Self {
        Counted {
            take,
            role,
            metrics,
            bus,
        }
    }
}

impl Take for Counted {
    fn take<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let queued_ms = delivery.message.stored_at.until(self.bus.now());
            self.metrics
                .received(self.role, queued_ms, delivery.delivered);
            let _inflight = self.metrics.inflight(self.role);
            let begun = Instant::now();
            let answer = self.take.take(delivery).await;
            let outcome = match answer {
                Answer::Ack => "ok",
                Answer::Retry(_) => "retry",
                Answer::Later(_) => "put_off",
            };
            self.metrics.answered(self.role, outcome, begun.elapsed());
            answer
        })
    }

    fn paused(&self) -> bool {
        self.take.paused()
    }

    fn room(&self) -> BoxFuture<'_, ()> {
        self.take.room()
    }

    fn on(&self, event: ConsumerEvent) {
        self.metrics.on(self.role, event);
        self.take.on(event);
    }
}
