//! The arguments of the commands that show the whole fleet: `argosy status` and `argosy top`.

use super::ServerArgs;
use clap::{Args, ValueEnum};
use inspect::status::Key;

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
    pub turn: Option<envelope::TurnId>,
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
