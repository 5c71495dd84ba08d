//! What the gateway counts: every turn once, from its terminal event.

use envelope::question::RefusalCode;
use envelope::{Outcome, Role, Terminal};
use harness::backlog::Backlog;
use harness::bus::{Stream, StreamState};
use prometheus::{HistogramVec, IntCounterVec, IntGaugeVec};
use telemetry::Registry;

/// The families of a gateway.
#[derive(Clone)]
pub struct Metrics {
    asked: IntCounterVec,
    queries: IntCounterVec,
    duration: HistogramVec,
    llm_calls: HistogramVec,
    rounds: HistogramVec,
    refusals: IntCounterVec,
    stream_bytes: IntGaugeVec,
    stream_bytes_max: IntGaugeVec,
    pending: IntGaugeVec,
    ack_pending: IntGaugeVec,
    dead: IntGaugeVec,
}

impl Metrics {
    /// Registers the families at 0.
    pub fn new(registry: &Registry) -> Result<Metrics, telemetry::Error> {
        use telemetry::buckets;
        let r = registry;
        let metrics = Metrics {
            asked: r.counter(
                "argosy_questions_accepted_total",
                "Questions that became turns.",
                &[],
            )?,
            queries: r.counter(
                "argosy_queries_total",
                "Turns that ended, by how.",
                &["outcome"],
            )?,
            duration: r.histogram(
                "argosy_query_duration_seconds",
                "From storing a question to its terminal event.",
                &["outcome"],
                buckets::QUERY_DURATION,
            )?,
            llm_calls: r.histogram(
                "argosy_query_llm_calls",
                "Model calls of a turn.",
                &["outcome"],
                buckets::SMALL_COUNTS,
            )?,
            rounds: r.histogram(
                "argosy_query_rounds",
                "Rounds of searching and reading of a turn; 0 when it ended before the first.",
                &["outcome"],
                buckets::SMALL_COUNTS,
            )?,
            refusals: r.counter(
                "argosy_refusals_total",
                "Questions that were not taken on, by why.",
                &["code"],
            )?,
            stream_bytes: r.gauge("argosy_stream_bytes", "Bytes in a stream.", &["stream"])?,
            stream_bytes_max: r.gauge(
                "argosy_stream_limit_bytes",
                "Bytes that a stream may hold.",
                &["stream"],
            )?,
            pending: r.gauge(
                "argosy_consumer_pending_messages",
                "Messages that wait for their first delivery to a role, as the server's leader says.",
                &["role"],
            )?,
            ack_pending: r.gauge(
                "argosy_consumer_ack_pending_messages",
                "Messages delivered to a role and not answered, as the server's leader says.",
                &["role"],
            )?,
            dead: r.gauge(
                "argosy_dead_letter_messages",
                "Steps and documents of a role that lie as dead letters.",
                &["role"],
            )?,
        };
        metrics.asked.with_label_values::<&str>(&[]);
        for outcome in Outcome::ALL {
            metrics.queries.with_label_values(&[outcome.as_str()]);
        }
        for code in RefusalCode::ALL {
            metrics.refusals.with_label_values(&[code.as_str()]);
        }
        Ok(metrics)
    }

    pub(crate) fn asked(&self) {
        self.asked.with_label_values::<&str>(&[]).inc();
    }

    pub(crate) fn refused(&self, code: RefusalCode) {
        self.refusals.with_label_values(&[code.as_str()]).inc();
    }

    pub(crate) fn ended(&self, terminal: &Terminal) {
        let outcome = [terminal.outcome.as_str()];
        self.queries.with_label_values(&outcome).inc();
        if terminal.asked_at.0 > 0 {
            let took = terminal.asked_at.until(terminal.ended_at);
            self.duration
                .with_label_values(&outcome)
                .observe(took as f64 / 1000.0);
        }
        self.llm_calls
            .with_label_values(&outcome)
            .observe(f64::from(terminal.usage.calls));
        let last = terminal.trail.iter().map(|entry| entry.round).max();
        self.rounds
            .with_label_values(&outcome)
            .observe(last.map_or(0.0, |round| f64::from(round) + 1.0));
    }

    pub(crate) fn stream(&self, stream: Stream, state: &StreamState) {
        let label = [stream.name()];
        self.stream_bytes
            .with_label_values(&label)
            .set(state.bytes as i64);
        self.stream_bytes_max
            .with_label_values(&label)
            .set(state.max_bytes as i64);
    }

    /// What waits for a role; what is not known has no series, because an old number would be taken for
    /// a new one.
    pub(crate) fn backlog(&self, role: Role, backlog: Option<Backlog>) {
        show(&self.pending, role, backlog.map(|b| b.pending));
        show(&self.ack_pending, role, backlog.map(|b| b.ack_pending));
    }

    /// The dead letters of a role, if they are known.
    pub(crate) fn dead_letters(&self, role: Role, count: Option<u64>) {
        show(&self.dead, role, count);
    }
}

fn show(family: &IntGaugeVec, role: Role, value: Option<u64>) {
    let label = [role.as_str()];
    match value {
        Some(value) => family.with_label_values(&label).set(value as i64),
        // It may never have been there.
        None => drop(family.remove_label_values(&label)),
    }
}
