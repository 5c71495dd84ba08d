//! Checks that each role has one name: that of its directory, its enum variant, and its entry in every list of roles.

use crate::tree::{File, files, has_word, none, read, root};
use envelope::Role;
use std::collections::BTreeSet;

/// The folders of `workers/` that are no roles: the binary that runs them all, and the doors, which are clients of a fleet.
const NO_ROLE: [&str; 2] = ["argosy", "door"];

#[test]
fn every_role_is_a_directory_and_a_package() {
    let dirs: BTreeSet<String> = std::fs::read_dir(root().join("workers"))
        .expect("workers/")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !NO_ROLE.contains(&name.as_str()))
        .collect();
    let roles: BTreeSet<String> = Role::ALL.iter().map(Role::to_string).collect();
    assert_eq!(
        dirs, roles,
        "workers/ and shared/wire/envelope/src/role.rs differ"
    );
    for role in roles {
        let manifest = read(&format!("workers/{role}/Cargo.toml"));
        let name = format!("name = \"argosy-{role}\"");
        let found = manifest.lines().any(|(_, line)| line == name);
        assert!(found, "{}:2: wants `{name}`", manifest.path);
    }
}

#[test]
fn the_root_manifest_names_every_role() {
    let manifest = read("Cargo.toml");
    for role in Role::ALL {
        let line = format!("{role} = {{ package = \"argosy-{role}\", path = \"workers/{role}\" }}");
        let found = manifest.lines().any(|(_, l)| l == line);
        assert!(found, "Cargo.toml:1: wants `{line}`");
    }
}

/// Whether the file lists roles by hand: the page that people begin with, and what is deployed. Everywhere else a
/// list is generated (`role_lists`), or left to these files.
fn is_listing(file: &File) -> bool {
    let place = ["deploy/", "charts/"];
    let deployed = place.iter().any(|p| file.path.starts_with(p));
    file.path == "README.md" || deployed && file.is(&["md", "yaml", "yml", "json", "toml", "html"])
}

/// The text of a document without its code blocks in a language, because examples need not name every role. A block
/// without a language is a map or a diagram, and counts.
fn without_examples(file: &File) -> String {
    let mut example = false;
    let mut block = false;
    let mut text = String::new();
    for line in file.text.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            block = !block;
            example = block && !language.is_empty() && language != "text";
        }
        if !example {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

#[test]
fn a_list_of_roles_is_whole() {
    let mut findings = Vec::new();
    for file in files().iter().filter(|f| is_listing(f)) {
        let text = without_examples(file).to_lowercase();
        let (named, missing): (Vec<Role>, Vec<Role>) = Role::THINKING
            .into_iter()
            .partition(|role| has_word(&text, role.as_str()));
        // One who names nearly all of them means all of them.
        if let [missing] = missing[..] {
            let last = named.last().map_or("", |role| role.as_str());
            let line = file.line_where(|line| has_word(&line.to_lowercase(), last));
            findings.push(file.at(line, format!("names every thinking role but `{missing}`")));
        }
    }
    none(findings);
}
