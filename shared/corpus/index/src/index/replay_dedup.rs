//! Remembers which documents an index that began empty has taken in, so that the writer deletes only chunks that can
//! exist.
//!
//! A replay adds every chunk once. A delete for each of them would be looked up in every segment and kept in memory
//! until the commit, where it would take most of the memory of the process. This module keeps a few numbers of each
//! document instead. Two documents whose hashes collide are taken for one, which costs a delete and loses nothing.
//! *Not* a copy of the index: it is not used for an index that was not empty when the writer began, nor for one with
//! very many documents.

use envelope::ChunkRecord;
use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;

/// Documents that are remembered, in 70 MB at most; with more, everything is looked for.
const DOCUMENTS_MAX: usize = 1_500_000;

/// What was taken in since the index was empty.
#[derive(Default)]
pub(super) struct ReplayDedup {
    hasher: RandomState,
    documents: HashMap<u64, Document>,
}

/// What is known of a document.
struct Document {
    /// Hash of its version; `None` when there was more than one.
    version: Option<u64>,
    /// The lowest chunk: they come from the last to the first.
    lowest: u32,
}

/// What of a record may be in the index already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Before {
    /// The same chunk.
    pub(super) chunk: bool,
    /// Chunks of its document that its head would remove.
    pub(super) others: bool,
}

impl Before {
    /// Nothing is known.
    pub(super) const UNKNOWN: Before = Before {
        chunk: true,
        others: true,
    };
}

impl ReplayDedup {
    /// Takes in a record and returns what of it may have been there before. `None` when there are more documents
    /// than can be remembered: the dedup is of no use any more.
    pub(super) fn take_in(&mut self, record: &ChunkRecord) -> Option<Before> {
        let version = self.hasher.hash_one(&record.hash);
        let room = self.documents.len() < DOCUMENTS_MAX;
        let document = self.hasher.hash_one(record.document_key());
        match self.documents.entry(document) {
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                let before = Before {
                    chunk: record.n >= known.lowest,
                    others: record.deleted || known.version != Some(version),
                };
                if !record.deleted {
                    known.lowest = known.lowest.min(record.n);
                    known.version = known.version.filter(|v| *v == version);
                }
                Some(before)
            }
            Entry::Vacant(entry) => {
                if !record.deleted {
                    room.then_some(())?;
                    entry.insert(Document {
                        version: Some(version),
                        lowest: record.n,
                    });
                }
                Some(Before {
                    chunk: false,
                    others: false,
                })
            }
        }
    }
}
