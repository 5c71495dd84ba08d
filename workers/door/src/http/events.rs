//! A turn as server-sent events.
//!
//! `step` and `answer` have ids, by which any door takes the stream up again (`Last-Event-ID`): a step's number, and
//! [`END`]. `part`, `expected`, `draft` and `reset` have none: they are told once and say nothing that an answer needs. A
//! comment every 15 s keeps proxies from closing the connection. A stream that ends without `answer` broke off.

use crate::Door;
use crate::asking::Followed;
use crate::options::WAIT_MAX;
use axum::http::{HeaderName, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::json;
use std::convert::Infallible;
use std::time::Duration;
use streams::client::TurnEvent;
use tokio::time::Instant;

/// The id of the last event.
pub(crate) const END: &str = "end";
/// After how long a stream says that it lives.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// After how long a browser comes back when the stream broke off.
const RETRY: Duration = Duration::from_millis(500);

/// The response. `at` is where the turn is asked for, for a client that has just asked.
pub(crate) fn stream(door: &Door, followed: Followed, at: Option<String>) -> Response {
    let turn = followed.events.turn().to_string();
    let begin = Event::default().event("turn").retry(RETRY);
    let begin = begin.data(json!({ "turn": turn }).to_string());
    // Told to stop, or open for longer than any turn takes: the client takes it up elsewhere, or hears that there is none.
    let (stop, until) = (door.0.setup.stop.clone(), Instant::now() + WAIT_MAX);
    let events = stream::unfold((followed, Some(begin)), move |(mut followed, begin)| {
        let stop = stop.clone();
        async move {
            if let Some(begin) = begin {
                return Some((Ok::<_, Infallible>(begin), (followed, None)));
            }
            let event = tokio::select! {
                biased;
                () = stop.cancelled() => None,
                event = followed.next() => event,
                () = tokio::time::sleep_until(until) => None,
            };
            Some((Ok(event_of(&event?)), (followed, None)))
        }
    });
    let keep = KeepAlive::new().interval(HEARTBEAT).text("");
    let mut response = Sse::new(events).keep_alive(keep).into_response();
    let headers = response.headers_mut();
    // Nginx would hold the events back otherwise.
    let buffering = HeaderName::from_static("x-accel-buffering");
    headers.insert(buffering, axum::http::HeaderValue::from_static("no"));
    if let Some(at) = at.and_then(|at| at.parse().ok()) {
        headers.insert(header::LOCATION, at);
    }
    response
}

fn event_of(event: &TurnEvent) -> Event {
    let named = |name: &str| Event::default().event(name);
    match event {
        TurnEvent::Step(n, entry) => json_of(named("step").id(n.to_string()), entry),
        TurnEvent::Part(entry) => json_of(named("part"), entry),
        TurnEvent::Expected(wait) => json_of(named("expected"), wait),
        TurnEvent::Draft(text) => json_of(named("draft"), &json!({ "text": text })),
        TurnEvent::Reset => json_of(named("reset"), &json!({})),
        TurnEvent::End(ended) => json_of(named("answer").id(END), ended),
    }
}

fn json_of(event: Event, body: &impl serde::Serialize) -> Event {
    match serde_json::to_string(body) {
        Ok(text) => event.data(text),
        Err(error) => event.data(json!({ "error": error.to_string() }).to_string()),
    }
}
