//! Turns roles into running workers. Only this module connects the stages with their collaborators (bus, models,
//! index).

mod embedded;

pub(crate) use embedded::{check_prompts, check_prompts_dir, embedded_prompts};

use crate::config::Config;
use crate::extraction_cache::ExtractionCache;
use crate::model::OFFLINE;
use crate::prompt_files;
use bus::Bus;
use conversation::Conversation;
use conversation_log::EventSource;
use envelope::Role;
use futures_util::future::BoxFuture;
use gateway::Gateway;
use harness::fault::Faults;
use harness::ingest::IngestWorker;
use harness::{IngestMetrics, Metrics, Worker};
use indexer::schema::{SchemaError, Schemas};
use indexer::{Answers, Extractor};
use llm::{ChatModel, EmbeddedPrompt, Embedder, Prompts};
use search::{CatalogSource, SearchRequest, SearchResult, Searcher};
use stage::ErasedStage;
use std::error::Error as StdError;
use std::future::Future;
use std::sync::Arc;
use streams::conversation::Logs;
use telemetry::{Health, Registry, Traces};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The collaborators of the stages.
#[derive(Clone)]
pub struct Collaborators {
    /// The model.
    pub model: Arc<dyn ChatModel>,
    /// The index.
    pub searcher: Arc<dyn Searcher>,
    /// Whether the index has reached the end of the corpus as it was when the process started; before that, no
    /// retriever takes a step. `None` where there is nothing to wait for.
    pub caught_up: Option<watch::Receiver<bool>>,
    /// The source from which conversations are read; `None` reads their logs on the bus alone.
    pub conversations: Option<Arc<dyn EventSource>>,
    /// Makes the vectors that travel with the chunks, where any do.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The catalog from which planners know the corpus.
    pub catalog: Arc<dyn CatalogSource>,
}

/// What every worker of a process shares.
pub struct Process {
    /// The configuration.
    pub config: Config,
    /// The bus.
    pub bus: Arc<dyn Bus>,
    /// The readiness of the process.
    pub health: Health,
    /// The registry of its metrics.
    pub registry: Registry,
    /// Tells the workers to stop.
    pub stop: CancellationToken,
    /// Seed of jitter and trace ids.
    pub seed: u64,
    /// Records the spans of the work.
    pub traces: Traces,
    /// Faults at named points, for tests.
    pub faults: Option<Arc<dyn Faults>>,
}

/// Why a role was not started.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder of prompts holds a file that is no prompt.
    #[error("`prompts_dir`: {0}")]
    Prompts(prompt_files::Error),
    /// The schemas of the buckets are wrong.
    #[error("`indexer.schemas`: {0}")]
    Schemas(SchemaError),
    /// The options of a role do not go together.
    #[error("in section `{role}`: {reason}")]
    Options {
        /// The role.
        role: Role,
        /// What is wrong.
        reason: Box<dyn StdError + Send + Sync>,
    },
    /// The gateway and the indexer run without a stage.
    #[error("the {0} runs without a stage")]
    NoStage(Role),
    /// The metrics of the role cannot be registered.
    #[error(transparent)]
    Metrics(#[from] telemetry::Error),
}

impl Error {
    /// Makes the error for wrong options of a role.
    fn of<E: StdError + Send + Sync + 'static>(role: Role) -> impl Fn(E) -> Error {
        move |reason| Error::Options {
            role,
            reason: Box::new(reason),
        }
    }
}

/// The searcher of roles that do not search.
pub(crate) struct NoSearch;

impl Searcher for NoSearch {
    fn search<'a>(
        &'a self,
        _request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, search::Error>> {
        Box::pin(std::future::ready(Err(search::Error::Index(
            "this role keeps no index".into(),
        ))))
    }
}

/// The prompts, with those of the folder in place of the embedded ones.
pub fn prompts(config: &Config) -> Result<Prompts, Error> {
    match &config.prompts_dir {
        None => Ok(Prompts::default()),
        Some(dir) => prompt_files::read(dir).map_err(Error::Prompts),
    }
}

/// The schemas of the buckets.
pub fn schemas(config: &Config) -> Result<Schemas, Error> {
    match &config.indexer.schemas {
        None => Ok(Schemas::default()),
        Some(path) => Schemas::load(path).map_err(Error::Schemas),
    }
}

/// Makes chunks of documents. Vectors of an encoder travel with the chunks, whereas with the table of words
/// retrievers make vectors themselves. The offline reader copies no values, so that with it columns come from rules
/// alone. Replies of a model are kept in `answers`.
pub fn ingest(
    config: &Config,
    embedder: Option<Arc<dyn Embedder>>,
    model: &Arc<dyn ChatModel>,
    answers: Option<Arc<dyn Answers>>,
) -> Result<indexer::Indexer, Error> {
    let made = indexer::Indexer::new(embedder, &config.indexer);
    let indexer = made.map_err(Error::of(Role::Indexer))?;
    let schemas = schemas(config)?;
    let mut extractor = None;
    if schemas.asks_model() && model.name() == OFFLINE {
        tracing::warn!("no model to ask for columns: they come from rules alone");
    } else if schemas.asks_model() {
        let asks = Extractor::new(model.clone(), &prompts(config)?, &config.indexer);
        let asks = asks.map_err(Error::of(Role::Indexer))?;
        extractor = Some(match answers {
            Some(answers) => asks.keeping(answers),
            None => asks,
        });
    }
    Ok(indexer.with_schemas(schemas, extractor))
}

/// Makes the stage of a role that takes steps.
///
/// # Errors
/// When its prompts or options are wrong, or the role takes none.
pub fn handler(
    role: Role,
    config: &Config,
    with: &Collaborators,
    bus: &Arc<dyn Bus>,
) -> Result<Arc<dyn ErasedStage>, Error> {
    let prompts = prompts(config)?;
    let model = || with.model.clone();
    Ok(match role {
        Role::Conversation => {
            let log = || Arc::new(Logs::on(bus.clone())) as Arc<dyn EventSource>;
            Arc::new(Conversation::new(
                with.conversations.clone().unwrap_or_else(log),
            ))
        }
        Role::Planner => Arc::new(
            planner::Planner::new(model(), &prompts, planner(config, with))
                .map_err(Error::of(role))?
                .with_catalog(with.catalog.clone()),
        ),
        Role::Retriever => Arc::new(
            retriever::Retriever::new(with.searcher.clone(), config.retriever.clone())
                .map_err(Error::of(role))?,
        ),
        Role::Mapper => Arc::new(
            mapper::Mapper::new(model(), &prompts, config.mapper.clone())
                .map_err(Error::of(role))?,
        ),
        Role::Reducer => Arc::new(
            reducer::Reducer::new(model(), &prompts, reducer(config, with))
                .map_err(Error::of(role))?,
        ),
        Role::Validator => {
            let made = validator::Validator::new(config.validator.clone());
            let rules = made.map_err(Error::of(role))?;
            Arc::new(match config.judge_models() {
                Some(models) => rules
                    .with_judge(model(), &prompts, models)
                    .map_err(Error::of(role))?,
                None => rules,
            })
        }
        Role::Clarifier => Arc::new(
            clarifier::Clarifier::new(model(), &prompts, config.clarifier.clone())
                .map_err(Error::of(role))?,
        ),
        Role::Gateway | Role::Indexer => return Err(Error::NoStage(role)),
    })
}

/// The options of the planner. What the offline reader answers is mapped, because it reads one passage at a time.
fn planner(config: &Config, with: &Collaborators) -> planner::Options {
    let is_model = with.model.name() != OFFLINE;
    planner::Options {
        read_at_once: config.planner.read_at_once.or(Some(is_model)),
        ..config.planner.clone()
    }
}

/// The options of the reducer. The offline reader has no word for its own drafts.
fn reducer(config: &Config, with: &Collaborators) -> reducer::Options {
    let is_model = with.model.name() != OFFLINE;
    reducer::Options {
        assess: config.reducer.assess.or(Some(is_model)),
        ..config.reducer.clone()
    }
}

/// The prompts of a role that asks a model.
pub(crate) const fn prompts_of(role: Role) -> &'static [EmbeddedPrompt] {
    match role {
        Role::Planner => &planner::Planner::PROMPTS,
        Role::Mapper => &mapper::Mapper::PROMPTS,
        Role::Reducer => &reducer::Reducer::PROMPTS,
        Role::Validator => &validator::Validator::PROMPTS,
        Role::Clarifier => &clarifier::Clarifier::PROMPTS,
        Role::Indexer => &Extractor::PROMPTS,
        Role::Gateway | Role::Conversation | Role::Retriever => &[],
    }
}

/// Waits until the index has caught up, because an answer from half of it would not say so. Returns false when the
/// process is told to stop before. Other retrievers take the steps meanwhile.
async fn waited(
    mut caught_up: watch::Receiver<bool>,
    role: Role,
    health: &Health,
    stop: &CancellationToken,
) -> bool {
    if !*caught_up.borrow() {
        let reason = "taking no steps before the index has caught up";
        health.not_ready(role.as_str(), reason);
        tracing::info!(%role, "taking no steps before the index has caught up");
    }
    tokio::select! {
        biased;
        () = stop.cancelled() => false,
        caught_up = caught_up.wait_for(|caught_up| *caught_up) => caught_up.is_ok(),
    }
}

impl Process {
    /// Starts the workers of `roles`. They end after [`Process::stop`] is cancelled.
    pub fn start(&self, roles: &[Role], with: &Collaborators) -> Result<JoinSet<()>, Error> {
        let metrics = Metrics::new(&self.registry, roles)?;
        let topology = &self.config.streams;
        let mut running = JoinSet::new();
        for role in roles.iter().copied() {
            if role == Role::Gateway {
                let own = gateway::Metrics::new(&self.registry)?;
                let options = self.config.gateway(self.seed);
                let gateway = Gateway::new(self.bus.clone(), topology.clone(), options, own)
                    .counted(metrics.clone())
                    .with_traces(self.traces.clone());
                let (health, stop) = (self.health.clone(), self.stop.clone());
                running.spawn(async move {
                    let drained = Box::pin(gateway.run(health, stop)).await;
                    tracing::info!(%role, finished = drained.finished, given_back = drained.given_back, "drained");
                });
                continue;
            }
            if role == Role::Indexer {
                running.spawn(self.indexer(metrics.clone(), with)?);
                continue;
            }
            embedded::count_prompts(role, &self.config, &metrics)?;
            let handler = handler(role, &self.config, with, &self.bus)?;
            let worker = Worker::new(
                self.bus.clone(),
                topology.clone(),
                handler,
                self.config.run.clone(),
                self.seed ^ role as u64,
                metrics.clone(),
            )
            .with_batch(self.config.mapper.batch)
            .with_traces(self.traces.clone());
            let worker = match &self.faults {
                Some(faults) => worker.with_faults(faults.clone()),
                None => worker,
            };
            let (health, stop) = (self.health.clone(), self.stop.clone());
            let caught_up = with.caught_up.clone().filter(|_| role == Role::Retriever);
            running.spawn(async move {
                if let Some(caught_up) = caught_up
                    && !waited(caught_up, role, &health, &stop).await
                {
                    return;
                }
                let drained = worker.run(health, stop).await;
                tracing::info!(%role, finished = drained.finished, given_back = drained.given_back, "drained");
            });
        }
        Ok(running)
    }

    /// Starts the indexer.
    fn indexer(
        &self,
        metrics: Metrics,
        with: &Collaborators,
    ) -> Result<impl Future<Output = ()> + use<>, Error> {
        let answers = Arc::new(ExtractionCache::on(self.bus.clone()));
        let ingest = ingest(
            &self.config,
            with.embedder.clone(),
            &with.model,
            Some(answers),
        )?;
        let counts = IngestMetrics::new(&self.registry)?;
        let edition = &self.config.indexer.edition;
        let consumer = self.config.streams.documents(edition);
        let indexer = IngestWorker::new(
            self.bus.clone(),
            Arc::new(ingest),
            edition.clone(),
            self.config.ingest(),
            self.seed,
            metrics,
            counts,
        );
        let (health, stop) = (self.health.clone(), self.stop.clone());
        Ok(async move {
            let drained = indexer.run(consumer, health, stop).await;
            let role = Role::Indexer;
            tracing::info!(%role, finished = drained.finished, given_back = drained.given_back, "drained");
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::memory::MemoryBus;
    use bus::topology::Topology;
    use offline_reader::OfflineReader;
    use std::time::Duration;

    /// A started retriever whose index has not caught up.
    fn retriever() -> (Process, watch::Sender<bool>, JoinSet<()>) {
        let process = Process {
            config: Config::default(),
            bus: MemoryBus::new(&Topology::default()),
            health: Health::new(&["retriever"]),
            registry: Registry::new(),
            stop: CancellationToken::new(),
            seed: 0,
            traces: telemetry::Traces::off(),
            faults: None,
        };
        let (tell, caught_up) = watch::channel(false);
        let with = Collaborators {
            model: Arc::new(OfflineReader::new()),
            searcher: Arc::new(NoSearch),
            caught_up: Some(caught_up),
            conversations: None,
            embedder: None,
            catalog: Arc::new(search::NoCatalog),
        };
        let running = process.start(&[Role::Retriever], &with).unwrap();
        (process, tell, running)
    }

    #[tokio::test(start_paused = true)]
    async fn a_retriever_takes_no_step_before_its_index_has_caught_up() {
        let (process, tell, mut running) = retriever();
        tokio::time::sleep(Duration::from_secs(60)).await;
        let report = process.health.report();
        let reason = report.conditions["retriever"].reason.clone();
        assert_eq!(
            reason.as_deref(),
            Some("taking no steps before the index has caught up")
        );
        tell.send_replace(true);
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(process.health.is_ready(), "it pulls");
        process.stop.cancel();
        while running.join_next().await.is_some() {}
    }

    #[tokio::test(start_paused = true)]
    async fn a_retriever_that_waits_for_its_index_can_be_told_to_stop() {
        let (process, _tell, mut running) = retriever();
        tokio::time::sleep(Duration::from_secs(1)).await;
        process.stop.cancel();
        let ended = async { while running.join_next().await.is_some() {} };
        let ended = tokio::time::timeout(Duration::from_secs(5), ended).await;
        assert!(ended.is_ok());
    }
}
