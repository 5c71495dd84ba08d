//! Tests that docs/metrics.md lists the metrics that the code registers. It is generated from that code.

use crate::command::run::RoomMetrics;
use crate::roles::embedded_prompts;
use envelope::Role;
use index_host::catalog::CatalogMetrics;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use telemetry::{Description, Error, Registry};

/// Set to write the document instead of comparing it.
const WRITE: &str = "ARGOSY_WRITE_DOCS";
/// The most values of a label that are listed.
const VALUES_MAX: usize = 48;
/// The labels whose values are described in words.
const IN_WORDS: [&str; 5] = ["role", "model", "node", "version", "revision"];

/// The conditions of readiness besides the consumer of a role, which has the role's name.
const OTHER_CONDITIONS: [&str; 7] = [
    "nats", "inbox", "due", "answers", "room", "index", "vectors",
];

type Register = fn(&Registry) -> Result<(), Error>;

/// Which processes have which metrics.
const GROUPS: [(&str, Register); 10] = [
    ("Every process", every_process),
    ("Every role", every_role),
    ("Roles that keep files", |r| RoomMetrics::new(r).map(drop)),
    ("Gateway", |r| gateway::Metrics::new(r).map(drop)),
    ("Planner", |r| CatalogMetrics::new(r).map(drop)),
    ("Conversation", |r| streams::Metrics::new(r).map(drop)),
    ("Indexer", |r| harness::IngestMetrics::new(r).map(drop)),
    ("Retriever", |r| index::Metrics::new(r).map(drop)),
    ("Roles that ask a model", llm_pool::register),
    ("Doors", |r| door::Metrics::new(r).map(drop)),
];

fn every_process(registry: &Registry) -> Result<(), Error> {
    let help = Registry::for_process("", "", "")?.describe();
    for family in help {
        let labels: Vec<&str> = family
            .labels
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        registry.gauge(&family.name, &family.help, &labels)?;
    }
    let mut conditions = OTHER_CONDITIONS.to_vec();
    let others = Role::ALL.iter().filter(|role| **role != Role::Gateway);
    conditions.extend(others.map(|role| role.as_str()));
    telemetry::Health::new(&conditions).measure(registry, Role::Gateway.as_str())?;
    telemetry::traces::register(registry)?;
    bus_nats::Certificates::register(registry)?;
    bus_nats::Metrics::new(registry, Role::Gateway.as_str()).map(drop)
}

fn every_role(registry: &Registry) -> Result<(), Error> {
    let metrics = harness::Metrics::new(registry, &Role::ALL)?;
    // Those that are built in; what a version is changes with the text.
    for (role, prompt) in embedded_prompts() {
        if role != Role::Indexer {
            metrics.knows_prompt(role, prompt.name, "");
        }
    }
    Ok(())
}

/// The document: the text above its tables, as it stands there, and the tables anew. It fails when two families do not
/// go together.
fn document(found: &str) -> Result<String, Error> {
    let first = format!("\n## {}\n", GROUPS[0].0);
    let mut text = found.split(&first).next().unwrap_or_default().to_owned();
    let mut ladders = BTreeMap::new();
    for (title, register) in GROUPS {
        let registry = Registry::new();
        register(&registry)?;
        let _ = writeln!(
            text,
            "\n## {title}\n| metric | kind | labels | what |\n|---|---|---|---|"
        );
        for family in registry.describe() {
            let _ = writeln!(text, "{}", row(&family));
            if !family.buckets.is_empty() {
                ladders.insert(family.name, family.buckets);
            }
        }
    }
    let _ = writeln!(
        text,
        "\n## Buckets\nThe upper bounds of each histogram.\n\n| metric | bounds |\n|---|---|"
    );
    for (name, bounds) in ladders {
        let bounds: Vec<String> = bounds.iter().map(f64::to_string).collect();
        let _ = writeln!(text, "| `{name}` | {} |", bounds.join(" "));
    }
    Ok(text)
}

fn row(family: &Description) -> String {
    let labels: Vec<String> = family.labels.iter().map(label).collect();
    let Description {
        name, kind, help, ..
    } = family;
    format!("| `{name}` | {kind} | {} | {help} |", labels.join("; "))
}

fn label((name, values): &(String, std::collections::BTreeSet<String>)) -> String {
    let is_listed = (1..=VALUES_MAX).contains(&values.len());
    if IN_WORDS.contains(&name.as_str()) || !is_listed {
        return format!("`{name}`");
    }
    let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
    format!("`{name}`: {}", values.join(", "))
}

#[test]
fn the_document_lists_what_there_is() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md");
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let wanted = document(&found).expect("families that go together");
    if settings::sources::variable(WRITE).is_some() {
        std::fs::write(&path, wanted).expect("docs/metrics.md can be written");
        return;
    }
    let mut lines = wanted
        .lines()
        .zip(found.lines().chain(std::iter::repeat("")));
    let differs = lines.find(|(wanted, found)| wanted != found);
    assert!(
        wanted == found,
        "docs/metrics.md is not what the code registers: write it anew with \
         `{WRITE}=1 cargo test -p argosy metrics_page`; the first difference: {differs:#?}"
    );
}

/// A counter that is born at 1 raises no alert.
#[test]
fn every_counter_stands_at_0_from_the_start() {
    for (title, register) in GROUPS {
        let registry = Registry::new();
        register(&registry).unwrap();
        let text = registry.encode();
        let families = registry.describe();
        for counter in families.iter().filter(|family| family.kind == "counter") {
            let is_there = |line: &str| line.starts_with(&counter.name) && line.ends_with(" 0");
            let name = &counter.name;
            assert!(
                text.lines().any(is_there),
                "{title}: `{name}` has no series"
            );
        }
    }
}
