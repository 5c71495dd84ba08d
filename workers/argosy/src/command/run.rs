//! `argosy run`: one role of the fleet in this process.

use crate::cli;
use crate::config::{Config, Telemetry};
use crate::editions::{self, Home, Open, Opened, What};
use crate::fail::Fail;
use crate::fault::Dice;
use crate::lookup::{self, Lookup};
use crate::model;
use crate::nodes;
use crate::qdrant_view;
use crate::roles::{self, Collaborators, Process};
use crate::search::{self, Kit};
use crate::signal;
use crate::snapshot::{self, Fit, Keeper};
use crate::stub::{NoSearch, Stub};
use crate::view::IndexView;
use envelope::Role;
use futures_util::future::BoxFuture;
use harness::bus::{Bus, Snapshots, Stream};
use harness::nats::NatsBus;
use llm::ChatModel;
use retrieval::{Current, Index, Searcher};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use telemetry::traces::{Exporter, Service};
use telemetry::{Admin, Health, Registry, Traces};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Runs one role until it is told to stop.
pub async fn run(args: cli::Run, config: Config) -> Result<(), Fail> {
    let role = args.role;
    let broken = |e: telemetry::Error| Fail::usage(e.to_string());
    let registry =
        Registry::for_process(role.as_str(), env!("CARGO_PKG_VERSION"), "").map_err(broken)?;
    let health = match role {
        Role::Gateway => Health::new(&["nats", "inbox", "due", "answers"]),
        role => Health::new(&["nats", role.as_str()]),
    };
    let stop = CancellationToken::new();
    // Probes and metrics are answered until everything has drained.
    let drained = CancellationToken::new();
    let admin = match config.telemetry.listen.as_str() {
        "" => None,
        listen => {
            let addr: SocketAddr = listen.parse().map_err(|_| {
                Fail::usage(format!("`telemetry.listen`: `{listen}` is not HOST:PORT"))
            })?;
            Some(
                Admin::serve(addr, health.clone(), registry.clone(), drained.clone())
                    .await
                    .map_err(broken)?,
            )
        }
    };
    let seed = fastrand::u64(..);
    let (traces, exporter) = traces(role, seed, &config, &registry)?;
    let bus = NatsBus::connect(config.nats(&format!("argosy-{role}"), true)).await?;
    let mut running = JoinSet::new();
    running.spawn(watch_connection(bus.clone(), health.clone(), stop.clone()));
    let process = Process {
        seed,
        traces,
        faults: Dice::parse(&args.fault)?,
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
        let stub = args.stub_ms.map(|model| Stub {
            model: Duration::from_millis(model),
            search: Duration::from_millis(args.stub_search_ms),
        });
        worked = work(&process, bus.clone(), role, stub, &mut running).await;
    })
    .await;
    if !stop.is_cancelled() {
        worked?;
    }
    while running.join_next().await.is_some() {}
    // What was published last must leave before the process does.
    let _ = tokio::time::timeout(Duration::from_secs(2), bus.flush()).await;
    exporter.flush().await;
    drained.cancel();
    if let Some(admin) = admin {
        admin.join().await.map_err(broken)?;
    }
    Ok(())
}

/// Spans, and the task that sends them.
fn traces(
    role: Role,
    seed: u64,
    config: &Config,
    registry: &Registry,
) -> Result<(Traces, Exporter), Fail> {
    let Telemetry {
        otlp,
        capture_content,
        ..
    } = &config.telemetry;
    let service = Service {
        role: role.as_str().into(),
        version: env!("CARGO_PKG_VERSION").into(),
        instance: format!("{seed:016x}"),
    };
    Traces::start(otlp, *capture_content, &service, registry)
        .map_err(|e| Fail::usage(e.to_string()))
}

/// Starts the role and comes back when it has ended.
async fn work(
    process: &Process,
    snapshots: Arc<dyn Snapshots>,
    role: Role,
    stub: Option<Stub>,
    running: &mut JoinSet<()>,
) -> Result<(), Fail> {
    if !process.bus.connected() {
        let url = harness::nats::without_secrets(&process.config.nats.url);
        tracing::info!(url, "waiting for nats");
    }
    let with = collaborators(process, snapshots, role, stub, running).await?;
    let mut started = process.start(&[role], &with)?;
    process.health.started();
    tracing::info!(%role, "running");
    while started.join_next().await.is_some() {}
    Ok(())
}

/// What the stage of this role works with. Only the retriever keeps an index.
async fn collaborators(
    process: &Process,
    snapshots: Arc<dyn Snapshots>,
    role: Role,
    stub: Option<Stub>,
    running: &mut JoinSet<()>,
) -> Result<Collaborators, Fail> {
    if let Some(stub) = stub {
        return Ok(stub.collaborators());
    }
    let nothing: Arc<dyn Searcher> = Arc::new(NoSearch);
    let embedder = match role {
        Role::Retriever | Role::Indexer => {
            search::embedder(&process.config, &process.registry).await?
        }
        _ => None,
    };
    let searcher = if role == Role::Retriever {
        index(process, snapshots, running).await?
    } else {
        nothing
    };
    let asks_model = match role {
        // These roles ask no model; looking for one would only slow their start.
        Role::Retriever | Role::Validator | Role::Gateway => false,
        Role::Indexer => roles::schemas(&process.config)?.asks_model(),
        _ => true,
    };
    let model: Arc<dyn ChatModel> = match asks_model {
        false => Arc::new(llm_pool::offline::OfflineReader::new()),
        true => {
            let chosen = model::choose(&process.config, &[role], &process.registry).await?;
            for pool in chosen.pools {
                let (bus, stop) = (process.bus.clone(), process.stop.clone());
                running.spawn(nodes::answer(bus, role, pool, stop));
            }
            tracing::info!(
                model = chosen.model.name(),
                why = chosen.why,
                "model chosen"
            );
            chosen.model
        }
    };
    Ok(Collaborators {
        model,
        searcher,
        embedder,
    })
}

/// The indexes of this process, fed from the corpus stream; not ready before the current one has
/// caught up.
async fn index(
    process: &Process,
    snapshots: Arc<dyn Snapshots>,
    running: &mut JoinSet<()>,
) -> Result<Arc<dyn Searcher>, Fail> {
    let home = Home {
        bus: process.bus.clone(),
        health: process.health.clone(),
        stop: process.stop.clone(),
        dir: process.config.data_dir.0.join("retriever"),
    };
    let indexes = Indexes {
        config: process.config.clone(),
        bus: process.bus.clone(),
        health: process.health.clone(),
        registry: process.registry.clone(),
        metrics: retrieval::Metrics::new(&process.registry)
            .map_err(|e| Fail::negative(e.to_string()))?,
        snapshots,
    };
    let serving = editions::start(home, Arc::new(indexes), running).await?;
    let current = serving.clone();
    let lookup = Lookup::new(serving.clone(), move || current.index());
    let (bus, health, stop) = (
        process.bus.clone(),
        process.health.clone(),
        process.stop.clone(),
    );
    running.spawn(async move {
        // Who has not caught up leaves requests to others.
        while !health.is_ready() {
            let told = tokio::time::timeout(Duration::from_millis(100), stop.cancelled());
            if told.await.is_ok() {
                return;
            }
        }
        lookup::serve(bus, lookup, None, stop).await;
    });
    Ok(serving)
}

/// Opens the indexes of a retriever.
struct Indexes {
    config: Config,
    bus: Arc<dyn Bus>,
    health: Health,
    registry: Registry,
    metrics: retrieval::Metrics,
    snapshots: Arc<dyn Snapshots>,
}

impl Open for Indexes {
    fn open<'a>(&'a self, what: What<'a>) -> BoxFuture<'a, Result<Opened, Fail>> {
        Box::pin(self.opened(what))
    }
}

impl Indexes {
    /// Begins with a snapshot where that is quicker, and with what the folder holds else.
    async fn opened(&self, what: What<'_>) -> Result<Opened, Fail> {
        let What {
            edition,
            dir,
            stream,
            stop,
        } = what;
        let broken = |e: retrieval::Error| {
            Fail::negative(format!("the index in `{}`: {e}", dir.display()))
                .hint("two retrievers on one machine need a `data_dir` each")
        };
        let config = self.config.for_edition(edition);
        let embedder = search::embedder(&config, &self.registry).await?;
        let kit = Kit::new(&config, embedder, &self.registry)?;
        let vectors = kit.vectors().clone();
        let fit = Fit::new(&vectors, stream);
        tokio::select! {
            _ = snapshot::restore(&*self.snapshots, dir, &vectors, &fit) => {}
            () = stop.cancelled() => {}
        }
        let mut tasks = JoinSet::new();
        let index = tokio::task::block_in_place(|| Index::open(dir, &vectors)).map_err(broken)?;
        let fed = qdrant_view::Fed {
            bus: &self.bus,
            health: &self.health,
            stop,
            options: &config.retrieval,
            edition,
            stream,
        };
        let kit = qdrant_view::added(fed, kit, &mut tasks).await?;
        let (view, seen) = IndexView::new(index.clone(), stream.to_owned()).map_err(broken)?;
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
        let searcher = kit
            .searcher(index.clone())
            .with_metrics(self.metrics.clone());
        Ok(Opened {
            searcher: Arc::new(Current::new(Arc::new(searcher), found)),
            index,
            view: Box::new(view),
            seen,
            tasks,
        })
    }
}

/// Keeps readiness true to the connection.
async fn watch_connection(bus: Arc<NatsBus>, health: Health, stop: CancellationToken) {
    loop {
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
