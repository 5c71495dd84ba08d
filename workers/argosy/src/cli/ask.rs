//! The arguments of the commands that ask, and of those that are about one turn.

use super::ServerArgs;
use clap::Args;
use envelope::limits::{ROUNDS_MAX, SEARCHES_MAX};
use envelope::{ConversationId, ModeChoice, TurnId};
use std::path::PathBuf;

/// How a question is answered.
#[derive(Debug, Args)]
pub struct HowArgs {
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
    #[arg(long, value_name = "SCORE", value_parser = share)]
    pub score_min: Option<f32>,
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
    /// How it is answered.
    #[command(flatten)]
    pub how: HowArgs,
    /// Ask in this conversation, which begins with its first question. Whoever knows the id may read and continue it.
    /// Without a fleet it is kept in the data folder.
    #[arg(long, value_name = "ID")]
    pub conversation: Option<ConversationId>,
    /// What is done while another question of the conversation runs: `enqueue`, `reject` or `interrupt`. Default:
    /// `gateway.conversation_busy`.
    #[arg(long, value_name = "WORD", value_parser = ["enqueue", "reject", "interrupt"], requires = "conversation")]
    pub when_busy: Option<String>,
    /// A turn of the conversation that has to be in its log before this one.
    #[arg(long, value_name = "TURN", requires = "conversation")]
    pub after: Option<TurnId>,
    /// The question answers the question back of this turn. Without --conversation it goes with a fleet.
    #[arg(long, value_name = "TURN")]
    pub answer: Option<TurnId>,
    /// Whose documents to search; goes with a fleet.
    #[arg(long, value_name = "TENANT", default_value = "default")]
    pub tenant: String,
    /// The groups of readers to read as, such as `hr,law`. Default: all of them, `*`.
    #[arg(
        long,
        value_name = "GROUPS",
        value_delimiter = ',',
        default_value = "*"
    )]
    pub groups: Vec<String>,
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

/// `argosy chat`
#[derive(Debug, Args)]
pub struct ChatArgs {
    /// Folder to ask in this process, whether a fleet is named or not. Default: the working directory, where none is. Its files are
    /// read at the beginning: what changes later is seen by the next chat.
    #[arg(long, value_name = "DIR", conflicts_with = "server")]
    pub corpus: Option<PathBuf>,
    /// Go on with this conversation. Default: a new one, whose id is told. Whoever knows the id may read and continue it.
    #[arg(long, value_name = "ID")]
    pub conversation: Option<ConversationId>,
    /// How each question is answered.
    #[command(flatten)]
    pub how: HowArgs,
    /// Whose documents to search; goes with a fleet.
    #[arg(long, value_name = "TENANT", default_value = "default")]
    pub tenant: String,
    /// The groups of readers to read as, such as `hr,law`. Default: all of them, `*`.
    #[arg(
        long,
        value_name = "GROUPS",
        value_delimiter = ',',
        default_value = "*"
    )]
    pub groups: Vec<String>,
    /// Show answers only when they are checked. Default: a terminal shows the draft, dimmed, while it is written.
    #[arg(long)]
    pub no_draft: bool,
    /// Seconds to wait for each answer.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub timeout: u64,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy answer`
#[derive(Debug, Args)]
pub struct AnswerArgs {
    /// The turn.
    pub turn: TurnId,
    /// Write the table of the answer into this file, all rows of it.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy cancel`
#[derive(Debug, Args)]
pub struct TurnArgs {
    /// The turn.
    pub turn: TurnId,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f32, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "want a number from 0 to 1".to_owned())
}
