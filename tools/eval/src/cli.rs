//! The command line of `argosy-eval`, which `argosy eval` hands on.

use crate::answers::System;
use crate::classify::LabelledSet;
use crate::{DatasetName, Split};
use argosy::cli::GlobalArgs;
use argosy::cli_error::CliError;
use clap::{Args, Parser, Subcommand, ValueEnum};
use index_host::EmbedderChoice;
use std::path::PathBuf;

/// Measures Argosy against data whose right answers are known.
#[derive(Debug, Parser)]
#[command(name = "argosy-eval", version, after_help = CliError::CODES, disable_help_subcommand = true)]
pub struct EvalCli {
    /// What every command takes.
    #[command(flatten)]
    pub everywhere: GlobalArgs,
    /// What to measure.
    #[command(subcommand)]
    pub command: EvalCommand,
}

/// What to measure against known answers.
#[derive(Debug, Subcommand)]
pub enum EvalCommand {
    /// What the search finds, and how fast.
    #[command(
        after_help = "Example: argosy eval retrieval --dataset scifact --path ./scifact --output json"
    )]
    Retrieval(EvalRetrievalArgs),
    /// Whether the right document comes first, with the ranking of documents and without it: no model, no server.
    #[command(
        after_help = "Example: argosy eval collections --path ./collections --index ./indexes"
    )]
    Collections(EvalCollectionsArgs),
    /// What questions about documents amount to, on a generated corpus or a data set: no model, no server.
    #[command(
        after_help = "Example: argosy eval conditions --corpus ./dev --failed --report conditions.html"
    )]
    Conditions(EvalConditionsArgs),
    /// Which class rules give to questions whose class is known: no model, no server.
    #[command(
        after_help = "Example: argosy eval classify --dataset multihop_rag --path ./multihop_rag --split test"
    )]
    Classify(EvalClassifyArgs),
    /// Whether it is told early that the documents do not say: no model, no server.
    #[command(
        after_help = "Example: argosy eval unanswerable --path ./multihop_rag --split test --report unanswerable.html"
    )]
    Unanswerable(EvalUnanswerableArgs),
    /// What the rounds of a turn have read, beside one list of the same length: no model, no server.
    #[command(
        after_help = "Example: argosy eval loop --path ./multihop_rag --split test --report loop.html"
    )]
    Loop(EvalLoopArgs),
    /// The answers of several systems to the same questions, judged by values: plain RAG, the modes of a fleet in this process,
    /// the model with the right documents alone. No server but that of the model.
    #[command(
        after_help = "Example: argosy eval answers --path ./clinic --system plain-7,simple,agentic --calls calls.jsonl --report answers.html"
    )]
    Answers(EvalAnswersArgs),
    /// Whether questions take the way that is written down for them, step by step: scripted model, no server.
    #[command(after_help = "Example: argosy eval trajectories contracts --output json")]
    Trajectories(EvalTrajectoriesArgs),
    /// Which sentences of answers are said to stand in passages, beside people's marks: no model, no server.
    #[command(
        after_help = "Example: argosy eval groundedness --path ./eval --report groundedness.html"
    )]
    Groundedness(EvalGroundednessArgs),
}

/// `argosy eval groundedness`
#[derive(Debug, Args)]
pub struct EvalGroundednessArgs {
    /// A folder with `ragtruth_test`, `scifact` and `multihop_rag`, or some of them. Default: the sample corpus alone.
    #[arg(long, value_name = "DIR")]
    pub path: Option<PathBuf>,
    /// Also fit the weights of the scores to the dev third of `ragtruth_test`, and print them.
    #[arg(long)]
    pub fit: bool,
    /// Also print each sentence that is judged wrongly.
    #[arg(long)]
    pub failed: bool,
    /// Write a page with figures, plots and what failed.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

/// `argosy eval classify`
#[derive(Debug, Args)]
pub struct EvalClassifyArgs {
    /// Which data set.
    #[arg(long, value_name = "NAME", value_enum)]
    pub dataset: LabelledSet,
    /// Its folder.
    #[arg(long, value_name = "DIR")]
    pub path: PathBuf,
    /// Which questions: `dev` is a third of them, `test` the others.
    #[arg(long, value_enum, default_value_t = Split::All)]
    pub split: Split,
    /// Also print each question that is given another class.
    #[arg(long)]
    pub failed: bool,
    /// Write a page with figures, plots and what failed.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

/// `argosy eval unanswerable`
#[derive(Debug, Args)]
pub struct EvalUnanswerableArgs {
    /// The folder of MultiHop-RAG, the data set whose questions have no answer in part.
    #[arg(long, value_name = "DIR")]
    pub path: PathBuf,
    /// Which questions: `dev` is a third of them, `test` the others.
    #[arg(long, value_enum, default_value_t = Split::All)]
    pub split: Split,
    /// Keep the index in this folder, and use it again when it fits. Default: a temporary one.
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Also print each question that was judged wrongly.
    #[arg(long)]
    pub failed: bool,
    /// Write a page with figures, plots and what failed.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

/// `argosy eval loop`
#[derive(Debug, Args)]
pub struct EvalLoopArgs {
    /// The folder of MultiHop-RAG, the data set whose answers want two to four pieces of evidence.
    #[arg(long, value_name = "DIR")]
    pub path: PathBuf,
    /// Which questions: `dev` is a third of them, `test` the others.
    #[arg(long, value_enum, default_value_t = Split::All)]
    pub split: Split,
    /// Only so many of them, always the same ones. Default: all.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Keep the index in this folder, and use it again when it fits. Default: a temporary one.
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Write a page with figures, plots and what failed.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

/// `argosy eval answers`
#[derive(Debug, Args)]
pub struct EvalAnswersArgs {
    /// A folder with `corpus` and `questions.jsonl`, or that of MultiHop-RAG. Default: the sample corpus with its questions.
    #[arg(long, value_name = "DIR")]
    pub path: Option<PathBuf>,
    /// What answers: plain-N (one prompt with N passages), a mode of the fleet (agentic, simple, auto, loop), oracle (the right
    /// documents alone), closed (no document) or offline (the offline reader). The others are compared with the first.
    #[arg(long = "system", value_name = "NAME", value_delimiter = ',',
        default_values = ["plain-7", "simple", "agentic", "offline"])]
    pub systems: Vec<System>,
    /// Which questions: `dev` is a third of them, `test` the others.
    #[arg(long, value_enum, default_value_t = Split::All)]
    pub split: Split,
    /// Only so many of them, always the same ones. Default: all.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Ask so many of the answerable questions again without the documents that answer them.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub taken_away: usize,
    /// Record every call of the model in this file, and answer from it what it has: a run that was cut off goes on.
    #[arg(long, value_name = "FILE")]
    pub calls: Option<PathBuf>,
    /// Ask no model: every call has to be in the file of `--calls`.
    #[arg(long, requires = "calls")]
    pub replay: bool,
    /// Keep the index in this folder, and use it again. Default: a temporary one.
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Write a line of JSON for each question and system: the answer, how it was judged, what it took.
    #[arg(long, value_name = "FILE")]
    pub details: Option<PathBuf>,
    /// Write a page with figures, plots and the answers side by side.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

/// `argosy eval trajectories`
#[derive(Debug, Args)]
pub struct EvalTrajectoriesArgs {
    /// Only those with this in their name.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// A folder of `.json` files. Default: those that are built in, over the sample corpus.
    #[arg(long, value_name = "DIR")]
    pub path: Option<PathBuf>,
}

/// `argosy eval conditions`
#[derive(Debug, Args)]
pub struct EvalConditionsArgs {
    /// The folder with a generated corpus, as `tools/conditions/generate.py` makes one.
    #[arg(long, value_name = "DIR", required_unless_present = "dataset")]
    pub corpus: Option<PathBuf>,
    /// Link the questions of a data set instead: which of them name the sources and days of their evidence.
    #[arg(long, value_name = "NAME", requires = "path", conflicts_with = "corpus", value_parser = ["multihop_rag"])]
    pub dataset: Option<String>,
    /// The folder of the data set.
    #[arg(long, value_name = "DIR", requires = "dataset")]
    pub path: Option<PathBuf>,
    /// Which questions of the data set: `dev` is a third of them, `test` the others.
    #[arg(long, value_enum, default_value_t = Split::All, requires = "dataset")]
    pub split: Split,
    /// Also print each question that is not wholly right.
    #[arg(long)]
    pub failed: bool,
    /// Write a page with figures, plots and what failed.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

/// `argosy eval collections`
#[derive(Debug, Args)]
pub struct EvalCollectionsArgs {
    /// The folder with the collections, as `tools/collections` makes them.
    #[arg(long, value_name = "DIR")]
    pub path: PathBuf,
    /// This collection alone, by the name of its folder. May be repeated.
    #[arg(long = "collection", value_name = "NAME")]
    pub only: Vec<String>,
    /// Keep the indexes in this folder, and use them again where they fit.
    #[arg(long, value_name = "DIR")]
    pub index: PathBuf,
    /// Write a line of JSON for each question and way to search.
    #[arg(long, value_name = "FILE")]
    pub details: Option<PathBuf>,
}

/// `argosy eval retrieval`
#[derive(Debug, Args)]
pub struct EvalRetrievalArgs {
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
    /// The embedder of queries and chunks. Default: that of `retrieval.embedder`.
    #[arg(long, value_name = "NAME", value_enum)]
    pub embedder: Option<EmbedderName>,
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

/// The embedder that makes vectors of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmbedderName {
    /// The static table in the binary.
    Static,
    /// The encoder all-MiniLM-L6-v2 in this process.
    Minilm,
    /// An embedding server.
    Http,
    /// No embedder: the search uses words alone.
    None,
}

impl From<EmbedderName> for EmbedderChoice {
    fn from(name: EmbedderName) -> EmbedderChoice {
        match name {
            EmbedderName::Static => EmbedderChoice::Static,
            EmbedderName::Minilm => EmbedderChoice::Minilm,
            EmbedderName::Http => EmbedderChoice::Http,
            EmbedderName::None => EmbedderChoice::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_command_says_what_it_takes_and_has_an_example_that_parses() {
        let mut root = EvalCli::command();
        root.build();
        assert!(root.get_subcommands().count() >= 9);
        for command in root.get_subcommands() {
            let name = command.get_name();
            let mut options = command.get_arguments();
            assert!(options.all(|one| one.get_help().is_some()), "`{name}`");
            let help = command.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            let example = help.strip_prefix("Example: argosy eval ").unwrap();
            assert!(example.starts_with(name), "`{name}`: {example}");
            let words = std::iter::once("argosy-eval").chain(example.split_whitespace());
            EvalCli::try_parse_from(words).unwrap_or_else(|error| panic!("`{name}`: {error}"));
        }
    }
}
