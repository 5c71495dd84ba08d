//! `argosy conversation`

use super::Server;
use clap::{Args, Subcommand};
use envelope::ConversationId;
use std::path::PathBuf;

/// What to do with conversations: those of the fleet that --server or `nats.url` names, else those of the data folder.
#[derive(Debug, Subcommand)]
pub enum Conversations {
    /// List them, the last used first.
    #[command(after_help = "Example: argosy conversation ls")]
    Ls(ConversationLs),
    /// Print what was said, turn by turn.
    #[command(after_help = "Example: argosy conversation show c-5f0e")]
    Show(OneConversation),
    /// Print all events of one as JSON.
    #[command(after_help = "Example: argosy conversation export c-5f0e --output json")]
    Export(OneConversation),
    /// Write one that was exported into the data folder or a fleet.
    #[command(after_help = "Example: argosy conversation import talk.json")]
    Import(ConversationImport),
    /// Begin another one with the first turns of this one.
    #[command(after_help = "Example: argosy conversation fork c-5f0e --at 2")]
    Fork(ConversationFork),
    /// Erase one: what was said in it is overwritten wherever it is stored.
    #[command(after_help = "Example: argosy conversation rm c-5f0e --yes")]
    Rm(ConversationRm),
}

impl Conversations {
    /// Where the fleet is.
    pub fn server(&self) -> &Server {
        match self {
            Conversations::Ls(args) => &args.place.server,
            Conversations::Show(args) | Conversations::Export(args) => &args.place.server,
            Conversations::Import(args) => &args.place.server,
            Conversations::Fork(args) => &args.one.place.server,
            Conversations::Rm(args) => &args.one.place.server,
        }
    }
}

/// Whose conversations, and where they are.
#[derive(Debug, Args)]
pub struct ConversationPlace {
    /// Whose they are; goes with a fleet.
    #[arg(long, value_name = "TENANT", default_value = "default")]
    pub tenant: String,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: Server,
}

/// `argosy conversation ls`
#[derive(Debug, Args)]
pub struct ConversationLs {
    /// Most conversations.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub limit: u64,
    /// Where they are.
    #[command(flatten)]
    pub place: ConversationPlace,
}

/// One conversation.
#[derive(Debug, Args)]
pub struct OneConversation {
    /// Its id.
    pub conversation: ConversationId,
    /// Where it is.
    #[command(flatten)]
    pub place: ConversationPlace,
}

/// `argosy conversation import`
#[derive(Debug, Args)]
pub struct ConversationImport {
    /// What `argosy conversation export` printed; `-` for standard input.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Another id for it; its turns get others, too, then.
    #[arg(long = "as", value_name = "ID")]
    pub id: Option<ConversationId>,
    /// Where it goes.
    #[command(flatten)]
    pub place: ConversationPlace,
}

/// `argosy conversation fork`
#[derive(Debug, Args)]
pub struct ConversationFork {
    /// How many turns are taken over, as `show` lists them; all that have ended if left out.
    #[arg(long, value_name = "N")]
    pub at: Option<usize>,
    /// The id of the fork; one that nobody can guess if left out.
    #[arg(long = "as", value_name = "ID")]
    pub id: Option<ConversationId>,
    /// Which one.
    #[command(flatten)]
    pub one: OneConversation,
}

/// `argosy conversation rm`
#[derive(Debug, Args)]
pub struct ConversationRm {
    /// Erase its forks as well, and theirs.
    #[arg(long)]
    pub forks: bool,
    /// Do it; without, it is only told what would be erased.
    #[arg(long)]
    pub yes: bool,
    /// Which one.
    #[command(flatten)]
    pub one: OneConversation,
}
