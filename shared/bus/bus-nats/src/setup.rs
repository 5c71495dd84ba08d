//! Makes streams and consumers, and checks whether existing ones are as this release wants them.
//!
//! Only `argosy setup` makes them. A worker checks its own stream and consumer, and does not become ready when they
//! differ.

use super::change::{Change, left, loses_nothing, made, mark, max_bytes};
use super::room::{self, Plan};
use super::{NatsBus, away, objects};
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::context::{
    ConsumerInfoErrorKind, CreateStreamError, CreateStreamErrorKind, GetStreamErrorKind,
};
use async_nats::jetstream::stream::{
    Config, ConsumerErrorKind, DiscardPolicy, Info, RetentionPolicy, StorageType,
};
use async_nats::jetstream::{Context, ErrorCode};
use bus::sizes::{Allowance, StreamSize, WantedStream};
use bus::topology::{Topology, editions_in};
use bus::{Bus, BusError, ConsumerSpec, Retention, Stream, StreamSpec};
use envelope::Editions;
use envelope::limits::DEADLINE_MS_MAX;
use envelope::subject::EDITION;
use std::collections::HashMap;
use std::fmt::Debug;
use std::time::Duration;

/// Makes what is missing and changes what differs. Refuses a change that would lose messages.
pub async fn setup(bus: &NatsBus, topology: &Topology) -> Result<Vec<Change>, BusError> {
    setup_within(bus, topology, &Allowance::default()).await
}

/// Like [`setup`], but sizes may be smaller than wanted, see [`bus::sizes`].
pub async fn setup_within(
    bus: &NatsBus,
    topology: &Topology,
    allowance: &Allowance,
) -> Result<Vec<Change>, BusError> {
    let plan = match room::fitted(bus, topology, allowance).await {
        Ok(plan) => plan,
        Err(error) => return Err(bus.explained(error).await),
    };
    match apply(bus, topology, &plan, true).await {
        Err(BusError::NoRoom { .. }) => Err(room::shortage(bus, topology, &plan).await),
        done => done,
    }
}

/// Says what `setup` would do.
pub async fn check(bus: &NatsBus, topology: &Topology) -> Result<Vec<Change>, BusError> {
    check_within(bus, topology, &Allowance::default()).await
}

/// Reports what [`setup_within`] would do, except for the sizes of missing streams, which are decided only when the
/// streams are made.
pub async fn check_within(
    bus: &NatsBus,
    topology: &Topology,
    allowance: &Allowance,
) -> Result<Vec<Change>, BusError> {
    let plan = match room::as_it_is(bus, topology, allowance).await {
        Ok(plan) => plan,
        Err(error) => return Err(bus.explained(error).await),
    };
    apply(bus, topology, &plan, false).await
}

async fn apply(
    bus: &NatsBus,
    topology: &Topology,
    plan: &Plan,
    act: bool,
) -> Result<Vec<Change>, BusError> {
    let mut changes = Vec::new();
    for spec in topology.streams() {
        let sizing = plan.of(&spec.stream.name());
        changes.push(one_stream(&bus.context, &spec, topology.replicas, sizing, act).await?);
    }
    let is_new = |stream: &Stream| {
        let part = plan.of(&stream.name());
        part.is_some_and(|(part, _)| part.found.is_none())
    };
    let editions = match is_new(&Stream::Chunks) {
        true => Editions::default(),
        false => known_editions(bus).await?,
    };
    for spec in topology.consumers(&editions) {
        changes.push(one_consumer(&bus.context, &spec, is_new(&spec.stream), act).await?);
    }
    changes.extend(objects::setup(&bus.context, topology, plan, act).await?);
    Ok(changes)
}

/// The editions that there are: one, `main`, as long as nothing is recorded.
async fn known_editions(bus: &NatsBus) -> Result<Editions, BusError> {
    match bus.last(Stream::Chunks, EDITION).await? {
        None => Ok(Editions::default()),
        Some(record) => editions_in(&record),
    }
}

/// Makes a consumer, or brings it to what is wanted.
pub(super) async fn add_consumer(context: &Context, spec: &ConsumerSpec) -> Result<(), BusError> {
    one_consumer(context, spec, true, true).await.map(|_| ())
}

/// What a server says when streams want more room than it has, alone and in a cluster.
const NO_ROOM: [ErrorCode; 3] = [
    ErrorCode::STORAGE_RESOURCES_EXCEEDED,
    ErrorCode::INSUFFICIENT_RESOURCES,
    ErrorCode::CLUSTER_NO_PEERS,
];

/// What a leader says of members that it has not heard of yet, or that are down: they may have the room.
const PEER_AWAY: &str = "peer offline";

/// More replicas than one are wanted of a server that is in no cluster.
const ALONE: &str = "this server is in no cluster, and keeps no replicas: set `streams.replicas` to 1, or run three servers";

/// What the server says no to is no outage. `wanted` are the bytes that it was asked for.
pub(super) fn refused(error: CreateStreamError, wanted: u64) -> BusError {
    match error.kind() {
        CreateStreamErrorKind::JetStream(said) if said.to_string().contains(PEER_AWAY) => {
            away(error)
        }
        CreateStreamErrorKind::JetStream(said) if NO_ROOM.contains(&said.error_code()) => {
            BusError::NoRoom {
                wanted,
                offered: None,
                least: None,
            }
        }
        CreateStreamErrorKind::JetStream(said)
            if said.error_code() == ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED =>
        {
            BusError::Refused(ALONE.into())
        }
        CreateStreamErrorKind::JetStream(said) => BusError::Refused(said.to_string()),
        _ => away(error),
    }
}

fn wanted_stream(spec: &StreamSpec, replicas: u8, size: StreamSize) -> Config {
    let mut metadata = HashMap::new();
    mark(&mut metadata, size);
    Config {
        name: spec.stream.name(),
        subjects: spec.stream.subjects(),
        retention: match spec.is_queue {
            true => RetentionPolicy::Interest,
            false => RetentionPolicy::Limits,
        },
        storage: StorageType::File,
        discard: match spec.retention {
            Retention::RefuseNew => DiscardPolicy::New,
            Retention::DropOld => DiscardPolicy::Old,
        },
        max_age: spec.max_age,
        max_bytes: max_bytes(size),
        metadata,
        max_messages_per_subject: spec.max_per_subject.map_or(-1, |n| n as i64),
        num_replicas: usize::from(replicas),
        allow_direct: true,
        allow_message_ttl: true,
        allow_message_schedules: spec.schedules,
        // Fences make duplicates impossible; a window of ids would only cost memory.
        duplicate_window: Duration::from_millis(100),
        ..Default::default()
    }
}

async fn one_stream(
    context: &Context,
    spec: &StreamSpec,
    replicas: u8,
    sizing: Option<(&WantedStream, StreamSize)>,
    act: bool,
) -> Result<Change, BusError> {
    let name = format!("stream {}", spec.stream.name());
    let (part, size) = sizing.ok_or_else(|| BusError::Missing(name.clone()))?;
    let wanted = wanted_stream(spec, replicas, size);
    let Some(info) = stream_info(context, &wanted.name).await? else {
        if act {
            let created = context.create_stream(wanted).await;
            created.map_err(|error| refused(error, size.bytes))?;
        }
        return Ok(made(name, act, size));
    };
    let found = info.config.clone();
    let drift = stream_drift(&wanted, &found);
    if drift.is_empty() {
        return Ok(left(name, part, size));
    }
    let what = drift.join(", ");
    if found.storage != wanted.storage || found.retention != wanted.retention {
        return Err(BusError::Different {
            name,
            what: format!("{what}; it has to be deleted and made anew by hand"),
        });
    }
    if act {
        let merged = Config {
            subjects: wanted.subjects,
            discard: wanted.discard,
            max_age: wanted.max_age,
            max_bytes: wanted.max_bytes,
            max_messages_per_subject: wanted.max_messages_per_subject,
            num_replicas: wanted.num_replicas,
            allow_direct: true,
            allow_message_ttl: true,
            allow_message_schedules: wanted.allow_message_schedules
                || found.allow_message_schedules,
            ..found
        };
        bring(context, &name, &info, merged, size).await?;
    }
    Ok(Change::Updated(name, what))
}

/// A stream as the server has it, if there is one.
pub(super) async fn stream_info(context: &Context, stream: &str) -> Result<Option<Info>, BusError> {
    match context.get_stream(stream).await {
        Ok(stream) => Ok(Some(stream.cached_info().clone())),
        Err(error) => match error.kind() {
            GetStreamErrorKind::JetStream(e) if e.code() == 404 => Ok(None),
            _ => Err(away(error)),
        },
    }
}

/// Changes a stream, unless messages would be lost.
pub(super) async fn bring(
    context: &Context,
    name: &str,
    found: &Info,
    mut wanted: Config,
    size: StreamSize,
) -> Result<(), BusError> {
    loses_nothing(name, wanted.max_bytes, found)?;
    mark(&mut wanted.metadata, size);
    let updated = context.update_stream(wanted).await;
    updated.map_err(|error| refused(error, size.bytes))?;
    Ok(())
}

/// One field: nothing when it is as wanted, else in words what it is and should be.
pub(super) fn field(name: &str, wanted: impl Debug, found: impl Debug) -> Option<String> {
    let (wanted, found) = (format!("{wanted:?}"), format!("{found:?}"));
    (wanted != found).then(|| format!("{name} is {found}, wanted {wanted}"))
}

fn stream_drift(wanted: &Config, found: &Config) -> Vec<String> {
    let sorted = |subjects: &[String]| {
        let mut subjects = subjects.to_vec();
        subjects.sort();
        subjects
    };
    let per_subject = wanted.max_messages_per_subject;
    let schedules = found.allow_message_schedules || !wanted.allow_message_schedules;
    let fields = [
        field(
            "subjects",
            sorted(&wanted.subjects),
            sorted(&found.subjects),
        ),
        field("retention", wanted.retention, found.retention),
        field("storage", wanted.storage, found.storage),
        field("discard", wanted.discard, found.discard),
        field("max_age", wanted.max_age, found.max_age),
        field("max_bytes", wanted.max_bytes, found.max_bytes),
        field(
            "max_msgs_per_subject",
            per_subject,
            found.max_messages_per_subject,
        ),
        field("num_replicas", wanted.num_replicas, found.num_replicas),
        field("allow_direct", true, found.allow_direct),
        field("allow_msg_ttl", true, found.allow_message_ttl),
        field("allow_msg_schedules", true, schedules),
    ];
    fields.into_iter().flatten().collect()
}

fn wanted_consumer(spec: &ConsumerSpec) -> pull::Config {
    let (filter_subject, filter_subjects) = match spec.filters.as_slice() {
        [one] => (one.clone(), Vec::new()),
        many => (String::new(), many.to_vec()),
    };
    pull::Config {
        durable_name: Some(spec.name.clone()),
        filter_subject,
        filter_subjects,
        ack_policy: AckPolicy::Explicit,
        ack_wait: spec.ack_wait,
        // The harness gives a message up itself, before it works on it: the server's own limit
        // would leave it in the stream, invisible.
        max_deliver: -1,
        max_ack_pending: i64::from(spec.max_ack_pending),
        max_waiting: 4096,
        inactive_threshold: spec.idle_max.unwrap_or_default(),
        ..Default::default()
    }
}

async fn found_consumer(
    context: &Context,
    spec: &ConsumerSpec,
) -> Result<Option<pull::Config>, BusError> {
    let missing = || BusError::Missing(format!("stream {}", spec.stream.name()));
    let stream = context
        .get_stream_no_info(spec.stream.name())
        .await
        .map_err(|_| missing())?;
    match stream.consumer_info(&spec.name).await {
        Ok(info) => {
            use async_nats::jetstream::consumer::FromConsumer;
            pull::Config::try_from_consumer_config(info.config)
                .map(Some)
                .map_err(away)
        }
        Err(error) => match error.kind() {
            ConsumerInfoErrorKind::NotFound => Ok(None),
            ConsumerInfoErrorKind::StreamNotFound => Err(missing()),
            _ => Err(away(error)),
        },
    }
}

async fn one_consumer(
    context: &Context,
    spec: &ConsumerSpec,
    fresh: bool,
    act: bool,
) -> Result<Change, BusError> {
    let name = format!("consumer {}/{}", spec.stream.name(), spec.name);
    let mut wanted = wanted_consumer(spec);
    let found = match found_consumer(context, spec).await {
        Ok(found) => found,
        // In a dry run the stream of a new fleet is not there either.
        Err(BusError::Missing(_)) if !act => return Ok(Change::Created(name)),
        Err(error) => return Err(error),
    };
    let drift = found.as_ref().map(|found| consumer_drift(&wanted, found));
    if drift.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Change::Unchanged(name));
    }
    // What waits in a queue has not been done, however old it is.
    if found.is_none() && !fresh && spec.stream != Stream::Documents {
        // A consumer that was lost: what a running turn may still need is delivered again, what is
        // older than the longest deadline cannot be. Redelivery is harmless (create-once).
        let start = std::time::SystemTime::now() - Duration::from_millis(DEADLINE_MS_MAX);
        wanted.deliver_policy = DeliverPolicy::ByStartTime {
            start_time: start.into(),
        };
    }
    if let Some(found) = &found {
        wanted.deliver_policy = found.deliver_policy;
    }
    if act {
        let stream = context
            .get_stream_no_info(spec.stream.name())
            .await
            .map_err(away)?;
        stream
            .create_consumer(wanted)
            .await
            .map_err(|error| match error.kind() {
                ConsumerErrorKind::JetStream(e) => BusError::Different {
                    name: name.clone(),
                    what: format!("{e}; delete it and run `argosy setup` again"),
                },
                _ => away(error),
            })?;
    }
    Ok(match drift {
        None => Change::Created(name),
        Some(drift) => Change::Updated(name, drift.join(", ")),
    })
}

fn consumer_drift(wanted: &pull::Config, found: &pull::Config) -> Vec<String> {
    let none: [Duration; 0] = [];
    let fields = [
        field(
            "filter_subject",
            &wanted.filter_subject,
            &found.filter_subject,
        ),
        field(
            "filter_subjects",
            &wanted.filter_subjects,
            &found.filter_subjects,
        ),
        field("ack_wait", wanted.ack_wait, found.ack_wait),
        field("max_deliver", wanted.max_deliver, found.max_deliver),
        field(
            "max_ack_pending",
            wanted.max_ack_pending,
            found.max_ack_pending,
        ),
        field(
            "inactive_threshold",
            wanted.inactive_threshold,
            found.inactive_threshold,
        ),
        field("backoff", none, &found.backoff),
    ];
    fields.into_iter().flatten().collect()
}

/// Whether the consumer is there and as wanted. Limits may be tuned without this release being told;
/// what it takes may not.
pub(super) async fn check_consumer(context: &Context, spec: &ConsumerSpec) -> Result<(), BusError> {
    let name = format!("consumer {}/{}", spec.stream.name(), spec.name);
    let found = found_consumer(context, spec)
        .await?
        .ok_or_else(|| BusError::Missing(name.clone()))?;
    let mut grave = consumer_drift(&wanted_consumer(spec), &found);
    grave.retain(|d| !d.starts_with("max_ack_pending"));
    if grave.is_empty() {
        Ok(())
    } else {
        Err(BusError::Different {
            name,
            what: grave.join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of nats-server 2.15.
    #[test]
    fn a_member_that_is_away_is_no_lack_of_room() {
        let said = |what: &str| {
            let said = serde_json::json!({"code": 400, "err_code": 10005, "description": what});
            let said = serde_json::from_value(said).unwrap();
            refused(CreateStreamErrorKind::JetStream(said).into(), 1)
        };
        let offline = said("no suitable peers for placement, peer offline");
        assert!(matches!(offline, BusError::Away(_)), "{offline:?}");
        let full = said("no suitable peers for placement, insufficient storage");
        assert!(matches!(full, BusError::NoRoom { .. }), "{full:?}");
    }
}
