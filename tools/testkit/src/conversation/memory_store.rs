//! A store in memory. Its contents are lost when the process ends.

use conversation_log::store::head::Mark;
use conversation_log::store::plan::{BatchPlan, plan};
use conversation_log::store::{LIST_MAX, SCAN_MAX};
use conversation_log::{
    ConversationHead, ConversationKey, EntryBatch, EventSource, LogEvent, LogPosition, Read,
    SourceError, Store, StoreError, StoreSizes,
};
use envelope::{TenantId, UnixMs};
use futures_util::future::BoxFuture;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Conversations in memory.
#[derive(Default)]
pub struct MemoryStore {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    position: LogPosition,
    conversations: BTreeMap<ConversationKey, Conversation>,
}

struct Conversation {
    head: ConversationHead,
    events: BTreeMap<u64, LogEvent>,
}

impl MemoryStore {
    /// An empty one.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    /// Nothing that holds the lock can panic half way.
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does it in one go when it is awaited.
    fn now<'a, T>(&'a self, work: impl FnOnce(&mut Held) -> T + Send + 'a) -> BoxFuture<'a, T> {
        Box::pin(async move { work(&mut self.held()) })
    }
}

impl Held {
    fn apply(&mut self, batch: EntryBatch) -> Result<(), StoreError> {
        let BatchPlan {
            changes,
            entries,
            position,
        } = plan(batch, self.position, |key| Ok(self.head(key)))?;
        for (key, change) in changes {
            let head = change.head;
            let conversation = self.conversations.entry(key).or_insert(Conversation {
                head,
                events: BTreeMap::new(),
            });
            conversation.head = head;
            conversation.events = conversation.events.split_off(&change.keeps_from);
        }
        for entry in entries {
            if let Some(conversation) = self.conversations.get_mut(&entry.key) {
                conversation.events.insert(entry.sequence, entry.event);
            }
        }
        self.position = position;
        Ok(())
    }

    fn head(&self, key: &ConversationKey) -> Option<ConversationHead> {
        self.conversations
            .get(key)
            .map(|conversation| conversation.head)
    }

    fn events(&self, key: &ConversationKey, from: u64, limit: usize) -> Vec<Read> {
        let Some(conversation) = self.conversations.get(key) else {
            return Vec::new();
        };
        let events = conversation.events.range(from..).take(limit);
        let read = |(sequence, event): (&u64, &LogEvent)| Read {
            sequence: *sequence,
            event: event.clone(),
        };
        events.map(read).collect()
    }

    fn list(
        &self,
        tenant: Option<&TenantId>,
        after: Option<&ConversationKey>,
        limit: usize,
    ) -> Vec<(ConversationKey, ConversationHead)> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let all = self
            .conversations
            .range::<ConversationKey, _>((from, Bound::Unbounded));
        all.filter(|(key, _)| tenant.is_none_or(|tenant| key.tenant == *tenant))
            .take(limit.min(LIST_MAX))
            .map(|(key, conversation)| (key.clone(), conversation.head))
            .collect()
    }

    fn erase(&mut self, key: &ConversationKey) -> u64 {
        match self.conversations.get(key) {
            Some(conversation) if !conversation.head.is_erased => {
                let gone = conversation.head.events;
                self.conversations.remove(key);
                gone
            }
            _ => 0,
        }
    }

    fn trim(&mut self, before: UnixMs) -> u64 {
        let mut gone = 0;
        self.conversations.retain(|_, conversation| {
            let count = conversation.events.len() as u64;
            while let Some(oldest) = conversation.events.first_entry() {
                if before <= oldest.get().at {
                    break;
                }
                oldest.remove();
            }
            gone += count - conversation.events.len() as u64;
            let marks = conversation.events.iter().map(|(at, e)| Mark::of(*at, e));
            match ConversationHead::of(marks) {
                Ok(Some(head)) => {
                    conversation.head = head;
                    true
                }
                Ok(None) | Err(_) => false,
            }
        });
        gone
    }
}

impl EventSource for MemoryStore {
    fn events<'a>(
        &'a self,
        key: &'a ConversationKey,
        sequences: &'a [u64],
    ) -> BoxFuture<'a, Result<Vec<Option<LogEvent>>, SourceError>> {
        self.now(move |held| {
            let conversation = held.conversations.get(key);
            let event = |at: &u64| conversation.and_then(|held| held.events.get(at).cloned());
            Ok(sequences.iter().map(event).collect())
        })
    }
}

impl Store for MemoryStore {
    fn position(&self) -> BoxFuture<'_, Result<LogPosition, StoreError>> {
        self.now(move |held| Ok(held.position))
    }

    fn apply(&self, batch: EntryBatch) -> BoxFuture<'_, Result<(), StoreError>> {
        self.now(move |held| held.apply(batch))
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.now(move |_| Ok(()))
    }

    fn last<'a>(
        &'a self,
        key: &'a ConversationKey,
    ) -> BoxFuture<'a, Result<Option<Read>, StoreError>> {
        self.now(move |held| {
            let last = held.head(key).map_or(0, |head| head.sequence);
            Ok(held.events(key, last, 1).pop())
        })
    }

    fn scan<'a>(
        &'a self,
        key: &'a ConversationKey,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Read>, StoreError>> {
        let from = after.saturating_add(1);
        self.now(move |held| Ok(held.events(key, from, limit.min(SCAN_MAX))))
    }

    fn list<'a>(
        &'a self,
        tenant: Option<&'a TenantId>,
        after: Option<&'a ConversationKey>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<(ConversationKey, ConversationHead)>, StoreError>> {
        self.now(move |held| Ok(held.list(tenant, after, limit)))
    }

    fn erase<'a>(&'a self, key: &'a ConversationKey) -> BoxFuture<'a, Result<u64, StoreError>> {
        self.now(move |held| Ok(held.erase(key)))
    }

    fn trim(&self, before: UnixMs) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.now(move |held| Ok(held.trim(before)))
    }

    fn reset(&self, created: UnixMs) -> BoxFuture<'_, Result<(), StoreError>> {
        self.now(move |held| {
            *held = Held {
                position: LogPosition {
                    created,
                    sequence: 0,
                },
                ..Held::default()
            };
            Ok(())
        })
    }

    fn purge(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.now(move |_| Ok(()))
    }

    fn sizes(&self) -> BoxFuture<'_, Result<StoreSizes, StoreError>> {
        self.now(move |held| {
            let heads = held.conversations.values().map(|held| held.head);
            Ok(StoreSizes {
                conversations: held.conversations.len() as u64,
                events: heads.map(|head| head.events).sum(),
                ..StoreSizes::default()
            })
        })
    }
}
