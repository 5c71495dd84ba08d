//! The options of a connection: those of section `nats` of the configuration, and those that the process sets.
//! *Not* here: the environment variables that stand for some of them.

use serde::{Deserialize, Serialize};
use settings::{InvalidOption, TimeSpan};
use std::path::PathBuf;

/// The NATS server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// One URL, or several separated by commas. User and password may stand in it, as in
    /// `nats://user:password@host:4222`, or a token before the `@`; a sign that means something in a URL is
    /// written as `%40`. Where it is set, `ask`, `index`, `search` and `show` go through the fleet there; set to
    /// nothing it counts as not set. Default `nats://127.0.0.1:4222`.
    pub url: String,
    /// Credentials file. Default none.
    pub creds: Option<PathBuf>,
    /// File with the seed of an NKey, as `argosy permissions --keys` writes it. Default none.
    pub nkey: Option<PathBuf>,
    /// Further root certificates, PEM. Default none.
    pub tls_ca: Option<PathBuf>,
    /// Client certificate, PEM; goes with `tls_key`. Default none.
    pub tls_cert: Option<PathBuf>,
    /// Client key, PEM; goes with `tls_cert`. Default none.
    pub tls_key: Option<PathBuf>,
    /// Most time for one request. Default 5 s.
    pub request_timeout: TimeSpan,
    /// Name of the connection, as the server lists it. Default `argosy`.
    #[serde(skip)]
    pub name: String,
    /// Wait for a server that is not there yet instead of failing. Default false.
    #[serde(skip)]
    pub wait_for_server: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            url: "nats://127.0.0.1:4222".into(),
            creds: None,
            nkey: None,
            tls_ca: None,
            tls_cert: None,
            tls_key: None,
            request_timeout: TimeSpan::from_secs(5),
            name: "argosy".into(),
            wait_for_server: false,
        }
    }
}

impl Options {
    /// Checks that the options go together.
    ///
    /// # Errors
    /// The error names the options.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        match self.tls_cert.is_some() == self.tls_key.is_some() {
            true => Ok(()),
            false => Err(InvalidOption::new(
                "`nats.tls_cert` and `nats.tls_key` go together",
            )),
        }
    }
}
