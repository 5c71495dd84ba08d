//! Tests that the help is complete: every command has an example that runs, every option has a description, and no
//! option is without effect.

use argosy::cli::Cli;
use clap::{Command, CommandFactory, Parser};
use std::path::Path;

/// Every visible command, with the words that call it.
pub(crate) fn commands() -> Vec<(Vec<String>, Command)> {
    fn walk(path: &[String], command: &Command, all: &mut Vec<(Vec<String>, Command)>) {
        for inner in command.get_subcommands().filter(|c| !c.is_hide_set()) {
            let path = [path, &[inner.get_name().to_owned()]].concat();
            walk(&path, inner, all);
            all.push((path, inner.clone()));
        }
    }
    let mut root = Cli::command();
    root.build();
    let mut all = Vec::new();
    walk(&[], &root, &mut all);
    all
}

/// Splits a line as a shell does, as far as the examples need it.
pub(crate) fn split(line: &str) -> Vec<String> {
    let parts = line
        .split('"')
        .enumerate()
        .flat_map(|(n, part)| match n % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
    parts.collect()
}

#[test]
fn every_command_has_an_example_that_runs() {
    let all = commands();
    assert!(all.len() >= 10, "{}", all.len());
    for (path, command) in &all {
        let name = path.join(" ");
        let help = command
            .get_after_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        let example = help.lines().find_map(|line| line.strip_prefix("Example: "));
        let example = example.unwrap_or_else(|| panic!("`{name}` has no example: {help}"));
        assert!(
            example.starts_with(&format!("argosy {name}")),
            "`{name}`: {example}"
        );
        for word in split(example) {
            let is_short = word.starts_with('-') && !word.starts_with("--");
            assert!(!is_short, "`{name}`: `{word}` says nothing to a reader");
        }
        if let Err(error) = Cli::try_parse_from(split(example)) {
            panic!("`{name}`: the example does not parse: {error}");
        }
    }
}

#[test]
fn every_option_has_words_and_every_command_takes_json() {
    for (path, command) in commands() {
        let name = path.join(" ");
        assert!(command.get_about().is_some(), "`{name}` says nothing");
        for arg in command.get_arguments().filter(|a| !a.is_hide_set()) {
            assert!(
                arg.get_help().is_some(),
                "`{name}`: `{}` says nothing",
                arg.get_id()
            );
        }
        assert!(
            command
                .get_arguments()
                .any(|a| a.get_long() == Some("output")),
            "`{name}` has no --output"
        );
    }
    let help = Cli::command().render_long_help().to_string();
    for code in [
        "0 done",
        "1 ",
        "2 usage",
        "3 not found",
        "4 cannot connect",
        "5 denied",
        "6 ",
        "7 ",
        "130 ",
    ] {
        assert!(help.contains(code), "no exit code `{code}` in --help");
    }
}

fn sources(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|e| e == "rs") {
            text.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// The names by which the sources call the arguments of a command.
const HOLDERS: &[&str] = &["args", "everywhere", "which", "chosen"];

/// Whether `text` names the field `id` of `holder`, and calls no method of that name.
fn names(text: &str, holder: &str, id: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(&format!("{holder}.{id}"))
        .any(|(at, found)| {
            let (before, after) = (&text[..at], &text[at + found.len()..]);
            !before.ends_with(is_part) && !after.starts_with(|c| is_part(c) || c == '(')
        })
}

/// The text with chains of fields on one line, as before a formatter broke them.
fn joined(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(" .", ".")
}

/// The check is simple on purpose: an option that is read nowhere from the arguments of any command has no effect.
#[test]
fn no_option_is_without_effect() {
    let mut text = String::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../workers/argosy/src");
    sources(Path::new(folder), &mut text);
    let own = ["cli.rs", "cli/server.rs"]
        .map(|file| std::fs::read_to_string(Path::new(folder).join(file)).unwrap());
    let (text, own) = (joined(&text), joined(&own.concat()));
    // Flags of a server are read where they become options.
    let is_read = |id: &str| HOLDERS.iter().any(|h| names(&text, h, id)) || names(&own, "self", id);
    for (path, command) in commands() {
        for arg in command.get_arguments() {
            let id = arg.get_id().as_str();
            let is_claps_own = matches!(id, "help" | "version");
            assert!(
                is_claps_own || is_read(id),
                "`{}`: nothing reads `{id}`",
                path.join(" ")
            );
        }
    }
}

#[test]
fn a_method_and_another_field_are_no_reading() {
    assert!(names(&joined("match args\n    .all {"), "args", "all"));
    for other in ["args.all()", "args.allow", "myargs.all", "other.all"] {
        assert!(!names(other, "args", "all"), "{other}");
    }
}
