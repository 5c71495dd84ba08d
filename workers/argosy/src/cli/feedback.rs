//! The flags of `argosy feedback`.

use super::ServerArgs;
use clap::{Args, Subcommand};
use envelope::TenantId;

/// What to do with feedback on answers.
#[derive(Debug, Subcommand)]
pub enum FeedbackCommand {
    /// List it, the newest first.
    #[command(after_help = "Example: argosy feedback ls --server nats://127.0.0.1:4222")]
    Ls(FeedbackLsArgs),
}

/// `argosy feedback ls`
#[derive(Debug, Args)]
pub struct FeedbackLsArgs {
    /// Whose answers it is about. Default: those of all tenants.
    #[arg(long, value_name = "TENANT")]
    pub tenant: Option<TenantId>,
    /// Leave out what praises an answer.
    #[arg(long)]
    pub bad: bool,
    /// Most pieces of feedback.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub limit: u64,
    /// Go on before this place, the `next` of another list.
    #[arg(long, value_name = "N")]
    pub before: Option<u64>,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}
