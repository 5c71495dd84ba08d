//! MCP as its three revisions have it, by requests that are made by hand.

mod asking;

use crate::http::{Answer, send};
use crate::stand::{ANSWER, QUESTION, Stand};
use door::{KeyFile, Options};
use serde_json::{Value, json};
use std::net::SocketAddr;

const NEWEST: &str = "2026-07-28";
const REVISIONS: [&str; 3] = ["2025-06-18", "2025-11-25", NEWEST];
const ACCEPT: &str = "Accept: application/json, text/event-stream";
/// What fits any passage, and the reply to the question back.
const UNCLEAR: &str = "What is it?";
const REPLY: &str = "the maximum collector-emitter voltage of the HV2N4410A";

/// A request of one revision, which may be bent before it is sent.
struct Request {
    headers: Vec<String>,
    body: Value,
}

impl Request {
    fn new(revision: &str, method: &str, params: Value) -> Request {
        let mut headers = vec![
            ACCEPT.to_owned(),
            format!("MCP-Protocol-Version: {revision}"),
        ];
        let mut body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        if revision >= NEWEST {
            headers.push(format!("Mcp-Method: {method}"));
            let name = ["name", "uri", "taskId"]
                .iter()
                .find_map(|of| params[of].as_str());
            headers.extend(name.map(|name| format!("Mcp-Name: {name}")));
            body["params"]["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": revision,
                "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
                "io.modelcontextprotocol/clientInfo": {"name": "a test", "version": "1"},
            });
        }
        Request { headers, body }
    }

    fn tool(revision: &str, name: &str, arguments: Value) -> Request {
        let params = json!({"name": name, "arguments": arguments});
        Request::new(revision, "tools/call", params)
    }

    /// With a header instead of the one of the same name, or without it.
    fn header(mut self, name: &str, value: Option<&str>) -> Request {
        let begin = format!("{name}: ");
        self.headers.retain(|header| !header.starts_with(&begin));
        self.headers.extend(value.map(|value| begin + value));
        self
    }

    fn meta(mut self, name: &str, value: Value) -> Request {
        self.body["params"]["_meta"][name] = value;
        self
    }

    async fn send(&self, at: SocketAddr) -> Answer {
        let headers: Vec<&str> = self.headers.iter().map(String::as_str).collect();
        send(at, "POST", "/mcp", &headers, &self.body.to_string()).await
    }

    async fn result(&self, at: SocketAddr) -> Value {
        let answer = self.send(at).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let mut body = answer.json();
        assert_eq!(body["id"], 7, "{body}");
        body["result"].take()
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_revision_has_the_same_tools() {
    let stand = Stand::usual().await;
    for revision in REVISIONS {
        // No request before it: nothing is kept for a client.
        let listed = Request::new(revision, "tools/list", json!({}))
            .result(stand.at)
            .await;
        let tools = listed["tools"].as_array().unwrap();
        let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["search", "fetch", "ask"], "{revision}");
        for tool in tools {
            assert_eq!(tool["annotations"]["readOnlyHint"], true);
            assert_eq!(tool["outputSchema"]["type"], "object");
        }
        let is_newest = revision == NEWEST;
        assert_eq!(listed["resultType"] == "complete", is_newest, "{revision}");
        if is_newest {
            assert!(listed["ttlMs"].as_u64().unwrap() > 0);
            assert_eq!(listed["cacheScope"], "public");
        }

        let found = Request::tool(revision, "search", json!({"query": QUESTION, "limit": 3}))
            .result(stand.at)
            .await;
        // One text of JSON, and the same as data.
        assert_eq!(found["content"].as_array().unwrap().len(), 1);
        let data = &found["structuredContent"];
        assert_eq!(serde_json::from_str::<Value>(text(&found)).unwrap(), *data);
        assert_eq!(found["resultType"] == "complete", is_newest);
        let results = data["results"].as_array().unwrap();
        assert_eq!(results.len(), 3);
        let hit = results
            .iter()
            .find(|one| one["text"].as_str().unwrap().contains(ANSWER))
            .unwrap();

        let fetched = Request::tool(revision, "fetch", json!({"id": hit["id"]}))
            .result(stand.at)
            .await;
        let data = &fetched["structuredContent"];
        assert_eq!(
            serde_json::from_str::<Value>(text(&fetched)).unwrap(),
            *data
        );
        assert_eq!((&data["id"], &data["text"]), (&hit["id"], &hit["text"]));
        assert_eq!(data["metadata"]["part_number"], "HV2N4410A");

        let read = Request::new(revision, "resources/read", json!({"uri": hit["url"]}))
            .result(stand.at)
            .await;
        let whole = read["contents"][0]["text"].as_str().unwrap();
        assert!(whole.contains(hit["text"].as_str().unwrap()), "{read}");

        let asked = Request::tool(revision, "ask", json!({"question": QUESTION}))
            .result(stand.at)
            .await;
        assert!(text(&asked).contains(ANSWER), "{asked}");
        let data = &asked["structuredContent"];
        assert_eq!(data["outcome"], "answered");
        assert!(data["confidence"].as_f64().unwrap() > 0.5, "{data}");
        let link = &asked["content"][1];
        assert_eq!(link["type"], "resource_link");
        assert_eq!(link["uri"], data["citations"][0]["url"]);
        let cited = json!({"id": data["citations"][0]["id"]});
        let fetched = Request::tool(revision, "fetch", cited)
            .result(stand.at)
            .await;
        assert!(text(&fetched).contains(ANSWER), "{fetched}");
    }
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_and_a_door_agree_on_a_revision() {
    let stand = Stand::usual().await;
    for (wanted, given) in [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
    ] {
        let params = json!({"protocolVersion": wanted, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let begin = Request::new("", "initialize", params).header("MCP-Protocol-Version", None);
        let answer = begin.send(stand.at).await;
        let result = &answer.json()["result"];
        assert_eq!(result["protocolVersion"], given, "{wanted}: {answer:?}");
        assert!(result["capabilities"]["tools"].is_object());
        assert_eq!(result["serverInfo"]["name"], "argosy");
        assert!(!answer.head.contains("mcp-"), "{answer:?}");
    }
    let mut told = Request::new("2025-11-25", "notifications/initialized", json!({}));
    told.body.as_object_mut().unwrap().remove("id");
    let told = told.send(stand.at).await;
    assert_eq!((told.status, told.body.as_str()), (202, ""));
    let pong = Request::new("2025-11-25", "ping", json!({}))
        .result(stand.at)
        .await;
    assert_eq!(pong, json!({}));

    let found = Request::new(NEWEST, "server/discover", json!({}))
        .result(stand.at)
        .await;
    assert_eq!(found["supportedVersions"], json!(REVISIONS));
    assert_eq!(found["resultType"], "complete");
    assert!(found["capabilities"]["tools"].is_object(), "{found}");
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_the_protocol_are_errors_and_faults_of_a_tool_are_results() {
    let stand = Stand::usual().await;
    let version = "io.modelcontextprotocol/protocolVersion";
    let list = |revision| Request::new(revision, "tools/list", json!({}));
    let search = || Request::tool(NEWEST, "search", json!({"query": "voltage"}));
    let newest = "MCP-Protocol-Version";
    for (why, request, status, code) in [
        (
            "a version that is not served",
            list(NEWEST)
                .header(newest, Some("2099-01-01"))
                .meta(version, json!("2099-01-01")),
            400,
            -32022,
        ),
        (
            "a version that is, but not as this",
            list(NEWEST).header(newest, Some("2025-11-25")),
            400,
            -32020,
        ),
        (
            "another method in the header",
            list(NEWEST).header("Mcp-Method", Some("ping")),
            400,
            -32020,
        ),
        (
            "no method in the header",
            list(NEWEST).header("Mcp-Method", None),
            400,
            -32020,
        ),
        (
            "another name in the header",
            search().header("Mcp-Name", Some("fetch")),
            400,
            -32020,
        ),
        (
            "no name in the header",
            search().header("Mcp-Name", None),
            400,
            -32020,
        ),
        (
            "no capabilities",
            list(NEWEST).meta("io.modelcontextprotocol/clientCapabilities", Value::Null),
            400,
            -32602,
        ),
        (
            "a method that is not there",
            Request::new(NEWEST, "nothing/here", json!({})),
            404,
            -32601,
        ),
        (
            "a method that is no more",
            Request::new(NEWEST, "ping", json!({})),
            404,
            -32601,
        ),
        (
            "a method that is not there, before",
            Request::new("2025-11-25", "nothing/here", json!({})),
            200,
            -32601,
        ),
        (
            "parameters that are none of the method, before",
            Request::new(
                "2025-06-18",
                "tools/call",
                json!({"name": "search", "arguments": [1]}),
            ),
            200,
            -32602,
        ),
        (
            "a tool that is not there",
            Request::tool(NEWEST, "find", json!({})),
            200,
            -32602,
        ),
        (
            "a tool that is not there, before",
            Request::tool("2025-06-18", "find", json!({})),
            200,
            -32602,
        ),
        (
            "a document that is not there",
            Request::new(
                NEWEST,
                "resources/read",
                json!({"uri": "argosy://document/none"}),
            ),
            200,
            -32602,
        ),
        (
            "a document that is not there, before",
            Request::new(
                "2025-11-25",
                "resources/read",
                json!({"uri": "file:///etc/passwd"}),
            ),
            200,
            -32002,
        ),
    ] {
        let answer = request.send(stand.at).await;
        let body = answer.json();
        assert_eq!(
            (answer.status, &body["error"]["code"]),
            (status, &json!(code)),
            "{why}: {body}"
        );
    }
    for (body, code) in [
        ("[]", -32600),
        ("[{}]", -32600),
        ("1", -32600),
        ("{", -32700),
    ] {
        let answer = send(stand.at, "POST", "/mcp", &[ACCEPT], body).await;
        let told = (answer.status, answer.json()["error"]["code"].clone());
        assert_eq!(told, (400, json!(code)), "{body}");
    }
    for method in ["GET", "DELETE"] {
        let answer = send(stand.at, method, "/mcp", &["Accept: text/event-stream"], "").await;
        assert_eq!(answer.status, 405, "{method}");
    }
    for (tool, arguments, code) in [
        ("search", json!({}), "bad_request"),
        ("search", json!({"query": ""}), "missing_query"),
        (
            "search",
            json!({"query": "a", "tenant": "b"}),
            "bad_request",
        ),
        ("search", json!({"query": "a", "limit": 1000}), "bad_field"),
        ("fetch", json!({"id": "none"}), "not_found"),
        ("fetch", json!({"id": "none.1~a-b"}), "not_found"),
        ("fetch", json!({"id": "a b"}), "bad_id"),
        ("ask", json!({"question": ""}), "missing_question"),
        (
            "ask",
            json!({"question": "a", "turn": "none"}),
            "no_such_turn",
        ),
        (
            "ask",
            json!({"question": "a", "reply_to": "none"}),
            "clarification_unknown",
        ),
    ] {
        for revision in REVISIONS {
            let failed = Request::tool(revision, tool, arguments.clone())
                .result(stand.at)
                .await;
            let told = &failed["_meta"]["argosy/problem"]["code"];
            assert_eq!(
                (&failed["isError"], told),
                (&json!(true), &json!(code)),
                "{tool} {arguments}: {failed}"
            );
            assert!(text(&failed).starts_with(code));
        }
    }
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_decides_what_a_tool_may_see() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("keys.json");
    let key = |name: &str, tenant: &str, scopes: &[&str]| {
        let hash = KeyFile::hash(name);
        json!({"name": name, "sha256": hash, "tenant": tenant, "scopes": scopes})
    };
    let keys = json!({"keys": [
        key("ours", "default", &["ask", "read"]),
        key("theirs", "other", &["ask", "read"]),
        key("asks", "default", &["ask"]),
    ]});
    std::fs::write(&path, keys.to_string()).unwrap();
    let options = Options {
        keys: Some(path),
        ..Options::default()
    };
    let stand = Stand::start(options).await;
    let as_of = |request: Request, key: &str| {
        request.header("Authorization", Some(&format!("Bearer {key}")))
    };
    for revision in REVISIONS {
        let search = || Request::tool(revision, "search", json!({"query": QUESTION}));
        assert_eq!(search().send(stand.at).await.status, 401);
        let found = as_of(search(), "ours").result(stand.at).await;
        let hit = &found["structuredContent"]["results"][0];
        let none = as_of(search(), "theirs").result(stand.at).await;
        assert_eq!(none["structuredContent"]["results"], json!([]));
        let fetch = Request::tool(revision, "fetch", json!({"id": hit["id"]}));
        let none = as_of(fetch, "theirs").result(stand.at).await;
        assert_eq!(none["_meta"]["argosy/problem"]["code"], "not_found");
        let read = Request::new(revision, "resources/read", json!({"uri": hit["url"]}));
        let none = as_of(read, "theirs").send(stand.at).await.json();
        assert!(none["error"]["data"]["code"] == "not_found", "{none}");
        let refused = as_of(search(), "asks").result(stand.at).await;
        assert_eq!(refused["_meta"]["argosy/problem"]["code"], "no_scope");

        let ask = Request::tool(revision, "ask", json!({"question": QUESTION}));
        let answered = as_of(ask, "ours").result(stand.at).await;
        let turn = &answered["structuredContent"]["turn"];
        let on = Request::tool(revision, "ask", json!({"question": "", "turn": turn}));
        let none = as_of(on, "theirs").result(stand.at).await;
        assert_eq!(none["_meta"]["argosy/problem"]["code"], "no_such_turn");
        if revision == NEWEST {
            let knows = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
            for (method, key, is_known) in [
                ("tasks/get", "theirs", false),
                ("tasks/cancel", "theirs", false),
                ("tasks/get", "ours", true),
            ] {
                let task = Request::new(revision, method, json!({ "taskId": turn }));
                let task = task.meta("io.modelcontextprotocol/clientCapabilities", knows.clone());
                let told = as_of(task, key).send(stand.at).await.json();
                assert_eq!(told["result"]["status"] == "completed", is_known, "{told}");
                assert_eq!(told["error"]["code"] == -32602, !is_known, "{told}");
            }
        }
    }
    // A question back of one tenant is no state that another can go on from.
    let ask = || Request::tool(NEWEST, "ask", json!({"question": UNCLEAR}));
    let back = as_of(ask(), "ours").result(stand.at).await;
    let mut forged = as_of(ask(), "theirs");
    forged.body["params"]["requestState"] = back["requestState"].clone();
    forged.body["params"]["inputResponses"] =
        json!({"reply": {"action": "accept", "content": {"reply": "Paris"}}});
    let refused = forged.result(stand.at).await;
    assert_eq!(
        refused["_meta"]["argosy/problem"]["code"],
        "clarification_unknown"
    );
    stand.end().await;
}
