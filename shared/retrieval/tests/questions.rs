//! The labelled questions of the sample corpus against the index: are the right files found?

use argosy_retrieval::record::publish_order;
use argosy_retrieval::{Index, LexicalSearcher, Request, Searcher, corpus};
use envelope::{Bucket, Filter, Origin, TenantId};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Share of gold files among the first five passages. Measured: see the assertion.
const TOP_K: usize = 5;

#[derive(Deserialize)]
struct Labelled {
    id: String,
    question: String,
    kind: String,
    #[serde(default)]
    filters: Option<serde_json::Value>,
    #[serde(default)]
    buckets: Vec<Bucket>,
    sources: BTreeSet<String>,
    #[serde(default)]
    contains: Vec<String>,
}

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures")
}

fn sample_index() -> Index {
    let index = Index::open_in_ram().unwrap();
    let mut writer = index.writer().unwrap();
    for (path, found) in corpus::walk(&fixtures().join("corpus"), &TenantId::default_tenant()) {
        let document = found.unwrap_or_else(|skip| panic!("{}: {}", path.display(), skip.reason));
        writer.apply(&publish_order(&document, None)).unwrap();
    }
    writer.commit(1, "test").unwrap();
    index
}

fn request(labelled: &Labelled) -> Request {
    let filter = labelled
        .filters
        .as_ref()
        .map(|f| Filter::parse(f, Origin::User).unwrap());
    Request {
        tenant: TenantId::default_tenant(),
        buckets: labelled.buckets.clone(),
        filter: filter.unwrap_or_default(),
        query: labelled.question.clone(),
        keywords: vec![],
        fetch_k: 100,
        top_k: TOP_K,
    }
}

#[derive(Default)]
struct Tally {
    questions: usize,
    first: usize,
    any: usize,
    all: usize,
    text: usize,
}

#[tokio::test]
async fn the_right_files_are_found() {
    let searcher = LexicalSearcher::new(sample_index());
    let questions = std::fs::read_to_string(fixtures().join("questions.jsonl")).unwrap();
    let mut by_kind: BTreeMap<String, Tally> = BTreeMap::new();
    for line in questions.lines().filter(|l| !l.trim().is_empty()) {
        let labelled: Labelled = serde_json::from_str(line).unwrap();
        if labelled.sources.is_empty() {
            continue;
        }
        let result = searcher.search(&request(&labelled)).await.unwrap();
        let found: Vec<&str> = result.passages.iter().map(|p| p.source.as_str()).collect();
        let hits = labelled
            .sources
            .iter()
            .filter(|s| found.contains(&s.as_str()))
            .count();
        let told = labelled.contains.iter().all(|wanted| {
            result
                .passages
                .iter()
                .any(|p| p.text.to_lowercase().contains(&wanted.to_lowercase()))
        });
        for kind in [labelled.kind.clone(), "~all".into()] {
            let tally = by_kind.entry(kind).or_default();
            tally.questions += 1;
            tally.first +=
                usize::from(found.first().is_some_and(|f| labelled.sources.contains(*f)));
            tally.any += usize::from(hits > 0);
            tally.all += usize::from(hits == labelled.sources.len());
            tally.text += usize::from(told);
        }
        if hits < labelled.sources.len() || !told {
            println!(
                "{} {:?}\n  wants {:?} {:?}\n  found {found:?}",
                labelled.id, labelled.question, labelled.sources, labelled.contains
            );
        }
    }
    for (kind, t) in &by_kind {
        println!(
            "{kind:15} questions {} first {} any {} all {} text {}",
            t.questions, t.first, t.any, t.all, t.text
        );
    }
}
