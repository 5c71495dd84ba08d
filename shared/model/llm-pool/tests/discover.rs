//! Tests of finding a local model: against fake nodes, and on ports where nothing or something else listens.

use argosy_llm_pool::discover::{Candidate, DiscoveredServer, local};
use serde_json::json;
use testkit::node::FakeNode;

fn place(server: &'static str, base_url: String) -> Candidate {
    Candidate {
        server: server.into(),
        base_url: base_url.into(),
    }
}

#[tokio::test]
async fn finds_only_what_answers_like_a_model_server() {
    let real = FakeNode::saying("x").await.unwrap();
    real.models(json!({"object": "list", "data": [{"id": "qwen"}, {"id": "llama"}]}));
    let other = FakeNode::saying("x").await.unwrap();
    other.models(json!({"status": "ok"}));
    let gone = FakeNode::saying("x").await.unwrap();
    let gone_at = gone.base_url();
    gone.stop().await;
    // Accepts connections and never says a word.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent_at = format!("http://{}", silent.local_addr().unwrap());

    let found = local(&[
        place("gone", gone_at),
        place("silent", silent_at),
        place("other", other.base_url()),
        place("broken", "no address".into()),
        place("real", real.base_url()),
    ])
    .await
    .unwrap();
    assert_eq!(
        found,
        [DiscoveredServer {
            server: "real".into(),
            base_url: real.base_url(),
            models: vec!["qwen".into(), "llama".into()],
        }]
    );
}

#[tokio::test]
async fn finds_nothing_where_nothing_is_asked() {
    assert_eq!(local(&[]).await.unwrap(), []);
}
