//! The front doors of a fleet, on one port: HTTP with event streams under `/api`, the shapes of OpenAI under `/v1`, MCP
//! under `/mcp`, and a page at `/`.
//!
//! A door is a client of the fleet like any other: it publishes questions, listens, and reads what is stored. It holds
//! nothing that another process could not know, so that a stream which broke off here goes on there. *Not* here: the
//! fleet, and how the process is started (`argosy serve`).
//!
//! | module | what |
//! |---|---|
//! | [`Options`] | the section `door` of the configuration |
//! | `access` | who asks: logins, hosts and origins that are let in |
//! | `asking` | a question on its way in, and its end: what every door does |
//! | `problem` | why a request failed, in the shape of RFC 9457 |
//! | `http` | questions, events, corpus and conversations |
//! | `mcp` | MCP: the tools search, fetch and ask, and documents as resources |
//! | `openai` | the shapes of OpenAI: models, chat completions, responses |
//! | `page` | the page at `/`: a chat over the corpus |
//! | `metrics` | what is counted |

mod access;
mod asking;
mod http;
mod mcp;
mod metrics;
mod openai;
mod options;
mod page;
mod problem;

pub(crate) use access::Login;
pub use access::{ApiKey, KeyFile, KeyFileError, Logins, Scope};
pub use http::conversations::{ConversationError, Conversations};
pub use metrics::Metrics;
pub use options::Options;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::serve::ListenerExt;
use bus::Bus;
use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long open requests may take after the door was told to stop.
const CLOSE_MAX: Duration = Duration::from_secs(10);
/// Documents that may be on their way in at a time: each is held in memory.
const UPLOADS: usize = 4;
/// Most bytes of a request that is no document.
const BODY_MAX: usize = 256 * 1024;

/// What the handlers share.
#[derive(Clone)]
pub struct Door(Arc<Parts>);

/// What a door is made of.
pub struct Setup {
    /// The bus of the fleet.
    pub bus: Arc<dyn Bus>,
    /// The conversations of the fleet.
    pub conversations: Arc<dyn Conversations>,
    /// The section `door` of the configuration.
    pub options: Options,
    /// Who is let in.
    pub logins: Logins,
    /// What is counted.
    pub metrics: Metrics,
    /// Whether documents are taken. Where not, they come from a folder.
    pub takes_documents: bool,
    /// Tells the door to stop.
    pub stop: CancellationToken,
}

struct Parts {
    setup: Setup,
    /// Requests that may wait for a turn, or follow one, at a time.
    rooms: Arc<Semaphore>,
    /// Documents that may be on their way in at a time.
    uploads: Arc<Semaphore>,
    /// What is done for clients that have gone.
    afterwards: TaskTracker,
}

impl Door {
    /// A door. Its event streams end when it is told to stop, and their clients take them up elsewhere.
    pub fn new(setup: Setup) -> Door {
        Door(Arc::new(Parts {
            rooms: Arc::new(Semaphore::new(setup.options.streams as usize)),
            uploads: Arc::new(Semaphore::new(UPLOADS)),
            afterwards: TaskTracker::new(),
            setup,
        }))
    }

    /// Everything that is served.
    fn router(self) -> Router {
        let layer = axum::middleware::from_fn_with_state(self.clone(), access::admit);
        Router::new()
            .merge(http::routes())
            .merge(page::routes())
            .merge(mcp::routes(&self))
            .merge(openai::routes())
            .fallback(problem::no_such_path)
            .method_not_allowed_fallback(problem::no_such_method)
            .layer(DefaultBodyLimit::max(BODY_MAX))
            .layer(layer)
            .with_state(self)
    }

    /// Serves until the token of its [`Setup`] is cancelled; then open requests get 10 s.
    ///
    /// # Errors
    /// When the listener fails.
    pub async fn serve(self, listener: TcpListener) -> std::io::Result<()> {
        let stop = self.0.setup.stop.clone();
        let afterwards = self.0.afterwards.clone();
        let closing = stop.clone();
        // An event that waits for the one after it comes late.
        let listener = listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        let server = axum::serve(listener, self.router())
            .with_graceful_shutdown(async move { closing.cancelled().await })
            .into_future();
        let late = async {
            stop.cancelled().await;
            tokio::time::sleep(CLOSE_MAX).await;
        };
        let served = tokio::select! {
            served = server => served,
            () = late => Ok(()),
        };
        afterwards.close();
        let _ = tokio::time::timeout(CLOSE_MAX, afterwards.wait()).await;
        served
    }

    fn bus(&self) -> &Arc<dyn Bus> {
        &self.0.setup.bus
    }
}
