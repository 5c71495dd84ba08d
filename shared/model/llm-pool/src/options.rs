//! The settings of a model and its nodes.

use crate::balance::BalancePolicy;
use crate::cache;
use crate::constants::{CACHE_ENTRIES_MAX, IN_FLIGHT_MAX, NODES_MAX, TIMEOUT_MAX};
use crate::dialect::JsonDialect;
use envelope::{Profile, Role};
use serde::{Deserialize, Serialize};
use settings::{Backoff, InvalidOption, Secret, TimeSpan};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::RangeInclusive;

pub mod embedding;
pub mod reranker;

/// A model and the nodes that serve it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The name that nodes know the model by; also the label of its metrics. Default: none, so it
    /// must be given with the nodes.
    pub model: String,
    /// Which class of model the defaults of a question are chosen for that names no `profile`: `small` for one of about 1B
    /// parameters, `large` for one that keeps longer lists in mind: plans may have twice as many keywords
    /// (`planner.keywords_max`), and 4 sub-queries whatever the question but a simple one, and
    /// answers are composed from passages instead of facts (`reducer.input`). Set it in section `model`, where gateways read
    /// it. Default `small`.
    pub profile: Profile,
    /// The nodes that serve the model. Default: none; at most 64.
    pub nodes: Vec<Node>,
    /// Most time to open a connection. Default `2s`.
    pub connect_timeout: TimeSpan,
    /// Most time from sending a request to the first token of the answer; then another node is asked. A node that does
    /// not stream sends nothing before the whole answer is written, so for it this bounds the writing. Default: 3 times what
    /// the node takes for the prompt and those before it by its measured speed, at least 10 s; 2 min before anything is
    /// measured. A model with a single node is given at least 2 min, or `total_timeout`, whatever is set.
    pub first_token_timeout: Option<TimeSpan>,
    /// Most time between two tokens of an answer. Default: 3 times the longer of what the node takes to write 8 tokens and
    /// to read 2,048 of another prompt, at least 5 s; 2 min before anything is measured.
    pub idle_timeout: Option<TimeSpan>,
    /// Most time for a call with all its retries; what the caller has left counts when it is less. Default: what the caller
    /// has left, as long as tokens come.
    pub total_timeout: Option<TimeSpan>,
    /// Most time to wait for a free place while every node is at its limit; then the call fails as
    /// overloaded. Default `2s`.
    pub queue_timeout: TimeSpan,
    /// Tries after the first, on another node where there is one. Default 2, at most 10.
    pub retries: u32,
    /// Wait before a retry, where the node did not say. Default `100ms`, doubled up to `2s`, with
    /// full jitter.
    pub backoff: Backoff,
    /// Randomness of the answers, 0 to 2. Default 0: the same prompt is answered alike.
    pub temperature: f32,
    /// Answers come token by token, which shows early whether a node is well. A node that does not
    /// know how answers all at once. Default true.
    pub stream: bool,
    /// How a node is picked: `balanced`, `round_robin` or `least_in_flight`. Default `balanced`.
    pub policy: BalancePolicy,
    /// Roles whose calls are made a second time, on another node, when they are late (slower than 95 %
    /// of the calls before); the first answer counts. Default: the mapper, of which many must be
    /// done before a question goes on.
    pub hedge: Vec<Role>,
    /// Most calls that are made a second time, as a share of all of those roles. Default 0.05.
    pub hedge_share: f64,
    /// The cache of map calls.
    pub cache: cache::Options,
    /// How often the names of nodes with `resolve` are looked up. Default `10s`.
    pub resolve_every: TimeSpan,
    /// Ask nodes for their load (`/metrics` of vLLM, SGLang and llama.cpp), once a second. Default
    /// true; a node without such a page is not asked again for a minute.
    pub probe: bool,
}

/// One server that speaks the OpenAI protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Node {
    /// Its name in logs and metrics. Default: none, so it must be given; unique in the list.
    pub name: String,
    /// Where it listens, `http://host:port`. `/v1` is added when there is no path; a path, as in
    /// `https://host/openai/v1`, is kept. Default: none, so it must be given.
    pub base_url: String,
    /// Sent as a bearer token. Default: none.
    pub api_key: Secret,
    /// Most calls of one process in flight. How many there are up to that is found out by how long the
    /// first token takes, because most servers queue without limit and never say that they are busy.
    /// Default 64, at most 4096.
    pub max_in_flight: u32,
    /// Calls of one process in flight before anything is known of the node, at most `max_in_flight`. More
    /// only for a node that is known to bear them. Default 8, at most 4096.
    pub first_in_flight: u32,
    /// Calls that the server runs at once, of all its clients (`--max-num-seqs` of vLLM, `--parallel` of
    /// llama.cpp, which tells by itself). Nothing but `argosy doctor` looks at it: it compares what all
    /// processes together may have in flight. Default 0: not known.
    pub admits: u32,
    /// The host name stands for several nodes: each of its addresses is one, and those that come and go
    /// are followed. For a headless service. Default false.
    pub resolve: bool,
    /// How it is asked for JSON: `json_schema`, `json_object` or `plain`. Default: the strongest that it
    /// does not reject.
    pub dialect: Option<JsonDialect>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            model: String::new(),
            profile: Profile::default(),
            nodes: Vec::new(),
            connect_timeout: TimeSpan::from_secs(2),
            first_token_timeout: None,
            idle_timeout: None,
            total_timeout: None,
            queue_timeout: TimeSpan::from_secs(2),
            retries: 2,
            backoff: Backoff::new(TimeSpan::from_millis(100), 2.0, TimeSpan::from_secs(2))
                .unwrap_or_default(),
            temperature: 0.0,
            stream: true,
            policy: BalancePolicy::Balanced,
            hedge: vec![Role::Mapper],
            hedge_share: 0.05,
            cache: cache::Options::default(),
            resolve_every: TimeSpan::from_secs(10),
            probe: true,
        }
    }
}

impl Default for Node {
    fn default() -> Self {
        Node {
            name: String::new(),
            base_url: String::new(),
            api_key: Secret::default(),
            max_in_flight: 64,
            first_in_flight: 8,
            admits: 0,
            resolve: false,
            dialect: None,
        }
    }
}

impl Options {
    /// A model on one node without a key, everything else by default.
    pub fn one_node(model: impl Into<String>, base_url: impl Into<String>) -> Self {
        Options {
            model: model.into(),
            nodes: vec![Node {
                name: "node-0".into(),
                base_url: base_url.into(),
                ..Node::default()
            }],
            ..Options::default()
        }
    }

    /// Checks that every option has an allowed value. A model without nodes is allowed: then there is no such model.
    ///
    /// # Errors
    /// The error names the option, its value and what is wanted.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        let least = TimeSpan::from_millis(1);
        for (name, span, least) in [
            ("connect_timeout", Some(self.connect_timeout), least),
            ("first_token_timeout", self.first_token_timeout, least),
            ("idle_timeout", self.idle_timeout, least),
            ("total_timeout", self.total_timeout, least),
            ("queue_timeout", Some(self.queue_timeout), TimeSpan::ZERO),
            (
                "resolve_every",
                Some(self.resolve_every),
                TimeSpan::from_millis(100),
            ),
        ] {
            if let Some(span) = span {
                check_span(name, span, least)?;
            }
        }
        check("`retries`", self.retries, 0..=10)?;
        check("`temperature`", self.temperature, 0.0..=2.0)?;
        check("`hedge_share`", self.hedge_share, 0.0..=0.5)?;
        check("`cache.entries`", self.cache.entries, 0..=CACHE_ENTRIES_MAX)?;
        check_nodes(&self.model, &self.nodes)
    }
}

/// How nodes are asked for vectors and scores: calls that are short, and not made twice at one node.
pub(crate) fn texts(
    model: &str,
    nodes: &[Node],
    connect_timeout: TimeSpan,
    timeout: TimeSpan,
) -> Options {
    let others = match nodes.iter().any(|node| node.resolve) {
        true => nodes.len().max(2),
        false => nodes.len().saturating_sub(1),
    };
    Options {
        model: model.to_owned(),
        nodes: nodes.to_vec(),
        connect_timeout,
        first_token_timeout: Some(timeout),
        idle_timeout: Some(timeout),
        total_timeout: Some(timeout),
        queue_timeout: timeout,
        retries: u32::try_from(others.min(10)).unwrap_or(10),
        hedge: Vec::new(),
        ..Options::default()
    }
}

/// Checks a model and the list of its nodes, of whatever they serve; it may be that there are none.
fn check_nodes(model: &str, nodes: &[Node]) -> Result<(), InvalidOption> {
    if !nodes.is_empty() && model.trim().is_empty() {
        return bad("`model` must be given with its nodes");
    }
    if nodes.len() > NODES_MAX {
        let count = nodes.len();
        return bad(format!(
            "`nodes` has {count} entries: want at most {NODES_MAX}"
        ));
    }
    let mut names = BTreeSet::new();
    for node in nodes {
        let name = &node.name;
        if name.is_empty() || name.len() > 64 {
            return bad(format!("node name `{name}` must have 1 to 64 characters"));
        }
        if name.contains('/') {
            return bad(format!(
                "node name `{name}` must have no `/`: it parts a name from its addresses"
            ));
        }
        if !names.insert(name) {
            return bad(format!("node name `{name}` is used twice"));
        }
        for (option, given) in [
            ("max_in_flight", node.max_in_flight),
            ("first_in_flight", node.first_in_flight),
        ] {
            check(
                format_args!("`{option}` of node `{name}`"),
                given,
                1..=IN_FLIGHT_MAX,
            )?;
        }
        if let Err(why) = crate::http::endpoint(&node.base_url, "models") {
            let shown = crate::http::without_secrets(&node.base_url);
            return bad(format!("`base_url` of node `{name}` is `{shown}`: {why}"));
        }
    }
    Ok(())
}

/// Checks that a length of time is at least so long, and no longer than any may be.
fn check_span(name: &str, span: TimeSpan, least: TimeSpan) -> Result<(), InvalidOption> {
    match span.within(least, TIMEOUT_MAX) {
        Ok(_) => Ok(()),
        Err(rule) => bad(format!("`{name}`: {rule}")),
    }
}

/// Checks that an option has a value in this range.
fn check<T: PartialOrd + Display>(
    option: impl Display,
    given: T,
    range: RangeInclusive<T>,
) -> Result<(), InvalidOption> {
    match range.contains(&given) {
        true => Ok(()),
        false => bad(format!(
            "{option} is {given}: want {} to {}",
            range.start(),
            range.end()
        )),
    }
}

fn bad(what: impl Into<String>) -> Result<(), InvalidOption> {
    Err(InvalidOption::new(what.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Options {
        Options::one_node("tiny", "http://localhost:8000")
    }

    #[test]
    fn defaults_are_valid() {
        assert!(Options::default().validate().is_ok());
        assert!(good().validate().is_ok());
    }

    #[test]
    fn nonsense_is_named() {
        let change = |change: fn(&mut Options)| {
            let mut options = good();
            change(&mut options);
            options.validate().unwrap_err().to_string()
        };
        let cases = [
            (
                change(|o| o.idle_timeout = Some(TimeSpan::ZERO)),
                "`idle_timeout`",
            ),
            (
                change(|o| o.queue_timeout = TimeSpan::from_hours(9)),
                "`1h`",
            ),
            (change(|o| o.retries = 11), "`retries` is 11"),
            (change(|o| o.temperature = f32::NAN), "`temperature`"),
            (change(|o| o.cache.entries = usize::MAX), "`cache.entries`"),
            (change(|o| o.hedge_share = 0.9), "`hedge_share` is 0.9"),
            (change(|o| o.model.clear()), "`model`"),
            (change(|o| o.nodes.push(o.nodes[0].clone())), "used twice"),
            (change(|o| o.nodes[0].name.clear()), "node name ``"),
            (change(|o| o.nodes[0].name = "a/b".into()), "no `/`"),
            (change(|o| o.nodes[0].max_in_flight = 0), "`max_in_flight`"),
            (
                change(|o| o.nodes[0].first_in_flight = 0),
                "`first_in_flight`",
            ),
            (
                change(|o| o.nodes[0].base_url = "localhost:80".into()),
                "http",
            ),
            (change(|o| o.nodes[0].base_url.clear()), "`base_url`"),
            (change(|o| o.nodes = vec![o.nodes[0].clone(); 65]), "65"),
        ];
        for (error, named) in cases {
            assert!(error.contains(named), "{error} does not name {named}");
        }
    }

    #[test]
    fn an_address_that_is_refused_is_shown_without_its_password() {
        for (url, shown) in [
            ("https://user:s3cret@host:8000/v1", "`https://host:8000`"),
            ("https://:s3cret@host", "`https://host`"),
            ("http://host:80/v1?key=s3cret", "`http://host`"),
            ("user:s3cret@host:8000", "`host:8000`"),
            ("http://user:s3cret@host:port/", "`host:port/`"),
            ("host?key=s3cret", "`host`"),
        ] {
            let refused = Options::one_node("tiny", url).validate().unwrap_err();
            let refused = refused.to_string();
            assert!(!refused.contains("s3cret"), "{refused}");
            assert!(refused.contains(shown), "{refused}");
        }
    }

    #[test]
    fn is_read_with_units_and_refuses_unknown_keys() {
        let read = |json| serde_json::from_value::<Options>(json);
        let options = read(serde_json::json!({
            "model": "tiny", "total_timeout": "30s",
            "nodes": [{"name": "a", "base_url": "http://a:1", "api_key": "k"}],
        }))
        .unwrap();
        assert_eq!(options.total_timeout, Some(TimeSpan::from_secs(30)));
        assert_eq!(options.nodes[0].api_key.expose(), "k");
        assert!(!format!("{options:?}").contains("\"k\""));
        assert!(read(serde_json::json!({"modle": "tiny"})).is_err());
        assert!(read(serde_json::json!({"nodes": [{"url": "x"}]})).is_err());
    }
}
