//! Generates docs/config.md from the code: each option in the order of its definition, with its default and its doc
//! comment.

use super::{Config, VARIABLES};
use crate::command::config::toml;
use envelope::Role;
use serde_json::Value;
use settings::NamedVariable;
use std::fmt::Write;
use std::path::PathBuf;

/// The variable that makes the test write the page instead of comparing it.
const WRITE: &str = "ARGOSY_WRITE_DOCS";

/// The sections, with the file and the name of each one's type. The type of a role's section is found by the role.
const SECTIONS: &[(&str, &str, &str)] = &[
    ("nats", "shared/bus/bus-nats/src/options.rs", "Options"),
    ("streams", "shared/bus/bus/src/topology.rs", "Topology"),
    ("run", "shared/fleet/harness/src/options.rs", "Options"),
    ("gateway", "workers/gateway/src/options.rs", "Options"),
    ("door", "workers/door/src/options.rs", "Options"),
    (
        "door.oidc",
        "workers/door/src/access/oidc/options.rs",
        "Options",
    ),
    (
        "telemetry",
        "shared/base/telemetry/src/options.rs",
        "Options",
    ),
    (
        "telemetry.otlp",
        "shared/base/telemetry/src/traces/options.rs",
        "Options",
    ),
    ("model", "shared/model/llm-pool/src/options.rs", "Options"),
    (
        "model.cache",
        "shared/model/llm-pool/src/cache.rs",
        "Options",
    ),
    (
        "retrieval",
        "shared/corpus/index-host/src/options.rs",
        "Options",
    ),
    (
        "retrieval.search",
        "shared/corpus/index/src/options.rs",
        "Options",
    ),
    (
        "retrieval.minilm",
        "shared/corpus/index-host/src/options.rs",
        "MiniLmOptions",
    ),
    (
        "retrieval.http",
        "shared/model/llm-pool/src/options/embedding.rs",
        "Options",
    ),
    (
        "retrieval.reranker",
        "shared/model/llm-pool/src/options/reranker.rs",
        "Options",
    ),
    (
        "retrieval.qdrant",
        "shared/corpus/qdrant/src/options.rs",
        "Options",
    ),
    (
        "snapshots",
        "shared/corpus/index-host/src/snapshot.rs",
        "Options",
    ),
];

/// The file that defines the type of a section, and the name of the type.
fn type_of(key: &str) -> Option<(String, &'static str)> {
    let listed = SECTIONS.iter().find(|(known, ..)| *known == key);
    let of_role = || {
        let role: Role = key.parse().ok()?;
        Some((format!("workers/{role}/src/options.rs"), "Options"))
    };
    match listed {
        Some((_, file, name)) => Some(((*file).to_owned(), name)),
        None => of_role(),
    }
}

/// Tables that count as one value, because they are set as a whole.
const VALUES: &[&str] = &[
    "model.backoff",
    "models",
    "model_of",
    "editions",
    "telemetry.otlp.headers",
];

/// A field of a struct, as its source file has it.
struct Field {
    name: String,
    doc: String,
}

fn source(file: &str) -> String {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The documentation of a struct, and its fields.
fn read(file: &str, name: &str) -> (String, Vec<Field>) {
    let source = source(file);
    let head = format!("pub struct {name} {{");
    let (mut doc, mut about, mut fields) = (Vec::new(), None, Vec::new());
    // What is not read from a source is a field and no option.
    let mut is_option = true;
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            doc.push(text.trim().to_owned());
        } else if line == "#[serde(skip)]" {
            is_option = false;
        } else if line.starts_with("#[") {
            // An attribute stands between documentation and what it is about.
        } else if line == head {
            about = Some(std::mem::take(&mut doc).join(" "));
        } else if about.is_some() && line == "}" {
            break;
        } else {
            let doc = std::mem::take(&mut doc).join(" ");
            let field = line.strip_prefix("pub ").and_then(|l| l.split_once(": "));
            if let (Some(_), Some((name, _)), true) = (&about, field, is_option) {
                let name = name.to_owned();
                fields.push(Field { name, doc });
            }
            is_option = true;
        }
    }
    let about = about.unwrap_or_else(|| panic!("no `{head}` in {file}"));
    (about, fields)
}

/// The documentation with links of rustdoc as plain text, and without what a table cell cannot hold.
fn cell(doc: &str) -> String {
    doc.replace("[`", "`")
        .replace("`]", "`")
        .replace('|', "\\|")
}

fn default(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        value => format!("`{}`", toml(value)),
    }
}

/// A section with its own table, and the sections below it.
fn section(page: &mut String, key: &str, file: &str, name: &str, values: &Value) {
    let (about, fields) = read(file, name);
    let held = values.as_object().map_or(0, |table| table.len());
    assert_eq!(fields.len(), held, "the fields of `{key}` in {file}");
    let title = match key {
        "" => "Top level".into(),
        key => format!("`{key}`"),
    };
    write!(page, "\n## {title}\n{}\n\n", cell(&about)).unwrap();
    page.push_str("| key | default | meaning |\n|---|---|---|\n");
    let mut below = Vec::new();
    for field in fields {
        let whole = match key {
            "" => field.name.clone(),
            key => format!("{key}.{}", field.name),
        };
        let value = values
            .get(&field.name)
            .unwrap_or_else(|| panic!("`{whole}` is no option"));
        assert!(!field.doc.is_empty(), "`{whole}` says nothing, in {file}");
        if let Some((file, name)) = type_of(&whole) {
            below.push((whole, file, name, value.clone()));
            continue;
        }
        let is_table = value.is_object() && !VALUES.contains(&whole.as_str());
        assert!(
            !is_table,
            "add the section `{whole}` to the list in this test"
        );
        let (doc, default) = (cell(&field.doc), default(value));
        writeln!(page, "| `{whole}` | {default} | {doc} |").unwrap();
    }
    if page.ends_with("|---|---|---|\n") {
        let bare = page.len() - "| key | default | meaning |\n|---|---|---|\n".len();
        page.truncate(bare);
        page.push_str("Has sections only.\n");
    }
    for (key, file, name, value) in below {
        section(page, &key, &file, name, &value);
    }
}

/// The variables with names of their own, and the option that each stands for.
fn variables(page: &mut String) {
    page.push_str(
        "\n## Variables with names of their own\n\
         What other systems of this kind call some of these options, for whoever brings their environment along. Whoever sets the \
         key itself, in a file, as `ARGOSY__…` or by a flag, wins; one that says something else ends the start.\n\n\
         | variable | wants | sets |\n|---|---|---|\n",
    );
    for variable in VARIABLES {
        let NamedVariable {
            name, key, wanted, ..
        } = variable;
        writeln!(page, "| `{name}` | {wanted} | `{key}` |").unwrap();
    }
}

fn page() -> String {
    let mut page = String::from(
        "# Configuration\n\n\
         Every option with its default, made from the code: `ARGOSY_WRITE_DOCS=1 cargo test -p argosy config_page` \
         writes this file, and a test compares it.\n\n\
         A value comes from, in this order, the later winning: the default, a [variable with a name of its own](#variables-with-names-of-their-own), `argosy.toml` in the working directory (or \
         `--config FILE`), an environment variable (`ARGOSY__streams__keep` for `streams.keep`), a flag (`--set \
         streams.keep=10m`). `argosy config show --origin` says what each is set to and by whom; `argosy config check [FILE]` \
         finds mistakes. A secret, which is a key that ends in `api_key`, may be read from a file: `api_key_file`. Times \
         are written `250ms`, `30s`, `5m`, `2h`; sizes `256KiB`, `1GiB`.\n",
    );
    let values = serde_json::to_value(Config::default()).unwrap();
    let values = crate::command::config::as_written(values);
    section(
        &mut page,
        "",
        "workers/argosy/src/config.rs",
        "Config",
        &values,
    );
    let node = serde_json::to_value(llm_pool::options::Node::default()).unwrap();
    section(
        &mut page,
        "model.nodes",
        "shared/model/llm-pool/src/options.rs",
        "Node",
        &node,
    );
    page.push_str(
        "\n`retrieval.http.nodes` and `retrieval.reranker.nodes` are lists of the same.\n",
    );
    variables(&mut page);
    page
}

#[test]
fn the_page_of_options_is_that_of_the_code() {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/config.md"));
    let page = page();
    if settings::sources::variable(WRITE).is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = page.lines().zip(written.lines()).find(|(a, b)| a != b);
    assert!(
        page == written,
        "docs/config.md is not what the code says; write it with \
         `{WRITE}=1 cargo test -p argosy config_page` and look at the difference. First: {differs:?}"
    );
}
