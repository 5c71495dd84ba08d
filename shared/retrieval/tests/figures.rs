//! Figures on demand, not a test of anything: indexing speed, search latency, memory.
//!
//! `cargo test --release -p argosy-retrieval --test figures -- --ignored --nocapture`

use argosy_retrieval::document::{Document, Line, bucket_of, doc_id_of};
use argosy_retrieval::record::publish_order;
use argosy_retrieval::{
    ChunkRecord, Error, HybridSearcher, Index, Options, Request, Searcher, Vectors,
};
use envelope::{Filter, Origin, TenantId};
use std::time::{Duration, Instant};

const DOCUMENTS: usize = 2_000;

/// A linear congruential generator: the same text on every run.
struct Words(u64);

impl Words {
    /// A word; small numbers, so frequent words, come more often.
    fn next(&mut self) -> String {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let unit = (self.0 >> 40) as f64 / (1u64 << 24) as f64;
        format!("w{}x", (unit.powi(4) * 40_000.0) as u32)
    }
}

fn document(i: usize, words: &mut Words) -> Document {
    let tenant = TenantId::default_tenant();
    let source = format!("invoices/{i}.md");
    let lines = (1..=50).map(|number| Line {
        number,
        page: None,
        text: (0..20).map(|_| words.next()).collect::<Vec<_>>().join(" ") + ".",
    });
    Document {
        bucket: bucket_of(&source),
        doc_id: doc_id_of(&tenant, &source),
        tenant,
        source,
        title: format!("Invoice {i}"),
        ext: "md".into(),
        metadata: [
            ("total".to_owned(), i.into()),
            ("vendor".to_owned(), "Acme".into()),
        ]
        .into(),
        hash: "h".into(),
        lines: lines.collect(),
    }
}

/// Resident memory of this process, in MiB: (now, of it private).
fn resident() -> (f64, f64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = |name: &str| -> f64 {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|l| l.trim().strip_suffix(" kB")?.trim().parse().ok())
            .unwrap_or(0.0)
    };
    (kib("VmRSS:") / 1024.0, kib("RssAnon:") / 1024.0)
}

fn report(what: &str) {
    let (all, private) = resident();
    println!("{what:32} RSS {all:6.1} MiB, of it private {private:6.1}");
}

async fn search_times(index: &Index, filter: serde_json::Value) -> Result<Vec<Duration>, Error> {
    let searcher = HybridSearcher::new(index.clone(), Options::default());
    let mut words = Words(7);
    let mut times = Vec::new();
    for _ in 0..200 {
        let request = Request {
            tenant: TenantId::default_tenant(),
            buckets: vec![],
            filter: Filter::parse(&filter, Origin::User).expect("a filter"),
            query: (0..6).map(|_| words.next()).collect::<Vec<_>>().join(" "),
            keywords: vec![],
            fetch_k: 100,
            top_k: 5,
        };
        let start = Instant::now();
        searcher.search(&request).await?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times)
}

#[tokio::test]
#[ignore = "prints figures"]
async fn figures() {
    let dir = tempfile::tempdir().unwrap();
    report("at start");
    let index = Index::open(dir.path(), &Vectors::None).unwrap();
    let mut writer = index.writer().unwrap();
    report("index and writer open");
    let mut words = Words(1);
    let (mut cutting, mut indexing, mut chunks) = (Duration::ZERO, Duration::ZERO, 0);
    for batch in 0..DOCUMENTS / 100 {
        let start = Instant::now();
        let documents = (0..100).map(|i| document(batch * 100 + i, &mut words));
        let records: Vec<ChunkRecord> = documents.flat_map(|d| publish_order(&d, None)).collect();
        cutting += start.elapsed();
        chunks += records.len();
        let start = Instant::now();
        writer.apply(&records).unwrap();
        if batch % 10 == 9 {
            writer.commit(chunks as u64, "figures").unwrap();
        }
        indexing += start.elapsed();
    }
    report("everything committed");
    println!(
        "{chunks} chunks; cut {:.0}/s, indexed {:.0}/s",
        chunks as f64 / cutting.as_secs_f64(),
        chunks as f64 / indexing.as_secs_f64()
    );
    for filter in [
        serde_json::json!({}),
        serde_json::json!({"total": {"gt": 100}}),
        serde_json::json!({"source": {"contains": "77"}}),
    ] {
        let times = search_times(&index, filter.clone()).await.unwrap();
        println!(
            "search {filter}: p50 {:?}, p99 {:?}",
            times[100], times[197]
        );
    }
    report("after searching");
    writer.close().unwrap();
    report("writer closed");
}
