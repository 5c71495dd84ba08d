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
//! | `accept` | the connections, and what they may take |
//! | `access` | who asks: logins, hosts and origins that are let in |
//! | `asking` | a question on its way in, and its end: what every door does |
//! | `places` | how many requests there may be at a time, and how many of one login |
//! | `problem` | why a request failed, in the shape of RFC 9457 |
//! | `http` | questions, events, corpus and conversations |
//! | `mcp` | MCP: the tools search, fetch and ask, and documents as resources |
//! | `openai` | the shapes of OpenAI: models, chat completions, responses |
//! | `webhook` | endpoints that are told of the ends of turns |
//! | `page` | the page at `/`: a chat over the corpus |
//! | `metrics` | what is counted |

mod accept;
mod access;
mod asking;
mod http;
mod mcp;
mod metrics;
mod openai;
mod options;
mod page;
mod places;
mod problem;
mod webhook;

pub(crate) use access::Login;
pub use access::{ApiKey, KeyFile, KeyFileError, Logins, LoginsError, OidcOptions, Scope};
pub use http::conversations::{ConversationError, Conversations, Fork};
pub use http::fleet::{Fleet, FleetError};
pub use metrics::Metrics;
pub use options::Options;
pub use webhook::{CallError, Webhook, WebhookFile, WebhookFileError, WebhookSecret};

use accept::{CLOSE_MAX, Limits};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use bus::Bus;
use http::files::Hashes;
use places::Places;
use std::path::PathBuf;
use std::sync::Arc;
use streams::client::Ends;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Documents that may be on their way in at a time: each is held in memory.
const UPLOADS: usize = 4;
/// Files that may be on their way out at a time.
const DOWNLOADS: usize = 64;
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
    /// Looks at the fleet.
    pub fleet: Arc<dyn Fleet>,
    /// The section `door` of the configuration.
    pub options: Options,
    /// Who is let in.
    pub logins: Logins,
    /// What is counted.
    pub metrics: Metrics,
    /// Whether documents are taken. Where not, they come from a folder.
    pub takes_documents: bool,
    /// The folder of the corpus, where the documents of the tenant `default` come from one; else files are those of
    /// [`Options::files`].
    pub folder: Option<PathBuf>,
    /// Tells the door to stop.
    pub stop: CancellationToken,
}

struct Parts {
    setup: Setup,
    /// The ends of the turns that were asked for here.
    ends: Arc<Ends>,
    /// Requests that may wait for a turn, or follow one, at a time.
    rooms: Arc<Places>,
    /// Ends of turns that nobody waits for, and whose tokens are counted, that may be looked for at a time.
    endings: Arc<Places>,
    /// Documents that may be on their way in at a time.
    uploads: Arc<Places>,
    /// Files that may be on their way out at a time.
    downloads: Arc<Places>,
    /// What files are known to be.
    hashes: Hashes,
    /// What is done for clients that have gone.
    afterwards: TaskTracker,
}

impl Door {
    /// A door. Its event streams end when it is told to stop, and their clients take them up elsewhere.
    pub fn new(setup: Setup) -> Door {
        let limit = i64::from(setup.options.streams);
        setup.metrics.following_limit.set(limit);
        Door(Arc::new(Parts {
            ends: Ends::new(setup.bus.clone()),
            rooms: Places::new(
                "requests that wait (`door.streams`)",
                setup.options.streams as usize,
            ),
            endings: Places::new("ends that are looked for", setup.options.streams as usize),
            uploads: Places::new("documents on their way in", UPLOADS),
            downloads: Places::new("files on their way out", DOWNLOADS),
            hashes: Hashes::default(),
            afterwards: TaskTracker::new(),
            setup,
        }))
    }

    /// Everything that is served.
    fn router(self) -> Router {
        let layer = axum::middleware::from_fn_with_state(self.clone(), access::admit);
        Router::new()
            .merge(access::routes())
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
        let parts = self.0.clone();
        if let Some(path) = parts.setup.options.webhooks.clone() {
            parts
                .afterwards
                .spawn(webhook::watch::run(self.clone(), path));
        }
        if parts.setup.logins.issuer().is_some() {
            let (stop, of) = (parts.setup.stop.clone(), parts.clone());
            let keep = async move { of.setup.logins.keep().await };
            parts.afterwards.spawn(stop.run_until_cancelled_owned(keep));
        }
        let limits = Limits::of(parts.setup.options.streams);
        let served = accept::serve(listener, self.router(), limits, parts.setup.stop.clone()).await;
        let afterwards = &parts.afterwards;
        afterwards.close();
        let _ = tokio::time::timeout(CLOSE_MAX, afterwards.wait()).await;
        served
    }

    fn bus(&self) -> &Arc<dyn Bus> {
        &self.0.setup.bus
    }
}
