//! Keeps the state of this process: whether it is started, ready and alive. Every component that fulfils or loses a
//! condition of readiness holds a cheap handle. The handle serves no endpoint itself and polls nothing.
//!
//! Alive means only that the runtime still runs tasks: an outage of the bus or of a model must not restart the
//! fleet.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use prometheus::IntGaugeVec;
use serde::Serialize;
use tokio::time::Instant;

use crate::error::Error;
use crate::registry::Registry;

const MET: &str = "argosy_condition_met";

/// How long the heartbeat may be silent before the process counts as stuck.
pub(crate) const HEARTBEAT_MAX: Duration = Duration::from_secs(30);

/// The state of one condition of readiness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// The condition is met.
    Ready,
    /// The condition is not met, with the reason.
    NotReady(Cow<'static, str>),
}

/// What a process knows about its own health. Clones share it.
#[derive(Debug, Clone)]
pub struct Health(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    conditions: Mutex<BTreeMap<Cow<'static, str>, Readiness>>,
    draining: AtomicBool,
    started: AtomicBool,
    heartbeat: Mutex<Instant>,
    /// Every condition as 1 or 0, where a registry was given.
    met: OnceLock<(IntGaugeVec, String)>,
}

/// The body of `/readyz` and `/startupz`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// All conditions are met, and the process is not draining.
    pub ready: bool,
    /// The process has begun to shut down.
    pub draining: bool,
    /// Setup is done: the process was ready once, or has called `started`.
    pub started: bool,
    /// Every condition by name.
    pub conditions: BTreeMap<String, ConditionReport>,
}

/// One condition in a [`Report`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConditionReport {
    /// Whether it is met.
    pub ready: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Health {
    /// The health of a process that has to meet these conditions. Pass all conditions that are known from the start, so
    /// that the process is not ready before each of them was reported; more can be added later. With no conditions the
    /// process is ready at once.
    pub fn new(conditions: &[&'static str]) -> Self {
        let starting = Readiness::NotReady("starting".into());
        let waiting = conditions
            .iter()
            .map(|name| (Cow::Borrowed(*name), starting.clone()));
        Self(Arc::new(Inner {
            conditions: Mutex::new(waiting.collect()),
            draining: AtomicBool::new(false),
            started: AtomicBool::new(false),
            heartbeat: Mutex::new(Instant::now()),
            met: OnceLock::new(),
        }))
    }

    /// Exposes every condition of this process, for a role, as a metric that shows which of them are not met.
    ///
    /// # Errors
    /// When the registry has such a metric.
    pub fn measure(&self, registry: &Registry, role: &str) -> Result<(), Error> {
        let labels = ["role", "condition"];
        let gauge = registry.gauge(
            MET,
            "1 if this condition of `/readyz` is met, else 0.",
            &labels,
        )?;
        let conditions = self.conditions();
        let _ = self.0.met.set((gauge, role.to_owned()));
        for (name, readiness) in conditions.iter() {
            self.note(name, readiness);
        }
        Ok(())
    }

    fn note(&self, condition: &str, readiness: &Readiness) {
        if let Some((gauge, role)) = self.0.met.get() {
            let met = i64::from(*readiness == Readiness::Ready);
            gauge
                .with_label_values(&[role.as_str(), condition])
                .set(met);
        }
    }

    /// Sets a condition, and registers it when it is new.
    pub fn set(&self, condition: impl Into<Cow<'static, str>>, readiness: Readiness) {
        let condition = condition.into();
        let mut conditions = self.conditions();
        self.note(&condition, &readiness);
        conditions.insert(condition, readiness);
        self.note_start(&conditions);
    }

    /// Reports that a condition is met.
    pub fn ready(&self, condition: impl Into<Cow<'static, str>>) {
        self.set(condition, Readiness::Ready);
    }

    /// Reports that a condition is not met, and why.
    pub fn not_ready(
        &self,
        condition: impl Into<Cow<'static, str>>,
        reason: impl Into<Cow<'static, str>>,
    ) {
        self.set(condition, Readiness::NotReady(reason.into()));
    }

    /// Reports that setup is done although not all conditions are met yet. Being ready once implies this.
    pub fn started(&self) {
        self.0.started.store(true, Ordering::Relaxed);
    }

    /// Begins to shut down: the process is not ready from now on.
    pub fn drain(&self) {
        self.0.draining.store(true, Ordering::Relaxed);
    }

    /// Whether all conditions are met and the process is not draining.
    pub fn is_ready(&self) -> bool {
        !self.is_draining() && all_met(&self.conditions())
    }

    /// Whether the process has begun to shut down.
    fn is_draining(&self) -> bool {
        self.0.draining.load(Ordering::Relaxed)
    }

    /// The whole state, for people.
    pub fn report(&self) -> Report {
        let conditions = self.conditions();
        self.note_start(&conditions);
        let draining = self.is_draining();
        Report {
            ready: !draining && all_met(&conditions),
            draining,
            started: self.0.started.load(Ordering::Relaxed),
            conditions: conditions
                .iter()
                .map(|(name, readiness)| (name.to_string(), readiness.into()))
                .collect(),
        }
    }

    /// Records that the runtime runs; the heartbeat task calls it.
    pub(crate) fn beat(&self, now: Instant) {
        *self.heartbeat() = now;
    }

    /// Whether the heartbeat was heard less than `silence_max` ago.
    pub(crate) fn is_alive(&self, now: Instant, silence_max: Duration) -> bool {
        now.saturating_duration_since(*self.heartbeat()) < silence_max
    }

    fn note_start(&self, conditions: &BTreeMap<Cow<'static, str>, Readiness>) {
        if all_met(conditions) {
            self.started();
        }
    }

    fn conditions(&self) -> MutexGuard<'_, BTreeMap<Cow<'static, str>, Readiness>> {
        let conditions = self.0.conditions.lock();
        conditions.unwrap_or_else(PoisonError::into_inner)
    }

    fn heartbeat(&self) -> MutexGuard<'_, Instant> {
        let heartbeat = self.0.heartbeat.lock();
        heartbeat.unwrap_or_else(PoisonError::into_inner)
    }
}

fn all_met(conditions: &BTreeMap<Cow<'static, str>, Readiness>) -> bool {
    conditions.values().all(|one| *one == Readiness::Ready)
}

impl From<&Readiness> for ConditionReport {
    fn from(readiness: &Readiness) -> Self {
        let reason = match readiness {
            Readiness::Ready => None,
            Readiness::NotReady(reason) => Some(reason.to_string()),
        };
        Self {
            ready: reason.is_none(),
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ready_when_every_condition_is_and_not_while_draining() {
        let health = Health::new(&["nats", "consumer"]);
        health.ready("nats");
        assert!(!health.is_ready(), "the consumer was not heard of");
        health.ready("consumer");
        assert!(health.is_ready());
        health.clone().not_ready("nats", "connection lost");
        assert!(!health.is_ready());
        health.ready("nats");
        health.drain();
        assert!(!health.is_ready());
    }

    #[test]
    fn every_condition_is_measured_also_one_that_comes_later() {
        let health = Health::new(&["nats", "mapper"]);
        health.ready("nats");
        let registry = Registry::new();
        health.measure(&registry, "mapper").unwrap();
        health.not_ready("room", "short");
        let says = |condition: &str, met: u8| {
            let line = format!(r#"{MET}{{condition="{condition}",role="mapper"}} {met}"#);
            let text = registry.encode();
            assert!(text.lines().any(|one| one == line), "{line}: {text}");
        };
        for (condition, met) in [("nats", 1), ("mapper", 0), ("room", 0)] {
            says(condition, met);
        }
        health.ready("room");
        says("room", 1);
    }

    #[test]
    fn started_once_is_started_for_good() {
        let health = Health::new(&["nats"]);
        assert!(!health.report().started);
        health.ready("nats");
        health.not_ready("nats", "gone");
        assert!(health.report().started);
        let recovering = Health::new(&["nats"]);
        recovering.started();
        assert!(recovering.report().started && !recovering.report().ready);
    }

    #[test]
    fn alive_while_the_heartbeat_is_heard() {
        let health = Health::new(&[]);
        let start = Instant::now();
        health.beat(start);
        let after = |secs| start + Duration::from_secs(secs);
        assert!(health.is_alive(after(29), HEARTBEAT_MAX));
        assert!(!health.is_alive(after(30), HEARTBEAT_MAX));
        health.beat(after(31));
        assert!(health.is_alive(after(60), HEARTBEAT_MAX));
        assert!(
            health.is_alive(start, HEARTBEAT_MAX),
            "a beat from the future"
        );
    }
}
