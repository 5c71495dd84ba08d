//! Collects the reports of a fleet's processes about themselves, by a request on a subject to which every process
//! replies.
//!
//! *Not* a health check: a process that does not reply is simply not listed. *Not* here: the messages that wait for a
//! process, which are read from the server (`streams::backlog`), and the making of a reply.

use crate::disk::Disk;
use bus::{Bus, BusError, CoreMessage, Headers};
use bytes::Bytes;
use envelope::{Edition, Role};
use llm_pool::NodeView;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

/// Where it is asked.
pub const SUBJECT: &str = "argosy.processes";

/// How long answers are waited for.
pub const LISTEN: Duration = Duration::from_millis(400);
/// Most answers that are kept.
const ANSWERS_MAX: usize = 4_096;

/// What one process tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProcessStatus {
    /// Its role.
    pub role: Role,
    /// Distinguishes processes of one role on one machine.
    pub process: String,
    /// Its release.
    #[serde(default)]
    pub version: String,
    /// Where its metrics and probes are served, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listens: Option<SocketAddr>,
    /// Seconds since it started.
    #[serde(default)]
    pub uptime_s: u64,
    /// Whether it is ready.
    #[serde(default)]
    pub ready: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The conditions that are not met, and why not.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub waits_for: BTreeMap<String, String>,
    /// Its index, where it keeps one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<IndexAt>,
    /// Its store of conversations, where it keeps one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreAt>,
    /// Whether it takes questions of conversations, where it takes questions.
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
    /// What it did lately.
    #[serde(default)]
    pub recent: Recent,
    /// The model that it asks, if it asks one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The nodes of every model that it asks, those of its embedders and rerankers too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeView>,
}

/// How far an index is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexAt {
    /// The edition that is searched.
    pub edition: Edition,
    /// Sequence of the corpus stream up to which it can be searched.
    pub at: u64,
}

/// What a process did lately: in the last five minutes, or since it started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recent {
    /// Of how many seconds.
    pub seconds: u64,
    /// Messages answered.
    pub answered: u64,
    /// Those of them that were given up or are to be tried again.
    pub errors: u64,
    /// Messages worked on to their end, by time: see `harness::Tally`.
    pub durations: Vec<u64>,
}

/// How far a store of conversations is, and how much it holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreAt {
    /// Sequence of the stream of conversations up to which it answers; 0 while it answers for nothing.
    pub at: u64,
    /// Conversations in it.
    pub conversations: u64,
    /// Their events.
    pub events: u64,
    /// Bytes on disk.
    pub bytes: u64,
}

/// Asks every process, and listens for so long.
pub async fn ask(bus: &dyn Bus, listen: Duration) -> Result<Vec<ProcessStatus>, BusError> {
    let inbox = format!(
        "_INBOX.{:016x}{:016x}",
        fastrand::u64(..),
        fastrand::u64(..)
    );
    let mut answers = bus.subscribe(&inbox, None).await?;
    bus.broadcast(CoreMessage {
        subject: SUBJECT.to_owned(),
        reply: Some(inbox),
        headers: Headers::default(),
        body: Bytes::new(),
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
