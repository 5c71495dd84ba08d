//! The counts of a corpus, written to `summary.json`.

use crate::corpus::Corpus;
use crate::field::Shelf;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts by name.
type Counts = BTreeMap<String, usize>;

/// The counts of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusSummary {
    /// The split.
    pub side: String,
    /// The seed.
    pub seed: u64,
    /// Documents.
    pub documents: usize,
    /// The bytes of all documents.
    pub bytes: usize,
    /// Companies.
    pub companies: usize,
    /// Documents by bucket.
    pub buckets: Counts,
    /// Buckets without a schema.
    pub without_schema: Vec<String>,
    /// Documents by sort of file.
    pub files: Counts,
    /// The counts of values by their place (`Stand`), over all documents and all their fields.
    pub values: Counts,
    /// The same counts by bucket.
    pub values_by_bucket: BTreeMap<String, Counts>,
    /// Questions by kind.
    pub questions: Counts,
    /// Questions by family of near-misses.
    pub near_misses: Counts,
}

impl CorpusSummary {
    pub(crate) fn of(corpus: &Corpus) -> CorpusSummary {
        let mut summary = CorpusSummary {
            side: corpus.plan.half.as_str().to_owned(),
            seed: corpus.plan.seed,
            documents: corpus.records.len(),
            bytes: corpus.files.iter().map(|file| file.bytes.len()).sum(),
            companies: corpus.companies.len(),
            buckets: Counts::new(),
            without_schema: Vec::new(),
            files: Counts::new(),
            values: Counts::new(),
            values_by_bucket: BTreeMap::new(),
            questions: Counts::new(),
            near_misses: Counts::new(),
        };
        for shelf in Shelf::ALL
            .into_iter()
            .filter(|shelf| !corpus.has_schema(*shelf))
        {
            summary.without_schema.push(corpus.bucket(shelf).to_owned());
        }
        let add =
            |counts: &mut Counts, name: &str| *counts.entry(name.to_owned()).or_default() += 1;
        for record in &corpus.records {
            let bucket = corpus.bucket(record.shelf());
            add(&mut summary.buckets, bucket);
            add(&mut summary.files, record.file.as_str());
            let of_bucket = summary
                .values_by_bucket
                .entry(bucket.to_owned())
                .or_default();
            for field in record.shelf().fields() {
                let stand = record.stand(*field).as_str();
                add(&mut summary.values, stand);
                add(of_bucket, stand);
            }
        }
        for question in &corpus.questions {
            add(&mut summary.questions, question.kind.as_str());
            if let Some(family) = question.family {
                add(&mut summary.near_misses, family.as_str());
            }
        }
        summary
    }

    pub(crate) fn to_json(&self) -> Vec<u8> {
        let mut out = serde_json::to_vec_pretty(self).expect("texts and numbers have JSON");
        out.push(b'\n');
        out
    }
}
