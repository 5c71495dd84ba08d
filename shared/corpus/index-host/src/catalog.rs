//! Caches the catalog of each tenant for planners. A catalog is used for a minute, then made anew in the background.
//!
//! Only the first question of a tenant waits for its catalog, and only for a short time; if none comes, the question
//! goes on with an empty catalog, which is counted. Later questions get the catalog at once: one that is over a minute
//! old is served while a new one is made, and one of more than ten minutes counts as none. Catalogs are made by a separate task, which [`CatalogCache::over_index`]
//! returns beside the cache, so that a request spawns nothing. *Not* here: how a catalog is made, which is with the
//! index ([`crate::lookup`]).

use crate::lookup::catalog;
use bus::Bus;
use envelope::Principal;
use envelope::limits::LOOKUP_REPLY_BYTES_MAX;
use envelope::lookup::{CATALOG_VALUES, CatalogRequest, CorpusCatalog};
use envelope::subject::CATALOG;
use futures_util::future::BoxFuture;
use index::Index;
use indexer::schema::Schemas;
use prometheus::{IntCounter, IntCounterVec};
use search::CatalogSource;
use serde_json::json;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use streams::client::lookup;
use telemetry::Registry;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long a catalog counts as of now.
const FRESH: Duration = Duration::from_secs(60);
/// How old one may be that is still used: what it tells may be for other readers since.
const OLD_MAX: Duration = Duration::from_secs(600);
/// How soon one that could not be made is tried again.
const AGAIN: Duration = Duration::from_secs(5);
/// How long the first question of a tenant waits.
const FIRST_WAIT: Duration = Duration::from_secs(2);
/// Tenants whose catalogs are kept: those that were asked for last. At most half a MiB each.
const TENANTS_MAX: usize = 64;
/// Catalogs that wait to be made; one that comes on top is asked for by a later question.
const WAITING_MAX: usize = 64;
/// Catalogs that are made at once.
const AT_ONCE: usize = 4;
/// After this time a request for a catalog counts as abandoned; a look-up takes 12 s at most.
const WORK_MAX: Duration = Duration::from_secs(30);

/// Why a catalog was not made; the text is for the log.
type Unmade = Box<dyn std::error::Error + Send + Sync>;
/// Makes the catalog of a tenant.
type Make = dyn Fn(Principal) -> BoxFuture<'static, Result<CorpusCatalog, Unmade>> + Send + Sync;

/// Counters of the cache. Clones share them.
#[derive(Debug, Clone)]
pub struct CatalogMetrics {
    made: IntCounter,
    failed: IntCounter,
    missing: IntCounter,
}

impl CatalogMetrics {
    /// Registers the families; asking twice gives the same ones.
    ///
    /// # Errors
    /// When the registry has another family of the same name.
    pub fn new(registry: &Registry) -> Result<CatalogMetrics, telemetry::Error> {
        let made: IntCounterVec = registry.counter(
            "argosy_catalog_refreshes_total",
            "Tries to make a catalog of the corpus for plans, by the outcome.",
            &["outcome"],
        )?;
        let missing = registry.counter(
            "argosy_catalog_missing_total",
            "Plans that were made without a catalog, because none came in time.",
            &[],
        )?;
        Ok(CatalogMetrics {
            made: made.with_label_values(&["made"]),
            failed: made.with_label_values(&["failed"]),
            missing: missing.with_label_values(&[] as &[&str]),
        })
    }
}

/// The cache that serves catalogs.
pub struct CatalogCache {
    kept: Mutex<HashMap<Principal, Kept>>,
    wanted: mpsc::Sender<Principal>,
    metrics: CatalogMetrics,
}

/// The task that makes the catalogs that a [`CatalogCache`] orders, while it runs.
pub struct CatalogKeeper {
    cache: Arc<CatalogCache>,
    wanted: mpsc::Receiver<Principal>,
    make: Arc<Make>,
}

/// The catalog of a tenant.
struct Kept {
    state: watch::Sender<State>,
    /// From when on it has to be made anew.
    stale_at: Instant,
    /// When what there is was made.
    of: Instant,
    asked_at: Instant,
    /// Set while a catalog is being made; until then at most.
    wanted_until: Option<Instant>,
}

/// What came of it so far.
#[derive(Debug, Clone, Default)]
struct State {
    /// `None` until one was made.
    catalog: Option<Arc<CorpusCatalog>>,
    /// How often making it came to nothing.
    failures: u64,
}

impl CatalogCache {
    /// A cache of catalogs that are made from the index that `index` returns, with the descriptions of schemas.
    pub fn over_index(
        index: impl Fn() -> Index + Send + Sync + 'static,
        schemas: Arc<Schemas>,
        metrics: CatalogMetrics,
    ) -> (Arc<CatalogCache>, CatalogKeeper) {
        let make =
            move |principal: Principal| -> BoxFuture<'static, Result<CorpusCatalog, Unmade>> {
                let (index, schemas) = (index(), schemas.clone());
                Box::pin(async move {
                    let request = CatalogRequest {
                        principal,
                        buckets: Vec::new(),
                        values_max: CATALOG_VALUES,
                    };
                    let made = tokio::task::spawn_blocking(move || {
                        catalog::made(&index, &schemas, &request)
                    });
                    Ok(made.await??.fitted(LOOKUP_REPLY_BYTES_MAX))
                })
            };
        CatalogCache::over(Arc::new(make), metrics)
    }

    /// A cache of catalogs that are requested from a retriever of the fleet.
    pub fn over_bus(
        bus: Arc<dyn Bus>,
        metrics: CatalogMetrics,
    ) -> (Arc<CatalogCache>, CatalogKeeper) {
        let make =
            move |principal: Principal| -> BoxFuture<'static, Result<CorpusCatalog, Unmade>> {
                let bus = bus.clone();
                Box::pin(async move {
                    let request = json!({"tenant": principal.tenant, "groups": principal.groups});
                    Ok(lookup::ask(&*bus, CATALOG, &request).await?)
                })
            };
        CatalogCache::over(Arc::new(make), metrics)
    }

    fn over(make: Arc<Make>, metrics: CatalogMetrics) -> (Arc<CatalogCache>, CatalogKeeper) {
        let (wanted, hears) = mpsc::channel(WAITING_MAX);
        let cache = Arc::new(CatalogCache {
            kept: Mutex::default(),
            wanted,
            metrics,
        });
        let keeper = CatalogKeeper {
            cache: cache.clone(),
            wanted: hears,
            make,
        };
        (cache, keeper)
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<Principal, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The present catalog of a tenant; a new one is ordered where that is due. Also returns whether one is being
    /// made.
    fn look(&self, principal: &Principal) -> (watch::Receiver<State>, bool) {
        let now = Instant::now();
        let mut all = self.kept();
        if !all.contains_key(principal) && all.len() >= TENANTS_MAX {
            let oldest = all.iter().min_by_key(|(_, kept)| kept.asked_at);
            if let Some(oldest) = oldest.map(|(principal, _)| principal.clone()) {
                all.remove(&oldest);
            }
        }
        let kept = all.entry(principal.clone()).or_insert_with(|| Kept {
            state: watch::Sender::default(),
            stale_at: now,
            of: now,
            asked_at: now,
            wanted_until: None,
        });
        kept.asked_at = now;
        if now.duration_since(kept.of) > OLD_MAX {
            kept.state.send_modify(|state| state.catalog = None);
        }
        kept.wanted_until = kept.wanted_until.filter(|until| now < *until);
        if kept.wanted_until.is_none() && now >= kept.stale_at {
            let told = self.wanted.try_send(principal.clone());
            kept.wanted_until = told.ok().map(|()| now + WORK_MAX);
        }
        (kept.state.subscribe(), kept.wanted_until.is_some())
    }

    /// What was made; one that failed leaves what there is.
    fn keep_made(&self, principal: &Principal, made: Result<CorpusCatalog, Unmade>) {
        let lasts = match &made {
            Ok(_) => FRESH,
            Err(_) => AGAIN,
        };
        match &made {
            Ok(_) => self.metrics.made.inc(),
            Err(error) => {
                self.metrics.failed.inc();
                tracing::warn!(%error, "catalog not made");
            }
        }
        if let Some(kept) = self.kept().get_mut(principal) {
            (kept.wanted_until, kept.stale_at) = (None, Instant::now() + lasts);
            if made.is_ok() {
                kept.of = Instant::now();
            }
            kept.state.send_modify(|state| match made {
                Ok(catalog) => state.catalog = Some(Arc::new(catalog)),
                Err(_) => state.failures += 1,
            });
        }
    }
}

impl CatalogSource for CatalogCache {
    fn catalog<'a>(&'a self, principal: &'a Principal) -> BoxFuture<'a, Arc<CorpusCatalog>> {
        Box::pin(async move {
            let (mut state, is_coming) = self.look(principal);
            let State { catalog, failures } = state.borrow().clone();
            if let Some(catalog) = catalog {
                return catalog;
            }
            if is_coming {
                let came = state.wait_for(|now| now.catalog.is_some() || now.failures > failures);
                let _ = tokio::time::timeout(FIRST_WAIT, came).await;
            }
            let first = state.borrow().catalog.clone();
            first.unwrap_or_else(|| {
                self.metrics.missing.inc();
                Arc::default()
            })
        })
    }
}

impl CatalogKeeper {
    /// Makes the ordered catalogs until it is told to stop.
    pub async fn keep(mut self, stop: CancellationToken) {
        let mut making: JoinSet<(Principal, Result<CorpusCatalog, Unmade>)> = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(done) = making.join_next() => match done {
                    Ok((principal, made)) => self.cache.keep_made(&principal, made),
                    Err(error) => tracing::error!(%error, "catalog not made"),
                },
                wanted = self.wanted.recv(), if making.len() < AT_ONCE => {
                    let Some(principal) = wanted else { break };
                    let made = (self.make)(principal.clone());
                    making.spawn(async move { (principal, made.await) });
                }
            }
        }
        making.shutdown().await;
    }
}

#[cfg(test)]
#[path = "catalog_tests.rs"]
mod tests;
