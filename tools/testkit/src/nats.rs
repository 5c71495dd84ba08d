//! A real nats-server per test: found, or fetched once into the user's cache.
//!
//! Nothing here skips a test when there is no server: it panics with the reason, so that a run without NATS cannot
//! look like a pass.

use nats_server::{self as server, Cluster, Options, Server, ServerError};
use settings::sources::{cache_dir, variable};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A server with its own store; dropping this ends the server and removes the store.
#[derive(Debug)]
pub struct TestServer {
    server: Server,
    _store: TempDir,
}

impl Deref for TestServer {
    type Target = Server;
    fn deref(&self) -> &Server {
        &self.server
    }
}

impl DerefMut for TestServer {
    fn deref_mut(&mut self) -> &mut Server {
        &mut self.server
    }
}

/// Three servers that replicate each other; dropping this ends them and removes their stores.
#[derive(Debug)]
pub struct TestCluster {
    cluster: Cluster,
    _store: TempDir,
}

impl Deref for TestCluster {
    type Target = Cluster;
    fn deref(&self) -> &Cluster {
        &self.cluster
    }
}

impl TestCluster {
    /// The folder in which the servers keep their stores.
    pub fn store(&self) -> &Path {
        self._store.path()
    }
}

impl DerefMut for TestCluster {
    fn deref_mut(&mut self) -> &mut Cluster {
        &mut self.cluster
    }
}

/// Starts a server with an empty store on a free port.
///
/// # Panics
/// When there is no server to be had or it does not start.
pub async fn server() -> TestServer {
    server_with(|_| {}).await
}

/// The same with other options than the default ones.
///
/// # Panics
/// As [`server()`].
pub async fn server_with(change: impl FnOnce(&mut Options)) -> TestServer {
    let store = store();
    let mut options = Options::new(binary().await, store.path());
    change(&mut options);
    let server = Server::start(options).await;
    TestServer {
        server: server.unwrap_or_else(|error| panic!("no nats-server: {error}")),
        _store: store,
    }
}

/// Starts three servers as one cluster.
///
/// # Panics
/// As [`server()`].
pub async fn cluster() -> TestCluster {
    let store = store();
    let cluster = Cluster::start(&binary().await, store.path(), 3).await;
    TestCluster {
        cluster: cluster.unwrap_or_else(|error| panic!("no nats cluster: {error}")),
        _store: store,
    }
}

/// The nats-server binary: `ARGOSY_NATS_SERVER`, `PATH`, the cache, or downloaded into the cache.
///
/// # Panics
/// When it can neither be found nor fetched.
pub async fn binary() -> PathBuf {
    let found = tokio::task::spawn_blocking(|| {
        let explicit = variable("ARGOSY_NATS_SERVER").map(PathBuf::from);
        let search_path = variable("PATH");
        let cache = cache_dir("argosy");
        match server::find(explicit.as_deref(), search_path.as_deref(), Some(&cache)) {
            Err(ServerError::NotFound) => server::fetch(&cache),
            other => other,
        }
    });
    match found.await {
        Ok(Ok(binary)) => binary,
        Ok(Err(error)) => panic!("no nats-server: {error}"),
        Err(error) => panic!("no nats-server: the search failed: {error}"),
    }
}

fn store() -> TempDir {
    tempfile::Builder::new()
        .prefix("argosy-nats-")
        .tempdir()
        .unwrap_or_else(|error| panic!("no folder for a nats-server: {error}"))
}
