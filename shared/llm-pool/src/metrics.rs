//! What is counted about calls of models.
//!
//! One [`Metrics`] serves all pools of a process: the families are registered once and told apart
//! by the label `model`. Every counter of a pool stands at 0 from the start, because a counter that
//! is born at 1 raises no alert. Label values are configured names and the words of enums.

use crate::failure::Failure;
use envelope::Role;
use prometheus::{
    Error, HistogramOpts, HistogramVec, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
};
use std::time::Instant;

/// The metric families of this crate, to be made once and handed to every pool.
#[derive(Debug, Clone)]
pub struct Metrics {
    duration: HistogramVec,
    tokens: IntCounterVec,
    in_flight: IntGaugeVec,
    retries: IntCounterVec,
}

/// How a call of a node ended: the label `outcome` and, of those that are tried again, `reason`.
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
    /// Those after which a call may be tried again.
    const RETRIED: [Outcome; 5] = [
        Outcome::Dialect,
        Outcome::Busy,
        Outcome::Down,
        Outcome::Slow,
        Outcome::Garbled,
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
            Failure::Busy { .. } | Failure::Full => Outcome::Busy,
            Failure::Down { .. } => Outcome::Down,
            Failure::Slow { .. } => Outcome::Slow,
            Failure::Refused { .. } => Outcome::Refused,
            Failure::Garbled { .. } => Outcome::Garbled,
            Failure::Empty { .. } => Outcome::Empty,
        }
    }
}

/// Seconds, doubling as the GenAI semantic conventions do, and once more for slow CPU nodes.
const DURATION_BUCKETS: [f64; 15] = [
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84,
];

const DIRECTIONS: [&str; 3] = ["input", "output", "cached"];

impl Metrics {
    /// Registers the families.
    ///
    /// # Errors
    /// When `registry` already has them.
    pub fn new(registry: &Registry) -> Result<Self, Error> {
        let metrics = Metrics {
            duration: HistogramVec::new(
                HistogramOpts::new(
                    "argosy_llm_request_duration_seconds",
                    "Time of one call of one node, without waiting for a place.",
                )
                .buckets(DURATION_BUCKETS.to_vec()),
                &["role", "model", "node", "outcome"],
            )?,
            tokens: IntCounterVec::new(
                Opts::new(
                    "argosy_llm_tokens_total",
                    "Tokens read, written and found cached.",
                ),
                &["role", "model", "direction"],
            )?,
            in_flight: IntGaugeVec::new(
                Opts::new("argosy_llm_inflight_requests", "Calls in flight at a node."),
                &["model", "node"],
            )?,
            retries: IntCounterVec::new(
                Opts::new(
                    "argosy_llm_retries_total",
                    "Calls that were tried again, by why.",
                ),
                &["model", "node", "reason"],
            )?,
        };
        registry.register(Box::new(metrics.duration.clone()))?;
        registry.register(Box::new(metrics.tokens.clone()))?;
        registry.register(Box::new(metrics.in_flight.clone()))?;
        registry.register(Box::new(metrics.retries.clone()))?;
        Ok(metrics)
    }

    /// Families that are registered nowhere: for tests and one-shot commands.
    pub fn unregistered() -> Result<Self, Error> {
        Self::new(&Registry::new())
    }

    /// Puts every counter of a model at 0.
    pub(crate) fn begin<'a>(&self, model: &str, nodes: impl Iterator<Item = &'a str>) {
        for role in Role::THINKING {
            for direction in DIRECTIONS {
                self.tokens
                    .with_label_values(&[role.as_str(), model, direction]);
            }
        }
        for node in nodes {
            self.in_flight(model, node).set(0);
            for reason in Outcome::RETRIED {
                self.retries
                    .with_label_values(&[model, node, reason.as_str()]);
            }
        }
    }

    /// The gauge of one node.
    pub(crate) fn in_flight(&self, model: &str, node: &str) -> IntGauge {
        self.in_flight.with_label_values(&[model, node])
    }

    /// Counts one more try.
    pub(crate) fn retried(&self, model: &str, node: &str, reason: Outcome) {
        self.retries
            .with_label_values(&[model, node, reason.as_str()])
            .inc();
    }

    /// Counts what an answer cost.
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
    use prometheus::TextEncoder;

    fn shown(registry: &Registry) -> String {
        TextEncoder::new()
            .encode_to_string(&registry.gather())
            .unwrap()
    }

    #[test]
    fn counters_stand_at_0_from_the_start() {
        let registry = Registry::new();
        let metrics = Metrics::new(&registry).unwrap();
        metrics.begin("tiny", ["a"].into_iter());
        let text = shown(&registry);
        for line in [
            r#"argosy_llm_retries_total{model="tiny",node="a",reason="busy"} 0"#,
            r#"argosy_llm_tokens_total{direction="input",model="tiny",role="mapper"} 0"#,
            r#"argosy_llm_inflight_requests{model="tiny",node="a"} 0"#,
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn a_dropped_call_counts_as_cancelled() {
        let registry = Registry::new();
        let metrics = Metrics::new(&registry).unwrap();
        drop(metrics.watch(Role::Mapper, "tiny", "a"));
        metrics.watch(Role::Mapper, "tiny", "a").ended(Outcome::Ok);
        let text = shown(&registry);
        for outcome in ["cancelled", "ok"] {
            let line = format!(
                r#"argosy_llm_request_duration_seconds_count{{model="tiny",node="a",outcome="{outcome}",role="mapper"}} 1"#
            );
            assert!(text.contains(&line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn two_sets_do_not_fit_one_registry() {
        let registry = Registry::new();
        let _first = Metrics::new(&registry).unwrap();
        assert!(Metrics::new(&registry).is_err());
    }
}
