//! Summarises conversations for the status of a fleet: which processes handle them, how far back their logs reach, and
//! how far the stores that follow the logs have come. *Not* here: whether that is enough, which `argosy doctor` says.

use super::FleetFacts;
use crate::processes::ProcessStatus;
use bus::Stream;
use envelope::Role;
use serde::Serialize;

/// The state of conversations in the fleet.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ConversationStatus {
    /// Gateways that answered and reported whether they accept questions of conversations.
    pub gateways: usize,
    /// Of these gateways, how many accept them.
    pub taking: usize,
    /// Age of the oldest event that is kept of any conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reach_ms: Option<u64>,
    /// The stores of the processes that read conversations.
    pub stores: Vec<StoreStatus>,
}

/// The store of one process.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoreStatus {
    /// The process of the store.
    pub process: String,
    /// Events of the stream that the store has not taken in; `null` if the process has no store and reads logs from the
    /// stream.
    pub behind: Option<u64>,
    /// Conversations in it.
    pub conversations: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// Bytes that the process may still write to the disk of the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free: Option<u64>,
}

/// What the facts say of conversations.
pub(super) fn of(facts: &FleetFacts) -> ConversationStatus {
    let of_role = |role| facts.seen.iter().filter(move |one| one.role == role);
    let said = of_role(Role::Gateway).filter_map(|one| one.conversations);
    let of_stream = facts.streams.iter();
    let newest = of_stream.filter(|(stream, _)| *stream == Stream::Conversations);
    let newest = newest.map(|(_, state)| state.last).max().unwrap_or(0);
    let readers = of_role(Role::Conversation);
    ConversationStatus {
        gateways: said.clone().count(),
        taking: said.filter(|takes| *takes).count(),
        reach_ms: facts.reach.map(|reach| reach.as_millis() as u64),
        stores: readers.map(|one| store(one, newest)).collect(),
    }
}

fn store(reader: &ProcessStatus, newest: u64) -> StoreStatus {
    let held = reader.store.unwrap_or_default();
    StoreStatus {
        process: reader.process.clone(),
        behind: reader.store.map(|store| newest.saturating_sub(store.at)),
        conversations: held.conversations,
        bytes: held.bytes,
        free: reader.disk.as_ref().map(|disk| disk.free),
    }
}
