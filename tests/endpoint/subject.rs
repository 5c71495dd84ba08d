//! The server under test: one that the test starts, or the one that the environment names.

use envelope::{Role, TenantId, TurnId};
use llm::{ChatReply, ChatRequest, ReplySchema};
use llm_pool::discover::{self, Candidate};
use llm_pool::{NodeView, Options, Pool, options};
use serde_json::{Value, json};
use settings::sources::variable;
use settings::{Secret, TimeSpan};
use std::time::Duration;
use telemetry::Registry;
use testkit::llama::{self, ModelServer};

/// The time for one call; other servers may be slow, or load their model first.
pub(crate) const CALL: Duration = Duration::from_secs(120);

/// A server under test.
pub(crate) struct Subject {
    pub(crate) model: String,
    pub(crate) node: options::Node,
    /// The server process where the test started it, to be killed and restarted.
    pub(crate) own: Option<ModelServer>,
}

/// The server that the environment names, or else a new one with these `options`.
pub(crate) async fn subject(options: llama::Options) -> Subject {
    match text("ARGOSY_TEST_ENDPOINT") {
        Some(base_url) => given(base_url).await,
        None => own(options).await,
    }
}

/// A server that the test starts; `None`, with a message, where the environment names another one.
pub(crate) async fn only_own(what: &str, options: llama::Options) -> Option<Subject> {
    if let Some(base_url) = text("ARGOSY_TEST_ENDPOINT") {
        println!("left out: {what} wants a server of our own, and `{base_url}` is none");
        return None;
    }
    Some(own(options).await)
}

async fn own(options: llama::Options) -> Subject {
    let server = llama::server_with(options).await;
    Subject {
        model: llama::MODEL.into(),
        node: node(server.base_url()),
        own: Some(server),
    }
}

async fn given(base_url: String) -> Subject {
    let mut node = node(base_url.clone());
    if let Some(key) = text("ARGOSY_TEST_API_KEY") {
        node.api_key = Secret::new(&key);
    }
    let model = match text("ARGOSY_TEST_MODEL") {
        Some(model) => model,
        None => first_model(&base_url).await,
    };
    Subject {
        model,
        node,
        own: None,
    }
}

async fn first_model(base_url: &str) -> String {
    let place = Candidate {
        server: "the endpoint".into(),
        base_url: base_url.to_owned().into(),
    };
    let found = discover::local(&[place]).await.expect("a client");
    let model = found.into_iter().flat_map(|found| found.models).next();
    model.unwrap_or_else(|| {
        panic!(
            "`{base_url}` lists no model to somebody without a key: check ARGOSY_TEST_ENDPOINT, or \
             name the model in ARGOSY_TEST_MODEL"
        )
    })
}

fn node(base_url: String) -> options::Node {
    options::Node {
        name: "real".into(),
        base_url,
        ..options::Node::default()
    }
}

fn text(name: &str) -> Option<String> {
    Some(variable(name)?.to_string_lossy().into_owned())
}

impl Subject {
    /// The options of a pool for it, with long time-outs for other servers.
    pub(crate) fn options(&self) -> Options {
        Options {
            model: self.model.clone(),
            nodes: vec![self.node.clone()],
            first_token_timeout: Some(TimeSpan::from_secs(60)),
            idle_timeout: Some(TimeSpan::from_secs(30)),
            total_timeout: Some(TimeSpan::from_secs(CALL.as_secs())),
            ..Options::default()
        }
    }

    /// The configuration of a fleet that asks it.
    pub(crate) fn settings(&self) -> Vec<String> {
        let node = json!([{
            "name": self.node.name, "base_url": self.node.base_url,
            "api_key": self.node.api_key.expose(),
        }]);
        vec![
            format!("model.model={}", self.model),
            format!("model.nodes={node}"),
        ]
    }
}

/// A pool, and what it counts.
pub(crate) struct Counted {
    pub(crate) pool: Pool,
    registry: Registry,
}

impl Counted {
    pub(crate) fn new(options: Options) -> Counted {
        let registry = Registry::new();
        let pool = Pool::new(options, &registry).expect("a pool");
        Counted { pool, registry }
    }

    /// The one node.
    pub(crate) fn node(&self) -> NodeView {
        self.pool.nodes().remove(0)
    }

    /// The exchanges with the server that ended so.
    pub(crate) fn exchanges(&self, outcome: &str) -> u64 {
        let family = "argosy_llm_request_duration_seconds_count";
        self.sum(family, &format!("outcome=\"{outcome}\""))
    }

    /// All exchanges with the server.
    pub(crate) fn exchanges_made(&self) -> u64 {
        self.sum("argosy_llm_request_duration_seconds_count", "")
    }

    /// The sum of a counter over the series with this label.
    pub(crate) fn sum(&self, family: &str, label: &str) -> u64 {
        let shown = self.registry.encode();
        let lines = shown
            .lines()
            .filter(|line| line.starts_with(family) && line.contains(label));
        let values = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
        values.sum::<f64>() as u64
    }
}

/// A question of a few words, with a reply of at most so many tokens.
pub(crate) fn request(max_tokens: u32) -> ChatRequest {
    ChatRequest {
        model: None,
        role: Role::Mapper,
        turn: TurnId::new("t1").expect("an id"),
        tenant: TenantId::default_tenant(),
        system: "Answer in one sentence.".into(),
        user: "What is a notice period?".into(),
        max_tokens,
        likely: 0,
        schema: None,
        timeout: CALL,
    }
}

/// A question whose reply is one word in an object: short even for a model that understands nothing.
pub(crate) fn request_for_json() -> ChatRequest {
    ChatRequest {
        user: "Is a notice period a time span? Answer as JSON: {\"relevant\": true or false}"
            .into(),
        schema: Some(ReplySchema {
            name: "verdict",
            json: json!({
                "type": "object",
                "properties": {"relevant": {"type": "boolean"}},
                "required": ["relevant"],
                "additionalProperties": false,
            }),
        }),
        ..request(64)
    }
}

/// Whether an answer is what [`request_for_json`] asked for.
pub(crate) fn is_verdict(reply: &ChatReply) -> bool {
    let read: Option<Value> = serde_json::from_str(&reply.text).ok();
    read.is_some_and(|json| json["relevant"].is_boolean())
}
