//! Waiting for the end of a turn, with or without a stream.

use crate::Door;
use crate::asking::{Followed, answered};
use crate::options::WAIT_MAX;
use crate::problem::Problem;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use envelope::Terminal;
use futures_util::{StreamExt, stream};
use std::convert::Infallible;
use std::time::Duration;

/// After how long a stream says, by a comment, that it lives.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// The end of a turn, if it has an answer or asks back.
pub(super) async fn end(
    door: &Door,
    followed: &mut Followed,
    wait: Duration,
) -> Result<Terminal, Problem> {
    let turn = followed.events.turn().clone();
    let at = format!("{}/api/turns/{turn}", door.0.setup.options.prefix);
    let ended = tokio::select! {
        biased;
        ended = followed.end(wait) => ended.ok_or_else(|| {
            let detail = format!("the answer was not there in time (`door.wait`); it will be at {at}");
            Problem::new(StatusCode::GATEWAY_TIMEOUT, "not_ended", detail)
        }),
        () = door.0.setup.stop.cancelled() => {
            // The client asks again: unless it named its request, that is another turn, and this one is cancelled.
            return Err(Problem::busy("this door is closing; ask again"));
        }
    };
    // Whoever is told where the answer will be may fetch it there.
    followed.let_go();
    answered(ended.map_err(|problem| Problem {
        turn: Some(turn),
        ..problem
    })?)
}

/// A stream of events: `begin` at once, and what `told` makes of the end.
pub(super) fn stream(
    door: Door,
    mut followed: Followed,
    begin: Vec<Event>,
    told: impl FnOnce(Result<Terminal, Problem>) -> Vec<Event> + Send + 'static,
) -> Response {
    let end = stream::once(async move {
        let ended = end(&door, &mut followed, WAIT_MAX).await;
        stream::iter(told(ended))
    });
    let events = stream::iter(begin).chain(end.flatten());
    let keep = KeepAlive::new().interval(HEARTBEAT).text("");
    let mut response = Sse::new(events.map(Ok::<_, Infallible>))
        .keep_alive(keep)
        .into_response();
    // Nginx would hold the events back otherwise.
    let buffering = HeaderName::from_static("x-accel-buffering");
    response
        .headers_mut()
        .insert(buffering, HeaderValue::from_static("no"));
    response
}
