//! The arguments of `argosy conversation`.

use super::ServerArgs;
use clap::{Args, Subcommand};
use envelope::ConversationId;
use std::path::PathBuf;

/// What to do with conversations: those of the fleet that --server or `nats.url` names, else those of the data folder.
#[derive(Debug, Subcommand)]
pub enum ConversationCommand {
    /// List them, the last used first.
    #[command(after_help = "Example: argosy conversation ls")]
    Ls(ConversationLsArgs),
    /// Print what was said, turn by turn.
    #[command(after_help = "Example: argosy conversation show c-5f0e")]
    Show(OneConversationArgs),
    /// Print all events of one as JSON.
    #[command(after_help = "Example: argosy conversation export c-5f0e --output json")]
    Export(OneConversationArgs),
    /// Write one that was exported into the data folder or a fleet.
    #[command(after_help = "Example: argosy conversation import talk.json")]
    Import(ConversationImportArgs),
    /// Begin another one with the first turns of this one.
    #[command(after_help = "Example: argosy conversation fork c-5f0e --at 2")]
    Fork(ConversationForkArgs),
    /// Erase one: what was said in it is overwritten wherever it is stored.
    #[command(after_help = "Example: argosy conversation rm c-5f0e --yes")]
    Rm(ConversationRmArgs),
}

/// Whose conversations, and where they are.
#[derive(Debug, Args)]
pub struct ConversationPlaceArgs {
    /// Whose they are; goes with a fleet.
    #[arg(long, value_name = "TENANT", default_value = "default")]
    pub tenant: String,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy conversation ls`
#[derive(Debug, Args)]
pub struct ConversationLsArgs {
    /// Most conversations.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub limit: u64,
    /// Where they are.
    #[command(flatten)]
    pub place: ConversationPlaceArgs,
}

/// One conversation.
#[derive(Debug, Args)]
pub struct OneConversationArgs {
    /// Its id.
    pub conversation: ConversationId,
    /// Where it is.
    #[command(flatten)]
    pub place: ConversationPlaceArgs,
}

/// `argosy conversation import`
#[derive(Debug, Args)]
pub struct ConversationImportArgs {
    /// What `argosy conversation export` printed; `-` for standard input.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Another id for it; its turns get others, too, then.
    #[arg(long = "as", value_name = "ID")]
    pub id: Option<ConversationId>,
    /// Where it goes.
    #[command(flatten)]
    pub place: ConversationPlaceArgs,
}

/// `argosy conversation fork`
#[derive(Debug, Args)]
pub struct ConversationForkArgs {
    /// How many turns are taken over, as `show` lists them; all that have ended if left out.
    #[arg(long, value_name = "N")]
    pub at: Option<usize>,
    /// The id of the fork; one that nobody can guess if left out.
    #[arg(long = "as", value_name = "ID")]
    pub id: Option<ConversationId>,
    /// Which one.
    #[command(flatten)]
    pub one: OneConversationArgs,
}

/// `argosy conversation rm`
#[derive(Debug, Args)]
pub struct ConversationRmArgs {
    /// Erase its forks as well, and theirs.
    #[arg(long)]
    pub forks: bool,
    /// Do it; without, it is only told what would be erased.
    #[arg(long)]
    pub yes: bool,
    /// Which one.
    #[command(flatten)]
    pub one: OneConversationArgs,
}
