//! Decides when a retriever writes a snapshot of its index, and when it starts from one. One replica writes snapshots
//! now and then. A replica that is far behind the stream starts from the newest snapshot, if a download is faster than
//! a replay.
//!
//! Snapshots are *not* authoritative and *not* needed: a failure is logged, and the stream is replayed. The decisions
//! are pure functions; the two submodules write and restore.

mod error;
mod keep;
mod restore;

pub use error::Error;
pub use keep::{Keeper, SnapshotWrite};
pub use restore::restore;

use bus::Snapshot;
use bus::topology::SNAPSHOTS_KEPT;
use envelope::UnixMs;
use envelope::ids::fnv1a_64;
use index::VectorSource;
use index::archive::making;
use serde::{Deserialize, Serialize};
use settings::{InvalidOption, TimeSpan};
use std::time::Duration;

/// When snapshots are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The least time between two snapshots, over all replicas and both editions, and the most time that writing
    /// one may take; 0 for never. Default 10 min.
    pub every: TimeSpan,
    /// Messages of the corpus after which another one is worth it; in a large corpus it takes a tenth
    /// of its chunks. Default 50,000: some seconds of replay.
    pub changes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            every: TimeSpan::from_millis(600_000),
            changes: 50_000,
        }
    }
}

impl Options {
    /// Checks that every option has an allowed value.
    ///
    /// # Errors
    /// The error names the option.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        let every = self.every.duration();
        if !every.is_zero() && every < Duration::from_secs(1) {
            let every = self.every;
            let what = format!("`every` must be 0 or at least 1s, not {every}");
            return Err(InvalidOption::new(what));
        }
        if self.changes == 0 {
            return Err(InvalidOption::new("`changes` must not be 0"));
        }
        Ok(())
    }
}

/// The claim on writing the next one, of any edition: a writer removes what another writer left half-way, and could
/// mistake one at work for that.
const CLAIM: &str = "argosy.snapshot.writer";
/// One in so many chunks has to be new before the whole is written again.
const CHANGED_PART: u64 = 10;
/// How fast a replay and a restore are, for choosing: messages and bytes a second on 2 cores. Measured:
/// 5,000 and 360 MB (docs/retrieval.md); a network is slower than the loopback of that.
const REPLAYED_PER_S: u64 = 5_000;
const RESTORED_BYTES_PER_S: u64 = 100_000_000;
/// The names that snapshots of one making take turns in: the last two are kept.
const SLOTS: [&str; 2] = ["a", "b"];
/// Pieces between the disk and the bus.
const PIECES: usize = 8;

/// The conditions that a snapshot has to meet to be used: the same stream, schema and vectors.
#[derive(Debug, Clone)]
pub struct Fit {
    making: String,
    stream: String,
}

impl Fit {
    /// The conditions for an index with these vectors that is fed from this stream.
    pub fn new(vectors: &VectorSource, stream: &str) -> Fit {
        Fit {
            making: making(vectors),
            stream: stream.to_owned(),
        }
    }

    fn token(&self) -> String {
        let all = format!("{} {}", self.making, self.stream);
        format!("{:016x}", fnv1a_64(all.as_bytes()))
    }

    fn names(&self) -> [String; 2] {
        SLOTS.map(|slot| format!("{}.{slot}", self.token()))
    }

    /// Those of `all` that fit, newest first.
    fn of(&self, mut all: Vec<Snapshot>) -> Vec<Snapshot> {
        let names = self.names();
        all.retain(|snapshot| names.contains(&snapshot.name));
        all.sort_by_key(|snapshot| std::cmp::Reverse(snapshot.sequence));
        all
    }
}

/// Whether an index at `position` with so many chunks is to be written.
fn is_due(
    options: &Options,
    position: u64,
    chunks: u64,
    newest: Option<&Snapshot>,
    now: UnixMs,
) -> bool {
    let kept_ms = SNAPSHOTS_KEPT.as_millis() as u64;
    let since = newest.map_or(0, |newest| newest.sequence);
    let changed = position.saturating_sub(since);
    // One that is never written again ages out.
    let is_old = newest.is_some_and(|newest| newest.stored_at.plus(kept_ms / 2) <= now);
    let enough = match newest {
        None => options.changes,
        Some(_) => options.changes.max(chunks / CHANGED_PART),
    };
    changed >= enough || is_old
}

/// Whether a restore is faster than the replay that it spares an index at `position`.
fn is_worth_it(snapshot: &Snapshot, position: u64) -> bool {
    let spared = snapshot.sequence.saturating_sub(position);
    spared > snapshot.bytes * REPLAYED_PER_S / RESTORED_BYTES_PER_S
}

/// The name that the next one takes: that of the older one, which then goes.
fn next_name(fit: &Fit, there: &[Snapshot]) -> String {
    let names = fit.names();
    let free = names
        .iter()
        .find(|name| there.iter().all(|s| s.name != **name));
    let oldest = there.last().map(|oldest| &oldest.name);
    free.or(oldest).unwrap_or(&names[0]).clone()
}

#[cfg(test)]
#[path = "snapshot_tests.rs"]
mod tests;
