//! `argosy conversation`

use super::Server;
use clap::{Args, Subcommand};
use envelope::ConversationId;

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
}

impl Conversations {
    /// Where the fleet is.
    pub fn server(&self) -> &Server {
        match self {
            Conversations::Ls(args) => &args.place.server,
            Conversations::Show(args) | Conversations::Export(args) => &args.place.server,
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
