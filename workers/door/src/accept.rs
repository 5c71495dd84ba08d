//! The connections of a door: accepted, bounded in number, and closed when they do not say in time what they want.
//!
//! `axum::serve` does not do: it waits for a head for ever, and takes twice the memory for an open stream. For each
//! connection it copies all routes (a copy of a [`Router`] shares them), and the bytes that it has read to tell HTTP/1 from
//! HTTP/2 make hyper's buffer grow to the double. So the first bytes are looked at here, and left where they are.

use axum::Router;
use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long open requests may take after the door was told to stop.
pub(crate) const CLOSE_MAX: Duration = Duration::from_secs(10);
/// Most bytes of a head.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// How often a client of HTTP/2 is asked whether it is there.
const PING_EVERY: Duration = Duration::from_secs(20);
/// Most requests at once of a connection; a page has a handful.
const REQUESTS_MAX: u32 = 32;
/// After how long it is looked again for the rest of what may be the first bytes of HTTP/2; each time twice as long, up to
/// the second.
const LOOK_EVERY: Duration = Duration::from_millis(5);
const LOOK_MAX: Duration = Duration::from_millis(200);
/// After how long another connection is accepted when the system had no room for one.
const NO_ROOM: Duration = Duration::from_secs(1);
/// The first bytes of HTTP/2 (RFC 9113, 3.4).
const HTTP2: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What connections may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Connections at a time. Others wait to be accepted.
    pub(crate) connections: usize,
    /// Time until the first head is there, whole.
    pub(crate) head: Duration,
    /// Time from a response to the end of the next head: longer than proxies keep a connection, so that none is closed
    /// while a request is on its way.
    pub(crate) idle: Duration,
}

impl Limits {
    /// Those of a door with so many places for requests that wait.
    pub(crate) fn of(places: u32) -> Limits {
        Limits {
            connections: places as usize + 1_000,
            head: Duration::from_secs(30),
            idle: Duration::from_secs(90),
        }
    }
}

/// What all connections share.
struct Server {
    http1: Builder<TokioExecutor>,
    http2: Builder<TokioExecutor>,
    router: Router,
    limits: Limits,
    stop: CancellationToken,
}

/// Serves until `stop`; then open requests get [`CLOSE_MAX`].
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    stop: CancellationToken,
) -> io::Result<()> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.idle)
        .max_buf_size(HEAD_BYTES_MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(REQUESTS_MAX)
        .keep_alive_interval(PING_EVERY);
    let server = Arc::new(Server {
        http1: builder.clone().http1_only(),
        http2: builder.http2_only(),
        router,
        limits,
        stop,
    });
    let rooms = Arc::new(Semaphore::new(limits.connections));
    let connections = TaskTracker::new();
    loop {
        let (stream, room) = tokio::select! {
            biased;
            () = server.stop.cancelled() => break,
            accepted = accept(&listener, &rooms) => accepted?,
        };
        let server = server.clone();
        connections.spawn(async move {
            let _room = room;
            connection(&server, stream).await;
        });
    }
    drop(listener);
    connections.close();
    connections.wait().await;
    Ok(())
}

async fn accept(
    listener: &TcpListener,
    rooms: &Arc<Semaphore>,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let room = rooms.clone().acquire_owned().await;
    let room = room.map_err(io::Error::other)?;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return Ok((stream, room)),
            // One that was closed while it waited.
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
            Err(error) => {
                tracing::error!(%error, "no connection is accepted for a second");
                tokio::time::sleep(NO_ROOM).await;
            }
        }
    }
}

/// Serves one connection to its end.
async fn connection(server: &Server, stream: TcpStream) {
    // An event that waits for the one after it comes late.
    let _ = stream.set_nodelay(true);
    let mut late = pin!(tokio::time::sleep(server.limits.head));
    let builder = tokio::select! {
        is_http2 = is_http2(&stream) => match is_http2 {
            Ok(true) => &server.http2,
            Ok(false) => &server.http1,
            Err(_) => return,
        },
        () = late.as_mut() => return,
        () = server.stop.cancelled() => return,
    };
    let open = Open::default();
    let router = TowerToHyperService::new(server.router.clone());
    let service = service_fn(|request| {
        let asked = open.asked();
        let answer = router.call(request);
        async move {
            let response = answer.await?;
            Ok::<_, Infallible>(response.map(|body| {
                Body::new(Answering {
                    body,
                    _asked: asked,
                })
            }))
        }
    });
    let mut served = pin!(builder.serve_connection(TokioIo::new(stream), service));
    loop {
        tokio::select! {
            _ = served.as_mut() => return,
            () = late.as_mut() => match open.idle() {
                None => return,
                Some(idle) if idle >= server.limits.idle => break,
                Some(idle) => {
                    let rest = server.limits.idle - idle;
                    late.as_mut().reset(Instant::now() + rest);
                }
            },
            () = server.stop.cancelled() => break,
        }
    }
    served.as_mut().graceful_shutdown();
    let _ = tokio::time::timeout(CLOSE_MAX, served).await;
}

/// The requests of a connection that are under way. A client of HTTP/2 keeps its connection by answering pings, and
/// hyper closes none that is idle.
#[derive(Debug, Clone, Default)]
struct Open(Arc<Mutex<Requests>>);

#[derive(Debug, Default)]
struct Requests {
    open: usize,
    /// When one last began or ended; `None` before the first.
    last: Option<Instant>,
}

impl Open {
    fn asked(&self) -> Asked {
        self.changed(|open| open + 1);
        Asked(self.clone())
    }

    fn changed(&self, to: impl Fn(usize) -> usize) {
        let mut requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        requests.open = to(requests.open);
        requests.last = Some(Instant::now());
    }

    /// For how long nothing has been asked or answered; `None` if nothing ever was.
    fn idle(&self) -> Option<Duration> {
        let requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        requests.last.map(|last| match requests.open {
            0 => last.elapsed(),
            _ => Duration::ZERO,
        })
    }
}

/// One request, until its response has gone out or nobody wants it.
struct Asked(Open);

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.changed(|open| open.saturating_sub(1));
    }
}

/// The body of a response, with the request that it answers.
struct Answering {
    body: Body,
    _asked: Asked,
}

impl hyper::body::Body for Answering {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Whether a client begins with the first bytes of HTTP/2. They are not read.
async fn is_http2(stream: &TcpStream) -> io::Result<bool> {
    let mut first = [0; HTTP2.len()];
    let mut pause = LOOK_EVERY;
    loop {
        let seen = stream.peek(&mut first).await?;
        if seen == 0 || !HTTP2.starts_with(&first[..seen]) {
            return Ok(false);
        }
        if seen == HTTP2.len() {
            return Ok(true);
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LOOK_MAX);
    }
}

#[cfg(test)]
#[path = "accept_tests.rs"]
mod tests;
