//! The state of a durable consumer: the messages that it has not delivered yet, and the delivered ones that are not
//! acked.

use super::pull::Wake;
use super::subjects::matches;
use crate::{ConsumerProgress, ConsumerSpec};
use envelope::UnixMs;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Messages that wait for a consumer or a reader.
pub(super) struct Feed {
    filters: Vec<String>,
    /// Sequences not yet handed out; never one that the stream no longer holds.
    pub(super) waiting: BTreeSet<u64>,
    pub(super) wake: Wake,
}

impl Feed {
    pub(super) fn new(filters: Vec<String>) -> Self {
        Feed {
            filters,
            waiting: BTreeSet::new(),
            wake: Wake::default(),
        }
    }

    pub(super) fn wants(&self, subject: &str) -> bool {
        self.filters.iter().any(|filter| matches(filter, subject))
    }
}

/// A delivery that is not answered yet.
struct Open {
    again_at: UnixMs,
    delivered: u64,
}

/// A durable consumer.
pub(super) struct Consumer {
    pub(super) spec: ConsumerSpec,
    pub(super) feed: Feed,
    open: BTreeMap<u64, Open>,
    /// The unacked deliveries, by the time at which each is redelivered.
    again: BTreeSet<(UnixMs, u64)>,
}

impl Consumer {
    pub(super) fn new(spec: ConsumerSpec) -> Self {
        Consumer {
            feed: Feed::new(spec.filters.clone()),
            spec,
            open: BTreeMap::new(),
            again: BTreeSet::new(),
        }
    }

    /// The sequence to deliver now and which delivery of it that is. Redeliveries come first; new
    /// messages only while less than `max_ack_pending` are open.
    pub(super) fn take(&mut self, now: UnixMs) -> Option<(u64, u64)> {
        let overdue = self.again.first().filter(|(at, _)| *at <= now);
        let sequence = match overdue {
            Some((_, sequence)) => *sequence,
            None if self.open.len() < self.spec.max_ack_pending as usize => {
                self.feed.waiting.pop_first()?
            }
            None => return None,
        };
        let delivered = self.open.get(&sequence).map_or(0, |open| open.delivered) + 1;
        let open = Open {
            again_at: now,
            delivered,
        };
        if let Some(before) = self.open.insert(sequence, open) {
            self.again.remove(&(before.again_at, sequence));
        }
        self.again_in(now, sequence, self.spec.ack_wait);
        Some((sequence, delivered))
    }

    /// When the next redelivery falls due.
    pub(super) fn next_again(&self) -> Option<UnixMs> {
        self.again.first().map(|(at, _)| *at)
    }

    /// Sets when an unacked message is redelivered. As on the server, any delivery of a message stands for all of
    /// them.
    pub(super) fn again_in(&mut self, now: UnixMs, sequence: u64, delay: Duration) {
        let Some(open) = self.open.get_mut(&sequence) else {
            return;
        };
        self.again.remove(&(open.again_at, sequence));
        open.again_at = now.plus(delay.as_micros().div_ceil(1000) as u64);
        self.again.insert((open.again_at, sequence));
        if self
            .again
            .first()
            .is_some_and(|(_, first)| *first == sequence)
        {
            // A waiting call may have to wake up earlier now.
            self.feed.wake.notify_waiters();
        }
    }

    /// The progress of the consumer in a stream whose last sequence is `last`.
    pub(super) fn progress(&self, last: u64) -> ConsumerProgress {
        let before = |sequence: Option<&u64>| sequence.map_or(last, |first| first - 1);
        let delivered_to = before(self.feed.waiting.first());
        ConsumerProgress {
            pending: self.feed.waiting.len() as u64,
            ack_pending: self.open.len() as u64,
            delivered_to,
            acked_to: delivered_to.min(before(self.open.keys().next())),
        }
    }

    /// Whether the message has still to be answered.
    pub(super) fn has(&self, sequence: u64) -> bool {
        self.feed.waiting.contains(&sequence) || self.open.contains_key(&sequence)
    }

    /// Forgets a message that is acked or deleted.
    pub(super) fn forget(&mut self, sequence: u64) {
        self.feed.waiting.remove(&sequence);
        if let Some(open) = self.open.remove(&sequence) {
            self.again.remove(&(open.again_at, sequence));
            // There may be room for a new one.
            self.feed.wake.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    fn consumer(max_ack_pending: u32) -> Consumer {
        let mut consumer = Consumer::new(ConsumerSpec {
            stream: Stream::Steps(0),
            name: "test".into(),
            filters: vec![">".into()],
            ack_wait: Duration::from_secs(1),
            max_ack_pending,
            idle_max: None,
        });
        consumer.feed.waiting.extend([1, 2, 3]);
        consumer
    }

    #[test]
    fn redeliveries_come_before_new_messages() {
        let mut consumer = consumer(8);
        assert_eq!(consumer.take(UnixMs(0)), Some((1, 1)));
        assert_eq!(consumer.take(UnixMs(999)), Some((2, 1)));
        assert_eq!(consumer.take(UnixMs(1000)), Some((1, 2)));
        assert_eq!(consumer.take(UnixMs(1000)), Some((3, 1)));
        assert_eq!(consumer.take(UnixMs(1000)), None);
        assert_eq!(consumer.next_again(), Some(UnixMs(1999)));
    }

    #[test]
    fn open_deliveries_hold_new_ones_back_but_not_themselves() {
        let mut consumer = consumer(1);
        assert_eq!(consumer.take(UnixMs(0)), Some((1, 1)));
        assert_eq!(consumer.take(UnixMs(0)), None);
        assert_eq!(consumer.take(UnixMs(1000)), Some((1, 2)));
        consumer.forget(1);
        assert_eq!(consumer.take(UnixMs(1000)), Some((2, 1)));
    }

    #[test]
    fn an_answer_to_what_is_not_open_changes_nothing() {
        let mut consumer = consumer(8);
        consumer.again_in(UnixMs(0), 2, Duration::ZERO);
        assert_eq!(consumer.next_again(), None);
        assert_eq!(consumer.take(UnixMs(0)), Some((1, 1)));
    }
}
