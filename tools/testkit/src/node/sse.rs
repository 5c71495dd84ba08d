//! Makes the events of a streamed answer as servers send them, and sends them.

use super::{Call, response};
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use futures_util::stream;
use serde_json::{Value, json};
use std::io;
use std::time::Duration;

/// The end of every stream.
pub const DONE: &str = "data: [DONE]\n\n";
/// A comment that shows that the server is alive, without a token.
pub const PING: &str = ": ping\n\n";

/// The first piece that most servers send: it has the role and no text.
pub fn role() -> String {
    delta(json!({"role": "assistant", "content": ""}), None)
}

/// A piece of the text.
pub fn token(text: &str) -> String {
    delta(json!({ "content": text }), None)
}

/// A piece of a model's reasoning; `field` is the field in which the server sends it.
pub fn thought(field: &str, text: &str) -> String {
    delta(json!({ field: text }), None)
}

/// The reason why the answer ended.
pub fn finish(reason: &str) -> String {
    delta(json!({}), Some(reason))
}

/// The token counts of the call.
pub fn usage(prompt_tokens: u32, completion_tokens: u32) -> String {
    let usage = json!({"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens});
    event(&json!({"choices": [], "usage": usage}))
}

/// An event with this JSON.
pub fn event(json: &Value) -> String {
    format!("data: {json}\n\n")
}

/// A whole answer, one piece per word, with `pause` before each.
pub fn answer(text: &str, pause: Duration) -> Vec<(Duration, String)> {
    let words = text.split_inclusive(' ').map(|word| (pause, token(word)));
    let end = [finish("stop"), DONE.to_owned()];
    let end = end.map(|event| (Duration::ZERO, event));
    words.chain(end).collect()
}

fn delta(delta: Value, finish: Option<&str>) -> String {
    event(&json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}))
}

/// The call stays with the body, so that a client that goes away in between is noticed.
pub(super) fn stream(call: Call, pieces: Vec<(Duration, String)>) -> Response {
    let state = (call, pieces.into_iter());
    let body = stream::unfold(state, |(call, mut pieces)| async move {
        let Some((pause, piece)) = pieces.next() else {
            call.finish();
            return None;
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = call.shared.stop.cancelled() => return None,
        }
        Some((Ok::<_, io::Error>(Bytes::from(piece)), (call, pieces)))
    });
    let mut response = response(200, Body::from_stream(body));
    let kind = HeaderValue::from_static("text/event-stream; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
