//! The metrics of a door.

use prometheus::{IntCounterVec, IntGauge};
use telemetry::{Error, Registry};

const DOORS: [&str; 4] = ["api", "openai", "mcp", "page"];
const CLASSES: [&str; 3] = ["ok", "client_error", "server_error"];

/// The metrics of a door.
#[derive(Debug, Clone)]
pub struct Metrics {
    requests: IntCounterVec,
    pub(crate) following: IntGauge,
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
        let requests = registry.counter(
            "argosy_door_requests_total",
            "Requests by door (api, openai, mcp, page) and status class",
            &["door", "status"],
        )?;
        for door in DOORS {
            for class in CLASSES {
                requests.with_label_values(&[door, class]);
            }
        }
        Ok(Metrics {
            requests,
            following: following.with_label_values::<&str>(&[]),
        })
    }

    /// Counts a request that was answered with this status.
    pub(crate) fn answered(&self, path: &str, status: u16) {
        let door = match path.split('/').nth(1) {
            Some("api") => "api",
            Some("v1") => "openai",
            Some("mcp") => "mcp",
            _ => "page",
        };
        let class = match status / 100 {
            2 | 3 => "ok",
            4 => "client_error",
            _ => "server_error",
        };
        self.requests.with_label_values(&[door, class]).inc();
    }
}
