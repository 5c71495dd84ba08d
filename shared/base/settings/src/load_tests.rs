//! Tests of the loader with a configuration that has every kind of setting: which source wins, and each message in
//! full.

use std::num::NonZeroU32;

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::secret::MASK;
use crate::{Backoff, ByteSize, Secret, TimeSpan};

#[path = "load_named_tests.rs"]
mod named;
#[path = "load_secret_tests.rs"]
mod secrets;

#[derive(Debug, Default, Serialize, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields)]
struct Config {
    nats: Nats,
    llm: Llm,
    store: Option<Store>,
}

#[derive(Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Nats {
    urls: Vec<String>,
    password: Secret,
    port: u16,
    slots: NonZeroU32,
    share: f64,
    tls: bool,
    ack_wait: TimeSpan,
    body_max: ByteSize,
    retry: Backoff,
}

#[derive(Debug, Default, Serialize, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields)]
struct Llm {
    nodes: BTreeMap<String, Node>,
    extra: Vec<Node>,
    api_key: Option<Secret>,
    seed: Option<u16>,
    ports: Vec<u16>,
    mode: Mode,
}

#[derive(Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Node {
    url: String,
    #[serde(default)]
    api_key: Option<Secret>,
    #[serde(default)]
    slots: Option<u32>,
}

#[derive(Debug, Default, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Simple,
    Planned,
}

#[derive(Debug, Serialize, Deserialize, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Store {
    Memory,
    Qdrant {
        url: String,
        dimensions: u32,
        #[serde(default)]
        api_key: Option<Secret>,
    },
}

impl Default for Nats {
    fn default() -> Self {
        Self {
            urls: vec!["nats://localhost:4222".to_owned()],
            password: Secret::default(),
            port: 8080,
            slots: NonZeroU32::new(4).unwrap(),
            share: 0.5,
            tls: false,
            ack_wait: TimeSpan::from_secs(20),
            body_max: ByteSize::from_bytes(256 << 10),
            retry: Backoff::new(TimeSpan::from_secs(1), 2.0, TimeSpan::from_secs(8)).unwrap(),
        }
    }
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(a, b): &(&str, &str)| ((*a).to_owned(), (*b).to_owned());
    pairs.iter().map(owned).collect()
}

fn sources() -> Sources {
    Sources::new()
}

fn env(variables: &[(&str, &str)]) -> Sources {
    sources().environment(pairs(variables))
}

fn toml(text: &str) -> Sources {
    sources().text("argosy.toml", text)
}

fn loaded(sources: Sources) -> Configuration<Config> {
    load(sources).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(sources: Sources) -> String {
    load::<Config>(sources).unwrap_err().to_string()
}

/// The one problem of a load, without the opening words.
fn problem(sources: Sources) -> String {
    let text = refused(sources);
    let one = text.strip_prefix("invalid configuration: ");
    one.unwrap_or_else(|| panic!("{text}")).to_owned()
}

#[test]
fn nothing_given_gives_the_defaults() {
    let loaded = loaded(sources());
    assert_eq!(loaded.value, Config::default());
    assert_eq!(loaded.origins["nats.port"], SettingOrigin::Default);
}

#[test]
fn later_sources_win_and_origins_say_so() {
    let sources = toml("[nats]\nport = 1\nshare = 0.1\nack_wait = \"1s\"\ntls = true")
        .environment(pairs(&[
            ("ARGOSY__nats__share", "0.2"),
            ("ARGOSY__NATS__ACK_WAIT", "2s"),
            ("ARGOSY__nats__tls", ""),
            ("PATH", "/bin"),
            ("ARGOSY_NATS_PORT", "7"),
        ]))
        .flags(pairs(&[("nats.ack_wait", "3s"), ("nats.ack_wait", "4s")]));
    let loaded = loaded(sources);
    let nats = &loaded.value.nats;
    assert_eq!((nats.port, nats.share, nats.tls), (1, 0.2, true));
    assert_eq!(nats.ack_wait, TimeSpan::from_secs(4));
    let origin = |key: &str| loaded.origins[key].to_string();
    assert_eq!(origin("nats.port"), "file `argosy.toml`");
    assert_eq!(
        origin("nats.share"),
        "environment variable `ARGOSY__nats__share`"
    );
    assert_eq!(origin("nats.ack_wait"), "command line");
    assert_eq!(origin("nats.slots"), "default");
}

#[test]
fn a_table_is_merged_with_the_defaults_of_its_owner() {
    // Not with those of `Backoff`, which starts at 200 ms.
    let loaded = loaded(toml("[nats.retry]\nmax = \"1m\""));
    assert_eq!(loaded.value.nats.retry.first(), TimeSpan::from_secs(1));
    assert_eq!(loaded.value.nats.retry.max(), TimeSpan::from_mins(1));
}

#[test]
fn open_tables_take_any_name() {
    let sources = toml("[llm.nodes.\"Qwen2.5\"]\nurl = \"http://a\"")
        .environment(pairs(&[
            ("ARGOSY__llm__nodes__gpu1__url", "http://b"),
            ("ARGOSY__llm__nodes__gpu1__slots", "8"),
        ]))
        .flags(pairs(&[("llm.extra", "[{url = \"http://c\"}]")]));
    let loaded = loaded(sources);
    let llm = &loaded.value.llm;
    assert_eq!(llm.nodes["Qwen2.5"].url, "http://a");
    assert_eq!(llm.nodes["gpu1"].slots, Some(8));
    assert_eq!(llm.extra[0].url, "http://c");
    assert!(loaded.origins.contains_key("llm.nodes.\"Qwen2.5\".url"));
    assert!(!loaded.origins.contains_key("llm.nodes"));
}

#[test]
fn a_section_that_is_left_out_by_default_is_given_as_a_whole() {
    let loaded = loaded(env(&[
        ("ARGOSY__store__kind", "qdrant"),
        ("ARGOSY__store__url", "http://q"),
        ("ARGOSY__store__dimensions", "384"),
    ]));
    let url = "http://q".to_owned();
    let store = Store::Qdrant {
        url,
        dimensions: 384,
        api_key: None,
    };
    assert_eq!(loaded.value.store, Some(store));
}

#[test]
fn text_becomes_what_the_setting_wants() {
    let loaded = loaded(env(&[
        ("ARGOSY__nats__urls", "nats://a, nats://b"),
        ("ARGOSY__nats__password", "0123,x"),
        ("ARGOSY__llm__api_key", "1e5"),
        ("ARGOSY__llm__seed", "0042"),
        ("ARGOSY__llm__ports", "1,2"),
        ("ARGOSY__llm__mode", "planned"),
        ("ARGOSY__nats__body_max", "1MiB"),
    ]));
    let Config { nats, llm, .. } = loaded.value;
    assert_eq!(nats.urls, ["nats://a", "nats://b"]);
    assert_eq!(nats.password.expose(), "0123,x");
    assert_eq!(llm.api_key.unwrap().expose(), "1e5");
    assert_eq!((llm.seed, llm.ports), (Some(42), vec![1, 2]));
    assert_eq!(llm.mode, Mode::Planned);
    assert_eq!(nats.body_max, ByteSize::from_mib(1));
}

/// Each row is a source, what it gives, and the one problem that is told of it.
#[test]
fn every_problem_is_told_in_full() {
    for row in include_str!("load_problems.tsv").lines() {
        if row.is_empty() || row.starts_with('#') {
            continue;
        }
        let [source, given, told] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let pair = || [given.split_once('=').unwrap()];
        let sources = match source {
            "file" => toml(&given.replace("\\n", "\n")),
            "environment" => env(&pair()),
            "flag" => sources().flags(pairs(&pair())),
            _ => panic!("{row}"),
        };
        assert_eq!(problem(sources), told, "{row}");
    }
}

#[test]
fn problems_inside_open_tables_name_the_place() {
    let unknown = problem(toml("[llm.nodes.a]\nurl = \"x\"\nslot = 1"));
    assert!(
        unknown.contains("unknown field `slot`") && unknown.contains("file `argosy.toml`"),
        "{unknown}"
    );
    let listed = problem(toml("[[llm.extra]]\nurl = 1"));
    assert!(listed.contains("expected a string"), "{listed}");
}

#[test]
fn all_problems_come_at_once() {
    let sources = toml("nats.prot = 1\nnats.port = 70000\nnats.ack_wait = \"30\"\nllm.seed = -1")
        .environment(pairs(&[("ARGOSY__nats__tls", "maybe")]));
    let text = refused(sources);
    assert!(
        text.starts_with("invalid configuration, 5 problems:\n  - "),
        "{text}"
    );
    for key in ["prot", "port", "ack_wait", "tls"] {
        assert!(text.contains(&format!("`nats.{key}`")), "{key}: {text}");
    }
    assert!(text.contains("`llm.seed`"), "{text}");
}

#[test]
fn the_same_key_twice_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    std::fs::write(&path, "from file").unwrap();
    let path = path.display();
    let both = problem(toml(&format!(
        "nats.password = \"x\"\nnats.password_file = \"{path}\""
    )));
    assert!(
        both.starts_with("`nats.password` = ***") && both.contains("is given twice"),
        "{both}"
    );
    assert_eq!(
        problem(env(&[
            ("ARGOSY__NATS__PORT", "1"),
            ("ARGOSY__nats__port", "2"),
        ])),
        "`nats.port` = `2` (environment variable `ARGOSY__nats__port`): is given twice, also by \
         environment variable `ARGOSY__NATS__PORT`"
    );
}

#[test]
fn files_are_named_when_they_cannot_be_read() {
    let missing = refused(Sources::new().file("/nowhere/argosy.toml"));
    assert!(
        missing.starts_with("cannot read the configuration file `/nowhere/argosy.toml`: "),
        "{missing}"
    );
    let optional = Sources::new().optional_file("/nowhere/argosy.toml");
    assert_eq!(loaded(optional).value, Config::default());
    let syntax = refused(toml("[nats]\npassword = hunter2"));
    assert!(
        syntax.starts_with("the configuration file `argosy.toml` is not valid TOML: ")
            && syntax.contains("line 2, column 12"),
        "{syntax}"
    );
    assert!(!syntax.contains("hunter2"), "{syntax}");
}

#[test]
fn a_caller_can_reject_a_loaded_value() {
    let loaded = loaded(env(&[("ARGOSY__nats__port", "1")]));
    assert_eq!(
        loaded
            .reject("nats.port", "must differ from `admin.port`")
            .to_string(),
        "invalid configuration: `nats.port` (environment variable `ARGOSY__nats__port`): must differ \
         from `admin.port`"
    );
}

proptest! {
    #[test]
    fn the_strongest_source_wins(file in any::<Option<u16>>(), env in any::<Option<u16>>(), flag in any::<Option<u16>>()) {
        let mut sources = sources();
        if let Some(port) = file {
            sources = sources.text("f", format!("nats.port = {port}"));
        }
        if let Some(port) = env {
            sources = sources.environment(pairs(&[("ARGOSY__nats__port", &port.to_string())]));
        }
        if let Some(port) = flag {
            sources = sources.flags(pairs(&[("nats.port", &port.to_string())]));
        }
        let wanted = flag.or(env).or(file).unwrap_or(8080);
        prop_assert_eq!(loaded(sources).value.nats.port, wanted);
    }

    #[test]
    fn no_input_panics(key in "[a-z._]{0,16}", value in ".{0,16}", toml in "[a-z.=\\[\\]\"0-9\n ]{0,40}") {
        let sources = sources().text("f", toml).flags([(key, value)]);
        let _ = load::<Config>(sources);
    }
}
