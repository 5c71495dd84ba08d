//! Checks rules for every Rust file, beyond those of clippy.

use crate::tree::{Exceptions, File, excepted, none, rust, stale};

/// The longest file, in lines. A longer one hides a second noun.
const LINES_MAX: usize = 500;

/// Files that may be longer.
const LONG: Exceptions = &[];

/// Whether the line is code: neither comment nor documentation.
pub(crate) fn is_code(line: &str) -> bool {
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
pub(crate) fn sources() -> Vec<File> {
    let mut files = rust();
    files.retain(|f| !f.path.starts_with("tests/tidy/"));
    files
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
