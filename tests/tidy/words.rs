//! Checks that the texts of the repository are about the project alone: not about a machine or about the way in which
//! they were written.

use crate::tree::{Exceptions, File, excepted, files, has_word, none, stale};

/// Parts of paths that are true on one machine only.
const PLACES: &[&str] = &["/work/", "/root/", "/home/", "/Users/"];

/// Hosts of package registries: which one is used is the user's setting.
const HOSTS: &[&str] = &[
    "crates.io",
    "pypi.org",
    "pythonhosted.org",
    "registry.npmjs.org",
    "proxy.golang.org",
];

/// Words about how the work was done.
const WORDS: &[&str] = &["session", "sessions", "subagent", "subagents"];

/// Places that may say such a thing.
const MAY: Exceptions = &[
    ("Cargo.lock", "written by cargo, which names the registry"),
    (
        "shared/model/offline-reader/words.txt",
        "a word of the language whose synonyms it lists",
    ),
    (
        "shared/model/static-embed/assets/vocab.txt",
        "words of the language, as a model numbers them",
    ),
];

/// Whether the file is checked. Documents of invented companies, this list, and files that cargo and go write where a
/// tool was built are not.
fn is_looked_at(file: &File) -> bool {
    let of_a_tool = file.path.starts_with("tools/") && file.path.ends_with("/Cargo.lock")
        || file.path.ends_with("/go.sum");
    !file.path.starts_with("tests/fixtures/corpus/")
        && file.path != "tests/tidy/words.rs"
        && !of_a_tool
}

#[test]
fn the_repository_speaks_of_the_project_alone() {
    let (mut findings, mut hit) = (Vec::new(), Vec::new());
    for file in files().into_iter().filter(is_looked_at) {
        for (number, line) in file.lines() {
            let lower = line.to_lowercase();
            let parts = PLACES.iter().chain(HOSTS).filter(|p| line.contains(**p));
            let words = WORDS.iter().filter(|w| has_word(&lower, w));
            for found in parts.chain(words) {
                hit.push(file.path.clone());
                if !excepted(MAY, &file.path) {
                    findings.push(file.at(number, format!("says `{found}`")));
                }
            }
        }
    }
    stale(MAY, &hit, &mut findings);
    none(findings);
}
