//! The arguments of `argosy schema`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

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
