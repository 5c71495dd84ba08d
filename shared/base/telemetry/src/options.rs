//! The section `telemetry` of the configuration. *Not* here: the options of tracing, which are with the
//! [traces](crate::traces).

use crate::logs::LogFormat;
use crate::traces;
use serde::{Deserialize, Serialize};
use settings::{InvalidOption, TimeSpan};
use std::time::Duration;

/// The longest scrape interval for which a process waits.
const LINGER_MAX: Duration = Duration::from_secs(60);

/// Logs and the admin endpoints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// `human`, `json`, or `auto`: human on a terminal. Default `auto`.
    pub log_format: LogFormat,
    /// Level, or directives such as `info,harness=debug`. Default `info`.
    pub log_level: String,
    /// Where `/metrics`, `/livez` and `/readyz` are served; empty for nowhere. Under `argosy up`, which says where
    /// each role serves, a port other than 0 is that of the first role; the others have the ports after it, in
    /// the order in which they are shown. Default `127.0.0.1:0`: any free port, which the log names.
    pub listen: String,
    /// How long a process that has drained waits for one more reading of `/metrics`, up to 1 min: what a drain gave back is
    /// seen by nobody else. Set it to the interval of the scrapes, and give a supervisor so much more patience. Default 0:
    /// not at all.
    pub linger: TimeSpan,
    /// Where spans go: `telemetry.otlp.endpoint` turns them on.
    pub otlp: traces::Options,
    /// The texts of prompts and answers stand in spans. Default false.
    pub capture_content: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            log_format: LogFormat::Auto,
            log_level: "info".into(),
            listen: "127.0.0.1:0".into(),
            linger: TimeSpan::ZERO,
            otlp: Default::default(),
            capture_content: false,
        }
    }
}

impl Options {
    /// Checks every option.
    ///
    /// # Errors
    /// The error names the option and what is wanted.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        let linger = &self.linger;
        if linger.duration() > LINGER_MAX {
            return Err(InvalidOption::new(format!(
                "`telemetry.linger` must be at most 1min, not {linger}"
            )));
        }
        self.otlp.validate()
    }
}
