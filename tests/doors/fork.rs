//! Conversations that go on elsewhere: a fork takes over turns, and each goes on by itself.

use crate::http::{Answer, send};
use crate::keys::Keys;
use crate::stand::{QUESTION, Stand, open};
use door::KeyFile;
use serde_json::{Value, json};

async fn say(stand: &Stand, conversation: &str, question: &str) -> String {
    let asked = json!({"question": question, "conversation": conversation});
    let answered = stand.post("/api/turns", &[], &asked).await;
    assert_eq!(answered.status, 200, "{answered:?}");
    answered.json()["turn"].as_str().unwrap().to_owned()
}

/// The questions of a conversation.
async fn questions(stand: &Stand, conversation: &str) -> Vec<String> {
    let read = stand
        .get(&format!("/api/conversations/{conversation}"))
        .await;
    assert_eq!(read.status, 200, "{read:?}");
    let read = read.json();
    let turns = read["turns"].as_array().unwrap().iter();
    turns
        .map(|turn| turn["question"].as_str().unwrap().to_owned())
        .collect()
}

async fn fork(stand: &Stand, conversation: &str, body: &Value) -> Answer {
    let path = format!("/api/conversations/{conversation}/fork");
    match body {
        Value::Null => send(stand.at, "POST", &path, &[], "").await,
        body => stand.post(&path, &[], body).await,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_has_the_turns_before_and_goes_on_by_itself() {
    let stand = Stand::usual().await;
    let [second, third] = ["How many contracts are there?", "List all invoices."];
    let mut turns = Vec::new();
    for question in [QUESTION, second, third] {
        turns.push(say(&stand, "c1", question).await);
    }
    for (body, kept) in [
        (json!({"after": turns[1]}), &[QUESTION, second][..]),
        (Value::Null, &[QUESTION, second, third]),
        (json!({}), &[QUESTION, second, third]),
    ] {
        let begun = fork(&stand, "c1", &body).await;
        assert_eq!(begun.status, 201, "{body}: {begun:?}");
        let told = begun.json();
        let child = told["conversation"].as_str().unwrap();
        assert_eq!(
            (&told["copy_of"], &told["turns"]),
            (&json!("c1"), &json!(kept.len()))
        );
        let at = format!("/api/conversations/{}", child.to_lowercase());
        assert_eq!(begun.header("location"), Some(at.as_str()));
        assert_eq!(questions(&stand, child).await, kept);
        say(&stand, child, "And elsewhere?").await;
        assert_eq!(questions(&stand, child).await.len(), kept.len() + 1);
    }
    assert_eq!(questions(&stand, "c1").await, [QUESTION, second, third]);
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_forked_is_refused() {
    let stand = Stand::usual().await;
    let turn = say(&stand, "c1", QUESTION).await;
    let other = say(&stand, "c2", QUESTION).await;
    for (conversation, body, status, code) in [
        ("c3", json!({}), 404, "no_such_conversation"),
        ("a.b", json!({}), 404, "no_such_conversation"),
        ("c1", json!({"after": other}), 404, "no_such_turn"),
        ("c1", json!({"after": "none"}), 404, "no_such_turn"),
        ("c1", json!({"after": "a b"}), 400, "bad_request"),
        ("c1", json!({"after": 1}), 400, "bad_request"),
        ("c1", json!({"before": turn}), 400, "bad_request"),
        ("c1", json!([]), 400, "bad_request"),
    ] {
        let refused = fork(&stand, conversation, &body).await;
        let told = (refused.status, refused.json()["code"].clone());
        assert_eq!(told, (status, json!(code)), "{conversation} {body}");
    }
    let erased = send(stand.at, "DELETE", "/api/conversations/c1", &[], "").await;
    assert_eq!(erased.status, 204);
    assert_eq!(fork(&stand, "c1", &Value::Null).await.status, 404);

    // Another tenant has no such conversation, and who may not ask may not fork; a fork counts as a question.
    let of = |name: &str, tenant: &str, scope: &str| {
        json!({"name": name, "sha256": KeyFile::hash(name), "tenant": tenant, "scopes": [scope],
            "groups": ["*"], "per_minute": 1})
    };
    let keys = Keys::of(vec![
        of("acme", "acme", "ask"),
        of("reader", "default", "read"),
        of("asker", "default", "ask"),
    ]);
    let (at, stop, served) = open(stand.bus.clone(), keys.options()).await;
    for (key, status) in [
        ("acme", 404),
        ("reader", 403),
        ("asker", 201),
        ("asker", 429),
    ] {
        let with = Keys::header(key);
        let refused = send(at, "POST", "/api/conversations/c2/fork", &[&with], "").await;
        assert_eq!(refused.status, status, "{key}");
    }
    stop.cancel();
    served.await.unwrap();
    stand.end().await;
}
