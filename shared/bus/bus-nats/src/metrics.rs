//! The metrics of a process's connection. The connection itself keeps plain numbers; the owner of a registry copies
//! them into it now and then.

use super::Connection;
use bus::PublishError;
use prometheus::{IntCounter, IntGauge};
use std::sync::atomic::{AtomicU64, Ordering};
use telemetry::Registry;

/// Why messages were not stored, as label values. A failed write condition is none: it says that the message is
/// there already.
const REASONS: [&str; 4] = ["conflict", "full", "unconfirmed", "refused"];

/// How often publishing failed, by [`REASONS`].
#[derive(Debug, Default)]
pub(super) struct PublishFailures([AtomicU64; REASONS.len()]);

impl PublishFailures {
    pub(super) fn count(&self, error: &PublishError) {
        let place = match error {
            PublishError::Exists => return,
            PublishError::Conflict => 0,
            PublishError::Full => 1,
            PublishError::Unconfirmed(_) => 2,
            PublishError::Refused(_) => 3,
        };
        self.0[place].fetch_add(1, Ordering::Relaxed);
    }
}

/// The families of a connection.
pub struct Metrics {
    connected: IntGauge,
    reconnects: IntCounter,
    errors: IntCounter,
    failures: [IntCounter; REASONS.len()],
}

impl Metrics {
    /// Registers them at 0 for the role of this process, which may be `door` as well.
    ///
    /// # Errors
    /// When the registry has other families of these names.
    pub fn new(registry: &Registry, role: &str) -> Result<Metrics, telemetry::Error> {
        let connected = registry.gauge(
            "argosy_nats_connected",
            "Whether the connection to NATS is up.",
            &["role"],
        )?;
        let reconnects = registry.counter(
            "argosy_nats_reconnects_total",
            "Times that the connection to NATS was restored.",
            &["role"],
        )?;
        let errors = registry.counter(
            "argosy_nats_errors_total",
            "Errors that the NATS server reported by itself, such as a forbidden publish.",
            &["role"],
        )?;
        let failures = registry.counter(
            "argosy_publish_failures_total",
            "Failed tries to store a message, by the reason.",
            &["role", "reason"],
        )?;
        Ok(Metrics {
            connected: connected.with_label_values(&[role]),
            reconnects: reconnects.with_label_values(&[role]),
            errors: errors.with_label_values(&[role]),
            failures: REASONS.map(|reason| failures.with_label_values(&[role, reason])),
        })
    }

    /// Shows the connection as it is now.
    pub fn show(&self, connection: &Connection) {
        self.connected.set(i64::from(connection.up()));
        raise(&self.reconnects, connection.connects().saturating_sub(1));
        raise(&self.errors, connection.refusals());
        let PublishFailures(failures) = &connection.publish_failures;
        for (counter, failed) in self.failures.iter().zip(failures) {
            raise(counter, failed.load(Ordering::Relaxed));
        }
    }
}

fn raise(counter: &IntCounter, to: u64) {
    counter.inc_by(to.saturating_sub(counter.get()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_nats::Event;

    #[test]
    fn a_connection_is_shown_as_it_is() {
        let (registry, connection) = (Registry::new(), Connection::default());
        let metrics = Metrics::new(&registry, "mapper").unwrap();
        let line = |name: &str, labels: &str, value: u64| {
            let line = format!("{name}{{{labels}role=\"mapper\"}} {value}");
            let text = registry.encode();
            assert!(text.lines().any(|l| l == line), "{line} is not in\n{text}");
        };
        line("argosy_nats_reconnects_total", "", 0);
        line("argosy_publish_failures_total", "reason=\"full\",", 0);
        for event in [Event::Connected, Event::Disconnected, Event::Connected] {
            connection.on(&event);
        }
        connection.publish_failures.count(&PublishError::Full);
        connection.publish_failures.count(&PublishError::Exists);
        // Showing twice counts nothing twice.
        metrics.show(&connection);
        metrics.show(&connection);
        line("argosy_nats_connected", "", 1);
        line("argosy_nats_reconnects_total", "", 1);
        line("argosy_publish_failures_total", "reason=\"full\",", 1);
        line("argosy_publish_failures_total", "reason=\"conflict\",", 0);
    }
}
