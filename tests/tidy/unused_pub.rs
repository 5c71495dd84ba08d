//! Checks that every public item of a library is named outside of it: in another crate, a test or a binary.
//!
//! The rule goes by names, not by types. An item counts as named if its name is written behind `::` or `.` or in a
//! `use`, in a crate that depends on the item's crate. A type also counts as named if it is in the signature of an
//! item that is named. So the rule misses unused items with common names, and never reports an item that is needed,
//! as long as no crate imports everything of another (`use bus::*`). *Not* here: fields and variants, which go with
//! their type.

use crate::dependencies::{Crate, crates};
use crate::public_items::{Items, code, in_macros, items, named};
use crate::sources::is_test_file;
use crate::tree::{Exceptions, File, excepted, none, rust, stale};
use std::collections::BTreeSet;

/// Items that may be public without being named, by file and name.
const UNNAMED: Exceptions = &[];

/// The names of those crates that depend on this one, directly or through others.
fn dependants<'a>(dir: &'a str, crates: &'a [Crate]) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::from([dir]);
    loop {
        let before = found.len();
        let further = crates.iter().filter(|one| {
            let mut ours = one.named.iter().filter(|named| named.ours);
            ours.any(|named| found.contains(named.name.as_str()))
        });
        let further: Vec<&str> = further.map(|one| one.dir.as_str()).collect();
        found.extend(further);
        if found.len() == before {
            found.remove(dir);
            return found;
        }
    }
}

/// Whether the file belongs to the library; the other files of a crate are binaries, tests, benches or examples.
fn is_of_library(path: &str) -> bool {
    let of_binary = path == "src/main.rs" || path.starts_with("src/bin/");
    path.starts_with("src/") && !of_binary
}

/// The names that are used outside, with those that such an item shows.
fn used<'a>(items: &[&'a Items], mut outside: BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    loop {
        let before = outside.len();
        let shown = items.iter().flat_map(|items| &items.shown);
        let of_used = shown.filter(|(name, _)| outside.contains(name.as_str()));
        let further: Vec<&str> = of_used
            .flat_map(|(_, shows)| shows)
            .map(String::as_str)
            .collect();
        outside.extend(further);
        if outside.len() == before {
            return outside;
        }
    }
}

/// A file of a crate: what it names of others, and what it makes public.
struct Source {
    path: String,
    dir: String,
    named: BTreeSet<String>,
    in_macros: BTreeSet<String>,
    items: Items,
}

fn source(file: File, crates: &[Crate]) -> Option<Source> {
    let is_its = |one: &&Crate| file.path.starts_with(folder(one));
    let dir = crates.iter().find(is_its)?.dir.clone();
    let lines = code(&file.text);
    Some(Source {
        dir,
        named: named(&lines),
        in_macros: in_macros(&lines),
        items: items(&lines),
        path: file.path,
    })
}

fn folder(one: &Crate) -> &str {
    one.manifest.path.trim_end_matches("Cargo.toml")
}

/// The names of a library that the crates which depend on it, its own tests and its binary use, and those of its
/// exported macros.
fn outside<'a>(one: &Crate, crates: &[Crate], sources: &'a [Source]) -> BTreeSet<&'a str> {
    let dependants = dependants(&one.dir, crates);
    let names = sources.iter().filter_map(|source| {
        let is_of_dependant = dependants.contains(source.dir.as_str());
        match source.path.strip_prefix(folder(one)) {
            Some(path) if is_of_library(path) => Some(&source.in_macros),
            Some(_) => Some(&source.named),
            None => is_of_dependant.then_some(&source.named),
        }
    });
    names.flatten().map(String::as_str).collect()
}

#[test]
fn what_is_public_is_named_elsewhere() {
    let crates = crates();
    let sources = rust().into_iter().filter_map(|file| source(file, &crates));
    let sources: Vec<Source> = sources.collect();
    let (mut findings, mut hit) = (Vec::new(), Vec::new());
    for one in &crates {
        let mut own: Vec<&Source> = sources.iter().collect();
        own.retain(|source| {
            let path = source.path.strip_prefix(folder(one));
            path.is_some_and(is_of_library) && !is_test_file(&source.path)
        });
        let items: Vec<&Items> = own.iter().map(|source| &source.items).collect();
        let used = used(&items, outside(one, &crates, &sources));
        for Source { path, items, .. } in own {
            let mut public = items.public.clone();
            public.retain(|(_, name)| !used.contains(name.as_str()));
            for (line, name) in public {
                let place = format!("{path} {name}");
                if !excepted(UNNAMED, &place) {
                    findings.push(format!(
                        "{path}:{line}: nothing outside names `{name}`: make it `pub(crate)` or private, or delete it"
                    ));
                }
                hit.push(place);
            }
        }
    }
    stale(UNNAMED, &hit, &mut findings);
    none(findings);
}

#[test]
fn what_a_used_item_shows_is_used() {
    let text = "\
pub fn read() -> Text {}
pub struct Text {
    pub lines: Vec<Line>,
    hidden: Rest,
}
pub struct Line;
pub struct Rest;
pub fn helper() {}
";
    let items = items(&code(text));
    let unused = |outside: &[&'static str]| {
        let used = used(&[&items], outside.iter().copied().collect());
        let names = items.public.iter().map(|(_, name)| name.as_str());
        names
            .filter(|name| !used.contains(name))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(unused(&["read"]), "Rest helper");
    assert_eq!(unused(&["helper", "Rest"]), "read Text Line");
}

#[test]
fn a_binary_beside_the_library_stands_outside() {
    for (path, is_its) in [
        ("src/lib.rs", true),
        ("src/a/main.rs", true),
        ("src/main.rs", false),
        ("src/bin/a.rs", false),
        ("tests/a.rs", false),
        ("examples/a.rs", false),
    ] {
        assert_eq!(is_of_library(path), is_its, "{path}");
    }
}
