//! Counts the messages of a consumer loop that runs no stage, in the same metrics as a worker's messages. The gateway
//! uses it.

use crate::consumer_loop::{AckDecision, ConsumerEvent, DeliveryHandler};
use crate::metrics::Metrics;
use bus::{Bus, Delivery};
use envelope::Role;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio::time::Instant;

/// A handler that counts the work of another handler.
pub struct CountedHandler {
    handler: Arc<dyn DeliveryHandler>,
    role: Role,
    metrics: Metrics,
    bus: Arc<dyn Bus>,
}

impl CountedHandler {
    /// Counts the messages that `handler` handles as work of `role`. The time is read from the bus.
    pub fn new(
        handler: Arc<dyn DeliveryHandler>,
        role: Role,
        metrics: Metrics,
        bus: Arc<dyn Bus>,
    ) -> Self {
        CountedHandler {
            handler,
            role,
            metrics,
            bus,
        }
    }
}

impl DeliveryHandler for CountedHandler {
    fn handle_delivery<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, AckDecision> {
        Box::pin(async move {
            let queued_ms = delivery.message.stored_at.until(self.bus.now());
            self.metrics
                .received(self.role, queued_ms, delivery.delivered);
            let _inflight = self.metrics.inflight(self.role);
            let begun = Instant::now();
            let answer = self.handler.handle_delivery(delivery).await;
            let outcome = match answer {
                AckDecision::Ack => "ok",
                AckDecision::Retry(_) => "retry",
                AckDecision::Later(_) => "put_off",
            };
            self.metrics.answered(self.role, outcome, begun.elapsed());
            answer
        })
    }

    fn paused(&self) -> bool {
        self.handler.paused()
    }

    fn resumed(&self) -> BoxFuture<'_, ()> {
        self.handler.resumed()
    }

    fn on(&self, event: ConsumerEvent) {
        self.metrics.on(self.role, event);
        self.handler.on(event);
    }
}
