//! `argosy run`: one role of the fleet in this process.

use crate::cli;
use crate::config::Config;
use crate::fail::Fail;
use crate::fault::Dice;
use crate::lookup::{self, Lookup};
use crate::model;
use crate::roles::{Collaborators, Process};
use crate::signal;
use crate::stub::{NoSearch, Stub};
use crate::view::IndexView;
use embed::StaticTable;
use envelope::Role;
use harness::bus::{Bus, Stream};
use harness::feed::feed;
use harness::nats::NatsBus;
use llm::ChatModel;
use retrieval::{HybridSearcher, Index, Options, Searcher, Vectors};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use telemetry::{Admin, Health, Registry};
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
    let bus = NatsBus::connect(config.nats(&format!("argosy-{role}"), true)).await?;
    let mut running = JoinSet::new();
    running.spawn(watch_connection(bus.clone(), health.clone(), stop.clone()));
    let process = Process {
        seed: fastrand::u64(..),
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
        worked = work(&process, role, stub, &mut running).await;
    })
    .await;
    if !stop.is_cancelled() {
        worked?;
    }
    while running.join_next().await.is_some() {}
    // What was published last must leave before the process does.
    let _ = tokio::time::timeout(Duration::from_secs(2), bus.flush()).await;
    drained.cancel();
    if let Some(admin) = admin {
        admin.join().await.map_err(broken)?;
    }
    Ok(())
}

/// Starts the role and comes back when it has ended.
async fn work(
    process: &Process,
    role: Role,
    stub: Option<Stub>,
    running: &mut JoinSet<()>,
) -> Result<(), Fail> {
    if !process.bus.connected() {
        let url = harness::nats::without_secrets(&process.config.nats.url);
        tracing::info!(url, "waiting for nats");
    }
    let with = collaborators(process, role, stub, running).await?;
    let mut roles = process.start(&[role], &with)?;
    process.health.started();
    tracing::info!(%role, "running");
    while roles.join_next().await.is_some() {}
    Ok(())
}

/// What the stage of this role works with. Only the retriever keeps an index.
async fn collaborators(
    process: &Process,
    role: Role,
    stub: Option<Stub>,
    running: &mut JoinSet<()>,
) -> Result<Collaborators, Fail> {
    if let Some(stub) = stub {
        return Ok(stub.collaborators());
    }
    let nothing: Arc<dyn Searcher> = Arc::new(NoSearch);
    let searcher = if role == Role::Retriever {
        index(process, running).await?
    } else {
        nothing
    };
    let model: Arc<dyn ChatModel> = match role {
        // These roles ask no model; looking for one would only slow their start.
        Role::Retriever | Role::Validator | Role::Gateway | Role::Indexer => {
            Arc::new(llm_pool::offline::OfflineReader::new())
        }
        _ => {
            let chosen = model::choose(&process.config, &process.registry).await?;
            tracing::info!(
                model = chosen.model.name(),
                why = chosen.why,
                "model chosen"
            );
            chosen.model
        }
    };
    Ok(Collaborators { model, searcher })
}

/// The index of this process, fed from the corpus stream; not ready before it has caught up.
async fn index(process: &Process, running: &mut JoinSet<()>) -> Result<Arc<dyn Searcher>, Fail> {
    let dir: PathBuf = process.config.data_dir.0.join("retriever");
    let broken = |e: retrieval::Error| {
        Fail::negative(format!("the index in `{}`: {e}", dir.display()))
            .hint("two retrievers on one machine need a `data_dir` each")
    };
    let index = Index::open(&dir, &Vectors::Table(StaticTable::shipped())).map_err(broken)?;
    process
        .health
        .not_ready("index", "catching up with the corpus");
    let state = loop {
        match process.bus.state(Stream::Chunks).await {
            Ok(state) => break state,
            Err(error) => tracing::warn!(%error, "the corpus stream is not there yet"),
        }
        if tokio::time::timeout(Duration::from_millis(500), process.stop.cancelled())
            .await
            .is_ok()
        {
            return Err(Fail::negative(
                "told to stop before the corpus stream was there",
            ));
        }
    };
    let stream = format!("{}@{}", Stream::Chunks.name(), state.created_ms);
    let (mut view, mut seen) = IndexView::new(index.clone(), stream).map_err(broken)?;
    let mut caught_up = seen.clone();
    let (bus, stop) = (process.bus.clone(), process.stop.clone());
    running
        .spawn(async move { feed(&*bus, Stream::Chunks, "argosy.chunk.>", &mut view, stop).await });
    let (health, stop) = (process.health.clone(), process.stop.clone());
    running.spawn(async move {
        tokio::select! {
            _ = seen.wait_for(|seen| *seen >= state.last) => {
                tracing::info!(sequence = state.last, "index caught up");
                health.ready("index");
            }
            () = stop.cancelled() => {}
        }
    });
    let metrics =
        retrieval::Metrics::new(&process.registry).map_err(|e| Fail::negative(e.to_string()))?;
    let searcher = HybridSearcher::new(index.clone(), Options::default()).with_metrics(metrics);
    let searcher: Arc<dyn Searcher> = Arc::new(searcher);
    let lookup = Lookup::new(searcher.clone(), index);
    let (bus, stop) = (process.bus.clone(), process.stop.clone());
    running.spawn(async move {
        let is_there = tokio::select! {
            seen = caught_up.wait_for(|seen| *seen >= state.last) => seen.is_ok(),
            () = stop.cancelled() => false,
        };
        if is_there {
            lookup::serve(bus, lookup, None, stop).await;
        }
    });
    Ok(searcher)
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
