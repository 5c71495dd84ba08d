//! Measures a retriever's index as a view of the corpus stream: how long it takes to catch up from nothing, from the
//! retriever's own folder, and from a snapshot; and the cost of a snapshot.
//!
//! The nats-server is a real one. The feed, the index and the snapshots are those of `argosy run retriever`, but they
//! run in the process of the bench. The corpus is generated (`corpus`).

use crate::cli::ViewsArgs;
use crate::corpus::{CHUNK_WORDS, Words, document};
use crate::fleet_run::{Ground, nats_server};
use crate::host::memory_mb;
use crate::out::println;
use crate::retrieval::megabytes;
use argosy::cli::Output;
use argosy::cli_error::CliError;
use argosy::config::Config;
use argosy::machine::machine;
use argosy::render::ProgressLine;
use bus::{Bus, Publish, Snapshots, Stream};
use documents::record::publish_order;
use futures_util::{TryStreamExt, stream};
use index::{Index, VectorSource};
use index_host::snapshot::{self, Fit, Keeper};
use index_host::view::IndexView;
use serde::Serialize;
use static_embed::StaticTable;
use std::path::Path;
use std::time::Instant;
use streams::feed::feed;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How many publishes are in flight at once.
const IN_FLIGHT: usize = 256;
/// One in so many chunks is published after the index was stopped, and after the snapshot.
const LATER_PART: usize = 100;

/// The measured values; times are in seconds.
#[derive(Debug, Serialize)]
struct Report {
    machine: String,
    chunks: usize,
    words_per_chunk: usize,
    embedder: &'static str,
    published_per_s: f64,
    stream_mb: f64,
    /// From nothing: the time until words are found, and until the vectors are there as well.
    from_nothing_words_s: f64,
    from_nothing_s: f64,
    from_nothing_per_s: f64,
    index_mb: f64,
    /// From its own folder, a hundredth of the corpus behind: the time for opening, and the whole time.
    warm_open_s: f64,
    warm_s: f64,
    snapshot_mb: f64,
    snapshot_write_s: f64,
    /// From an empty folder with a snapshot that is a hundredth of the corpus behind: the time for the restore, and
    /// the whole time.
    restore_s: f64,
    from_snapshot_s: f64,
    rss_mb: f64,
    peak_rss_mb: f64,
}

/// `argosy-bench views`
pub async fn views(args: ViewsArgs, config: Config, output: Output) -> Result<(), CliError> {
    let line = ProgressLine::new(output);
    let binary = nats_server()?;
    let ground = Ground::lay(binary, false, &config).await?;
    let mut words = Words::new(1);
    let later = (args.chunks / LATER_PART).max(1);
    line.say("publishing".into());
    let start = Instant::now();
    publish(&*ground.bus, 0..args.chunks, &mut words).await?;
    let published = start.elapsed().as_secs_f64();
    let state = ground.bus.state(Stream::Chunks).await?;
    let name = format!("{}@{}", Stream::Chunks.name(), state.created_ms);
    let vectors = VectorSource::Table(StaticTable::shipped());
    let (one, two) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let replica = |dir: &Path| Replica {
        dir: dir.to_owned(),
        vectors: vectors.clone(),
        stream: name.clone(),
    };

    line.say("catching up from nothing".into());
    let nothing = replica(one.path()).catch_up(&*ground.bus).await?;
    let index_mb = megabytes(one.path());
    publish(&*ground.bus, args.chunks..args.chunks + later, &mut words).await?;
    line.say("catching up from where it was".into());
    let warm = replica(one.path()).catch_up(&*ground.bus).await?;

    line.say("writing a snapshot".into());
    let fit = Fit::new(&vectors, &name);
    let keeper = Keeper {
        snapshots: ground.bus.clone(),
        bus: ground.bus.clone(),
        index: Index::open(one.path(), &vectors).map_err(broken)?,
        dir: one.path().to_owned(),
        fit: fit.clone(),
        options: snapshot::Options::default(),
    };
    let written = keeper.write(&[]).await?;
    drop(keeper);
    let from = args.chunks + later;
    publish(&*ground.bus, from..from + later, &mut words).await?;
    line.say("catching up from a snapshot".into());
    let start = Instant::now();
    let snapshots: &dyn Snapshots = &*ground.bus;
    let restored = snapshot::restore(snapshots, two.path(), &vectors, &fit).await;
    let restore = start.elapsed().as_secs_f64();
    if restored != Some(written.sequence) {
        return Err(CliError::negative("the snapshot was not restored")
            .hint("with few chunks a replay is faster: raise --chunks"));
    }
    let rest = replica(two.path()).catch_up(&*ground.bus).await?;
    let wanted = (args.chunks + 2 * later) as u64;
    if rest.chunks != wanted {
        let text = format!("{} chunks are found, not {wanted}", rest.chunks);
        return Err(CliError::negative(text));
    }
    line.done();
    let pid = std::process::id();
    let report = Report {
        machine: machine(),
        chunks: args.chunks,
        words_per_chunk: CHUNK_WORDS,
        embedder: static_embed::STATIC_NAME,
        published_per_s: args.chunks as f64 / published,
        stream_mb: state.bytes as f64 / 1e6,
        from_nothing_words_s: nothing.words_s,
        from_nothing_s: nothing.all_s,
        from_nothing_per_s: args.chunks as f64 / nothing.all_s,
        index_mb,
        warm_open_s: warm.open_s,
        warm_s: warm.all_s,
        snapshot_mb: written.bytes as f64 / 1e6,
        snapshot_write_s: written.took.as_secs_f64(),
        restore_s: restore,
        from_snapshot_s: restore + rest.all_s,
        rss_mb: memory_mb(pid, "VmRSS"),
        peak_rss_mb: memory_mb(pid, "VmHWM"),
    };
    show(&report, output);
    Ok(())
}

fn show(r: &Report, output: Output) {
    if output == Output::Json {
        println!("{:#}", serde_json::json!(r));
        return;
    }
    println!(
        "{}: {} chunks of {CHUNK_WORDS} words, {:.0} MB in the stream, {:.0} MB as an index",
        r.machine, r.chunks, r.stream_mb, r.index_mb
    );
    println!(
        "from nothing {:.1} s ({:.0} chunks/s), of it until words are found {:.1} s",
        r.from_nothing_s, r.from_nothing_per_s, r.from_nothing_words_s
    );
    println!("a hundredth behind {:.2} s", r.warm_s);
    println!(
        "snapshot {:.0} MB, written in {:.1} s; from it {:.1} s, of it the restore {:.1} s",
        r.snapshot_mb, r.snapshot_write_s, r.from_snapshot_s, r.restore_s
    );
    println!("peak memory {:.0} MB", r.peak_rss_mb);
}

async fn publish(
    bus: &dyn Bus,
    numbers: std::ops::Range<usize>,
    words: &mut Words,
) -> Result<(), CliError> {
    let messages = numbers
        .flat_map(|n| publish_order(&document(n, 1, words), None))
        .map(|record| match record.encode() {
            Ok(body) => Ok(Publish::new(
                record.subject(&envelope::Edition::main()),
                body,
            )),
            Err(error) => Err(CliError::negative(error.to_string())),
        });
    stream::iter(messages)
        .try_for_each_concurrent(IN_FLIGHT, |message| async move {
            let stored = bus.publish(message).await;
            stored.map_err(|e| CliError::negative(e.to_string()))?;
            Ok(())
        })
        .await
}

/// A retriever's index.
struct Replica {
    dir: std::path::PathBuf,
    vectors: VectorSource,
    stream: String,
}

/// How a replica caught up, in seconds from its start.
struct CaughtUp {
    open_s: f64,
    words_s: f64,
    all_s: f64,
    chunks: u64,
}

impl Replica {
    async fn catch_up(self, bus: &dyn Bus) -> Result<CaughtUp, CliError> {
        let last = bus.state(Stream::Chunks).await?.last;
        let start = Instant::now();
        let index = Index::open(&self.dir, &self.vectors).map_err(broken)?;
        let (mut view, mut seen) = IndexView::new(index, self.stream).map_err(broken)?;
        let open_s = start.elapsed().as_secs_f64();
        let mut found = view.found();
        let stop = CancellationToken::new();
        // On another thread than the feed, which makes vectors without a pause.
        let mut watching = JoinSet::new();
        let end = stop.clone();
        watching.spawn(async move {
            drop(found.wait_for(|at| *at >= last).await);
            let words_s = start.elapsed().as_secs_f64();
            drop(seen.wait_for(|at| *at >= last).await);
            end.cancel();
            (words_s, start.elapsed().as_secs_f64())
        });
        feed(bus, Stream::Chunks, "argosy.chunk.>", &mut view, stop).await;
        let watched = watching.join_next().await.and_then(Result::ok);
        let (words_s, all_s) = watched.ok_or_else(|| CliError::negative("the feed ended"))?;
        Ok(CaughtUp {
            open_s,
            words_s,
            all_s,
            chunks: view.chunk_count(),
        })
    }
}

fn broken(error: index::Error) -> CliError {
    CliError::negative(format!("the index: {error}"))
}
