//! What can still be read of a broken folder, written into a new one, for a store that nothing can rebuild.
//!
//! Reading goes from both ends towards the first record that sled cannot get past. An event counts when its checksum is
//! right. A conversation may miss events in the middle then: its head says how many.

use crate::sled_store::Options;
use crate::sled_store::change::RECORDS_AT_ONCE;
use crate::sled_store::engine;
use crate::sled_store::guard::{Beat, guarded};
use crate::sled_store::record::{
    EVENT, FORMAT, Glance, HEAD, META, Meta, event_key, head_key, read_event_key, read_head,
    read_head_key, read_meta, write_json,
};
use crate::sled_store::renew::Fill;
use crate::source::Key;
use crate::store::head::Mark;
use crate::store::{ConversationHead, StoreError};
use envelope::UnixMs;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Conversations that are named with what they lost; the others are counted.
pub const LOST_MAX: usize = 1_000;

/// What was brought over from a broken folder, and what was not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Salvage {
    /// Conversations of which something was brought over.
    pub conversations: u64,
    /// Events that were brought over.
    pub events: u64,
    /// Events that are known to have been there and were not. There may have been others.
    pub events_lost: u64,
    /// The conversations that they are of as far as that is known, at most [`LOST_MAX`], and how many of each.
    pub lost: Vec<(Key, u64)>,
}

/// What was read so far. Shared with the reading, which may not come back.
#[derive(Default)]
struct Yield {
    /// Where events go; taken out when the reading is over.
    into: Option<sled::Tree>,
    batch: sled::Batch,
    records: u64,
    heads: BTreeMap<Key, ConversationHead>,
    meta: Option<Meta>,
}

/// What can be read of a folder that was set aside; what that came to is put into `told`.
pub(super) fn rescued(
    aside: PathBuf,
    now: UnixMs,
    options: &Options,
    told: Arc<Mutex<Salvage>>,
) -> Fill {
    let (cache_bytes, silence) = (options.cache_bytes, options.silence);
    Box::new(move |tree, beat| {
        let shared = Arc::new(Mutex::new(Yield {
            into: Some(tree.clone()),
            ..Yield::default()
        }));
        let (reads, outer) = (shared.clone(), beat.clone());
        let read = move |beat: &Beat| {
            let engine = engine::open(&aside, cache_bytes)?;
            read_both_ways(engine.tree(), &reads, || {
                beat.on();
                outer.on();
            })
        };
        // However it ends, what it has written by then is what there is.
        let _: Result<Result<(), StoreError>, _> = guarded("store-rescue", silence, read);
        let mut read = lock(&shared);
        read.write()?;
        read.into = None;
        let salvage = settle(tree, &read, now, beat)?;
        *lock(&told) = salvage;
        Ok(())
    })
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads forward until something is in the way, and then backward from the end until the same.
fn read_both_ways(
    tree: &sled::Tree,
    shared: &Mutex<Yield>,
    beat: impl Fn(),
) -> Result<(), StoreError> {
    let mut last = None;
    let mut iter = tree.iter();
    loop {
        match catch_unwind(AssertUnwindSafe(|| iter.next())) {
            Ok(None) => return Ok(()),
            Ok(Some(Ok((key, value)))) => {
                lock(shared).take(&key, &value)?;
                last = Some(key);
                beat();
            }
            Ok(Some(Err(_))) | Err(_) => break,
        }
    }
    let mut iter = tree.iter();
    while let Ok(Some(Ok((key, value)))) = catch_unwind(AssertUnwindSafe(|| iter.next_back())) {
        if last.as_ref().is_some_and(|last| key <= *last) {
            break;
        }
        lock(shared).take(&key, &value)?;
        beat();
    }
    Ok(())
}

impl Yield {
    /// Takes a record if it is one.
    fn take(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        match key.first() {
            Some(&EVENT) => {
                let (_, sequence) = match read_event_key(key) {
                    Ok(read) => read,
                    Err(_) => return Ok(()),
                };
                if Glance::at(key, sequence, value).is_ok() {
                    self.batch.insert(key, value);
                    self.records += 1;
                }
            }
            Some(&HEAD) => {
                if let (Ok(of), Ok(head)) = (read_head_key(key), read_head(key, value)) {
                    self.heads.insert(of, head);
                }
            }
            _ if key == META => self.meta = read_meta(value).ok(),
            _ => {}
        }
        if self.records >= RECORDS_AT_ONCE {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), StoreError> {
        self.records = 0;
        if let Some(tree) = &self.into {
            tree.apply_batch(std::mem::take(&mut self.batch))?;
        }
        Ok(())
    }
}

/// Writes what the new store knows of itself and of each conversation, from the events that it has.
fn settle(
    tree: &sled::Tree,
    read: &Yield,
    now: UnixMs,
    beat: &Beat,
) -> Result<Salvage, StoreError> {
    let before = read.meta.unwrap_or_default();
    let heads = read.heads.values().map(|head| head.sequence);
    let mut settling = Settling {
        tree,
        read,
        batch: sled::Batch::default(),
        meta: Meta {
            format: FORMAT,
            created: if before.created == UnixMs(0) {
                now
            } else {
                before.created
            },
            sequence: before.sequence.max(heads.max().unwrap_or(0)),
            // What was set aside may hold what was erased.
            purge_due: before.purge_due,
            ..Meta::default()
        },
        salvage: Salvage::default(),
    };
    let mut open: Option<(Key, Vec<(Mark, u32)>)> = None;
    for item in tree.iter() {
        let (key, value) = item?;
        let (of, sequence) = read_event_key(&key)?;
        let Glance { mark, crc, .. } = Glance::at(&key, sequence, &value)?;
        beat.on();
        match &mut open {
            Some((key, events)) if *key == of => events.push((mark, crc)),
            _ => {
                if let Some((key, events)) = open.replace((of, vec![(mark, crc)])) {
                    settling.conversation(&key, events)?;
                }
            }
        }
    }
    if let Some((key, events)) = open {
        settling.conversation(&key, events)?;
    }
    settling.finish(before)
}

struct Settling<'a> {
    tree: &'a sled::Tree,
    read: &'a Yield,
    batch: sled::Batch,
    meta: Meta,
    salvage: Salvage,
}

impl Settling<'_> {
    /// Keeps the events of a conversation, but for those of before it was begun anew.
    fn conversation(&mut self, key: &Key, events: Vec<(Mark, u32)>) -> Result<(), StoreError> {
        let is_anew = |pair: &[(Mark, u32)]| pair[1].0.begins_anew() || pair[1].0.n <= pair[0].0.n;
        let stale = events.windows(2).rposition(is_anew).map_or(0, |at| at + 1);
        for (mark, _) in &events[..stale] {
            self.batch.remove(event_key(key, mark.sequence));
        }
        let kept = &events[stale..];
        for (mark, crc) in kept {
            self.meta.add(*crc);
            self.meta.sequence = self.meta.sequence.max(mark.sequence);
        }
        let head = ConversationHead::of(kept.iter().map(|(mark, _)| *mark));
        let Ok(Some(head)) = head else {
            return Err(StoreError::Damage("events are out of order".to_owned()));
        };
        self.meta.conversations += 1;
        let at = head_key(key);
        self.batch.insert(&at[..], write_json(&at, &head)?);
        let before = self.read.heads.get(key);
        let lost = before.map_or(head.missing, |was| was.events.saturating_sub(head.events));
        self.lose(key, lost);
        Ok(())
    }

    fn lose(&mut self, key: &Key, events: u64) {
        self.salvage.events_lost += events;
        if events > 0 && self.salvage.lost.len() < LOST_MAX {
            self.salvage.lost.push((key.clone(), events));
        }
    }

    /// Names the conversations of which nothing is left, and writes.
    fn finish(mut self, before: Meta) -> Result<Salvage, StoreError> {
        let read = self.read;
        for (key, head) in &read.heads {
            if self.tree.get(event_key(key, head.sequence))?.is_none() && self.is_gone(key)? {
                self.lose(key, head.events);
            }
        }
        self.salvage.conversations = self.meta.conversations;
        self.salvage.events = self.meta.events;
        let missing = before.events.saturating_sub(self.meta.events);
        self.salvage.events_lost = self.salvage.events_lost.max(missing);
        self.batch.insert(META, write_json(META, &self.meta)?);
        self.tree.apply_batch(self.batch)?;
        Ok(self.salvage)
    }

    fn is_gone(&self, key: &Key) -> Result<bool, StoreError> {
        let all = event_key(key, 0)..=event_key(key, u64::MAX);
        Ok(self.tree.range(all).next().transpose()?.is_none())
    }
}
