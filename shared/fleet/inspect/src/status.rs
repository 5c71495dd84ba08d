//! The state of the whole fleet: the reports of its processes, and the state of their queues in the NATS server.
//!
//! [`look`] asks, [`status`] interprets the replies, and `render` shows the result. The numbers of queues come from the
//! leaders of their consumers. *Not* here: advice about what to do.

mod conversations;

pub use conversations::{ConversationStatus, StoreStatus};

use crate::position::{self, TurnPosition};
use crate::processes::{self, LISTEN, ProcessStatus};
use bus::topology::Topology;
use bus::{Bus, BusError, ConsumerSpec, Stream, StreamState};
use envelope::{Role, TurnId, UnixMs};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::Duration;
use streams::backlog::{self, Backlog};
use streams::editions;
use telemetry::buckets::STEP_DURATION;

/// The facts that one look at the fleet collects.
#[derive(Debug, Clone)]
pub struct FleetFacts {
    /// When.
    pub now: UnixMs,
    /// The processes that answered.
    pub seen: Vec<ProcessStatus>,
    /// The waiting work of each role.
    pub queues: Vec<(Role, Queue)>,
    /// The waiting questions of the inbox.
    pub inbox: Queue,
    /// The size and the limits of each stream.
    pub streams: Vec<(Stream, StreamState)>,
    /// How far back the logs of conversations reach, if there are any.
    pub reach: Option<Duration>,
    /// The position of the turn that was asked for.
    pub turn: Option<(TurnId, TurnPosition)>,
}

/// The waiting work of a role.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Queue {
    /// The numbers of messages; `None` if a consumer is missing, so that its messages are not counted.
    pub backlog: Option<Backlog>,
    /// When the oldest of them was stored.
    pub oldest: Option<UnixMs>,
    /// Dead letters.
    pub dead: u64,
}

/// The status of the whole fleet, with the same fields as the object of `status -o json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FleetStatus {
    /// When, in Unix milliseconds.
    pub at_ms: UnixMs,
    /// All roles, including those without a process.
    pub roles: Vec<RoleStatus>,
    /// Questions that no gateway has taken.
    pub inbox: Inbox,
    /// Every stream.
    pub streams: Vec<StreamRoom>,
    /// Conversations.
    pub conversations: ConversationStatus,
    /// The turn that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnStatus>,
}

/// The status of one role.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoleStatus {
    /// Which.
    pub role: Role,
    /// Processes that answered.
    pub processes: usize,
    /// Of these processes, how many are ready.
    pub ready: usize,
    /// Why the other processes are not ready.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub reasons: BTreeSet<String>,
    /// The releases of the processes.
    pub versions: BTreeSet<String>,
    /// Messages being worked on.
    pub in_flight: u64,
    /// Messages that may be worked on at once.
    pub limit: u64,
    /// Messages that wait for their first delivery; `null` where a consumer is missing.
    pub pending: Option<u64>,
    /// Messages that are delivered and not yet acknowledged; `null` if a consumer is missing.
    pub ack_pending: Option<u64>,
    /// Age of the oldest message that is not acknowledged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_ms: Option<u64>,
    /// The median time of a message, approximately: it is estimated from the buckets of a histogram.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<u64>,
    /// The time that 95 % of the messages stay below, approximately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<u64>,
    /// Messages handled in the last five minutes, or since the process started.
    pub answered: u64,
    /// Of the handled messages, how many were given up or have to be tried again.
    pub errors: u64,
    /// Steps and documents that are stored as dead letters.
    pub dead_letters: u64,
}

/// The inbox.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Inbox {
    /// Questions that wait; `null` if the consumer is missing.
    pub pending: Option<u64>,
    /// Age of the oldest question that no gateway has begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_ms: Option<u64>,
}

/// The fill level of one stream.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StreamRoom {
    /// Its name.
    pub stream: String,
    /// Messages in it.
    pub messages: u64,
    /// Bytes in it.
    pub bytes: u64,
    /// Bytes that it may hold.
    pub max_bytes: u64,
    /// The share of its limit that the stream uses, in percent.
    pub percent: f64,
    /// Whether the stream is too full: above this level some work stops, see D04.
    pub short: bool,
}

/// A turn and its position.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TurnStatus {
    /// Which.
    pub turn: TurnId,
    /// Where.
    #[serde(flatten)]
    pub position: TurnPosition,
}

/// The key by which the roles are sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Key {
    /// The order in which a question passes the roles.
    #[default]
    Role,
    /// Messages in work, most first.
    Flight,
    /// Messages that wait, most first.
    Pending,
    /// Age of the oldest message, highest first.
    Oldest,
    /// Time of a step, longest first.
    P95,
    /// Errors, most first.
    Errors,
    /// Dead letters, most first.
    Dead,
}

/// The order of the roles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RoleOrder {
    /// By what.
    pub key: Key,
    /// Whether the order is reversed.
    pub is_reversed: bool,
}

impl RoleOrder {
    /// The order by this key, in its usual direction.
    pub fn by(key: Key) -> RoleOrder {
        RoleOrder {
            key,
            is_reversed: false,
        }
    }
}

/// Asks the processes and the server; takes [`LISTEN`] and the time of a few requests.
///
/// # Errors
/// When the server cannot be asked, a stream is missing, or the turn is not known. A consumer that is
/// missing hides one number and not the rest.
pub async fn look(
    bus: &dyn Bus,
    topology: &Topology,
    turn: Option<&TurnId>,
) -> Result<FleetFacts, position::Error> {
    let served = async {
        let queues = queues(bus, topology).await?;
        let inbox = queue(bus, &[topology.inbox()]).await?;
        let mut streams = Vec::new();
        for stream in Stream::ALL {
            streams.push((stream, bus.state(stream).await?));
        }
        let reach = backlog::reach(bus).await?;
        Ok::<_, BusError>((queues, inbox, streams, reach))
    };
    let (seen, served) = tokio::join!(processes::ask(bus, LISTEN), served);
    let (queues, inbox, streams, reach) = served?;
    let turn = match turn {
        Some(turn) => Some((turn.clone(), position::of(bus, topology, turn).await?)),
        None => None,
    };
    Ok(FleetFacts {
        now: bus.now(),
        seen: seen?,
        queues,
        inbox,
        streams,
        reach: (!reach.is_zero()).then_some(reach),
        turn,
    })
}

async fn queues(bus: &dyn Bus, topology: &Topology) -> Result<Vec<(Role, Queue)>, BusError> {
    let editions = editions::read(bus).await?.editions;
    let has_dead = bus.state(Stream::Dead).await?.messages > 0;
    let mut queues = Vec::new();
    for role in Role::ALL {
        let waiting = queue(bus, &topology.consumers_of(role, &editions)).await?;
        let dead = match has_dead {
            true => backlog::dead_letters(bus, role).await?,
            false => 0,
        };
        queues.push((role, Queue { dead, ..waiting }));
    }
    Ok(queues)
}

async fn queue(bus: &dyn Bus, consumers: &[ConsumerSpec]) -> Result<Queue, BusError> {
    match counted(bus, consumers).await {
        Err(BusError::Missing(_)) => Ok(Queue::default()),
        queue => queue,
    }
}

async fn counted(bus: &dyn Bus, consumers: &[ConsumerSpec]) -> Result<Queue, BusError> {
    let backlog = backlog::of(bus, consumers).await?;
    let oldest = match backlog.is_empty() {
        true => None,
        false => backlog::oldest(bus, consumers).await?,
    };
    Ok(Queue {
        backlog: Some(backlog),
        oldest,
        dead: 0,
    })
}

/// Sums up the facts by role. `full` returns the fill level from which some work stops for a stream, or nothing for a
/// stream that may become full.
pub fn status(facts: &FleetFacts, full: impl Fn(Stream) -> Option<f64>) -> FleetStatus {
    let streams = facts.streams.iter();
    let age = |oldest: Option<UnixMs>| oldest.map(|at| at.until(facts.now));
    let role = |(role, queue): &(Role, Queue)| {
        let seen: Vec<&ProcessStatus> = facts.seen.iter().filter(|s| s.role == *role).collect();
        let sum = |count: fn(&ProcessStatus) -> u64| seen.iter().map(|one| count(one)).sum::<u64>();
        let durations = added(seen.iter().map(|one| &one.recent.durations));
        RoleStatus {
            role: *role,
            processes: seen.len(),
            ready: seen.iter().filter(|one| one.ready).count(),
            reasons: seen.iter().filter_map(|one| one.reason.clone()).collect(),
            versions: seen.iter().map(|one| one.version.clone()).collect(),
            in_flight: sum(|one| one.in_flight),
            limit: sum(|one| one.limit),
            pending: queue.backlog.map(|b| b.pending),
            ack_pending: queue.backlog.map(|b| b.ack_pending),
            oldest_ms: age(queue.oldest),
            p50_ms: quantile(&durations, 0.5),
            p95_ms: quantile(&durations, 0.95),
            answered: sum(|one| one.recent.answered),
            errors: sum(|one| one.recent.errors),
            dead_letters: queue.dead,
        }
    };
    FleetStatus {
        at_ms: facts.now,
        roles: facts.queues.iter().map(role).collect(),
        inbox: Inbox {
            pending: facts.inbox.backlog.map(|b| b.pending),
            oldest_ms: age(facts.inbox.oldest),
        },
        streams: streams.map(|one| room(one, full(one.0))).collect(),
        conversations: conversations::of(facts),
        turn: (facts.turn.clone()).map(|(turn, position)| TurnStatus { turn, position }),
    }
}

fn room((stream, state): &(Stream, StreamState), full: Option<f64>) -> StreamRoom {
    StreamRoom {
        stream: stream.name(),
        messages: state.messages,
        bytes: state.bytes,
        max_bytes: state.max_bytes,
        percent: (state.fill() * 1_000.0).round() / 10.0,
        short: full.is_some_and(|full| state.fill() >= full),
    }
}

impl FleetStatus {
    /// Sorts the roles; roles with equal keys stay in the order in which a question passes them.
    pub fn sorted(mut self, order: RoleOrder) -> FleetStatus {
        let place = |role: Role| Role::ALL.iter().rev().position(|one| *one == role);
        let rank = |one: &RoleStatus| match order.key {
            Key::Role => place(one.role).unwrap_or(0) as u64,
            Key::Flight => one.in_flight,
            // What is not known may be anything: it is looked at first.
            Key::Pending => one.pending.unwrap_or(u64::MAX),
            Key::Oldest => one.oldest_ms.unwrap_or(0),
            Key::P95 => one.p95_ms.unwrap_or(0),
            Key::Errors => one.errors,
            Key::Dead => one.dead_letters,
        };
        match order.is_reversed {
            true => self.roles.sort_by_key(rank),
            false => self.roles.sort_by_key(|one| Reverse(rank(one))),
        }
        self
    }
}

/// Counts by place, added up over processes.
fn added<'a>(all: impl Iterator<Item = &'a Vec<u64>>) -> Vec<u64> {
    let mut sum = vec![0; STEP_DURATION.len() + 1];
    for counts in all {
        for (place, count) in sum.iter_mut().zip(counts) {
            *place += count;
        }
    }
    sum
}

/// The time that a share `q` of the messages does not exceed, in milliseconds: linear within its
/// bucket, and the last bound for what is above all of them. None without messages.
fn quantile(counts: &[u64], q: f64) -> Option<u64> {
    let all: u64 = counts.iter().sum();
    let rank = q * all as f64;
    let (mut below, mut lower) = (0.0, 0.0);
    for (count, bound) in counts.iter().zip(STEP_DURATION) {
        let count = *count as f64;
        if count > 0.0 && below + count >= rank {
            let seconds = lower + (bound - lower) * ((rank - below) / count);
            return Some((seconds * 1_000.0).round() as u64);
        }
        (below, lower) = (below + count, *bound);
    }
    let last = STEP_DURATION.last().copied().unwrap_or(0.0);
    (all > 0).then_some((last * 1_000.0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_in_their_bucket() {
        let mut counts = vec![0; STEP_DURATION.len() + 1];
        assert_eq!(quantile(&counts, 0.5), None);
        counts[1] = 100;
        assert_eq!(quantile(&counts, 0.5), Some(75), "between 50 and 100 ms");
        assert_eq!(quantile(&counts, 1.0), Some(100));
        counts[STEP_DURATION.len()] = 300;
        assert_eq!(quantile(&counts, 0.95), Some(102_400), "above every bound");
        // Of processes they are those of all messages together, not of the processes.
        let (fast, slow) = (vec![99, 0, 0], vec![0, 0, 1]);
        let both = added([&fast, &slow].into_iter());
        assert!(quantile(&both, 0.95).unwrap() <= 50);
    }
}
