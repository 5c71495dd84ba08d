//! Checks the list of dependencies in the root manifest, and which of them the members take.

use crate::tree::{File, files, none, read};

/// A line of `[workspace.dependencies]`.
struct Entry<'a> {
    line: usize,
    name: &'a str,
    /// The source of the dependency and its features.
    value: &'a str,
    /// The comment behind the `#`.
    comment: &'a str,
}

fn entries(root: &File) -> Vec<Entry<'_>> {
    root.lines()
        .skip_while(|(_, line)| *line != "[workspace.dependencies]")
        .skip(1)
        .take_while(|(_, line)| !line.starts_with('['))
        .filter_map(|(number, line)| {
            let (name, rest) = line.split_once(" = ")?;
            // No value holds a `#`.
            let (value, comment) = rest.split_once('#').unwrap_or((rest, ""));
            (!name.starts_with('#')).then_some(Entry {
                line: number,
                name,
                value,
                comment: comment.trim(),
            })
        })
        .collect()
}

/// The manifests of the members.
fn members() -> Vec<File> {
    // A tool that is run by hand is a workspace of its own.
    let is_apart = |f: &File| f.lines().any(|(_, line)| line == "[workspace]");
    let is_member = |f: &File| f.path.ends_with("/Cargo.toml") && !is_apart(f);
    files().into_iter().filter(is_member).collect()
}

/// Whether the line of a manifest takes this dependency.
fn takes(line: &str, name: &str) -> bool {
    line.strip_prefix(name)
        .is_some_and(|rest| rest.starts_with(".workspace") || rest.starts_with(" ="))
}

#[test]
fn every_dependency_says_why() {
    let root = read("Cargo.toml");
    let entries = entries(&root);
    assert!(entries.len() > 20, "the list was not found");
    let bare = entries
        .iter()
        .filter(|e| !e.value.contains("path = ") && e.comment.len() < 10)
        .map(|e| root.at(e.line, format!("say behind `{}` what it is for", e.name)));
    none(bare.collect());
}

#[test]
fn every_dependency_is_taken_by_a_member() {
    let (root, members) = (read("Cargo.toml"), members());
    let taken = |name: &str| {
        members
            .iter()
            .any(|m| m.lines().any(|(_, line)| takes(line, name)))
    };
    let unused = entries(&root)
        .into_iter()
        .filter(|e| !taken(e.name))
        .map(|e| root.at(e.line, format!("no member takes `{}`", e.name)));
    none(unused.collect());
}

#[test]
fn the_image_is_built_with_every_member() {
    let (root, context) = (read("Cargo.toml"), read(".dockerignore"));
    let members = root
        .lines()
        .find_map(|(_, line)| line.strip_prefix("members = "));
    let names = members
        .expect("the list of members")
        .split('"')
        .skip(1)
        .step_by(2);
    let kept: Vec<&str> = context
        .lines()
        .filter_map(|(_, line)| line.strip_prefix('!'))
        .collect();
    let left_out = names.filter(|name| {
        let folder = name.trim_end_matches("/*");
        !kept.contains(&folder)
    });
    let findings =
        left_out.map(|name| format!(".dockerignore:1: `{name}` is a member, and left out"));
    none(findings.collect());
}

#[test]
fn members_take_dependencies_from_the_root() {
    let mut findings = Vec::new();
    for manifest in members() {
        let mut section = "";
        for (number, line) in manifest.lines() {
            if line.starts_with('[') {
                section = line;
            } else if section.ends_with("dependencies]")
                && line.contains('=')
                && !line.starts_with('#')
                && !line.contains("workspace = true")
            {
                findings.push(manifest.at(number, "write `name.workspace = true`"));
            }
        }
    }
    none(findings);
}

#[test]
fn members_use_what_they_take() {
    let all = files();
    let mut findings = Vec::new();
    // The crate of whole-fleet tests names every crate, so that a new test needs no manifest.
    for manifest in members().iter().filter(|m| m.path != "tests/Cargo.toml") {
        let folder = manifest.path.trim_end_matches("Cargo.toml");
        let sources = |in_tests: bool| {
            let inside = format!("{folder}{}", if in_tests { "" } else { "src/" });
            all.iter()
                .filter(move |f| f.is(&["rs"]) && f.path.starts_with(&inside))
        };
        let mut section = "";
        for (number, line) in manifest.lines() {
            if line.starts_with('[') {
                section = line;
                continue;
            }
            let name = line.split(['.', ' ']).next().unwrap_or_default();
            if !section.ends_with("dependencies]") || name.is_empty() || name == "#" {
                continue;
            }
            let word = name.replace('-', "_");
            let dev = section == "[dev-dependencies]";
            if !sources(dev).any(|f| crate::tree::has_word(&f.text, &word)) {
                findings.push(manifest.at(number, format!("`{name}` is not used")));
            }
        }
    }
    none(findings);
}
