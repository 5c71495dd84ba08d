//! An embedder and a reranker behind HTTP that only sleep: every call takes the same time, however many calls there
//! are. Their replies mean nothing.

use argosy::cli_error::CliError;
use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use llm::Reranker;
use llm_pool::HttpReranker;
use llm_pool::options::{Node, reranker};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use telemetry::Registry;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// The dimensions of a vector: as many as those of small encoders.
const DIMS: usize = 384;

/// The server of both. Dropping it ends it.
pub(super) struct Waiting {
    address: SocketAddr,
    _server: JoinSet<std::io::Result<()>>,
}

impl Waiting {
    /// Starts a server whose calls take so many milliseconds.
    pub(super) async fn start(ms: u64) -> Result<Waiting, CliError> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = Router::new()
            .route("/v1/embeddings", post(embed))
            .route("/v1/rerank", post(rank))
            .with_state(Duration::from_millis(ms));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await });
        Ok(Waiting {
            address,
            _server: server,
        })
    }

    /// A client of the reranker.
    pub(super) fn reranker(&self) -> Result<Arc<dyn Reranker>, CliError> {
        let node = Node {
            name: "waiting".into(),
            base_url: format!("http://{}", self.address),
            ..Node::default()
        };
        let options = reranker::Options {
            model: "waiting".into(),
            nodes: vec![node],
            ..reranker::Options::default()
        };
        let made = HttpReranker::new(options, &Registry::new());
        Ok(Arc::new(
            made.map_err(|e| CliError::negative(e.to_string()))?,
        ))
    }

    /// The options of an indexer that asks it.
    pub(super) fn options(&self) -> Vec<String> {
        let node = format!(
            r#"[{{"name":"waiting","base_url":"http://{}","max_in_flight":512}}]"#,
            self.address
        );
        vec![
            "retrieval.embedder=http".into(),
            "retrieval.http.model=waiting".into(),
            format!("retrieval.http.dims={DIMS}"),
            format!("retrieval.http.nodes={node}"),
        ]
    }
}

/// Ranks the first text as the best.
async fn rank(State(wait): State<Duration>, Json(body): Json<Value>) -> Json<Value> {
    tokio::time::sleep(wait).await;
    let documents = body["documents"].as_array().map_or(0, Vec::len);
    let result =
        |n: usize| json!({"index": n, "relevance_score": 1.0 - n as f64 / documents as f64});
    let results: Vec<Value> = (0..documents).map(result).collect();
    Json(json!({"results": results}))
}

async fn embed(State(wait): State<Duration>, Json(body): Json<Value>) -> Json<Value> {
    tokio::time::sleep(wait).await;
    let texts = body["input"].as_array().map_or(0, Vec::len);
    let vector = |n: usize| {
        (0..DIMS)
            .map(|at| if at == n % DIMS { 1.0 } else { 0.01 })
            .collect::<Vec<f64>>()
    };
    let data: Vec<Value> = (0..texts)
        .map(|n| json!({"index": n, "embedding": vector(n)}))
        .collect();
    Json(json!({"data": data}))
}
