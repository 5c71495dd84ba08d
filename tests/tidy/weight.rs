//! Limits the share of the code that one crate may contain: in a crate with most of the code, everything comes to
//! depend on everything.

use crate::tree::{none, rust};
use std::collections::BTreeMap;

/// The largest share of a crate in the lines before tests, in percent.
const SHARE_MAX: usize = 16;

/// The lines before tests, by crate. Files that hold tests only do not count.
fn lines() -> BTreeMap<String, usize> {
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for file in rust() {
        let parts: Vec<&str> = file.path.split('/').collect();
        let [group @ ("shared" | "workers" | "tools"), krate, "src", ..] = parts[..] else {
            continue;
        };
        let is_of_tests = file.path.ends_with("tests.rs") || file.path.contains("/tests/");
        if !is_of_tests {
            let own = file.product_lines().count();
            *lines.entry(format!("{group}/{krate}")).or_default() += own;
        }
    }
    lines
}

#[test]
fn no_crate_is_most_of_the_code() {
    let lines = lines();
    let all: usize = lines.values().sum();
    assert!(all > 10_000, "the crates were not found");
    let heavy = lines.iter().filter(|(_, n)| **n * 100 > all * SHARE_MAX);
    let findings = heavy.map(|(krate, n)| {
        format!("{krate}/src/lib.rs:1: {n} of {all} lines, more than {SHARE_MAX} %: find the second crate")
    });
    none(findings.collect());
}
