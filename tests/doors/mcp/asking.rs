//! `ask` over MCP: questions back, progress, tasks, clients that go, and a pair of streams.

use super::{NEWEST, REPLY, REVISIONS, Request, UNCLEAR, text};
use crate::http::begin;
use crate::stand::{ANSWER, QUESTION, Stand, door, open};
use door::Options;
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
use std::sync::Arc;
use std::time::Duration;
use telemetry::Registry;
use tokio::io::AsyncReadExt;

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
    let (door, stop, served) = open(late.bus.clone(), Options::default()).await;
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_question_is_a_task_for_a_client_that_knows_tasks() {
    let options = Options {
        wait: TimeSpan::from_millis(700),
        ..Options::default()
    };
    let stand = Stand::with_model(options, Arc::new(Slow(OfflineReader::new()))).await;
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    let knows = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let ask = async || {
        let ask = Request::tool(NEWEST, "ask", json!({"question": QUESTION}));
        let task = ask.meta(capabilities, knows.clone()).result(stand.at).await;
        assert_eq!(task["resultType"], "task", "{task}");
        task
    };
    let of_task = |method: &str, task: &Value| {
        let of = Request::new(NEWEST, method, json!({"taskId": task["taskId"]}));
        of.meta(capabilities, knows.clone())
    };
    let task = ask().await;
    assert!(task["createdAt"].as_str().unwrap().ends_with('Z'), "{task}");
    // Another door knows of it.
    let (other, stop, served) = open(stand.bus.clone(), Options::default()).await;
    let mut seen = Vec::new();
    let done = loop {
        let task = of_task("tasks/get", &task).result(other).await;
        seen.push(task["status"].as_str().unwrap().to_owned());
        if task["status"] != "working" {
            break task;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert_eq!(
        (seen[0].as_str(), &done["status"]),
        ("working", &json!("completed"))
    );
    assert!(text(&done["result"]).contains(ANSWER), "{done}");

    let task = ask().await;
    let cancelled = of_task("tasks/cancel", &task).result(other).await;
    assert_eq!(cancelled["resultType"], "complete", "{cancelled}");
    let task = of_task("tasks/get", &task).result(other).await;
    assert_eq!(task["status"], "cancelled", "{task}");

    let none = json!({"taskId": "q-none"});
    for (method, status, code) in [("tasks/get", 200, -32602), ("tasks/cancel", 200, -32602)] {
        let answer = of_task(method, &none).send(other).await;
        let told = (answer.status, answer.json()["error"]["code"].clone());
        assert_eq!(told, (status, json!(code)), "{method}");
        let unaware = of_task(method, &none)
            .meta(capabilities, json!({}))
            .send(other)
            .await;
        assert_eq!(unaware.json()["error"]["code"], -32021, "{method}");
    }
    stop.cancel();
    served.await.unwrap();
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
        let (door, _stop) = door(stand.bus.clone(), Options::default(), &Registry::new());
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
