//! Metrics of a process's store of conversations. No label names a conversation or its owner.

use conversation_log::StoreSizes;
use prometheus::{Histogram, HistogramVec, IntGauge, IntGaugeVec};
use std::time::Duration;
use telemetry::{Registry, buckets};

/// The families of a store. Clones share them.
#[derive(Debug, Clone)]
pub struct Metrics {
    open: IntGauge,
    lag: IntGaugeVec,
    bytes: IntGaugeVec,
    conversations: IntGaugeVec,
    flush: Histogram,
    recovery: HistogramVec,
}

/// How a store caught up with its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// The folder was opened, and all that is in it checked.
    Open,
    /// It was emptied and fed with the whole stream.
    Rebuild,
}

impl Recovery {
    const ALL: [Recovery; 2] = [Recovery::Open, Recovery::Rebuild];

    const fn as_str(self) -> &'static str {
        match self {
            Recovery::Open => "open",
            Recovery::Rebuild => "rebuild",
        }
    }
}

impl Metrics {
    /// Registers the families; asking twice gives the same ones.
    ///
    /// # Errors
    /// When the registry has another family of the same name.
    pub fn new(registry: &Registry) -> Result<Metrics, telemetry::Error> {
        let flush = registry.histogram(
            "argosy_conversation_store_flush_seconds",
            "Time to write a batch of events to disk; only then does the store serve them.",
            &[],
            buckets::RETRIEVAL_DURATION,
        )?;
        let open = registry.gauge(
            "argosy_conversation_store_open",
            "1 while the store is open and works, else 0; without a store the process reads the logs from the stream.",
            &[],
        )?;
        let metrics = Metrics {
            open: open.with_label_values::<&str>(&[]),
            lag: registry.gauge(
                "argosy_conversation_store_lag_events",
                "Events of the stream that the store lacks. Absent while the server cannot be asked or no store is \
                 open.",
                &[],
            )?,
            bytes: registry.gauge(
                "argosy_conversation_store_bytes",
                "Bytes of the store on disk, including damaged stores that were set aside.",
                &[],
            )?,
            conversations: registry.gauge(
                "argosy_conversation_store_conversations",
                "Conversations that the store holds.",
                &[],
            )?,
            flush: flush.with_label_values::<&str>(&[]),
            recovery: registry.histogram(
                "argosy_conversation_store_recovery_seconds",
                "Time until the store could be read: to open and check its folder (`open`), or to fill it from the \
                 whole stream (`rebuild`).",
                &["how"],
                buckets::STORE_RECOVERY,
            )?,
        };
        for how in Recovery::ALL {
            metrics.recovery.with_label_values(&[how.as_str()]);
        }
        Ok(metrics)
    }

    /// Records that a store has caught up with its stream.
    pub fn recovered(&self, how: Recovery, took: Duration) {
        let recovery = self.recovery.with_label_values(&[how.as_str()]);
        recovery.observe(took.as_secs_f64());
    }

    /// Records whether a store is open. The series of a closed one are removed.
    pub fn open(&self, is_open: bool) {
        self.open.set(is_open.into());
        if !is_open {
            for family in [&self.lag, &self.bytes, &self.conversations] {
                // It may never have been there.
                let _ = family.remove_label_values::<&str>(&[]);
            }
        }
    }

    pub(crate) fn flushed(&self, took: Duration) {
        self.flush.observe(took.as_secs_f64());
    }

    /// How far the store is behind. An unknown lag has no series, because an old number would be taken for a new
    /// one.
    pub(crate) fn lags(&self, events: Option<u64>) {
        match events {
            Some(events) => set(&self.lag, events),
            None => drop(self.lag.remove_label_values::<&str>(&[])),
        }
    }

    pub(crate) fn holds(&self, sizes: StoreSizes) {
        set(&self.bytes, sizes.bytes);
        set(&self.conversations, sizes.conversations);
    }
}

fn set(family: &IntGaugeVec, value: u64) {
    let gauge = family.with_label_values::<&str>(&[]);
    gauge.set(value.cast_signed());
}
