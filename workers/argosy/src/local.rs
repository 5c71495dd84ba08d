//! Runs the whole fleet in one process: every role on the memory bus, with the index on local disk.
//!
//! The workers, the gateway and the messages are the same as on NATS; only the bus differs. Questions are lost when
//! the process ends.

use crate::config::{Config, FILE};
use crate::conversations;
use crate::kept_conversations::{self, Kept, KeptAll};
use crate::model::{self, ChosenModel};
use crate::roles::{self, Collaborators, Process, ingest};
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bus::{Bus, BusError, Stream};
use corpus_sync::{Summary, SyncProgress, TRIES_MAX, Unread};
use documents::{Catalog, PublishMode};
use envelope::access::read_rules;
use envelope::{AccessRules, ConversationId, Edition, Role, TenantId};
use index::{Access, Index};
use index_host::VectorStore;
use index_host::catalog::{CatalogCache, CatalogMetrics};
use index_host::lookup::{self, Lookup, LookupSubscriptions};
use index_host::search_factory::{self, SearchFactory};
use index_host::view::IndexView;
use llm_pool::Pools;
use search::Searcher;
use settings::TimeSpan;
use stage::Ingest;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use streams::feed::feed;
use telemetry::{Health, Registry, Traces};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long an index is waited for that another process writes into, and how often it is looked at. A question over a folder has
/// it for as long as it runs.
const HELD_MAX: Duration = Duration::from_secs(10);
const HELD_LOOK: Duration = Duration::from_millis(100);
/// How long no document may be finished before indexing is given up, unless the caller sets another time. An encoder
/// on two cores takes some 50 s for a document of 1,000 chunks, and the documents in work share it: none of them is
/// done before all nearly are. What is given up here no other process goes on with, so the time is long.
const PATIENCE: Duration = Duration::from_secs(3_600);

/// Why a fleet of one process does not run, or did not index.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The vectors are configured to be in a server.
    #[error("a fleet in one process keeps its vectors itself, but `retrieval.vectors` is `qdrant`")]
    Qdrant,
    /// The configured search cannot be made.
    #[error(transparent)]
    Search(#[from] search_factory::Error),
    /// The files of the index cannot be read.
    #[error("the index in `{}`: {error}", .dir.display())]
    Index {
        /// Where they are.
        dir: PathBuf,
        /// Why.
        error: index::Error,
    },
    /// The files of the index cannot be written, because another process holds them.
    #[error("the index in `{}`: {error}", .dir.display())]
    Held {
        /// Where they are.
        dir: PathBuf,
        /// Why.
        error: index::Error,
    },
    /// The file of who may read what cannot be used.
    #[error("`retrieval.access`: {}: {why}", .file.display())]
    Access {
        /// The file.
        file: PathBuf,
        /// Why.
        why: String,
    },
    /// No model was chosen.
    #[error(transparent)]
    Model(#[from] model::Error),
    /// A role was not started.
    #[error(transparent)]
    Role(#[from] roles::Error),
    /// The bus could not be reached.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// What is indexed is not known.
    #[error(transparent)]
    Catalog(index::Error),
    /// The rules of who may read what did not get onto the bus.
    #[error(transparent)]
    Rules(#[from] streams::access::Error),
    /// The folder did not get into the corpus.
    #[error(transparent)]
    Corpus(#[from] corpus_sync::Error),
    /// The index is behind what was published.
    #[error("the index did not take in what was published; its log says why")]
    Behind,
}

/// A fleet in this process.
pub struct Local {
    /// Its bus.
    pub bus: Arc<dyn Bus>,
    /// Its model.
    pub chosen: ChosenModel,
    /// How long no document may be finished before indexing is given up. Default one hour.
    pub patience: Duration,
    /// How often a file that takes too much is tried while it is as it is. Default 2.
    pub tries_max: u32,
    memory: Arc<MemoryBus>,
    data_dir: PathBuf,
    index: Index,
    /// The pipeline of its indexer, see [`stage::Ingest::pipeline`].
    pipeline: String,
    /// The file that remembers what could not be read, and what reads.
    unread: (PathBuf, String),
    seen: watch::Receiver<u64>,
    stop: CancellationToken,
    running: JoinSet<()>,
    /// What keeps conversations on disk, and its own end: after that of everything that writes them.
    keeping: JoinSet<()>,
    kept: CancellationToken,
}

/// The rules of who may read what that a file has; none without a file.
fn access(file: Option<&Path>) -> Result<Access, Error> {
    let access = Access::default();
    if let Some(file) = file {
        let fail = |why| Error::Access {
            file: file.to_owned(),
            why,
        };
        let text = std::fs::read(file).map_err(|error| fail(error.to_string()))?;
        let rules = read_rules(&text).map_err(fail)?;
        access.set(AccessRules {
            tenants: BTreeMap::from([(TenantId::default_tenant(), rules)]),
            ..AccessRules::default()
        });
    }
    Ok(access)
}

/// What of the program and its options has to do with how files are read.
fn reading(config: &Config) -> String {
    let options = serde_json::to_value(&config.indexer).unwrap_or_default();
    let is_of_it = |name: &str| {
        let names = ["read_", "ocr", "program_timeout"];
        names.iter().any(|begin| name.starts_with(begin))
    };
    let options = options.as_object().into_iter().flatten();
    let options: Vec<String> = options
        .filter(|(name, _)| is_of_it(name))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!("{} {}", env!("CARGO_PKG_VERSION"), options.join(" "))
}

impl Local {
    /// Starts the fleet with its index in `dir`.
    pub async fn start(config: &Config, dir: &Path) -> Result<Local, Error> {
        let registry = Registry::new();
        let chosen = model::choose(config, &Role::ALL, &registry).await?;
        Local::start_with(config, dir, chosen, registry).await
    }

    /// Starts the fleet with a model that is already chosen.
    pub async fn start_with(
        config: &Config,
        dir: &Path,
        chosen: ChosenModel,
        registry: Registry,
    ) -> Result<Local, Error> {
        Local::start_between(config, dir, chosen, registry, |searcher| searcher).await
    }

    /// Starts the fleet with a wrapper between its index and the retriever.
    pub async fn start_between(
        config: &Config,
        dir: &Path,
        chosen: ChosenModel,
        registry: Registry,
        between: impl FnOnce(Arc<dyn Searcher>) -> Arc<dyn Searcher>,
    ) -> Result<Local, Error> {
        match config.retrieval.vectors {
            VectorStore::Embedded => {}
            VectorStore::Qdrant => return Err(Error::Qdrant),
        }
        // Nobody asks one process what it calls.
        let pools = Pools::default();
        let options = &config.retrieval;
        let embedder =
            search_factory::embedder(options, &config.data_dir.0, &registry, &pools).await?;
        let factory = SearchFactory::new(options, embedder, &registry, &pools)?;
        let at = || dir.to_owned();
        let index = Index::open(dir, factory.vectors())
            .map_err(|error| Error::Index { dir: at(), error })?;
        let index = index.with_access(access(options.access.as_deref())?);
        let schemas = Arc::new(roles::schemas(config)?);
        index.describe(index_host::described(&schemas));
        let (mut view, seen) =
            (held(&index).await).map_err(|error| Error::Held { dir: at(), error })?;
        let pipeline = ingest(config, factory.embedder(), &chosen.model, None)?
            .pipeline()
            .to_owned();
        let readers = format!("{} {:?}", reading(config), schemas.records());
        // What is kept on disk is kept for ever: nobody but its owner takes anything out.
        let mut config = config.clone();
        config.streams.conversation_events = u32::MAX;
        let topology = Topology {
            conversation_age: TimeSpan::ZERO,
            ..config.streams.clone()
        };
        let memory = MemoryBus::starting_at(&topology, conversations::now());
        let bus: Arc<dyn Bus> = memory.clone();
        let access = index.access().clone();
        // Doors look on the bus.
        let rules = access.rules().of(&TenantId::default_tenant()).to_vec();
        streams::access::set(&*bus, &TenantId::default_tenant(), rules).await?;
        let data_dir = config.data_dir.0.clone();
        let stop = CancellationToken::new();
        // A bus of this process alone has one edition.
        config.indexer.edition = Edition::main();
        let process = Process {
            config,
            bus: bus.clone(),
            health: Health::new(&[]),
            registry,
            stop: stop.clone(),
            seed: fastrand::u64(..),
            traces: Traces::off(),
            faults: None,
        };
        let searcher = Arc::new(factory.searcher(index.clone()));
        let counted = index.clone();
        let lookup = Lookup::new(searcher.clone(), move || counted.clone());
        let lookup = lookup
            .with_schemas(schemas.clone())
            .with_options(process.config.retriever.clone());
        let counts = CatalogMetrics::new(&process.registry).map_err(roles::Error::from)?;
        let described = index.clone();
        let (catalog, keeper) =
            CatalogCache::over_index(move || described.clone(), schemas, counts);
        let mut running = process.start(
            &Role::ALL,
            &Collaborators {
                model: chosen.model.clone(),
                searcher: between(searcher),
                caught_up: None,
                conversations: None,
                embedder: factory.embedder(),
                catalog,
            },
        )?;
        running.spawn(keeper.keep(stop.clone()));
        let (watched, until) = (bus.clone(), stop.clone());
        running.spawn(async move {
            streams::access::watch(&*watched, 0, |rules| access.set(rules), until).await;
        });
        // Listening before anybody can ask: a request that nobody hears is lost.
        let heard = LookupSubscriptions::open(&*bus).await?;
        running.spawn(lookup::serve(
            bus.clone(),
            lookup,
            Some(heard),
            stop.clone(),
        ));
        let (fed, until) = (bus.clone(), stop.clone());
        running.spawn(async move {
            let filter = envelope::subject::edition(&Edition::main());
            feed(&*fed, Stream::Chunks, &filter, &mut view, until).await
        });
        Ok(Local {
            bus,
            memory,
            data_dir,
            chosen,
            patience: PATIENCE,
            tries_max: TRIES_MAX,
            unread: (dir.join("unread.json"), readers),
            index,
            pipeline,
            seen,
            stop,
            running,
            keeping: JoinSet::new(),
            kept: CancellationToken::new(),
        })
    }

    /// Brings `root` into the index, and returns when it can be searched.
    pub async fn index(
        &mut self,
        root: PathBuf,
        mode: PublishMode,
        progress: impl FnMut(SyncProgress) + Send,
    ) -> Result<Summary, Error> {
        let mut catalog = Catalog::new(TenantId::default_tenant());
        self.index
            .each_head(&TenantId::default_tenant(), |head| catalog.observe(&head))
            .map_err(Error::Catalog)?;
        // Another schema makes other documents of the same files.
        catalog.outdate(&self.pipeline);
        let (file, readers) = self.unread.clone();
        let tries_max = (mode == PublishMode::Incremental).then_some(self.tries_max);
        let summary = corpus_sync::index(
            self.bus.clone(),
            root,
            &catalog,
            corpus_sync::Options {
                patience: Some(self.patience),
                silent: Some(FILE),
                unread: Unread::open(file, readers, tries_max),
                ..corpus_sync::Options::waiting(mode)
            },
            progress,
        )
        .await?;
        let last = self.bus.state(Stream::Chunks).await?.last;
        let caught_up = self.seen.wait_for(|seen| *seen >= last);
        match tokio::time::timeout(Duration::from_secs(120), caught_up).await {
            Ok(Ok(_)) => Ok(summary),
            _ => Err(Error::Behind),
        }
    }

    /// Opens a conversation for one question. What was said before is on the bus from then on, and what is said now
    /// is kept when the conversation is closed.
    pub(crate) async fn open(
        &self,
        conversation: &ConversationId,
    ) -> Result<Kept, kept_conversations::Error> {
        let key = conversations::key_of(&TenantId::default_tenant(), conversation);
        Kept::begin(&self.data_dir, self.memory.clone(), key).await
    }

    /// Keeps all conversations from now on, those that were held before among them. When they cannot be kept any more,
    /// `stop` is cancelled, and the token that is returned.
    pub(crate) async fn keep_conversations(
        &mut self,
        stop: CancellationToken,
    ) -> Result<CancellationToken, kept_conversations::Error> {
        let kept = KeptAll::begin(&self.data_dir, self.memory.clone()).await?;
        let (until, failed) = (self.kept.clone(), CancellationToken::new());
        let told = failed.clone();
        self.keeping.spawn(async move {
            if let Err(error) = kept.follow(until).await {
                tracing::error!(%error, "conversations are not kept any more");
                told.cancel();
                stop.cancel();
            }
        });
        Ok(failed)
    }

    /// How many chunks can be found.
    pub fn chunk_count(&self) -> u64 {
        self.index.chunk_count()
    }

    /// Stops the fleet and waits for it.
    pub async fn stop(mut self) {
        self.stop.cancel();
        while self.running.join_next().await.is_some() {}
        self.kept.cancel();
        while self.keeping.join_next().await.is_some() {}
    }
}

/// The folder of the index of a corpus: one folder for each corpus under the data folder.
pub fn index_dir(config: &Config, root: &Path) -> PathBuf {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let hash = envelope::ids::fnv1a_64(root.as_os_str().as_encoded_bytes());
    config.data_dir.0.join("index").join(format!("{hash:016x}"))
}
/// The view that writes into an index. Another question over the same folder has it for a moment.
async fn held(index: &Index) -> Result<(IndexView, watch::Receiver<u64>), index::Error> {
    let until = Instant::now() + HELD_MAX;
    loop {
        match IndexView::kept(index.clone()) {
            Err(error) if error.is_held() && Instant::now() < until => {
                tokio::time::sleep(HELD_LOOK).await;
            }
            other => return other,
        }
    }
}
