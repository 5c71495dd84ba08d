//! The flags of `argosy webhook`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `argosy webhook`
#[derive(Debug, Subcommand)]
pub enum WebhookCommand {
    /// Add an endpoint, and print the secret with which its events are signed.
    #[command(
        after_help = "Example: argosy webhook create crm --url https://crm.example/argosy --tenant acme --webhooks webhooks.json"
    )]
    Create(WebhookCreateArgs),
    /// List the endpoints, without their secrets.
    #[command(after_help = "Example: argosy webhook ls --webhooks webhooks.json")]
    Ls(WebhookFileArgs),
    /// Give an endpoint a new secret, and print it. Events are signed with the old one, too, until --finish takes that away.
    #[command(after_help = "Example: argosy webhook rotate crm --webhooks webhooks.json")]
    Rotate(WebhookRotateArgs),
    /// Take an endpoint away. Doors notice within seconds.
    #[command(after_help = "Example: argosy webhook remove crm --webhooks webhooks.json")]
    Remove(OneWebhookArgs),
    /// Send one event of the type `ping` to an endpoint, from this machine, and say how it took that.
    #[command(after_help = "Example: argosy webhook test crm --webhooks webhooks.json")]
    Test(OneWebhookArgs),
}

/// Which file.
#[derive(Debug, Args)]
pub struct WebhookFileArgs {
    /// The file of webhooks. Default: `door.webhooks`.
    #[arg(long, value_name = "FILE")]
    pub webhooks: Option<PathBuf>,
}

/// `argosy webhook create`
#[derive(Debug, Args)]
pub struct WebhookCreateArgs {
    /// A name for it, of which there is one.
    pub name: String,
    /// Where it listens; https:// unless --allow-private.
    #[arg(long, value_name = "URL")]
    pub url: String,
    /// The tenant of whose turns it is told.
    #[arg(long, value_name = "TENANT", default_value = "default")]
    pub tenant: String,
    /// Groups of readers that it stands for, such as `hr,law`; `*` is all of them. It is told of turns whose asker has no
    /// others. Default: none. Whoever asks at a door without logins has all.
    #[arg(long, value_name = "GROUPS", value_delimiter = ',')]
    pub groups: Vec<String>,
    /// Whether it may be in a private network or on the machine of a door, and be reached without TLS.
    #[arg(long)]
    pub allow_private: bool,
    /// Which file.
    #[command(flatten)]
    pub file: WebhookFileArgs,
}

/// `argosy webhook remove` and `argosy webhook test`
#[derive(Debug, Args)]
pub struct OneWebhookArgs {
    /// Its name.
    pub name: String,
    /// Which file.
    #[command(flatten)]
    pub file: WebhookFileArgs,
}

/// `argosy webhook rotate`
#[derive(Debug, Args)]
pub struct WebhookRotateArgs {
    /// Which one.
    #[command(flatten)]
    pub one: OneWebhookArgs,
    /// Take the old secret away instead, once the endpoint knows the new one.
    #[arg(long)]
    pub finish: bool,
}
