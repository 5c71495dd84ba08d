//! How a process stands, told by itself: is it ready, what does it wait for, how far is its index, how much
//! room has its disk.
//!
//! It travels with what the process knows of its model nodes, see [`crate::nodes`]: one subject on which
//! every process of a fleet is asked. *Not* its metrics.

use crate::disk::{self, Disk};
use crate::editions::Serving;
use envelope::{Edition, Role};
use llm_pool::Pool;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use telemetry::Health;

/// How a process stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Standing {
    /// Whether it takes work.
    pub is_ready: bool,
    /// The conditions that are not met, and why not.
    pub waits_for: BTreeMap<String, String>,
    /// Its index, where it keeps one.
    pub index: Option<IndexStanding>,
    /// The disk of its data folder, where it keeps an index there.
    pub disk: Option<Disk>,
}

/// How far an index is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexStanding {
    /// The edition that is searched.
    pub edition: Edition,
    /// Sequence of the corpus stream up to which it can be searched.
    pub at: u64,
}

/// What a process tells others, collected while it starts.
pub struct Teller {
    role: Role,
    health: Health,
    data_dir: PathBuf,
    pool: OnceLock<Arc<Pool>>,
    index: OnceLock<Arc<Serving>>,
}

impl Teller {
    /// Of a process that has neither model nor index yet.
    pub fn new(role: Role, health: Health, data_dir: PathBuf) -> Arc<Teller> {
        Arc::new(Teller {
            role,
            health,
            data_dir,
            pool: OnceLock::new(),
            index: OnceLock::new(),
        })
    }

    /// Its role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// It has these model nodes. Said once.
    pub fn has_pool(&self, pool: Arc<Pool>) {
        let _ = self.pool.set(pool);
    }

    /// It has these indexes. Said once.
    pub fn has_index(&self, serving: Arc<Serving>) {
        let _ = self.index.set(serving);
    }

    /// Its model nodes, where it has any.
    pub fn pool(&self) -> Option<&Arc<Pool>> {
        self.pool.get()
    }

    /// How it stands now.
    pub fn standing(&self) -> Standing {
        let report = self.health.report();
        let waits = report.conditions.into_iter().filter(|(_, one)| !one.ready);
        let keeps_index = self.role == Role::Retriever;
        Standing {
            is_ready: report.ready,
            waits_for: waits
                .map(|(name, one)| (name, one.reason.unwrap_or_default()))
                .collect(),
            index: self.index.get().map(|serving| {
                let (edition, at) = serving.reached();
                IndexStanding { edition, at }
            }),
            disk: keeps_index.then(|| disk::of(&self.data_dir).ok()).flatten(),
        }
    }
}
