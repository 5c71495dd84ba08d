//! The flags for the NATS server of a fleet, which are the same for all commands that need one.

use super::{FLEET, only_with};
use crate::cli_error::CliError;
use crate::config::Config;
use clap::Args;
use std::path::PathBuf;

/// Where the fleet is; by default no flag at all, for commands that are for no fleet.
#[derive(Debug, Clone, Default, Args)]
pub struct ServerArgs {
    /// URL of NATS; several separated by commas. Same as `nats.url`.
    #[arg(long, value_name = "URL", help_heading = FLEET)]
    pub server: Option<String>,
    /// Credentials file. Same as `nats.creds`.
    #[arg(long, value_name = "FILE", help_heading = FLEET)]
    pub creds: Option<PathBuf>,
    /// File with the seed of an NKey, as `argosy permissions --keys` makes it. Same as `nats.nkey`.
    #[arg(long, value_name = "FILE", help_heading = FLEET)]
    pub nkey: Option<PathBuf>,
    /// Further root certificates, PEM. Same as `nats.tls_ca`.
    #[arg(long, value_name = "FILE", help_heading = FLEET)]
    pub tls_ca: Option<PathBuf>,
    /// Client certificate, PEM. Same as `nats.tls_cert`.
    #[arg(long, value_name = "FILE", help_heading = FLEET, requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Client key, PEM. Same as `nats.tls_key`.
    #[arg(long, value_name = "FILE", help_heading = FLEET, requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
}

impl ServerArgs {
    /// Whether the command is meant for a fleet, where it need not be: `nats.url` is set, by this flag or
    /// elsewhere. What only a fleet needs is refused without one.
    pub(crate) fn is_named(&self, config: &Config) -> Result<bool, CliError> {
        let is_named = config.given.by("nats.url").is_some() && !config.nats.url.is_empty();
        let only_for_a_fleet = [
            ("--creds", self.creds.is_some()),
            ("--nkey", self.nkey.is_some()),
            ("--tls-ca", self.tls_ca.is_some()),
            ("--tls-cert", self.tls_cert.is_some()),
            ("--tls-key", self.tls_key.is_some()),
        ];
        only_with(is_named, &only_for_a_fleet)?;
        Ok(is_named)
    }

    /// The options that these flags set.
    pub fn flags(&self) -> Vec<(String, String)> {
        let path = |p: &Option<PathBuf>| p.as_ref().map(|p| p.display().to_string());
        let pairs = [
            ("nats.url", self.server.clone()),
            ("nats.creds", path(&self.creds)),
            ("nats.nkey", path(&self.nkey)),
            ("nats.tls_ca", path(&self.tls_ca)),
            ("nats.tls_cert", path(&self.tls_cert)),
            ("nats.tls_key", path(&self.tls_key)),
        ];
        pairs
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), value?)))
            .collect()
    }
}
