//! The flags of `argosy serve`, `argosy mcp` and `argosy key`.

use super::{FLEET, ServerArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `argosy serve`
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Folder to answer from in this process, whether a fleet is named or not. Default: the working directory, where none
    /// is. Its files are read at the beginning: start it again to take in what has changed.
    #[arg(long, value_name = "DIR", conflicts_with = "server")]
    pub corpus: Option<PathBuf>,
    /// Use the index as it is, without looking at the files.
    #[arg(long, conflicts_with = "server")]
    pub reuse: bool,
    /// Where it listens; port 0 takes any free one. Default: `door.listen`.
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: Option<String>,
    /// The fleet.
    #[command(flatten, next_help_heading = FLEET)]
    pub server: ServerArgs,
}

/// `argosy mcp`
#[derive(Debug, Args)]
pub struct McpArgs {
    /// Folder to answer from in this process, whether a fleet is named or not. Default: the working directory, where none
    /// is. Its files are read at the beginning: start it again to take in what has changed.
    #[arg(long, value_name = "DIR", conflicts_with = "server")]
    pub corpus: Option<PathBuf>,
    /// Use the index as it is, without looking at the files.
    #[arg(long, conflicts_with = "server")]
    pub reuse: bool,
    /// Whose documents and conversations it sees; without a fleet there is only the default one.
    #[arg(long, value_name = "TENANT", default_value = "default")]
    pub tenant: String,
    /// The fleet.
    #[command(flatten, next_help_heading = FLEET)]
    pub server: ServerArgs,
}

/// `argosy key`
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make a key, and print its secret, which is kept nowhere.
    #[command(
        after_help = "Example: argosy key create alice --tenant acme --scopes ask,read --keys keys.json"
    )]
    Create(KeyCreateArgs),
    /// List the keys, without their secrets.
    #[command(after_help = "Example: argosy key ls --keys keys.json")]
    Ls(KeyFileArgs),
    /// Take a key back. Doors refuse it within seconds.
    #[command(after_help = "Example: argosy key revoke alice --keys keys.json")]
    Revoke(KeyRevokeArgs),
}

/// Which file.
#[derive(Debug, Args)]
pub struct KeyFileArgs {
    /// The file of keys. Default: `door.keys`.
    #[arg(long, value_name = "FILE")]
    pub keys: Option<PathBuf>,
}

/// `argosy key create`
#[derive(Debug, Args)]
pub struct KeyCreateArgs {
    /// A name for it, of which there is one.
    pub name: String,
    /// Whose documents and conversations it sees.
    #[arg(long, value_name = "TENANT", default_value = "default")]
    pub tenant: String,
    /// What it may do: `ask`, `read` (the corpus), `write` (documents, conversations), `operate`.
    #[arg(long, value_name = "SCOPES", value_delimiter = ',', default_value = "ask,read,write", value_parser = ["ask", "read", "write", "operate"])]
    pub scopes: Vec<String>,
    /// Groups of readers that it belongs to, such as `hr,law`; `*` is all of them. Default: none, so that it reads what is
    /// for everybody.
    #[arg(long, value_name = "GROUPS", value_delimiter = ',')]
    pub groups: Vec<String>,
    /// Questions that it may ask in a minute, at each door. Default: any number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub per_minute: Option<u32>,
    /// Tokens of models that its turns may take in an hour, at each door. Default: any number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub tokens_per_hour: Option<u64>,
    /// Which file.
    #[command(flatten)]
    pub file: KeyFileArgs,
}

/// `argosy key revoke`
#[derive(Debug, Args)]
pub struct KeyRevokeArgs {
    /// Its name.
    pub name: String,
    /// Which file.
    #[command(flatten)]
    pub file: KeyFileArgs,
}
