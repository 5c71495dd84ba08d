//! Checks which module may name which error: the command line's own error stays in the command line.
//!
//! Every module below it has an error of its own, so that no library knows of exit codes and hints.
//! `workers/argosy/src/cli_error/from.rs` converts those errors into the error of a command.

use crate::tree::{none, rust};

/// The module that defines the command line's error and makes it of others.
const HOME: &str = "workers/argosy/src/cli_error";

/// The files and folders of the command line, which are the only others that may name it.
const COMMAND_LINE: &[&str] = &[
    "workers/argosy/src/main.rs",
    "workers/argosy/src/cli.rs",
    "workers/argosy/src/cli/server.rs",
    "workers/argosy/src/command/",
    "workers/argosy/src/entry.rs",
    "workers/argosy/src/out.rs",
    "workers/argosy/src/render.rs",
    // The other binaries have command lines, too.
    "tools/bench/src/",
    "tools/eval/src/",
    // What a failure of one process is to its user.
    "workers/argosy/tests/embedder.rs",
];

/// Whether the line names the module of the command line's error.
fn names_it(line: &str) -> bool {
    let is_code = !line.trim_start().starts_with("//");
    let starts_a_word = |at: usize| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    };
    let mut places = line.match_indices("cli_error::").map(|(at, _)| at);
    is_code && places.any(starts_a_word)
}

#[test]
fn errors_of_the_command_line_stay_in_it() {
    let mut findings = Vec::new();
    let mut hit = vec![false; COMMAND_LINE.len()];
    for file in rust() {
        if file.path.starts_with("tests/tidy/") || file.path.starts_with(HOME) {
            continue;
        }
        let Some((number, _)) = file.lines().find(|(_, line)| names_it(line)) else {
            continue;
        };
        let home = COMMAND_LINE.iter().position(|p| file.path.starts_with(p));
        match home {
            Some(home) => hit[home] = true,
            None => findings.push(file.at(
                number,
                "`CliError` is the error of the command line: name your own with thiserror, and turn it \
                 into one in workers/argosy/src/cli_error/from.rs",
            )),
        }
    }
    for (place, _) in COMMAND_LINE.iter().zip(hit).filter(|(_, hit)| !hit) {
        findings.push(format!(
            "tests/tidy/errors.rs: `{place}` does not name it any more: take it off the list"
        ));
    }
    none(findings);
}

#[test]
fn the_rule_sees_what_it_looks_for() {
    for line in [
        "use crate::cli_error::CliError;",
        "-> Result<(), cli_error::CliError> {",
    ] {
        assert!(names_it(line), "{line}");
    }
    for line in [
        "Verdict::CliError",
        "/// [`crate::cli_error::CliError`]",
        "uncli_error::x",
    ] {
        assert!(!names_it(line), "{line}");
    }
}
