//! One terminal event for one webhook: told, tried again later, or given up with a dead letter.

use super::call::{CallError, Caller, Event};
use crate::metrics::Metrics;
use bus::{Bus, Delivery, StoredMessage, Stream};
use bytes::Bytes;
use envelope::{Subject, Terminal};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use harness::consumer_loop::{AckDecision, DeliveryHandler};
use harness::{Death, letter_at};
use std::sync::Arc;
use std::time::Duration;

/// By how much the delay between two tries grows, and its limit. An endpoint that is there again is told within the limit.
const GROWTH: u32 = 4;
pub(crate) const DELAY_MAX: Duration = Duration::from_secs(1_800);

/// Statuses that say that this very event will never be taken, and how often one is tried nevertheless: an endpoint may be
/// wrong for a while.
const NEVER: [u16; 4] = [400, 413, 415, 422];
const NEVER_TRIES: u64 = 3;

/// How often an event is tried, and when again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tries {
    pub(super) most: u32,
    pub(super) first_delay: Duration,
}

impl Tries {
    /// How long to wait after delivery `n`, counted from 1, was in vain, of an event of this age; `None` where no further
    /// try would help.
    ///
    /// Doors that end hand deliveries back, and the bus counts those with the others. So an event is not given up before
    /// it is as old as that many tries make it.
    fn delay_after(&self, n: u64, age: Duration, error: &CallError) -> Option<Duration> {
        let most = match error {
            CallError::Status(410, _) => 1,
            CallError::Status(status, _) if NEVER.contains(status) => NEVER_TRIES,
            _ => u64::MAX,
        };
        let most = most.min(u64::from(self.most));
        let due: Duration = (1..most).map(|n| self.delay(n)).sum();
        if n >= most && age >= due {
            return None;
        }
        let delay = self.delay(n);
        let wanted = match error {
            CallError::Status(_, Some(wait)) => *wait,
            _ => Duration::ZERO,
        };
        Some(delay.max(wanted).min(DELAY_MAX))
    }

    /// The delay after delivery `n`, if nobody wants a longer one.
    fn delay(&self, n: u64) -> Duration {
        let grown = GROWTH.saturating_pow(n.saturating_sub(1) as u32);
        self.first_delay.saturating_mul(grown).min(DELAY_MAX)
    }
}

/// Tells one webhook.
pub(super) struct Deliver {
    pub(super) caller: Caller,
    pub(super) tries: Tries,
    pub(super) bus: Arc<dyn Bus>,
    pub(super) metrics: Metrics,
}

impl DeliveryHandler for Deliver {
    fn handle_delivery<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, AckDecision> {
        self.deliver(delivery).boxed()
    }
}

impl Deliver {
    async fn deliver(&self, delivery: &Delivery) -> AckDecision {
        let webhook = self.caller.webhook.name.as_str();
        let stored = &delivery.message;
        let ended = match envelope::decode::<Terminal>(&stored.body) {
            Ok(ended) => ended,
            // A later release wrote it, and a door of that release can tell it.
            Err(error) => {
                tracing::warn!(webhook, subject = stored.subject, %error, "the end of a turn cannot be read");
                return AckDecision::Later(DELAY_MAX);
            }
        };
        if !self.caller.webhook.wants(&ended) {
            return AckDecision::Ack;
        }
        let event = Event::ended(&ended, &stored.body);
        let Err(error) = self.caller.call(&event, self.bus.now()).await else {
            self.metrics.webhook("delivered");
            return AckDecision::Ack;
        };
        let (turn, tries) = (ended.turn.as_str(), delivery.delivered);
        let age = Duration::from_millis(stored.stored_at.until(self.bus.now()));
        match self.tries.delay_after(tries, age, &error) {
            Some(delay) => {
                tracing::info!(webhook, turn, tries, %error, ?delay, "a webhook is called again later");
                self.metrics.webhook("retried");
                AckDecision::Retry(delay)
            }
            None => {
                tracing::warn!(webhook, turn, tries, %error, "a webhook was not told of a turn");
                self.give_up(&ended, delivery, &error).await
            }
        }
    }

    /// Stores a dead letter, which says where the event is, and does not keep what was answered.
    async fn give_up(
        &self,
        ended: &Terminal,
        delivery: &Delivery,
        error: &CallError,
    ) -> AckDecision {
        let subject = Subject::DeadWebhook {
            turn: ended.turn.clone(),
            webhook: self.caller.webhook.name.clone(),
        };
        let bare = StoredMessage {
            body: Bytes::new(),
            ..delivery.message.clone()
        };
        let death = Death {
            reason: error.code(),
            error: &error.to_string(),
            stream: Stream::Answers,
            delivered: delivery.delivered,
        };
        if let Err(error) = self.bus.publish(letter_at(subject, &bare, &death)).await {
            tracing::warn!(%error, "dead letter not stored");
            return AckDecision::Retry(self.tries.first_delay);
        }
        self.metrics.webhook("dead");
        AckDecision::Ack
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: Duration = Duration::from_secs(24 * 3600);

    #[test]
    fn delays_grow_to_their_limit_and_then_it_is_given_up() {
        let tries = Tries {
            most: 8,
            first_delay: Duration::from_secs(5),
        };
        let failed = CallError::Status(500, None);
        let delays: Vec<_> = (1..10)
            .map(|n| tries.delay_after(n, OLD, &failed))
            .collect();
        let seconds = delays
            .iter()
            .map(|delay| delay.map(|delay| delay.as_secs()));
        let wanted = [5, 20, 80, 320, 1280, 1800, 1800].map(Some);
        assert_eq!(
            seconds.collect::<Vec<_>>(),
            [&wanted[..], &[None, None]].concat()
        );
    }

    #[test]
    fn an_endpoint_says_when_and_that_it_is_gone() {
        let tries = Tries {
            most: 8,
            first_delay: Duration::from_secs(5),
        };
        let after = |status, seconds: u64| {
            let wait = Some(Duration::from_secs(seconds));
            tries.delay_after(1, OLD, &CallError::Status(status, wait))
        };
        assert_eq!(after(429, 60), Some(Duration::from_secs(60)));
        assert_eq!(after(503, 1), Some(Duration::from_secs(5)));
        assert_eq!(after(503, u64::MAX), Some(DELAY_MAX));
        assert_eq!(after(400, 0), Some(Duration::from_secs(5)));
        assert_eq!(after(410, 0), None);
        let third = |status| tries.delay_after(3, OLD, &CallError::Status(status, None));
        assert_eq!((third(422), third(400)), (None, None));
        assert!(third(404).is_some() && third(500).is_some());
    }

    #[test]
    fn what_was_handed_back_does_not_give_an_event_up() {
        let tries = Tries {
            most: 8,
            first_delay: Duration::from_secs(5),
        };
        let after = |n, seconds, status| {
            tries.delay_after(
                n,
                Duration::from_secs(seconds),
                &CallError::Status(status, None),
            )
        };
        // Doors came and went: the eighth delivery is the first try, or the third.
        assert_eq!(after(8, 1, 500), Some(DELAY_MAX));
        assert_eq!(after(3, 1, 400), Some(Duration::from_secs(80)));
        assert_eq!(after(3, 25, 400), None);
        let all = 5 + 20 + 80 + 320 + 1280 + 1800 + 1800;
        assert!(after(9, all - 1, 500).is_some() && after(8, all, 500).is_none());
        assert_eq!(after(1, 0, 410), None);
    }
}
