//! Checks the layers: which crate may depend on which other, by `cargo metadata` and the rows of `crates.toml`.
//!
//! Dependencies only go down: a crate of `shared/` may name the others of its group, and those of the groups that its
//! group may use. A worker cannot use a crate that it does not depend on, so it has no NATS, no disk and
//! no HTTP.

use crate::tree::{File, none, read, root};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// The rows of `crates.toml`, whose comments say what each is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    top: Vec<String>,
    unnamed: String,
    libraries_max: usize,
    test_only: Vec<String>,
    thinking: Vec<String>,
    thinking_foreign: Vec<String>,
    ours: Table,
    pure: Table,
    group: Vec<Group>,
    besides: Vec<Row>,
    foreign: Vec<Row>,
}

/// Crates, each with those that it may name.
type Table = BTreeMap<String, Vec<String>>;

/// A group with those that it may use.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    name: String,
    may: Vec<String>,
}

/// A crate with what it may name besides; a foreign crate with those that may name it. Without a reason it is refused.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    may: Vec<String>,
    why: String,
}

static RULES: LazyLock<Rules> =
    LazyLock::new(|| toml::from_str(include_str!("crates.toml")).expect("crates.toml"));

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|one| one == name)
}

/// The rows of a table, with `row` for the workers without a row of their own among [`Rules::ours`].
fn with_usual<'a>(
    table: &'a Table,
    row: &'a [String],
    crates: &'a [Crate],
) -> BTreeMap<&'a str, &'a [String]> {
    let usual = crates.iter().filter(|one| {
        let has_row = has(&RULES.top, &one.dir) || RULES.ours.contains_key(&one.dir);
        one.manifest.path.starts_with("workers/") && !has_row
    });
    let usual = usual.map(|one| (one.dir.as_str(), row));
    let own = table.iter().map(|(dir, may)| (dir.as_str(), &may[..]));
    usual.chain(own).collect()
}

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

/// The crates of the repository that each crate may name, without those of [`Rules::top`], which may name all.
fn permitted(crates: &[Crate]) -> BTreeMap<&str, BTreeSet<&str>> {
    let of_group = |group: &str| -> BTreeSet<&str> {
        let row = RULES.group.iter().find(|row| row.name == group);
        let row = row.unwrap_or_else(|| panic!("add the group `{group}` to crates.toml"));
        let is_in = |one: &&Crate| {
            let group = one.group.as_deref();
            group.is_some_and(|group| group == row.name || has(&row.may, group))
        };
        let members = crates.iter().filter(is_in);
        members.map(|one| one.dir.as_str()).collect()
    };
    let rows = with_usual(&RULES.ours, &RULES.thinking, crates);
    let mut all = BTreeMap::new();
    for one in crates.iter().filter(|one| !has(&RULES.top, &one.dir)) {
        let mut may = match (&one.group, rows.get(one.dir.as_str())) {
            (Some(group), _) => of_group(group),
            (None, Some(row)) => row.iter().map(String::as_str).collect(),
            (None, None) => panic!("add `{}` to tests/tidy/crates.toml", one.dir),
        };
        let besides = RULES.besides.iter().filter(|row| row.name == one.dir);
        may.extend(besides.flat_map(|row| row.may.iter().map(String::as_str)));
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
    for (at, row) in RULES.group.iter().enumerate() {
        let group = &row.name;
        let members: Vec<&Crate> = crates
            .iter()
            .filter(|one| one.group.as_ref() == Some(group))
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
        for other in &row.may {
            let below = RULES.group[..at].iter().any(|lower| lower.name == *other);
            assert!(below, "`{group}` may use `{other}`, which is not below it");
            let mut names = members.iter().flat_map(|one| &one.named);
            let is_used = names.any(|named| {
                let mut theirs = crates
                    .iter()
                    .filter(|one| one.group.as_ref() == Some(other));
                theirs.any(|one| one.dir == named.name)
            });
            assert!(is_used, "no crate of `{group}` uses `{other}`: take it out");
        }
    }
}

#[test]
fn the_libraries_can_be_counted() {
    let count = crates().iter().filter(|one| one.group.is_some()).count();
    assert!(count <= RULES.libraries_max, "{count} crates in shared/");
}

#[test]
fn nobody_names_the_measuring_gear() {
    assert!(crates().iter().any(|one| one.dir == RULES.unnamed));
    check(|_, named| {
        let is_it = named.ours && named.name == RULES.unnamed;
        is_it.then(|| "what measures and breaks off is for its own binary".to_owned())
    });
}

#[test]
fn no_row_permits_what_no_manifest_uses() {
    let crates = crates();
    let mut findings = Vec::new();
    let besides = RULES.besides.iter().map(|row| (&row.name, &row.may));
    let rows = RULES.ours.iter().chain(besides);
    for (dir, may) in rows {
        let manifest = crates.iter().find(|one| one.dir == *dir);
        let uses = |name: &str| manifest.is_some_and(|m| m.named.iter().any(|n| n.name == name));
        for name in may.iter().filter(|name| !uses(name)) {
            let what = format!("`{dir}` does not depend on `{name}`: take it out of the row");
            findings.push(format!("tests/tidy/crates.toml: {what}"));
        }
    }
    none(findings);
}

#[test]
fn outside_crates_stay_where_they_belong() {
    check(|one, named| {
        let row = RULES.foreign.iter().find(|row| row.name == named.name)?;
        (!has(&row.may, &one.dir))
            .then(|| format!("{}; it belongs to {}", row.why, row.may.join(", ")))
    });
}

#[test]
fn crates_that_decide_do_no_io() {
    let crates = crates();
    let table = with_usual(&RULES.pure, &RULES.thinking_foreign, &crates);
    check(|one, named| {
        if named.ours || named.dev {
            return None;
        }
        let may = table.get(one.dir.as_str())?;
        (!has(may, &named.name))
            .then(|| format!("outside tests it may name only {}", may.join(", ")))
    });
}

#[test]
fn test_support_stays_in_tests() {
    check(|one, named| {
        let misplaced = has(&RULES.test_only, &named.name) && !named.dev;
        (misplaced && one.dir != "testkit").then(|| "it is for [dev-dependencies]".to_owned())
    });
}
