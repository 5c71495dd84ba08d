//! Plans what a batch changes, before anything of it is written. Pure: a store looks up what it has, and then writes
//! the whole plan at once.

use crate::source::ConversationKey;
use crate::store::head::{ConversationHead, Mark};
use crate::store::{EntryBatch, LogEntry, LogPosition, StoreError};
use std::collections::BTreeMap;

/// What is to be written.
#[derive(Debug, PartialEq)]
pub struct BatchPlan {
    /// The conversations that change.
    pub changes: BTreeMap<ConversationKey, ConversationChange>,
    /// The events to be kept.
    pub entries: Vec<LogEntry>,
    /// How far the store has come then.
    pub position: LogPosition,
}

/// What becomes of a conversation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConversationChange {
    /// What is known of it before, if anything.
    pub before: Option<ConversationHead>,
    /// What is known of it then.
    pub head: ConversationHead,
    /// Events before this sequence are taken out; 0 for none.
    pub keeps_from: u64,
    /// What is taken out was erased.
    pub erases: bool,
}

/// Plans a batch for a store at position `held`; `head_of` looks up the head of a conversation.
///
/// # Errors
/// When an entry of the batch does not follow on what the store has: then nothing of the batch is taken.
pub fn plan(
    batch: EntryBatch,
    held: LogPosition,
    mut head_of: impl FnMut(&ConversationKey) -> Result<Option<ConversationHead>, StoreError>,
) -> Result<BatchPlan, StoreError> {
    let EntryBatch {
        mut entries,
        position,
    } = batch;
    if position.created != held.created {
        return Err(StoreError::OtherStream {
            held: held.created,
            given: position.created,
        });
    }
    in_order(&entries, position.sequence)?;
    entries.retain(|entry| entry.sequence > held.sequence);
    let mut changes: BTreeMap<ConversationKey, ConversationChange> = BTreeMap::new();
    for entry in &entries {
        let mark = Mark::of(entry.sequence, &entry.event);
        let change = match changes.get(&entry.key) {
            Some(before) => before.then(mark)?,
            None => ConversationChange::of(head_of(&entry.key)?, mark)?,
        };
        changes.insert(entry.key.clone(), change);
    }
    entries.retain(|entry| {
        let change = changes.get(&entry.key);
        change.is_some_and(|change| change.keeps_from <= entry.sequence)
    });
    let sequence = position.sequence.max(held.sequence);
    Ok(BatchPlan {
        changes,
        entries,
        position: LogPosition {
            sequence,
            ..position
        },
    })
}

impl ConversationChange {
    /// What one event does to a conversation.
    fn of(before: Option<ConversationHead>, mark: Mark) -> Result<ConversationChange, StoreError> {
        Ok(ConversationChange {
            before,
            head: ConversationHead::after(before, mark)?,
            keeps_from: if mark.begins_anew() { mark.sequence } else { 0 },
            erases: mark.is_erased,
        })
    }

    /// The same and then one more event.
    fn then(self, mark: Mark) -> Result<ConversationChange, StoreError> {
        let next = ConversationChange::of(Some(self.head), mark)?;
        Ok(ConversationChange {
            before: self.before,
            keeps_from: next.keeps_from.max(self.keeps_from),
            erases: next.erases || self.erases,
            ..next
        })
    }
}

fn in_order(entries: &[LogEntry], position: u64) -> Result<(), StoreError> {
    let mut before = 0;
    for entry in entries {
        let found = entry.sequence;
        if found <= before || found > position {
            return Err(StoreError::Order {
                before,
                found,
                position,
            });
        }
        before = found;
    }
    Ok(())
}
