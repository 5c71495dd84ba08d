//! Asking over HTTP. A question is answered with its terminal event, or with 202 and where to ask for it.

use crate::Door;
use crate::access::{Login, Scope};
use crate::asking::{Followed, answered, turn_named, turn_of};
use crate::http::{Object, Segments, events};
use crate::options::WAIT_MAX;
use crate::problem::Problem;
use axum::Json;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use envelope::{Terminal, TurnId};
use serde_json::json;
use std::time::Duration;
use streams::client;
use tokio::time::Instant;

/// How long a gateway may take to take a question that is not waited for.
const TAKEN_MAX: Duration = Duration::from_secs(2);
/// After how long it is looked first whether it has, and then after twice the time.
const TAKEN_LOOK: Duration = Duration::from_millis(5);

/// Asks. `Accept: text/event-stream` follows the turn at once; `Prefer: respond-async` or `wait=SECONDS` says how long to
/// wait; `Idempotency-Key` makes a second try the same turn.
pub(crate) async fn ask(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    headers: HeaderMap,
    Object(mut fields): Object,
) -> Result<Response, Problem> {
    login.may(Scope::Ask)?;
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    // One that is no text must not count as none: its second try would be another turn.
    let key = headers.get("idempotency-key");
    let turn = key
        .map(|key| turn_of(&login, key.to_str().unwrap_or_default()))
        .transpose()?;
    let wait = wait_of(&door, &headers);
    let accept = text(header::ACCEPT.as_str()).unwrap_or_default();
    let is_stream = accept.contains("text/event-stream");
    // Who waits for the answer alone hears nothing on the way, and nobody need tell it.
    let is_followed = is_stream || wait.is_zero();
    fields.entry("stream").or_insert(is_followed.into());
    let mut followed = door.ask(&login, turn, fields).await?;
    let turn = followed.events.turn().clone();
    if is_stream {
        return Ok(events::stream(
            &door,
            followed,
            Some(place_of(&door, &turn)),
        ));
    }
    let ended = tokio::select! {
        ended = followed.end(wait) => ended,
        // Another door knows of the turn as well.
        () = door.0.setup.stop.cancelled() => None,
    };
    let ended = match ended {
        None => door.until_taken(&mut followed).await,
        ended => ended,
    };
    match ended {
        Some(ended) => Ok(Json(answered(ended)?).into_response()),
        None => Ok(running(&door, &turn)),
    }
}

/// The terminal event of a turn, however it ended.
pub(crate) async fn read(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Segments(turn): Segments<String>,
) -> Result<Response, Problem> {
    login.may(Scope::Ask)?;
    let turn = turn_named(turn)?;
    match door.ended(&login, &turn).await? {
        Some(ended) => Ok(Json(ended).into_response()),
        None => Ok(running(&door, &turn)),
    }
}

/// The events of a turn, behind `Last-Event-ID` if the client names one.
pub(crate) async fn events(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Segments(turn): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    login.may(Scope::Ask)?;
    let turn = turn_named(turn)?;
    let last = headers.get("last-event-id").map(|id| id.to_str());
    let after = match last {
        None | Some(Ok("")) => 0,
        // A browser tries again until it is told that there is no more.
        Some(Ok(events::END)) => return Ok(StatusCode::NO_CONTENT.into_response()),
        Some(id) => id
            .ok()
            .and_then(|id| id.parse::<u16>().ok())
            .map(u32::from)
            .ok_or_else(|| {
                Problem::bad("`Last-Event-ID`: want the id of an event of this stream")
            })?,
    };
    let followed = door.resume(&login, turn, after).await?;
    Ok(events::stream(&door, followed, None))
}

/// Cancels a turn.
pub(crate) async fn cancel(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Segments(turn): Segments<String>,
) -> Result<Response, Problem> {
    login.may(Scope::Ask)?;
    let turn = turn_named(turn)?;
    door.owned(&login, &turn).await?;
    client::cancel(&**door.bus(), &turn).await?;
    Ok(running(&door, &turn))
}

impl Door {
    /// Waits a little until a gateway has taken a question, so that who asks for its turn at once finds it. Returns the
    /// end of one that was refused.
    async fn until_taken(&self, followed: &mut Followed) -> Option<Terminal> {
        let turn = followed.events.turn().clone();
        let of = std::slice::from_ref(&turn);
        let (until, mut look) = (Instant::now() + TAKEN_MAX, TAKEN_LOOK);
        while Instant::now() < until {
            let states = streams::history::turn_states(&**self.bus(), of).await;
            if states.is_ok_and(|states| !states.is_empty()) {
                return None;
            }
            let ended = followed.end(look).await;
            if ended.is_some() {
                return ended;
            }
            look *= 2;
        }
        None
    }
}

/// Where a turn is asked for.
fn place_of(door: &Door, turn: &TurnId) -> String {
    format!("{}/api/turns/{turn}", door.0.setup.options.prefix)
}

fn running(door: &Door, turn: &TurnId) -> Response {
    let at = place_of(door, turn);
    let body = json!({"turn": turn.as_str(), "at": at, "events": format!("{at}/events")});
    (StatusCode::ACCEPTED, [(header::LOCATION, at)], Json(body)).into_response()
}

/// How long a request waits: as its client prefers, or `door.wait`.
pub(crate) fn wait_of(door: &Door, headers: &HeaderMap) -> Duration {
    let prefer = headers.get_all("prefer").iter();
    let prefer: Vec<&str> = prefer.filter_map(|value| value.to_str().ok()).collect();
    let wait = preferred(&prefer.join(","));
    wait.unwrap_or(door.0.setup.options.wait.duration())
        .min(WAIT_MAX)
}

/// How long the client wants to wait, as RFC 7240 says it: with `respond-async` alone not at all, with `wait` so many seconds, and
/// what cannot be read is as if it were not there.
fn preferred(prefer: &str) -> Option<Duration> {
    let words = || prefer.split([',', ';']).map(str::trim);
    let wait = words().find_map(|word| {
        let (name, seconds) = word.split_once('=')?;
        let is_wait = name.trim().eq_ignore_ascii_case("wait");
        let seconds = seconds.trim().trim_matches('"').parse::<u32>().ok();
        seconds.filter(|_| is_wait)
    });
    let is_async = words().any(|word| word.eq_ignore_ascii_case("respond-async"));
    let wait = wait.or(is_async.then_some(0))?;
    Some(Duration::from_secs(wait.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_a_client_wants_to_wait() {
        let seconds = |prefer| preferred(prefer).map(|wait| wait.as_secs());
        assert_eq!(seconds("respond-async"), Some(0));
        assert_eq!(seconds("respond-async, wait=9"), Some(9));
        assert_eq!(seconds("Wait=9, Respond-Async"), Some(9));
        assert_eq!(seconds("return=minimal; wait=20"), Some(20));
        for none in [
            "",
            "handling=lenient",
            "wait=soon",
            "wait=-1",
            "wait=99999999999",
        ] {
            assert_eq!(seconds(none), None, "{none}");
        }
        assert_eq!(seconds("respond-async, wait=soon"), Some(0));
    }
}
