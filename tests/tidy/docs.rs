//! What the documents promise about the tree: links lead somewhere, and the commands for a
//! contributor are those that the checks run.

use crate::tree::{File, files, none, read, root};

/// The documents of the project; the corpus of the tests is none.
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
