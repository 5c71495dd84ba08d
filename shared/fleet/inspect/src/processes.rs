//! Collects the reports of a fleet's processes about themselves, by a request on a subject to which every process
//! replies.
//!
//! *Not* a health check: a process that does not reply is simply not listed. *Not* here: the messages that wait for a
//! process, which are read from the server (`streams::backlog`), and the making of a reply.

use crate::disk::Disk;
use bus::{Bus, BusError, CoreMessage};
use envelope::{Edition, Role};
use llm_pool::NodeView;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

/// The subject of the request.
pub const SUBJECT: &str = "argosy.processes";

/// How long the caller waits for answers.
pub const LISTEN: Duration = Duration::from_millis(400);
/// Most answers that are kept.
const ANSWERS_MAX: usize = 4_096;

/// The report of one process about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProcessStatus {
    /// Its role.
    pub role: Role,
    /// Distinguishes processes of one role on one machine.
    pub process: String,
    /// Its release.
    #[serde(default)]
    pub version: String,
    /// The address of its metrics and probes, if it serves them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listens: Option<SocketAddr>,
    /// Seconds since it started.
    #[serde(default)]
    pub uptime_s: u64,
    /// Whether it is ready.
    #[serde(default)]
    pub ready: bool,
    /// Why it is not ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The conditions of readiness that are not met, each with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub waits_for: BTreeMap<String, String>,
    /// Its index, where it keeps one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<IndexState>,
    /// Its store of conversations, where it keeps one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreState>,
    /// Whether it accepts questions of conversations; only a gateway reports this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversations: Option<bool>,
    /// The disk of its data folder, where it keeps an index or a store there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<Disk>,
    /// Messages being worked on.
    #[serde(default)]
    pub in_flight: u64,
    /// Messages that may be worked on at once.
    #[serde(default)]
    pub limit: u64,
    /// What it has done lately.
    #[serde(default)]
    pub recent: Recent,
    /// The model that it asks, if it asks one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The nodes of every model that it asks, those of its embedders and rerankers too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeView>,
}

/// The state of an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexState {
    /// The edition that the process searches.
    pub edition: Edition,
    /// The sequence of the corpus stream up to which the index can be searched.
    pub at: u64,
}

/// The recent work of a process: in the last five minutes, or since it started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recent {
    /// The length of that time in seconds.
    pub seconds: u64,
    /// Messages answered.
    pub answered: u64,
    /// Of the answered messages, how many were given up or have to be tried again.
    pub errors: u64,
    /// Counts of finished messages by the time that they took, see `harness::Tally`.
    pub durations: Vec<u64>,
}

/// The state of a store of conversations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreState {
    /// The sequence of the stream of conversations up to which the store answers; 0 while it does not answer.
    pub at: u64,
    /// Conversations in it.
    pub conversations: u64,
    /// Events of these conversations.
    pub events: u64,
    /// Bytes on disk.
    pub bytes: u64,
}

/// Asks every process, and collects answers for the time `listen`.
pub async fn ask(bus: &dyn Bus, listen: Duration) -> Result<Vec<ProcessStatus>, BusError> {
    let inbox = format!("{}.{:032x}", bus.inbox(), fastrand::u128(..));
    let mut answers = bus.subscribe(&inbox, None).await?;
    bus.broadcast(CoreMessage {
        reply: Some(inbox),
        ..CoreMessage::new(SUBJECT, "")
    })
    .await?;
    let mut seen = Vec::new();
    let listening = async {
        while let Some(message) = answers.next().await {
            // The server says so when nothing listens.
            if message.body.is_empty() {
                return;
            }
            match serde_json::from_slice::<ProcessStatus>(&message.body) {
                Ok(one) if seen.len() < ANSWERS_MAX => seen.push(one),
                Ok(_) => return,
                Err(error) => tracing::warn!(%error, "an answer of a process not understood"),
            }
        }
    };
    let _ = tokio::time::timeout(listen, listening).await;
    seen.sort_by(|a, b| (a.role, &a.process).cmp(&(b.role, &b.process)));
    Ok(seen)
}
