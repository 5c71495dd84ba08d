//! The arguments of `argosy prompts`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What to do with prompts.
#[derive(Debug, Subcommand)]
pub enum PromptsCommand {
    /// List them: whose each is, the version of its text, whether `prompts_dir` replaces it, what it takes.
    #[command(after_help = "Example: argosy prompts ls --output json")]
    Ls,
    /// Print the text that is in force.
    #[command(after_help = "Example: argosy prompts show mapper")]
    Show(PromptsShowArgs),
    /// Show what a folder of prompts changes, line by line.
    #[command(after_help = "Example: argosy prompts diff ./prompts")]
    Diff(PromptsDiffArgs),
    /// Say what is wrong in a folder of prompts, before a start is refused for it.
    #[command(after_help = "Example: argosy prompts check ./prompts")]
    Check(PromptsCheckArgs),
}

/// `argosy prompts show`
#[derive(Debug, Args)]
pub struct PromptsShowArgs {
    /// Its name, as `argosy prompts ls` has it.
    pub name: String,
}

/// `argosy prompts diff`
#[derive(Debug, Args)]
pub struct PromptsDiffArgs {
    /// The folder. Default: `prompts_dir`.
    pub dir: Option<PathBuf>,
}

/// `argosy prompts check`
#[derive(Debug, Args)]
pub struct PromptsCheckArgs {
    /// The folder.
    pub dir: PathBuf,
}
