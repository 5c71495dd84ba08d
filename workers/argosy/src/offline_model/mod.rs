//! Serves the offline reader over HTTP, with the API of OpenAI: for tests, for the demonstration, and for anyone who
//! wants to see the real messages without a model.
//!
//! Its one model is called `offline-extractive`, and it refuses prompts that are not this project's. The size of a
//! body, the time for reading it and the number of calls at once are limited; a call above that number gets the
//! status 429. *Not* a model server for other programs: it has no API keys, no tools, and one choice per reply.
//!
//! | module | what |
//! |---|---|
//! | `shape` | reads and writes the bodies, pure |

mod shape;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream;
use offline_reader::OfflineReader;
use shape::{Call, Refusal};
use std::convert::Infallible;
use std::future::{Future, IntoFuture};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Largest body of a request, in bytes.
const BODY_BYTES_MAX: usize = 1024 * 1024;
/// The most time for a body to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);
/// How long open connections may take to end after the stop.
const CLOSE_MAX: Duration = Duration::from_secs(5);

struct Shared {
    reader: OfflineReader,
    slots: Semaphore,
}

/// Listens on `listen`, and returns the address with a future that serves until `stop` is cancelled. Calls that have
/// begun are then still answered, for five seconds at most.
///
/// # Errors
/// When the address cannot be listened on.
pub async fn serve(
    listen: SocketAddr,
    slots: usize,
    stop: CancellationToken,
) -> io::Result<(
    SocketAddr,
    impl Future<Output = io::Result<()>> + Send + use<>,
)> {
    let listener = TcpListener::bind(listen).await?;
    let address = listener.local_addr()?;
    let shared = Arc::new(Shared {
        reader: OfflineReader::new(),
        slots: Semaphore::new(slots),
    });
    Ok((address, run(listener, router(shared), stop)))
}

async fn run(listener: TcpListener, router: Router, stop: CancellationToken) -> io::Result<()> {
    let closing = stop.clone();
    let server = axum::serve(listener, router)
        .with_graceful_shutdown(async move { closing.cancelled().await })
        .into_future();
    let late = async {
        stop.cancelled().await;
        tokio::time::sleep(CLOSE_MAX).await;
    };
    tokio::select! {
        served = server => served,
        () = late => Ok(()),
    }
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(chat))
        .route(
            "/v1/models",
            get(async || json(StatusCode::OK, shape::models())),
        )
        .route("/health", get(async || "ok\n"))
        .fallback(nothing_here)
        .method_not_allowed_fallback(nothing_here)
        .with_state(shared)
}

async fn nothing_here(request: Request) -> Response {
    refused(&Refusal::no_such_place(
        request.method().as_str(),
        request.uri().path(),
    ))
}

async fn chat(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let Ok(_slot) = shared.slots.try_acquire() else {
        return refused(&Refusal::busy());
    };
    let reading = tokio::time::timeout(BODY_TIME, to_bytes(request.into_body(), BODY_BYTES_MAX));
    let body = match reading.await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return refused(&Refusal::too_large(BODY_BYTES_MAX)),
        Err(_) => return refused(&Refusal::too_slow(BODY_TIME.as_secs())),
    };
    let answered = Call::read(&body).and_then(|call| {
        let answer = call.answer(&shared.reader)?;
        Ok((call, answer))
    });
    match answered {
        Err(refusal) => refused(&refusal),
        Ok((call, answer)) if call.is_streamed() => {
            let pieces = call.pieces(&answer).into_iter().map(Ok::<_, Infallible>);
            let kind = [(header::CONTENT_TYPE, "text/event-stream")];
            (kind, Body::from_stream(stream::iter(pieces))).into_response()
        }
        Ok((call, answer)) => json(StatusCode::OK, call.whole(&answer)),
    }
}

fn refused(refusal: &Refusal) -> Response {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
    let response = json(status, refusal.body());
    match status {
        StatusCode::TOO_MANY_REQUESTS => ([(header::RETRY_AFTER, "1")], response).into_response(),
        _ => response,
    }
}

fn json(status: StatusCode, body: String) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, body).into_response()
}

#[cfg(test)]
#[path = "offline_model_tests.rs"]
mod tests;
