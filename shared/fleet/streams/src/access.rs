//! Reads, watches and changes the rules of who may read which documents.
//!
//! The rules of all tenants are one message in the stream of the corpus, and its last value wins. A change is stored only
//! if the rules are still those that were read. *Not* here: what the rules mean (`envelope::access`), and who keeps to
//! them (`index`).

use crate::feed;
use crate::outbox::store_until;
use bus::{Bus, BusError, Publish, PublishError, StoredMessage, Stream, WriteCondition};
use envelope::access::RULES_MAX;
use envelope::subject::ACCESS;
use envelope::{AccessRule, AccessRules, TenantId};
use tokio_util::sync::CancellationToken;

/// How long storing the rules may be repeated, in milliseconds.
const PATIENCE_MS: u64 = 10_000;

/// The rules, and their position in the corpus stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredRules {
    /// The rules.
    pub rules: AccessRules,
    /// The sequence of their message; 0 if none is stored.
    pub sequence: u64,
}

/// Why the rules were not changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There are too many.
    #[error(
        "{0} rules of all tenants, the limit is {RULES_MAX}: name folders instead of documents"
    )]
    TooMany(usize),
    /// Another process changed them meanwhile.
    #[error("somebody else changed the rules at the same time; look at them and try again")]
    Changed,
    /// They could not be stored.
    #[error("the rules could not be stored: {0}")]
    Publish(PublishError),
    /// The bus.
    #[error(transparent)]
    Bus(#[from] BusError),
}

/// The rules that are stored; without any, everybody may read everything that names no readers.
///
/// # Errors
/// When the bus cannot be asked, or a later release wrote the rules.
pub async fn read(bus: &dyn Bus) -> Result<StoredRules, BusError> {
    match bus.last(Stream::Chunks, ACCESS).await? {
        None => Ok(StoredRules::default()),
        Some(stored) => decode(&stored),
    }
}

fn decode(stored: &StoredMessage) -> Result<StoredRules, BusError> {
    let rules = envelope::decode(&stored.body)
        .map_err(|error| BusError::Refused(format!("the rules at `{ACCESS}`: {error}")))?;
    let sequence = stored.sequence;
    Ok(StoredRules { rules, sequence })
}

/// Replaces the rules of a tenant. Returns the sequence from which on they hold.
///
/// # Errors
/// When they cannot be stored, or were changed at the same time.
pub async fn set(bus: &dyn Bus, tenant: &TenantId, rules: Vec<AccessRule>) -> Result<u64, Error> {
    let before = read(bus).await?;
    let mut all = before.rules.clone();
    match rules.is_empty() {
        true => all.tenants.remove(tenant),
        false => all.tenants.insert(tenant.clone(), rules),
    };
    if all == before.rules {
        return Ok(before.sequence);
    }
    let count = all.tenants.values().map(Vec::len).sum();
    if count > RULES_MAX {
        return Err(Error::TooMany(count));
    }
    let body = envelope::encode(&all);
    let body = body.map_err(|e| Error::Publish(PublishError::Refused(e.to_string())))?;
    let message = Publish {
        condition: WriteCondition::LastIs(ACCESS.into(), before.sequence),
        ..Publish::new(ACCESS, body)
    };
    match store_until(bus, message, bus.now().plus(PATIENCE_MS)).await {
        Ok(sequence) => Ok(sequence),
        Err(PublishError::Exists) => {
            // They may be these very rules, whose confirmation was lost.
            let now = read(bus).await?;
            match now.rules == all {
                true => Ok(now.sequence),
                false => Err(Error::Changed),
            }
        }
        Err(error) => Err(Error::Publish(error)),
    }
}

/// Tells `keep` of every change of the rules behind the sequence `from`, until `stop` is cancelled. If the connection is
/// lost, this waits for it. Rules that cannot be read leave those before them in place.
pub async fn watch(
    bus: &dyn Bus,
    from: u64,
    mut keep: impl FnMut(AccessRules) + Send,
    stop: CancellationToken,
) {
    let read = |message: StoredMessage| match decode(&message) {
        Ok(stored) => keep(stored.rules),
        Err(error) => tracing::error!(%error, "the rules of who may read what stay as they were"),
    };
    feed::watch(bus, Stream::Chunks, ACCESS, from, read, stop).await;
}
