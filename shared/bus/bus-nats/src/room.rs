//! Finds out how much room the streams can have on this server. It reads the existing streams and the limits of the
//! account and, on a server without a cluster, probes how much more the server accepts.
//!
//! [`bus::sizes`] decides the sizes from these figures. A server does not tell a client how much room it has, so the
//! probe creates a stream of some size and deletes it at once. A cluster is not probed, because the result would mean
//! little: its servers learn of each other's reservations with a delay, and streams are on different servers. There
//! only the limit of the account is known beforehand.

use super::NatsBus;
use super::away;
use super::objects::stream_of;
use super::setup::{refused, stream_info};
use async_nats::jetstream::context::CreateStreamErrorKind;
use async_nats::jetstream::stream::{Config, Info, StorageType};
use async_nats::jetstream::{Context, ErrorCode};
use bus::BusError;
use bus::sizes::{self, Allowance, ExistingStream, Shortage, StreamSize, WantedStream};
use bus::topology::{FILES, SNAPSHOTS, Topology, enough_bytes};

/// Under this key the metadata of a stream says what was wanted when it was made smaller.
pub(super) const SCALED_FROM: &str = "argosy_wanted_bytes";
/// The stream that is asked for to find out how much room there is.
const PROBE: &str = "ARGOSY_ROOM";
const PROBE_SUBJECT: &str = "argosy.room.probe";
/// How exactly the room is found out: to this part of it, and never closer than so many bytes.
const PRECISION: u64 = 128;
const PRECISION_BYTES: u64 = 16 * 1024 * 1024;

/// What is wanted of each stream, what is there, and what it is made with.
pub(super) struct Plan {
    parts: Vec<WantedStream>,
    sizes: Vec<StreamSize>,
}

impl Plan {
    /// The stream or object store of that name, and its size.
    pub(super) fn of(&self, name: &str) -> Option<(&WantedStream, StreamSize)> {
        let mut pairs = self.parts.iter().zip(&self.sizes);
        let (part, size) = pairs.find(|(part, _)| part.name == name)?;
        Some((part, *size))
    }
}

/// The sizes as they would be if room were no matter, but for what was scaled before.
pub(super) async fn as_it_is(
    bus: &NatsBus,
    topology: &Topology,
    allowance: &Allowance,
) -> Result<Plan, BusError> {
    let parts = parts(&bus.context, topology, allowance).await?;
    let sizes = sizes::whole(&parts, None);
    Ok(Plan { parts, sizes })
}

/// The sizes in the room that there is.
pub(super) async fn fitted(
    bus: &NatsBus,
    topology: &Topology,
    allowance: &Allowance,
) -> Result<Plan, BusError> {
    let plan = as_it_is(bus, topology, allowance).await?;
    if !sizes::can_give_way(&plan.parts, &plan.sizes) {
        return Ok(plan);
    }
    let (account, each) = account(&bus.context, topology.replicas).await;
    let sizes = sizes::whole(&plan.parts, each);
    let growth = sizes::growth(&plan.parts, &sizes);
    let known = [allowance.most, account].into_iter().flatten().min();
    let mut offered = known.unwrap_or(growth).min(growth);
    if let Some(less) = less_of_server(bus, topology.replicas, offered).await? {
        offered = less;
    }
    let fit = sizes::fit(&plan.parts, each, offered);
    let sizes = fit.map_err(|short: Shortage| BusError::NoRoom {
        wanted: short.wanted,
        offered: Some(short.offered),
        least: Some(short.least),
    })?;
    Ok(Plan { sizes, ..plan })
}

/// The refusal of a server that has less room than sizes that were set, with the figures.
pub(super) async fn shortage(bus: &NatsBus, topology: &Topology, plan: &Plan) -> BusError {
    let wanted = sizes::growth(&plan.parts, &plan.sizes);
    let (account, _) = account(&bus.context, topology.replicas).await;
    let now = as_it_is(bus, topology, &Allowance::default()).await;
    // What has been made before the refusal was offered as well.
    let left = now.map_or(wanted, |now| sizes::growth(&now.parts, &plan.sizes));
    let most = account.unwrap_or(left).min(left);
    let offered = match less_of_server(bus, topology.replicas, most).await {
        Ok(Some(free)) => Some(free),
        _ => account,
    };
    BusError::NoRoom {
        wanted,
        offered: offered.map(|free| free.saturating_add(wanted.saturating_sub(left))),
        least: Some(sizes::least(&plan.parts)),
    }
}

/// Every stream and object store.
async fn parts(
    context: &Context,
    topology: &Topology,
    allowance: &Allowance,
) -> Result<Vec<WantedStream>, BusError> {
    let streams = topology.streams().into_iter().map(|spec| {
        let name = spec.stream.name();
        let enough = enough_bytes(spec.stream, spec.max_bytes);
        (name.clone(), name, spec.max_bytes, enough)
    });
    let stores = [
        (FILES, topology.files_bytes),
        (SNAPSHOTS, topology.snapshots_bytes),
    ]
    .map(|(bucket, size)| {
        (
            bucket.to_owned(),
            stream_of(bucket),
            size.bytes(),
            size.bytes(),
        )
    });
    let mut parts = Vec::new();
    for (name, stream, wanted, enough) in streams.chain(stores) {
        parts.push(WantedStream {
            is_elastic: allowance.elastic.contains(&name),
            found: found(context, &stream).await?,
            name,
            wanted,
            enough,
        });
    }
    Ok(parts)
}

async fn found(context: &Context, stream: &str) -> Result<Option<ExistingStream>, BusError> {
    Ok(stream_info(context, stream).await?.as_ref().map(read))
}

fn read(info: &Info) -> ExistingStream {
    let wanted = info.config.metadata.get(SCALED_FROM);
    ExistingStream {
        max_bytes: u64::try_from(info.config.max_bytes).unwrap_or(u64::MAX),
        scaled_from: wanted.and_then(|bytes| bytes.parse().ok()),
    }
}

/// What the account may still promise to streams of so many copies, and most of what it may promise to
/// one; nothing where it has no limit, or where these credentials may not ask.
async fn account(context: &Context, replicas: u8) -> (Option<u64>, Option<u64>) {
    let account = match context.query_account().await {
        Ok(account) => account,
        Err(error) => {
            tracing::debug!(%error, "the limits of the account are not known");
            return (None, None);
        }
    };
    let tier = account.tiers.get(&format!("R{replicas}"));
    let (limits, reserved, counts_each_copy) = match tier {
        Some(tier) => (&tier.limits, tier.reserved_storage, false),
        None => (&account.limits, account.reserved_storage, true),
    };
    let most = sizes::of_account(limits.max_storage, reserved, replicas, counts_each_copy);
    let each = limits.storage_max_stream_bytes;
    let each = each.and_then(|bytes| u64::try_from(bytes).ok());
    (most, each.filter(|bytes| *bytes > 0))
}

/// How much less than `most` a server of its own has; nothing when it has that, or is in a cluster.
async fn less_of_server(bus: &NatsBus, replicas: u8, most: u64) -> Result<Option<u64>, BusError> {
    let is_alone = bus.client.server_info().cluster.is_none();
    if !is_alone || most == 0 || has_room(&bus.context, replicas, most).await? {
        return Ok(None);
    }
    let (mut has, mut lacks) = (0, most);
    while lacks - has > (lacks / PRECISION).max(PRECISION_BYTES) {
        let middle = has + (lacks - has) / 2;
        match has_room(&bus.context, replicas, middle).await? {
            true => has = middle,
            false => lacks = middle,
        }
    }
    Ok(Some(has))
}

/// Whether a stream of that size would be made; it is gone afterwards.
async fn has_room(context: &Context, replicas: u8, bytes: u64) -> Result<bool, BusError> {
    let probe = || Config {
        name: PROBE.into(),
        subjects: vec![PROBE_SUBJECT.into()],
        storage: StorageType::File,
        max_bytes: i64::try_from(bytes).unwrap_or(i64::MAX),
        num_replicas: usize::from(replicas),
        ..Config::default()
    };
    let mut made = context.create_stream(probe()).await;
    if made
        .as_ref()
        .is_err_and(|e| code(e.kind()) == Some(ErrorCode::STREAM_NAME_EXIST))
    {
        // Left by a run that was killed in between.
        context.delete_stream(PROBE).await.map_err(away)?;
        made = context.create_stream(probe()).await;
    }
    match made {
        Ok(_) => {
            context.delete_stream(PROBE).await.map_err(away)?;
            Ok(true)
        }
        Err(error) => match refused(error, bytes) {
            BusError::NoRoom { .. } => Ok(false),
            other => Err(other),
        },
    }
}

fn code(kind: CreateStreamErrorKind) -> Option<ErrorCode> {
    match kind {
        CreateStreamErrorKind::JetStream(said) => Some(said.error_code()),
        _ => None,
    }
}
