//! Defines the command line: the commands, the flags that all commands share, and their help.

use crate::cli_error::CliError;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

mod ask;
mod conversation;
mod corpus;
mod feedback;
mod fleet;
mod here;
mod serve;
mod server;
mod trace;
mod webhook;

pub use ask::{AnswerArgs, AskArgs, ChatArgs, HowArgs, TurnArgs};
pub use conversation::{
    ConversationCommand, ConversationForkArgs, ConversationImportArgs, ConversationLsArgs,
    ConversationPlaceArgs, ConversationRmArgs, OneConversationArgs,
};
pub use corpus::{
    AccessArgs, AccessCommand, AccessSetArgs, CatalogArgs, EditionCommand, EditionSwitchArgs,
    EditionsArgs, IndexArgs, OneEditionArgs, SearchArgs, SearchPlaceArgs, ShowArgs,
};
pub use feedback::{FeedbackCommand, FeedbackLsArgs};
pub use fleet::{
    DoctorArgs, ExplainArgs, KeyArg, NodesArgs, PermissionsArgs, RunArgs, SetupArgs, StatusArgs,
    TopArgs, UpArgs,
};
pub use here::{
    CompletionsArgs, ConfigCheckArgs, ConfigCommand, ConfigShowArgs, DemoArgs, EvalArgs, ModelName,
    ModelsCommand, ModelsPullArgs, OfflineModelArgs, ProbeArgs, ProbeTarget, PromptsCheckArgs,
    PromptsCommand, PromptsDiffArgs, PromptsShowArgs, SchemaCheckArgs, SchemaCommand,
    SchemaTryArgs,
};
pub use serve::{KeyCommand, KeyCreateArgs, KeyFileArgs, KeyRevokeArgs, McpArgs, ServeArgs};
pub use server::ServerArgs;
pub use trace::{
    ChosenDeadArgs, DeadCommand, DeadDropArgs, DeadFilterArgs, DeadLsArgs, DeadRetryArgs,
    DeadShowArgs, ReplayArgs, TraceArgs,
};
pub use webhook::{
    OneWebhookArgs, WebhookCommand, WebhookCreateArgs, WebhookFileArgs, WebhookRotateArgs,
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
    /// Open the doors: a page, HTTP, OpenAI and MCP, over a folder in this process, or for the fleet that --server or `nats.url` names.
    #[command(after_help = "Example: argosy serve --corpus ./documents")]
    Serve(ServeArgs),
    /// Speak MCP over stdin and stdout with the program that started it, as agents want it.
    #[command(after_help = "Example: argosy mcp --corpus ./documents")]
    Mcp(McpArgs),
    /// Keys of those who may use the doors that `argosy serve` opens.
    #[command(
        subcommand,
        after_help = "Example: argosy key create alice --tenant acme --keys keys.json"
    )]
    Key(KeyCommand),
    /// Print the accounts of a NATS server that several parties share: who may publish and hear what.
    #[command(after_help = "Example: argosy permissions --tenants acme,bolt --keys keys")]
    Permissions(PermissionsArgs),
    /// Endpoints that the doors which `argosy serve` opens tell of the ends of turns.
    #[command(
        subcommand,
        after_help = "Example: argosy webhook create crm --url https://crm.example/argosy --webhooks webhooks.json"
    )]
    Webhook(WebhookCommand),
    /// Fetch the answer of a question that was asked before.
    #[command(after_help = "Example: argosy answer q-3kTz --server nats://127.0.0.1:4222")]
    Answer(AnswerArgs),
    /// Give a question up: its turn ends as cancelled, and running work on it stops.
    #[command(after_help = "Example: argosy cancel q-3kTz --server nats://127.0.0.1:4222")]
    Cancel(TurnArgs),
    /// Show how a turn went, or goes: each step, its waiting, its fallbacks, and what it waits for.
    #[command(after_help = "Example: argosy trace q-3kTz --server nats://127.0.0.1:4222 --follow")]
    Trace(TraceArgs),
    /// Look at what people say of answers.
    #[command(
        subcommand,
        after_help = "Example: argosy feedback ls --server nats://127.0.0.1:4222"
    )]
    Feedback(FeedbackCommand),
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
    /// Show or replace the rules of who may read which documents.
    #[command(
        subcommand,
        after_help = "Example: argosy access set access.json --server nats://127.0.0.1:4222"
    )]
    Access(AccessCommand),
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
