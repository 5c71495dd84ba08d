//! Checks the statements of documents about the repository: the targets of links exist, named code is in the file
//! that a document gives, and the commands for contributors are those that CI runs.

use crate::tree::{File, files, none, read, root};
use std::collections::BTreeSet;

/// The documents of the project, without the corpus of the tests.
fn documents() -> Vec<File> {
    let mut files = files();
    files.retain(|f| f.is(&["md"]) && !f.path.starts_with("tests/fixtures/"));
    files
}

/// Targets of the Markdown links in a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split(')').next()?;
        target.split(['#', ' ']).next()
    })
}

#[test]
fn links_lead_somewhere() {
    let mut findings = Vec::new();
    for file in documents() {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut code = false;
        for (number, line) in file.lines() {
            code ^= line.trim_start().starts_with("```");
            for target in links(line).filter(|_| !code) {
                let outside = target.contains("://") || target.starts_with("mailto:");
                if !outside && !target.is_empty() && !root().join(folder).join(target).exists() {
                    findings.push(file.at(number, format!("there is no `{target}`")));
                }
            }
        }
    }
    none(findings);
}

#[test]
fn links_are_found() {
    let line = "see [a](b.md#c), [d](../e.md \"title\") and (f)";
    assert_eq!(links(line).collect::<Vec<_>>(), ["b.md", "../e.md"]);
}

/// Links of a line to a heading of a Markdown file: the file, which is empty where it is the same, and the heading's anchor.
fn headed(line: &str) -> impl Iterator<Item = (&str, &str)> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split([')', ' ']).next()?;
        let (file, anchor) = target.split_once('#')?;
        (file.is_empty() || file.ends_with(".md")).then_some((file, anchor))
    })
}

/// The anchor of a heading, as the usual Markdown renderers make it: small letters, blanks as hyphens, other marks left out.
fn anchor_of(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn anchors_are_headings() {
    let mut findings = Vec::new();
    let mut seen = 0;
    for file in documents() {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (number, line) in file.lines() {
            for (target, anchor) in headed(line).filter(|(target, _)| !target.contains("://")) {
                let path = match target.is_empty() {
                    true => root().join(&file.path),
                    false => root().join(folder).join(target),
                };
                let text = std::fs::read_to_string(path).unwrap_or_default();
                let headings = text.lines().filter(|line| line.starts_with('#'));
                let mut anchors =
                    headings.map(|line| anchor_of(line.trim_start_matches('#').trim()));
                seen += 1;
                if !anchors.any(|known| known == anchor) {
                    findings
                        .push(file.at(number, format!("`{target}` has no heading `#{anchor}`")));
                }
            }
        }
    }
    assert!(seen > 60, "{seen} links to headings");
    none(findings);
}

#[test]
fn links_to_headings_are_found() {
    let line = "[a](b.md#c-d) [e](#f) [g](h.rs#L1) [i](j.md)";
    assert_eq!(Vec::from_iter(headed(line)), [("b.md", "c-d"), ("", "f")]);
    assert_eq!(
        anchor_of("D05 The streams carry the load"),
        "d05-the-streams-carry-the-load"
    );
    assert_eq!(anchor_of("Where do I find …"), "where-do-i-find-");
}

/// Links whose text is a name of code in a Rust file: the name, without what it belongs to, and the file.
fn named_code(line: &str) -> impl Iterator<Item = (&str, &str)> {
    line.split("[`").skip(1).filter_map(|rest| {
        let (text, rest) = rest.split_once("`](")?;
        let target = rest.split([')', '#']).next()?;
        let name = text.rsplit("::").next()?;
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        (target.ends_with(".rs") && text.chars().all(is_name)).then_some((name, target))
    })
}

/// Whether a file defines this name, or has it itself.
fn defines(path: &str, text: &str, name: &str) -> bool {
    let kinds = ["fn", "struct", "enum", "trait", "const", "type", "mod"];
    let is_there = kinds.iter().any(|kind| {
        let words = format!("{kind} {name}");
        let mut found = text.match_indices(&words).map(|(at, said)| at + said.len());
        found.any(|end| !text[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    });
    let is_field = text.contains(&format!("pub {name}: "));
    is_there
        || is_field
        || path.ends_with(&format!("/{name}.rs"))
        || path.ends_with(&format!("/{name}/mod.rs"))
}

#[test]
fn code_that_a_document_names_is_where_it_says() {
    let mut findings = Vec::new();
    let mut seen = 0;
    for file in documents() {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (number, line) in file.lines() {
            for (name, target) in named_code(line) {
                seen += 1;
                let path = root().join(folder).join(target);
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                if !defines(target, &text, name) {
                    findings.push(file.at(number, format!("`{target}` has no `{name}`")));
                }
            }
        }
    }
    assert!(seen > 40, "{seen} names of code");
    none(findings);
}

#[test]
fn names_of_code_are_found() {
    let line = "[`Inbox::ask`](../a.rs) [`b/c.rs`](../b/c.rs) [`x`](y.md) [z](q.rs) [`w`](v.rs#L1)";
    let found: Vec<_> = named_code(line).collect();
    assert_eq!(found, [("ask", "../a.rs"), ("w", "v.rs")]);
    assert!(defines("a.rs", "pub fn ask<'a>(", "ask") && defines("x/ask.rs", "", "ask"));
    assert!(!defines("a.rs", "fn asked(", "ask"));
}

#[test]
fn the_checks_have_one_home() {
    let (recipes, checks) = (read("justfile"), read(".ci/run"));
    assert!(
        recipes.text.contains("\nverify:\n    .ci/run\n"),
        "justfile:1: `verify` has to be `.ci/run` and nothing else"
    );
    for document in ["README.md", "CONTRIBUTING.md"] {
        let document = read(document);
        assert!(
            document.text.contains("cargo test --workspace"),
            "{}:1: does not say `cargo test --workspace`",
            document.path
        );
    }
    assert!(
        checks.text.contains("cargo test --workspace"),
        ".ci/run:1: does not run `cargo test --workspace`, which the README promises"
    );
}

/// Modules that the table at the head of a crate lists without a link, which rustdoc would look up: the names in the first
/// cell of its rows.
fn listed_modules(text: &str) -> BTreeSet<&str> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | "));
    let cells = rows.filter_map(|row| row.split(" |").next());
    let names = cells.flat_map(|cell| {
        let parts: Vec<&str> = cell.split('`').collect();
        let named = parts.windows(2).step_by(2);
        let unlinked = named.filter(|pair| !pair[0].ends_with('['));
        unlinked.map(|pair| pair[1]).collect::<Vec<_>>()
    });
    let is_module = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    names.filter(is_module).collect()
}

#[test]
fn the_head_of_a_crate_lists_modules_that_it_has() {
    let mut findings = Vec::new();
    let mut seen = 0;
    for file in files()
        .into_iter()
        .filter(|file| file.path.ends_with("/src/lib.rs"))
    {
        let declared: BTreeSet<&str> = file
            .text
            .lines()
            .filter_map(|line| {
                let (_, rest) = line.split_once("mod ")?;
                rest.strip_suffix(';')
            })
            .collect();
        let defined = |name: &str| {
            defines(&file.path, &file.text, name) || file.text.contains(&format!("::{name}"))
        };
        for name in listed_modules(&file.text) {
            seen += 1;
            if !declared.contains(name) && !defined(name) {
                findings.push(file.at(1, format!("its head lists `{name}`, which is not there")));
            }
        }
    }
    assert!(seen > 100, "{seen} modules");
    none(findings);
}

#[test]
fn modules_of_a_head_are_found() {
    let text = "//! | `a_b`, `c` | what |\n//! | [`d`] | `e` |\n//! | `F::g` | x |\nmod a_b;";
    assert_eq!(Vec::from_iter(listed_modules(text)), ["a_b", "c"]);
}
