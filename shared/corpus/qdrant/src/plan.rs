//! Decides which points change for a batch of records. The writer makes the changes.

use crate::point;
use envelope::ChunkRecord;
use qdrant_client::qdrant::PointStruct;
use std::collections::{BTreeMap, BTreeSet};

/// A chunk: its document, `<bucket>/<doc>`, and its number.
type Key = (String, u32);

/// The changes, in this order. The result is the same as if the records were taken one by one.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Documents that a head has settled.
    pub(super) settled: BTreeSet<Settled>,
    /// Chunks that are no more, or have no vector.
    pub(super) gone: BTreeSet<Key>,
    /// What is there afterwards, with the version of its document.
    pub(super) points: BTreeMap<Key, (String, PointStruct)>,
    /// Records without a vector of the embedder.
    pub(super) without_vector: usize,
}

/// A document of which only one version stays, or nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Settled {
    /// `<bucket>/<doc>`.
    pub(super) doc: String,
    /// The hash that stays.
    pub(super) version: Option<String>,
}

/// The plan for records in the order of the stream.
pub(super) fn plan(records: &[ChunkRecord], embedder: &str, dims: usize) -> Plan {
    let mut plan = Plan::default();
    for record in records {
        let key = (record.document_key(), record.n);
        if record.is_head() {
            plan.settle(Settled {
                doc: key.0.clone(),
                version: (!record.deleted).then(|| record.hash.clone()),
            });
        }
        match vector(record, embedder, dims) {
            Some(vector) if !record.deleted => {
                let point = (record.hash.clone(), point::of(record, vector));
                plan.gone.remove(&key);
                plan.points.insert(key, point);
            }
            _ => {
                plan.without_vector += usize::from(!record.deleted);
                plan.points.remove(&key);
                plan.gone.insert(key);
            }
        }
    }
    plan
}

impl Plan {
    /// What the plan has added itself goes too; the chunk that it replaced is no more either way.
    fn settle(&mut self, settled: Settled) {
        let all = (settled.doc.clone(), 0)..=(settled.doc.clone(), u32::MAX);
        let others = self
            .points
            .range(all)
            .filter(|(_, (version, _))| Some(version) != settled.version.as_ref());
        let others: Vec<Key> = others.map(|(key, _)| key.clone()).collect();
        for key in others {
            self.points.remove(&key);
            self.gone.insert(key);
        }
        self.settled.insert(settled);
    }
}

fn vector(record: &ChunkRecord, embedder: &str, dims: usize) -> Option<Vec<f32>> {
    let embedding = record.embedding.as_ref()?;
    let ours = embedding.by == embedder && embedding.values.len() == dims;
    ours.then(|| embedding.vector())
}
