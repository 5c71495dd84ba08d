//! The arguments of the commands that look at turns or run them again, such as `argosy trace` and `argosy dead`.

use super::ServerArgs;
use clap::{Args, Subcommand};
use envelope::limits::DEADLINE_MS_MAX;
use envelope::{ConversationId, Role, TurnId};

/// `argosy trace`
#[derive(Debug, Args)]
pub struct TraceArgs {
    /// The turn.
    pub turn: TurnId,
    /// Go on until the turn has ended: a terminal is drawn anew, otherwise lines are added. As JSON, one
    /// object at the end.
    #[arg(long)]
    pub follow: bool,
    /// Show every map of a fan-out instead of one line for all.
    #[arg(long)]
    pub unfold: bool,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// What to do with dead letters.
#[derive(Debug, Subcommand)]
pub enum DeadCommand {
    /// List them, the newest last.
    #[command(after_help = "Example: argosy dead ls --role mapper --since 1h")]
    Ls(DeadLsArgs),
    /// Where one came from, its last error, the start of its payload.
    #[command(after_help = "Example: argosy dead show 17")]
    Show(DeadShowArgs),
    /// Try again what they were about: each a new turn that goes on from the step that was given up.
    #[command(after_help = "Example: argosy dead retry 17 18 --yes")]
    Retry(DeadRetryArgs),
    /// Delete them.
    #[command(after_help = "Example: argosy dead drop --older-than 12h --yes")]
    Drop(DeadDropArgs),
}

/// Which dead letters are meant.
#[derive(Debug, Clone, Default, Args)]
pub struct DeadFilterArgs {
    /// Only those of this role.
    #[arg(long, value_name = "ROLE")]
    pub role: Option<Role>,
    /// Only those with this reason, such as `step_timeout`.
    #[arg(long, value_name = "REASON")]
    pub reason: Option<String>,
    /// Only those stored so long ago or earlier, as in 90s, 15m, 2h, 1d.
    #[arg(long, value_name = "TIME")]
    pub older_than: Option<settings::TimeSpan>,
    /// Only those stored since so long ago.
    #[arg(long, value_name = "TIME")]
    pub since: Option<settings::TimeSpan>,
}

/// `argosy dead ls`
#[derive(Debug, Args)]
pub struct DeadLsArgs {
    /// Which.
    #[command(flatten)]
    pub which: DeadFilterArgs,
    /// Most letters to list: the newest ones.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub limit: u64,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy dead show`
#[derive(Debug, Args)]
pub struct DeadShowArgs {
    /// Its number, as `argosy dead ls` has it.
    pub number: u64,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// Which dead letters something is done with, and whether it is.
#[derive(Debug, Args)]
pub struct ChosenDeadArgs {
    /// Their numbers, as `argosy dead ls` has them. Without: all that the filters let through.
    #[arg(conflicts_with_all = ["role", "reason", "older_than", "since", "all"])]
    pub numbers: Vec<u64>,
    /// Which.
    #[command(flatten)]
    pub which: DeadFilterArgs,
    /// All there are, where no filter is given.
    #[arg(long)]
    pub all: bool,
    /// Do it. Without, it is only said what would be done.
    #[arg(long)]
    pub yes: bool,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy dead retry`
#[derive(Debug, Args)]
pub struct DeadRetryArgs {
    /// Which.
    #[command(flatten)]
    pub chosen: ChosenDeadArgs,
    /// How long the new turns may take, as in 90s, up to 1h. Default: as long as the old ones.
    #[arg(long, value_name = "TIME", value_parser = time_of_a_turn)]
    pub deadline: Option<settings::TimeSpan>,
}

/// `argosy dead drop`
#[derive(Debug, Args)]
pub struct DeadDropArgs {
    /// Which.
    #[command(flatten)]
    pub chosen: ChosenDeadArgs,
}

/// `argosy replay`
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The turn.
    pub turn: TurnId,
    /// Whose step to begin with: the first one of this role, unless --hop names another. What came before
    /// is taken over, everything from there on is done again.
    #[arg(long, value_name = "ROLE")]
    pub from: Role,
    /// Hop of the step, where the role has several; `argosy trace` shows them.
    #[arg(long, value_name = "HOP")]
    pub hop: Option<u16>,
    /// Take something else for this turn: model=NAME, or prompt.NAME=FILE with a prompt's name, such as
    /// prompt.reducer=my.md. May be repeated.
    #[arg(long = "with", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
    /// How long the new turn may take, as in 90s, up to 1h. Default: as long as the old one.
    #[arg(long, value_name = "TIME", value_parser = time_of_a_turn)]
    pub deadline: Option<settings::TimeSpan>,
    /// Put the new turn into this conversation, which begins with what was said before the old turn.
    #[arg(long = "as", value_name = "CONVERSATION")]
    pub conversation: Option<ConversationId>,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// A time that a turn may have: as for a question, or its timer would outlive the stream of timers.
fn time_of_a_turn(text: &str) -> Result<settings::TimeSpan, String> {
    let time: settings::TimeSpan = text.parse().map_err(|e| format!("{e}"))?;
    match time.as_millis() {
        1..=DEADLINE_MS_MAX => Ok(time),
        _ => Err("a turn has over 0s and up to 1h".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_has_some_time_and_an_hour_at_most() {
        for (text, fits) in [
            ("1ms", true),
            ("90s", true),
            ("1h", true),
            ("0s", false),
            ("61m", false),
            ("2d", false),
            ("soon", false),
        ] {
            assert_eq!(time_of_a_turn(text).is_ok(), fits, "{text}");
        }
    }
}
