//! A store on local disk, in sled: one folder, one process.
//!
//! sled 0.34 is fast and survives a killed process. But it opens a truncated file with records missing, and on a
//! modified file it panics or hangs. So every result is checked, sled is opened in a thread with a time limit, and a
//! damaged folder is renamed and replaced by a new one. Calls of sled run on threads that may block, and the caller
//! waits for them only for a limited time. *Not* used: more than one tree, transactions, compression.
//!
//! | module | what |
//! |---|---|
//! | `record` | keys and values, with a checksum in each |
//! | `look` | reads records |
//! | `change` | writes batches, erasures and trims |
//! | `verify` | checks that a store has exactly what was written |
//! | `opening` | opens an intact store from any folder |
//! | `salvage` | recovers what can still be read of a broken folder |
//! | `renew` | replaces sled's folder by a new one |
//! | `folder`, `owner` | the names in the folder, and the process that owns it |
//! | `floor` | the last position that is on disk, for a store that no stream feeds |
//! | `engine`, `guard` | sled itself, and a thread for calls that may hang |
//! | `point` | named points at which tests make the store fail |

mod change;
mod engine;
mod floor;
mod folder;
mod guard;
mod look;
mod opening;
mod owner;
mod point;
mod record;
mod renew;
mod salvage;
mod shared;
mod verify;

pub use opening::{Loss, OpenError};
pub use point::{Injection, StorePoint};
pub use salvage::Salvage;

use crate::event::LogEvent;
use crate::source::{ConversationKey, EventSource, SourceError};
use crate::state::Read;
use crate::store::{ConversationHead, EntryBatch, LogPosition, Store, StoreError, StoreSizes};
use envelope::{TenantId, UnixMs};
use futures_util::future::BoxFuture;
use shared::{LONG_MAX, Shared};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What is done about a damaged folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnDamage {
    /// Begin with an empty store, because a stream can feed it again.
    #[default]
    Rebuild,
    /// Recover what can still be read, because there is no other copy.
    Salvage,
}

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is done about a broken folder. Default: begin empty.
    pub damage: OnDamage,
    /// sled's cache in bytes. Default 64 MiB.
    pub cache_bytes: u64,
    /// How long sled may make no progress while the folder is opened and read, before the folder counts as broken.
    /// Default 60 s.
    pub silence: Duration,
    /// How long one call may take before the store has failed. Default 60 s. Trim, reset and purge may take half an hour.
    pub call_max: Duration,
    /// What happens at the points at which tests make the store fail. Default nothing.
    pub inject: Injection,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            damage: OnDamage::default(),
            cache_bytes: 64 * 1024 * 1024,
            silence: Duration::from_secs(60),
            call_max: Duration::from_secs(60),
            inject: Injection::default(),
        }
    }
}

/// Conversations on local disk.
pub struct SledStore {
    shared: Arc<Shared>,
}

impl SledStore {
    /// Opens a folder, and creates it if there is none. A broken folder is renamed, which the result reports.
    /// Everything in the folder is read once.
    ///
    /// # Errors
    /// When another process has the folder, a later release wrote it, or the disk refuses.
    pub async fn open(
        folder: impl Into<PathBuf>,
        now: UnixMs,
        options: Options,
    ) -> Result<(SledStore, Option<Loss>), OpenError> {
        let folder: PathBuf = folder.into();
        let path = folder.clone();
        let open = move || opening::open(&path, now, options);
        let opened = tokio::task::spawn_blocking(open).await;
        let (shared, loss) = opened.map_err(|error| OpenError::Store {
            folder,
            source: StoreError::Failed(error.to_string()),
        })??;
        let shared = Arc::new(shared);
        Ok((SledStore { shared }, loss))
    }
}

impl EventSource for SledStore {
    fn events<'a>(
        &'a self,
        key: &'a ConversationKey,
        sequences: &'a [u64],
    ) -> BoxFuture<'a, Result<Vec<Option<LogEvent>>, SourceError>> {
        let (key, sequences) = (key.clone(), sequences.to_vec());
        let read = self.shared.read(move |tree| {
            let events = sequences.iter().map(|at| look::event(tree, &key, *at));
            events.collect()
        });
        Box::pin(async { Ok(read.await?) })
    }
}

impl Store for SledStore {
    fn position(&self) -> BoxFuture<'_, Result<LogPosition, StoreError>> {
        self.shared.read(|tree| Ok(look::meta(tree)?.position()))
    }

    fn apply(&self, batch: EntryBatch) -> BoxFuture<'_, Result<(), StoreError>> {
        self.shared.write(|shared| {
            let changes = shared.with(|tree| change::apply(tree, batch))?;
            shared.commit(changes)
        })
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.shared.write(|shared| shared.flush())
    }

    fn last<'a>(
        &'a self,
        key: &'a ConversationKey,
    ) -> BoxFuture<'a, Result<Option<Read>, StoreError>> {
        let key = key.clone();
        self.shared.read(move |tree| look::last(tree, &key))
    }

    fn scan<'a>(
        &'a self,
        key: &'a ConversationKey,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Read>, StoreError>> {
        let key = key.clone();
        self.shared
            .read(move |tree| look::scan(tree, &key, after, limit))
    }

    fn list<'a>(
        &'a self,
        tenant: Option<&'a TenantId>,
        after: Option<&'a ConversationKey>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<(ConversationKey, ConversationHead)>, StoreError>> {
        let (tenant, after) = (tenant.cloned(), after.cloned());
        self.shared
            .read(move |tree| look::list(tree, tenant.as_ref(), after.as_ref(), limit))
    }

    fn erase<'a>(&'a self, key: &'a ConversationKey) -> BoxFuture<'a, Result<u64, StoreError>> {
        let key = key.clone();
        self.shared.write(move |shared| {
            let (changes, gone) = shared.with(|tree| change::erase(tree, &key))?;
            shared.commit(changes)?;
            Ok(gone)
        })
    }

    fn trim(&self, before: UnixMs) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.shared
            .write_within(LONG_MAX, move |shared| shared.trim(before))
    }

    fn reset(&self, created: UnixMs) -> BoxFuture<'_, Result<(), StoreError>> {
        self.shared
            .write_within(LONG_MAX, move |shared| shared.reset(created))
    }

    fn purge(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.shared.write_within(LONG_MAX, Shared::purge)
    }

    fn sizes(&self) -> BoxFuture<'_, Result<StoreSizes, StoreError>> {
        let folder = self.shared.folder();
        self.shared.read(move |tree| {
            let meta = look::meta(tree)?;
            Ok(StoreSizes {
                conversations: meta.conversations,
                events: meta.events,
                bytes: folder.bytes()?,
                purge_due: meta.purge_due,
            })
        })
    }
}
