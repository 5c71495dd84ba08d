//! `argosy run`: runs one role of the fleet in this process.

mod conversation_store;
mod host;

#[cfg(test)]
pub(crate) use host::RoomMetrics;

use crate::cli_error::CliError;
use crate::config::Config;
use crate::presence::StatusReporter;
use crate::roles::{self, Collaborators, NoSearch, Process};
use crate::{cli, model, signal};
use bus::{Bus, Snapshots, Stream};
use bus_nats::{self as nats, NatsBus};
use corpus_sync::Reach;
use envelope::Role;
use futures_util::future::BoxFuture;
use harness::fault::Faults;
use index::{Access, Index};
use index_host::catalog::{CatalogCache, CatalogMetrics};
use index_host::editions::{
    self, EditionRouter, IndexContext, OpenEdition, OpenIndex, OpenRequest,
};
use index_host::lookup::{self, Lookup};
use index_host::search_factory::{self, SearchFactory};
use index_host::snapshot::{self, Fit, Keeper};
use index_host::vector_feed;
use index_host::view::IndexView;
use indexer::schema::Schemas;
use llm::ChatModel;
use llm_pool::Pools;
use search::{CatalogSource, Current, NoCatalog, Searcher};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use telemetry::traces::{Exporter, Service};
use telemetry::{Admin, Health, Registry, Traces};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Replacements for parts of a process that is measured or tested.
#[derive(Default)]
pub struct Hooks {
    /// The model and the index, in place of the configured ones.
    pub collaborators: Option<Collaborators>,
    /// Faults at named points.
    pub faults: Option<Arc<dyn Faults>>,
}

/// Runs one role until it is told to stop.
pub async fn run(args: cli::RunArgs, config: Config) -> Result<(), CliError> {
    Box::pin(run_with(args, config, Hooks::default())).await
}

/// Runs one role with these replacements.
pub async fn run_with(args: cli::RunArgs, config: Config, hooks: Hooks) -> Result<(), CliError> {
    let role = args.role;
    let revision = settings::sources::revision();
    let registry = Registry::for_process(role.as_str(), env!("CARGO_PKG_VERSION"), revision)?;
    let health = match role {
        Role::Gateway => Health::new(&["nats", "inbox", "due", "answers"]),
        role => Health::new(&["nats", role.as_str()]),
    };
    health.measure(&registry, role.as_str())?;
    let stop = CancellationToken::new();
    // Probes and metrics are answered until everything has drained.
    let drained = CancellationToken::new();
    let admin = match config.telemetry.listen.as_str() {
        "" => None,
        listen => {
            let addr: SocketAddr = listen.parse().map_err(|_| {
                CliError::usage(format!("`telemetry.listen`: `{listen}` is not HOST:PORT"))
            })?;
            Some(Admin::serve(addr, health.clone(), registry.clone(), drained.clone()).await?)
        }
    };
    let seed = fastrand::u64(..);
    let (traces, exporter) = traces(role, seed, &config, &registry)?;
    let bus = NatsBus::connect(config.nats(&format!("argosy-{role}"), true)).await?;
    let mut running = JoinSet::new();
    let host = host::Host::new(role, &config, &registry)?;
    let told = stop.clone();
    running.spawn(async move { host.measure(&told).await });
    let counted = nats::Metrics::new(&registry, role.as_str())?;
    let watched = watch_connection(bus.clone(), health.clone(), counted, stop.clone());
    running.spawn(watched);
    let metrics = harness::Metrics::new(&registry, &[role])?;
    let reporter = StatusReporter::new(role, health.clone(), metrics, config.data_dir.0.clone());
    if let Some(admin) = &admin {
        reporter.listens(admin.local_addr);
    }
    if role == Role::Gateway {
        reporter.takes_conversations(config.gateway.conversations);
    }
    let (reporting, hears, told) = (reporter.clone(), bus.clone(), stop.clone());
    running.spawn(async move { reporting.answer(&*hears, &told).await });
    let linger = config.telemetry.linger.duration();
    let process = Process {
        seed,
        traces,
        faults: hooks.faults,
        bus: bus.clone(),
        health: health.clone(),
        registry: registry.clone(),
        stop: stop.clone(),
        config,
    };
    let (draining, told) = (health.clone(), stop.clone());
    running.spawn(async move {
        told.cancelled().await;
        draining.drain();
    });
    // Signals are heard from here on: a start that waits for its server can be told to stop as well.
    let mut worked = Ok(());
    signal::stop_on_signal(&stop, async {
        let given = hooks.collaborators;
        worked = work(&process, bus.clone(), &reporter, given, &mut running).await;
    })
    .await;
    if !stop.is_cancelled() {
        worked?;
    }
    while running.join_next().await.is_some() {}
    // What was published last must leave before the process does.
    let _ = tokio::time::timeout(Duration::from_secs(2), bus.flush()).await;
    exporter.flush().await;
    if let Some(admin) = admin.as_ref().filter(|_| stop.is_cancelled()) {
        // A second signal ends it here, too.
        signal::stop_on_signal(&stop, async {
            let _ = tokio::time::timeout(linger, admin.scraped_again()).await;
        })
        .await;
    }
    drained.cancel();
    if let Some(admin) = admin {
        admin.join().await?;
    }
    Ok(())
}

/// The spans, and the task that sends them.
fn traces(
    role: Role,
    seed: u64,
    config: &Config,
    registry: &Registry,
) -> Result<(Traces, Exporter), CliError> {
    let telemetry::Options {
        otlp,
        capture_content,
        ..
    } = &config.telemetry;
    let service = Service {
        role: role.as_str().into(),
        version: env!("CARGO_PKG_VERSION").into(),
        instance: format!("{seed:016x}"),
    };
    Ok(Traces::start(otlp, *capture_content, &service, registry)?)
}

/// Starts the role and returns when it has ended.
async fn work(
    process: &Process,
    snapshots: Arc<dyn Snapshots>,
    reporter: &StatusReporter,
    given: Option<Collaborators>,
    running: &mut JoinSet<()>,
) -> Result<(), CliError> {
    let role = reporter.role();
    if !process.bus.connected() {
        let url = bus_nats::without_secrets(&process.config.nats.url);
        tracing::info!(url, "waiting for nats");
    }
    let with = collaborators(process, snapshots, reporter, given, running).await?;
    let mut started = process.start(&[role], &with)?;
    process.health.started();
    tracing::info!(%role, "running");
    while started.join_next().await.is_some() {}
    Ok(())
}

/// The collaborators of this role's stage. Only the retriever has an index.
async fn collaborators(
    process: &Process,
    snapshots: Arc<dyn Snapshots>,
    reporter: &StatusReporter,
    given: Option<Collaborators>,
    running: &mut JoinSet<()>,
) -> Result<Collaborators, CliError> {
    let role = reporter.role();
    if let Some(given) = given {
        return Ok(given);
    }
    let embedder = match role {
        Role::Indexer => {
            // The indexer uses the embedder of its edition, so that its vectors can be compared with those of queries.
            let config = process.config.for_edition(&process.config.indexer.edition);
            search_factory::embedder(
                &config.retrieval,
                &config.data_dir.0,
                &process.registry,
                reporter.pools(),
            )
            .await?
        }
        // A retriever has one for each index.
        _ => None,
    };
    let (searcher, caught_up): (Arc<dyn Searcher>, _) = match role {
        Role::Retriever => {
            let serving = index(process, snapshots, reporter, running).await?;
            let caught_up = serving.caught_up();
            (serving, Some(caught_up))
        }
        _ => (Arc::new(NoSearch), None),
    };
    let asks_model = match role {
        Role::Indexer => roles::schemas(&process.config)?.asks_model(),
        // Looking for a model that is not asked would only slow the start.
        role => model::asks(&process.config, role),
    };
    let model: Arc<dyn ChatModel> = match asks_model {
        false => Arc::new(offline_reader::OfflineReader::new()),
        true => {
            let chosen = model::choose(&process.config, &[role], &process.registry).await?;
            for pool in &chosen.pools {
                reporter.asks(pool);
            }
            tracing::info!(
                model = chosen.model.name(),
                why = chosen.why,
                "model chosen"
            );
            chosen.model
        }
    };
    let conversations = match role {
        Role::Conversation => Some(conversation_store::open(process, reporter, running)?),
        _ => None,
    };
    let catalog: Arc<dyn CatalogSource> = match role {
        Role::Planner => catalog(process, running)?,
        _ => Arc::new(NoCatalog),
    };
    Ok(Collaborators {
        model,
        searcher,
        caught_up,
        conversations,
        embedder,
        catalog,
    })
}

/// The catalog of the corpus, which the retrievers of the fleet report.
fn catalog(process: &Process, running: &mut JoinSet<()>) -> Result<Arc<CatalogCache>, CliError> {
    let metrics = CatalogMetrics::new(&process.registry).map_err(roles::Error::from)?;
    let (catalog, keeper) = CatalogCache::over_bus(process.bus.clone(), metrics);
    running.spawn(keeper.keep(process.stop.clone()));
    Ok(catalog)
}

/// The indexes of this process, fed from the corpus stream.
async fn index(
    process: &Process,
    snapshots: Arc<dyn Snapshots>,
    reporter: &StatusReporter,
    running: &mut JoinSet<()>,
) -> Result<Arc<EditionRouter>, CliError> {
    let metrics = index::Metrics::new(&process.registry).map_err(roles::Error::from)?;
    let home = IndexContext {
        bus: process.bus.clone(),
        access: Access::default(),
        metrics: metrics.clone(),
        health: process.health.clone(),
        stop: process.stop.clone(),
        dir: process.config.data_dir.0.join("retriever"),
    };
    let schemas = Arc::new(roles::schemas(&process.config)?);
    let indexes = Indexes {
        config: process.config.clone(),
        schemas: schemas.clone(),
        bus: process.bus.clone(),
        registry: process.registry.clone(),
        metrics,
        snapshots,
        pools: reporter.pools().clone(),
    };
    let serving = editions::start(home, Arc::new(indexes), running).await?;
    reporter.searches(serving.clone());
    let current = serving.clone();
    let lookup = Lookup::new(serving.clone(), move || current.index())
        .with_schemas(schemas)
        .with_options(process.config.retriever.clone());
    let (bus, stop) = (process.bus.clone(), process.stop.clone());
    let mut caught_up = serving.caught_up();
    running.spawn(async move {
        // Until its index has caught up, this process leaves requests to other retrievers.
        tokio::select! {
            _ = caught_up.wait_for(|caught_up| *caught_up) => {}
            () = stop.cancelled() => return,
        }
        lookup::serve(bus, lookup, None, stop).await;
    });
    Ok(serving)
}

/// Opens the indexes of a retriever.
struct Indexes {
    config: Config,
    schemas: Arc<Schemas>,
    bus: Arc<dyn Bus>,
    registry: Registry,
    metrics: index::Metrics,
    snapshots: Arc<dyn Snapshots>,
    pools: Pools,
}

impl OpenEdition for Indexes {
    fn open<'a>(
        &'a self,
        what: OpenRequest<'a>,
    ) -> BoxFuture<'a, Result<OpenIndex, editions::Error>> {
        Box::pin(self.opened(what))
    }
}

impl Indexes {
    /// Opens an index from a snapshot where that is quicker, and from the contents of its folder otherwise.
    async fn opened(&self, what: OpenRequest<'_>) -> Result<OpenIndex, editions::Error> {
        let OpenRequest {
            edition,
            begun,
            dir,
            stream,
            access,
            stop,
        } = what;
        let broken = |error| editions::Error::Index {
            dir: dir.to_owned(),
            error,
        };
        let config = self.config.for_edition(edition);
        let options = &config.retrieval;
        let (data_dir, pools) = (&config.data_dir.0, &self.pools);
        let embedder = search_factory::embedder(options, data_dir, &self.registry, pools).await?;
        let factory = SearchFactory::new(options, embedder, &self.registry, &self.pools)?;
        let vectors = factory.vectors().clone();
        let fit = Fit::new(&vectors, stream);
        tokio::select! {
            _ = snapshot::restore(&*self.snapshots, dir, &vectors, &fit) => {}
            () = stop.cancelled() => {}
        }
        let mut tasks = JoinSet::new();
        let index = tokio::task::block_in_place(|| Index::open(dir, &vectors)).map_err(broken)?;
        let index = index.with_access(access.clone());
        index.describe(index_host::described(&self.schemas));
        let fed = vector_feed::FeedSource {
            bus: &self.bus,
            stop,
            options,
            edition,
            begun,
            stream,
            without_vector: self.metrics.without_vector(edition.as_str()),
        };
        let (factory, vectors) = vector_feed::added(fed, factory, &mut tasks).await?;
        let (view, seen) = IndexView::new(index.clone(), stream.to_owned()).map_err(broken)?;
        let without_vector = self.metrics.without_vector(edition.as_str());
        let view = view.telling(without_vector).map_err(broken)?;
        let found = view.found();
        let filter = envelope::subject::edition(edition);
        let last = self.bus.last(Stream::Chunks, &filter).await?;
        let keeper = Keeper {
            snapshots: self.snapshots.clone(),
            bus: self.bus.clone(),
            index: index.clone(),
            dir: dir.to_owned(),
            fit,
            options: self.config.snapshots.clone(),
        };
        let last = last.map_or(0, |newest| newest.sequence);
        tasks.spawn(keeper.run(seen.clone(), last, stop.clone()));
        let searcher = factory
            .searcher(index.clone())
            .with_metrics(self.metrics.clone());
        let reach = Reach {
            bus: self.bus.clone(),
            edition: edition.clone(),
        };
        let current = Current::new(Arc::new(searcher), found).with_source(Arc::new(reach));
        Ok(OpenIndex {
            searcher: Arc::new(current),
            index,
            view: Box::new(view),
            seen,
            vectors,
            tasks,
        })
    }
}

/// Keeps readiness and metrics in step with the connection.
async fn watch_connection(
    bus: Arc<NatsBus>,
    health: Health,
    metrics: nats::Metrics,
    stop: CancellationToken,
) {
    let connection = bus.connection();
    loop {
        metrics.show(&connection);
        match bus.connected() {
            true => health.ready("nats"),
            false => health.not_ready("nats", "not connected"),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(Duration::from_millis(500)) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::memory::MemoryBus;
    use bus::topology::Topology;
    use envelope::Edition;

    #[tokio::test]
    async fn an_indexer_embeds_with_what_its_edition_names() {
        let embedder = async |edition: &str| {
            let http = |model: &str| {
                serde_json::json!({"embedder": "http", "http": {
                    "model": model, "dims": 3, "nodes": [{"name": "a", "base_url": "http://a"}],
                }})
            };
            let mut config: Config = serde_json::from_value(serde_json::json!({
                "retrieval": http("old"), "editions": {"small": http("new")},
            }))
            .unwrap();
            config.indexer.edition = Edition::new(edition).unwrap();
            let bus = MemoryBus::new(&Topology::default());
            let process = Process {
                config,
                bus: bus.clone(),
                health: Health::new(&[]),
                registry: Registry::new(),
                stop: CancellationToken::new(),
                seed: 0,
                traces: telemetry::Traces::off(),
                faults: None,
            };
            let mut running = JoinSet::new();
            let role = Role::Indexer;
            let metrics = harness::Metrics::new(&process.registry, &[role]).unwrap();
            let reporter = StatusReporter::new(
                role,
                process.health.clone(),
                metrics,
                process.config.data_dir.0.clone(),
            );
            let with = collaborators(&process, bus, &reporter, None, &mut running).await;
            let embedder = with.unwrap().embedder.unwrap();
            let told = reporter.pools().nodes();
            assert_eq!(told[0].model, embedder.name(), "its nodes are told of");
            embedder.name().to_owned()
        };
        assert_eq!(embedder("main").await, "old");
        assert_eq!(embedder("small").await, "new");
    }
}
