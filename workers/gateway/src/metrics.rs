//! What the gateway counts: every turn once, from its terminal event.

use bus::{Stream, StreamState};
use conversation_log::EventKind;
use envelope::question::RefusalCode;
use envelope::{Outcome, Role, Terminal};
use prometheus::{HistogramVec, IntCounterVec, IntGaugeVec};
use streams::backlog::Backlog;
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
    events: IntCounterVec,
    appends_lost: IntCounterVec,
    waiting: IntGaugeVec,
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
                &["route", "outcome"],
                buckets::QUERY_DURATION,
            )?,
            llm_calls: r.histogram(
                "argosy_query_llm_calls",
                "Model calls of a turn; those that it took over of its parent are not counted again.",
                &["route", "outcome"],
                buckets::SMALL_COUNTS,
            )?,
            rounds: r.histogram(
                "argosy_query_rounds",
                "Rounds of searching and reading that a turn did itself; 0 when it ended before the first.",
                &["route", "outcome"],
                buckets::SMALL_COUNTS,
            )?,
            refusals: r.counter(
                "argosy_refusals_total",
                "Questions that were not taken on, by why.",
                &["code"],
            )?,
            events: r.counter(
                "argosy_conversation_events_total",
                "Events appended to the logs of conversations, by kind.",
                &["kind"],
            )?,
            appends_lost: r.counter(
                "argosy_conversation_append_conflicts_total",
                "Appends to the log of a conversation that did not hold, or were not confirmed: the log was read anew.",
                &[],
            )?,
            waiting: r.gauge(
                "argosy_questions_waiting",
                "Questions put off because their tenants have all their turns running or have spent their tokens of the minute.",
                &[],
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
        metrics.waiting(0);
        metrics.appends_lost.with_label_values::<&str>(&[]);
        for kind in KINDS {
            metrics.events.with_label_values(&[kind]);
        }
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

    /// So many questions wait for their tenants.
    pub(crate) fn waiting(&self, questions: usize) {
        let waiting = self.waiting.with_label_values::<&str>(&[]);
        waiting.set(questions as i64);
    }

    /// An event was appended to the log of a conversation.
    pub(crate) fn appended(&self, event: &EventKind) {
        self.events.with_label_values(&[kind(event)]).inc();
    }

    /// An append did not hold, or nobody knows.
    pub(crate) fn append_lost(&self) {
        self.appends_lost.with_label_values::<&str>(&[]).inc();
    }

    pub(crate) fn refused(&self, code: RefusalCode) {
        self.refusals.with_label_values(&[code.as_str()]).inc();
    }

    pub(crate) fn ended(&self, terminal: &Terminal) {
        let outcome = terminal.outcome.as_str();
        self.queries.with_label_values(&[outcome]).inc();
        let labels = [route(terminal), outcome];
        if terminal.asked_at.0 > 0 {
            let took = terminal.asked_at.until(terminal.ended_at);
            self.duration
                .with_label_values(&labels)
                .observe(took as f64 / 1000.0);
        }
        self.llm_calls
            .with_label_values(&labels)
            .observe(f64::from(terminal.usage.calls));
        self.rounds
            .with_label_values(&labels)
            .observe(f64::from(rounds(terminal)));
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

/// The kinds of events, for series at 0.
const KINDS: [&str; 4] = ["opened", "ended", "forked", "erased"];

fn kind(event: &EventKind) -> &'static str {
    match event {
        EventKind::Opened(_) => "opened",
        EventKind::Ended(_) => "ended",
        EventKind::Forked { .. } => "forked",
        EventKind::Erased(_) => "erased",
    }
}

/// The way a turn went through the fleet, going by its trail; who ended one from outside left none.
fn route(terminal: &Terminal) -> &'static str {
    let mut trail = terminal.trail.iter();
    match trail.any(|entry| entry.role == Role::Planner) {
        true => "agentic",
        false if terminal.trail.is_empty() => "unknown",
        false => "simple",
    }
}

/// The rounds that it did itself.
fn rounds(terminal: &Terminal) -> u8 {
    let own = terminal.trail.iter();
    let own = own.filter(|entry| entry.hop >= terminal.first_hop);
    let own = own.map(|entry| entry.round);
    match (own.clone().min(), own.max()) {
        (Some(first), Some(last)) => last - first + 1,
        _ => 0,
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

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{TenantId, TrailEntry, TurnId, UnixMs, Usage};

    fn entry(role: Role, hop: u16, round: u8) -> TrailEntry {
        TrailEntry {
            role,
            hop,
            round,
            index: None,
            attempt: 1,
            queued_ms: 0,
            worked_ms: 0,
            model: None,
            usage: Usage::default(),
            decided: String::new(),
            fallbacks: Vec::new(),
        }
    }

    fn ended(first_hop: u16, trail: &[TrailEntry]) -> Terminal {
        let tenant = TenantId::default_tenant();
        let bare = Terminal::bare(TurnId::again("x"), tenant, Outcome::Answered, UnixMs(9_000));
        Terminal {
            first_hop,
            asked_at: UnixMs(1_000),
            trail: trail.to_vec(),
            ..bare
        }
    }

    #[test]
    fn a_turn_counts_under_its_route_and_only_what_it_did_itself() {
        let agentic = [
            entry(Role::Planner, 0, 0),
            entry(Role::Reducer, 4, 0),
            entry(Role::Planner, 6, 1),
            entry(Role::Reducer, 10, 1),
        ];
        let simple = [entry(Role::Retriever, 0, 0), entry(Role::Reducer, 1, 0)];
        let seen = |first_hop, trail: &[TrailEntry]| {
            let terminal = ended(first_hop, trail);
            (route(&terminal), rounds(&terminal))
        };
        assert_eq!(seen(0, &agentic), ("agentic", 2));
        assert_eq!(seen(10, &agentic), ("agentic", 1), "one was taken over");
        assert_eq!(seen(0, &simple), ("simple", 1));
        assert_eq!(seen(0, &[]), ("unknown", 0));

        let registry = Registry::new();
        let metrics = Metrics::new(&registry).unwrap();
        metrics.ended(&ended(10, &agentic));
        let text = registry.encode();
        for line in [
            r#"argosy_queries_total{outcome="answered"} 1"#,
            r#"argosy_query_duration_seconds_sum{outcome="answered",route="agentic"} 8"#,
            r#"argosy_query_rounds_sum{outcome="answered",route="agentic"} 1"#,
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
