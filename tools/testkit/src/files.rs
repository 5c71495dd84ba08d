//! A fake hub: it serves files over real HTTP, whole or from an offset on, and breaks off when a test tells it to.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use futures_util::stream;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// A fake hub, listening on a port of its own. Dropping it stops it.
pub struct FakeHub {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    _server: JoinSet<io::Result<()>>,
}

#[derive(Default)]
struct Shared {
    files: HashMap<String, Bytes>,
    cut_after: Option<usize>,
    asked: Vec<(String, usize)>,
}

impl FakeHub {
    /// Starts a hub with these files.
    pub async fn start(
        files: impl IntoIterator<Item = (&'static str, Vec<u8>)>,
    ) -> io::Result<FakeHub> {
        let files = files.into_iter();
        let shared = Arc::new(Mutex::new(Shared {
            files: files
                .map(|(name, bytes)| (name.to_owned(), bytes.into()))
                .collect(),
            ..Shared::default()
        }));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = Router::new()
            .route("/{*name}", get(serve))
            .with_state(shared.clone());
        let mut server = JoinSet::new();
        server.spawn(axum::serve(listener, router).into_future());
        Ok(FakeHub {
            address,
            shared,
            _server: server,
        })
    }

    /// Where it listens: `http://127.0.0.1:port`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Breaks off the next answer after this many bytes.
    pub fn cut_after(&self, bytes: usize) {
        self.shared().cut_after = Some(bytes);
    }

    /// The files that were requested, each with the first byte that was requested.
    pub fn asked(&self) -> Vec<(String, usize)> {
        self.shared().asked.clone()
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        lock(&self.shared)
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(
    State(shared): State<Arc<Mutex<Shared>>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    let range = headers.get(header::RANGE).and_then(|range| {
        let range = range.to_str().ok()?.strip_prefix("bytes=")?;
        range.strip_suffix('-')?.parse::<usize>().ok()
    });
    let mut shared = lock(&shared);
    shared.asked.push((name.clone(), range.unwrap_or(0)));
    let Some(bytes) = shared.files.get(&name).cloned() else {
        return answer(StatusCode::NOT_FOUND, 0, Body::empty());
    };
    let (status, rest) = match range {
        None => (StatusCode::OK, bytes),
        Some(from) if from < bytes.len() => (StatusCode::PARTIAL_CONTENT, bytes.slice(from..)),
        Some(_) => return answer(StatusCode::RANGE_NOT_SATISFIABLE, 0, Body::empty()),
    };
    let length = rest.len();
    let Some(cut) = shared.cut_after.take() else {
        return answer(status, length, Body::from(rest));
    };
    let broken = io::Error::from(io::ErrorKind::ConnectionReset);
    let pieces = stream::iter([Ok(rest.slice(..cut.min(length))), Err(broken)]);
    answer(status, length, Body::from_stream(pieces))
}

fn answer(status: StatusCode, length: usize, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_LENGTH, length.into());
    response
}
