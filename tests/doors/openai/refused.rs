//! What is refused, in the shape of this API; and streams that break off.

use super::{CHAT, RESPONSES, content, question, with};
use crate::http::{Answer, begin, send};
use crate::stand::{ANSWER, QUESTION, Stand, open, open_counted};
use bus::memory::MemoryBus;
use bus::topology::Topology;
use door::{KeyFile, Options};
use serde_json::{Value, json};
use telemetry::Registry;
use tokio::io::AsyncReadExt;

/// Method, path, what the request has beside a model and a question, status, code, and the field it is about.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    u16,
    &'static str,
    Option<&'static str>,
);

const CASES: &[Case] = &[
    ("POST", CHAT, r#"{"n": 2}"#, 400, "bad_request", Some("n")),
    (
        "POST",
        CHAT,
        r#"{"stop": 7}"#,
        400,
        "bad_request",
        Some("stop"),
    ),
    (
        "POST",
        CHAT,
        r#"{"model": null}"#,
        400,
        "bad_request",
        Some("model"),
    ),
    (
        "POST",
        CHAT,
        r#"{"model": "gpt-9"}"#,
        404,
        "model_not_found",
        Some("model"),
    ),
    (
        "POST",
        CHAT,
        r#"{"model": "argosy/none"}"#,
        404,
        "model_not_found",
        Some("model"),
    ),
    (
        "POST",
        CHAT,
        r#"{"model": "argosy-tasks"}"#,
        400,
        "bad_request",
        Some("model"),
    ),
    (
        "POST",
        CHAT,
        r#"{"messages": []}"#,
        400,
        "bad_request",
        Some("messages"),
    ),
    (
        "POST",
        CHAT,
        r#"{"messages": "x", "question": "a"}"#,
        200,
        "",
        None,
    ),
    (
        "POST",
        CHAT,
        r#"{"messages": [{"role": "user", "content": " "}]}"#,
        400,
        "missing_question",
        None,
    ),
    (
        "POST",
        CHAT,
        r#"{"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}"#,
        400,
        "bad_request",
        Some("messages"),
    ),
    (
        "POST",
        CHAT,
        r#"{"response_format": {"type": "json_object"}}"#,
        400,
        "bad_request",
        Some("response_format"),
    ),
    (
        "POST",
        CHAT,
        r#"{"response_format": {"type": "text"}, "tool_choice": "auto"}"#,
        200,
        "",
        None,
    ),
    (
        "POST",
        CHAT,
        r#"{"tool_choice": "required"}"#,
        400,
        "bad_request",
        Some("tool_choice"),
    ),
    (
        "POST",
        CHAT,
        r#"{"conversation": 7}"#,
        400,
        "bad_request",
        Some("conversation"),
    ),
    (
        "POST",
        CHAT,
        r#"{"conversation": "a b"}"#,
        400,
        "bad_id",
        None,
    ),
    (
        "POST",
        RESPONSES,
        r#"{"previous_response_id": "resp_1"}"#,
        400,
        "bad_request",
        Some("previous_response_id"),
    ),
    (
        "POST",
        RESPONSES,
        r#"{"background": true}"#,
        400,
        "bad_request",
        Some("background"),
    ),
    (
        "POST",
        RESPONSES,
        r#"{"text": {"format": {"type": "json_schema"}}}"#,
        400,
        "bad_request",
        Some("text.format"),
    ),
    (
        "POST",
        RESPONSES,
        r#"{"input": null}"#,
        400,
        "bad_request",
        Some("input"),
    ),
    ("GET", RESPONSES, "", 405, "no_such_method", None),
    (
        "GET",
        "/v1/models/none",
        "",
        404,
        "model_not_found",
        Some("model"),
    ),
    ("GET", "/v1/embeddings", "", 404, "no_such_path", None),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_refused_says_why_in_this_shape() {
    let stand = Stand::usual().await;
    for (method, path, more, status, code, param) in CASES {
        let body = match (more.is_empty(), *path == RESPONSES) {
            (true, _) => String::new(),
            (false, false) => question(&serde_json::from_str(more).unwrap()).to_string(),
            (false, true) => {
                let request = json!({"model": "argosy", "input": QUESTION});
                with(request, &serde_json::from_str(more).unwrap()).to_string()
            }
        };
        let refused = send(stand.at, method, path, &[], &body).await;
        assert_eq!(refused.status, *status, "{more} {refused:?}");
        if *status == 200 {
            continue;
        }
        is_in_shape(&refused, code, *param);
        assert_eq!(refused.header("x-should-retry"), Some("false"));
    }
    let broken = send(stand.at, "POST", CHAT, &[], "{").await;
    is_in_shape(&broken, "bad_request", None);
    let evil = send(stand.at, "GET", "/v1/models", &["Host: evil.example"], "").await;
    is_in_shape(&evil, "not_local", None);
    // The other door says it as it did.
    let api = stand.get("/api/none").await;
    assert_eq!(api.header("content-type"), Some("application/problem+json"));
    stand.end().await;
}

fn is_in_shape(refused: &Answer, code: &str, param: Option<&str>) {
    assert_eq!(refused.header("content-type"), Some("application/json"));
    let body = refused.json();
    let error = &body["error"];
    assert_eq!(
        (error["code"].as_str(), error["param"].as_str()),
        (Some(code), param),
        "{body}"
    );
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|message| !message.is_empty())
    );
    assert!(
        error["type"]
            .as_str()
            .is_some_and(|kind| kind.ends_with("_error"))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_is_wanted_in_this_shape() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("keys.json");
    let key = |name: &str, scopes: &[&str]| {
        let sha256 = KeyFile::hash(name);
        json!({"name": name, "sha256": sha256, "tenant": "default", "scopes": scopes})
    };
    let mut slow = key("slow", &["ask"]);
    slow["per_minute"] = 1.into();
    let keys = json!({"keys": [key("asks", &["ask"]), key("reads", &["read"]), slow]});
    std::fs::write(&path, keys.to_string()).unwrap();
    let options = Options {
        keys: Some(path),
        ..Options::default()
    };
    let stand = Stand::start(options).await;
    let as_of = async |key: &str, path: &str| {
        send(
            stand.at,
            "GET",
            path,
            &[&format!("Authorization: Bearer {key}")],
            "",
        )
        .await
    };
    for (key, status, code, kind) in [
        ("nobody", 401, "no_login", "authentication_error"),
        ("reads", 403, "no_scope", "permission_error"),
    ] {
        let refused = as_of(key, "/v1/models").await;
        assert_eq!(
            (refused.status, refused.json()["error"]["type"].as_str()),
            (status, Some(kind))
        );
        is_in_shape(&refused, code, None);
    }
    // Who may only ask is not told of the parts of the corpus.
    let listed = as_of("asks", "/v1/models").await;
    assert_eq!(listed.status, 200, "{listed:?}");
    assert!(!listed.body.contains("argosy/"), "{listed:?}");
    let answered = stand
        .post(CHAT, &["Authorization: Bearer asks"], &question(&json!({})))
        .await;
    assert!(content(&answered).contains(ANSWER));
    // The official clients wait as long as they are told, and ask again.
    let slow = ["Authorization: Bearer slow"];
    let first = stand.post(CHAT, &slow, &question(&json!({}))).await;
    assert_eq!(first.status, 200, "{first:?}");
    let second = stand.post(CHAT, &slow, &question(&json!({}))).await;
    assert_eq!(second.status, 429);
    is_in_shape(&second, "rate_limited", None);
    let seconds: u32 = second.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    assert_eq!(second.header("x-should-retry"), Some("true"));
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_door_without_a_place_turns_clients_away_and_counts_no_error_of_its_own() {
    let bus = MemoryBus::new(&Topology::default());
    let options = Options {
        streams: 1,
        ..Options::default()
    };
    let registry = Registry::new();
    let (at, stop, served) = open_counted(bus, options, &registry).await;
    let body = question(&json!({"stream": true})).to_string();
    let mut stream = begin(at, "POST", CHAT, &[], &body).await;
    stream.read_exact(&mut [0; 12]).await.unwrap();
    let refused = send(at, "POST", CHAT, &[], &body).await;
    assert_eq!(refused.status, 503, "{refused:?}");
    is_in_shape(&refused, "busy", None);
    let counted = registry.encode();
    let line = "argosy_door_requests_total{door=\"openai\",status=\"turned_away\"} 1\n";
    assert!(counted.contains(line), "{counted}");
    stop.cancel();
    served.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stream_waits_with_comments_and_never_ends_in_silence() {
    // Nobody answers on this bus.
    let bus = MemoryBus::new(&Topology::default());
    let (at, stop, served) = open(bus, Options::default()).await;
    let body = question(&json!({"stream": true})).to_string();
    let mut stream = begin(at, "POST", CHAT, &[], &body).await;
    let asked = tokio::time::Instant::now();
    let mut text = String::new();
    while text.matches("\n:").count() < 3 {
        let mut piece = [0; 1_024];
        let read = stream.read(&mut piece).await.unwrap();
        assert_ne!(read, 0, "{text}");
        text += std::str::from_utf8(&piece[..read]).unwrap();
    }
    let waited = asked.elapsed().as_secs();
    assert!((20..=40).contains(&waited), "{waited} s for three comments");
    stop.cancel();
    stream.read_to_string(&mut text).await.unwrap();
    let error = text.rsplit_once("data: ").unwrap().1;
    let error: Value = serde_json::from_str(error.split_once('\n').unwrap().0).unwrap();
    assert_eq!(error["error"]["code"], "busy", "{text}");
    served.await.unwrap();
}
