//! The snapshot store of the memory bus. It keeps bytes by name, up to a total size, and deletes each snapshot after
//! a while.

use super::MemoryBus;
use crate::topology::SNAPSHOTS_KEPT;
use crate::{Bus, BusError, BusFuture, Pieces, Snapshot, Snapshots};
use bytes::Bytes;
use envelope::UnixMs;
use futures_util::{FutureExt, StreamExt, stream};
use std::collections::BTreeMap;

/// What is kept.
pub(super) struct Kept {
    room: u64,
    kept: BTreeMap<String, (Snapshot, Vec<Bytes>)>,
}

impl Kept {
    pub(super) fn new(room: u64) -> Kept {
        Kept {
            room,
            kept: BTreeMap::new(),
        }
    }

    fn expire(&mut self, now: UnixMs) {
        let kept_ms = SNAPSHOTS_KEPT.as_millis() as u64;
        self.kept
            .retain(|_, (snapshot, _)| snapshot.stored_at.plus(kept_ms) > now);
    }

    fn room_left(&self) -> u64 {
        let held: u64 = self.kept.values().map(|(s, _)| s.bytes).sum();
        self.room.saturating_sub(held)
    }
}

impl Snapshots for MemoryBus {
    fn list(&self) -> BusFuture<'_, Vec<Snapshot>> {
        async move {
            let now = self.now();
            let kept = &mut self.shared.state().snapshots;
            kept.expire(now);
            Ok(kept.kept.values().map(|(s, _)| s.clone()).collect())
        }
        .boxed()
    }

    fn put<'a>(&'a self, name: &'a str, sequence: u64, mut pieces: Pieces) -> BusFuture<'a, ()> {
        async move {
            let (mut all, mut bytes) = (Vec::new(), 0);
            while let Some(piece) = pieces.next().await {
                let piece = piece.map_err(|e| BusError::Refused(format!("`{name}`: {e}")))?;
                bytes += piece.len() as u64;
                all.push(piece);
                // As on a server, the old one goes when the new one is there.
                if bytes > self.shared.state().snapshots.room_left() {
                    return Err(BusError::Refused("the snapshots have no room".into()));
                }
            }
            let snapshot = Snapshot {
                name: name.to_owned(),
                sequence,
                bytes,
                stored_at: self.now(),
            };
            let kept = &mut self.shared.state().snapshots;
            kept.kept.insert(name.to_owned(), (snapshot, all));
            Ok(())
        }
        .boxed()
    }

    fn get<'a>(&'a self, name: &'a str) -> BusFuture<'a, Option<Pieces>> {
        async move {
            let now = self.now();
            let kept = &mut self.shared.state().snapshots;
            kept.expire(now);
            let found = kept.kept.get(name).map(|(_, pieces)| pieces.clone());
            Ok(found.map(|pieces| stream::iter(pieces).map(Ok).boxed()))
        }
        .boxed()
    }

    fn remove<'a>(&'a self, name: &'a str) -> BusFuture<'a, ()> {
        async move {
            self.shared.state().snapshots.kept.remove(name);
            Ok(())
        }
        .boxed()
    }
}
