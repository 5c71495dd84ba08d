//! Roles to running workers: the one place where stages meet their collaborators.

use crate::config::Config;
use crate::fail::Fail;
use crate::model::OFFLINE;
use embed::Embedder;
use envelope::Role;
use gateway::Gateway;
use harness::bus::Bus;
use harness::fault::Faults;
use harness::ingest::Indexer;
use harness::{IngestMetrics, Metrics, Worker};
use indexer::Extractor;
use indexer::schema::Schemas;
use llm::{ChatModel, Prompts};
use retrieval::Searcher;
use stage::Handler;
use std::future::Future;
use std::sync::Arc;
use telemetry::{Health, Registry, Traces};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// What stages work with.
#[derive(Clone)]
pub struct Collaborators {
    /// The model.
    pub model: Arc<dyn ChatModel>,
    /// The index.
    pub searcher: Arc<dyn Searcher>,
    /// What makes the vectors that travel with the chunks, if any do.
    pub embedder: Option<Arc<dyn Embedder>>,
}

/// What every worker of a process shares.
pub struct Process {
    /// The configuration.
    pub config: Config,
    /// The bus.
    pub bus: Arc<dyn Bus>,
    /// Readiness.
    pub health: Health,
    /// Counts.
    pub registry: Registry,
    /// Told to stop.
    pub stop: CancellationToken,
    /// Seed of jitter and trace ids.
    pub seed: u64,
    /// Spans of what they do.
    pub traces: Traces,
    /// Faults at named points, for tests.
    pub faults: Option<Arc<dyn Faults>>,
}

/// The prompts with what replaces them.
pub fn prompts(config: &Config) -> Result<Prompts, Fail> {
    match &config.prompts_dir {
        None => Ok(Prompts::default()),
        Some(dir) => Prompts::from_dir(dir).map_err(|e| Fail::usage(format!("`prompts_dir`: {e}"))),
    }
}

/// The schemas of the buckets.
pub fn schemas(config: &Config) -> Result<Schemas, Fail> {
    match &config.indexer.schemas {
        None => Ok(Schemas::default()),
        Some(path) => {
            Schemas::load(path).map_err(|e| Fail::usage(format!("`indexer.schemas`: {e}")))
        }
    }
}

/// What makes chunks of documents. Vectors of an encoder travel with them; with the table of words,
/// retrievers embed themselves. The offline reader copies no values: with it columns come from rules alone.
pub fn ingest(
    config: &Config,
    embedder: Option<Arc<dyn Embedder>>,
    model: &Arc<dyn ChatModel>,
) -> Result<indexer::Indexer, Fail> {
    let wrong = |e: &dyn std::fmt::Display| Fail::usage(format!("in section `indexer`: {e}"));
    let indexer = indexer::Indexer::new(embedder, &config.indexer).map_err(|e| wrong(&e))?;
    let schemas = schemas(config)?;
    let mut extractor = None;
    if schemas.asks_model() && model.name() == OFFLINE {
        tracing::warn!("no model to ask for columns: they come from rules alone");
    } else if schemas.asks_model() {
        let asks = Extractor::new(model.clone(), &prompts(config)?, &config.indexer);
        extractor = Some(asks.map_err(|e| wrong(&e))?);
    }
    Ok(indexer.with_schemas(schemas, extractor))
}

/// The stage of a thinking role.
fn handler(role: Role, config: &Config, with: &Collaborators) -> Result<Arc<dyn Handler>, Fail> {
    let prompts = prompts(config)?;
    let model = || with.model.clone();
    let wrong = |e: &dyn std::fmt::Display| Fail::usage(format!("in section `{role}`: {e}"));
    Ok(match role {
        Role::Planner => Arc::new(
            planner::Planner::new(model(), &prompts, config.planner.clone())
                .map_err(|e| wrong(&e))?,
        ),
        Role::Retriever => Arc::new(
            retriever::Retriever::new(with.searcher.clone(), config.retriever.clone())
                .map_err(|e| wrong(&e))?,
        ),
        Role::Mapper => Arc::new(
            mapper::Mapper::new(model(), &prompts, config.mapper.clone()).map_err(|e| wrong(&e))?,
        ),
        Role::Reducer => Arc::new(
            reducer::Reducer::new(model(), &prompts, config.reducer.clone())
                .map_err(|e| wrong(&e))?,
        ),
        Role::Validator => {
            Arc::new(validator::Validator::new(config.validator.clone()).map_err(|e| wrong(&e))?)
        }
        Role::Clarifier => Arc::new(
            clarifier::Clarifier::new(model(), &prompts, config.clarifier.clone())
                .map_err(|e| wrong(&e))?,
        ),
        Role::Gateway | Role::Indexer => {
            return Err(Fail::usage(format!("the {role} is no stage")));
        }
    })
}

impl Process {
    /// Starts the workers of `roles`; they end after [`Process::stop`] is cancelled.
    pub fn start(&self, roles: &[Role], with: &Collaborators) -> Result<JoinSet<()>, Fail> {
        let broken = |e: telemetry::Error| Fail::negative(e.to_string());
        let metrics = Metrics::new(&self.registry, roles).map_err(broken)?;
        let topology = self.config.topology();
        let mut running = JoinSet::new();
        for role in roles.iter().copied() {
            if role == Role::Gateway {
                let metrics = gateway::Metrics::new(&self.registry).map_err(broken)?;
                let options = self.config.gateway(self.seed);
                let gateway = Gateway::new(self.bus.clone(), topology.clone(), options, metrics)
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
            let options = self.config.worker(self.seed ^ role as u64);
            let handler = handler(role, &self.config, with)?;
            let worker = Worker::new(self.bus.clone(), handler, options, metrics.clone())
                .with_traces(self.traces.clone());
            let worker = match &self.faults {
                Some(faults) => worker.with_faults(faults.clone()),
                None => worker,
            };
            let (health, stop, consumer) = (
                self.health.clone(),
                self.stop.clone(),
                topology.consumer(role),
            );
            running.spawn(async move {
                let drained = worker.run(consumer, health, stop).await;
                tracing::info!(%role, finished = drained.finished, given_back = drained.given_back, "drained");
            });
        }
        Ok(running)
    }

    /// The indexer.
    fn indexer(
        &self,
        metrics: Metrics,
        with: &Collaborators,
    ) -> Result<impl Future<Output = ()> + use<>, Fail> {
        let ingest = ingest(&self.config, with.embedder.clone(), &with.model)?;
        let counts =
            IngestMetrics::new(&self.registry).map_err(|e| Fail::negative(e.to_string()))?;
        let options = self.config.ingest(self.seed);
        let indexer = Indexer::new(self.bus.clone(), Arc::new(ingest), options, metrics, counts);
        let consumer = self
            .config
            .topology()
            .documents(&self.config.indexer.edition);
        let (health, stop) = (self.health.clone(), self.stop.clone());
        Ok(async move {
            let drained = indexer.run(consumer, health, stop).await;
            let role = Role::Indexer;
            tracing::info!(%role, finished = drained.finished, given_back = drained.given_back, "drained");
        })
    }
}
