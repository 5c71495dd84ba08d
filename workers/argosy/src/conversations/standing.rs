//! Reads the state of a conversation that a chat needs before it goes on: the time of the last event, whether the
//! conversation is erased, and the pending question back.

use super::{ConversationSource, Error, now, store};
use conversation_log::store::Store;
use conversation_log::{ConversationKey, EventKind, LogEvent, Read};
use envelope::{Clarification, UnixMs};
use streams::conversation::Logs;

/// What the prompt has to know before the next question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standing {
    /// When something last happened.
    pub(crate) last: UnixMs,
    /// Whether the conversation is erased, so that nothing can follow.
    pub(crate) is_erased: bool,
    /// The question back that the next message answers.
    pub(crate) asked_back: Option<Clarification>,
}

impl ConversationSource {
    /// The state of a conversation; `None` for one in which nothing was said. It reads two events at most.
    pub(crate) async fn standing(&self, key: &ConversationKey) -> Result<Option<Standing>, Error> {
        match self {
            ConversationSource::Fleet(bus) => {
                let logs = Logs::on(bus.clone());
                let last = logs.last(key).await?;
                let event = match last.as_ref().and_then(asked_back) {
                    Some(place) => logs.at(key, place).await?.map(|read| read.event),
                    None => None,
                };
                Ok(last.map(|last| standing(&last, event)))
            }
            ConversationSource::Here(data_dir) => {
                let Some(store) = store(data_dir).await? else {
                    return Ok(None);
                };
                let last = store.last(key).await?;
                let event = match last.as_ref().and_then(asked_back) {
                    Some(place) => store.scan(key, place - 1, 1).await?.pop(),
                    None => None,
                };
                let event = event.map(|read| read.event);
                Ok(last.map(|last| standing(&last, event)))
            }
        }
    }
}

/// The place of the question back that waits for its reply.
fn asked_back(last: &Read) -> Option<u64> {
    let pending = last.state().pending?;
    (now() < pending.expires).then_some(pending.place.ended)
}

fn standing(last: &Read, asked_back: Option<LogEvent>) -> Standing {
    let asked_back = match asked_back.map(|event| event.event) {
        Some(EventKind::Ended(ended)) => ended.clarification,
        _ => None,
    };
    Standing {
        last: last.event.at,
        is_erased: last.event.state.is_erased,
        asked_back,
    }
}
