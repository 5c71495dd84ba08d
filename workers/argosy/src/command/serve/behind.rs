//! What a door shows of the fleet behind it: its conversations, and how it is.

use crate::config::Config;
use crate::conversations::{self, ConversationSource, Error, key_of};
use crate::doctor::room::full_at;
use bus::Bus;
use bus::topology::Topology;
use conversation_log::copy::{self, CopyError};
use conversation_log::{AppendError, EventKind, Read};
use door::{ConversationError, Conversations, Fleet, FleetError, Fork};
use envelope::{ConversationId, Principal, TurnId};
use futures_util::future::BoxFuture;
use inspect::status::{look, status};
use serde_json::{Value, json};
use std::sync::Arc;

/// Most conversations of a list.
const LISTED_MAX: usize = 500;

/// The fleet on a bus.
pub(super) struct Behind {
    bus: Arc<dyn Bus>,
    source: ConversationSource,
    topology: Topology,
    /// How full a stream is when the gateway takes no more questions, as a share.
    room_limit: f64,
}

impl Behind {
    pub(super) fn new(bus: Arc<dyn Bus>, config: &Config) -> Behind {
        Behind {
            source: ConversationSource::Fleet(bus.clone()),
            bus,
            topology: config.streams.clone(),
            room_limit: config.gateway.room_limit,
        }
    }
}

impl Behind {
    /// The events of a conversation; none where others may read what was told there.
    async fn events(
        &self,
        principal: &Principal,
        conversation: &ConversationId,
    ) -> Result<Vec<Read>, Error> {
        let key = key_of(&principal.tenant, conversation);
        let mut events = self.source.events(&key).await?;
        let told = events.last().map(|last| &last.event.state.groups);
        if told.is_some_and(|told| !principal.groups.cover(told)) {
            events.clear();
        }
        Ok(events)
    }
}

impl Fleet for Behind {
    fn status(&self) -> BoxFuture<'_, Result<Value, FleetError>> {
        Box::pin(async move {
            let facts = look(&*self.bus, &self.topology, None).await?;
            Ok(serde_json::to_value(status(
                &facts,
                full_at(self.room_limit),
            ))?)
        })
    }
}

impl Conversations for Behind {
    fn list<'a>(
        &'a self,
        principal: &'a Principal,
    ) -> BoxFuture<'a, Result<Value, ConversationError>> {
        Box::pin(async move {
            let (mut found, more) = self.source.list(principal, LISTED_MAX).await?;
            found.retain(|talk| !talk.is_erased);
            Ok(json!({"conversations": found, "more": more}))
        })
    }

    fn turns<'a>(
        &'a self,
        principal: &'a Principal,
        conversation: &'a ConversationId,
    ) -> BoxFuture<'a, Result<Value, ConversationError>> {
        Box::pin(async move {
            let events = self.events(principal, conversation).await?;
            let is_there = events
                .last()
                .is_some_and(|last| !last.event.state.is_erased);
            Ok(match is_there {
                false => Value::Null,
                true => json!({
                    "conversation": conversation,
                    "turns": conversations::turns(&events),
                }),
            })
        })
    }

    fn fork<'a>(
        &'a self,
        principal: &'a Principal,
        conversation: &'a ConversationId,
        after: Option<&'a TurnId>,
        child: &'a ConversationId,
    ) -> BoxFuture<'a, Result<Fork, ConversationError>> {
        Box::pin(async move {
            let key = key_of(&principal.tenant, conversation);
            let events = self.events(principal, conversation).await?;
            let taken = match taken(&events, after) {
                Ok(taken) => taken,
                Err(none) => return Ok(none),
            };
            match self.source.fork(&key, Some(taken), child).await {
                Ok(turns) => Ok(Fork::Begun(turns)),
                Err(Error::Append(AppendError::Forks)) => Ok(Fork::TooMany),
                // It was erased, or its beginning dropped, in this moment.
                Err(Error::Copy(CopyError::Empty | CopyError::Turns(_))) => Ok(Fork::NoTurn),
                Err(error) => Err(error.into()),
            }
        })
    }

    fn erase<'a>(
        &'a self,
        principal: &'a Principal,
        conversation: &'a ConversationId,
    ) -> BoxFuture<'a, Result<bool, ConversationError>> {
        Box::pin(async move {
            let key = key_of(&principal.tenant, conversation);
            let events = self.events(principal, conversation).await?;
            // One whose erasure was cut short is erased again.
            if events.is_empty() {
                return Ok(false);
            }
            self.source.erase(&key, &self.topology).await?;
            Ok(true)
        })
    }
}

/// How many of the turns of a log a fork takes over that goes on behind `after`, or behind the last one that has ended.
fn taken(events: &[Read], after: Option<&TurnId>) -> Result<usize, Fork> {
    let ended = copy::ended_turns(events);
    let Some(after) = after else {
        return match ended.len() {
            0 => Err(Fork::NotEnded),
            turns => Ok(turns),
        };
    };
    let is_opened = events.iter().any(|read| match &read.event.event {
        EventKind::Opened(opened) => opened.header.turn == *after,
        _ => false,
    });
    let place = ended.iter().position(|turn| turn == after);
    place.map(|place| place + 1).ok_or(match is_opened {
        true => Fork::NotEnded,
        false => Fork::NoTurn,
    })
}
