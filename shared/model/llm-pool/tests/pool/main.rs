//! Tests of the pool against fake nodes over real HTTP.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod aloud;
mod answers;
mod cancel;
mod dialects;
mod failures;
mod likely;
mod limits;
mod nodes;
mod slow;
mod streams;

use argosy_llm_pool::{BalancePolicy, Options, Pool, options};
use envelope::{Class, Classify, Role, TurnId};
use llm::{ChatModel, ChatReply, ChatRequest, Error, ReplySchema};
use serde_json::json;
use settings::{Backoff, Secret, TimeSpan};
use std::sync::Arc;
use std::time::{Duration, Instant};
use telemetry::Registry;
use testkit::node::{FakeNode, FakeNodeBehaviour, OverflowWording};

/// Longer than any test waits.
const LONG: Duration = Duration::from_secs(20);

fn request() -> ChatRequest {
    testkit::model::request(Role::Mapper, "Who wrote it?")
}

fn request_for_json() -> ChatRequest {
    ChatRequest {
        schema: Some(ReplySchema {
            name: "facts",
            json: json!({"type": "object"}),
        }),
        ..request()
    }
}

/// Nodes that say `a` and `b`.
async fn two() -> [FakeNode; 2] {
    [
        FakeNode::saying("a").await.unwrap(),
        FakeNode::saying("b").await.unwrap(),
    ]
}

/// Nodes `a`, `b`, … asked in this order, with short waits between tries.
fn options(nodes: &[&FakeNode]) -> Options {
    let names = ["a", "b", "c"];
    let nodes = nodes.iter().zip(names).map(|(node, name)| options::Node {
        name: name.into(),
        base_url: node.base_url(),
        ..options::Node::default()
    });
    Options {
        model: "tiny".into(),
        nodes: nodes.collect(),
        policy: BalancePolicy::RoundRobin,
        backoff: Backoff::new(TimeSpan::from_millis(1), 2.0, TimeSpan::from_millis(4)).unwrap(),
        ..Options::default()
    }
}

fn pool(options: Options) -> Pool {
    Pool::new(options, &Registry::new()).unwrap()
}

async fn ask(options: Options) -> Result<ChatReply, Error> {
    pool(options).chat(&request()).await
}

fn status(status: u16, body: &str) -> FakeNodeBehaviour {
    FakeNodeBehaviour::Status(status, body.into(), None)
}

fn status_after(status: u16, retry_after: &str) -> FakeNodeBehaviour {
    FakeNodeBehaviour::Status(status, "busy".into(), Some(retry_after.into()))
}
