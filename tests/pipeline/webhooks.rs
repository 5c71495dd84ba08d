//! Tests webhooks over a fleet: what a door was telling an endpoint when it died, another one tells it.

use crate::doors::{DoorProcess, call, end};
use crate::endpoint::{Does, Endpoint};
use crate::fleet::Fleet;
use crate::model;
use serde_json::json;
use std::time::Duration;

const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_door_was_telling_when_it_died_another_one_tells() {
    let endpoint = Endpoint::new([Does::Hangs, Does::Says(503, "Retry-After: 1".into())]).await;
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    let mut fleet = Fleet::new(server.url(), model::options(&node));
    let path = fleet.dir().join("webhooks.json");
    let hook = json!({"name": "hook", "tenant": "default", "groups": ["*"], "url": endpoint.url(), "secrets": [SECRET],
        "allow_private": true, "added": 0});
    std::fs::write(&path, json!({ "webhooks": [hook] }).to_string()).expect("a file");
    fleet.setup().await;
    fleet.start_all().await;
    let webhooks = format!("door.webhooks={}", path.display());
    let args = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "-o",
        "json",
        "--set",
        &webhooks,
        // The second delivery is tried again after four times this.
        "--set",
        "door.webhook_delay=1s",
    ];
    let door = async || DoorProcess::of(fleet.line(&args)).await;

    let mut first = door().await;
    let asked = json!({"question": "What is the notice period of the Osterby agreement?"});
    let (status, answered) = call(first.at, "POST /api/turns", Some(asked)).await;
    assert_eq!(status, 200, "{answered}");
    let told = endpoint.after(1).await;
    first.child.kill().await.expect("a kill");

    let second = door().await;
    let all = endpoint.after(3).await;
    let id = format!("turn-{}", answered["turn"].as_str().expect("a turn"));
    for one in &all {
        assert_eq!((&one.id, &one.body), (&id, &told[0].body));
        assert!(one.is_signed_with(SECRET));
    }
    assert_eq!(all[2].json()["data"], answered);
    end(second).await;
    fleet.drain().await;
}
