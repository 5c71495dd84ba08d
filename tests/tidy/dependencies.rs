//! Checks the layers: which crate may depend on which other, by `cargo metadata`.
//!
//! Dependencies only go down. A worker cannot use a crate that it does not depend on, so it has no NATS, no disk and
//! no HTTP.

use crate::theirs::THEIRS;
use crate::tree::{File, none, read, root};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::process::Command;

/// The crates of this repository that each crate may name, by directory, lowest layer first; those of [`TOP`] may
/// name all of them.
const OURS: Table = &[
    // words
    ("envelope", &[]),
    ("settings", &[]),
    ("text", &["envelope"]),
    // contracts
    ("telemetry", &["settings"]),
    ("stage", &["envelope"]),
    ("llm", &["envelope"]),
    ("bus", &["envelope", "settings"]),
    ("conversation-log", &["envelope"]),
    // adapters
    ("static-embed", &["llm"]),
    ("offline-reader", &["envelope", "llm", "text"]),
    ("nats-server", &[]),
    ("bus-nats", &["envelope", "settings", "telemetry", "bus"]),
    (
        "streams",
        &["envelope", "telemetry", "bus", "conversation-log"],
    ),
    ("client", &["envelope", "telemetry", "bus", "streams"]),
    (
        "harness",
        &[
            "envelope",
            "settings",
            "telemetry",
            "stage",
            "bus",
            "streams",
        ],
    ),
    (
        "erasure",
        &["envelope", "bus", "conversation-log", "streams", "harness"],
    ),
    ("llm-pool", &["envelope", "settings", "telemetry", "llm"]),
    ("documents", &["envelope", "text"]),
    ("linking", &["text"]),
    ("groundedness", &["text"]),
    ("search", &["envelope", "llm", "text", "linking"]),
    ("qdrant", &["envelope", "settings", "search"]),
    (
        "index",
        &[
            "envelope",
            "telemetry",
            "llm",
            "static-embed",
            "text",
            "linking",
            "search",
            "settings",
        ],
    ),
    (
        "corpus-sync",
        &["envelope", "bus", "streams", "documents", "search"],
    ),
    // decisions
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
    // Measurements know what it says where there is no answer.
    ("reducer", THINKING),
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
            "erasure",
        ],
    ),
    // What can be found out about a fleet, as data.
    (
        "inspect",
        &[
            "envelope",
            "telemetry",
            "text",
            "bus",
            "client",
            "streams",
            "harness",
            "llm-pool",
        ],
    ),
    // Which index answers, and looks into it as a retriever and an indexer see it.
    (
        "index-host",
        &[
            "envelope",
            "settings",
            "telemetry",
            "bus",
            "streams",
            "client",
            "llm",
            "llm-pool",
            "static-embed",
            "documents",
            "linking",
            "search",
            "index",
            "qdrant",
            "retriever",
            "indexer",
        ],
    ),
    // what measurements and tests stand on
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
        ],
    ),
];

/// The crates that their tests may name besides, because the two places that keep vectors are tested together.
const IN_TESTS: Table = &[
    ("documents", &["settings"]),
    ("offline-reader", &["settings"]),
    ("index", &["documents", "qdrant", "offline-reader"]),
    ("qdrant", &["documents", "index"]),
    ("groundedness", &["mutations"]),
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
    let folders: Vec<&str> = package.manifest_path.rsplit('/').skip(1).take(2).collect();
    let path = match folders[..] {
        ["tests", ..] => "tests/Cargo.toml".to_owned(),
        [dir, group] => format!("{group}/{dir}/Cargo.toml"),
        _ => panic!("`{}` is not below the root", package.manifest_path),
    };
    let short = |name: &str| name.strip_prefix("argosy-").unwrap_or(name).to_owned();
    let dir = short(&package.name);
    assert_eq!(
        dir, folders[0],
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

#[test]
fn every_crate_has_its_layer() {
    let crates = crates();
    let table = with_usual(OURS, THINKING, &crates);
    let mut findings = Vec::new();
    for one in &crates {
        if !table.contains_key(one.dir.as_str()) && !TOP.contains(&one.dir.as_str()) {
            let why = "add the crate to OURS in tests/tidy/dependencies.rs";
            findings.push(one.manifest.at(2, why));
        }
    }
    for (dir, _) in OURS {
        if !crates.iter().any(|c| c.dir == *dir) {
            findings.push(format!(
                "tests/tidy/dependencies.rs: there is no crate `{dir}`"
            ));
        }
    }
    none(findings);
}

#[test]
fn our_crates_depend_only_downwards() {
    let crates = crates();
    let table = with_usual(OURS, THINKING, &crates);
    check(|one, named| {
        // Test support is looked at by its own rule; tests may stand on a real bus, and on what they test.
        let is_stood_on = named.name == "bus-nats" || named.name == one.dir;
        if !named.ours || named.name == "testkit" || named.dev && is_stood_on {
            return None;
        }
        let in_tests = IN_TESTS
            .iter()
            .filter(|(dir, _)| named.dev && *dir == one.dir);
        if in_tests
            .flat_map(|(_, may)| *may)
            .any(|may| *may == named.name)
        {
            return None;
        }
        let may = table.get(one.dir.as_str())?;
        let list = if may.is_empty() {
            "none".to_owned()
        } else {
            may.join(", ")
        };
        (!may.contains(&named.name.as_str())).then(|| format!("of our own it may name {list}"))
    });
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
fn the_table_itself_goes_down() {
    for (row, (dir, may)) in OURS.iter().enumerate() {
        for name in *may {
            let below = OURS[..row].iter().any(|(lower, _)| lower == name);
            assert!(below, "`{dir}` may name `{name}`, which is not below it");
        }
    }
}

#[test]
fn no_row_permits_what_no_manifest_uses() {
    let crates = crates();
    let mut findings = Vec::new();
    let rows = OURS.iter().chain(IN_TESTS);
    for (dir, may) in rows.filter(|(_, may)| *may != THINKING) {
        let manifest = crates.iter().find(|one| one.dir == *dir);
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
