//! A fake model node: it speaks `/v1/chat/completions`, `/v1/models`, `/v1/embeddings`, and `/v1/rerank` and
//! `/rerank` for rerankers of both kinds, over real HTTP. It treats a client as real nodes do: it answers, fails,
//! stalls, trickles, breaks off. It understands nothing and is never an LLM.
//!
//! Its next action comes from a queue ([`FakeNode::script`]) and, when that is empty, from a standing behaviour
//! ([`FakeNode::always`]). Tests wait for the requests that it has seen, never for time.

mod pages;
pub mod sse;
mod texts;

pub use sim_node::OverflowWording;
pub use texts::{DIMS, vector};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Json, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use futures_util::stream;
use pages::{Pages, authorization};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long a test waits at most for something to be seen.
const PATIENCE: Duration = Duration::from_secs(10);

/// Tokens of a prompt that is too long, as an overflow says.
const OVERLONG: u32 = 99_999;

/// A prompt as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedPrompt {
    /// The system message; empty when there was none.
    pub system: String,
    /// The user message.
    pub user: String,
    /// The `authorization` header; empty when there was none.
    pub authorization: String,
    /// The whole body.
    pub body: Value,
}

/// What the node does with one call.
#[derive(Debug, Clone, PartialEq)]
pub enum FakeNodeBehaviour {
    /// Answers with what the closure makes of the prompt.
    Answer,
    /// Answers with this text.
    Say(String),
    /// Answers after a while.
    Slow(Duration),
    /// Answers after [`FakeNode::release`].
    Hold,
    /// Accepts the call and never answers.
    Stuck,
    /// Sends the first byte of the body and never the rest.
    StuckBody,
    /// Sends the body byte by byte with a pause before each.
    Trickle(Duration),
    /// Promises a body, sends half of it and breaks the connection.
    Cut,
    /// Sends this text as the body, with status 200.
    Raw(String),
    /// Sends an event stream: each text after its pause, then the end. See [`sse`].
    Stream(Vec<(Duration, String)>),
    /// Sends this status and body, with a `Retry-After` if one is given.
    Status(u16, String, Option<String>),
    /// Sends the client to this address.
    Redirect(String),
    /// Rejects the prompt as too long for a context of this many tokens, with the error of this server.
    Overflow(OverflowWording, u32),
    /// Rejects requests whose `response_format` has one of these types, with this status and the error text of
    /// llama-cpp-python; answers all others.
    Reject(&'static [&'static str], u16),
}

/// Counts of what the node has done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FakeNodeCounts {
    /// Calls that arrived.
    pub calls: usize,
    /// Calls that are being worked on.
    pub in_flight: usize,
    /// Most calls that were worked on at once.
    pub busiest: usize,
    /// Calls whose client went away before the answer was complete.
    pub abandoned: usize,
}

/// A fake node, listening on a port of its own. Dropping it stops it.
pub struct FakeNode {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<io::Result<()>>,
}

struct Shared {
    answer: Box<dyn Fn(&ReceivedPrompt) -> String + Send + Sync>,
    script: Mutex<Script>,
    seen: watch::Sender<FakeNodeCounts>,
    held: Semaphore,
    stop: CancellationToken,
}

struct Script {
    next: VecDeque<FakeNodeBehaviour>,
    standing: FakeNodeBehaviour,
    usage: Option<Value>,
    models: Value,
    prompts: Vec<ReceivedPrompt>,
    unknown: Vec<&'static str>,
    pages: Pages,
}

impl FakeNode {
    /// Starts a node that answers with what `answer` makes of the prompt.
    pub async fn start(
        answer: impl Fn(&ReceivedPrompt) -> String + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::start_at(([127, 0, 0, 1], 0).into(), answer).await
    }

    /// Starts such a node at the given address.
    pub async fn start_at(
        address: SocketAddr,
        answer: impl Fn(&ReceivedPrompt) -> String + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            script: Mutex::new(Script {
                next: VecDeque::new(),
                standing: FakeNodeBehaviour::Answer,
                usage: None,
                models: json!({"object": "list", "data": [{"id": "fake", "object": "model"}]}),
                prompts: Vec::new(),
                unknown: Vec::new(),
                pages: Pages::default(),
            }),
            seen: watch::Sender::new(FakeNodeCounts::default()),
            held: Semaphore::new(0),
            stop: CancellationToken::new(),
        });
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let router = Router::new()
            .route("/v1/chat/completions", post(chat))
            .route("/v1/models", get(models))
            .route("/v1/embeddings", post(embeddings))
            .route("/v1/rerank", post(rerank))
            .route("/rerank", post(rerank_tei))
            .fallback(pages::page)
            .with_state(shared.clone());
        let stop = shared.stop.clone().cancelled_owned();
        let serve = axum::serve(listener, router).with_graceful_shutdown(stop);
        Ok(FakeNode {
            address,
            shared,
            server: tokio::spawn(serve.into_future()),
        })
    }

    /// Starts a node that answers every prompt with `text`.
    pub async fn saying(text: impl Into<String>) -> io::Result<Self> {
        let text = text.into();
        Self::start(move |_| text.clone()).await
    }

    /// Where it listens: `http://127.0.0.1:port`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Shows these behaviours to the next calls, one for each call.
    pub fn script(&self, next: impl IntoIterator<Item = FakeNodeBehaviour>) -> &Self {
        self.shared.script().next.extend(next);
        self
    }

    /// Shows this behaviour whenever the script is empty. At first: [`FakeNodeBehaviour::Answer`].
    pub fn always(&self, standing: FakeNodeBehaviour) -> &Self {
        self.shared.script().standing = standing;
        self
    }

    /// Sends this as `usage` of every answer. At first: none.
    pub fn usage(&self, usage: Value) -> &Self {
        self.shared.script().usage = Some(usage);
        self
    }

    /// Answers `/v1/models` with this. At first: a list of one model, `fake`.
    pub fn models(&self, models: Value) -> &Self {
        self.shared.script().models = models;
        self
    }

    /// Answers requests to this path with `404` from now on.
    pub fn forget(&self, path: &'static str) -> &Self {
        self.shared.script().unknown.push(path);
        self
    }

    /// Lets this many calls go on that are held by [`FakeNodeBehaviour::Hold`], now or later.
    pub fn release(&self, calls: usize) {
        self.shared.held.add_permits(calls);
    }

    /// What the node has done so far.
    pub fn seen(&self) -> FakeNodeCounts {
        *self.shared.seen.borrow()
    }

    /// Every prompt so far, oldest first.
    pub fn prompts(&self) -> Vec<ReceivedPrompt> {
        self.shared.script().prompts.clone()
    }

    /// Waits until `wanted` is true of the counts.
    ///
    /// # Panics
    /// After 10 s.
    pub async fn until(&self, wanted: impl Fn(&FakeNodeCounts) -> bool) -> FakeNodeCounts {
        let mut seen = self.shared.seen.subscribe();
        let waited = tokio::time::timeout(PATIENCE, seen.wait_for(wanted)).await;
        match waited {
            Ok(Ok(seen)) => *seen,
            _ => panic!("the fake node has seen only {:?}", self.seen()),
        }
    }

    /// Stops it and waits until nothing listens at its address any more.
    pub async fn stop(mut self) {
        self.shared.stop.cancel();
        let _ = tokio::time::timeout(PATIENCE, &mut self.server).await;
    }
}

impl Drop for FakeNode {
    fn drop(&mut self) {
        self.shared.stop.cancel();
        self.server.abort();
    }
}

impl Shared {
    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn arrived(&self, headers: &HeaderMap, body: Value) -> (ReceivedPrompt, FakeNodeBehaviour) {
        let prompt = ReceivedPrompt {
            system: message(&body, "system"),
            user: message(&body, "user"),
            authorization: authorization(headers),
            body,
        };
        let mut script = self.script();
        script.prompts.push(prompt.clone());
        let standing = script.standing.clone();
        (prompt, script.next.pop_front().unwrap_or(standing))
    }

    /// The body of an answer that says `text`.
    fn completion(&self, text: String) -> String {
        let mut body = json!({
            "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": text}}],
        });
        if let Some(usage) = &self.script().usage {
            body["usage"] = usage.clone();
        }
        body.to_string()
    }
}

/// Counts a call while it is worked on; one that is dropped unfinished was abandoned.
struct Call {
    shared: Arc<Shared>,
    finished: bool,
}

impl Call {
    fn begin(shared: &Arc<Shared>) -> Self {
        shared.seen.send_modify(|seen| {
            seen.calls += 1;
            seen.in_flight += 1;
            seen.busiest = seen.busiest.max(seen.in_flight);
        });
        Call {
            shared: shared.clone(),
            finished: false,
        }
    }

    fn finish(mut self) {
        self.finished = true;
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.shared.seen.send_modify(|seen| {
            seen.in_flight -= 1;
            seen.abandoned += usize::from(!self.finished);
        });
    }
}

async fn models(State(shared): State<Arc<Shared>>) -> Json<Value> {
    Json(shared.script().models.clone())
}

async fn chat(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let answer = |prompt: &ReceivedPrompt| shared.completion((shared.answer)(prompt));
    behave(&shared, "/v1/chat/completions", &headers, body, answer).await
}

async fn embeddings(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let answer = |prompt: &ReceivedPrompt| texts::embeddings(&prompt.body).to_string();
    behave(&shared, "/v1/embeddings", &headers, body, answer).await
}

async fn rerank(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let answer = |prompt: &ReceivedPrompt| texts::rerank(&prompt.body).to_string();
    behave(&shared, "/v1/rerank", &headers, body, answer).await
}

async fn rerank_tei(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let answer = |prompt: &ReceivedPrompt| texts::rerank_tei(&prompt.body).to_string();
    behave(&shared, "/rerank", &headers, body, answer).await
}

/// Does with a call what is next in the script, or what always happens.
async fn behave(
    shared: &Arc<Shared>,
    path: &'static str,
    headers: &HeaderMap,
    body: Value,
    answer: impl Fn(&ReceivedPrompt) -> String,
) -> Response {
    if shared.script().unknown.contains(&path) {
        return response(404, Body::from("Not Found"));
    }
    let (prompt, behaviour) = shared.arrived(headers, body);
    let call = Call::begin(shared);
    let answer = || answer(&prompt);
    match behaviour {
        FakeNodeBehaviour::Answer => whole(call, 200, answer()),
        FakeNodeBehaviour::Say(text) => whole(call, 200, shared.completion(text)),
        FakeNodeBehaviour::Raw(text) => whole(call, 200, text),
        FakeNodeBehaviour::Slow(pause) => {
            tokio::time::sleep(pause).await;
            whole(call, 200, answer())
        }
        FakeNodeBehaviour::Hold => {
            tokio::select! {
                permit = shared.held.acquire() => permit.map(|held| held.forget()).unwrap_or(()),
                () = shared.stop.cancelled() => {}
            }
            whole(call, 200, answer())
        }
        FakeNodeBehaviour::Stuck => {
            shared.stop.cancelled().await;
            whole(call, 503, String::new())
        }
        FakeNodeBehaviour::StuckBody => stuck_body(call, answer()),
        FakeNodeBehaviour::Trickle(pause) => trickle(call, answer(), pause),
        FakeNodeBehaviour::Cut => cut(call, answer()),
        FakeNodeBehaviour::Stream(pieces) => sse::stream(call, pieces),
        FakeNodeBehaviour::Status(status, body, retry_after) => {
            let mut response = whole(call, status, body);
            if let Some(value) = retry_after.and_then(|wait| wait.parse().ok()) {
                response.headers_mut().insert(header::RETRY_AFTER, value);
            }
            response
        }
        FakeNodeBehaviour::Redirect(to) => {
            let mut response = whole(call, 307, String::new());
            if let Ok(to) = to.parse() {
                response.headers_mut().insert(header::LOCATION, to);
            }
            response
        }
        FakeNodeBehaviour::Overflow(server, limit) => {
            let (status, body) = server.overflow(limit, OVERLONG);
            whole(call, status, body.to_string())
        }
        FakeNodeBehaviour::Reject(types, status) => match rejected(&prompt, types) {
            Some(body) => whole(call, status, body),
            None => whole(call, 200, answer()),
        },
    }
}

fn rejected(prompt: &ReceivedPrompt, types: &[&str]) -> Option<String> {
    let asked = prompt.body["response_format"]["type"].as_str()?;
    types.contains(&asked).then(|| {
        let message = format!(
            "[{{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'input': '{asked}'}}]"
        );
        json!({"error": {"message": message, "type": "internal_server_error", "code": null}})
            .to_string()
    })
}

fn message(body: &Value, role: &str) -> String {
    let messages = body["messages"].as_array();
    let mut messages = messages.into_iter().flatten();
    let found = messages.find(|message| message["role"] == role);
    let content = found.and_then(|message| message["content"].as_str());
    content.unwrap_or_default().into()
}

fn response(status: u16, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::IM_A_TEAPOT);
    response
}

fn whole(call: Call, status: u16, body: String) -> Response {
    call.finish();
    response(status, Body::from(body))
}

/// The call stays with the body, so that a client that goes away while reading is noticed.
fn stuck_body(call: Call, body: String) -> Response {
    let first = Bytes::from(body.into_bytes()).slice(..1);
    let body = stream::unfold((call, Some(first)), |(call, first)| async move {
        match first {
            Some(first) => Some((Ok::<_, io::Error>(first), (call, None))),
            None => {
                call.shared.stop.cancelled().await;
                None
            }
        }
    });
    response(200, Body::from_stream(body))
}

fn trickle(call: Call, body: String, pause: Duration) -> Response {
    let body = Bytes::from(body.into_bytes());
    let bytes = stream::unfold((call, body), move |(call, mut left)| async move {
        if left.is_empty() {
            call.finish();
            return None;
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = call.shared.stop.cancelled() => return None,
        }
        let next = left.split_to(1);
        Some((Ok::<_, io::Error>(next), (call, left)))
    });
    response(200, Body::from_stream(bytes))
}

fn cut(call: Call, body: String) -> Response {
    call.finish();
    let length = body.len();
    let half = Bytes::from(body.into_bytes()).slice(..length / 2);
    let broken = io::Error::from(io::ErrorKind::ConnectionReset);
    let mut response = response(
        200,
        Body::from_stream(stream::iter([Ok(half), Err(broken)])),
    );
    response
        .headers_mut()
        .insert(header::CONTENT_LENGTH, length.into());
    response
}
