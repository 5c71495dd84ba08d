//! Defines the command line of `argosy-bench`, except `argosy-bench pool`, which has a file of its own.

mod pool;

pub use pool::{PoolArgs, PoolPolicy, Scenario};

use argosy::cli::{GlobalArgs, RunArgs};
use argosy::cli_error::CliError;
use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Measures Argosy on this machine.
#[derive(Debug, Parser)]
#[command(name = "argosy-bench", version, after_help = CliError::CODES, disable_help_subcommand = true)]
pub struct BenchCli {
    /// What every command takes.
    #[command(flatten)]
    pub everywhere: GlobalArgs,
    /// What to measure.
    #[command(subcommand)]
    pub command: BenchCommand,
}

/// What to measure.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// The whole fleet with a stubbed model, against bare JetStream in the same run.
    #[command(after_help = "Example: argosy-bench fleet --output json")]
    Fleet(FleetArgs),
    /// A fleet at a fixed rate of questions, with kills of every role and of the server: what is lost, what is doubled, memory
    /// and disk over time. Exits with 1 when a question was lost, ended twice or was not answered, when a process ended by itself,
    /// and when memory grows by more than a tenth, of the server once it has come near its limit.
    #[command(after_help = "Example: argosy-bench soak --seconds 600 --rate 200 --html soak.html")]
    Soak(SoakArgs),
    /// The index at size, over a generated corpus or a folder: feeding, memory, search times.
    #[command(after_help = "Example: argosy-bench retrieval --chunks 100000 --output json")]
    Retrieval(RetrievalArgs),
    /// A retriever's index as a view of the corpus stream: catching up from nothing, from where it was
    /// and from a snapshot.
    #[command(after_help = "Example: argosy-bench views --chunks 100000 --output json")]
    Views(ViewsArgs),
    /// Documents through a nats-server and one, two and four indexers: what replicas gain.
    #[command(after_help = "Example: argosy-bench ingest --replicas 1,2,4 --output json")]
    Ingest(IngestArgs),
    /// Conversations: their logs on a server, the store that follows them, and questions beside them.
    #[command(after_help = "Example: argosy-bench conversation --output json")]
    Conversation(ConversationArgs),
    /// The pool of model nodes on simulated ones, of which one is slow, stuck or flapping.
    #[command(after_help = "Example: argosy-bench pool --nodes 4 --scenario slow --seconds 5")]
    Pool(PoolArgs),
    /// One role of a fleet as `argosy run` is it, with a stubbed model and index, or with faults.
    #[command(after_help = "Example: argosy-bench run mapper --stub-ms 50")]
    Run(BenchRunArgs),
    /// One process of the floor, as `fleet` starts it.
    #[command(hide = true)]
    FloorRole(FloorRoleArgs),
}

/// `argosy-bench run`
#[derive(Debug, Args)]
pub struct BenchRunArgs {
    /// The role, and where its fleet is.
    #[command(flatten)]
    pub run: RunArgs,
    /// Answer without a model and without an index after this many milliseconds.
    #[arg(long, value_name = "MS")]
    pub stub_ms: Option<u64>,
    /// How long the stubbed index takes, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 0, requires = "stub_ms")]
    pub stub_search_ms: u64,
    /// Rounds of each question until the stubbed index finds something that helps.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "stub_ms", value_parser = clap::value_parser!(u8).range(1..=3))]
    pub stub_rounds: u8,
    /// Abort at a named point with this probability, as in `part-stored=0.01`.
    #[arg(long, value_name = "POINT=P")]
    pub fault: Vec<String>,
}

/// `argosy-bench soak`
#[derive(Debug, Args)]
pub struct SoakArgs {
    /// How long questions are asked, in seconds; the last ones get up to 90 s more. From 250 on memory is compared.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(10..=86_400))]
    pub seconds: u64,
    /// Questions a second, whatever is answered.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=5_000))]
    pub rate: u32,
    /// Seconds between two kills of a role, each role in turn; with 0 no role is killed.
    #[arg(long, value_name = "S", default_value_t = 2.0, value_parser = seconds)]
    pub kill_every: f64,
    /// Seconds between two kills of the server; with 0 it is not killed.
    #[arg(long, value_name = "S", default_value_t = 30.0, value_parser = seconds)]
    pub kill_server_every: f64,
    /// How long the stubbed model takes, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(..=10_000))]
    pub model_delay_ms: u64,
    /// The order of the kills. Default: another one each time.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Draw the run into this file.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

impl SoakArgs {
    /// Refuses a run that is over before everything was killed once.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        let roles = self.kill_every * envelope::Role::ANSWERING.len() as f64;
        let calm = crate::soak::storm::CALM.as_secs_f64();
        let least = roles.max(self.kill_server_every) + calm;
        if (self.seconds as f64) > least {
            return Ok(());
        }
        Err(CliError::usage(format!(
            "--seconds {}: to kill every role and the server once takes {least} s, {calm} of them without a kill; ask for longer, or \
             kill more often",
            self.seconds
        )))
    }

    /// The arguments with which the workers are stubbed.
    pub(crate) fn stubs(&self) -> Vec<String> {
        vec!["--stub-ms".into(), self.model_delay_ms.to_string()]
    }
}

/// 0, or a time between two kills.
fn seconds(text: &str) -> Result<f64, String> {
    let of = text.parse::<f64>().ok();
    of.filter(|s| *s == 0.0 || (0.5..=86_400.0).contains(s))
        .ok_or_else(|| "want 0, or from 0.5 to 86400 seconds".to_owned())
}

/// `argosy-bench retrieval`
#[derive(Debug, Args)]
pub struct RetrievalArgs {
    /// Chunks of the corpus, about 1.2 KB of text each; in a temporary folder.
    #[arg(long, default_value_t = 10_000)]
    pub chunks: usize,
    /// Chunks of each document. Those of several have names that questions use.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub pages: usize,
    /// Take the files of this folder instead, with words of theirs as queries.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["chunks", "pages"])]
    pub corpus: Option<PathBuf>,
}

/// `argosy-bench views`
#[derive(Debug, Args)]
pub struct ViewsArgs {
    /// Chunks in the corpus stream, about 1.2 KB of text each; on a nats-server in a temporary folder.
    #[arg(long, default_value_t = 10_000)]
    pub chunks: usize,
}

/// `argosy-bench conversation`
#[derive(Debug, Args)]
pub struct ConversationArgs {
    /// Turns that are written to the logs, ten to a conversation; on a nats-server in a temporary folder.
    #[arg(long, default_value_t = 10_000, value_parser = RangedU64ValueParser::<usize>::new().range(100..=1_000_000))]
    pub turns: usize,
    /// Recalls of the runs that count how many are done in a second.
    #[arg(long, default_value_t = 20_000, value_parser = RangedU64ValueParser::<usize>::new().range(100..=10_000_000))]
    pub reads: usize,
    /// The last exchanges that a recall reads, as a rule one event each; the conversations have ten.
    #[arg(long, default_value_t = 10, value_parser = RangedU64ValueParser::<usize>::new().range(1..=10))]
    pub exchanges: usize,
    /// Conversations whose turns wait beside other questions.
    #[arg(long, default_value_t = 1_000, value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub conversations: usize,
    /// Questions of each loop that asks one at a time; the others ask ten times as many.
    #[arg(long, default_value_t = 200, value_parser = RangedU64ValueParser::<usize>::new().range(10..=100_000))]
    pub questions: usize,
    /// Leave the fleet out.
    #[arg(long)]
    pub no_fleet: bool,
}

/// `argosy-bench ingest`
#[derive(Debug, Args)]
pub struct IngestArgs {
    /// Documents of each run, on a nats-server in a temporary folder.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub documents: u32,
    /// Length of a document, in parts of 180 words.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub parts: u32,
    /// How many indexers, one run each.
    #[arg(long, value_delimiter = ',', default_values_t = [1u32, 2, 4], value_parser = clap::value_parser!(u32).range(1..=64))]
    pub replicas: Vec<u32>,
    /// How long the stubbed embedder takes for a call, in milliseconds.
    #[arg(long, default_value_t = 20)]
    pub embedder_ms: u64,
    /// Documents at once in an indexer that waits for the stubbed embedder: few, so that it waits. With
    /// the static table it is 8, as usual.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub waiting_slots: u32,
}

/// `argosy-bench floor-role`
#[derive(Debug, Args)]
pub struct FloorRoleArgs {
    /// Whose messages.
    pub role: envelope::Role,
    /// URL of NATS.
    #[arg(long)]
    pub server: String,
    /// How long the stubbed model takes, in milliseconds.
    #[arg(long, default_value_t = 0)]
    pub model_delay_ms: u64,
    /// How long the stubbed index takes, in milliseconds.
    #[arg(long, default_value_t = 0)]
    pub search_delay_ms: u64,
}

/// `argosy-bench fleet`
#[derive(Debug, Args)]
pub struct FleetArgs {
    /// Questions in flight, one run each.
    #[arg(long, value_delimiter = ',', default_values_t = [1usize, 16, 64])]
    pub in_flight: Vec<usize>,
    /// Questions of each run. Default: 300 with one in flight, else 4,000.
    #[arg(long)]
    pub queries: Option<usize>,
    /// How long the stubbed model takes, in milliseconds.
    #[arg(long, default_value_t = 0)]
    pub model_delay_ms: u64,
    /// How long the stubbed index takes, in milliseconds.
    #[arg(long, default_value_t = 0)]
    pub search_delay_ms: u64,
    /// Rounds of each question: what those before the last one find does not help. Over 1 without a floor, which has one.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=3))]
    pub rounds: u8,
    /// Run steadily for this long instead, with questions of 10 s that are kept for 5 s, so that timers fire and
    /// messages age out; watch memory and disk. At least 30, and 300 for a figure to be cited.
    #[arg(long, conflicts_with_all = ["repeat", "no_floor", "queries"])]
    pub seconds: Option<u64>,
    /// fsync every message before it is confirmed (class F instead of P).
    #[arg(long)]
    pub sync_always: bool,
    /// Interleaved repetitions of each run; the medians are reported.
    #[arg(long, default_value_t = 3)]
    pub repeat: usize,
    /// Leave the floors out.
    #[arg(long)]
    pub no_floor: bool,
    /// Nothing stubbed: the sample corpus, the offline reader, the binary that ships; the processor time of
    /// each role. Without a floor.
    #[arg(long, conflicts_with_all = ["model_delay_ms", "search_delay_ms", "seconds", "no_floor", "rounds"])]
    pub real: bool,
    /// Only for `--real`: the binary that ships. Default: `argosy` beside this one.
    #[arg(long, value_name = "FILE", requires = "real")]
    pub argosy: Option<PathBuf>,
}

impl FleetArgs {
    /// The arguments with which the workers are stubbed.
    pub(crate) fn stubs(&self) -> Vec<String> {
        [
            ("--stub-ms", self.model_delay_ms),
            ("--stub-search-ms", self.search_delay_ms),
            ("--stub-rounds", self.rounds.into()),
        ]
        .into_iter()
        .flat_map(|(name, ms)| [name.into(), ms.to_string()])
        .collect()
    }
}
