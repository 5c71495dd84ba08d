//! Limits the code: in each group, and the share that one crate may contain. In a crate with most of the code, everything
//! comes to depend on everything.

use crate::tree::{File, none, rust};
use std::collections::BTreeMap;

/// The largest share of a crate in the lines before tests, in percent.
const SHARE_MAX: usize = 16;

/// The most lines of code of each group, without comments, blank lines and tests. Who needs more raises the number in the
/// same commit and says why there; what has become much less is lowered.
const CODE_MAX: &[(&str, usize)] = &[
    ("base", 3_200),
    // Streams share what room there is in two steps.
    ("bus", 5_200),
    ("conversation", 3_400),
    // Readers of office files, mail, archives, markup and right-to-left pages came with nine thousand. A few terms are looked up
    // without tantivy's query for a set. A passage says what the beginning of its document has of the question, and names and
    // questions without blanks are weighed by all of their characters. That another process has an index is told apart.
    ("corpus", 26_870),
    // Steps that map several passages at once came with five hundred.
    ("fleet", 9_250),
    // Words of languages without blanks, their stems and compounds came with four hundred.
    ("language", 12_800),
    ("model", 11_600),
    // The bench tells processor time and memory by process, and has a second floor, a rate that is sustained, and a soak under
    // kills that anyone can start.
    ("tools", 18_300),
    // A passage has a front.
    ("wire", 5_920),
    // What the beginning of a document says stands once in a prompt, and a withheld answer names its sources. A table tells
    // which of its documents are there by name.
    ("workers", 15_010),
    // One fleet a data folder, which ends with its server; questions over one folder wait for each other; hints that hold.
    ("workers/argosy", 15_470),
    // Doors for HTTP, OpenAI, MCP and the page, which stops, erases and uploads without scripts as well; no more than 9,000 for
    // all of them. What a client sends and no door heeds is refused.
    ("workers/door", 7_260),
];
/// How far below its limit a group may be.
const SLACK: usize = 300;

/// The lines before tests. Files that hold tests only, and suites for implementations of a trait, have none.
fn product(file: &File) -> usize {
    let is_of_tests = file.path.ends_with("tests.rs") || file.path.contains("/tests/");
    match is_of_tests {
        true => 0,
        false => file.product_lines().count(),
    }
}

/// The same without comments and blank lines.
fn code(file: &File) -> usize {
    if product(file) == 0 {
        return 0;
    }
    let lines = file.product_lines().map(|(_, line)| line.trim_start());
    lines
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

/// A sum by what a file belongs to.
fn sums<'a>(
    files: &'a [File],
    of: impl Fn(&'a str) -> &'a str,
    count: fn(&File) -> usize,
) -> BTreeMap<&'a str, usize> {
    let mut sums = BTreeMap::new();
    for file in files {
        if let Some(krate) = file.krate() {
            *sums.entry(of(krate)).or_default() += count(file);
        }
    }
    sums
}

/// The group of a crate: a folder of `shared/`, `workers` without the binary and the doors, each of these, `tools`.
fn group(krate: &str) -> &str {
    match krate.rsplit_once('/') {
        _ if krate == "workers/argosy" || krate == "workers/door" => krate,
        Some((group, _)) => group.strip_prefix("shared/").unwrap_or(group),
        None => krate,
    }
}

#[test]
fn no_group_outgrows_its_limit() {
    let files = rust();
    let sums = sums(&files, group, code);
    let listed: Vec<&str> = CODE_MAX.iter().map(|(group, _)| *group).collect();
    assert_eq!(listed, sums.keys().copied().collect::<Vec<_>>());
    let findings = CODE_MAX.iter().filter_map(|(group, most)| {
        let is = sums[group];
        let what = match is {
            _ if is > *most => "raise the limit and say why, or take something out",
            _ if is + SLACK < *most => "lower the limit",
            _ => return None,
        };
        Some(format!(
            "tests/tidy/weight.rs: `{group}` has {is} lines of code, its limit is {most}: {what}"
        ))
    });
    none(findings.collect());
}

#[test]
fn no_crate_is_most_of_the_code() {
    let files = rust();
    let lines = sums(&files, |krate| krate, product);
    let all: usize = lines.values().sum();
    assert!(all > 10_000, "the crates were not found");
    let heavy = lines.iter().filter(|(_, n)| **n * 100 > all * SHARE_MAX);
    let findings = heavy.map(|(krate, n)| {
        format!("{krate}/src/lib.rs:1: {n} of {all} lines, more than {SHARE_MAX} %: find the second crate")
    });
    none(findings.collect());
}
