//! The state that all calls of a store share: the open folder, the lock of the single writer, and whether the store
//! has failed.
//!
//! Readers see all of a batch or nothing of it, and continue while the store is copied. An error of the disk is
//! final, because sled does not write again after one: the store has to be opened again.

use crate::sled_store::change::{self, Changes};
use crate::sled_store::engine::Engine;
use crate::sled_store::floor::Floor;
use crate::sled_store::folder::Folder;
use crate::sled_store::owner::Owner;
use crate::sled_store::record::Meta;
use crate::sled_store::renew::{self, Fill, all_of, nothing, renew};
use crate::sled_store::{Injection, OnDamage, Options, StorePoint, look};
use crate::source::ConversationKey;
use crate::store::{LIST_MAX, StoreError};
use envelope::UnixMs;
use futures_util::future::BoxFuture;
use std::io;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// How long one may take that goes through all events.
pub(super) const LONG_MAX: Duration = Duration::from_secs(30 * 60);

pub(super) struct Shared {
    current: RwLock<Current>,
    /// One permit: it is held until the work ends, even when the caller has stopped waiting.
    writing: Arc<Semaphore>,
    failed: OnceLock<String>,
    folder: Folder,
    options: Options,
    /// Let go of last.
    _owner: Owner,
}

/// The generation that counts.
pub(super) struct Current {
    generation: u64,
    engine: Engine,
    /// Where nothing feeds the store.
    floor: Option<Floor>,
}

impl Current {
    pub(super) fn of(
        folder: &Folder,
        generation: u64,
        engine: Engine,
        options: &Options,
    ) -> io::Result<Current> {
        let floor = match options.damage {
            OnDamage::Rebuild => None,
            OnDamage::Salvage => Some(Floor::of(&folder.events(generation))?),
        };
        Ok(Current {
            generation,
            engine,
            floor,
        })
    }

    fn flush(&self, inject: &Injection) -> Result<(), StoreError> {
        let sequence = look::meta(self.engine.tree())?.sequence;
        self.engine.flush(inject)?;
        if let Some(floor) = &self.floor {
            floor.raise(sequence)?;
        }
        Ok(())
    }
}

impl Shared {
    pub(super) fn on(folder: Folder, owner: Owner, current: Current, options: Options) -> Shared {
        Shared {
            current: RwLock::new(current),
            writing: Arc::new(Semaphore::new(1)),
            failed: OnceLock::new(),
            folder,
            options,
            _owner: owner,
        }
    }

    pub(super) fn folder(&self) -> Folder {
        self.folder.clone()
    }

    /// Reads, beside others.
    pub(super) fn read<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&sled::Tree) -> Result<T, StoreError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, StoreError>> {
        let shared = self.clone();
        Box::pin(async move {
            shared.is_well()?;
            let own = shared.clone();
            let work = spawn_blocking(move || own.with(work));
            let limit = shared.options.call_max;
            shared.outcome(timeout(limit, work).await, limit)
        })
    }

    /// Writes, alone.
    pub(super) fn write<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Shared) -> Result<T, StoreError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, StoreError>> {
        self.write_within(self.options.call_max, work)
    }

    /// The same for work that may take longer.
    pub(super) fn write_within<T: Send + 'static>(
        self: &Arc<Self>,
        limit: Duration,
        work: impl FnOnce(&Shared) -> Result<T, StoreError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, StoreError>> {
        let shared = self.clone();
        Box::pin(async move {
            shared.is_well()?;
            // The call before this one may take just as long.
            let turn = timeout(LONG_MAX, shared.writing.clone().acquire_owned()).await;
            let Ok(Ok(permit)) = turn else {
                return Err(shared.fail("another call does not come back"));
            };
            shared.is_well()?;
            let own = shared.clone();
            let work = spawn_blocking(move || {
                let result = work(&own);
                drop(permit);
                result
            });
            shared.outcome(timeout(limit, work).await, limit)
        })
    }

    /// What came of work on another thread; without an end or with a panic, the store has failed.
    fn outcome<T>(
        &self,
        done: Result<
            Result<Result<T, StoreError>, tokio::task::JoinError>,
            tokio::time::error::Elapsed,
        >,
        limit: Duration,
    ) -> Result<T, StoreError> {
        match done {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => Err(self.fail(&panic.to_string())),
            Err(_) => Err(self.fail(&format!(
                "a call made no progress for {} s",
                limit.as_secs()
            ))),
        }
    }

    fn is_well(&self) -> Result<(), StoreError> {
        let failed = self.failed.get();
        failed.map_or(Ok(()), |why| Err(StoreError::Failed(why.clone())))
    }

    fn fail(&self, why: &str) -> StoreError {
        let why = self.failed.get_or_init(|| why.to_owned());
        // No call gets a turn any more.
        self.writing.close();
        StoreError::Failed(why.clone())
    }

    /// From now on every call fails because this one did.
    fn fail_with(&self, error: StoreError) -> StoreError {
        self.fail(&error.to_string());
        error
    }

    /// A panic under the lock is told by [`Shared::outcome`].
    fn current(&self) -> RwLockReadGuard<'_, Current> {
        self.current.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn current_mut(&self) -> RwLockWriteGuard<'_, Current> {
        self.current.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks into the tree while nothing is written.
    pub(super) fn with<T>(
        &self,
        work: impl FnOnce(&sled::Tree) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        work(self.current().engine.tree())
    }

    /// Writes changes, all of them or none.
    pub(super) fn commit(&self, changes: Changes) -> Result<(), StoreError> {
        let batch = changes.into_batch()?;
        let written = self.current_mut().engine.write(batch, &self.options.inject);
        written.map_err(|error| self.fail_with(error))
    }

    pub(super) fn flush(&self) -> Result<(), StoreError> {
        let flushed = self.current().flush(&self.options.inject);
        flushed.map_err(|error| self.fail_with(error))
    }

    pub(super) fn trim(&self, before: UnixMs) -> Result<u64, StoreError> {
        let mut after: Option<ConversationKey> = None;
        let mut changes = Changes::of(self.with(look::meta)?);
        let mut gone = 0;
        loop {
            let page = self.with(|tree| look::list(tree, None, after.as_ref(), LIST_MAX))?;
            let Some((last, _)) = page.last() else {
                self.commit(changes)?;
                return Ok(gone);
            };
            after = Some(last.clone());
            for (key, _) in page.iter().filter(|(_, head)| head.began < before) {
                gone += self.with(|tree| change::trim(tree, key, before, &mut changes))?;
                if changes.are_many() {
                    self.commit(changes)?;
                    changes = Changes::of(self.with(look::meta)?);
                }
            }
        }
    }

    pub(super) fn reset(&self, created: UnixMs) -> Result<(), StoreError> {
        // What cannot be read may be due as well.
        let purge_due = self.with(look::meta).map_or(true, |meta| meta.purge_due);
        let meta = Meta {
            purge_due,
            ..Meta::fresh(created)
        };
        self.replace(nothing(meta))
    }

    pub(super) fn purge(&self) -> Result<(), StoreError> {
        let inject = &self.options.inject;
        let tree = self.with(|tree| Ok(tree.clone()))?;
        self.replace(all_of(tree, inject.clone()))?;
        inject.at(StorePoint::Dropped)?;
        self.folder.remove_aside(0)?;
        inject.at(StorePoint::Cleared)?;
        let mut changes = Changes::of(self.with(look::meta)?);
        changes.purged();
        self.commit(changes)?;
        self.flush()
    }

    pub(super) fn generation(&self) -> u64 {
        self.current().generation
    }

    /// Puts a new generation in place of this one. Until it counts, this one goes on.
    fn replace(&self, fill: Fill) -> Result<(), StoreError> {
        let old = self.generation();
        renew(&self.folder, old + 1, &self.options, fill)?;
        let swapped = self.swap(old);
        // What counts is not what is open: nothing more may be written here.
        swapped.map_err(|error| self.fail_with(error))
    }

    fn swap(&self, old: u64) -> Result<(), StoreError> {
        self.options.inject.at(StorePoint::Swapped)?;
        let engine = renew::open(&self.folder.events(old + 1), &self.options)?;
        let next = Current::of(&self.folder, old + 1, engine, &self.options)?;
        let before = std::mem::replace(&mut *self.current_mut(), next);
        drop(before);
        Ok(self.folder.remove(old)?)
    }
}
