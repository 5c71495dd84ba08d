//! Reads conversations: from the logs in the stream of a fleet or, without a fleet, from the data folder.

mod copies;
mod removal;
mod standing;

pub(crate) use standing::Standing;

use crate::kept_conversations;
use bus::{Bus, BusError, StoredMessage, Stream};
use conversation_log::copy::CopyError;
use conversation_log::sled_store::OpenError;
use conversation_log::store::{LIST_MAX, Store, StoreError};
use conversation_log::{
    AppendError, ConversationKey, EventError, EventKind, LogEvent, Read, SledStore, State,
};
use envelope::{ConversationId, Groups, Principal, Subject, TenantId, UnixMs};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use streams::conversation::{LogError, Logs, RestoreError};

/// How long to wait for the next event.
const NEXT_WAIT: Duration = Duration::from_secs(5);

/// Where conversations are.
pub(crate) enum ConversationSource {
    Fleet(Arc<dyn Bus>),
    Here(PathBuf),
}

/// Why conversations cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bus could not be asked.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The folder cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An event cannot be read.
    #[error(transparent)]
    Event(#[from] EventError),
    /// The log of a fleet cannot be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The conversation cannot be copied.
    #[error("the conversation cannot be copied: {0}")]
    Copy(#[from] CopyError),
    /// The conversation cannot be forked.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// Another conversation has the id.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// The conversation was not erased, or not wholly.
    #[error(transparent)]
    Erase(#[from] harness::erasure::Error),
    /// Other writers kept appending to the log.
    #[error("other writers kept writing to the conversation; try again")]
    Contended,
}

/// A conversation in a few numbers.
#[derive(Debug, Serialize)]
pub(crate) struct Talk {
    pub(crate) conversation: String,
    /// When something last happened, in Unix milliseconds.
    pub(crate) last: u64,
    /// All events so far, with those that are no longer kept.
    pub(crate) events: u64,
    /// Turns that run or wait.
    pub(crate) open: usize,
    /// Whether a question back waits for its reply.
    pub(crate) is_asked_back: bool,
    pub(crate) is_erased: bool,
    /// A later release wrote the log, so nothing else is known of it.
    pub(crate) is_newer: bool,
    /// The groups whose members alone may read it.
    #[serde(skip)]
    groups: Groups,
}

impl ConversationSource {
    /// The conversations that a principal may read, the one last used first, at most `limit`; and whether there are more.
    pub(crate) async fn list(
        &self,
        principal: &Principal,
        limit: usize,
    ) -> Result<(Vec<Talk>, bool), Error> {
        let mut found = match self {
            ConversationSource::Fleet(bus) => listed(&**bus, &principal.tenant).await?,
            ConversationSource::Here(data_dir) => match store(data_dir).await? {
                Some(store) => held(&store, &principal.tenant).await?,
                None => Vec::new(),
            },
        };
        found.retain(|talk| principal.groups.cover(&talk.groups));
        found.sort_by_key(|talk| std::cmp::Reverse(talk.last));
        let more = found.len() > limit;
        found.truncate(limit);
        Ok((found, more))
    }

    /// All events of a conversation that are still kept, in their order.
    pub(crate) async fn events(&self, key: &ConversationKey) -> Result<Vec<Read>, Error> {
        match self {
            ConversationSource::Fleet(bus) => Ok(Logs::on(bus.clone()).all(key).await?),
            ConversationSource::Here(data_dir) => match store(data_dir).await? {
                Some(store) => Ok(kept_conversations::all(&store, key).await?),
                None => Ok(Vec::new()),
            },
        }
    }
}

/// The store of the data folder, if there is one: a look does not create it.
async fn store(data_dir: &Path) -> Result<Option<SledStore>, OpenError> {
    if !kept_conversations::folder(data_dir).is_dir() {
        return Ok(None);
    }
    Ok(Some(
        kept_conversations::open(data_dir, now(), kept_conversations::LOOK_MAX).await?,
    ))
}

/// The key of a conversation of this tenant.
pub(crate) fn key_of(tenant: &TenantId, conversation: &ConversationId) -> ConversationKey {
    ConversationKey {
        tenant: tenant.clone(),
        conversation: conversation.clone(),
    }
}

/// The time of this machine.
pub(crate) fn now() -> UnixMs {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    UnixMs(since.as_millis() as u64)
}

fn talk(key: &ConversationKey, at: UnixMs, state: &State) -> Talk {
    Talk {
        conversation: key.conversation.to_string(),
        last: at.0,
        events: state.n,
        open: state.open.len(),
        is_asked_back: state.pending.is_some(),
        is_erased: state.is_erased,
        is_newer: false,
        groups: state.groups.clone(),
    }
}

async fn listed(bus: &dyn Bus, tenant: &TenantId) -> Result<Vec<Talk>, Error> {
    let filters = [format!("argosy.conversation.{tenant}.*")];
    let last = match bus.last_of_each(Stream::Conversations, &filters).await {
        // Too many for one call: then all events are read.
        Err(BusError::Refused(_)) => return newest_of_each(bus, &filters[0]).await,
        last => last?,
    };
    last.iter().filter_map(of_log).collect()
}

/// What the last event of a log says; `None` for a message that is no event.
fn of_log(stored: &StoredMessage) -> Option<Result<Talk, Error>> {
    let Ok(Subject::Conversation {
        tenant,
        conversation,
    }) = Subject::parse(&stored.subject)
    else {
        return None;
    };
    let key = key_of(&tenant, &conversation);
    Some(match LogEvent::read(&stored.body) {
        Ok(event) => Ok(talk(&key, event.at, &event.state)),
        Err(EventError::Newer(_)) => Ok(Talk {
            is_newer: true,
            groups: Groups::all(),
            ..talk(&key, stored.stored_at, &State::default())
        }),
        Err(error) => Err(error.into()),
    })
}

async fn newest_of_each(bus: &dyn Bus, filter: &str) -> Result<Vec<Talk>, Error> {
    let mut newest = BTreeMap::new();
    let mut reader = bus.read(Stream::Conversations, filter, 1).await?;
    // The oldest go while they are read: the last one may never come.
    while let Ok(next) = tokio::time::timeout(NEXT_WAIT, reader.next()).await {
        let (stored, after) = next?;
        if let Some(talk) = of_log(&stored) {
            newest.insert(stored.subject, talk?);
        }
        if after == 0 {
            break;
        }
    }
    Ok(newest.into_values().collect())
}

async fn held(store: &SledStore, tenant: &TenantId) -> Result<Vec<Talk>, Error> {
    let mut found = Vec::new();
    let mut after: Option<ConversationKey> = None;
    loop {
        let page = store.list(Some(tenant), after.as_ref(), LIST_MAX).await?;
        let Some((last, _)) = page.last() else {
            return Ok(found);
        };
        after = Some(last.clone());
        for (key, _) in page {
            if let Some(read) = store.last(&key).await? {
                found.push(talk(&key, read.event.at, &read.event.state));
            }
        }
    }
}

/// A turn of a conversation, as it was held.
#[derive(Debug, Serialize)]
pub(crate) struct Had {
    pub(crate) turn: String,
    pub(crate) question: String,
    /// The question as it was searched for, where it was rewritten.
    pub(crate) rewritten: Option<String>,
    /// How the turn ended; `null` while it is open, `unknown` when that cannot be known.
    pub(crate) outcome: Option<&'static str>,
    pub(crate) answer: Option<String>,
    /// The answer is longer than what is kept of it.
    pub(crate) is_cut: bool,
    pub(crate) asked_back: Option<String>,
    /// When the question was asked, in Unix milliseconds.
    pub(crate) asked_at: u64,
}

/// The turns of a log, in the order in which they were opened. A turn whose beginning is no longer kept is left out.
pub(crate) fn turns(events: &[Read]) -> Vec<Had> {
    let mut turns: Vec<Had> = Vec::new();
    for read in events {
        match &read.event.event {
            EventKind::Opened(opened) => turns.push(Had {
                turn: opened.header.turn.to_string(),
                question: opened.case.question.original.clone(),
                rewritten: None,
                outcome: None,
                answer: None,
                is_cut: false,
                asked_back: None,
                asked_at: opened.header.asked_at.0,
            }),
            EventKind::Ended(ended) => {
                let of = turns.iter_mut().find(|had| had.turn == ended.turn.as_str());
                let Some(had) = of else { continue };
                had.outcome = Some(ended.outcome.map_or("unknown", |outcome| outcome.as_str()));
                had.rewritten = ended.rewritten.clone();
                had.answer = ended.answer.as_ref().map(|kept| kept.text.clone());
                had.is_cut = ended.answer.as_ref().is_some_and(|kept| kept.is_cut);
                had.asked_back = ended
                    .clarification
                    .as_ref()
                    .map(|asked| asked.question.clone());
            }
            EventKind::Forked { .. } | EventKind::Copied { .. } | EventKind::Erased(_) => {}
        }
    }
    turns
}
