//! The metrics of the harness. Label values are roles and words of this crate, never ids.

use crate::consumer_loop::ConsumerEvent;
use crate::delivery_outcome::{AckReason, DeliveryOutcome};
use crate::tally::{Tally, tally};
use envelope::hop::{RetrieverExit, ValidatorExit};
use envelope::{
    Class, Event, Exit, Fallback, Overrides, PartResult, Payload, ReduceTask, Role, TableOperation,
    Task, TrailEntry,
};
use prometheus::{HistogramVec, IntCounterVec, IntGauge, IntGaugeVec};
use std::time::Duration;
use telemetry::Registry;

/// The metric families, registered at 0 for one role.
#[derive(Clone)]
pub struct Metrics {
    received: IntCounterVec,
    processed: IntCounterVec,
    redeliveries: IntCounterVec,
    queue_wait: HistogramVec,
    step_duration: HistogramVec,
    inflight: IntGaugeVec,
    limit: IntGaugeVec,
    holds: IntCounterVec,
    beats: IntCounterVec,
    ack_failures: IntCounterVec,
    dead: IntCounterVec,
    dead_lost: IntCounterVec,
    fallbacks: IntCounterVec,
    prompts: IntCounterVec,
    fanin_incomplete: IntCounterVec,
    abandoned: IntCounterVec,
    drain: HistogramVec,
    fanout: HistogramVec,
    maps: IntCounterVec,
    facts: IntCounterVec,
    validations: IntCounterVec,
    tables: IntCounterVec,
    outputs: IntCounterVec,
}

/// The version of a text that a turn brought itself.
const OWN_PROMPT: &str = "own";

/// Roles whose model has to answer in JSON.
const READS_JSON: [Role; 2] = [Role::Planner, Role::Mapper];

/// How the output of a model was read, going by what the stage says of it.
fn read_as(fallbacks: &[Fallback]) -> &'static str {
    let is_default = |f: &Fallback| matches!(f, Fallback::PlanDefault | Fallback::MapDefault);
    let is_mended = |f: &Fallback| {
        matches!(
            f,
            Fallback::MapSalvaged | Fallback::PlanFieldsDefaulted { .. }
        )
    };
    match fallbacks {
        all if all.iter().any(is_default) => "defaulted",
        all if all.iter().any(is_mended) => "repaired",
        _ => "clean",
    }
}

/// How many stated facts the passage contains, and how many it does not. Substitutes for facts, where no model
/// could read the passage, do not count.
fn stated(result: &PartResult, fallbacks: &[Fallback]) -> (u64, u64) {
    let kept = match result {
        PartResult::Findings(findings) if !findings.defaulted => findings.facts.len() as u64,
        PartResult::Findings(_) | PartResult::Error(_) => 0,
    };
    let dropped = fallbacks.iter().map(|fallback| match fallback {
        Fallback::FactsUnsupported { count } => u64::from(*count),
        _ => 0,
    });
    (kept, dropped.sum())
}

const OUTCOMES: [&str; 7] = [
    "ok",
    "already_done",
    "dropped",
    "spared",
    "dead_letter",
    "retry",
    "put_off",
];

/// The word for how the work on a message came out.
pub(crate) fn outcome(verdict: DeliveryOutcome) -> &'static str {
    match verdict {
        DeliveryOutcome::Ack(AckReason::Ok) => "ok",
        DeliveryOutcome::Ack(AckReason::AlreadyDone) => "already_done",
        DeliveryOutcome::Ack(AckReason::Dropped) => "dropped",
        DeliveryOutcome::Ack(AckReason::Spared) => "spared",
        DeliveryOutcome::Ack(AckReason::DeadLetter) => "dead_letter",
        DeliveryOutcome::Retry(_) => "retry",
    }
}

impl Metrics {
    /// Registers the families; a second worker of the same process shares them.
    pub fn new(registry: &Registry, roles: &[Role]) -> Result<Metrics, telemetry::Error> {
        use telemetry::buckets;
        let r = registry;
        let metrics = Metrics {
            received: r.counter(
                "argosy_messages_received_total",
                "Messages delivered to a role.",
                &["role"],
            )?,
            processed: r.counter(
                "argosy_messages_processed_total",
                "Deliveries that a role has finished, by the outcome.",
                &["role", "outcome"],
            )?,
            redeliveries: r.counter(
                "argosy_message_redeliveries_total",
                "Deliveries of messages that had been delivered before.",
                &["role"],
            )?,
            queue_wait: r.histogram(
                "argosy_queue_wait_seconds",
                "Time from the publication of a step to the start of the work on it.",
                &["role"],
                buckets::QUEUE_WAIT,
            )?,
            step_duration: r.histogram(
                "argosy_step_duration_seconds",
                "Time from the start of the work on a step until it is acked, given back or given up.",
                &["role", "outcome"],
                buckets::STEP_DURATION,
            )?,
            inflight: r.gauge(
                "argosy_inflight_messages",
                "Messages in work at the moment.",
                &["role"],
            )?,
            limit: r.gauge(
                "argosy_concurrency_limit",
                "The most messages that a process may work on at once.",
                &["role"],
            )?,
            holds: r.counter(
                "argosy_holds_total",
                "Times that a message was held because all that its step depends on, such as every model node, was \
                 busy.",
                &["role"],
            )?,
            beats: r.counter(
                "argosy_ack_extensions_total",
                "In-progress acks sent for messages that take long.",
                &["role"],
            )?,
            ack_failures: r.counter(
                "argosy_ack_failures_total",
                "Acks that could not be sent, or of documents that were not confirmed.",
                &["role"],
            )?,
            dead: r.counter(
                "argosy_dead_letters_total",
                "Messages that were given up, by the class of the failure.",
                &["role", "reason"],
            )?,
            dead_lost: r.counter(
                "argosy_dead_letters_lost_total",
                "Dead letters that could not be stored.",
                &["role"],
            )?,
            fallbacks: r.counter(
                "argosy_fallbacks_total",
                "Fallbacks that were used, by kind.",
                &["role", "kind"],
            )?,
            prompts: r.counter(
                "argosy_prompt_calls_total",
                "Steps that a model answered, by the prompt and the version of its text; the version is `own` if a \
                 replay set the text.",
                &["role", "prompt", "version"],
            )?,
            fanin_incomplete: r.counter(
                "argosy_fanin_incomplete_total",
                "Fan-outs whose answer was written without all parts: parts were `missing` at the soft deadline, were \
                 not waited for (`early`), or `failed`.",
                &["reason"],
            )?,
            abandoned: r.counter(
                "argosy_drain_abandoned_total",
                "Steps that a draining process gave back unfinished.",
                &["role"],
            )?,
            drain: r.histogram(
                "argosy_drain_duration_seconds",
                "Time from the stop signal until a consumer of the process has stopped.",
                &["role"],
                buckets::DRAIN_DURATION,
            )?,
            fanout: r.histogram(
                "argosy_fanout_messages",
                "Number of passages of one search that are mapped.",
                &[],
                buckets::SMALL_COUNTS,
            )?,
            maps: r.counter(
                "argosy_map_chunks_total",
                "Passages that mappers read, by whether they help with the question; `unknown` if the map step failed.",
                &["relevant"],
            )?,
            facts: r.counter(
                "argosy_map_facts_total",
                "Facts that models found in passages, by whether the passage really contains them; the others are left \
                 out of the answer.",
                &["in_passage"],
            )?,
            validations: r.counter(
                "argosy_validations_total",
                "Drafts that the validator checked, by the verdict.",
                &["verdict"],
            )?,
            tables: r.counter(
                "argosy_tables_total",
                "Tables made from documents to answer a question, by the operation.",
                &["operation"],
            )?,
            outputs: r.counter(
                "argosy_llm_output_repairs_total",
                "Model outputs that had to be JSON, by whether they were clean, repaired, or replaced by a fallback \
                 (`defaulted`).",
                &["role", "result"],
            )?,
        };
        metrics.register_at_zero(roles);
        Ok(metrics)
    }

    /// A counter born at 1 raises no alert: `increase()` sees no step.
    fn register_at_zero(&self, roles: &[Role]) {
        for role in roles.iter().map(|role| role.as_str()) {
            for family in [
                &self.received,
                &self.redeliveries,
                &self.holds,
                &self.beats,
                &self.ack_failures,
                &self.dead_lost,
                &self.abandoned,
            ] {
                family.with_label_values(&[role]);
            }
            for outcome in OUTCOMES {
                self.processed.with_label_values(&[role, outcome]);
            }
            for class in Class::WORDS {
                self.dead.with_label_values(&[role, class]);
            }
            for kind in Fallback::WORDS {
                self.fallbacks.with_label_values(&[role, kind]);
            }
        }
        for role in roles.iter().filter(|role| READS_JSON.contains(role)) {
            for result in ["clean", "repaired", "defaulted"] {
                self.outputs.with_label_values(&[role.as_str(), result]);
            }
        }
        for (family, values) in [
            (&self.fanin_incomplete, &["missing", "early", "failed"][..]),
            (&self.maps, &["true", "false", "unknown"]),
            (&self.facts, &["true", "false"]),
            (
                &self.validations,
                &["grounded", "ungrounded", "insufficient", "error"],
            ),
        ] {
            for value in values {
                family.with_label_values(&[*value]);
            }
        }
        for operation in TableOperation::WORDS {
            self.tables.with_label_values(&[operation]);
        }
    }

    pub(crate) fn received(&self, role: Role, queued_ms: u64, delivered: u64) {
        let role = [role.as_str()];
        self.received.with_label_values(&role).inc();
        if delivered > 1 {
            self.redeliveries.with_label_values(&role).inc();
        }
        let waited = self.queue_wait.with_label_values(&role);
        waited.observe(queued_ms as f64 / 1000.0);
    }

    pub(crate) fn answered(&self, role: Role, outcome: &str, took: Duration) {
        let labels = [role.as_str(), outcome];
        self.processed.with_label_values(&labels).inc();
        self.step_duration
            .with_label_values(&labels)
            .observe(took.as_secs_f64());
    }

    /// A prompt of a role, with the version of the text that is in force: its calls are counted from 0 on.
    pub fn knows_prompt(&self, role: Role, name: &str, version: &str) {
        self.prompts
            .with_label_values(&[role.as_str(), name, version]);
    }

    /// Counts the prompts that a step was answered with. A version that this process did not begin with has no
    /// series of its own, because replays could create any number of them.
    pub(crate) fn prompted(&self, entry: &TrailEntry, overrides: &Overrides) {
        for (name, version) in &entry.prompts {
            let version = match overrides.prompts.contains_key(name) {
                true => OWN_PROMPT,
                false => version,
            };
            self.prompts
                .with_label_values(&[entry.role.as_str(), name, version])
                .inc();
        }
    }

    pub(crate) fn done(&self, entry: &TrailEntry) {
        if READS_JSON.contains(&entry.role) && entry.model.is_some() {
            let labels = [entry.role.as_str(), read_as(&entry.fallbacks)];
            self.outputs.with_label_values(&labels).inc();
        }
        for fallback in &entry.fallbacks {
            self.fallbacks
                .with_label_values(&[entry.role.as_str(), fallback.as_str()])
                .inc();
        }
    }

    /// Counts the outcomes of steps that concern the quality of answers.
    pub(crate) fn came_to(&self, event: &Event) {
        if let Event::Exit(Exit::Retriever(RetrieverExit::Listed(listing))) = event {
            let operation = listing.table.operation.as_str();
            self.tables.with_label_values(&[operation]).inc();
        }
        let verdict = match event {
            Event::Exit(Exit::Validator(ValidatorExit::Grounded(_))) => "grounded",
            Event::Exit(Exit::Validator(ValidatorExit::Ungrounded { .. })) => "ungrounded",
            Event::Exit(Exit::Validator(ValidatorExit::Insufficient { .. })) => "insufficient",
            Event::Broken(task, _) if task.payload.role() == Role::Validator => "error",
            Event::Accepted(_)
            | Event::Resumed(..)
            | Event::Begun(_)
            | Event::Exit(_)
            | Event::Broken(..)
            | Event::Unread(_) => return,
        };
        self.validations.with_label_values(&[verdict]).inc();
    }

    /// Counts a passage that was read. One that passes by default was not understood.
    pub(crate) fn read(&self, result: &PartResult, entry: Option<&TrailEntry>) {
        let by_default = entry.is_some_and(|e| e.fallbacks.contains(&Fallback::MapDefault));
        let relevant = match result {
            PartResult::Findings(_) if by_default => "unknown",
            PartResult::Findings(findings) if findings.relevant => "true",
            PartResult::Findings(_) => "false",
            PartResult::Error(_) => "unknown",
        };
        self.maps.with_label_values(&[relevant]).inc();
        let fallbacks = entry.map_or(&[][..], |entry| entry.fallbacks.as_slice());
        let (kept, dropped) = stated(result, fallbacks);
        self.facts.with_label_values(&["true"]).inc_by(kept);
        self.facts.with_label_values(&["false"]).inc_by(dropped);
    }

    pub(crate) fn fanned_out(&self, maps: usize) {
        let none: [&str; 0] = [];
        self.fanout.with_label_values(&none).observe(maps as f64);
    }

    /// What this process has done for a role since it started.
    pub fn tally(&self, role: Role) -> Tally {
        let label = [role.as_str()];
        Tally {
            in_flight: self.inflight.with_label_values(&label).get().max(0) as u64,
            limit: self.limit.with_label_values(&label).get().max(0) as u64,
            ..tally(&self.step_duration, role)
        }
    }

    /// Counts the missing parts of a fan-out at its first reduction: a later one has a later soft deadline, and
    /// lacks the same. The fan-outs of earlier rounds were counted in their own.
    pub(crate) fn gathered(&self, task: &Task, early: bool) {
        if let Payload::Reducer(ReduceTask::Gather {
            strict: false,
            last: false,
            ..
        }) = &task.payload
            && let Some(newest) = task.evidence.last()
        {
            let missed = if early { "early" } else { "missing" };
            for (reason, indexes) in [(missed, newest.missing()), ("failed", newest.failed())] {
                if !indexes.is_empty() {
                    self.fanin_incomplete.with_label_values(&[reason]).inc();
                }
            }
        }
    }

    pub(crate) fn dead(&self, role: Role, class: Class, stored: bool) {
        self.dead
            .with_label_values(&[role.as_str(), class.as_str()])
            .inc();
        if !stored {
            self.dead_lost.with_label_values(&[role.as_str()]).inc();
        }
    }

    pub(crate) fn held(&self, role: Role) {
        self.holds.with_label_values(&[role.as_str()]).inc();
    }

    pub(crate) fn on(&self, role: Role, event: ConsumerEvent) {
        let role = [role.as_str()];
        match event {
            ConsumerEvent::Begun | ConsumerEvent::Answered => {}
            ConsumerEvent::AckExtended => self.beats.with_label_values(&role).inc(),
            ConsumerEvent::AckFailed => self.ack_failures.with_label_values(&role).inc(),
            ConsumerEvent::GivenBack(n) => self.abandoned.with_label_values(&role).inc_by(n as u64),
            ConsumerEvent::Drained(took) => self
                .drain
                .with_label_values(&role)
                .observe(took.as_secs_f64()),
        }
    }

    /// Says how many messages a role may work on at once.
    pub fn limit(&self, role: Role, slots: usize) {
        self.limit
            .with_label_values(&[role.as_str()])
            .set(slots as i64);
    }

    /// Counts a message as being worked on for as long as the guard lives.
    pub(crate) fn inflight(&self, role: Role) -> Inflight {
        let gauge = self.inflight.with_label_values(&[role.as_str()]);
        gauge.inc();
        Inflight(gauge)
    }
}

pub(crate) struct Inflight(IntGauge);

impl Drop for Inflight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
#[path = "metrics_tests.rs"]
mod tests;
