//! One call, handled according to the node's current behaviour.

use crate::behaviour::{Behaviour, RetryAfter};
use crate::door::Reset;
use crate::engine::EngineRequest;
use crate::likely;
use crate::overflow::OverflowWording;
use crate::reply::{self, Finish, Label, Usage};
use crate::request::{
    CompletionRequest, EmbeddingRequest, PromptText, TOKEN_BYTES, blocks, tokens,
};
use crate::server::Shared;
use crate::works::Job;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use futures_util::stream;
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Numbers of an embedding.
const DIMENSIONS: usize = 16;
/// Between the last byte of a cut answer and the reset, so that the bytes are on their way.
const BEFORE_RESET: Duration = Duration::from_millis(2);

pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(chat))
        .route("/v1/embeddings", post(embeddings))
        .route("/v1/models", get(models))
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .with_state(shared)
}

/// Counts a call; one that is dropped unfinished was abandoned.
struct Call {
    shared: Arc<Shared>,
    finished: bool,
}

impl Call {
    fn begin(shared: &Arc<Shared>) -> Self {
        shared.see(|seen| {
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

    fn finish_with(self, usage: Usage) {
        self.shared.see(|seen| {
            seen.prompt_tokens += u64::from(usage.prompt_tokens);
            seen.cached_tokens += u64::from(usage.cached_tokens);
            seen.answer_tokens += u64::from(usage.completion_tokens);
        });
        self.finish();
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.shared.see(|seen| {
            seen.in_flight -= 1;
            match self.finished {
                true => seen.finished += 1,
                false => seen.abandoned += 1,
            }
        });
    }
}

/// An answer before any of it is written.
struct Draft {
    label: Label,
    text: String,
    finish: Finish,
    usage: Usage,
    stream: bool,
    wants_usage: bool,
    likely: Option<u8>,
}

impl Draft {
    fn new(
        shared: &Shared,
        request: &CompletionRequest,
        prompt: &PromptText,
        mut text: String,
    ) -> Self {
        let max = request.max_tokens();
        let mut finish = Finish::Stop;
        if tokens(text.len()) > max {
            text.truncate(text.floor_char_boundary(max as usize * TOKEN_BYTES));
            finish = Finish::Length;
        }
        let model = match request.model.as_str() {
            "" => shared.options.model.clone(),
            model => model.to_owned(),
        };
        Draft {
            label: Label {
                id: format!("chatcmpl-{:016x}", prompt.hash),
                model,
            },
            finish,
            usage: Usage {
                prompt_tokens: prompt.tokens,
                cached_tokens: 0,
                completion_tokens: tokens(text.len()).max(1),
            },
            text,
            stream: request.stream,
            wants_usage: request.wants_usage(),
            likely: request.likely(),
        }
    }

    /// All of it at once.
    fn body(&self) -> String {
        let likely = self.logprobs(0, tokens(self.text.len()));
        if !self.stream {
            return reply::completion(&self.label, &self.text, likely, self.finish, self.usage);
        }
        reply::piece(&self.label, &self.text, likely, true) + &self.end()
    }

    /// The piece of these tokens.
    fn piece(&self, from: u32, to: u32) -> String {
        let text = reply::slice(&self.text, from, to);
        reply::piece(&self.label, text, self.logprobs(from, to), from == 0)
    }

    /// The probabilities of these tokens, where they were asked for.
    fn logprobs(&self, from: u32, to: u32) -> Option<Value> {
        let likely = self.likely?;
        Some(likely::logprobs(&self.text, from, to, likely))
    }

    fn end(&self) -> String {
        reply::end(
            &self.label,
            self.finish,
            self.wants_usage.then_some(self.usage),
        )
    }
}

async fn chat(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(reset): ConnectInfo<Reset>,
    body: Bytes,
) -> Response {
    let call = Call::begin(&shared);
    let behaviour = *shared.behaviour();
    if let Some(response) = refusal(&shared, behaviour).await {
        call.finish();
        return response;
    }
    let request = match read(&shared, &body) {
        Ok(request) => request,
        Err(message) => {
            call.finish();
            let body =
                json!({"error": {"message": message, "type": "BadRequestError", "code": 400}});
            return json_response(400, body.to_string());
        }
    };
    let (mut prompt, blocks) = request.prompt();
    let limit = shared.options.context_tokens;
    if prompt.tokens > limit {
        if shared.options.server != OverflowWording::Ollama {
            call.finish();
            return overflow(shared.options.server, limit, prompt.tokens);
        }
        prompt.tokens = limit;
    }
    let text = match behaviour {
        Behaviour::WhiteSpace => "\n   ".repeat(request.max_tokens() as usize + 1),
        _ => (shared.answer)(&prompt),
    };
    let draft = Draft::new(&shared, &request, &prompt, text);
    match behaviour {
        Behaviour::Trickle(pause) => trickle(call, &draft, pause),
        Behaviour::Reset(bytes) => cut(call, &draft, bytes, reset),
        _ => {
            let job = shared.works.submit(EngineRequest {
                prompt_tokens: prompt.tokens,
                blocks,
                answer_tokens: draft.usage.completion_tokens,
            });
            match draft.stream {
                true => streamed(call, job, draft),
                false => whole(call, job, draft).await,
            }
        }
    }
}

/// The request, or what is wrong with it for this node.
fn read(shared: &Shared, body: &[u8]) -> Result<CompletionRequest, String> {
    let request = CompletionRequest::read(body).map_err(|error| error.to_string())?;
    match request.likely().is_some() && shared.options.refuses_likely {
        true => Err("This model does not support the 'logprobs' parameter.".into()),
        false => Ok(request),
    }
}

/// What a node says that does not even look at the call.
async fn refusal(shared: &Shared, behaviour: Behaviour) -> Option<Response> {
    match behaviour {
        Behaviour::Stuck | Behaviour::Frozen => std::future::pending().await,
        Behaviour::Status(status, after) => Some(refused(status, after)),
        Behaviour::WrongJson => Some(json_response(200, "{\"id\":\"chatcmpl-1\",\"choi".into())),
        Behaviour::Overflow(server) => {
            let limit = shared.options.context_tokens;
            Some(overflow(server, limit, limit.saturating_mul(2)))
        }
        _ => None,
    }
}

async fn whole(call: Call, mut job: Job, mut draft: Draft) -> Response {
    let Some(progress) = job.done().await else {
        return json_response(500, json!({"error": {"message": "restarted"}}).to_string());
    };
    draft.usage.cached_tokens = progress.cached_tokens;
    call.finish_with(draft.usage);
    json_response(200, draft.body())
}

/// Call and job stay with the body, so that a client that goes away while reading is noticed.
fn streamed(call: Call, job: Job, draft: Draft) -> Response {
    let pieces = stream::unfold(Some((call, job, draft, 0)), |state| async {
        let (call, mut job, mut draft, sent) = state?;
        let Some(progress) = job.more().await else {
            let died = io::Error::from(io::ErrorKind::ConnectionReset);
            return Some((Err(died), None));
        };
        let mut piece = draft.piece(sent, progress.written);
        draft.usage.cached_tokens = progress.cached_tokens;
        if progress.done {
            piece.push_str(&draft.end());
            call.finish_with(draft.usage);
            return Some((Ok(Bytes::from(piece)), None));
        }
        Some((
            Ok(Bytes::from(piece)),
            Some((call, job, draft, progress.written)),
        ))
    });
    typed(200, Body::from_stream(pieces), event_type(true))
}

fn trickle(call: Call, draft: &Draft, pause: Duration) -> Response {
    let body = Bytes::from(draft.body());
    let bytes = stream::unfold((call, body), move |(call, mut left)| async move {
        if left.is_empty() {
            call.finish();
            return None;
        }
        tokio::time::sleep(pause).await;
        let next = left.split_to(1);
        Some((Ok::<_, io::Error>(next), (call, left)))
    });
    typed(200, Body::from_stream(bytes), event_type(draft.stream))
}

fn cut(call: Call, draft: &Draft, bytes: usize, reset: Reset) -> Response {
    let mut body = Bytes::from(draft.body());
    body.truncate(bytes);
    let pieces = stream::unfold((call, Some(body), reset), |(call, body, reset)| async {
        if let Some(body) = body {
            return Some((Ok::<_, io::Error>(body), (call, None, reset)));
        }
        tokio::time::sleep(BEFORE_RESET).await;
        reset.now();
        // The connection goes, and this with it.
        std::future::pending().await
    });
    typed(200, Body::from_stream(pieces), event_type(draft.stream))
}

async fn embeddings(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    let call = Call::begin(&shared);
    let behaviour = *shared.behaviour();
    if let Some(response) = refusal(&shared, behaviour).await {
        call.finish();
        return response;
    }
    let Ok(request) = serde_json::from_slice::<EmbeddingRequest>(&body) else {
        call.finish();
        return json_response(
            400,
            json!({"error": {"message": "want `input`"}}).to_string(),
        );
    };
    let prompt_tokens = request.input.iter().map(|text| tokens(text.len())).sum();
    // Reading is all there is to do: one token stands for the end of it.
    let mut job = shared.works.submit(EngineRequest {
        prompt_tokens,
        blocks: Vec::new(),
        answer_tokens: 1,
    });
    if job.done().await.is_none() {
        return json_response(500, json!({"error": {"message": "restarted"}}).to_string());
    }
    let vectors: Vec<_> = request.input.iter().map(|text| vector(text)).collect();
    call.finish_with(Usage {
        prompt_tokens,
        cached_tokens: 0,
        completion_tokens: 0,
    });
    json_response(
        200,
        reply::embeddings(&request.model, &vectors, prompt_tokens),
    )
}

/// A vector of length 1 that is the text's own and means nothing.
fn vector(text: &str) -> Vec<f32> {
    let (_, hash) = blocks(text.as_bytes());
    let mut random = fastrand::Rng::with_seed(hash);
    let vector: Vec<f32> = (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.into_iter().map(|x| x / length).collect()
}

async fn models(State(shared): State<Arc<Shared>>) -> Response {
    thaw(&shared).await;
    let (id, context) = (&shared.options.model, shared.options.context_tokens);
    let model = json!({"id": id, "object": "model", "max_model_len": context});
    json_response(200, json!({"object": "list", "data": [model]}).to_string())
}

async fn health(State(shared): State<Arc<Shared>>) -> Response {
    thaw(&shared).await;
    typed(200, Body::empty(), "text/plain")
}

async fn metrics(State(shared): State<Arc<Shared>>) -> Response {
    thaw(&shared).await;
    let options = &shared.options;
    match options.metrics.text(&options.model, shared.works.load()) {
        Some(text) => typed(200, Body::from(text), "text/plain; version=0.0.4"),
        None => typed(404, Body::empty(), "text/plain"),
    }
}

/// Answers nothing while the node is frozen, and later neither: the client has to ask again.
async fn thaw(shared: &Shared) {
    if *shared.behaviour() == Behaviour::Frozen {
        std::future::pending().await
    }
}

fn refused(status: u16, after: RetryAfter) -> Response {
    let message = match status {
        429 => "Model is overloaded",
        _ => "server busy, please try again",
    };
    let body = json!({"error": {"message": message, "type": "overloaded", "code": status}});
    let mut response = json_response(status, body.to_string());
    let value = after.header(SystemTime::now());
    if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
    response
}

fn overflow(server: OverflowWording, limit: u32, sent: u32) -> Response {
    let (status, body) = server.overflow(limit, sent);
    json_response(status, body.to_string())
}

fn json_response(status: u16, body: String) -> Response {
    typed(status, Body::from(body), "application/json")
}

const fn event_type(stream: bool) -> &'static str {
    match stream {
        true => "text/event-stream",
        false => "application/json",
    }
}

fn typed(status: u16, body: Body, content: &'static str) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::IM_A_TEAPOT);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content));
    response
}
