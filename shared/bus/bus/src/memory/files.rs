//! The file store of the memory bus. It keeps bytes by name, up to a total size, and deletes each file after
//! `FILES_KEPT`. Nothing is written to disk.

use crate::BusError;
use crate::topology::FILES_KEPT;
use bytes::Bytes;
use envelope::UnixMs;
use std::collections::BTreeMap;

/// What is kept.
pub(super) struct Files {
    room: u64,
    kept: BTreeMap<String, (Bytes, UnixMs)>,
}

impl Files {
    pub(super) fn new(room: u64) -> Files {
        Files {
            room,
            kept: BTreeMap::new(),
        }
    }

    pub(super) fn put(&mut self, now: UnixMs, name: &str, bytes: Bytes) -> Result<(), BusError> {
        self.expire(now);
        let others = self.kept.iter().filter(|(other, _)| *other != name);
        let held: u64 = others.map(|(_, (bytes, _))| bytes.len() as u64).sum();
        if held + bytes.len() as u64 > self.room {
            return Err(BusError::Refused("the files have no room".into()));
        }
        self.kept.insert(name.to_owned(), (bytes, now));
        Ok(())
    }

    pub(super) fn get(
        &mut self,
        now: UnixMs,
        name: &str,
        max_bytes: u64,
    ) -> Result<Option<Bytes>, BusError> {
        self.expire(now);
        match self.kept.get(name) {
            Some((bytes, _)) if bytes.len() as u64 > max_bytes => Err(BusError::Refused(format!(
                "file `{name}` is over {max_bytes} bytes"
            ))),
            found => Ok(found.map(|(bytes, _)| bytes.clone())),
        }
    }

    pub(super) fn taken(&mut self, now: UnixMs) -> f64 {
        self.expire(now);
        let held: usize = self.kept.values().map(|(bytes, _)| bytes.len()).sum();
        held as f64 / self.room.max(1) as f64
    }

    pub(super) fn delete(&mut self, name: &str) {
        self.kept.remove(name);
    }

    fn expire(&mut self, now: UnixMs) {
        let kept_ms = FILES_KEPT.as_millis() as u64;
        self.kept.retain(|_, (_, since)| since.plus(kept_ms) > now);
    }
}
