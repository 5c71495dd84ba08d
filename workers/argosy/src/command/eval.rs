//! `argosy eval`: hands the command line on to `argosy-eval`, so that measuring gear is not in the binary that ships.
//!
//! The other binary stands beside this one, or on the PATH; it takes the place of this process.

use crate::cli_error::CliError;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// The word of the command line that the other binary does not need.
const WORD: &str = "eval";
/// The other binary.
const BINARY: &str = "argosy-eval";

/// Becomes `argosy-eval` with the same arguments; returns only if that fails.
pub fn run() -> Result<(), CliError> {
    let arguments = without_word(std::env::args_os().skip(1));
    let error = Command::new(binary()).args(arguments).exec();
    Err(match error.kind() {
        io::ErrorKind::NotFound => CliError::not_found(format!(
            "`{BINARY}` is neither beside this binary nor on the PATH"
        ))
        .hint("it is a tool of its own: in a checkout, `cargo install --locked --path tools/eval` installs it"),
        _ => CliError::negative(format!("`{BINARY}`: {error}")),
    })
}

/// The binary beside this one if there is one, else whichever is on the PATH.
fn binary() -> PathBuf {
    let beside = std::env::current_exe().map(|own| own.with_file_name(BINARY));
    let beside = beside.ok().filter(|path| path.is_file());
    beside.unwrap_or_else(|| BINARY.into())
}

/// The arguments without the first `eval`.
fn without_word(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if let Some(at) = arguments.iter().position(|word| word == WORD) {
        arguments.remove(at);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_before_and_behind_the_word_go_along() {
        let given = ["-o", "json", "eval", "answers", "--system", "eval"].map(OsString::from);
        let told = without_word(given.into_iter());
        assert_eq!(told, ["-o", "json", "answers", "--system", "eval"]);
    }
}
