//! Metrics of model calls.
//!
//! All pools of a process share the families; the label `model` tells them apart. Every counter of a pool starts at 0,
//! because a counter that first appears at 1 raises no alert. Label values are configured names or names of enum
//! variants.

use crate::balance::NodeView;
use crate::failure::Failure;
use envelope::Role;
use prometheus::{Histogram, HistogramVec, IntCounterVec, IntGauge, IntGaugeVec};
use std::time::{Duration, Instant};
use telemetry::{Error, Registry, buckets, zero};

/// The metric families of this crate.
#[derive(Debug, Clone)]
pub(crate) struct Metrics {
    duration: HistogramVec,
    tokens: IntCounterVec,
    in_flight: IntGaugeVec,
    retries: IntCounterVec,
    first_token: HistogramVec,
    per_token: HistogramVec,
    hedges: IntCounterVec,
    healthy: IntGaugeVec,
    breaker: IntGaugeVec,
    permits: IntGaugeVec,
    waiting: IntGaugeVec,
    waited: HistogramVec,
}

/// What a breaker can be, as a node is seen.
const BREAKER: [&str; 3] = ["closed", "half_open", "open"];

/// The outcome of a call that was made a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hedge {
    /// The second answer was taken.
    Won,
    /// The first was taken after all, or none came.
    Lost,
}

impl Hedge {
    const ALL: [&str; 2] = [Hedge::Won.as_str(), Hedge::Lost.as_str()];

    const fn as_str(self) -> &'static str {
        match self {
            Hedge::Won => "won",
            Hedge::Lost => "lost",
        }
    }
}

/// How a call of a node ended: the label `outcome` and, for calls that are tried again, `reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Ok,
    TooLong,
    Dialect,
    Busy,
    Down,
    Slow,
    Refused,
    Garbled,
    Empty,
    Cancelled,
}

impl Outcome {
    const ALL: [Outcome; 10] = [
        Outcome::Ok,
        Outcome::TooLong,
        Outcome::Dialect,
        Outcome::Busy,
        Outcome::Down,
        Outcome::Slow,
        Outcome::Refused,
        Outcome::Garbled,
        Outcome::Empty,
        Outcome::Cancelled,
    ];

    /// Those after which a call may be tried again.
    const RETRIED: [&str; 7] = [
        Outcome::TooLong.as_str(),
        Outcome::Dialect.as_str(),
        Outcome::Busy.as_str(),
        Outcome::Down.as_str(),
        Outcome::Slow.as_str(),
        Outcome::Refused.as_str(),
        Outcome::Garbled.as_str(),
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::TooLong => "too_long",
            Outcome::Dialect => "dialect",
            Outcome::Busy => "busy",
            Outcome::Down => "down",
            Outcome::Slow => "slow",
            Outcome::Refused => "refused",
            Outcome::Garbled => "garbled",
            Outcome::Empty => "empty",
            Outcome::Cancelled => "cancelled",
        }
    }
}

impl From<&Failure> for Outcome {
    fn from(failure: &Failure) -> Self {
        match failure {
            Failure::TooLong { .. } => Outcome::TooLong,
            Failure::Dialect { .. } => Outcome::Dialect,
            Failure::Busy { .. } | Failure::Full | Failure::Away { .. } => Outcome::Busy,
            Failure::Down { .. } => Outcome::Down,
            Failure::Slow { .. } => Outcome::Slow,
            Failure::Refused { .. } => Outcome::Refused,
            Failure::Garbled { .. } => Outcome::Garbled,
            Failure::Empty { .. } => Outcome::Empty,
        }
    }
}

const DIRECTIONS: [&str; 3] = ["input", "output", "cached"];

/// Registers every family of this crate for a model and a node without a name, for code that lists all metrics.
///
/// # Errors
/// When the registry has other families of these names.
pub fn register(registry: &Registry) -> Result<(), Error> {
    Metrics::new(registry, "")?.node("", "")?;
    crate::cache::lookups(registry, "")?;
    Ok(())
}

impl Metrics {
    /// The families, and every counter of this model at 0.
    pub(crate) fn new(registry: &Registry, model: &str) -> Result<Self, Error> {
        let metrics = Metrics {
            duration: registry.histogram(
                "argosy_llm_request_duration_seconds",
                "Time of one call to one node, without the wait for a place.",
                &["role", "model", "node", "outcome"],
                buckets::LLM_DURATION,
            )?,
            tokens: registry.counter(
                "argosy_llm_tokens_total",
                "Tokens that models read (`input`), wrote (`output`), or had in their prefix cache (`cached`).",
                &["role", "model", "direction"],
            )?,
            in_flight: registry.gauge(
                "argosy_llm_inflight_requests",
                "Calls in flight at a node.",
                &["model", "node"],
            )?,
            retries: registry.counter(
                "argosy_llm_retries_total",
                "Calls that were repeated, by the reason.",
                &["model", "node", "reason"],
            )?,
            first_token: registry.histogram(
                "argosy_llm_time_to_first_token_seconds",
                "Time from sending a request to the first token of the answer.",
                &["model", "node"],
                buckets::TIME_TO_FIRST_TOKEN,
            )?,
            per_token: registry.histogram(
                "argosy_llm_time_per_output_token_seconds",
                "Time between two tokens of a streamed answer, on average over the answer.",
                &["model", "node"],
                buckets::TIME_PER_OUTPUT_TOKEN,
            )?,
            hedges: registry.counter(
                "argosy_llm_hedges_total",
                "Hedged calls: late calls that were made a second time on another node, by whether the second call \
                 `won` or `lost`.",
                &["model", "result"],
            )?,
            healthy: registry.gauge(
                "argosy_llm_node_healthy",
                "1 while the circuit breaker of a node is closed, so that the node gets calls, else 0.",
                &["model", "node"],
            )?,
            breaker: registry.gauge(
                "argosy_llm_node_breaker",
                "State of the circuit breaker of a node: 1 for the present state, 0 for the others.",
                &["model", "node", "state"],
            )?,
            waiting: registry.gauge(
                "argosy_llm_waiting_requests",
                "Calls that wait for a place at a node.",
                &["model"],
            )?,
            waited: registry.histogram(
                "argosy_llm_wait_seconds",
                "Time that a call waited for a place at a node, also if it got none; 0 if a place was free.",
                &["model"],
                buckets::QUEUE_WAIT,
            )?,
            permits: registry.gauge(
                "argosy_llm_node_permits",
                "The most calls that this process makes to a node at once, adapted to the latency of the node.",
                &["model", "node"],
            )?,
        };
        let roles = Role::THINKING.map(Role::as_str);
        zero(&metrics.tokens, &[&roles, &[model], &DIRECTIONS])?;
        zero(&metrics.hedges, &[&[model], &Hedge::ALL])?;
        metrics.waiting.with_label_values(&[model]).set(0);
        Ok(metrics)
    }

    /// Every counter of a node at 0, and the gauge of its calls.
    pub(crate) fn node(&self, model: &str, node: &str) -> Result<IntGauge, Error> {
        zero(&self.retries, &[&[model], &[node], &Outcome::RETRIED])?;
        Ok(self.in_flight.with_label_values(&[model, node]))
    }

    /// Notes how long each token after the first took, if there were any.
    pub(crate) fn tokens_after(&self, model: &str, node: &str, took: Duration, tokens: u64) {
        if tokens > 1 {
            let each = took.as_secs_f64() / (tokens - 1) as f64;
            self.per_token
                .with_label_values(&[model, node])
                .observe(each);
        }
    }

    pub(crate) fn first_token(&self, model: &str, node: &str, after: Duration) {
        let family = self.first_token.with_label_values(&[model, node]);
        family.observe(after.as_secs_f64());
    }

    pub(crate) fn hedged(&self, model: &str, hedge: Hedge) {
        let family = self.hedges.with_label_values(&[model, hedge.as_str()]);
        family.inc();
    }

    pub(crate) fn show(&self, model: &str, nodes: &[NodeView]) {
        for node in nodes {
            let labels = [model, &node.name];
            let healthy = i64::from(node.breaker == "closed");
            self.healthy.with_label_values(&labels).set(healthy);
            for state in BREAKER {
                let labels = [model, &node.name, state];
                let is_it = i64::from(node.breaker == state);
                self.breaker.with_label_values(&labels).set(is_it);
            }
            let permits = i64::try_from(node.permits).unwrap_or(i64::MAX);
            self.permits.with_label_values(&labels).set(permits);
        }
    }

    /// Removes all series with the name of a node that is gone: names from a name service would add up for ever.
    pub(crate) fn forget(&self, model: &str, node: &str) {
        // What was never counted is not there to drop.
        for family in [&self.in_flight, &self.healthy, &self.permits] {
            let _ = family.remove_label_values(&[model, node]);
        }
        for state in BREAKER {
            let _ = self.breaker.remove_label_values(&[model, node, state]);
        }
        for family in [&self.first_token, &self.per_token] {
            let _ = family.remove_label_values(&[model, node]);
        }
        for outcome in Outcome::ALL.map(Outcome::as_str) {
            let _ = self.retries.remove_label_values(&[model, node, outcome]);
            for role in Role::ALL.map(Role::as_str) {
                let labels = [role, model, node, outcome];
                let _ = self.duration.remove_label_values(&labels);
            }
        }
    }

    /// Counts a call as waiting for a place for as long as the guard lives.
    pub(crate) fn wait(&self, model: &str) -> Waits {
        let gauge = self.waiting.with_label_values(&[model]);
        gauge.inc();
        Waits {
            gauge,
            waited: self.waited.with_label_values(&[model]),
            since: tokio::time::Instant::now(),
        }
    }

    /// Notes a call for which a place was free.
    pub(crate) fn no_wait(&self, model: &str) {
        self.waited.with_label_values(&[model]).observe(0.0);
    }

    pub(crate) fn retried(&self, model: &str, node: &str, reason: Outcome) {
        self.retries
            .with_label_values(&[model, node, reason.as_str()])
            .inc();
    }

    pub(crate) fn spent(&self, role: Role, model: &str, tokens: [u64; 3]) {
        for (direction, count) in DIRECTIONS.into_iter().zip(tokens) {
            self.tokens
                .with_label_values(&[role.as_str(), model, direction])
                .inc_by(count);
        }
    }

    /// Starts the clock of one call of one node.
    pub(crate) fn watch<'a>(&'a self, role: Role, model: &'a str, node: &'a str) -> Watch<'a> {
        Watch {
            metrics: self,
            labels: [role.as_str(), model, node],
            began: Instant::now(),
            outcome: Outcome::Cancelled,
        }
    }
}

/// Notes how long a call waited for a place when it does no longer.
pub(crate) struct Waits {
    gauge: IntGauge,
    waited: Histogram,
    since: tokio::time::Instant,
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.gauge.dec();
        self.waited.observe(self.since.elapsed().as_secs_f64());
    }
}

/// Records a call when it ends; one that is dropped before counts as cancelled.
pub(crate) struct Watch<'a> {
    metrics: &'a Metrics,
    labels: [&'a str; 3],
    began: Instant,
    outcome: Outcome,
}

impl Watch<'_> {
    /// The call ended by itself.
    pub(crate) fn ended(mut self, outcome: Outcome) {
        self.outcome = outcome;
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let [role, model, node] = self.labels;
        self.metrics
            .duration
            .with_label_values(&[role, model, node, self.outcome.as_str()])
            .observe(self.began.elapsed().as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_stand_at_0_from_the_start() {
        let registry = Registry::new();
        let metrics = Metrics::new(&registry, "tiny").unwrap();
        metrics.node("tiny", "a").unwrap();
        let text = registry.encode();
        for line in [
            r#"argosy_llm_retries_total{model="tiny",node="a",reason="busy"} 0"#,
            r#"argosy_llm_retries_total{model="tiny",node="a",reason="too_long"} 0"#,
            r#"argosy_llm_retries_total{model="tiny",node="a",reason="refused"} 0"#,
            r#"argosy_llm_tokens_total{direction="input",model="tiny",role="mapper"} 0"#,
            r#"argosy_llm_inflight_requests{model="tiny",node="a"} 0"#,
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn a_dropped_call_counts_as_cancelled() {
        let registry = Registry::new();
        let metrics = Metrics::new(&registry, "tiny").unwrap();
        drop(metrics.watch(Role::Mapper, "tiny", "a"));
        metrics.watch(Role::Mapper, "tiny", "a").ended(Outcome::Ok);
        let text = registry.encode();
        for outcome in ["cancelled", "ok"] {
            let line = format!(
                r#"argosy_llm_request_duration_seconds_count{{model="tiny",node="a",outcome="{outcome}",role="mapper"}} 1"#
            );
            assert!(text.contains(&line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn of_a_node_that_is_gone_nothing_is_left() {
        let registry = Registry::new();
        let metrics = Metrics::new(&registry, "tiny").unwrap();
        for node in ["gone", "here"] {
            metrics.node("tiny", node).unwrap();
            metrics.watch(Role::Mapper, "tiny", node).ended(Outcome::Ok);
            drop(metrics.watch(Role::Indexer, "tiny", node));
            metrics.first_token("tiny", node, Duration::from_millis(5));
            metrics.tokens_after("tiny", node, Duration::from_millis(50), 9);
            metrics.retried("tiny", node, Outcome::Busy);
        }
        metrics.forget("tiny", "gone");
        let text = registry.encode();
        assert!(!text.contains(r#"node="gone""#), "{text}");
        assert!(text.matches(r#"node="here""#).count() > 40);
    }

    #[test]
    fn a_node_that_is_tried_again_is_neither_open_nor_closed() {
        let registry = Registry::new();
        let metrics = Metrics::new(&registry, "tiny").unwrap();
        let view = serde_json::json!({
            "name": "a", "address": "a:1", "breaker": "half_open", "in_flight": 1, "permits": 8,
            "limit": 8, "latency_ms": 0, "answered": 0, "failed": 5, "resting_ms": 0,
            "queued": null, "context": null, "dialect": "plain",
        });
        metrics.show("tiny", &[serde_json::from_value(view).unwrap()]);
        let text = registry.encode();
        for (state, value) in [("closed", 0), ("half_open", 1), ("open", 0)] {
            let line = format!(
                r#"argosy_llm_node_breaker{{model="tiny",node="a",state="{state}"}} {value}"#
            );
            assert!(text.contains(&line), "{line} is not in\n{text}");
        }
        metrics.forget("tiny", "a");
        assert!(!registry.encode().contains(r#"node="a""#));
    }

    #[test]
    fn two_models_share_the_families() {
        let registry = Registry::new();
        let one = Metrics::new(&registry, "one").unwrap();
        let two = Metrics::new(&registry, "two").unwrap();
        one.spent(Role::Mapper, "one", [1, 2, 3]);
        two.spent(Role::Mapper, "two", [4, 5, 6]);
        let text = registry.encode();
        for line in [
            r#"argosy_llm_tokens_total{direction="cached",model="one",role="mapper"} 3"#,
            r#"argosy_llm_tokens_total{direction="cached",model="two",role="mapper"} 6"#,
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
