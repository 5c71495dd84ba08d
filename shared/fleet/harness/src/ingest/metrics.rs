//! The metrics of an indexer besides those of its messages. Label values are words of this crate, never ids.

use envelope::document::DocumentOutcome;
use prometheus::IntCounterVec;
use stage::Columns;
use telemetry::Registry;

/// The metrics of an indexer besides those of its messages.
#[derive(Clone)]
pub struct IngestMetrics {
    documents: IntCounterVec,
    chunks: IntCounterVec,
    bytes: IntCounterVec,
    columns: IntCounterVec,
}

/// What became of columns: as words, and where they are counted.
fn column_counts(columns: &Columns) -> [(&'static str, u32); 5] {
    let Columns {
        found,
        missing,
        misfit,
        invented,
        unanswered,
    } = *columns;
    [
        ("found", found),
        ("missing", missing),
        ("misfit", misfit),
        ("invented", invented),
        ("unanswered", unanswered),
    ]
}

impl IngestMetrics {
    /// Registers the families, at 0.
    pub fn new(registry: &Registry) -> Result<IngestMetrics, telemetry::Error> {
        let metrics = IngestMetrics {
            documents: registry.counter(
                "argosy_documents_total",
                "Documents that indexers have finished, by the outcome.",
                &["outcome"],
            )?,
            chunks: registry.counter(
                "argosy_document_chunks_total",
                "Messages stored in the corpus stream.",
                &[],
            )?,
            bytes: registry.counter(
                "argosy_document_bytes_total",
                "Size in bytes of the documents that were read.",
                &[],
            )?,
            columns: registry.counter(
                "argosy_document_columns_total",
                "Schema columns of documents, by the outcome of reading their values.",
                &["outcome"],
            )?,
        };
        metrics.columns(&Columns::default());
        for outcome in DocumentOutcome::ALL {
            metrics.documents.with_label_values(&[outcome.as_str()]);
        }
        let none: [&str; 0] = [];
        metrics.chunks.with_label_values(&none);
        metrics.bytes.with_label_values(&none);
        Ok(metrics)
    }

    pub(crate) fn document(&self, outcome: DocumentOutcome) {
        self.documents.with_label_values(&[outcome.as_str()]).inc();
    }

    pub(crate) fn chunks(&self, n: u32) {
        let none: [&str; 0] = [];
        self.chunks.with_label_values(&none).inc_by(u64::from(n));
    }

    /// Counts the columns of one document by their results.
    pub(crate) fn columns(&self, columns: &Columns) {
        for (outcome, n) in column_counts(columns) {
            self.columns
                .with_label_values(&[outcome])
                .inc_by(u64::from(n));
        }
    }

    pub(crate) fn bytes(&self, n: usize) {
        let none: [&str; 0] = [];
        self.bytes.with_label_values(&none).inc_by(n as u64);
    }
}
