//! Asks a server about itself and about the rights of this client, for people who look for the cause of a problem.
//!
//! Workers do *not* use it: a call that fails tells them enough.

use super::{NatsBus, api};
use bus::{BusError, Publish, PublishError, Stream, WriteCondition};
use bytes::Bytes;
use envelope::UnixMs;
use serde::Deserialize;
use std::time::Duration;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::time::Instant;

/// The server to which this process is connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// As it was configured.
    pub name: String,
    /// The version, such as `2.14.0`.
    pub version: String,
    /// Largest message, in bytes.
    pub max_payload: usize,
}

/// What JetStream grants this account. Absent limits are those of the server itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Bytes that streams hold now.
    pub stored: u64,
    /// Bytes that streams may hold, as promised to them.
    pub reserved: u64,
    /// Bytes that they may be promised, where the account has a limit.
    pub limit: Option<u64>,
    /// How many streams there are.
    pub streams: u64,
}

/// The server's clock compared with the clock of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// The time on the server's clock.
    pub server: UnixMs,
    /// The time on this machine's clock when the server read its own, estimated as the middle of the round trip.
    pub here: UnixMs,
    /// The duration of the round trip. The comparison is wrong by at most half of it.
    pub round_trip: Duration,
}

/// What is open, as this login sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposure {
    /// Whether the server wants a login of everybody.
    pub wants_login: bool,
    /// Whether connections are encrypted.
    pub is_encrypted: bool,
    /// The account of this login; absent if it may not ask.
    pub account: Option<String>,
    /// Whether this login may publish or hear only certain subjects.
    pub is_limited: bool,
}

/// What the server says of the user who asks.
#[derive(Deserialize)]
struct UserInfo {
    data: UserData,
}

#[derive(Deserialize)]
struct UserData {
    account: String,
    #[serde(default)]
    permissions: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct AccountInfo {
    #[serde(default)]
    storage: u64,
    #[serde(default)]
    reserved_storage: u64,
    #[serde(default)]
    streams: u64,
    limits: AccountLimits,
}

#[derive(Deserialize)]
struct AccountLimits {
    #[serde(default)]
    max_storage: i64,
}

#[derive(Deserialize)]
struct Timed {
    ts: String,
}

/// A sequence that no stream has: a publish that expects it is refused, and nothing is stored.
const NEVER: u64 = 1 << 53;

/// How long the server may take to say who this is; it does not answer who may not ask.
const OF_USER: Duration = Duration::from_secs(1);

impl NatsBus {
    /// The server at the other end, as it greeted.
    pub fn facts(&self) -> Facts {
        let info = self.client.server_info();
        Facts {
            name: info.server_name,
            version: info.version,
            max_payload: info.max_payload,
        }
    }

    /// What is open on this server.
    pub async fn exposure(&self) -> Exposure {
        let info = self.client.server_info();
        let asked = api::request(&self.client, "$SYS.REQ.USER.INFO".into(), Bytes::new());
        let asked = tokio::time::timeout(OF_USER, asked).await;
        let user: Option<UserInfo> = asked.ok().and_then(Result::ok);
        Exposure {
            wants_login: info.auth_required,
            is_encrypted: info.tls_required,
            is_limited: user
                .as_ref()
                .is_none_or(|user| user.data.permissions.is_some()),
            account: user.map(|user| user.data.account),
        }
    }

    /// What JetStream grants this account; refused or away where there is no JetStream.
    pub async fn account(&self) -> Result<Account, BusError> {
        let info: AccountInfo =
            api::request(&self.client, "$JS.API.INFO".into(), Bytes::new()).await?;
        Ok(Account {
            stored: info.storage,
            reserved: info.reserved_storage,
            limit: u64::try_from(info.limits.max_storage).ok(),
            streams: info.streams,
        })
    }

    /// The server's clock. The server reports it with the state of a stream, so there has to be a stream.
    pub async fn clock(&self, stream: Stream) -> Result<Clock, BusError> {
        let call = format!("$JS.API.STREAM.INFO.{}", stream.name());
        let (asked, begun) = (super::now(), Instant::now());
        let told: Timed = api::request(&self.client, call, Bytes::new()).await?;
        let round_trip = begun.elapsed();
        let server = OffsetDateTime::parse(&told.ts, &Rfc3339)
            .ok()
            .and_then(|at| u64::try_from(at.unix_timestamp_nanos() / 1_000_000).ok())
            .ok_or_else(|| BusError::Refused(format!("unreadable time `{}`", told.ts)))?;
        Ok(Clock {
            server: UnixMs(server),
            here: asked.plus(round_trip.as_millis() as u64 / 2),
            round_trip,
        })
    }

    /// Publishes to a stored subject in a way that its stream refuses, so that nothing is stored; returns true when
    /// the stream has refused it. A forbidden publish gets no answer; see [`super::Connection::said`].
    pub async fn rehearse(&self, subject: &str) -> bool {
        let message = Publish {
            condition: WriteCondition::LastIs(subject.to_owned(), NEVER),
            ..Publish::new(subject, Bytes::new())
        };
        let answer = api::publish(&self.client, message).await;
        matches!(answer, Err(PublishError::Exists | PublishError::Refused(_)))
    }
}
