//! Metrics of searches, and of chunks that a vector search cannot find. The label `bucket` is the name of a bucket that
//! the index knows, `several`, `all`, or `other` for an unknown bucket, so that no question can create a new series.

use crate::merged::Picked;
use prometheus::{HistogramVec, IntCounterVec, IntGauge, IntGaugeVec};
use search::SearchResult;
use std::time::Duration;
use telemetry::{Registry, buckets};

/// The search was not restricted to buckets.
pub(crate) const ALL: &str = "all";
/// It named more than one.
pub(crate) const SEVERAL: &str = "several";
/// It named one that is not in the index.
pub(crate) const OTHER: &str = "other";

/// Sentences were there.
const HIT: &str = "hit";
/// They were not.
const MISS: &str = "miss";

/// Matching passages of one search: nothing, a handful, a page, and from 100 on more than a search
/// fetches.
const HITS: &[f64] = &[
    0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 500.0, 1_000.0, 10_000.0,
];

/// The families of this crate. Clones share them.
#[derive(Debug, Clone)]
pub struct Metrics {
    duration: HistogramVec,
    hits: HistogramVec,
    empty: IntCounterVec,
    repeated: IntCounterVec,
    sentence_cache: IntCounterVec,
    without_vector: IntGaugeVec,
    lag: IntGaugeVec,
}

/// The gauge of how far the index of an edition is behind the corpus. Its series is removed when this is dropped.
#[derive(Debug)]
pub struct IndexLag {
    family: IntGaugeVec,
    edition: String,
}

impl IndexLag {
    /// Sets the number of messages between the index and the newest message of the edition. An unknown number removes
    /// the series.
    pub fn set(&self, messages: Option<u64>) {
        let label = [&self.edition];
        match messages {
            Some(messages) => self
                .family
                .with_label_values(&label)
                .set(messages.cast_signed()),
            // It may never have been there.
            None => drop(self.family.remove_label_values(&label)),
        }
    }
}

impl Drop for IndexLag {
    fn drop(&mut self) {
        self.set(None);
    }
}

/// The gauge of chunks of an edition that came without a vector of its embedder. Clones share it.
#[derive(Debug, Clone)]
pub struct WithoutVector(IntGauge);

impl WithoutVector {
    /// Sets the number of such chunks.
    pub fn set(&self, chunks: u64) {
        self.0.set(chunks.cast_signed());
    }

    /// Adds to the number of such chunks.
    pub fn add(&self, chunks: u64) {
        self.0.add(chunks.cast_signed());
    }
}

impl Metrics {
    /// Registers the families; asking twice gives the same ones.
    ///
    /// # Errors
    /// When the registry has another family of the same name.
    pub fn new(registry: &Registry) -> Result<Metrics, telemetry::Error> {
        let labels = &["bucket"];
        let metrics = Metrics {
            duration: registry.histogram(
                "argosy_retrieval_duration_seconds",
                "Time of one search, from the request to its passages.",
                labels,
                buckets::RETRIEVAL_DURATION,
            )?,
            hits: registry.histogram(
                "argosy_retrieval_hits",
                "Number of passages that match a search, including those that are not returned.",
                labels,
                HITS,
            )?,
            empty: registry.counter(
                "argosy_retrieval_empty_total",
                "Searches that found nothing.",
                labels,
            )?,
            repeated: registry.counter(
                "argosy_retrieval_repeated_total",
                "Candidates that were skipped because a passage in the result says the same.",
                labels,
            )?,
            sentence_cache: registry.counter(
                "argosy_retrieval_sentence_cache_lookups_total",
                "Candidates of searches, by whether their sentences were in the cache (`hit`) or had to be read \
                 (`miss`).",
                &["result"],
            )?,
            without_vector: registry.gauge(
                "argosy_retrieval_chunks_without_vector",
                "Chunks that came without a vector of the edition's embedder; the vector search does not find them.",
                &["edition"],
            )?,
            lag: registry.gauge(
                "argosy_index_lag_messages",
                "How many messages of the corpus stream the index of an edition is behind the newest message of that \
                 edition. Absent while the server cannot be asked.",
                &["edition"],
            )?,
        };
        for family in [&metrics.empty, &metrics.repeated] {
            telemetry::zero(family, &[&[ALL, SEVERAL, OTHER]])?;
        }
        telemetry::zero(&metrics.sentence_cache, &[&[HIT, MISS]])?;
        Ok(metrics)
    }

    /// The gauge of chunks of an edition that a vector search cannot find; it starts at 0.
    pub fn without_vector(&self, edition: &str) -> WithoutVector {
        WithoutVector(self.without_vector.with_label_values(&[edition]))
    }

    /// The gauge of how far the index of an edition is behind.
    pub fn lag(&self, edition: &str) -> IndexLag {
        IndexLag {
            family: self.lag.clone(),
            edition: edition.to_owned(),
        }
    }

    /// Counts what one search looked up.
    pub(crate) fn looked_up(&self, picked: &Picked) {
        let count = |result| self.sentence_cache.with_label_values(&[result]);
        count(HIT).inc_by(picked.sentences_found);
        count(MISS).inc_by(picked.sentences_read);
    }

    /// Of all candidates whose sentences were needed so far, the share whose sentences were in the cache; 0 when there
    /// were none.
    pub fn sentence_cache_hit_share(&self) -> f64 {
        let [hits, misses] = [HIT, MISS].map(|result| {
            let counter = self.sentence_cache.with_label_values(&[result]);
            counter.get() as f64
        });
        hits / (hits + misses).max(1.0)
    }

    /// Counts one search that succeeded.
    pub(crate) fn searched(&self, bucket: &str, took: Duration, result: &SearchResult) {
        let label = &[bucket];
        self.duration
            .with_label_values(label)
            .observe(took.as_secs_f64());
        self.hits
            .with_label_values(label)
            .observe(result.total_hits as f64);
        let empty = self.empty.with_label_values(label);
        empty.inc_by(u64::from(result.passages.is_empty()));
        let repeated = self.repeated.with_label_values(label);
        repeated.inc_by(u64::from(result.repeated));
    }
}
