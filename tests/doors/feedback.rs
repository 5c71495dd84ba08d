//! Feedback on answers: one of each login, read by operators alone, and erased with the conversation.

use crate::http::{Answer, send};
use crate::keys::Keys;
use crate::stand::{QUESTION, Stand, open};
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bus::{Bus, Publish, Stream};
use door::Options;
use envelope::{Header, Role, TurnId, subject};
use serde_json::{Value, json};
use std::net::SocketAddr;

/// The turn of a question in a conversation.
async fn asked(stand: &Stand) -> String {
    let asked = json!({"question": QUESTION, "conversation": "c1"});
    let answered = stand.post("/api/turns", &[], &asked).await.json();
    answered["turn"].as_str().unwrap().to_owned()
}

async fn give(at: SocketAddr, key: &str, turn: &str, said: &Value) -> Answer {
    let path = format!("/api/turns/{turn}/feedback");
    send(at, "POST", &path, &[&Keys::header(key)], &said.to_string()).await
}

/// The feedback that a login sees: who gave it, whether it is good, and why.
async fn seen(at: SocketAddr, key: &str) -> Vec<(String, bool, Value)> {
    let listed = send(at, "GET", "/api/feedback", &[&Keys::header(key)], "").await;
    assert_eq!(listed.status, 200, "{listed:?}");
    let listed = listed.json();
    assert_eq!(listed["next"], Value::Null);
    let all = listed["feedback"].as_array().unwrap().iter();
    all.map(|one| {
        let login = one["login"].as_str().unwrap().to_owned();
        (
            login,
            one["good"].as_bool().unwrap(),
            one["comment"].clone(),
        )
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_word_of_each_login_is_kept_until_the_conversation_is_erased() {
    let stand = Stand::usual().await;
    let turn = asked(&stand).await;
    let keys = Keys::new(&[
        ("ann", "default", "ask,write"),
        ("bob", "default", "ask"),
        ("op", "default", "operate"),
        ("acme", "acme", "ask,operate"),
    ]);
    let (at, stop, served) = open(stand.bus.clone(), keys.options()).await;
    for (key, said) in [
        ("ann", json!({"good": true})),
        (
            "bob",
            json!({"good": false, "comment": "  Not the A type.  ", "sentence": 1}),
        ),
        ("ann", json!({"good": false, "comment": "\u{7}"})),
        ("ann", json!({"good": true, "comment": "   "})),
    ] {
        let told = give(at, key, &turn, &said).await;
        assert_eq!((told.status, told.body.as_str()), (204, ""), "{key} {said}");
    }
    let ann = ("ann".to_owned(), true, Value::Null);
    let bob = ("bob".to_owned(), false, json!("Not the A type."));
    assert_eq!(seen(at, "op").await, [ann, bob]);
    assert_eq!(seen(at, "acme").await, []);
    for (key, turn, status, code) in [
        ("acme", turn.as_str(), 404, "no_such_turn"),
        ("op", &turn, 403, "no_scope"),
        ("ann", "none", 404, "no_such_turn"),
        ("nobody", &turn, 401, "no_login"),
    ] {
        let refused = give(at, key, turn, &json!({"good": true})).await;
        let told = (refused.status, refused.json()["code"].clone());
        assert_eq!(told, (status, json!(code)), "{key} {turn}");
    }
    let listed = send(at, "GET", "/api/feedback", &[&Keys::header("ann")], "").await;
    assert_eq!(listed.status, 403);

    let erased = send(
        at,
        "DELETE",
        "/api/conversations/c1",
        &[&Keys::header("ann")],
        "",
    )
    .await;
    assert_eq!(erased.status, 204);
    assert_eq!(seen(at, "op").await, []);
    let refused = give(at, "ann", &turn, &json!({"good": true})).await;
    assert_eq!(refused.json()["code"], "conversation_erased");
    assert_eq!((refused.status, seen(at, "op").await), (410, vec![]));
    stop.cancel();
    served.await.unwrap();
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_feedback_is_refused() {
    let stand = Stand::usual().await;
    let turn = asked(&stand).await;
    let path = format!("/api/turns/{turn}/feedback");
    for said in [
        json!({}),
        json!({"good": "yes"}),
        json!({"good": true, "stars": 5}),
        json!({"good": true, "sentence": 0}),
        json!({"good": true, "sentence": 99}),
        json!({"good": true, "sentence": -1}),
        json!({"good": true, "comment": "x".repeat(4_097)}),
        json!([]),
    ] {
        let refused = stand.post(&path, &[], &said).await;
        let told = (refused.status, refused.json()["code"].clone());
        assert_eq!(told, (400, json!("bad_request")), "{said}");
    }
    for query in ["limit=0", "limit=501", "before=x", "after=1"] {
        let refused = stand.get(&format!("/api/feedback?{query}")).await;
        assert_eq!(refused.status, 400, "{query}");
    }
    let kept = stand.bus.state(Stream::Feedback).await.unwrap();
    assert_eq!(kept.messages, 0);
    let longest = json!({"good": true, "comment": "x".repeat(4_096)});
    assert_eq!(stand.post(&path, &[], &longest).await.status, 204);
    stand.end().await;
}

/// Who belongs to fewer groups of readers does not see what others say of what only they may read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn feedback_is_for_operators_with_the_groups_of_whoever_gave_it() {
    let stand = Stand::usual().await;
    let turn = asked(&stand).await;
    let key = |name: &str, groups: &[&str]| {
        json!({"name": name, "sha256": door::KeyFile::hash(name), "tenant": "default",
               "scopes": ["ask", "operate"], "groups": groups})
    };
    let keys = Keys::of(vec![
        key("none", &[]),
        key("hr", &["hr"]),
        key("both", &["hr", "law"]),
        key("all", &["*"]),
    ]);
    let (at, stop, served) = open(stand.bus.clone(), keys.options()).await;
    // The question was asked by somebody who may read everything; whether these may see it is not the matter here.
    let names = ["none", "hr", "both", "all"];
    for name in names {
        let given = json!({"v": 1, "turn": turn, "tenant": "default", "login": name, "good": true, "at": 1,
                           "groups": match name { "none" => vec![], "hr" => vec!["hr"], "both" => vec!["hr", "law"], _ => vec!["*"] }});
        let at = format!("argosy.feedback.default.{turn}.{name}");
        stand
            .bus
            .publish(Publish::new(at, given.to_string().into()))
            .await
            .unwrap();
    }
    for (n, name) in names.into_iter().enumerate() {
        let told: Vec<String> = seen(at, name).await.into_iter().map(|one| one.0).collect();
        let wanted: Vec<&str> = names[..=n].iter().rev().copied().collect();
        assert_eq!(told, wanted, "{name}");
    }
    stop.cancel();
    served.await.unwrap();
    stand.end().await;
}

#[tokio::test]
async fn a_turn_that_runs_has_no_answer_to_speak_of() {
    let bus = MemoryBus::new(&Topology::default());
    let (at, stop, served) = open(bus.clone(), Options::default()).await;
    let header = Header::of(TurnId::new("q-1").unwrap(), Role::Planner, 0, bus.now());
    let timer = Publish::new(
        subject::timer(&header.turn),
        serde_json::to_vec(&header).unwrap().into(),
    );
    bus.publish(timer).await.unwrap();
    let refused = give(at, "", "q-1", &json!({"good": true})).await;
    assert_eq!(
        (refused.status, refused.json()["code"].as_str()),
        (409, Some("not_ended"))
    );
    stop.cancel();
    served.await.unwrap();
}
