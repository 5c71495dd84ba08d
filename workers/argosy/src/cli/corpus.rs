//! The arguments of the commands that fill the corpus, and of those that look into it without asking a question.

use super::ServerArgs;
use clap::{Args, Subcommand};
use envelope::limits::{CATALOG_VALUES_MAX, CONTEXT_CHARS, FACET_VALUES_MAX, TOP_K_MAX};
use envelope::lookup::{CATALOG_VALUES, FACET_VALUES, TOP_K};
use envelope::{Edition, TenantId};
use std::path::PathBuf;

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
    pub edition: Option<Edition>,
    /// Publish the documents and do not wait until they are indexed.
    #[arg(long)]
    pub no_wait: bool,
    /// Seconds without news of any document after which the wait ends. Default: 150 with a fleet, and
    /// `indexer.program_timeout` more where text is recognised; what was published is indexed all the same once an
    /// indexer runs. 3600 without a fleet.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub patience: Option<u64>,
    /// Whose documents these are.
    #[arg(long, value_name = "TENANT", default_value = "default")]
    pub tenant: String,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy access`
#[derive(Debug, Subcommand)]
pub enum AccessCommand {
    /// Shows the rules of a tenant.
    #[command(after_help = "Example: argosy access ls --server nats://127.0.0.1:4222")]
    Ls(AccessArgs),
    /// Replaces the rules of a tenant by those of a file. They hold at once, without anything being indexed again.
    #[command(after_help = "Example: argosy access set access.json --server nats://127.0.0.1:4222")]
    Set(AccessSetArgs),
}

/// `argosy access ls`
#[derive(Debug, Args)]
pub struct AccessArgs {
    /// Whose documents the rules are for.
    #[arg(long, value_name = "TENANT", default_value = "default")]
    pub tenant: TenantId,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy access set`
#[derive(Debug, Args)]
pub struct AccessSetArgs {
    /// The rules: a JSON list such as `[{"path": "pay/", "groups": ["hr"]}]`. An empty list removes them.
    pub file: PathBuf,
    /// Which tenant, and where the fleet is.
    #[command(flatten)]
    pub of: AccessArgs,
}

/// Which corpus is meant.
#[derive(Debug, Args)]
pub struct SearchPlaceArgs {
    /// Folder to look into in this process, whether a fleet is named or not. Default: the working
    /// directory, where none is.
    #[arg(long, value_name = "DIR", conflicts_with = "server")]
    pub corpus: Option<PathBuf>,
    /// Use the index as it is, without looking at the files.
    #[arg(long, conflicts_with = "server")]
    pub reuse: bool,
    /// Whose documents to look at; goes with a fleet.
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
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy search`
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// What to look for, in words. May be left out with --count and --facet.
    #[arg(required_unless_present_any = ["count", "facets"])]
    pub query: Option<String>,
    /// What must hold for every passage, as JSON: '{"invoice_date":{"gte":"2025-01-01"}}'.
    #[arg(long, value_name = "JSON")]
    pub filters: Option<String>,
    /// Part of the corpus. May be repeated.
    #[arg(long = "bucket", value_name = "NAME")]
    pub buckets: Vec<String>,
    /// Most passages.
    #[arg(long, value_name = "N", default_value_t = TOP_K as u64, value_parser = clap::value_parser!(u64).range(1..=TOP_K_MAX as u64))]
    pub top: u64,
    /// How to search: `keyword`, by words alone; `semantic`, by vectors alone; `hybrid`, by both. Default: hybrid.
    #[arg(long, value_name = "WORD", value_parser = ["keyword", "semantic", "hybrid"], requires = "query")]
    pub strategy: Option<String>,
    /// Search this document alone: its id, or its path inside the corpus.
    #[arg(long, value_name = "DOC_ID|SOURCE", requires = "query", conflicts_with_all = ["count", "facets"])]
    pub doc: Option<String>,
    /// Cut each text to about this many characters around what matches best. Default: a line for
    /// people, the whole text for programs.
    #[arg(long, value_name = "N", requires = "query", value_parser = clap::value_parser!(u64).range(*CONTEXT_CHARS.start() as u64..=*CONTEXT_CHARS.end() as u64))]
    pub context_chars: Option<u64>,
    /// Take no conditions from the words of the query: what it says about documents, such as a company or a year, is words
    /// like others then.
    #[arg(long, requires = "query")]
    pub no_link: bool,
    /// Also show which documents the query may be about, how likely each is, and what speaks for it.
    #[arg(long, requires = "query")]
    pub explain: bool,
    /// Count the documents, with the values of this field. May be repeated.
    #[arg(long = "facet", value_name = "FIELD")]
    pub facets: Vec<String>,
    /// Most values to show of each.
    #[arg(long, value_name = "N", default_value_t = FACET_VALUES as u64, value_parser = clap::value_parser!(u64).range(1..=FACET_VALUES_MAX as u64))]
    pub values: u64,
    /// Count the documents that --filters and --bucket let through.
    #[arg(long)]
    pub count: bool,
    /// Which corpus is meant.
    #[command(flatten)]
    pub place: SearchPlaceArgs,
}

/// `argosy catalog`
#[derive(Debug, Args)]
pub struct CatalogArgs {
    /// Part of the corpus. May be repeated. Default: all of them.
    #[arg(long = "bucket", value_name = "NAME")]
    pub buckets: Vec<String>,
    /// Most frequent values to show of each column.
    #[arg(long, value_name = "N", default_value_t = CATALOG_VALUES as u64, value_parser = clap::value_parser!(u64).range(0..=CATALOG_VALUES_MAX as u64))]
    pub values: u64,
    /// Which corpus is meant.
    #[command(flatten)]
    pub place: SearchPlaceArgs,
}

/// `argosy show`
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Its id, or its path inside the corpus.
    #[arg(value_name = "DOC_ID|SOURCE")]
    pub document: String,
    /// Which corpus is meant.
    #[command(flatten)]
    pub place: SearchPlaceArgs,
}

/// What to do with the editions of the corpus.
#[derive(Debug, Subcommand)]
pub enum EditionCommand {
    /// List them: documents, chunks, what made them, and which one answers.
    #[command(
        after_help = "Example: argosy edition ls --server nats://127.0.0.1:4222 --output json"
    )]
    Ls(EditionsArgs),
    /// Add one beside the current one. From then on documents are indexed for both.
    #[command(after_help = "Example: argosy edition begin small --server nats://127.0.0.1:4222")]
    Begin(OneEditionArgs),
    /// Make it the current one. It can be taken back until the other is dropped.
    #[command(after_help = "Example: argosy edition switch small --server nats://127.0.0.1:4222")]
    Switch(EditionSwitchArgs),
    /// Delete one that is not the current one, with all its chunks.
    #[command(after_help = "Example: argosy edition drop main --server nats://127.0.0.1:4222")]
    Drop(OneEditionArgs),
}

/// `argosy edition ls`
#[derive(Debug, Args)]
pub struct EditionsArgs {
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy edition begin`, `argosy edition drop`
#[derive(Debug, Args)]
pub struct OneEditionArgs {
    /// Its name: 1 to 32 characters of a-z 0-9 -.
    pub name: Edition,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy edition switch`
#[derive(Debug, Args)]
pub struct EditionSwitchArgs {
    /// The edition.
    #[command(flatten)]
    pub edition: OneEditionArgs,
    /// Although it lacks documents of the current one, or has other versions of them.
    #[arg(long)]
    pub force: bool,
}
