//! One module per command. Each takes its arguments and the configuration, and prints its result.

pub mod ask;
pub mod demo;
pub mod index;
pub mod run;
pub mod setup;
pub mod turn;
pub mod up;

use crate::cli::Server;
use crate::config::Config;
use crate::fail::Fail;
use harness::nats::NatsBus;
use std::sync::Arc;

/// A connection for one command.
pub(crate) async fn connect(config: &Config) -> Result<Arc<NatsBus>, Fail> {
    Ok(NatsBus::connect(config.nats("argosy-cli", false)).await?)
}

/// Whether the command is meant for a fleet.
pub(crate) fn is_remote(server: &Server) -> bool {
    server.server.is_some()
}
