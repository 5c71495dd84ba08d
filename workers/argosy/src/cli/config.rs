//! The arguments of `argosy config`.

use super::ServerArgs;
use crate::config::FILE;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What to do with the configuration.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print every option with its value, as a file would say it; secrets are masked.
    #[command(after_help = "Example: argosy config show --origin")]
    Show(ConfigShowArgs),
    /// Look for mistakes in a file, without the environment and without flags.
    #[command(after_help = "Example: argosy config check fleet.toml")]
    Check(ConfigCheckArgs),
}

/// `argosy config show`
#[derive(Debug, Args)]
pub struct ConfigShowArgs {
    /// Say behind each value where it came from: default, file and line, environment variable, flag.
    #[arg(long)]
    pub origin: bool,
    /// Only options that begin so, as in `nats` or `streams.max`.
    #[arg(value_name = "PREFIX")]
    pub prefix: Option<String>,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy config check`
#[derive(Debug, Args)]
pub struct ConfigCheckArgs {
    /// The file.
    #[arg(value_name = "FILE", default_value = FILE)]
    pub file: PathBuf,
}
