//! One suite for every vector store: the same records give the same neighbours.
//!
//! The Qdrant server is a fake one that speaks the real protocol, in two versions. A real one is tested when
//! `QDRANT_URL` names its gRPC port: `QDRANT_URL=http://127.0.0.1:6334 cargo test -p argosy-qdrant --test vectors
//! -- --ignored`, with `QDRANT_API_KEY` where the server needs one. Collections that begin with `argosy-test-` are
//! made there and removed.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod cases;
mod place;
mod qdrant;
mod records;

use argosy_qdrant::Options;
use settings::sources::variable;
use std::ffi::OsString;
use testkit::qdrant::FakeQdrant;

/// Each case on an empty place of its own.
#[tokio::test]
async fn a_qdrant_server_behind_its_protocol() {
    on_a_fake_of("1.20.0").await;
}

/// It refuses the condition that `contains` needs.
#[tokio::test]
async fn a_qdrant_server_without_substrings() {
    on_a_fake_of("1.18.2").await;
}

async fn on_a_fake_of(version: &str) {
    let server = FakeQdrant::start().await.unwrap();
    server.set_version(version);
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
#[ignore = "needs a Qdrant server of 1.16 or later: set QDRANT_URL, such as http://127.0.0.1:6334"]
async fn a_real_qdrant_server() {
    let Some(url) = variable("QDRANT_URL") else {
        panic!("not run: set QDRANT_URL, such as http://127.0.0.1:6334");
    };
    for options in options_of_rounds(url, variable("QDRANT_API_KEY")) {
        cases::all(async |case| place::OnQdrant::new(&options, case).await).await;
    }
}

/// The options of a real server, from the environment as it is: with and without quantisation.
fn options_of_rounds(url: OsString, api_key: Option<OsString>) -> [Options; 2] {
    let text = |value: OsString| value.into_string().expect("a variable is UTF-8");
    let (url, api_key) = (text(url), api_key.map(text).unwrap_or_default());
    ["none", "int8"].map(|quantisation| {
        let options = serde_json::json!({
            "url": url, "api_key": api_key,
            "collection_prefix": format!("argosy-test-{}-{quantisation}", std::process::id()),
            "quantisation": quantisation, "batch_size": 3, "timeout": "30s",
        });
        serde_json::from_value(options).unwrap()
    })
}

/// What the ignored test is given is read, and a server is spoken to with it.
#[tokio::test]
async fn the_options_of_a_real_server_are_taken() {
    let server = FakeQdrant::start_with_key("open sesame").await.unwrap();
    let rounds = options_of_rounds(server.url().into(), Some("open sesame".into()));
    let prefixes = rounds.each_ref().map(|o| o.collection_prefix.clone());
    assert_ne!(prefixes[0], prefixes[1]);
    for options in rounds {
        options.validate().unwrap();
        let place = place::OnQdrant::new(&options, "options").await;
        place::Place::close(place).await;
    }
    let without_key = options_of_rounds(server.url().into(), None);
    assert_eq!(without_key[0].api_key.expose(), "");
}
