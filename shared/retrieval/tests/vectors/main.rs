//! One suite for every place that keeps vectors: the same records give the same neighbours.
//!
//! A Qdrant server is a fake one, over the real protocol. A real one is asked when `QDRANT_URL`
//! names its gRPC port: `QDRANT_URL=http://127.0.0.1:6334 cargo test -p argosy-retrieval --test
//! vectors -- --ignored`, with `QDRANT_API_KEY` where it wants one. Collections that begin with
//! `argosy-test-` are made there and removed.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod cases;
mod place;
mod qdrant;
mod records;

use argosy_retrieval::qdrant::Options;
use settings::sources::variable;
use testkit::qdrant::FakeQdrant;

/// Each case on an empty place of its own.
#[tokio::test]
async fn a_qdrant_server_behind_its_protocol() {
    let server = FakeQdrant::start().await.unwrap();
    let options = Options {
        url: server.url(),
        batch_size: 3, // so that most cases need several
        ..Options::default()
    };
    cases::all(async |case| place::OnQdrant::new(&options, case).await).await;
}

#[tokio::test]
async fn the_embedded_index() {
    cases::all(async |_| place::OnDisk::new()).await;
}

#[tokio::test]
#[ignore = "needs a Qdrant server of 1.20 or later: set QDRANT_URL, such as http://127.0.0.1:6334"]
async fn a_real_qdrant_server() {
    let Some(url) = variable("QDRANT_URL") else {
        panic!("not run: set QDRANT_URL, such as http://127.0.0.1:6334");
    };
    for (round, quantisation) in ["none", "int8"].iter().enumerate() {
        let options = serde_json::from_value(serde_json::json!({
            "url": url, "api_key": variable("QDRANT_API_KEY").unwrap_or_default(),
            "collection_prefix": format!("argosy-test-{}-{round}", std::process::id()),
            "quantisation": quantisation, "batch_size": 3, "timeout": "30s",
        }));
        let options: Options = options.unwrap();
        cases::all(async |case| place::OnQdrant::new(&options, case).await).await;
    }
}
