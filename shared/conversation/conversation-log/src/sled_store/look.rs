//! Reads one record of the tree, a page of them, or all events.

use crate::event::LogEvent;
use crate::sled_store::guard::Beat;
use crate::sled_store::record::{
    EVENT, Glance, HEAD, META, Meta, event_key, events_of, head_key, of_tenant, read_event_key,
    read_head, read_key, read_meta,
};
use crate::source::ConversationKey;
use crate::state::Read;
use crate::store::head::Mark;
use crate::store::{ConversationHead, LIST_MAX, SCAN_MAX, StoreError};
use envelope::TenantId;
use std::ops::Bound;

/// What the store knows of itself.
pub(super) fn meta(tree: &sled::Tree) -> Result<Meta, StoreError> {
    let value = tree.get(META)?;
    let value = value.ok_or_else(|| StoreError::Damage("it knows nothing of itself".to_owned()))?;
    read_meta(&value)
}

/// What it knows of a conversation.
pub(super) fn head(
    tree: &sled::Tree,
    key: &ConversationKey,
) -> Result<Option<ConversationHead>, StoreError> {
    let key = head_key(key);
    let value = tree.get(&key)?;
    value.map(|value| read_head(&key, &value)).transpose()
}

/// One event.
pub(super) fn event(
    tree: &sled::Tree,
    key: &ConversationKey,
    sequence: u64,
) -> Result<Option<LogEvent>, StoreError> {
    let key = event_key(key, sequence);
    let Some(value) = tree.get(&key)? else {
        return Ok(None);
    };
    Ok(Some(Glance::at(&key, sequence, &value)?.event()?))
}

/// The last event of a conversation.
pub(super) fn last(tree: &sled::Tree, key: &ConversationKey) -> Result<Option<Read>, StoreError> {
    let Some(head) = head(tree, key)? else {
        return Ok(None);
    };
    let sequence = head.sequence;
    let event = event(tree, key, sequence)?;
    let event = event.ok_or_else(|| StoreError::Damage("a last event is missing".to_owned()))?;
    Ok(Some(Read { sequence, event }))
}

/// The events of a conversation behind a sequence.
pub(super) fn scan(
    tree: &sled::Tree,
    key: &ConversationKey,
    after: u64,
    limit: usize,
) -> Result<Vec<Read>, StoreError> {
    let from = event_key(key, after);
    let prefix = events_of(key);
    let mut events = Vec::new();
    for item in tree.range((Bound::Excluded(from), Bound::Unbounded)) {
        let (at, value) = item?;
        if events.len() >= limit.min(SCAN_MAX) || !at.starts_with(&prefix) {
            break;
        }
        let (_, sequence) = read_event_key(&at)?;
        let event = Glance::at(&at, sequence, &value)?.event()?;
        events.push(Read { sequence, event });
    }
    Ok(events)
}

/// The conversations behind a key.
pub(super) fn list(
    tree: &sled::Tree,
    tenant: Option<&TenantId>,
    after: Option<&ConversationKey>,
    limit: usize,
) -> Result<Vec<(ConversationKey, ConversationHead)>, StoreError> {
    let prefix = tenant.map_or(vec![HEAD], |tenant| of_tenant(HEAD, tenant));
    let from = match after.map(head_key) {
        Some(after) if after > prefix => Bound::Excluded(after),
        _ => Bound::Included(prefix.clone()),
    };
    let mut heads = Vec::new();
    for item in tree.range((from, Bound::Unbounded)) {
        let (at, value) = item?;
        if heads.len() >= limit.min(LIST_MAX) || !at.starts_with(&prefix) {
            break;
        }
        heads.push((read_key(&at)?, read_head(&at, &value)?));
    }
    Ok(heads)
}

/// Gives the events of each conversation to `each`, in order: what its head is made of, and their checksums.
pub(super) fn by_conversation(
    tree: &sled::Tree,
    beat: &Beat,
    mut each: impl FnMut(&ConversationKey, &[(Mark, u32)]) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut open: Option<(ConversationKey, Vec<(Mark, u32)>)> = None;
    for item in tree.scan_prefix([EVENT]) {
        let (key, value) = item?;
        beat.on();
        let (of, sequence) = read_event_key(&key)?;
        let Glance { mark, crc, .. } = Glance::at(&key, sequence, &value)?;
        match &mut open {
            Some((key, events)) if *key == of => events.push((mark, crc)),
            _ => {
                if let Some((key, events)) = open.replace((of, vec![(mark, crc)])) {
                    each(&key, &events)?;
                }
            }
        }
    }
    match open {
        Some((key, events)) => each(&key, &events),
        None => Ok(()),
    }
}
