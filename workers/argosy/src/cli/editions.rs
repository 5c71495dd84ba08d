//! The arguments of `argosy edition`.

use super::ServerArgs;
use clap::{Args, Subcommand};

/// What to do with the editions of the corpus.
#[derive(Debug, Subcommand)]
pub enum EditionCommand {
    /// List them: documents, chunks, what made them, and which one answers.
    #[command(
        after_help = "Example: argosy edition ls --server nats://127.0.0.1:4222 --output json"
    )]
    Ls(EditionsArgs),
    /// Add one beside the current one. From then on documents are indexed for both.
    #[command(after_help = "Example: argosy edition begin small --server nats://127.0.0.1:4222")]
    Begin(OneEditionArgs),
    /// Make it the current one. It can be taken back until the other is dropped.
    #[command(after_help = "Example: argosy edition switch small --server nats://127.0.0.1:4222")]
    Switch(EditionSwitchArgs),
    /// Delete one that is not the current one, with all its chunks.
    #[command(after_help = "Example: argosy edition drop main --server nats://127.0.0.1:4222")]
    Drop(OneEditionArgs),
}

/// `argosy edition ls`
#[derive(Debug, Args)]
pub struct EditionsArgs {
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy edition begin`, `argosy edition drop`
#[derive(Debug, Args)]
pub struct OneEditionArgs {
    /// Its name: 1 to 32 characters of a-z 0-9 -.
    pub name: envelope::Edition,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy edition switch`
#[derive(Debug, Args)]
pub struct EditionSwitchArgs {
    /// The edition.
    #[command(flatten)]
    pub edition: OneEditionArgs,
    /// Although it lacks documents of the current one, or has other versions of them.
    #[arg(long)]
    pub force: bool,
}
