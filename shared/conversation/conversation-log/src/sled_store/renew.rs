//! Replaces sled's folder by a new one, which is empty or has the records that are kept.
//!
//! The new folder is written beside the old one, read again in full and flushed to disk; a single rename then makes
//! it current. A crash before the rename leaves the old folder, and a crash after it the new one. Removing records
//! from a tree is not enough to erase them: their text stays in the segments of sled's file.

use crate::sled_store::change::RECORDS_AT_ONCE;
use crate::sled_store::engine::{self, Engine};
use crate::sled_store::folder::Folder;
use crate::sled_store::guard::{Beat, Mishap, guarded};
use crate::sled_store::record::{GONE, META, Meta, write_json};
use crate::sled_store::verify::{Unsound, verify};
use crate::sled_store::{Injection, Options, StorePoint};
use crate::store::StoreError;
use std::path::Path;

pub(super) type Fill = Box<dyn FnOnce(&sled::Tree, &Beat) -> Result<(), StoreError> + Send>;

/// Writes a new generation and lets it count.
pub(super) fn renew(
    folder: &Folder,
    generation: u64,
    options: &Options,
    fill: Fill,
) -> Result<(), StoreError> {
    let path = folder.copy(generation);
    if path.exists() {
        std::fs::remove_dir_all(&path)?;
    }
    let cache_bytes = options.cache_bytes;
    let write = move |beat: &Beat| -> Result<(), StoreError> {
        let engine = engine::open(&path, cache_bytes)?;
        fill(engine.tree(), beat)?;
        engine.flush(&Injection::default())?;
        verify(engine.tree(), beat)?;
        Ok(())
    };
    guarded("store-copy", options.silence, write)??;
    options.inject.at(StorePoint::Copied)?;
    Ok(folder.settle(generation)?)
}

/// Nothing but what a store knows of itself.
pub(super) fn nothing(meta: Meta) -> Fill {
    Box::new(move |tree, _| {
        let mut batch = sled::Batch::default();
        batch.insert(META, write_json(META, &meta)?);
        Ok(tree.apply_batch(batch)?)
    })
}

/// All that another tree holds, but for what it remembers of what was taken out: no file has that any more then.
pub(super) fn all_of(from: sled::Tree, inject: Injection) -> Fill {
    Box::new(move |tree, beat| {
        let (mut batch, mut records) = (sled::Batch::default(), 0);
        for item in from.iter() {
            let (key, value) = item?;
            if key.first() == Some(&GONE) {
                continue;
            }
            batch.insert(key, value);
            records += 1;
            if records == RECORDS_AT_ONCE {
                tree.apply_batch(std::mem::take(&mut batch))?;
                records = 0;
                inject.at(StorePoint::Copying)?;
                beat.on();
            }
        }
        tree.apply_batch(batch)?;
        Ok(inject.at(StorePoint::Copying)?)
    })
}

/// Opens a generation that was just written.
pub(super) fn open(path: &Path, options: &Options) -> Result<Engine, StoreError> {
    let (path, cache_bytes) = (path.to_owned(), options.cache_bytes);
    let open = move |_: &Beat| engine::open(&path, cache_bytes);
    guarded("store-open", options.silence, open)?
}

impl From<Mishap> for StoreError {
    fn from(mishap: Mishap) -> StoreError {
        StoreError::Failed(mishap.to_string())
    }
}

impl From<Unsound> for StoreError {
    fn from(unsound: Unsound) -> StoreError {
        match unsound {
            Unsound::Newer(_) => StoreError::Failed(unsound.to_string()),
            Unsound::Store(error) => error,
        }
    }
}
