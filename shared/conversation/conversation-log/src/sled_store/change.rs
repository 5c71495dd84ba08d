//! Writes to the tree: the changes of a batch, an erasure or a trim are collected first and then written at once.

use crate::sled_store::look;
use crate::sled_store::record::{
    Glance, META, Meta, crc_of, event_key, events_of, gone_key, head_key, read_event_key,
    write_event, write_json,
};
use crate::source::ConversationKey;
use crate::store::plan::plan;
use crate::store::{ConversationHead, EntryBatch, LogEntry, StoreError};
use envelope::UnixMs;

/// How many records of sled's are written at once where many are.
pub(super) const RECORDS_AT_ONCE: u64 = 512;

/// Records to be written and taken out, and what the store knows of itself then.
pub(super) struct Changes {
    batch: sled::Batch,
    meta: Meta,
    records: u64,
}

impl Changes {
    /// None yet, in a store that knows this of itself.
    pub(super) fn of(meta: Meta) -> Changes {
        Changes {
            batch: sled::Batch::default(),
            meta,
            records: 0,
        }
    }

    /// Whether it is time to write them.
    pub(super) fn are_many(&self) -> bool {
        self.records >= RECORDS_AT_ONCE
    }

    /// What sled writes.
    pub(super) fn into_batch(mut self) -> Result<sled::Batch, StoreError> {
        self.batch.insert(META, write_json(META, &self.meta)?);
        Ok(self.batch)
    }

    /// No text of what was erased is left.
    pub(super) fn purged(&mut self) {
        self.meta.purge_due = false;
    }

    fn put_event(&mut self, entry: &LogEntry) -> Result<(), StoreError> {
        let key = event_key(&entry.key, entry.sequence);
        let value = write_event(&key, entry.sequence, &entry.event)?;
        self.meta.add(crc_of(&value));
        self.records += 1;
        self.batch.insert(key, value);
        Ok(())
    }

    fn take_event(&mut self, key: &[u8], crc: u32) {
        self.meta.take(crc);
        self.records += 1;
        self.batch.remove(key);
    }

    fn put_head(
        &mut self,
        key: &ConversationKey,
        head: Option<&ConversationHead>,
        is_new: bool,
    ) -> Result<(), StoreError> {
        let key = head_key(key);
        self.records += 1;
        match head {
            Some(head) => {
                self.meta.conversations += u64::from(is_new);
                self.batch.insert(&key[..], write_json(&key, head)?);
            }
            None => {
                self.meta.conversations = self.meta.conversations.saturating_sub(1);
                self.batch.remove(&key[..]);
            }
        }
        Ok(())
    }

    /// Takes out the events of a conversation before a sequence, and tells how many.
    fn take_before(
        &mut self,
        tree: &sled::Tree,
        key: &ConversationKey,
        before: u64,
    ) -> Result<u64, StoreError> {
        let mut gone = 0;
        for item in tree.range(event_key(key, 0)..event_key(key, before)) {
            let (at, value) = item?;
            self.take_event(&at, crc_of(&value));
            gone += 1;
        }
        Ok(gone)
    }
}

/// The changes that a batch of entries makes.
pub(super) fn apply(tree: &sled::Tree, batch: EntryBatch) -> Result<Changes, StoreError> {
    let meta = look::meta(tree)?;
    let plan = plan(batch, meta.position(), |key| look::head(tree, key))?;
    let mut changes = Changes::of(Meta {
        sequence: plan.position.sequence,
        ..meta
    });
    for (key, change) in &plan.changes {
        if change.before.is_some() && change.keeps_from > 0 {
            changes.take_before(tree, key, change.keeps_from)?;
        }
        changes.meta.purge_due |= change.erases;
        changes.put_head(key, Some(&change.head), change.before.is_none())?;
    }
    for entry in &plan.entries {
        changes.put_event(entry)?;
    }
    Ok(changes)
}

/// The changes that erase a conversation, and the number of erased events.
pub(super) fn erase(
    tree: &sled::Tree,
    key: &ConversationKey,
) -> Result<(Changes, u64), StoreError> {
    let mut changes = Changes::of(look::meta(tree)?);
    let head = look::head(tree, key)?;
    let Some(head) = head.filter(|head| !head.is_erased) else {
        return Ok((changes, 0));
    };
    let gone = changes.take_before(tree, key, u64::MAX)?;
    changes.put_head(key, None, false)?;
    changes.meta.purge_due = true;
    // Until then its events are in the files, and nothing may bring them back.
    let mark = gone_key(key);
    let value = write_json(&mark, &head.sequence)?;
    changes.batch.insert(mark, value);
    Ok((changes, gone))
}

/// Adds the removal of those events of one conversation that were written before a time.
pub(super) fn trim(
    tree: &sled::Tree,
    key: &ConversationKey,
    before: UnixMs,
    changes: &mut Changes,
) -> Result<u64, StoreError> {
    let mut gone = 0;
    let mut stays = Vec::new();
    for item in tree.scan_prefix(events_of(key)) {
        let (at, value) = item?;
        let (_, sequence) = read_event_key(&at)?;
        let glance = Glance::at(&at, sequence, &value)?;
        if stays.is_empty() && glance.mark.at < before {
            changes.take_event(&at, glance.crc);
            gone += 1;
        } else {
            stays.push(glance.mark);
        }
    }
    let head = ConversationHead::of(stays)
        .map_err(|mark| StoreError::Damage(format!("event {} is out of order", mark.n)))?;
    if gone > 0 {
        changes.put_head(key, head.as_ref(), false)?;
    }
    Ok(gone)
}
