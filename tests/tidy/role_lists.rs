//! Checks lists of roles in files that cannot be generated as a whole. Each list is made from the rows of `hops!`,
//! and the file has to agree with it.
//!
//! `ARGOSY_WRITE_DOCS=1 cargo test -p argosy-tests --test tidy role_lists` writes the lists. *Not* here: lists whose
//! entries differ from role to role, such as the values of the chart, or that need a drawing. Those are only checked
//! (`roles`).

use crate::tree::{none, read, root};
use envelope::Role;

/// The variable that makes the test write the lists instead of comparing them.
const WRITE: &str = "ARGOSY_WRITE_DOCS";

/// A list: the text right before it, the text right behind it, and the function that makes it.
struct List {
    file: &'static str,
    before: &'static str,
    after: &'static str,
    made: fn() -> String,
}

const LISTS: &[List] = &[
    List {
        file: "README.md",
        before: "for role in ",
        after: "; do argosy run",
        made: || words(Role::ALL, " "),
    },
    List {
        file: "docs/operations/upgrade.md",
        before: "for role in ",
        after: "; do systemctl",
        made: || words(Role::ALL, " "),
    },
    List {
        file: "deploy/README.md",
        before: "enable --now argosy@{",
        after: "}",
        made: || words(Role::ALL, ","),
    },
    List {
        file: "deploy/compose.yaml",
        before: "a second service with a volume of its own.\n",
        after: "\n  # The command line",
        made: || Role::ALL.into_iter().map(service).collect(),
    },
    List {
        file: "deploy/prometheus/prometheus.yml",
        before: "        names: [",
        after: "]\n",
        made: || words(Role::ALL, ", "),
    },
    List {
        file: "charts/argosy/templates/_values.tpl",
        before: "{{- define \"argosy.roles\" -}}\n",
        after: "\n{{- end }}",
        made: || words(deployed(), " "),
    },
    List {
        file: "charts/argosy/templates/_values.tpl",
        before: "(has $role (list ",
        after: ")",
        made: || {
            let others = deployed().filter(|role| !role.asks_model());
            others
                .map(|role| format!("\"{role}\""))
                .collect::<Vec<_>>()
                .join(" ")
        },
    },
    List {
        file: "charts/argosy/values.schema.json",
        before: "        \"snapshots\": {\n          \"type\": \"object\"\n        },\n",
        after: "        \"nats\": {",
        made: || with_options().map(section).collect(),
    },
    List {
        file: "charts/argosy/values.schema.json",
        before: "    \"roles\": {\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n      \"properties\": {\n",
        after: "\n      }\n    },\n    \"setup\"",
        made: || deployed().map(settings_of).collect::<Vec<_>>().join(",\n"),
    },
    List {
        file: "charts/argosy/files/rules/model.yaml",
        before: "argosy_llm_request_duration_seconds_count{role=~\"",
        after: "\"",
        made: || words(stopped_without_model(), "|"),
    },
    List {
        file: "charts/argosy/files/rules/scaling.yaml",
        before: "            \".*-(",
        after: ")\")",
        made: || words(deployed(), "|"),
    },
    List {
        file: "charts/argosy/files/rules/processes.yaml",
        before: "- alert: ArgosyRoleMissing\n        expr: |\n          ",
        after: "\n        for:",
        made: || absent("argosy_build_info", "\n          or "),
    },
    List {
        file: "charts/argosy/files/rules/stages.yaml",
        before: "- alert: ArgosyConsumerMissing\n        expr: |\n          (\n            ",
        after: "\n          )",
        made: || absent("argosy_consumer_pending_messages", "\n            or "),
    },
];

/// All roles in the order of the chart: first those that every question passes, then those that not every fleet runs.
fn deployed() -> impl Iterator<Item = Role> {
    let usual = Role::THINKING.into_iter();
    let usual = usual.filter(|role| *role != Role::Conversation);
    [Role::Gateway]
        .into_iter()
        .chain(usual)
        .chain([Role::Conversation, Role::Indexer])
}

/// Roles with a section of their own in the configuration.
fn with_options() -> impl Iterator<Item = Role> {
    deployed().filter(|role| *role != Role::Conversation)
}

/// The roles that keep turns waiting where no model answers. A validator without a model checks by its rules.
fn stopped_without_model() -> impl Iterator<Item = Role> {
    let asking = Role::THINKING.into_iter().filter(|role| role.asks_model());
    asking.filter(|role| *role != Role::Validator)
}

fn words(roles: impl IntoIterator<Item = Role>, between: &str) -> String {
    let words: Vec<_> = roles.into_iter().map(Role::as_str).collect();
    words.join(between)
}

/// The expression that finds which of the roles that every question needs have no series of a metric.
fn absent(metric: &str, or: &str) -> String {
    let answering = deployed().filter(|role| *role != Role::Indexer);
    let each = answering.map(|role| format!("absent({metric}{{role=\"{role}\"}})"));
    each.collect::<Vec<_>>().join(or)
}

/// A service of compose.
fn service(role: Role) -> String {
    let folder = match role.keeps_files() {
        true => format!("    volumes: [\"{role}:/data\"]\n"),
        false => String::new(),
    };
    format!("  {role}:\n    <<: *role\n    command: [run, {role}]\n{folder}")
}

/// A section of the configuration in the schema of the chart's values.
fn section(role: Role) -> String {
    format!("        \"{role}\": {{\n          \"type\": \"object\"\n        }},\n")
}

/// The settings of a role in the schema of the chart's values.
fn settings_of(role: Role) -> String {
    let kind = match role.keeps_files() {
        true => "role",
        false => "statelessRole",
    };
    format!("        \"{role}\": {{\n          \"$ref\": \"#/definitions/{kind}\"\n        }}")
}

impl List {
    /// The place of the list in a text.
    fn found(&self, text: &str) -> Option<(usize, usize)> {
        let from = text.find(self.before)? + self.before.len();
        Some((from, from + text[from..].find(self.after)?))
    }
}

#[test]
fn a_list_that_is_made_of_the_roles_is_as_they_are() {
    let write = settings::sources::variable(WRITE).is_some();
    let mut findings = Vec::new();
    for list in LISTS {
        let mut file = read(list.file);
        let Some((from, to)) = list.found(&file.text) else {
            findings.push(file.at(1, format!("has no list behind `{}`", list.before.trim())));
            continue;
        };
        let made = (list.made)();
        if file.text[from..to] == made {
            continue;
        }
        if write {
            file.text.replace_range(from..to, &made);
            std::fs::write(root().join(list.file), &file.text).expect("a list is written");
        } else {
            let line = file.text[..from].lines().count().max(1);
            let how = format!("`{WRITE}=1 cargo test -p argosy-tests --test tidy role_lists`");
            findings.push(file.at(line, format!("not the roles there are; {how} writes them")));
        }
    }
    none(findings);
}
