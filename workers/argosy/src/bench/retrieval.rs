//! Measuring the index at size: how fast it is fed, what it weighs, how long searches take.
//!
//! The corpus is generated: words in the frequencies of Zipf's law, chunks of the usual length,
//! metadata with few and many values. What is measured is the cost of a search, *not* whether it
//! finds the right thing (`argosy eval retrieval`).

use crate::bench::host::{cpu_ms, machine, memory_mb};
use crate::cli::{BenchRetrieval, Output};
use crate::fail::Fail;
use crate::out::println;
use crate::render::Line;
use embed::StaticTable;
use envelope::{Filter, Origin, TenantId};
use retrieval::document::{Document, Line as TextLine, bucket_of, doc_id_of};
use retrieval::record::publish_order;
use retrieval::{ChunkRecord, HybridSearcher, Index, Options, Request, Searcher, Vectors};
use serde::Serialize;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Seek, Write};
use std::path::Path;
use std::time::Instant;

/// Different words of the corpus, and words of a chunk.
const VOCABULARY: usize = 200_000;
pub(super) const CHUNK_WORDS: usize = 180;
/// Chunks that are handed to the writer at once, and between two commits.
const BATCH: usize = 1_000;
const COMMIT: usize = 100_000;
/// Searches of each kind, and before the clock runs.
const SEARCHES: usize = 200;
const WARM_UP: usize = 20;

/// What was measured.
#[derive(Debug, Serialize)]
struct Report {
    machine: String,
    chunks: usize,
    words_per_chunk: usize,
    embedder: &'static str,
    /// Words alone: chunks a second, reading the messages and commits included.
    fed_per_s: f64,
    /// Processor time of the same, of all threads, in microseconds a chunk: what other work on the
    /// machine changes least.
    fed_cpu_us: f64,
    /// Memory of this process after that, of it private, in MB.
    fed_private_mb: f64,
    /// Fitting the static table and making all vectors, in seconds.
    vectors_s: f64,
    index_mb: f64,
    /// Resident and private memory of this process after the searches.
    rss_mb: f64,
    private_mb: f64,
    searches: Vec<Timed>,
}

#[derive(Debug, Serialize)]
struct Timed {
    name: &'static str,
    p50_ms: f64,
    p99_ms: f64,
}

/// `argosy bench retrieval`
pub async fn retrieval(args: BenchRetrieval, output: Output) -> Result<(), Fail> {
    let line = Line::new(output);
    let folder = tempfile::tempdir()?;
    let broken = |e: retrieval::Error| Fail::negative(format!("the index: {e}"));
    let vectors = Vectors::Table(StaticTable::shipped());
    let index = Index::open(folder.path(), &vectors).map_err(broken)?;
    let fed = tokio::task::block_in_place(|| feed(&index, args.chunks, &line))?;
    let mut searches = Vec::new();
    for (name, options, filter) in kinds() {
        line.say(format!("searching: {name}"));
        searches.push(time(&index, name, options, &filter).await?);
    }
    let report = Report {
        machine: machine(),
        chunks: args.chunks,
        words_per_chunk: CHUNK_WORDS,
        embedder: embed::STATIC_NAME,
        fed_per_s: fed.per_s,
        fed_cpu_us: fed.cpu_us,
        fed_private_mb: fed.private_mb,
        vectors_s: fed.vectors_s,
        index_mb: megabytes(folder.path()),
        rss_mb: memory_mb(std::process::id(), "VmRSS"),
        private_mb: memory_mb(std::process::id(), "RssAnon"),
        searches,
    };
    line.done();
    if output == Output::Json {
        println!("{:#}", serde_json::json!(report));
        return Ok(());
    }
    println!(
        "{}: {} chunks of {CHUNK_WORDS} words",
        report.machine, report.chunks
    );
    println!(
        "fed {:.0} chunks/s, {:.0} us of processor each; vectors {:.1} s; index {:.0} MB",
        report.fed_per_s, report.fed_cpu_us, report.vectors_s, report.index_mb
    );
    println!(
        "resident {:.0} MB, of it private {:.0}, and {:.0} after the feed",
        report.rss_mb, report.private_mb, report.fed_private_mb
    );
    for timed in &report.searches {
        println!(
            "{:>24}  p50 {:>7.1} ms  p99 {:>7.1} ms",
            timed.name, timed.p50_ms, timed.p99_ms
        );
    }
    Ok(())
}

fn kinds() -> Vec<(&'static str, Options, Value)> {
    let words = Options {
        vectors: false,
        ..Options::default()
    };
    let some = json!({"year": {"gte": 2015, "lt": 2020}, "vendor": "vendor 3"});
    vec![
        ("words", words.clone(), json!({})),
        ("words, filtered", words, some.clone()),
        ("words and vectors", Options::default(), json!({})),
        ("both, filtered", Options::default(), some),
    ]
}

/// What the feed took.
struct Fed {
    per_s: f64,
    cpu_us: f64,
    private_mb: f64,
    vectors_s: f64,
}

/// Feeds the index from the messages of a file.
fn feed(index: &Index, chunks: usize, line: &Line) -> Result<Fed, Fail> {
    let broken = |e: retrieval::Error| Fail::negative(format!("the index: {e}"));
    let mut messages = BufReader::new(messages(chunks, line)?);
    let mut writer = index.writer().map_err(broken)?;
    let (mut message, mut records) = (Vec::new(), Vec::with_capacity(BATCH));
    let me = std::process::id();
    let (start, cpu) = (Instant::now(), cpu_ms(me));
    for done in 1..=chunks {
        message.clear();
        messages.read_until(b'\n', &mut message)?;
        records.push(ChunkRecord::decode(&message).map_err(|e| Fail::negative(e.to_string()))?);
        if done.is_multiple_of(BATCH) || done == chunks {
            writer.apply(&records).map_err(broken)?;
            records.clear();
            line.say(format!("feeding: {done} of {chunks}"));
        }
        if done.is_multiple_of(COMMIT) || done == chunks {
            writer.commit(done as u64, "bench").map_err(broken)?;
        }
    }
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu_ms(me) - cpu);
    let private_mb = memory_mb(me, "RssAnon");
    line.say("making vectors".to_owned());
    let start = Instant::now();
    writer.refit().map_err(broken)?;
    let vectors_s = start.elapsed().as_secs_f64();
    writer.close().map_err(broken)?;
    Ok(Fed {
        per_s: chunks as f64 / seconds,
        cpu_us: cpu * 1_000.0 / chunks as f64,
        private_mb,
        vectors_s,
    })
}

/// The messages of the corpus, one a line. In a file, because the threads of the writer would work
/// on while text is made up, and in the time of nobody.
fn messages(chunks: usize, line: &Line) -> Result<File, Fail> {
    let mut out = BufWriter::new(tempfile::tempfile()?);
    let mut words = Words::new(1);
    for n in 0..chunks {
        for record in publish_order(&document(n, &mut words), None) {
            let message = record.encode();
            out.write_all(&message.map_err(|e| Fail::negative(e.to_string()))?)?;
            out.write_all(b"\n")?;
        }
        if n.is_multiple_of(BATCH) {
            line.say(format!("making up text: {n} of {chunks}"));
        }
    }
    let mut file = out.into_inner().map_err(|e| e.into_error())?;
    file.rewind()?;
    Ok(file)
}

async fn time(
    index: &Index,
    name: &'static str,
    options: Options,
    filter: &Value,
) -> Result<Timed, Fail> {
    let searcher = HybridSearcher::new(index.clone(), options);
    let filter = Filter::parse(filter, Origin::User).map_err(|e| Fail::negative(e.to_string()))?;
    let mut words = Words::new(7);
    let mut times = Vec::with_capacity(SEARCHES);
    for n in 0..WARM_UP + SEARCHES {
        let request = Request {
            tenant: TenantId::default_tenant(),
            buckets: Vec::new(),
            filter: filter.clone(),
            query: (0..8).map(|_| words.next()).collect::<Vec<_>>().join(" "),
            keywords: Vec::new(),
            fetch_k: 100,
            top_k: 10,
            after: None,
        };
        let start = Instant::now();
        let found = searcher.search(&request).await;
        found.map_err(|e| Fail::negative(e.to_string()))?;
        if n >= WARM_UP {
            times.push(start.elapsed().as_secs_f64() * 1_000.0);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(Timed {
        name,
        p50_ms: times[SEARCHES / 2],
        p99_ms: times[SEARCHES * 99 / 100],
    })
}

/// A document of one chunk.
pub(super) fn document(n: usize, words: &mut Words) -> Document {
    let tenant = TenantId::default_tenant();
    let source = format!("files/{n}.md");
    let text: Vec<String> = (0..CHUNK_WORDS).map(|_| words.next()).collect();
    Document {
        bucket: bucket_of(&source),
        doc_id: doc_id_of(&tenant, &source),
        tenant,
        title: (0..5).map(|_| words.next()).collect::<Vec<_>>().join(" "),
        ext: "md".into(),
        metadata: [
            (
                "vendor".to_owned(),
                Value::from(format!("vendor {}", n % 50)),
            ),
            ("year".to_owned(), Value::from(2000 + n % 25)),
            ("number".to_owned(), Value::from(format!("N-{n}"))),
        ]
        .into(),
        hash: n.to_string(),
        lines: vec![TextLine {
            number: 1,
            page: None,
            text: text.join(" "),
        }],
        source,
    }
}

/// Made-up words in the frequencies of Zipf's law; the same on every run.
pub(super) struct Words {
    random: fastrand::Rng,
}

impl Words {
    pub(super) fn new(seed: u64) -> Words {
        Words {
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// The word of rank r comes with a probability of about 1/r: the logarithm of its rank is
    /// uniform.
    pub(super) fn next(&mut self) -> String {
        let rank = (VOCABULARY as f64).powf(self.random.f64()) as usize;
        let mut word = String::new();
        let mut rest = rank;
        while rest > 0 || word.is_empty() {
            word.push(char::from(b"bdfgklmnprstvz"[rest % 14]));
            word.push(char::from(b"aeiou"[rest / 14 % 5]));
            rest /= 70;
        }
        word
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
