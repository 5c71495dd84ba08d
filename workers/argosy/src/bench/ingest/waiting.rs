//! An embedder behind HTTP that only waits: every call takes the same time, however many there are.

use crate::fail::Fail;
use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Numbers of a vector: as many as small encoders have.
const DIMS: usize = 384;

/// The embedder. Dropping it ends it.
pub(super) struct Waiting {
    address: SocketAddr,
    _server: JoinSet<std::io::Result<()>>,
}

impl Waiting {
    /// Starts one whose calls take so many milliseconds.
    pub(super) async fn start(ms: u64) -> Result<Waiting, Fail> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = Router::new()
            .route("/v1/embeddings", post(embed))
            .with_state(Duration::from_millis(ms));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await });
        Ok(Waiting {
            address,
            _server: server,
        })
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
