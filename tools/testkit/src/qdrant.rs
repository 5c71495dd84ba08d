//! A fake Qdrant server: it speaks the wire protocol of the real one, through the server traits of its client, over
//! vectors that it compares one by one.
//!
//! It knows the calls and the conditions that this project uses, according to the documentation of Qdrant, and
//! replies `Unimplemented` to all others. It has no approximation, no disk and no cluster: tests that depend on
//! those need a real server.
//!
//! It can also behave like an older server: it then ignores or refuses what that version does not know, with the same
//! error texts ([`FakeQdrant::set_version`]).

/// The methods of a service that nobody here calls, in the form that `tonic::async_trait` gives to the others.
macro_rules! unused_calls {
    ($($call:ident: $request:ident -> $reply:ident;)+) => {$(
        fn $call<'life0, 'async_trait>(
            &'life0 self,
            _: tonic::Request<$request>,
        ) -> futures_util::future::BoxFuture<'async_trait, Answer<$reply>>
        where
            'life0: 'async_trait,
            Self: 'async_trait,
        {
            let text = concat!("the fake does not know `", stringify!($call), "`");
            Box::pin(std::future::ready(Err(tonic::Status::unimplemented(text))))
        }
    )+};
}

mod collections;
mod filter;
mod older;
mod points;
mod store;

use qdrant_client::qdrant::collections_server::CollectionsServer;
use qdrant_client::qdrant::points_server::PointsServer;
use qdrant_client::qdrant::qdrant_server::{Qdrant, QdrantServer};
use qdrant_client::qdrant::{Filter, HealthCheckReply, HealthCheckRequest};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::Store;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

pub use tonic::Code;

/// A fake server, listening on a port of its own. Dropping it stops it.
pub struct FakeQdrant {
    address: SocketAddr,
    shared: Arc<Shared>,
    /// Aborted rather than drained: a stalled call would hold it for ever.
    _server: JoinSet<Result<(), tonic::transport::Error>>,
}

/// What the server does with a call instead of answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QdrantFault {
    /// Answers with this code.
    Refuse(Code),
    /// Rejects the call because there are too many, and asks to come back after this many seconds.
    Busy(u64),
    /// Never answers.
    Stall,
}

struct Shared {
    api_key: String,
    inner: Mutex<Inner>,
}

struct Inner {
    version: String,
    store: Store,
    faults: VecDeque<QdrantFault>,
    calls: Vec<(&'static str, usize)>,
}

impl FakeQdrant {
    /// Starts an empty server.
    pub async fn start() -> io::Result<FakeQdrant> {
        FakeQdrant::start_with_key("").await
    }

    /// Starts an empty server that requires this API key, or no key if it is empty.
    pub async fn start_with_key(api_key: &str) -> io::Result<FakeQdrant> {
        let shared = Arc::new(Shared {
            api_key: api_key.to_owned(),
            inner: Mutex::new(Inner {
                version: "1.20.0".into(),
                store: Store::default(),
                faults: VecDeque::new(),
                calls: Vec::new(),
            }),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let server = tonic::transport::Server::builder()
            .add_service(QdrantServer::new(Service(shared.clone())))
            .add_service(CollectionsServer::new(Service(shared.clone())))
            .add_service(PointsServer::new(Service(shared.clone())));
        let mut tasks = JoinSet::new();
        tasks.spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
        Ok(FakeQdrant {
            address,
            shared,
            _server: tasks,
        })
    }

    /// Where it listens: `http://127.0.0.1:port`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Behaves like this version from now on, as far as the calls of this project differ: prefixes and tiers of memory
    /// exist from 1.19 on, substrings from 1.20 on. At first `1.20.0`.
    pub fn set_version(&self, version: &str) {
        self.shared.inner().version = version.to_owned();
    }

    /// Shows these faults to the next calls, one for each call. The client repeats a call once if the code may mean
    /// that its connection is broken.
    pub fn script(&self, faults: impl IntoIterator<Item = QdrantFault>) {
        self.shared.inner().faults.extend(faults);
    }

    /// The calls so far, with the number of points in those that write some.
    pub fn calls(&self) -> Vec<(&'static str, usize)> {
        self.shared.inner().calls.clone()
    }
}

impl Inner {
    /// Refuses a filter that a server of this version cannot read.
    fn reads(&self, filter: Option<&Filter>) -> Result<(), Status> {
        filter.map_or(Ok(()), |filter| older::reads(&self.version, filter))
    }
}

impl Shared {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call begins: with so many points.
    async fn enter<T>(
        &self,
        request: &Request<T>,
        call: &'static str,
        points: usize,
    ) -> Result<(), Status> {
        let key = request.metadata().get("api-key");
        let key = key.and_then(|key| key.to_str().ok()).unwrap_or_default();
        if key != self.api_key {
            return Err(Status::unauthenticated("invalid api key"));
        }
        let fault = {
            let mut inner = self.inner();
            inner.calls.push((call, points));
            inner.faults.pop_front()
        };
        match fault {
            None => Ok(()),
            Some(QdrantFault::Refuse(code)) => Err(Status::new(code, "as the test wants it")),
            Some(QdrantFault::Busy(seconds)) => {
                let mut status = Status::resource_exhausted("too many calls");
                status.metadata_mut().insert("retry-after", seconds.into());
                Err(status)
            }
            Some(QdrantFault::Stall) => std::future::pending().await,
        }
    }
}

/// The services, which share one state.
struct Service(Arc<Shared>);

/// What a call answers.
type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl Qdrant for Service {
    async fn health_check(&self, request: Request<HealthCheckRequest>) -> Answer<HealthCheckReply> {
        self.0.enter(&request, "health_check", 0).await?;
        Ok(Response::new(HealthCheckReply {
            title: "fake qdrant".into(),
            version: self.0.inner().version.clone(),
            commit: None,
        }))
    }
}
