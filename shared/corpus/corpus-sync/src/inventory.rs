//! Lists what the corpus stream contains of each edition, and how two editions differ.
//!
//! Documents are counted by their heads (chunk 0): a document without its head is not complete and does not count.

use crate::sync::heads;
use bus::{Bus, BusError};
use envelope::ChunkRecord;
use envelope::{DocId, Edition, TenantId};
use std::collections::{BTreeMap, BTreeSet};

/// How many sources a difference names.
const NAMED: usize = 3;

/// An edition, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditionInventory {
    /// The version of every document, and its source.
    documents: BTreeMap<(TenantId, DocId), Document>,
    /// Chunks of them.
    pub chunks: u64,
    /// The pipelines that made the documents: one, unless indexers are configured differently.
    pub pipelines: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Document {
    hash: String,
    source: String,
}

/// How an edition differs from another one, in numbers of documents.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Difference {
    /// Documents that only the other edition has.
    pub missing: usize,
    /// Documents that the two editions have in different versions.
    pub differing: usize,
    /// Documents that only this edition has.
    pub more: usize,
    /// Sources of the first documents that are missing or differ.
    pub sources: Vec<String>,
}

/// Counts every edition that has a document.
pub async fn count(bus: &dyn Bus) -> Result<BTreeMap<Edition, EditionInventory>, BusError> {
    let mut counts: BTreeMap<Edition, EditionInventory> = BTreeMap::new();
    let each = |edition, record| counts.entry(edition).or_default().observe(record);
    heads(bus, &envelope::subject::heads("*"), each).await?;
    Ok(counts)
}

impl EditionInventory {
    /// How many documents there are.
    pub fn documents(&self) -> usize {
        self.documents.len()
    }

    fn observe(&mut self, record: ChunkRecord) {
        if record.deleted {
            return;
        }
        self.chunks += u64::from(record.of);
        self.pipelines.insert(record.pipeline);
        let document = Document {
            hash: record.hash,
            source: record.source,
        };
        self.documents
            .insert((record.tenant, record.doc_id), document);
    }

    /// How it differs from `other`.
    pub fn against(&self, other: &EditionInventory) -> Difference {
        let mut difference = Difference::default();
        for (key, document) in &other.documents {
            match self.documents.get(key) {
                Some(mine) if mine.hash == document.hash => continue,
                Some(_) => difference.differing += 1,
                None => difference.missing += 1,
            }
            if difference.sources.len() < NAMED {
                difference.sources.push(document.source.clone());
            }
        }
        let common = other.documents.len() - difference.missing;
        difference.more = self.documents.len() - common;
        difference
    }
}

impl Difference {
    /// Whether it can replace the other edition: no document is missing or has another version.
    pub fn is_covered(&self) -> bool {
        self.missing + self.differing == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(documents: &[(&str, &str)]) -> EditionInventory {
        let mut count = EditionInventory::default();
        for (source, hash) in documents {
            let record = serde_json::json!({
                "v": 1, "tenant": "default", "bucket": "b", "doc_id": source, "n": 0, "of": 2,
                "hash": hash, "source": source, "pipeline": "p",
            });
            count.observe(serde_json::from_value(record).unwrap());
        }
        count
    }

    #[test]
    fn what_is_missing_or_other_is_named() {
        let current = counted(&[("a", "1"), ("b", "1"), ("c", "1")]);
        assert_eq!((current.documents(), current.chunks), (3, 6));
        assert!(current.against(&current).is_covered());
        let next = counted(&[("a", "1"), ("b", "2"), ("d", "1")]);
        let wanted = Difference {
            missing: 1,
            differing: 1,
            more: 1,
            sources: vec!["b".into(), "c".into()],
        };
        assert_eq!(next.against(&current), wanted);
        assert!(!wanted.is_covered());
        let wider = counted(&[("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")]);
        assert!(wider.against(&current).is_covered());
        assert_eq!(wider.against(&current).more, 1);
        assert_eq!(EditionInventory::default().against(&current).missing, 3);
    }

    #[test]
    fn what_is_deleted_does_not_count() {
        let mut count = counted(&[("a", "1")]);
        let gone = serde_json::json!({
            "v": 1, "tenant": "default", "bucket": "b", "doc_id": "x", "n": 0, "of": 9, "hash": "h",
            "source": "x", "deleted": true,
        });
        count.observe(serde_json::from_value(gone).unwrap());
        assert_eq!((count.documents(), count.chunks), (1, 2));
    }
}
