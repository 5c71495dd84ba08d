//! The errors of setting up logs, metrics and endpoints. Once these run, they do not fail.

use settings::InvalidOption;
use std::net::SocketAddr;

/// Why telemetry could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The filter of the logs is malformed.
    #[error(
        "log level `{level}` is not understood: {reason}; try `info` or `info,argosy_harness=debug`"
    )]
    LogLevel {
        /// What was given.
        level: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The log format is unknown.
    #[error("log format `{format}` is not one of `human`, `json`, `auto`")]
    LogFormat {
        /// What was given.
        format: String,
    },
    /// The log subscriber of this process is already set.
    #[error("logs are already set up in this process")]
    LogsTwice,
    /// A metric breaks the rules for names and help texts, which is a bug of the program.
    #[error("metric `{name}` {rule}")]
    Metric {
        /// Its name.
        name: String,
        /// Which rule.
        rule: String,
    },
    /// Another process listens on that port.
    #[error(
        "the admin port `{}` on `{}` is taken: stop the process that listens there, or set another \
         port (0 takes any free one)", addr.port(), addr.ip()
    )]
    PortTaken {
        /// The address on which the endpoints were to listen.
        addr: SocketAddr,
    },
    /// The admin endpoints cannot listen for another reason.
    #[error("cannot listen for the admin endpoints on `{addr}`: {source}")]
    Bind {
        /// The address on which the endpoints were to listen.
        addr: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// An option is not valid.
    #[error(transparent)]
    Options(#[from] InvalidOption),
    /// A probe of the admin endpoints got no answer.
    #[error("no answer from the admin endpoints at `{at}`: {reason}")]
    Probe {
        /// The address that was asked.
        at: SocketAddr,
        /// Why.
        reason: String,
    },
    /// The admin server ended with an error.
    #[error("the admin endpoints failed: {reason}")]
    Admin {
        /// Why.
        reason: String,
    },
}
