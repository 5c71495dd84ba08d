//! Measures a large index: how fast it is fed, how large it is, and how long searches take.
//!
//! The corpus is generated, or made of the files of a folder (`corpus`). It measures the cost of a search, *not*
//! whether the search finds the right passages (`argosy eval retrieval`).

use crate::cli::RetrievalArgs;
use crate::corpus::Corpus;
use crate::feed;
use crate::host::memory_mb;
use crate::index_floor::FloorSearch;
use crate::out::println;
use crate::waiting::Waiting;
use argosy::cli::Output;
use argosy::cli_error::CliError;
use argosy::machine::machine;
use argosy::render::ProgressLine;
use envelope::{ConditionOrigin, Filter, TenantId};
use index::{HybridSearcher, Index, Metrics, Models, Options, VectorSource};
use llm::Reranker;
use search::{SearchRequest, Searcher};
use serde::Serialize;
use serde_json::{Value, json};
use settings::ByteSize;
use static_embed::StaticTable;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use telemetry::Registry;

/// The number of searches of each kind, and of those before the measurement.
const SEARCHES: usize = 200;
const WARM_UP: usize = 20;
/// The candidates of a search, and the passages of its result.
const FETCH: usize = 100;
const TOP: usize = 10;

/// The measured values.
#[derive(Debug, Serialize)]
struct Report {
    machine: String,
    /// The folder that was read; `null` for a made-up corpus.
    corpus: Option<String>,
    documents: usize,
    /// How many files gave no document.
    skipped: usize,
    chunks: usize,
    words_per_chunk: usize,
    /// The filter of filtered searches, and the number of chunks that satisfy it.
    filter: Value,
    filter_chunks: u64,
    embedder: &'static str,
    /// Chunks per second with words alone, including the reading of messages and the commits.
    fed_per_s: f64,
    /// The processor time of that feed, of all threads, in microseconds per chunk. Other work on the machine changes
    /// this value least.
    fed_cpu_us: f64,
    /// The memory of this process after the feed, and the private part of it, in MB.
    fed_private_mb: f64,
    /// Chunks per second when the same texts are fed into the library alone, measured before the feed, see
    /// [`crate::index_floor`].
    floor_per_s: f64,
    floor_cpu_us: f64,
    /// The processor time of the floor divided by that of the feed: the library's share of it.
    ratio: f64,
    /// The time for fitting the static table and making all vectors, in seconds.
    vectors_s: f64,
    index_mb: f64,
    /// The resident and private memory of this process after the searches.
    rss_mb: f64,
    private_mb: f64,
    searches: Vec<Timed>,
}

#[derive(Debug, Serialize)]
struct Timed {
    name: &'static str,
    p50_ms: f64,
    p99_ms: f64,
    /// The share of candidates whose sentences are cached from an earlier search, among all candidates whose
    /// sentences are read; `null` where no cache is kept.
    sentence_cache_hit_share: Option<f64>,
}

/// `argosy-bench retrieval`
pub async fn retrieval(args: RetrievalArgs, output: Output) -> Result<(), CliError> {
    let line = ProgressLine::new(output);
    let corpus = match &args.corpus {
        Some(dir) => tokio::task::block_in_place(|| Corpus::read(dir, WARM_UP + SEARCHES, &line))?,
        None => Corpus::made_up(args.chunks, args.pages, WARM_UP + SEARCHES, &line)?,
    };
    let folder = tempfile::tempdir()?;
    let broken = |e: index::Error| CliError::negative(format!("the index: {e}"));
    let vectors = VectorSource::Table(StaticTable::shipped());
    let index = Index::open(folder.path(), &vectors).map_err(broken)?;
    let bare = tempfile::tempdir()?;
    let floor = tokio::task::block_in_place(|| feed::floor(bare.path(), &corpus, &line))?;
    let fed = tokio::task::block_in_place(|| feed::index(&index, &corpus, &line))?;
    let bare = FloorSearch::open(bare.path()).map_err(broken)?;
    let mut searches = Vec::new();
    for (name, counted) in [("bare", false), ("bare, counted", true)] {
        searches.push(time_bare(&bare, name, counted, &corpus.queries)?);
    }
    let waiting = Waiting::start(0).await?;
    for kind in kinds(&corpus.filter, &waiting)? {
        line.say(format!("searching: {}", kind.name));
        searches.push(time(&index, kind, &corpus.queries).await?);
    }
    let searcher = HybridSearcher::new(index.clone(), Options::default());
    let all = searcher.search(&request("", &corpus.filter)?).await;
    let filter_chunks = all.map_err(|e| broken(e.into()))?.total_hits;
    let report = Report {
        machine: machine(),
        corpus: args.corpus.map(|dir| dir.display().to_string()),
        documents: corpus.documents,
        skipped: corpus.skipped,
        chunks: corpus.chunks,
        words_per_chunk: corpus.words_per_chunk,
        filter: corpus.filter,
        filter_chunks,
        embedder: static_embed::STATIC_NAME,
        fed_per_s: fed.per_s,
        fed_cpu_us: fed.cpu_us,
        fed_private_mb: fed.private_mb,
        floor_per_s: floor.per_s,
        floor_cpu_us: floor.cpu_us,
        ratio: floor.cpu_us / fed.cpu_us,
        vectors_s: fed.vectors_s,
        index_mb: megabytes(folder.path()),
        rss_mb: memory_mb(std::process::id(), "VmRSS"),
        private_mb: memory_mb(std::process::id(), "RssAnon"),
        searches,
    };
    line.done();
    show(&report, output);
    Ok(())
}

fn show(report: &Report, output: Output) {
    if output == Output::Json {
        println!("{:#}", json!(report));
        return;
    }
    if let Some(dir) = &report.corpus {
        println!(
            "`{dir}`: {} documents, {} files skipped",
            report.documents, report.skipped
        );
    }
    println!(
        "{}: {} chunks of {} words; the filter {} lets {} through",
        report.machine, report.chunks, report.words_per_chunk, report.filter, report.filter_chunks
    );
    println!(
        "fed {:.0} chunks/s, {:.0} us of processor each; vectors {:.1} s; index {:.0} MB",
        report.fed_per_s, report.fed_cpu_us, report.vectors_s, report.index_mb
    );
    println!(
        "the library alone: {:.0} chunks/s, {:.0} us of processor each, {:.2} of ours",
        report.floor_per_s, report.floor_cpu_us, report.ratio
    );
    println!(
        "resident {:.0} MB, of it private {:.0}, and {:.0} after the feed",
        report.rss_mb, report.private_mb, report.fed_private_mb
    );
    for timed in &report.searches {
        println!(
            "{:>24}  p50 {:>7.1} ms  p99 {:>7.1} ms{}",
            timed.name,
            timed.p50_ms,
            timed.p99_ms,
            match timed.sentence_cache_hit_share {
                Some(share) => format!("  {:.0} % of the sentences read before", share * 100.0),
                None => String::new(),
            }
        );
    }
}

/// A kind of search that is timed.
struct Kind {
    name: &'static str,
    options: Options,
    filter: Value,
    /// Whether only the reranking of the candidates is timed, instead of the whole search.
    only_again: bool,
    /// The reranker; `None` for the built-in one.
    reranker: Option<Arc<dyn Reranker>>,
}

fn kinds(some: &Value, waiting: &Waiting) -> Result<Vec<Kind>, CliError> {
    let words = Options {
        vectors: false,
        ..Options::default()
    };
    let kind = |name, options: &Options, filter: &Value| Kind {
        name,
        options: options.clone(),
        filter: filter.clone(),
        only_again: false,
        reranker: None,
    };
    let alone = Options {
        rerank: false,
        ..words.clone()
    };
    let fused = Options {
        rerank: false,
        ..Options::default()
    };
    let (both, all) = (Options::default(), json!({}));
    let forgetful = Options {
        sentence_cache_bytes: ByteSize::default(),
        ..both.clone()
    };
    // As before documents were ranked.
    let alike = Options {
        document_weight: 0.0,
        ..forgetful.clone()
    };
    Ok(vec![
        kind("words alone", &alone, &all),
        kind("words", &words, &all),
        kind("words, filtered", &words, some),
        kind("fused", &fused, &all),
        kind("both, nothing kept", &forgetful, &all),
        kind("both, no documents", &alike, &all),
        kind("words and vectors", &both, &all),
        kind("both, filtered", &forgetful, some),
        Kind {
            only_again: true,
            ..kind("the second look at 100", &forgetful, &all)
        },
        // One that answers at once: what HTTP adds to the search of the third kind.
        Kind {
            reranker: Some(waiting.reranker()?),
            ..kind("both, looked at by HTTP", &both, &all)
        },
    ])
}

fn request(query: &str, filter: &Value) -> Result<SearchRequest, CliError> {
    let filter = Filter::parse(filter, ConditionOrigin::User);
    Ok(SearchRequest {
        principal: TenantId::default_tenant().into(),
        buckets: Vec::new(),
        filter: filter.map_err(|e| CliError::negative(e.to_string()))?,
        query: query.to_owned(),
        keywords: Vec::new(),
        context: None,
        strategy: Default::default(),
        fetch_k: FETCH,
        top_k: TOP,
        after: None,
    })
}

/// Times the library alone: the best texts by their words, one query after the other.
fn time_bare(
    bare: &FloorSearch,
    name: &'static str,
    counted: bool,
    queries: &[String],
) -> Result<Timed, CliError> {
    let mut times = Vec::with_capacity(queries.len());
    for query in queries {
        let start = Instant::now();
        let found = bare.best(query, FETCH, counted);
        found.map_err(|e| CliError::negative(format!("the floor: {e}")))?;
        times.push(start.elapsed().as_secs_f64() * 1_000.0);
    }
    Ok(timed(name, times))
}

async fn time(index: &Index, kind: Kind, queries: &[String]) -> Result<Timed, CliError> {
    let metrics = Metrics::new(&Registry::new()).map_err(|e| CliError::negative(e.to_string()))?;
    let Options {
        rerank,
        vectors,
        sentence_cache_bytes,
        ..
    } = kind.options;
    let reads = rerank && vectors && kind.reranker.is_none() && sentence_cache_bytes.bytes() > 0;
    let searcher = HybridSearcher::new(index.clone(), kind.options)
        .with_metrics(metrics.clone())
        .with_models(Models {
            reranker: kind.reranker,
            ..Models::default()
        });
    let mut times = Vec::with_capacity(queries.len());
    for query in queries {
        let request = request(query, &kind.filter)?;
        let start = Instant::now();
        let took = match kind.only_again {
            true => searcher
                .time_second_look(&request)
                .await
                .map_err(Into::into),
            false => searcher.search(&request).await.map(|_| start.elapsed()),
        };
        let took = took.map_err(|e| CliError::negative(e.to_string()))?;
        times.push(took.as_secs_f64() * 1_000.0);
    }
    Ok(Timed {
        sentence_cache_hit_share: reads.then(|| metrics.sentence_cache_hit_share()),
        ..timed(kind.name, times)
    })
}

fn timed(name: &'static str, mut times: Vec<f64>) -> Timed {
    let mut times = times.split_off(WARM_UP.min(times.len() - 1));
    times.sort_by(f64::total_cmp);
    Timed {
        name,
        p50_ms: times[times.len() / 2],
        p99_ms: times[times.len() * 99 / 100],
        sentence_cache_hit_share: None,
    }
}

pub(super) fn megabytes(folder: &Path) -> f64 {
    let mut bytes = 0;
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => open.push(entry.path()),
                Ok(meta) => bytes += meta.len(),
                Err(_) => {}
            }
        }
    }
    bytes as f64 / 1e6
}
