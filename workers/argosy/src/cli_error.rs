//! The error of a command: an exit code, an error code for programs, a sentence for people, and a hint.

mod from;

pub(crate) use from::FOLDER;

use serde::Serialize;

/// The code of a failure where a stream has no room, so that other messages would fail as well.
pub(crate) const FULL: &str = "full";

/// The code of a failure where a server has less room than the streams want.
pub(crate) const NO_ROOM: &str = "no_room";

/// Why a command failed, and how the process exits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CliError {
    /// Exit code: see [`CliError::CODES`].
    pub exit: u8,
    /// The error code, a word that does not change between releases.
    pub code: &'static str,
    /// What went wrong.
    pub message: String,
    /// What to do about it, where that is known.
    pub hint: Option<String>,
    /// The turn that the error is about, if there is one.
    pub turn: Option<String>,
}

/// A failure as `-o json` shows it.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    error: Inner<'a>,
}

#[derive(Debug, Serialize)]
struct Inner<'a> {
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<&'a str>,
}

impl CliError {
    /// The exit codes, as `--help` shows them.
    pub const CODES: &'static str = "Exit codes: 0 done, 1 done and the answer is no (failed, refused, files skipped, a check that failed), 2 usage, \
         3 not found, 4 cannot connect, 5 denied (credentials), 6 timed out and still running, 7 your input is needed (a question back, or `--yes`), 130 interrupted";

    fn of(exit: u8, code: &'static str, message: impl Into<String>) -> CliError {
        CliError {
            exit,
            code,
            message: message.into(),
            hint: None,
            turn: None,
        }
    }

    /// The command ran, and its answer is no.
    pub fn negative(message: impl Into<String>) -> CliError {
        CliError::of(1, "failed", message)
    }

    /// The command was called in a wrong way, or is configured wrongly.
    pub fn usage(message: impl Into<String>) -> CliError {
        CliError::of(2, "usage", message)
    }

    /// The thing that the command names does not exist.
    pub fn not_found(message: impl Into<String>) -> CliError {
        CliError::of(3, "not_found", message)
    }

    /// The server cannot be reached.
    pub(crate) fn cannot_connect(message: impl Into<String>) -> CliError {
        let hint = "is a NATS server running there? `argosy up` starts one with a whole fleet";
        CliError::of(4, "cannot_connect", message).hint(hint)
    }

    /// The server is there, and these credentials do not allow the command.
    pub(crate) fn denied(message: impl Into<String>) -> CliError {
        let hint = "look at --creds, or at user and password in --server (`nats://user:password@host:4222`, with \
             `%40` for an `@`): the server knows others";
        CliError::of(5, "denied", message).hint(hint)
    }

    /// The time is up, and the turn still runs.
    pub(crate) fn still_running(message: impl Into<String>) -> CliError {
        CliError::of(6, "still_running", message)
    }

    /// A signal came before the command was done.
    pub fn interrupted(message: impl Into<String>) -> CliError {
        CliError::of(130, "interrupted", message)
    }

    /// The failure, with another error code than that of its exit code.
    pub(crate) fn code(mut self, code: &'static str) -> CliError {
        self.code = code;
        self
    }

    /// The failure, with another exit code.
    pub(crate) fn exit(mut self, exit: u8) -> CliError {
        self.exit = exit;
        self
    }

    /// The failure without its words, which the output has said already.
    pub(crate) fn without_words(mut self) -> CliError {
        self.message = String::new();
        self
    }

    /// The failure, about this turn.
    pub(crate) fn about(mut self, turn: &envelope::TurnId) -> CliError {
        self.turn = Some(turn.as_str().to_owned());
        self
    }

    /// The failure, with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> CliError {
        self.hint = Some(hint.into());
        self
    }

    /// The failure as one line of JSON.
    pub(crate) fn to_json(&self) -> String {
        let inner = Inner {
            code: self.code,
            message: &self.message,
            hint: self.hint.as_deref(),
            turn: self.turn.as_deref(),
        };
        serde_json::to_string(&Shown { error: inner }).unwrap_or_default()
    }
}

#[cfg(test)]
#[path = "cli_error/from_tests.rs"]
mod from_tests;
