//! `argosy eval`: its arguments.

use crate::search_factory::Choice;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// What to measure against known answers.
#[derive(Debug, Subcommand)]
pub enum Eval {
    /// What the search finds, and how fast.
    #[command(
        after_help = "Example: argosy eval retrieval --dataset scifact --path ./scifact --output json"
    )]
    Retrieval(EvalRetrieval),
    /// What questions about documents amount to, on a generated corpus: no model, no server.
    #[command(
        after_help = "Example: argosy eval conditions --documents 5000 --failed --report conditions.html"
    )]
    Conditions(EvalConditions),
}

/// `argosy eval conditions`
#[derive(Debug, Args)]
pub struct EvalConditions {
    /// Which side of the corpus. What is tuned is tuned on `dev`; `test` has other names, columns and sentences.
    #[arg(long, value_enum, default_value_t = CorpusSide::Dev)]
    pub side: CorpusSide,
    /// How many documents are made.
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    pub documents: usize,
    /// Also print each question that is not wholly right.
    #[arg(long)]
    pub failed: bool,
    /// Write a page with figures, plots and what failed.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

/// A side of the generated corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CorpusSide {
    /// To choose settings on.
    Dev,
    /// To report.
    Test,
    /// To choose settings on, too, in other words.
    Extra,
}

impl CorpusSide {
    /// As it is called on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            CorpusSide::Dev => "dev",
            CorpusSide::Test => "test",
            CorpusSide::Extra => "extra",
        }
    }

    /// As the generator calls it.
    pub const fn half(self) -> conditions::Half {
        match self {
            CorpusSide::Dev => conditions::Half::Dev,
            CorpusSide::Test => conditions::Half::Test,
            CorpusSide::Extra => conditions::Half::Extra,
        }
    }
}

/// `argosy eval retrieval`
#[derive(Debug, Args)]
pub struct EvalRetrieval {
    /// Which data set.
    #[arg(long, value_name = "NAME", value_enum)]
    pub dataset: DatasetName,
    /// Its folder.
    #[arg(long, value_name = "DIR")]
    pub path: PathBuf,
    /// Which questions: `dev` is a third of them, `test` the others.
    #[arg(long, value_enum, default_value_t = Split::All)]
    pub split: Split,
    /// Ask at most this many of them, always the same ones.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Who makes vectors. Default: what `retrieval.embedder` says.
    #[arg(long, value_name = "NAME", value_enum)]
    pub embedder: Option<Choice>,
    /// Keep the vectors of chunks in this folder, and take those that are there.
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Ways to search, separated by commas. Default: all.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub method: Vec<String>,
    /// Keep the index in this folder, and use it again when it fits. Default: a temporary one.
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Also see what is among the first hundred. Where chunks are judged this is a second search.
    #[arg(long)]
    pub deep: bool,
    /// Write a line of JSON for each question and method: where its gold was found.
    #[arg(long, value_name = "FILE")]
    pub details: Option<PathBuf>,
}

/// A data set with known answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DatasetName {
    /// MultiHop-RAG: news, and questions over several articles.
    #[value(name = "multihop_rag")]
    MultihopRag,
    /// SciFact, as BEIR has it: claims and abstracts.
    Scifact,
    /// Cranfield: aerodynamics.
    Cranfield,
    /// CACM: computing.
    Cacm,
}

/// Part of the questions of a data set, by the hash of their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Split {
    /// A third, to choose settings on.
    Dev,
    /// The other two thirds, to report.
    Test,
    /// All questions.
    All,
}
