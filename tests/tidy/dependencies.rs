//! Checks the layers: which crate may depend on which other, by `cargo metadata`.
//!
//! Dependencies only go down: a crate of `shared/` may name the others of its group, and those of the groups that its
//! group may use. A worker cannot use a crate that it does not depend on, so it has no NATS, no disk and
//! no HTTP.

use crate::theirs::THEIRS;
use crate::tree::{File, none, read, root};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// The groups of `shared/`, each with the groups whose crates its own may name besides each other; a group stands below
/// those that use it.
const GROUPS: Table = &[
    ("base", &[]),
    ("wire", &[]),
    ("bus", &["base", "wire"]),
    ("conversation", &["wire"]),
    ("language", &["wire"]),
    ("model", &["base", "wire", "language"]),
    (
        "fleet",
        &["base", "wire", "bus", "conversation", "language", "model"],
    ),
    (
        "corpus",
        &["base", "wire", "bus", "language", "model", "fleet"],
    ),
];

/// The crates that a worker with a row of its own may name, and those that tools for tests may.
const OURS: Table = &[
    ("conversation", &["envelope", "stage", "conversation-log"]),
    // What it is told of the corpus.
    (
        "planner",
        &["envelope", "settings", "stage", "llm", "text", "search"],
    ),
    (
        "validator",
        &[
            "envelope",
            "settings",
            "stage",
            "llm",
            "text",
            "groundedness",
        ],
    ),
    (
        "retriever",
        &["envelope", "stage", "llm", "text", "linking", "search"],
    ),
    (
        "indexer",
        &[
            "envelope",
            "settings",
            "stage",
            "llm",
            "text",
            "documents",
            "search",
        ],
    ),
    (
        "gateway",
        &[
            "envelope",
            "text",
            "settings",
            "telemetry",
            "bus",
            "conversation-log",
            "streams",
            "harness",
        ],
    ),
    ("sim-node", &[]),
    ("mutations", &["text"]),
    (
        "testkit",
        &[
            "sim-node",
            "envelope",
            "settings",
            "stage",
            "llm",
            "nats-server",
            "conversation-log",
        ],
    ),
];

/// The crates that another one may name besides, and why.
const BESIDES: &[(&str, &[&str], &str)] = &[
    (
        "index-host",
        &["retriever", "indexer"],
        "a look-up from outside treats a query and a document as they do",
    ),
    (
        "groundedness",
        &["mutations"],
        "its tests take wrong sentences from it",
    ),
];

/// The crates that a thinking worker without a row of its own may name.
const THINKING: &[&str] = &["envelope", "settings", "stage", "llm", "text"];

/// The workers without a row of their own in [`OURS`].
fn usual(crates: &[Crate]) -> impl Iterator<Item = &str> {
    let workers = crates.iter().filter(|one| {
        let dir = one.dir.as_str();
        let has_row = TOP.contains(&dir) || OURS.iter().any(|(named, _)| *named == dir);
        one.manifest.path.starts_with("workers/") && !has_row
    });
    workers.map(|one| one.dir.as_str())
}

/// The rows of a table, with `row` for the usual workers.
fn with_usual<'a>(
    table: Table,
    row: &'a [&'a str],
    crates: &'a [Crate],
) -> BTreeMap<&'a str, &'a [&'a str]> {
    let usual = usual(crates).map(|dir| (dir, row));
    usual.chain(table.iter().copied()).collect()
}

/// Crates, each with those that it may name.
type Table = &'static [(&'static str, &'static [&'static str])];

/// Crates that may name all crates of the repository, except [`UNNAMED`].
const TOP: &[&str] = &["argosy", "eval", "bench", "tests"];

/// How many crates `shared/` may have.
const LIBRARIES_MAX: usize = 24;

/// The crate that no other may name: measuring gear must not get into what ships, and tests must not stand on it.
const UNNAMED: &str = "bench";

/// Crates that do no I/O, the usual workers among them, each with the foreign crates that it may name outside tests.
const PURE: Table = &[
    (
        "envelope",
        &["base64", "serde", "serde_json", "thiserror", "bytes"],
    ),
    (
        "stage",
        &[
            "bytes",
            "thiserror",
            "futures-util",
            "fastrand",
            "sha2",
            "time",
        ],
    ),
    ("text", &["time", "unicode-normalization"]),
    ("llm", WORDS),
    ("retriever", WORDS),
    ("reducer", WORDS),
];

const WORDS: &[&str] = &[
    "serde",
    "serde_json",
    "thiserror",
    "futures-util",
    "fastrand",
];

/// Crates that may stand in [dev-dependencies] only.
const TEST_ONLY: &[&str] = &["testkit", "proptest", "insta"];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `None` for a normal dependency, else `dev` or `build`.
    kind: Option<String>,
    /// The path; set for a crate of the repository.
    path: Option<String>,
}

/// One crate of the workspace.
pub(crate) struct Crate {
    /// Its directory, which is its name without the prefix.
    pub(crate) dir: String,
    /// The group of `shared/` that it is in.
    group: Option<String>,
    pub(crate) manifest: File,
    pub(crate) named: Vec<Named>,
}

/// A dependency as a manifest names it.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) ours: bool,
    dev: bool,
}

impl Crate {
    fn finding(&self, named: &Named, why: &str) -> String {
        let name = &named.name;
        let line = self.manifest.line_where(|line| {
            line.strip_prefix(name.as_str())
                .is_some_and(|rest| rest.starts_with(['.', ' ', '=']))
        });
        self.manifest
            .at(line, format!("{} may not name `{name}`: {why}", self.dir))
    }
}

pub(crate) fn crates() -> Vec<Crate> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata: {said}");
    let metadata: Metadata = serde_json::from_slice(&output.stdout).expect("cargo metadata");
    metadata.packages.into_iter().map(to_crate).collect()
}

fn to_crate(package: Package) -> Crate {
    let root = root().canonicalize().expect("the root of the repository");
    let path = Path::new(&package.manifest_path).strip_prefix(&root);
    let path = path.expect("a crate below the root").display().to_string();
    let folders: Vec<&str> = path.split('/').collect();
    let group = match folders[..] {
        ["shared", group, _, _] => Some(group.to_owned()),
        _ => None,
    };
    let short = |name: &str| name.strip_prefix("argosy-").unwrap_or(name).to_owned();
    let dir = short(&package.name);
    let folder = folders[folders.len() - 2];
    assert_eq!(
        dir, folder,
        "{path}:2: the package is not named after its directory"
    );
    let named = package.dependencies.into_iter().map(|d| Named {
        ours: d.path.is_some(),
        name: if d.path.is_some() {
            short(&d.name)
        } else {
            d.name
        },
        dev: d.kind.as_deref() == Some("dev"),
    });
    Crate {
        dir,
        group,
        manifest: read(&path),
        named: named.collect(),
    }
}

/// Reports what `refused` finds wrong with any dependency of any crate.
fn check(refused: impl Fn(&Crate, &Named) -> Option<String>) {
    let mut findings = Vec::new();
    for one in crates() {
        for named in &one.named {
            if let Some(why) = refused(&one, named) {
                findings.push(one.finding(named, &why));
            }
        }
    }
    none(findings);
}

/// The crates of the repository that each crate may name, without those of [`TOP`], which may name all.
fn permitted(crates: &[Crate]) -> BTreeMap<&str, BTreeSet<&str>> {
    let of_group = |group: &str| -> BTreeSet<&str> {
        let row = GROUPS.iter().find(|(name, _)| *name == group);
        let (own, may) = row.unwrap_or_else(|| panic!("add the group `{group}` to GROUPS"));
        let is_in = |one: &&Crate| {
            let group = one.group.as_deref();
            group.is_some_and(|group| group == *own || may.contains(&group))
        };
        crates
            .iter()
            .filter(is_in)
            .map(|one| one.dir.as_str())
            .collect()
    };
    let rows = with_usual(OURS, THINKING, crates);
    let mut all = BTreeMap::new();
    for one in crates.iter().filter(|one| !TOP.contains(&one.dir.as_str())) {
        let mut may = match (&one.group, rows.get(one.dir.as_str())) {
            (Some(group), _) => of_group(group),
            (None, Some(row)) => row.iter().copied().collect(),
            (None, None) => panic!("add `{}` to OURS in tests/tidy/dependencies.rs", one.dir),
        };
        let besides = BESIDES.iter().filter(|(dir, ..)| *dir == one.dir);
        may.extend(besides.flat_map(|(_, names, _)| names.iter().copied()));
        all.insert(one.dir.as_str(), may);
    }
    all
}

#[test]
fn our_crates_depend_only_downwards() {
    let crates = crates();
    let permitted = permitted(&crates);
    check(|one, named| {
        // Test support is looked at by its own rule; tests may stand on a real bus, and on what they test.
        let is_stood_on = named.name == "bus-nats" || named.name == one.dir;
        if !named.ours || named.name == "testkit" || named.dev && is_stood_on {
            return None;
        }
        let may = permitted.get(one.dir.as_str())?;
        let list = || may.iter().copied().collect::<Vec<_>>().join(", ");
        (!may.contains(named.name.as_str())).then(|| format!("of our own it may name {}", list()))
    });
}

#[test]
fn the_groups_go_down_and_each_says_what_it_is() {
    let crates = crates();
    for (row, (group, may)) in GROUPS.iter().enumerate() {
        let members: Vec<&Crate> = crates
            .iter()
            .filter(|one| one.group.as_deref() == Some(group))
            .collect();
        assert!(!members.is_empty(), "there is no group `{group}`");
        let lines = read(&format!("shared/{group}/README.md")).text;
        for one in &members {
            let is_told = lines.contains(&format!("`{}`", one.dir));
            assert!(
                is_told,
                "shared/{group}/README.md: it leaves out `{}`",
                one.dir
            );
        }
        for other in *may {
            let below = GROUPS[..row].iter().any(|(lower, _)| lower == other);
            assert!(below, "`{group}` may use `{other}`, which is not below it");
            let mut names = members.iter().flat_map(|one| &one.named);
            let is_used = names.any(|named| {
                let mut theirs = crates
                    .iter()
                    .filter(|one| one.group.as_deref() == Some(other));
                theirs.any(|one| one.dir == named.name)
            });
            assert!(is_used, "no crate of `{group}` uses `{other}`: take it out");
        }
    }
}

#[test]
fn the_libraries_can_be_counted() {
    let count = crates().iter().filter(|one| one.group.is_some()).count();
    assert!(count <= LIBRARIES_MAX, "{count} crates in shared/");
}

#[test]
fn nobody_names_the_measuring_gear() {
    assert!(crates().iter().any(|one| one.dir == UNNAMED));
    check(|_, named| {
        let is_it = named.ours && named.name == UNNAMED;
        is_it.then(|| "what measures and breaks off is for its own binary".to_owned())
    });
}

#[test]
fn no_row_permits_what_no_manifest_uses() {
    let crates = crates();
    let mut findings = Vec::new();
    let besides = BESIDES.iter().map(|(dir, may, _)| (*dir, *may));
    let rows = OURS.iter().copied().chain(besides);
    for (dir, may) in rows {
        let manifest = crates.iter().find(|one| one.dir == dir);
        let uses = |name: &str| manifest.is_some_and(|m| m.named.iter().any(|n| n.name == name));
        for name in may.iter().filter(|name| !uses(name)) {
            let what = format!("`{dir}` does not depend on `{name}`: take it out of the row");
            findings.push(format!("tests/tidy/dependencies.rs: {what}"));
        }
    }
    none(findings);
}

#[test]
fn outside_crates_stay_where_they_belong() {
    check(|one, named| {
        let (_, homes, why) = THEIRS.iter().find(|(name, ..)| *name == named.name)?;
        (!homes.contains(&one.dir.as_str()))
            .then(|| format!("{why}; it belongs to {}", homes.join(", ")))
    });
}

#[test]
fn crates_that_decide_do_no_io() {
    let crates = crates();
    let table = with_usual(PURE, WORDS, &crates);
    check(|one, named| {
        if named.ours || named.dev {
            return None;
        }
        let may = table.get(one.dir.as_str())?;
        (!may.contains(&named.name.as_str()))
            .then(|| format!("outside tests it may name only {}", may.join(", ")))
    });
}

#[test]
fn test_support_stays_in_tests() {
    check(|one, named| {
        let misplaced = TEST_ONLY.contains(&named.name.as_str()) && !named.dev;
        (misplaced && one.dir != "testkit").then(|| "it is for [dev-dependencies]".to_owned())
    });
}
