//! Reads from the server the backlog of a role, and how far back conversations reach. Neither is counted anywhere else.
//!
//! The leader of a consumer answers, so that no follower's older numbers are shown. *Not* here: how often these numbers
//! are read. The gateway reads them for its gauges, and `argosy status` for people.

use bus::{Bus, BusError, ConsumerProgress, ConsumerSpec, StoredMessage, Stream};
use envelope::{Role, UnixMs, subject};
use std::time::Duration;

/// The messages that wait for a role, over all its consumers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Messages that were never delivered.
    pub pending: u64,
    /// Messages that were delivered and are not acknowledged.
    pub ack_pending: u64,
}

impl Backlog {
    /// Whether no message waits and none is worked on.
    pub fn is_empty(&self) -> bool {
        self.pending + self.ack_pending == 0
    }
}

/// The backlog of these consumers together.
///
/// # Errors
/// When one of them cannot be asked: a sum without it would be wrong.
pub async fn of(bus: &dyn Bus, consumers: &[ConsumerSpec]) -> Result<Backlog, BusError> {
    let mut backlog = Backlog::default();
    for consumer in consumers {
        let ConsumerProgress {
            pending,
            ack_pending,
            ..
        } = bus.progress(consumer).await?;
        backlog.pending += pending;
        backlog.ack_pending += ack_pending;
    }
    Ok(backlog)
}

/// When the oldest message that these consumers have not acked was stored; `None` if no message waits.
///
/// # Errors
/// When the bus cannot be asked.
pub async fn oldest(bus: &dyn Bus, consumers: &[ConsumerSpec]) -> Result<Option<UnixMs>, BusError> {
    let mut oldest: Option<UnixMs> = None;
    for consumer in consumers {
        let progress = bus.progress(consumer).await?;
        if progress.pending + progress.ack_pending == 0 {
            continue;
        }
        for filter in &consumer.filters {
            let from = progress.acked_to + 1;
            let first = bus.first(consumer.stream, filter, from).await?;
            oldest = first
                .map(|first| first.stored_at)
                .into_iter()
                .chain(oldest)
                .min();
        }
    }
    Ok(oldest)
}

/// How far back the logs of conversations reach: the age of the oldest event of any conversation; `None` if there is no
/// event.
///
/// # Errors
/// When the bus cannot be asked.
pub async fn reach(bus: &dyn Bus) -> Result<Duration, BusError> {
    let oldest = bus.first(Stream::Conversations, subject::CONVERSATIONS, 1);
    let age = |stored: StoredMessage| Duration::from_millis(stored.stored_at.until(bus.now()));
    Ok(oldest.await?.map_or(Duration::ZERO, age))
}

/// The number of subjects with dead letters of a role: one per step, and one per document. The server lists 100,000
/// at most.
///
/// # Errors
/// When the bus cannot be asked.
pub async fn dead_letters(bus: &dyn Bus, role: Role) -> Result<u64, BusError> {
    bus.count(Stream::Dead, &envelope::subject::dead_of(role))
        .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Publish;
    use bus::memory::MemoryBus;
    use bus::topology::Topology;
    use envelope::Editions;

    #[tokio::test(start_paused = true)]
    async fn what_waits_is_told_with_its_age_until_it_is_answered() {
        let topology = Topology::default();
        let bus = MemoryBus::new(&topology);
        let mapper = topology.consumers_of(Role::Mapper, &Editions::default());
        assert!(of(&*bus, &mapper).await.unwrap().is_empty());
        assert_eq!(oldest(&*bus, &mapper).await, Ok(None));
        let asked = bus.now();
        for index in 0..3 {
            let subject = format!("argosy.step.0.mapper.t1.2.{index}");
            let step = Publish::new(subject, bytes::Bytes::new());
            bus.publish(step).await.unwrap();
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        let mut puller = bus.consume(&mapper[0]).await.unwrap();
        let first = puller.next(1).await.unwrap();
        let backlog = of(&*bus, &mapper).await.unwrap();
        assert_eq!((backlog.pending, backlog.ack_pending), (2, 1));
        assert_eq!(
            oldest(&*bus, &mapper).await,
            Ok(Some(asked)),
            "it is not done"
        );
        first.ack.ack().await.unwrap();
        assert_eq!(oldest(&*bus, &mapper).await, Ok(Some(asked.plus(1_000))));
    }

    #[tokio::test]
    async fn a_missing_consumer_is_no_empty_one() {
        let topology = Topology::default();
        let bus = MemoryBus::new(&topology);
        let strange = ConsumerSpec {
            name: "strange".into(),
            ..topology.inbox()
        };
        let both = of(&*bus, &[topology.inbox(), strange]).await;
        assert!(matches!(both, Err(BusError::Missing(_))), "{both:?}");
    }

    #[tokio::test]
    async fn dead_letters_are_told_by_role() {
        let topology = Topology::default();
        let bus = MemoryBus::new(&topology);
        for subject in ["argosy.dead.mapper.t1.2.0", "argosy.dead.indexer.main.b.d"] {
            let letter = Publish::new(subject, bytes::Bytes::new());
            bus.publish(letter).await.unwrap();
        }
        for (role, want) in [(Role::Mapper, 1), (Role::Indexer, 1), (Role::Planner, 0)] {
            assert_eq!(dead_letters(&*bus, role).await, Ok(want), "{role}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn logs_reach_back_to_their_oldest_event() {
        let bus = MemoryBus::new(&Topology::default());
        assert_eq!(reach(&*bus).await, Ok(Duration::ZERO));
        for wait in [0, 60] {
            tokio::time::sleep(Duration::from_secs(wait)).await;
            let event = Publish::new("argosy.conversation.default.one", bytes::Bytes::new());
            bus.publish(event).await.unwrap();
        }
        tokio::time::sleep(Duration::from_secs(30)).await;
        assert_eq!(reach(&*bus).await, Ok(Duration::from_secs(90)));
    }
}
