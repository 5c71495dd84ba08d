//! Tests of embeddings and rerank scores from fake nodes over real HTTP.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod embedding;
mod reranker;

use argosy_llm_pool::options::Node;
use settings::Secret;
use testkit::node::{FakeNode, FakeNodeBehaviour};

/// Nodes `a`, `b`, … with a key.
fn nodes(nodes: &[&FakeNode]) -> Vec<Node> {
    let names = ["a", "b", "c"];
    let nodes = nodes.iter().zip(names).map(|(node, name)| Node {
        name: name.into(),
        base_url: node.base_url(),
        api_key: Secret::new("open sesame"),
        ..Node::default()
    });
    nodes.collect()
}

async fn node() -> FakeNode {
    FakeNode::saying("unused").await.unwrap()
}

fn status(status: u16, body: &str, retry_after: Option<&str>) -> FakeNodeBehaviour {
    FakeNodeBehaviour::Status(status, body.into(), retry_after.map(Into::into))
}
