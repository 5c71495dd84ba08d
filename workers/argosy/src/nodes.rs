//! What the processes of a fleet know of their model nodes, and how they stand themselves: asked on a
//! subject, answered by everybody.
//!
//! *Not* a health check of the nodes: nobody is asked but the processes that call them, and they tell
//! what their calls came to.

use crate::standing::{Standing, Teller};
use bytes::Bytes;
use envelope::Role;
use harness::bus::{Bus, CoreMessage, Headers};
use llm_pool::NodeView;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Where it is asked.
pub const SUBJECT: &str = "argosy.nodes";

/// What one process knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Its role.
    pub role: Role,
    /// Tells processes of one role apart.
    pub process: String,
    /// The model; empty where it asks none.
    pub model: String,
    /// Its nodes.
    pub nodes: Vec<NodeView>,
    /// How it stands itself.
    #[serde(default)]
    pub standing: Standing,
}

/// Answers until it is told to stop.
pub async fn answer(bus: Arc<dyn Bus>, teller: Arc<Teller>, stop: CancellationToken) {
    let role = teller.role();
    let process = format!("{role}-{}", std::process::id());
    while !stop.is_cancelled() {
        let heard = async {
            let mut asked = bus.subscribe(SUBJECT, None).await.ok()?;
            while let Some(message) = asked.next().await {
                let Some(reply) = message.reply else { continue };
                let pool = teller.pool();
                let seen = Seen {
                    role,
                    process: process.clone(),
                    model: pool
                        .map_or_else(String::new, |pool| llm::ChatModel::name(&**pool).to_owned()),
                    nodes: pool.map_or_else(Vec::new, |pool| pool.nodes()),
                    standing: teller.standing(),
                };
                let body = serde_json::to_vec(&seen).unwrap_or_default();
                let answer = CoreMessage {
                    subject: reply,
                    reply: None,
                    headers: Headers::default(),
                    body: Bytes::from(body),
                };
                if let Err(error) = bus.broadcast(answer).await {
                    tracing::debug!(%error, "nodes not told");
                }
            }
            Some(())
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            _ = heard => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    }
}

/// Asks every process, and listens for so long.
pub async fn ask(bus: &dyn Bus, listen: Duration) -> Result<Vec<Seen>, harness::bus::BusError> {
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
            match serde_json::from_slice::<Seen>(&message.body) {
                Ok(one) => seen.push(one),
                Err(error) => tracing::warn!(%error, "an answer about nodes not understood"),
            }
        }
    };
    let _ = tokio::time::timeout(listen, listening).await;
    seen.sort_by(|a, b| (a.role, &a.process).cmp(&(b.role, &b.process)));
    Ok(seen)
}
