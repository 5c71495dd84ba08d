//! Recovers what can still be read of a broken folder into a new one, for a store that nothing can rebuild.
//!
//! sled gives up a whole file for one page that it cannot read, so this module searches the bytes of the files
//! instead: each value shows where it begins, which key it belongs to, and whether it is intact. Where the search
//! also finds replaced values, the newest value of a key counts. A recovered conversation may lack events in the
//! middle; its head records how many.

use crate::sled_store::change::RECORDS_AT_ONCE;
use crate::sled_store::floor;
use crate::sled_store::guard::Beat;
use crate::sled_store::look;
use crate::sled_store::record::{
    EVENT, FORMAT, GONE, Glance, HEAD, META, Meta, Sealed, VALUE_BYTES_MAX, event_key, gone_key,
    head_key, read_event_key, read_gone, read_head, read_key, read_meta, write_json,
};
use crate::sled_store::renew::Fill;
use crate::source::ConversationKey;
use crate::store::head::Mark;
use crate::store::{ConversationHead, StoreError};
use envelope::UnixMs;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Conversations that are named with what they lost; the others are counted.
const LOST_MAX: usize = 1_000;
/// How much of a file is searched at once, besides the longest value.
const PIECE_BYTES: usize = 8 * 1024 * 1024;

/// What was recovered from a broken folder, and what was lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Salvage {
    /// Conversations of which something was recovered.
    pub conversations: u64,
    /// Events that were recovered.
    pub events: u64,
    /// Events that are known to have existed and were not found. There may have been others.
    pub events_lost: u64,
    /// The conversations of the lost events as far as they are known, at most `LOST_MAX`, with the number of lost
    /// events of each.
    pub lost: Vec<(ConversationKey, u64)>,
}

/// What of a folder that was set aside is found in its files; what that came to is put into `told`.
pub(super) fn rescued(aside: PathBuf, now: UnixMs, told: Arc<Mutex<Salvage>>) -> Fill {
    Box::new(move |tree, beat| {
        let mut find = Find {
            tree,
            batch: sled::Batch::default(),
            records: 0,
            heads: BTreeMap::new(),
            gone: BTreeMap::new(),
            meta: None,
            floor: floor::read(&aside),
        };
        search_all(&aside, &mut |sealed| find.take(sealed), beat)?;
        find.write()?;
        let salvage = Settling::of(&find, now).settle(beat)?;
        *told.lock().unwrap_or_else(PoisonError::into_inner) = salvage;
        Ok(())
    })
}

type Take<'a> = &'a mut dyn FnMut(Sealed<'_>) -> Result<(), StoreError>;

/// Searches all files below a folder. One that the disk does not give is passed over.
fn search_all(folder: &Path, take: Take<'_>, beat: &Beat) -> Result<(), StoreError> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            search_all(&path, take, beat)?;
        } else {
            search(&path, take, beat)?;
        }
    }
    Ok(())
}

fn search(path: &Path, take: Take<'_>, beat: &Beat) -> Result<(), StoreError> {
    let Ok(mut file) = File::open(path) else {
        return Ok(());
    };
    let mut bytes = Vec::new();
    loop {
        let before = bytes.len();
        let read = file
            .by_ref()
            .take(PIECE_BYTES as u64)
            .read_to_end(&mut bytes);
        beat.on();
        let is_end = is_end(&read) || bytes.len() == before;
        // A value that begins behind this may go on in the next piece.
        let whole = if is_end {
            bytes.len()
        } else {
            bytes.len().saturating_sub(VALUE_BYTES_MAX)
        };
        let mut from = 0;
        while let Some(at) = Sealed::may_begin(&bytes[from..]).map(|at| from + at) {
            if at >= whole {
                break;
            }
            match Sealed::at_start_of(&bytes[at..]) {
                Some(sealed) => {
                    from = at + sealed.bytes.len();
                    take(sealed)?;
                }
                None => from = at + 1,
            }
        }
        if is_end {
            return Ok(());
        }
        bytes.drain(..from.max(whole));
    }
}

/// What the disk does not give ends a file, too.
fn is_end(read: &io::Result<usize>) -> bool {
    !matches!(read, Ok(1..))
}

/// What was found so far.
struct Find<'a> {
    /// Where events go.
    tree: &'a sled::Tree,
    batch: sled::Batch,
    records: u64,
    /// The newest of each conversation.
    heads: BTreeMap<ConversationKey, ConversationHead>,
    /// Up to where a conversation was taken out.
    gone: BTreeMap<ConversationKey, u64>,
    meta: Option<Meta>,
    /// How far the store had come at least.
    floor: u64,
}

impl Find<'_> {
    /// Takes a value if it is one of ours.
    fn take(&mut self, sealed: Sealed<'_>) -> Result<(), StoreError> {
        let Sealed { key, bytes, .. } = sealed;
        match key.first() {
            Some(&EVENT) => {
                if let Ok((_, sequence)) = read_event_key(key)
                    && Glance::at(key, sequence, bytes).is_ok()
                {
                    self.batch.insert(key, bytes);
                    self.records += 1;
                }
            }
            Some(&HEAD) => {
                if let (Ok(of), Ok(head)) = (read_key(key), read_head(key, bytes)) {
                    let newest = self.heads.entry(of).or_insert(head);
                    *newest = later(*newest, head, |head| (head.sequence, head.events));
                }
            }
            Some(&GONE) => {
                if let (Ok(of), Ok(up_to)) = (read_key(key), read_gone(key, bytes)) {
                    let newest = self.gone.entry(of).or_insert(up_to);
                    *newest = up_to.max(*newest);
                }
            }
            _ if key == META => {
                if let Ok(meta) = read_meta(bytes) {
                    let newest = self.meta.get_or_insert(meta);
                    *newest = later(*newest, meta, |meta| (meta.sequence, meta.events));
                }
            }
            _ => {}
        }
        if self.records >= RECORDS_AT_ONCE {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), StoreError> {
        self.records = 0;
        Ok(self.tree.apply_batch(std::mem::take(&mut self.batch))?)
    }
}

/// The later one of two records of one thing, by how far the store had come and how many events there were: what changes
/// at one sequence only takes some out.
fn later<T>(one: T, other: T, of: impl Fn(&T) -> (u64, u64)) -> T {
    let age = |record: &T| {
        let (sequence, events) = of(record);
        (sequence, u64::MAX - events)
    };
    if age(&other) > age(&one) { other } else { one }
}

/// From the events of the new tree to what it knows of itself and of each conversation.
struct Settling<'a> {
    find: &'a Find<'a>,
    batch: sled::Batch,
    meta: Meta,
    salvage: Salvage,
}

impl<'a> Settling<'a> {
    fn of(find: &'a Find<'a>, now: UnixMs) -> Settling<'a> {
        let before = find.meta.unwrap_or_default();
        let heads = find.heads.values().map(|head| head.sequence);
        let reached = heads.max().unwrap_or(0).max(find.floor);
        let meta = Meta {
            format: FORMAT,
            created: if before.created == UnixMs(0) {
                now
            } else {
                before.created
            },
            sequence: before.sequence.max(reached),
            purge_due: before.purge_due,
            ..Meta::default()
        };
        Settling {
            find,
            batch: sled::Batch::default(),
            meta,
            salvage: Salvage::default(),
        }
    }

    fn settle(mut self, beat: &Beat) -> Result<Salvage, StoreError> {
        let tree = self.find.tree;
        look::by_conversation(tree, beat, |key, events| self.conversation(key, events))?;
        self.finish()
    }

    /// Keeps the events of a conversation, but for those of before it was taken out or begun anew.
    fn conversation(
        &mut self,
        key: &ConversationKey,
        events: &[(Mark, u32)],
    ) -> Result<(), StoreError> {
        let gone = self.find.gone.get(key).copied().unwrap_or(0);
        let gone = events.partition_point(|(mark, _)| mark.sequence <= gone);
        let begins = |pair: &[(Mark, u32)]| pair[1].0.begins_anew() || pair[1].0.n <= pair[0].0.n;
        let anew = events.windows(2).rposition(begins).map_or(0, |at| at + 1);
        let (stale, kept) = events.split_at(gone.max(anew));
        for (mark, _) in stale {
            self.batch.remove(event_key(key, mark.sequence));
        }
        for (mark, crc) in kept {
            self.meta.add(*crc);
            self.meta.sequence = self.meta.sequence.max(mark.sequence);
        }
        let head = ConversationHead::of(kept.iter().map(|(mark, _)| *mark));
        let head = head.map_err(|_| StoreError::Damage("events are out of order".to_owned()))?;
        let Some(head) = head else {
            return Ok(());
        };
        self.meta.conversations += 1;
        let at = head_key(key);
        self.batch.insert(&at[..], write_json(&at, &head)?);
        let before = self.find.heads.get(key);
        let lost = before.map_or(head.missing, |was| was.events.saturating_sub(head.events));
        self.lose(key, lost);
        Ok(())
    }

    fn lose(&mut self, key: &ConversationKey, events: u64) {
        self.salvage.events_lost += events;
        if events > 0 && self.salvage.lost.len() < LOST_MAX {
            self.salvage.lost.push((key.clone(), events));
        }
    }

    /// Names the conversations of which nothing was found, and writes.
    fn finish(mut self) -> Result<Salvage, StoreError> {
        let find = self.find;
        for (key, head) in &find.heads {
            let is_gone = find
                .gone
                .get(key)
                .is_some_and(|gone| head.sequence <= *gone);
            let all = event_key(key, 0)..=event_key(key, u64::MAX);
            if !is_gone && find.tree.range(all).next().transpose()?.is_none() {
                self.lose(key, head.events);
            }
        }
        self.salvage.conversations = self.meta.conversations;
        self.salvage.events = self.meta.events;
        let before = find.meta.map_or(0, |meta| meta.events);
        let missing = before.saturating_sub(self.meta.events);
        self.salvage.events_lost = self.salvage.events_lost.max(missing);
        for (key, up_to) in &find.gone {
            // What was set aside still has its events.
            let at = gone_key(key);
            self.batch.insert(&at[..], write_json(&at, up_to)?);
        }
        self.meta.purge_due |= !find.gone.is_empty();
        self.batch.insert(META, write_json(META, &self.meta)?);
        find.tree.apply_batch(self.batch)?;
        Ok(self.salvage)
    }
}
