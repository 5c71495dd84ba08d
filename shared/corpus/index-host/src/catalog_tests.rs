//! Tests of the cache of catalogs on a paused clock: which requests wait, what they get while a catalog is made, and
//! what follows a failure.

use super::*;
use envelope::Bucket;
use envelope::lookup::CatalogBucket;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Makes catalogs whose number of documents says how many were made before.
struct Maker {
    made: AtomicU64,
    is_broken: AtomicBool,
    takes: Duration,
}

fn started(
    takes: Duration,
) -> (
    Arc<CatalogCache>,
    Arc<Maker>,
    CancellationToken,
    JoinSet<()>,
) {
    let maker = Arc::new(Maker {
        made: AtomicU64::new(0),
        is_broken: AtomicBool::new(false),
        takes,
    });
    let by = maker.clone();
    let make = move |_: Principal| -> BoxFuture<'static, Result<CorpusCatalog, Unmade>> {
        let by = by.clone();
        Box::pin(async move {
            tokio::time::sleep(by.takes).await;
            match by.is_broken.load(Ordering::SeqCst) {
                true => Err("no retriever is running that has caught up with the corpus".into()),
                false => Ok(of(by.made.fetch_add(1, Ordering::SeqCst))),
            }
        })
    };
    let metrics = CatalogMetrics::new(&Registry::new()).unwrap();
    let (cache, keeper) = CatalogCache::over(Arc::new(make), metrics);
    let (stop, mut running) = (CancellationToken::new(), JoinSet::new());
    running.spawn(keeper.keep(stop.clone()));
    (cache, maker, stop, running)
}

fn of(documents: u64) -> CorpusCatalog {
    CorpusCatalog {
        buckets: vec![CatalogBucket {
            bucket: Bucket::new("a").unwrap(),
            description: String::new(),
            synonyms: Vec::new(),
            documents,
            columns: Vec::new(),
            columns_left_out: 0,
        }],
        ..CorpusCatalog::default()
    }
}

async fn asked(cache: &CatalogCache, tenant: &str) -> Option<u64> {
    let principal = envelope::TenantId::new(tenant).unwrap().into();
    let catalog = cache.catalog(&principal).await;
    catalog.buckets.first().map(|bucket| bucket.documents)
}

#[tokio::test(start_paused = true)]
async fn a_catalog_is_kept_for_a_minute_and_a_stale_one_is_served_while_it_is_made_anew() {
    let (cache, maker, stop, mut running) = started(Duration::from_millis(100));
    let begun = Instant::now();
    assert_eq!(asked(&cache, "a").await, Some(0), "the first one waits");
    assert_eq!(begun.elapsed(), Duration::from_millis(100));
    tokio::time::sleep(FRESH - Duration::from_secs(1)).await;
    assert_eq!(asked(&cache, "a").await, Some(0));
    assert_eq!(maker.made.load(Ordering::SeqCst), 1, "made once");

    tokio::time::sleep(Duration::from_secs(2)).await;
    let stale = Instant::now();
    assert_eq!(asked(&cache, "a").await, Some(0), "the old one");
    assert_eq!(asked(&cache, "a").await, Some(0));
    assert_eq!(stale.elapsed(), Duration::ZERO, "and nobody waits");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(asked(&cache, "a").await, Some(1));
    assert_eq!(maker.made.load(Ordering::SeqCst), 2, "made once for both");
    assert_eq!(asked(&cache, "b").await, Some(2), "each tenant has its own");
    tokio::time::sleep(OLD_MAX + Duration::from_secs(1)).await;
    assert_eq!(
        asked(&cache, "a").await,
        Some(3),
        "one that is too old is waited for"
    );
    stop.cancel();
    while running.join_next().await.is_some() {}
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_an_empty_catalog_or_the_old_one_and_is_counted() {
    let (cache, maker, _stop, _running) = started(Duration::from_millis(100));
    maker.is_broken.store(true, Ordering::SeqCst);
    let begun = Instant::now();
    assert_eq!(asked(&cache, "a").await, None);
    assert_eq!(
        begun.elapsed(),
        Duration::from_millis(100),
        "no longer than that takes"
    );
    let counted = |cache: &CatalogCache| {
        let CatalogMetrics {
            made,
            failed,
            missing,
        } = &cache.metrics;
        (made.get(), failed.get(), missing.get())
    };
    assert_eq!(counted(&cache), (0, 1, 1));
    maker.is_broken.store(false, Ordering::SeqCst);
    assert_eq!(
        asked(&cache, "a").await,
        None,
        "it is left alone for a while"
    );
    assert_eq!(
        begun.elapsed(),
        Duration::from_millis(100),
        "and nobody waits"
    );
    tokio::time::sleep(AGAIN).await;
    assert_eq!(asked(&cache, "a").await, Some(0));

    maker.is_broken.store(true, Ordering::SeqCst);
    tokio::time::sleep(FRESH * 2).await;
    assert_eq!(asked(&cache, "a").await, Some(0));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(asked(&cache, "a").await, Some(0), "the old one stays");
    assert_eq!(counted(&cache), (1, 2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_slow_catalog_keeps_no_question_waiting_for_long() {
    let (cache, _maker, stop, mut running) = started(Duration::from_secs(9));
    let begun = Instant::now();
    assert_eq!(asked(&cache, "a").await, None);
    assert_eq!(begun.elapsed(), FIRST_WAIT);
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(asked(&cache, "a").await, Some(0), "it came all the same");
    stop.cancel();
    while running.join_next().await.is_some() {}
    assert_eq!(asked(&cache, "b").await, None, "nobody makes any more");
}

#[tokio::test(start_paused = true)]
async fn only_so_many_tenants_are_kept() {
    let (cache, _maker, _stop, _running) = started(Duration::from_millis(1));
    for n in 0..TENANTS_MAX + 5 {
        assert!(asked(&cache, &format!("t{n}")).await.is_some());
    }
    assert_eq!(cache.kept().len(), TENANTS_MAX);
    assert!(
        !cache
            .kept()
            .contains_key(&envelope::TenantId::new("t0").unwrap().into())
    );
}
