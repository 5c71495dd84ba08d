//! `argosy chat`

use super::Server;
use clap::Args;
use std::path::PathBuf;

/// `argosy chat`
#[derive(Debug, Args)]
pub struct Chat {
    /// Folder to ask in this process, whether a fleet is named or not. Default: the working directory, where none is.
    #[arg(long, value_name = "DIR", conflicts_with = "server")]
    pub corpus: Option<PathBuf>,
    /// Go on with this conversation. Default: a new one, whose id is told. Whoever knows the id may read and continue it.
    #[arg(long, value_name = "ID")]
    pub conversation: Option<envelope::ConversationId>,
    /// Part of the corpus to search. May be repeated.
    #[arg(long = "bucket", value_name = "NAME")]
    pub buckets: Vec<String>,
    /// `simple`: retrieve and one call, instead of every stage.
    #[arg(long, value_name = "MODE", value_parser = ["agentic", "simple"])]
    pub mode: Option<String>,
    /// Whose documents to search; goes with a fleet.
    #[arg(long, value_name = "TENANT", default_value = "default")]
    pub tenant: String,
    /// Seconds to wait for each answer.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub timeout: u64,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: Server,
}
