//! The arguments of `argosy chat`.

use super::{ServerArgs, share::share};
use clap::Args;
use envelope::ModeChoice;
use envelope::limits::{ROUNDS_MAX, SEARCHES_MAX};
use std::path::PathBuf;

/// `argosy chat`
#[derive(Debug, Args)]
pub struct ChatArgs {
    /// Folder to ask in this process, whether a fleet is named or not. Default: the working directory, where none is.
    #[arg(long, value_name = "DIR", conflicts_with = "server")]
    pub corpus: Option<PathBuf>,
    /// Go on with this conversation. Default: a new one, whose id is told. Whoever knows the id may read and continue it.
    #[arg(long, value_name = "ID")]
    pub conversation: Option<envelope::ConversationId>,
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
    /// Whose documents to search; goes with a fleet.
    #[arg(long, value_name = "TENANT", default_value = "default")]
    pub tenant: String,
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
