//! Finds where a turn waits, in the inbox or before a role, and how many messages are before it.
//!
//! The streams and their leaders tell this; no process of the fleet is asked. *Not* a trace: the trail of the answer
//! tells which work is done already.

use bus::topology::Topology;
use bus::{Bus, BusError, ConsumerProgress, ConsumerSpec, StoredMessage, Stream};
use envelope::{Role, Subject, TurnId, subject};
use serde::Serialize;
use std::time::Duration;

/// How many questions of the inbox are looked through.
const SCAN_MAX: u64 = 10_000;
/// Most time for the next message of a stream that has to hold it.
const NEXT_MAX: Duration = Duration::from_secs(5);

/// The position of a turn in the fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum TurnPosition {
    /// The turn waits in a queue.
    Waiting {
        /// The role that it waits for; the gateway's queue is the inbox.
        before: Role,
        /// The place of the turn in that queue, from 1.
        position: u64,
        /// The length of the queue.
        of: u64,
    },
    /// A process works on it.
    Working {
        /// The role that works on it.
        role: Role,
    },
    /// The turn waits, but the consumer that would deliver its message is missing.
    Stuck {
        /// The role that it waits for; the gateway's queue is the inbox.
        before: Role,
    },
    /// The terminal event of the turn is stored.
    Ended,
}

/// Why a turn was not found.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bus could not be asked, or refused.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// No message of the turn is stored.
    #[error(
        "there is no turn `{0}` among the first {SCAN_MAX} questions of the inbox, nor among those that were taken"
    )]
    Unknown(TurnId),
}

/// Finds the position of a turn.
///
/// # Errors
/// When nothing is known of it, and when the bus cannot be asked.
pub async fn of(bus: &dyn Bus, topology: &Topology, turn: &TurnId) -> Result<TurnPosition, Error> {
    let terminal = bus.last(Stream::Answers, &subject::answer(turn)).await?;
    if terminal.is_some() {
        return Ok(TurnPosition::Ended);
    }
    let steps = format!("argosy.step.0.*.{turn}.>");
    if let Some(step) = bus.last(Stream::Steps(0), &steps).await? {
        let role = match Subject::parse(&step.subject) {
            Ok(Subject::Step { role, .. }) => role,
            // The map steps of a search are on their way.
            _ => return Ok(TurnPosition::Working { role: Role::Mapper }),
        };
        return Ok(in_queue(bus, &topology.consumer(role), role, &step).await?);
    }
    let inbox = topology.inbox();
    match question(bus, &inbox, turn).await? {
        Some(question) => Ok(in_queue(bus, &inbox, Role::Gateway, &question).await?),
        None => Err(Error::Unknown(turn.clone())),
    }
}

/// Where a message stands in the queue of a consumer.
async fn in_queue(
    bus: &dyn Bus,
    consumer: &ConsumerSpec,
    role: Role,
    message: &StoredMessage,
) -> Result<TurnPosition, BusError> {
    let progress = match bus.progress(consumer).await {
        Err(BusError::Missing(_)) => return Ok(TurnPosition::Stuck { before: role }),
        progress => progress?,
    };
    if message.sequence <= progress.delivered_to {
        return Ok(TurnPosition::Working { role });
    }
    let filter = consumer.filters.first().map_or("", String::as_str);
    let mut rest = bus.read(consumer.stream, filter, message.sequence).await?;
    let (_, after) = next(&mut *rest).await?;
    Ok(place(&progress, after, role))
}

/// The place of a message with so many behind it. More may have come since the consumer was asked.
fn place(progress: &ConsumerProgress, after: u64, before: Role) -> TurnPosition {
    let of = progress.pending.max(after + 1);
    TurnPosition::Waiting {
        before,
        position: of - after,
        of,
    }
}

/// The question of a turn among those of the inbox that are not done.
async fn question(
    bus: &dyn Bus,
    inbox: &ConsumerSpec,
    turn: &TurnId,
) -> Result<Option<StoredMessage>, BusError> {
    let progress = bus.progress(inbox).await?;
    let open = (progress.pending + progress.ack_pending).min(SCAN_MAX);
    if open == 0 {
        return Ok(None);
    }
    let from = progress.acked_to + 1;
    let mut questions = bus.read(inbox.stream, subject::QUESTIONS, from).await?;
    for _ in 0..SCAN_MAX {
        let (question, after) = next(&mut *questions).await?;
        if streams::asked::turn_of(&question) == *turn {
            return Ok(Some(question));
        }
        if after == 0 {
            break;
        }
    }
    Ok(None)
}

async fn next(reader: &mut dyn bus::Reader) -> Result<(StoredMessage, u64), BusError> {
    let waited = tokio::time::timeout(NEXT_MAX, reader.next()).await;
    waited.map_err(|_| BusError::Away("a message that should be there does not come".into()))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Publish;
    use bus::memory::MemoryBus;

    async fn put(bus: &MemoryBus, subject: &str, body: &str) -> u64 {
        let message = Publish::new(subject, body.to_owned().into());
        bus.publish(message).await.unwrap()
    }

    async fn ask(bus: &MemoryBus, id: &str) {
        let body = serde_json::json!({ "question": "why?", "id": id }).to_string();
        put(bus, envelope::subject::QUERY, &body).await;
    }

    fn turn(id: &str) -> TurnId {
        TurnId::new(id).unwrap()
    }

    fn waiting(before: Role, position: u64, of: u64) -> TurnPosition {
        TurnPosition::Waiting {
            before,
            position,
            of,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_question_has_its_place_in_the_inbox() {
        let topology = Topology::default();
        let bus = MemoryBus::new(&topology);
        for id in ["q-a", "q-b", "q-c"] {
            ask(&bus, id).await;
        }
        let at = async |id| of(&*bus, &topology, &turn(id)).await.unwrap();
        assert_eq!(at("q-a").await, waiting(Role::Gateway, 1, 3));
        assert_eq!(at("q-c").await, waiting(Role::Gateway, 3, 3));
        let mut puller = bus.consume(&topology.inbox()).await.unwrap();
        let _first = puller.next(1).await.unwrap();
        let begun = TurnPosition::Working {
            role: Role::Gateway,
        };
        assert_eq!(at("q-a").await, begun);
        assert_eq!(at("q-c").await, waiting(Role::Gateway, 2, 2));
        let unknown = of(&*bus, &topology, &turn("q-z")).await.unwrap_err();
        assert!(matches!(unknown, Error::Unknown(_)), "{unknown}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_step_has_its_place_before_its_role() {
        let topology = Topology::default();
        let bus = MemoryBus::new(&topology);
        for id in ["q-a", "q-b"] {
            put(&bus, &format!("argosy.step.0.planner.{id}.0"), "{}").await;
            put(&bus, &format!("argosy.step.0.mapper.{id}.2.0"), "{}").await;
        }
        put(&bus, "argosy.step.0.planner.q-c.0", "{}").await;
        let at = async |id| of(&*bus, &topology, &turn(id)).await.unwrap();
        assert_eq!(at("q-b").await, waiting(Role::Mapper, 2, 2));
        assert_eq!(at("q-c").await, waiting(Role::Planner, 3, 3));
        put(&bus, "argosy.step.0.scatter.q-c.1", "{}").await;
        let mapped = TurnPosition::Working { role: Role::Mapper };
        assert_eq!(at("q-c").await, mapped);
        put(&bus, "argosy.answer.q-b", "{}").await;
        assert_eq!(at("q-b").await, TurnPosition::Ended);
    }
}
