//! The metrics of a door.

use prometheus::{IntCounterVec, IntGauge, IntGaugeVec};
use std::time::Duration;
use telemetry::{Error, Registry};

const DOORS: [&str; 4] = ["api", "openai", "mcp", "page"];
const OUTCOMES: [&str; 3] = ["delivered", "retried", "dead"];
const CLASSES: [&str; 4] = ["ok", "client_error", "turned_away", "server_error"];

/// The metrics of a door.
#[derive(Debug, Clone)]
pub struct Metrics {
    requests: IntCounterVec,
    webhooks: IntCounterVec,
    feedback: IntCounterVec,
    webhook_waiting: IntGaugeVec,
    webhook_oldest: IntGaugeVec,
    pub(crate) following: IntGauge,
    pub(crate) following_limit: IntGauge,
}

impl Metrics {
    /// Registers them.
    ///
    /// # Errors
    /// When another family has one of their names.
    pub fn new(registry: &Registry) -> Result<Metrics, Error> {
        let following = registry.gauge(
            "argosy_door_following",
            "Requests that wait for a turn or follow one",
            &[],
        )?;
        let following_limit = registry.gauge(
            "argosy_door_following_limit",
            "How many requests may wait for a turn or follow one at a time (`door.streams`)",
            &[],
        )?;
        let requests = registry.counter(
            "argosy_door_requests_total",
            "Requests by door (api, openai, mcp, page) and status class; 501, for what a door is not set up for, is a client_error; turned_away are 429, 503 without a place (busy), and 504 where nobody had an answer in time",
            &["door", "status"],
        )?;
        for door in DOORS {
            for class in CLASSES {
                requests.with_label_values(&[door, class]);
            }
        }
        let webhooks = registry.counter(
            "argosy_door_webhooks_total",
            "Calls of webhooks by outcome: delivered, retried (failed, and tried again later), dead (given up)",
            &["outcome"],
        )?;
        for outcome in OUTCOMES {
            webhooks.with_label_values(&[outcome]);
        }
        let feedback = registry.counter(
            "argosy_door_feedback_total",
            "Feedback on answers, by whether they are good (true, false); what replaces other feedback counts again",
            &["good"],
        )?;
        for good in ["true", "false"] {
            feedback.with_label_values(&[good]);
        }
        let webhook_waiting = registry.gauge(
            "argosy_door_webhook_waiting",
            "Ends of turns, of all tenants, that wait until a webhook is told of them or passed over; each door says the same",
            &["webhook"],
        )?;
        let webhook_oldest = registry.gauge(
            "argosy_door_webhook_oldest_seconds",
            "Age of the oldest end of a turn that waits for a webhook; 0 where none waits",
            &["webhook"],
        )?;
        Ok(Metrics {
            feedback,
            requests,
            webhooks,
            webhook_waiting,
            webhook_oldest,
            following: following.with_label_values::<&str>(&[]),
            following_limit: following_limit.with_label_values::<&str>(&[]),
        })
    }

    /// Counts a call of a webhook, as one of [`OUTCOMES`].
    pub(crate) fn webhook(&self, outcome: &str) {
        self.webhooks.with_label_values(&[outcome]).inc();
    }

    /// Sets how many ends wait for a webhook and how old the oldest is; without that there is no series, and no false one.
    pub(crate) fn webhook_backlog(&self, webhook: &str, known: Option<(u64, Duration)>) {
        let Some((waiting, oldest)) = known else {
            // It is no error if there was none.
            let _ = self.webhook_waiting.remove_label_values(&[webhook]);
            let _ = self.webhook_oldest.remove_label_values(&[webhook]);
            return;
        };
        let label = [webhook];
        self.webhook_waiting
            .with_label_values(&label)
            .set(waiting as i64);
        self.webhook_oldest
            .with_label_values(&label)
            .set(oldest.as_secs() as i64);
    }

    /// Counts feedback on an answer.
    pub(crate) fn judged(&self, good: bool) {
        let good = if good { "true" } else { "false" };
        self.feedback.with_label_values(&[good]).inc();
    }

    /// Counts a request that was answered with this status, and with this code if it failed.
    pub(crate) fn answered(&self, path: &str, status: u16, code: Option<&str>) {
        let door = match path.split('/').nth(1) {
            Some("api") => "api",
            Some("v1") => "openai",
            Some("mcp") => "mcp",
            _ => "page",
        };
        let class = class(status, code);
        self.requests.with_label_values(&[door, class]).inc();
    }
}

/// A status, and the code of a problem, as one of [`CLASSES`].
fn class(status: u16, code: Option<&str>) -> &'static str {
    match (status, code) {
        (200..=399, _) => "ok",
        // A client that asks for much, or for little time, brings these about alone.
        (429, _) | (503, Some("busy")) | (504, Some("deadline" | "not_ended")) => "turned_away",
        // 501 is no fault of the door: it was asked for what it is not set up for.
        (400..=499 | 501, _) => "client_error",
        _ => "server_error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_client_brings_about_is_no_error_of_the_door() {
        for (status, code, wanted) in [
            (204, None, "ok"),
            (404, Some("not_found"), "client_error"),
            (501, Some("folder"), "client_error"),
            (429, Some("rate_limited"), "turned_away"),
            (503, Some("busy"), "turned_away"),
            (504, Some("deadline"), "turned_away"),
            (504, Some("not_ended"), "turned_away"),
            (503, Some("bus_away"), "server_error"),
            (503, Some("overloaded"), "server_error"),
            (504, Some("timed_out"), "server_error"),
            (500, None, "server_error"),
        ] {
            assert_eq!(class(status, code), wanted, "{status} {code:?}");
        }
    }
}
