//! The arguments of the commands that show the whole fleet.

use super::Server;
use crate::status::Key;
use clap::Args;

/// `argosy status`
#[derive(Debug, Args)]
pub struct Status {
    /// Say as well where this turn is: how many wait before it, or who works on it.
    #[arg(long, value_name = "ID")]
    pub turn: Option<envelope::TurnId>,
    /// What the roles are sorted by.
    #[arg(long, value_name = "KEY", value_enum, default_value_t)]
    pub sort: Key,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: Server,
}

/// `argosy top`
#[derive(Debug, Args)]
pub struct Top {
    /// Seconds between two looks.
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub every: u64,
    /// What the roles are sorted by.
    #[arg(long, value_name = "KEY", value_enum, default_value_t)]
    pub sort: Key,
    /// End after so many looks. Default: Ctrl-C ends it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: Server,
}
