//! Lists all metrics for `docs/metrics.md`. The list is read from the code that registers the metrics, so that the
//! document agrees with it. *Not* where metrics are defined.

use crate::command::run::RoomMetrics;
use crate::roles::embedded_prompts;
use envelope::Role;
use index_host::catalog::CatalogMetrics;
use std::collections::BTreeMap;
use std::fmt::Write;
use telemetry::{Description, Error, Registry};

/// The most values of a label that are listed.
const VALUES_MAX: usize = 48;
/// The labels whose values are described in words.
const IN_WORDS: [&str; 5] = ["role", "model", "node", "version", "revision"];

const HEAD: &str = "# Metrics

Each process serves these metrics at `/metrics` of its [admin endpoints](operations/watch.md#ready-alive), in the text format of
Prometheus. `ARGOSY_WRITE_DOCS=1 cargo test -p argosy --test metrics` writes this page; the same test without the variable compares it.

Counters whose label values are known at the start begin at 0, so that `increase()` sees the first count.

The label `role` is one of the nine roles; `model` and `node` are names from the configuration. `bucket` is the bucket of the corpus that is
searched, `all` for a search without buckets, `several` for a search in more than one, and `other` for a bucket that the corpus does not
have. No label ever contains an id, a question or the text of an error. On Linux each process also has `process_*`: CPU, memory, file
descriptors, and start time.

`complexity` is `simple` for a question that is searched for and answered at once (mode `simple`), and `complex` for all others. The two
have different latency targets. `route` is `agentic` or `simple`. A turn that the gateway or a client ended (as at its deadline) has no
trail: its `complexity` is `complex`, and its `route` is `unknown`. `revision` is the value of `ARGOSY_REVISION` when the binary was
compiled, or empty.

## What goes by another name
| you may look for | here it is | because |
|---|---|---|
| iterations of a question | `argosy_query_rounds` | an iteration is called a round here, also in options, trails and budgets |
| clarifications asked | `argosy_queries_total` with `outcome` `clarification` | a question back ends its turn |
| clarifications open, answered, expired | no metric | no process waits for the reply to a question back: the reply is a new question |
| a verdict `off_topic` | `argosy_validations_total` with `insufficient` | only a model that judges (`model_of.validator`) checks the topic; if it finds an answer off topic or incomplete, the fleet searches once more |
| a repair that `failed` | `argosy_llm_output_repairs_total` with `defaulted` | an output that cannot be read is always replaced by a named fallback |
| dead letters by `max_deliver`, `poison`, `schema` | `argosy_dead_letters_total` with `bug` and `permanent` | the label is the class of the failure, which decides what happens to the message; the exact reason is the header `Argosy-Dead-Reason` of the dead letter |
| dead letters by `budget`, `expired` | `argosy_fallbacks_total` with `budget_spent`; `argosy_queries_total` with `expired` | when the budget is spent or the deadline passes, a turn ends normally, without a dead letter |
| the route of a fan-out | `argosy_fanout_messages`, without a label `route` | only agentic turns fan out |
| searches by collection | the label `bucket` | the parts of a corpus are called buckets |
| endpoints of a model | the label `node` | an endpoint is called a node |
| partitions, owners | no metric | no process holds the state of a turn or a conversation |
| state on disk, its flushes and recoveries | `argosy_conversation_store_*` | the only state on disk besides indexes is the store of conversations, a copy of their stream |
| the size of a conversation | `argosy_conversation_log_bytes_total` over `argosy_conversation_turns_total` | the id of a conversation is a secret, so no metric is kept for each conversation; this is the average size of a turn |
| reloads of the configuration | no metric | a process reads its configuration only at the start, and does not start with a wrong one |
";

/// The conditions of readiness besides the consumer of a role, which has the role's name.
const OTHER_CONDITIONS: [&str; 7] = [
    "nats", "inbox", "due", "answers", "room", "index", "vectors",
];

type Register = fn(&Registry) -> Result<(), Error>;

/// Which processes have which metrics.
const GROUPS: [(&str, Register); 9] = [
    ("Every process", every_process),
    ("Every role", every_role),
    ("Roles that keep files", |r| RoomMetrics::new(r).map(drop)),
    ("Gateway", |r| gateway::Metrics::new(r).map(drop)),
    ("Planner", |r| CatalogMetrics::new(r).map(drop)),
    ("Conversation", |r| streams::Metrics::new(r).map(drop)),
    ("Indexer", |r| harness::IngestMetrics::new(r).map(drop)),
    ("Retriever", |r| index::Metrics::new(r).map(drop)),
    ("Roles that ask a model", llm_pool::register),
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
    bus_nats::Metrics::new(registry, Role::Gateway).map(drop)
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

/// The document.
///
/// # Errors
/// When two families do not go together, which would be a mistake in the code.
pub fn document() -> Result<String, Error> {
    let mut text = HEAD.to_owned();
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
