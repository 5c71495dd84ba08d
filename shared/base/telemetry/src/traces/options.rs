//! The settings of tracing: the address of the collector, and how many spans may wait for it.

use reqwest::Url;
use serde::{Deserialize, Serialize};
use settings::{InvalidOption, Secret, TimeSpan};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Duration;

/// Most spans that may wait.
const QUEUE_MAX: u32 = 1 << 16;
/// Longest time for one request.
const TIMEOUT_MAX: Duration = Duration::from_secs(60);

/// The address of the collector, and how many spans may wait for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// A collector that takes OTLP over HTTP (protobuf), as `http://127.0.0.1:4318`. `/v1/traces` is
    /// added when there is no path. Default none: no spans are made.
    pub endpoint: String,
    /// Headers of every request, such as `authorization`. Secret. Default none.
    pub headers: BTreeMap<String, Secret>,
    /// Share of the questions that are recorded, 0 to 1. The gateway decides, and all other processes follow. A
    /// publisher that sends a trace context of its own decides itself. Default 1.
    pub sample: f64,
    /// Most time for one request; also for sending what is left when the process ends. Default `5s`.
    pub timeout: TimeSpan,
    /// Spans that may wait to be sent; further ones are dropped and counted. Default 4096.
    pub queue: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            endpoint: String::new(),
            headers: BTreeMap::new(),
            sample: 1.0,
            timeout: TimeSpan::from_secs(5),
            queue: 4096,
        }
    }
}

impl Options {
    /// Checks the options.
    ///
    /// # Errors
    /// The error names the option that is not valid.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        if !self.endpoint.is_empty() {
            self.url()?;
        }
        let wrong = |what| Err(wrong(what));
        if !(0.0..=1.0).contains(&self.sample) {
            return wrong("`sample` must be between 0 and 1");
        }
        if self.queue == 0 || self.queue > QUEUE_MAX {
            return wrong("`queue` must be between 1 and 65536");
        }
        if self.timeout.is_zero() || self.timeout.duration() > TIMEOUT_MAX {
            return wrong("`timeout` must be over 0 and at most 1m");
        }
        Ok(())
    }

    pub(crate) fn url(&self) -> Result<Url, InvalidOption> {
        let wrong = || {
            let endpoint = &self.endpoint;
            wrong(format!(
                "`endpoint` is `{endpoint}`: want `http://host:4318` or `https://host/path`"
            ))
        };
        let mut url = Url::parse(&self.endpoint).map_err(|_| wrong())?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(wrong());
        }
        if url.path() == "/" {
            url.set_path("/v1/traces");
        }
        Ok(url)
    }
}

/// The error of an option here, or of what follows from it.
pub(crate) fn wrong(what: impl Display) -> InvalidOption {
    InvalidOption::new(format!("in section `telemetry.otlp`: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(endpoint: &str) -> Options {
        Options {
            endpoint: endpoint.into(),
            ..Options::default()
        }
    }

    #[test]
    fn a_bare_host_gets_the_path_of_the_protocol() {
        for (endpoint, url) in [
            ("http://a:4318", "http://a:4318/v1/traces"),
            ("http://a:4318/", "http://a:4318/v1/traces"),
            ("https://a/otel/v1/traces", "https://a/otel/v1/traces"),
        ] {
            assert_eq!(at(endpoint).url().unwrap().as_str(), url);
        }
        for bad in ["a:4318", "grpc://a", "http://"] {
            let said = at(bad).validate().unwrap_err().to_string();
            assert!(said.contains("want `http://host:4318`"), "{said}");
        }
    }

    #[test]
    fn what_cannot_be_kept_to_is_refused() {
        at("").validate().unwrap();
        let sample = Options {
            sample: 1.5,
            ..at("http://a")
        };
        let queue = Options {
            queue: 0,
            ..at("http://a")
        };
        let timeout = Options {
            timeout: TimeSpan::ZERO,
            ..at("http://a")
        };
        for (options, name) in [(sample, "sample"), (queue, "queue"), (timeout, "timeout")] {
            let said = options.validate().unwrap_err().to_string();
            assert!(said.contains(name), "{said}");
        }
    }
}
