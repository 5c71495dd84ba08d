//! Erases conversations, in a fleet or in the data folder.

use super::copies::{open, put};
use super::{ConversationSource, Error, now};
use crate::kept_conversations;
use bus::topology::Topology;
use conversation_log::store::Store;
use conversation_log::{ConversationKey, EventKind, Read};
use envelope::ConversationId;
use harness::erasure::ErasureReport;
use std::path::Path;

impl ConversationSource {
    /// Whether there is a conversation that was begun as a copy of another one.
    pub(crate) async fn is_copy(
        &self,
        key: &ConversationKey,
        of: &ConversationId,
    ) -> Result<bool, Error> {
        let events = self.events(key).await?;
        let state = events.last().map(|last| &last.event.state);
        Ok(state.is_some_and(|state| state.is_erased || state.copy_of.as_ref() == Some(of)))
    }

    /// Erases a conversation. It may be called again.
    pub(crate) async fn erase(
        &self,
        key: &ConversationKey,
        topology: &Topology,
    ) -> Result<ErasureReport, Error> {
        match self {
            ConversationSource::Fleet(bus) => {
                Ok(harness::erasure::erase(bus, topology, key).await?)
            }
            ConversationSource::Here(data_dir) => erase_here(data_dir, key).await,
        }
    }
}

/// Erases a conversation without a fleet, where the store is the only place. What stays is written into new files,
/// and the old files are deleted.
async fn erase_here(data_dir: &Path, key: &ConversationKey) -> Result<ErasureReport, Error> {
    if !kept_conversations::folder(data_dir).is_dir() {
        return Err(harness::erasure::Error::Unknown.into());
    }
    let store = open(data_dir).await?;
    let events = kept_conversations::all(&store, key).await?;
    let Some(last) = events.last() else {
        return Err(harness::erasure::Error::Unknown.into());
    };
    let mut report = ErasureReport {
        swept_until: now(),
        ..ErasureReport::default()
    };
    match &last.event.event {
        EventKind::Erased(erasure) => {
            report.was_erased = true;
            report.forks = erasure.forks.clone();
        }
        _ => {
            // No other place holds any of its turns.
            let event = conversation_log::erasure::erase(&events, 0, now())?;
            report.forks = last.event.state.children.clone();
            put(&store, key, vec![event]).await?;
            report.log.erased = events.len() as u64;
        }
    }
    // A purge that was cut short is still due.
    if store.sizes().await?.purge_due {
        store.purge().await?;
    }
    let left = kept_conversations::all(&store, key).await?;
    let is_text = |read: &&Read| !read.event.state.is_erased;
    report.log.left = left.iter().filter(is_text).count() as u64;
    Ok(report)
}
