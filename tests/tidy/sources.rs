//! Checks rules for every Rust file, beyond those of clippy.

use crate::tree::{Exceptions, File, excepted, has_word, none, rust, stale};

/// The longest file, in lines. A longer one hides a second noun.
const LINES_MAX: usize = 500;

/// Files that may be longer.
const LONG: Exceptions = &[];

/// The files that may read the environment of the process.
const ENVIRONMENT: Exceptions = &[
    (
        "shared/base/settings/src/sources.rs",
        "the loader, and the one function for variables that are no option",
    ),
    (
        "shared/model/static-embed/src/minilm/minilm_tests.rs",
        "where the weights are, for tests that are ignored without",
    ),
    (
        "tests/edge/shell.rs",
        "takes what would colour or configure a command out of its environment",
    ),
];

/// The files that may start a task without a tracker or a set.
const SPAWN: Exceptions = &[
    (
        "shared/base/telemetry/src/admin.rs",
        "the admin endpoints and their heartbeat; both end by token and are joined",
    ),
    (
        "tools/testkit/src/node.rs",
        "the server of the fake node, which ends with it",
    ),
];

/// Ways to start a task or a thread for whose end no code has to wait.
const SPAWNING: &[&str] = &[
    "tokio::spawn(",
    "task::spawn(",
    "thread::spawn(",
    "Handle::current(",
];

/// Ways to read or change the environment. Reading `current_exe` or the temporary folder does not count.
const READING: &[&str] = &[
    "env::var(",
    "env::var_os(",
    "env::vars(",
    "env::vars_os(",
    "env::set_var(",
    "env::remove_var(",
    "env::home_dir(",
    "option_env!(",
];

/// Whether the line is code: neither comment nor documentation.
fn is_code(line: &str) -> bool {
    !line.trim_start().starts_with("//")
}

/// Whether the file holds tests only, which hold and await what they start.
pub(crate) fn is_test_file(path: &str) -> bool {
    path.starts_with("tests/")
        || path.contains("/tests/")
        || path.ends_with("/tests.rs")
        || path.ends_with("_tests.rs")
}

/// The files to check. The rules name what they look for, so they do not check themselves.
fn sources() -> Vec<File> {
    let mut files = rust();
    files.retain(|f| !f.path.starts_with("tests/tidy/"));
    files
}

/// The lines of a file before its tests.
fn product(file: &File) -> impl Iterator<Item = (usize, &str)> {
    file.product_lines().filter(|(_, line)| is_code(line))
}

#[test]
fn no_file_is_long() {
    let (mut findings, mut hit) = (Vec::new(), Vec::new());
    for file in rust() {
        let lines = file.lines().count();
        if lines > LINES_MAX {
            hit.push(file.path.clone());
            if !excepted(LONG, &file.path) {
                let what = format!("{lines} lines, more than {LINES_MAX}: find the second noun");
                findings.push(file.at(LINES_MAX + 1, what));
            }
        }
    }
    stale(LONG, &hit, &mut findings);
    none(findings);
}

#[test]
fn every_file_says_what_it_is() {
    let silent = |f: &File| !f.text.lines().next().is_some_and(|l| l.starts_with("//! "));
    let findings = rust()
        .into_iter()
        .filter(silent)
        .map(|f| f.at(1, "open with `//!`: what it is and is not"));
    none(findings.collect());
}

#[test]
fn nothing_is_left_to_do() {
    let mut findings = Vec::new();
    for file in sources() {
        for (number, line) in file.lines() {
            for word in ["TODO", "FIXME", "XXX", "HACK"] {
                if has_word(line, word) {
                    findings.push(file.at(number, format!("`{word}`: do it, or file an issue")));
                }
            }
            for call in ["todo!(", "unimplemented!("] {
                if line.contains(call) {
                    findings.push(file.at(number, format!("`{call}..)`: finish it")));
                }
            }
        }
    }
    none(findings);
}

#[test]
fn what_is_switched_off_says_why() {
    let mut findings = Vec::new();
    for file in sources() {
        let lines: Vec<&str> = file.text.lines().collect();
        for (number, line) in file.lines() {
            let line = line.trim();
            if line.starts_with("#[ignore") && !line.starts_with("#[ignore = \"") {
                findings.push(file.at(number, "write `#[ignore = \"why\"]`"));
            }
            let attribute = line.trim_start_matches("#![").trim_start_matches("#[");
            let silences = attribute.starts_with("allow(") || attribute.starts_with("expect(");
            if attribute != line && silences {
                // The attribute may go on over a few lines.
                let whole = lines[number - 1..].iter().take(8).copied();
                let end = whole.clone().position(|l| l.trim_end().ends_with(']'));
                let text: String = whole.take(end.map_or(8, |e| e + 1)).collect();
                if !text.contains("reason = ") {
                    findings.push(file.at(number, "say why with `reason = \"..\"`"));
                }
            }
        }
    }
    none(findings);
}

#[test]
fn the_environment_is_read_in_one_place() {
    let (mut findings, mut hit) = (Vec::new(), Vec::new());
    for file in sources() {
        for (number, line) in file.lines().filter(|(_, line)| is_code(line)) {
            if !READING.iter().any(|call| line.contains(call)) {
                continue;
            }
            hit.push(file.path.clone());
            if !excepted(ENVIRONMENT, &file.path) {
                let what = "read it through `settings::sources`, and pass the value on";
                findings.push(file.at(number, what));
            }
        }
    }
    stale(ENVIRONMENT, &hit, &mut findings);
    none(findings);
}

#[test]
fn no_task_is_detached() {
    let (mut findings, mut hit) = (Vec::new(), Vec::new());
    for file in sources().iter().filter(|f| !is_test_file(&f.path)) {
        for (number, line) in product(file) {
            if !SPAWNING.iter().any(|call| line.contains(call)) {
                continue;
            }
            hit.push(file.path.clone());
            if !excepted(SPAWN, &file.path) {
                let what = "spawn through a tracker or a set that is waited for";
                findings.push(file.at(number, what));
            }
        }
    }
    stale(SPAWN, &hit, &mut findings);
    none(findings);
}

#[test]
fn queues_are_bounded() {
    let mut findings = Vec::new();
    for file in sources().iter().filter(|f| !is_test_file(&f.path)) {
        for (number, line) in product(file) {
            if line.contains("unbounded_channel") || line.contains("mpsc::unbounded") {
                findings.push(file.at(number, "give the queue a bound"));
            }
        }
    }
    none(findings);
}
