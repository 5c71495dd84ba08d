//! The metrics of the gateway. Each turn counts once, from its terminal event.

mod conversations;

use bus::{Stream, StreamState};
use conversations::Conversations;
use envelope::question::RefusalCode;
use envelope::{Outcome, Role, Terminal};
use prometheus::{HistogramVec, IntCounterVec, IntGaugeVec};
use streams::backlog::Backlog;
use telemetry::Registry;

/// The values of the label by which questions are compared with a target for latency.
const COMPLEXITIES: [&str; 2] = ["simple", "complex"];

/// The metric families of a gateway.
#[derive(Clone)]
pub struct Metrics {
    asked: IntCounterVec,
    queries: IntCounterVec,
    duration: HistogramVec,
    llm_calls: HistogramVec,
    rounds: HistogramVec,
    refusals: IntCounterVec,
    pub(crate) conversations: Conversations,
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
                "Turns that ended, by the outcome.",
                &["complexity", "outcome"],
            )?,
            duration: r.histogram(
                "argosy_query_duration_seconds",
                "Time from the storing of a question to its terminal event.",
                &["complexity", "route", "outcome"],
                buckets::QUERY_DURATION,
            )?,
            llm_calls: r.histogram(
                "argosy_query_llm_calls",
                "Model calls of a turn, without those that it took over from its parent.",
                &["route", "outcome"],
                buckets::SMALL_COUNTS,
            )?,
            rounds: r.histogram(
                "argosy_query_rounds",
                "Rounds of search and reading of a turn, without those that it took over from its parent; 0 if it \
                 ended before the first.",
                &["route", "outcome"],
                buckets::SMALL_COUNTS,
            )?,
            refusals: r.counter(
                "argosy_refusals_total",
                "Questions that were refused, by the reason.",
                &["code"],
            )?,
            conversations: Conversations::new(r)?,
            waiting: r.gauge(
                "argosy_questions_waiting",
                "Questions that wait because their tenant runs as many turns as it may or has spent its tokens of the \
                 minute.",
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
                "Messages that wait for their first delivery to a role, as the leader of the consumer reports.",
                &["role"],
            )?,
            ack_pending: r.gauge(
                "argosy_consumer_ack_pending_messages",
                "Messages delivered to a role and not acked yet, as the leader of the consumer reports.",
                &["role"],
            )?,
            dead: r.gauge(
                "argosy_dead_letter_messages",
                "Dead letters of a role that are stored, of steps and of documents.",
                &["role"],
            )?,
        };
        metrics.asked.with_label_values::<&str>(&[]);
        metrics.waiting(0);
        let outcomes = Outcome::ALL.map(Outcome::as_str);
        telemetry::zero(&metrics.queries, &[&COMPLEXITIES, &outcomes])?;
        for code in RefusalCode::ALL {
            metrics.refusals.with_label_values(&[code.as_str()]);
        }
        Ok(metrics)
    }

    pub(crate) fn asked(&self) {
        self.asked.with_label_values::<&str>(&[]).inc();
    }

    /// Sets how many questions wait for their tenants.
    pub(crate) fn waiting(&self, questions: usize) {
        let waiting = self.waiting.with_label_values::<&str>(&[]);
        waiting.set(questions as i64);
    }

    pub(crate) fn refused(&self, code: RefusalCode) {
        self.refusals.with_label_values(&[code.as_str()]).inc();
    }

    pub(crate) fn ended(&self, terminal: &Terminal) {
        let outcome = terminal.outcome.as_str();
        let (complexity, route) = (complexity(terminal), route(terminal));
        self.queries.with_label_values(&[complexity, outcome]).inc();
        let labels = [route, outcome];
        if terminal.asked_at.0 > 0 {
            let took = terminal.asked_at.until(terminal.ended_at);
            self.duration
                .with_label_values(&[complexity, route, outcome])
                .observe(took as f64 / 1000.0);
        }
        self.llm_calls
            .with_label_values(&labels)
            .observe(f64::from(terminal.usage.calls));
        self.rounds
            .with_label_values(&labels)
            .observe(f64::from(rounds(terminal)));
    }

    /// Sets how full a stream is. A value that is not known has no series, because an old number would be taken for a
    /// new one.
    pub(crate) fn stream(&self, stream: Stream, state: Option<&StreamState>) {
        let name = stream.name();
        let label = [&*name];
        show(&self.stream_bytes, label, state.map(|state| state.bytes));
        show(
            &self.stream_bytes_max,
            label,
            state.map(|state| state.max_bytes),
        );
    }

    /// Sets what waits for a role, if that is known.
    pub(crate) fn backlog(&self, role: Role, backlog: Option<Backlog>) {
        let label = [role.as_str()];
        show(&self.pending, label, backlog.map(|b| b.pending));
        show(&self.ack_pending, label, backlog.map(|b| b.ack_pending));
    }

    /// Sets the number of dead letters of a role, if it is known.
    pub(crate) fn dead_letters(&self, role: Role, count: Option<u64>) {
        show(&self.dead, [role.as_str()], count);
    }
}

/// The route of a turn through the fleet, by its trail. A turn that was ended from outside has no trail.
fn route(terminal: &Terminal) -> &'static str {
    let mut trail = terminal.trail.iter();
    match trail.any(|entry| entry.role == Role::Planner) {
        true => "agentic",
        false if terminal.trail.is_empty() => "unknown",
        false => "simple",
    }
}

/// Which of the two latency targets a turn has: that of a question that is searched for and answered at once, or that
/// of one that is planned. A turn that was ended from outside has no trail and counts as planned, which is the
/// default route.
fn complexity(terminal: &Terminal) -> &'static str {
    let [simple, complex] = COMPLEXITIES;
    match route(terminal) {
        "simple" => simple,
        _ => complex,
    }
}

/// The number of rounds that the turn itself did.
fn rounds(terminal: &Terminal) -> u8 {
    let own = terminal.trail.iter();
    let own = own.filter(|entry| entry.hop >= terminal.first_hop);
    let own = own.map(|entry| entry.round);
    match (own.clone().min(), own.max()) {
        (Some(first), Some(last)) => last - first + 1,
        _ => 0,
    }
}

fn show<const N: usize>(family: &IntGaugeVec, label: [&str; N], value: Option<u64>) {
    match value {
        Some(value) => family.with_label_values(&label).set(value.cast_signed()),
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
            prompts: Default::default(),
            remarks: Default::default(),
            conditions: None,
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
        metrics.ended(&ended(0, &simple));
        let text = registry.encode();
        for line in [
            r#"argosy_queries_total{complexity="complex",outcome="answered"} 1"#,
            r#"argosy_query_duration_seconds_sum{complexity="complex",outcome="answered",route="agentic"} 8"#,
            r#"argosy_queries_total{complexity="simple",outcome="answered"} 1"#,
            r#"argosy_query_rounds_sum{outcome="answered",route="agentic"} 1"#,
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
