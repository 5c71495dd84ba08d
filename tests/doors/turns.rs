//! Asking over HTTP: waiting, following, taking a stream up again at another door, and what is refused.

use crate::http::{Answer, send};
use crate::stand::{ANSWER, QUESTION, Stand, open};
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bus::{Bus, Publish, Stream};
use door::{KeyFile, Options};
use envelope::{Header, Role, TurnId, subject};
use serde_json::{Value, json};
use std::sync::Arc;

const STREAM: &str = "Accept: text/event-stream";

/// A request that is refused: method, path, headers, body; the status and the code that it gets.
type Refused<'a> = (&'a str, &'a str, &'a [&'a str], &'a str, u16, &'a str);

/// The events of a stream: name, id, data.
fn events(answer: &Answer) -> Vec<(String, Option<String>, Value)> {
    let of = |event: &str, name: &str| {
        let begin = format!("{name}: ");
        let mut lines = event.lines().filter_map(|line| line.strip_prefix(&begin));
        lines.next().map(str::to_owned)
    };
    let all = answer
        .body
        .split("\n\n")
        .filter(|event| event.contains("data: "));
    all.map(|event| {
        let data = serde_json::from_str(&of(event, "data").unwrap()).unwrap();
        (of(event, "event").unwrap(), of(event, "id"), data)
    })
    .collect()
}

fn ids(answer: &Answer) -> Vec<String> {
    events(answer)
        .into_iter()
        .filter_map(|(_, id, _)| id)
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_is_answered_and_its_events_can_be_had_again() {
    let stand = Stand::usual().await;
    let asked = json!({ "question": QUESTION });
    let answered = stand.post("/api/turns", &[], &asked).await;
    assert_eq!(answered.status, 200, "{answered:?}");
    assert!(answered.json()["answer"].as_str().unwrap().contains(ANSWER));

    let followed = stand.post("/api/turns", &[STREAM], &asked).await;
    let told = events(&followed);
    assert_eq!(told[0].0, "turn");
    let (last, id, ended) = told.last().unwrap();
    assert_eq!((last.as_str(), id.as_deref()), ("answer", Some("end")));
    assert!(ended["answer"].as_str().unwrap().contains(ANSWER));
    // What is numbered is the path of the turn, whole and in order.
    let path: Vec<String> = ended["trail"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry.get("index").is_none())
        .map(|entry| (entry["hop"].as_u64().unwrap() + 1).to_string())
        .chain(["end".to_owned()])
        .collect();
    assert_eq!(ids(&followed), path);

    let turn = ended["turn"].as_str().unwrap();
    assert!(
        followed
            .header("location")
            .unwrap()
            .ends_with(&turn.to_lowercase())
    );
    // Another door of the same fleet goes on behind any of them.
    let (other, stop, served) = open(stand.bus.clone(), Options::default()).await;
    for (n, seen) in path.iter().enumerate() {
        let last = format!("Last-Event-ID: {seen}");
        let again = send(
            other,
            "GET",
            &format!("/api/turns/{turn}/events"),
            &[&last],
            "",
        )
        .await;
        match seen.as_str() {
            "end" => assert_eq!(again.status, 204),
            _ => assert_eq!(ids(&again), path[n + 1..], "behind {seen}"),
        }
    }
    let read = send(other, "GET", &format!("/api/turns/{turn}"), &[], "").await;
    assert_eq!(read.json(), *ended);
    let cited = send(
        other,
        "GET",
        &format!("/api/turns/{turn}/citations/1"),
        &[],
        "",
    )
    .await;
    let cited = cited.json();
    let text = cited["passage"]["text"].as_str().unwrap();
    assert!(text.contains(ANSWER), "{cited}");
    stop.cancel();
    served.await.unwrap();
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_try_is_the_same_turn() {
    let stand = Stand::usual().await;
    let key = ["Idempotency-Key: order-7", "Prefer: respond-async"];
    let asked = json!({ "question": QUESTION });
    let first = stand.post("/api/turns", &key, &asked).await;
    assert_eq!(first.status, 202, "{first:?}");
    let second = stand.post("/api/turns", &key[..1], &asked).await;
    assert_eq!(second.json()["turn"], first.json()["turn"]);
    let other = json!({"question": "Who supplies the castings?"});
    let refused = stand.post("/api/turns", &key[..1], &other).await;
    assert_eq!(
        (refused.status, refused.json()["code"].as_str()),
        (409, Some("id_in_use"))
    );
    // It has not ended the turn of the first question for those who follow it.
    let at = first.json()["at"].as_str().unwrap().to_owned();
    assert!(
        stand.get(&at).await.json()["answer"]
            .as_str()
            .unwrap()
            .contains(ANSWER)
    );
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_refused_says_why() {
    let stand = Stand::usual().await;
    let question = json!({ "question": QUESTION });
    let cases: &[Refused] = &[
        ("POST", "/api/turns", &[], "{}", 400, "missing_question"),
        ("POST", "/api/turns", &[], "[]", 400, "bad_request"),
        ("POST", "/api/turns", &[], "{", 400, "bad_request"),
        (
            "POST",
            "/api/turns",
            &[],
            r#"{"question":"a","colour":1}"#,
            400,
            "unknown_field",
        ),
        (
            "POST",
            "/api/turns",
            &[],
            r#"{"question":"a","tenant":"b"}"#,
            400,
            "bad_request",
        ),
        (
            "POST",
            "/api/turns",
            &["Content-Encoding: gzip"],
            &question.to_string(),
            415,
            "encoded",
        ),
        (
            "POST",
            "/api/turns",
            &["Idempotency-Key: a b"],
            &question.to_string(),
            400,
            "bad_request",
        ),
        ("GET", "/api/turns/none", &[], "", 404, "no_such_turn"),
        ("GET", "/api/turns/a.b", &[], "", 404, "no_such_turn"),
        (
            "GET",
            "/api/turns/none/events",
            &[],
            "",
            404,
            "no_such_turn",
        ),
        (
            "GET",
            "/api/turns/none/citations/1",
            &[],
            "",
            404,
            "no_such_turn",
        ),
        (
            "GET",
            "/api/turns/none/events",
            &["Last-Event-ID: x"],
            "",
            400,
            "bad_request",
        ),
        ("DELETE", "/api/turns/none", &[], "", 404, "no_such_turn"),
        ("POST", "/api/search", &[], "{}", 400, "missing_query"),
        (
            "POST",
            "/api/search",
            &[],
            r#"{"query":"a","tenant":"b"}"#,
            400,
            "bad_request",
        ),
        (
            "GET",
            "/api/document?source=none.md",
            &[],
            "",
            404,
            "not_found",
        ),
        (
            "GET",
            "/api/conversations/none",
            &[],
            "",
            404,
            "no_such_conversation",
        ),
        ("GET", "/api/none", &[], "", 404, "no_such_path"),
        ("PUT", "/api/turns", &[], "", 405, "no_such_method"),
        (
            "GET",
            "/api/turns/none",
            &["Host: evil.example"],
            "",
            403,
            "not_local",
        ),
        (
            "GET",
            "/api/turns/none",
            &["Origin: https://evil.example"],
            "",
            403,
            "foreign_origin",
        ),
    ];
    for (method, path, headers, body, status, code) in cases {
        let refused = send(stand.at, method, path, headers, body).await;
        let told = (
            refused.status,
            refused.json()["code"].as_str().unwrap().to_owned(),
        );
        assert_eq!(
            told,
            (*status, (*code).to_owned()),
            "{method} {path} {headers:?} {body}"
        );
        assert_eq!(
            refused.header("content-type"),
            Some("application/problem+json")
        );
    }
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_says_who_asks_and_what_they_see() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("keys.json");
    let key = |name: &str, tenant: &str, scopes: &[&str]| json!({"name": name, "sha256": KeyFile::hash(name), "tenant": tenant, "scopes": scopes});
    let mut limited = key("limited", "default", &["ask"]);
    limited["per_minute"] = 1.into();
    let keys = json!({"keys": [limited,
        key("ours", "default", &["ask", "read"]), key("theirs", "other", &["ask", "read"]), key("asks", "default", &["ask"]),
    ]});
    std::fs::write(&path, keys.to_string()).unwrap();
    let options = Options {
        keys: Some(path),
        ..Options::default()
    };
    let stand = Stand::start(options).await;
    let asked = json!({ "question": QUESTION });
    let ours = "Authorization: Bearer ours";
    let answered = stand.post("/api/turns", &[ours], &asked).await.json();
    let turn = answered["turn"].as_str().unwrap();
    let paths = ["", "/events", "/citations/1"].map(|part| format!("/api/turns/{turn}{part}"));
    for path in &paths {
        let as_of = async |key: &str| send(stand.at, "GET", path, &[key], "").await.status;
        assert_eq!(as_of(ours).await, 200, "{path}");
        assert_eq!(as_of("Authorization: Bearer theirs").await, 404, "{path}");
        assert_eq!(as_of("Authorization: Bearer nobody").await, 401, "{path}");
        assert_eq!(as_of("Authorization: Basic ours").await, 401, "{path}");
        assert_eq!(as_of("X: y").await, 401, "{path}");
    }
    let deleted = send(
        stand.at,
        "DELETE",
        &paths[0],
        &["Authorization: Bearer theirs"],
        "",
    )
    .await;
    assert_eq!(deleted.status, 404);
    // The other tenant has no documents.
    let nothing = stand
        .post("/api/turns", &["Authorization: Bearer theirs"], &asked)
        .await
        .json();
    assert!(!nothing.to_string().contains(ANSWER), "{nothing}");
    // The first question is spent.
    let limited = "Authorization: Bearer limited";
    assert_eq!(
        stand.post("/api/turns", &[limited], &asked).await.status,
        200
    );
    let late = stand.post("/api/turns", &[limited], &asked).await;
    assert_eq!(
        (late.status, late.json()["code"].as_str()),
        (429, Some("rate_limited"))
    );
    let wait: u64 = late.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=61).contains(&wait), "{wait}");
    let search = json!({"query": "collector"});
    let refused = stand
        .post("/api/search", &["Authorization: Bearer asks"], &search)
        .await;
    assert_eq!(
        (refused.status, refused.json()["code"].as_str()),
        (403, Some("no_scope"))
    );
    assert_eq!(stand.get("/api/health").await.status, 200);
    stand.end().await;
}

/// A turn that runs, with nobody who works on it, and what a door that is told to stop says to who waits for it.
#[tokio::test]
async fn a_turn_that_runs_is_seen_by_its_tenant_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("keys.json");
    let key = |name: &str, tenant: &str| json!({"name": name, "sha256": KeyFile::hash(name), "tenant": tenant, "scopes": ["ask", "read"]});
    std::fs::write(
        &path,
        json!({"keys": [key("ours", "default"), key("theirs", "other")]}).to_string(),
    )
    .unwrap();
    let options = Options {
        keys: Some(path),
        hosts: vec!["chat.example".into()],
        ..Options::default()
    };
    let bus: Arc<dyn Bus> = MemoryBus::new(&Topology::default());
    let (at, stop, served) = open(bus.clone(), options).await;
    let turn = TurnId::new("q-1").unwrap();
    let header = Header::of(turn.clone(), Role::Planner, 0, bus.now());
    let timer = serde_json::to_vec(&header).unwrap();
    bus.publish(Publish::new(subject::timer(&turn), timer.into()))
        .await
        .unwrap();
    let (ours, theirs) = ("Authorization: Bearer ours", "Authorization: Bearer theirs");
    for (method, part, status) in [
        ("GET", "", 202),
        ("GET", "/citations/1", 409),
        ("DELETE", "", 202),
    ] {
        let path = format!("/api/turns/q-1{part}");
        assert_eq!(
            send(at, method, &path, &[theirs], "").await.status,
            404,
            "{path}"
        );
        assert_eq!(
            send(at, method, &path, &[ours], "").await.status,
            status,
            "{path}"
        );
    }
    // Names that were given, with any port, and no others.
    for (host, status) in [
        ("chat.example", 200),
        ("CHAT.example:8443", 200),
        ("10.1.2.3:80", 200),
        ("evil.example", 403),
    ] {
        let host = format!("Host: {host}");
        assert_eq!(
            send(at, "GET", "/api/health", &[&host], "").await.status,
            status,
            "{host}"
        );
    }
    let question = json!({"question": "Who?"}).to_string();
    let asked =
        tokio::spawn(async move { send(at, "POST", "/api/turns", &[ours], &question).await });
    while bus
        .last(Stream::Inbox, subject::QUERY)
        .await
        .unwrap()
        .is_none()
    {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    stop.cancel();
    let told = asked.await.unwrap();
    assert_eq!(
        (told.status, told.json()["at"].is_string()),
        (202, true),
        "{told:?}"
    );
    served.await.unwrap();
}
