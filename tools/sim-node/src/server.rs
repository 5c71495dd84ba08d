//! The node: an engine behind HTTP, and a record of the requests that it received.

use crate::answer::Lengths;
use crate::behaviour::Behaviour;
use crate::calls;
use crate::door::{Door, Hours, Reset};
use crate::engine::EngineLoad;
use crate::metrics::MetricsDialect;
use crate::overflow::OverflowWording;
use crate::params::Params;
use crate::request::PromptText;
use crate::works::Works;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// The settings of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The time that each kind of work takes.
    pub params: Params,
    /// The model's name at `/v1/models`. Default `sim`.
    pub model: String,
    /// The lengths of answers, if no closure makes the answers.
    pub lengths: Lengths,
    /// Seed of these lengths: nodes with the same seed give a prompt the same answer. Default 0.
    pub seed: u64,
    /// How many tokens are sent together, after the first token, which is sent at once. Real servers send each token by
    /// itself; fewer pieces cost less of the machine under load. Default 1.
    pub chunk_tokens: u32,
    /// Most tokens of a prompt. Default 32,768.
    pub context_tokens: u32,
    /// The server whose treatment of longer prompts the node copies. Ollama cuts them to its context without an error.
    /// Default vLLM.
    pub server: OverflowWording,
    /// The server whose metrics it shows. Default vLLM.
    pub metrics: MetricsDialect,
    /// Whether it refuses requests for the probabilities of tokens, as servers without them do. Those that it says
    /// are made up: each token has 1/2. Default false.
    pub refuses_likely: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            params: Params::default(),
            model: "sim".into(),
            lengths: Lengths::default(),
            seed: 0,
            chunk_tokens: 1,
            context_tokens: 32_768,
            server: OverflowWording::Vllm,
            metrics: MetricsDialect::default(),
            refuses_likely: false,
        }
    }
}

/// Counts of what a node has done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NodeCounts {
    /// Calls of completions and embeddings that arrived, whatever their outcome.
    pub calls: u64,
    /// Calls that are being worked on or wait.
    pub in_flight: u64,
    /// The most calls that were in flight at once.
    pub busiest: u64,
    /// Calls whose answer was sent whole, refusals included.
    pub finished: u64,
    /// Calls that ended early because the client or the connection went away.
    pub abandoned: u64,
    /// Tokens of the prompts that were answered.
    pub prompt_tokens: u64,
    /// How many of these tokens were cached.
    pub cached_tokens: u64,
    /// Tokens of the answers.
    pub answer_tokens: u64,
}

/// What a node answers.
pub(crate) type Answer = Box<dyn Fn(&PromptText) -> String + Send + Sync>;

/// What the handlers of a node share.
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) answer: Answer,
    pub(crate) works: Arc<Works>,
    behaviour: Mutex<Behaviour>,
    seen: watch::Sender<NodeCounts>,
}

/// A simulated node, listening on a port of its own. Dropping it ends it.
pub struct SimNode {
    address: SocketAddr,
    shared: Arc<Shared>,
    hours: watch::Sender<Hours>,
    /// The engine's clock and the server.
    _tasks: JoinSet<()>,
}

impl SimNode {
    /// Starts a node that answers with filler, in the shape that the mapper reads.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn start(options: Options) -> io::Result<Self> {
        let (lengths, seed) = (options.lengths, options.seed);
        Self::answering(options, move |prompt| lengths.answer(seed, prompt)).await
    }

    /// Starts a node that answers with the text that `answer` makes of a prompt; the length of the text decides how
    /// long the call takes.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn answering(
        options: Options,
        answer: impl Fn(&PromptText) -> String + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let works = Works::new(options.params, options.chunk_tokens);
        let (hours, door_hours) = watch::channel(Hours::ALWAYS);
        let dying = works.clone();
        let door = Door::open(door_hours, move || dying.restart()).await?;
        let address = door.address();
        let shared = Arc::new(Shared {
            options,
            answer: Box::new(answer),
            works: works.clone(),
            behaviour: Mutex::new(Behaviour::Healthy),
            seen: watch::Sender::new(NodeCounts::default()),
        });
        let router = calls::router(shared.clone());
        let service = router.into_make_service_with_connect_info::<Reset>();
        let mut tasks = JoinSet::new();
        tasks.spawn(works.run());
        tasks.spawn(async move {
            // It has no end but that of the task.
            let _ = axum::serve(door, service).await;
        });
        Ok(SimNode {
            address,
            shared,
            hours,
            _tasks: tasks,
        })
    }

    /// Where it listens: `http://127.0.0.1:port`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Switches to this behaviour.
    pub fn behave(&self, behaviour: Behaviour) {
        *self.shared.behaviour() = behaviour;
        self.shared.works.slow_down(match behaviour {
            Behaviour::Slow(factor) => factor,
            _ => 1.0,
        });
        let flapping = match behaviour {
            Behaviour::Flapping(up, down) => Some((Instant::now(), up, down)),
            _ => None,
        };
        self.hours.send_modify(|hours| hours.flapping = flapping);
    }

    /// Stops and starts again after `down`: calls in flight are dropped, the cache is empty, and connections are
    /// refused meanwhile.
    pub fn restart(&self, down: Duration) {
        // Even the shortest restart has a moment without a listener.
        let until = Instant::now() + down.max(Duration::from_millis(1));
        self.hours
            .send_modify(|hours| hours.gone_until = Some(until));
    }

    /// What the node has done so far.
    pub fn seen(&self) -> NodeCounts {
        *self.shared.seen.borrow()
    }

    /// The load of its engine.
    pub fn load(&self) -> EngineLoad {
        self.shared.works.load()
    }

    /// Waits, at most `patience`, until `wanted` is true of the counts; `None` if it does not become true.
    pub async fn until(
        &self,
        patience: Duration,
        wanted: impl Fn(&NodeCounts) -> bool,
    ) -> Option<NodeCounts> {
        let mut seen = self.shared.seen.subscribe();
        let waited = tokio::time::timeout(patience, seen.wait_for(wanted)).await;
        Some(*waited.ok()?.ok()?)
    }
}

impl Shared {
    pub(crate) fn behaviour(&self) -> MutexGuard<'_, Behaviour> {
        let behaviour = self.behaviour.lock();
        behaviour.unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn see(&self, change: impl FnOnce(&mut NodeCounts)) {
        self.seen.send_modify(change);
    }
}
