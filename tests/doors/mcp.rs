//! MCP as its three revisions have it: requests by hand over HTTP, and the client of `rmcp` over a pair of streams.

use crate::http::{Answer, begin, send};
use crate::stand::{ANSWER, QUESTION, Stand, door};
use door::{KeyFile, Options};
use envelope::TenantId;
use futures_util::future::BoxFuture;
use llm::{ChatModel, ChatReply, ChatRequest};
use offline_reader::OfflineReader;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, ErrorData, Implementation, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use settings::TimeSpan;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;

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
            let name = params["name"].as_str().or(params["uri"].as_str());
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
        assert_eq!(answer.header("mcp-session-id"), None);
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
async fn a_question_back_is_answered_by_the_same_call() {
    let stand = Stand::usual().await;
    let ask = || Request::tool(NEWEST, "ask", json!({"question": UNCLEAR}));
    let back = ask().result(stand.at).await;
    assert_eq!(back["resultType"], "input_required", "{back}");
    let asked = &back["inputRequests"]["reply"];
    assert_eq!(asked["method"], "elicitation/create");
    assert!(
        asked["params"]["message"]
            .as_str()
            .unwrap()
            .contains(UNCLEAR)
    );
    let again = |state: &Value, reply: Value| {
        let mut again = ask();
        again.body["params"]["requestState"] = state.clone();
        again.body["params"]["inputResponses"] = json!({ "reply": reply });
        again
    };
    let accept = json!({"action": "accept", "content": {"reply": REPLY}});
    for (state, reply, code) in [
        (
            &back["requestState"],
            json!({"action": "decline"}),
            "clarification_declined",
        ),
        (
            &back["requestState"],
            json!({"action": "accept", "content": {}}),
            "bad_request",
        ),
        (&json!("q-forged"), accept.clone(), "clarification_unknown"),
        (&json!("no id"), accept.clone(), "bad_id"),
    ] {
        let failed = again(state, reply).result(stand.at).await;
        assert_eq!(failed["_meta"]["argosy/problem"]["code"], code, "{failed}");
    }
    let answered = again(&back["requestState"], accept).result(stand.at).await;
    assert!(text(&answered).contains(ANSWER), "{answered}");

    // A client that cannot put a form to its user reads how to go on.
    for revision in REVISIONS {
        let plain = Request::tool(revision, "ask", json!({"question": UNCLEAR}))
            .meta("io.modelcontextprotocol/clientCapabilities", json!({}));
        let back = plain.result(stand.at).await;
        let data = &back["structuredContent"];
        assert_eq!(data["outcome"], "clarification", "{back}");
        assert!(text(&back).contains("reply_to"), "{back}");
        let reply = json!({"question": REPLY, "reply_to": data["turn"]});
        let answered = Request::tool(revision, "ask", reply).result(stand.at).await;
        assert!(text(&answered).contains(ANSWER), "{answered}");
    }
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_is_told_and_a_late_answer_can_be_waited_for() {
    let options = Options {
        wait: TimeSpan::from_millis(1),
        ..Options::default()
    };
    let late = Stand::start(options).await;
    let (door, stop, served) = crate::stand::open(late.bus.clone(), Options::default()).await;
    for revision in REVISIONS {
        let ask = Request::tool(revision, "ask", json!({"question": QUESTION}));
        let told = ask.meta("progressToken", json!("p-1")).send(door).await;
        assert_eq!(told.header("content-type"), Some("text/event-stream"));
        let all: Vec<Value> = told
            .body
            .lines()
            .filter_map(|line| serde_json::from_str(line.strip_prefix("data:")?.trim()).ok())
            .collect();
        let (last, steps) = all.split_last().unwrap();
        assert!(text(&last["result"]).contains(ANSWER), "{told:?}");
        assert!(steps.len() >= 3, "{told:?}");
        for (n, step) in steps.iter().enumerate() {
            assert_eq!(step["method"], "notifications/progress");
            assert_eq!(step["params"]["progressToken"], "p-1");
            assert_eq!(step["params"]["progress"].as_f64(), Some(n as f64 + 1.0));
        }

        let ask = Request::tool(revision, "ask", json!({"question": QUESTION}));
        let failed = ask.result(late.at).await;
        let problem = &failed["_meta"]["argosy/problem"];
        assert_eq!(problem["code"], "not_ended", "{failed}");
        let on = json!({"question": QUESTION, "turn": problem["turn"]});
        let answered = Request::tool(revision, "ask", on).result(door).await;
        assert_eq!(answered["structuredContent"]["turn"], problem["turn"]);
        assert!(text(&answered).contains(ANSWER), "{answered}");
    }
    stop.cancel();
    served.await.unwrap();
    late.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_decides_what_a_tool_may_see() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("keys.json");
    let key = |name: &str, tenant: &str, scopes: &[&str]| json!({"name": name, "sha256": KeyFile::hash(name), "tenant": tenant, "scopes": scopes});
    let keys = json!({"keys": [
        key("ours", "default", &["ask", "read"]), key("theirs", "other", &["ask", "read"]), key("asks", "default", &["ask"]),
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

/// The offline reader, but each call takes a second.
struct Slow(OfflineReader);

impl ChatModel for Slow {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatReply, llm::Error>> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            self.0.chat(request).await
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_goes_cancels_its_turn_as_its_revision_says() {
    let stand = Stand::with_model(Options::default(), Arc::new(Slow(OfflineReader::new()))).await;
    let mut told = stand.bus.subscribe("argosy.cancel.*", None).await.unwrap();
    for revision in REVISIONS {
        let ask = Request::tool(revision, "ask", json!({"question": QUESTION}));
        let ask = ask.meta("progressToken", json!(1));
        let headers: Vec<&str> = ask.headers.iter().map(String::as_str).collect();
        let body = ask.body.to_string();
        let mut stream = begin(stand.at, "POST", "/mcp", &headers, &body).await;
        let mut seen = String::new();
        while !seen.contains("notifications/progress") {
            let mut more = [0; 4096];
            let n = stream.read(&mut more).await.unwrap();
            assert!(n > 0, "{seen}");
            seen += std::str::from_utf8(&more[..n]).unwrap();
        }
        drop(stream);
        let wait = match revision {
            NEWEST => Duration::from_secs(20),
            _ => Duration::from_millis(500),
        };
        let cancelled = tokio::time::timeout(wait, told.next()).await;
        assert_eq!(cancelled.is_ok(), revision == NEWEST, "{revision}");
    }
    stand.end().await;
}

/// A client whose user replies to every question back.
struct User;

impl ClientHandler for User {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("a test", "1"))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let reply = json!({"reply": REPLY});
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(reply))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pair_of_streams_serves_both_ways_to_begin() {
    let stand = Stand::usual().await;
    let newest = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    for (lifecycle, question) in [
        (newest, UNCLEAR),
        (ClientLifecycleMode::Initialize, QUESTION),
    ] {
        let (door, _stop) = door(stand.bus.clone(), Options::default());
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(theirs);
        let served = tokio::spawn(door.serve_mcp(TenantId::default_tenant(), reader, writer));
        let client = User.serve_with_lifecycle(ours, lifecycle).await.unwrap();
        assert_eq!(client.list_all_tools().await.unwrap().len(), 3);
        let arguments = json!({"question": question}).as_object().cloned();
        let call = CallToolRequestParams::new("ask").with_arguments(arguments.unwrap());
        let answered = client.call_tool(call).await.unwrap();
        let text = &answered.content[0].as_text().unwrap().text;
        assert!(text.contains(ANSWER), "{text}");
        client.cancel().await.unwrap();
        served.await.unwrap().unwrap();
    }
    stand.end().await;
}
