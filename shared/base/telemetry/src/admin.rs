//! The admin endpoints of a process, on a port of their own: metrics and probes. They are small and read-only, and
//! have no authentication: bind them where only the cluster can reach them.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use crate::error::Error;
use crate::health::{HEARTBEAT_MAX, Health};
use crate::registry::Registry;

const HEARTBEAT_EVERY: Duration = Duration::from_secs(1);
/// How long open connections may take to end after shutdown.
const CLOSE_MAX: Duration = Duration::from_secs(2);

const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The admin endpoints, before they are bound.
#[derive(Debug, Clone, Copy)]
pub struct Admin;

/// The running admin endpoints.
#[derive(Debug)]
pub struct BoundAdmin {
    /// Where they listen, with the real port when 0 was asked for.
    pub local_addr: SocketAddr,
    server: JoinHandle<Result<(), Error>>,
    heartbeat: JoinHandle<()>,
    scrapes: watch::Receiver<u64>,
}

impl Admin {
    /// Listens on `addr` (port 0 takes any free one) and serves until `shutdown` is cancelled; then open connections
    /// get two seconds. Starts the heartbeat that `/livez` checks.
    ///
    /// `/metrics`: Prometheus text. `/livez`: 503 when the runtime did not turn for 30 s. `/readyz`:
    /// 503 unless ready, with every condition as JSON. `/startupz`: the same, 503 until setup is done.
    ///
    /// # Errors
    /// [`Error::PortTaken`] and [`Error::Bind`].
    pub async fn serve(
        addr: SocketAddr,
        health: Health,
        registry: Registry,
        shutdown: CancellationToken,
    ) -> Result<BoundAdmin, Error> {
        let (listener, local_addr) = bind(addr).await?;
        health.beat(Instant::now());
        let heartbeat = tokio::spawn(beat(health.clone(), shutdown.clone()));
        let (scraped, scrapes) = watch::channel(0);
        let routes = router(Shown {
            health,
            registry,
            scraped,
            silence_max: HEARTBEAT_MAX,
        });
        let server = tokio::spawn(run(listener, routes, shutdown));
        tracing::info!(%local_addr, "admin endpoints listening");
        Ok(BoundAdmin {
            local_addr,
            server,
            heartbeat,
            scrapes,
        })
    }
}

impl BoundAdmin {
    /// Returns after `/metrics` has been requested and encoded once more.
    pub async fn scraped_again(&self) {
        let mut scrapes = self.scrapes.clone();
        scrapes.mark_unchanged();
        // It fails when the endpoints have ended: there are no more requests.
        let _ = scrapes.changed().await;
    }

    /// Waits until the endpoints have ended, which happens when the token is cancelled.
    ///
    /// # Errors
    /// [`Error::Admin`] when they ended in another way.
    pub async fn join(self) -> Result<(), Error> {
        let failed = |error: tokio::task::JoinError| Error::Admin {
            reason: error.to_string(),
        };
        let served = self.server.await.map_err(failed)?;
        self.heartbeat.await.map_err(failed)?;
        served
    }
}

async fn bind(addr: SocketAddr) -> Result<(TcpListener, SocketAddr), Error> {
    let refused = |source: std::io::Error| match source.kind() {
        ErrorKind::AddrInUse => Error::PortTaken { addr },
        _ => Error::Bind { addr, source },
    };
    let listener = TcpListener::bind(addr).await.map_err(refused)?;
    let local_addr = listener.local_addr().map_err(refused)?;
    Ok((listener, local_addr))
}

async fn run(
    listener: TcpListener,
    routes: Router,
    shutdown: CancellationToken,
) -> Result<(), Error> {
    let closing = shutdown.clone();
    let server = axum::serve(listener, routes)
        .with_graceful_shutdown(async move { closing.cancelled().await })
        .into_future();
    let late = async {
        shutdown.cancelled().await;
        tokio::time::sleep(CLOSE_MAX).await;
    };
    tokio::select! {
        served = server => served.map_err(|error| Error::Admin { reason: error.to_string() }),
        () = late => {
            tracing::debug!("admin connections still open at the end");
            Ok(())
        }
    }
}

async fn beat(health: Health, shutdown: CancellationToken) {
    let mut ticks = tokio::time::interval(HEARTBEAT_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = ticks.tick() => health.beat(Instant::now()),
        }
    }
}

/// What the handlers look at.
#[derive(Clone)]
struct Shown {
    health: Health,
    registry: Registry,
    scraped: watch::Sender<u64>,
    silence_max: Duration,
}

fn router(shown: Shown) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .route("/livez", get(livez))
        .route("/readyz", get(readyz))
        .route("/startupz", get(startupz))
        .with_state(shown)
}

async fn metrics(State(shown): State<Shown>) -> Response {
    // Encoding thousands of series and reading /proc is no work for the runtime's threads.
    let registry = shown.registry.clone();
    let encoded = tokio::task::spawn_blocking(move || registry.encode()).await;
    match encoded {
        Ok(text) => {
            shown.scraped.send_modify(|scrapes| *scrapes += 1);
            ([(header::CONTENT_TYPE, METRICS_TYPE)], text).into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn livez(State(shown): State<Shown>) -> (StatusCode, &'static str) {
    if shown.health.is_alive(Instant::now(), shown.silence_max) {
        (StatusCode::OK, "alive\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "the runtime is stuck\n")
    }
}

async fn readyz(State(shown): State<Shown>) -> Response {
    let report = shown.health.report();
    (status(report.ready), Json(report)).into_response()
}

async fn startupz(State(shown): State<Shown>) -> Response {
    let report = shown.health.report();
    (status(report.started), Json(report)).into_response()
}

fn status(good: bool) -> StatusCode {
    match good {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    }
}

#[cfg(test)]
#[path = "admin_tests.rs"]
mod tests;
