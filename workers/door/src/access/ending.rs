//! Ends what a login waits for when the login ends: a request, and a stream that has begun.

use crate::Door;
use crate::access::{Login, Proof};
use crate::problem::Problem;
use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use std::future::Future;
use std::time::Duration;

/// How often it is looked whether a login that waits is still good.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The response to a login, or why it is none any more. A stream of events breaks off with it; its client hears why when it
/// comes again.
pub(super) async fn with(
    door: &Door,
    login: Login,
    response: impl Future<Output = Response>,
) -> Response {
    let response = match waiting(door, &login, response).await {
        Ok(response) => response,
        Err(problem) => return problem.into_response(),
    };
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    if !is_stream || login.proof == Proof::None {
        return response;
    }
    let ended = ended(door.clone(), login);
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(ended)))
}

/// What a login waits for, or why it is none any more.
pub(crate) async fn waiting<T>(
    door: &Door,
    login: &Login,
    work: impl Future<Output = T>,
) -> Result<T, Problem> {
    tokio::select! {
        biased;
        done = work => Ok(done),
        problem = ended(door.clone(), login.clone()) => Err(problem),
    }
}

async fn ended(door: Door, login: Login) -> Problem {
    if login.proof == Proof::None {
        return std::future::pending().await;
    }
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        if let Err(problem) = door.0.setup.logins.still(&login) {
            return problem;
        }
    }
}
