//! Property tests that compare the index with a plain map of chunks, whatever the stream contains and wherever its
//! replay is interrupted.

use super::*;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;

const STREAM: &str = "ARGOSY_CHUNKS@1";

/// One thing that happens to a writer.
#[derive(Debug, Clone)]
enum Step {
    Apply(Vec<ChunkRecord>),
    /// As after the last message that waited.
    Commit,
    /// A commit and nothing more to take in.
    Settle,
    /// The process dies; what was not committed is read again.
    Crash,
    /// The stream was made anew.
    Clear,
}

/// What counts in the end: chunk to version and text.
type Model = BTreeMap<(String, u32), (String, String)>;

fn record(doc: usize, n: u32, version: u32, deleted: bool, text: u32) -> ChunkRecord {
    let source = format!("b/{doc}.md");
    let id = documents::document::doc_id_of(&TenantId::default_tenant(), &source);
    serde_json::from_value(json!({
        "v": 1, "tenant": "default", "bucket": "b", "doc_id": id, "n": n, "of": 4,
        "hash": format!("h{version}"), "deleted": deleted, "source": source, "title": "T",
        "text": format!("word{text}"),
    }))
    .unwrap()
}

fn step() -> impl Strategy<Value = Step> {
    let one = (
        0usize..4,
        0u32..4,
        0u32..3,
        prop::bool::weighted(0.2),
        0u32..50,
    );
    let one =
        one.prop_map(|(doc, n, version, deleted, text)| record(doc, n, version, deleted, text));
    prop_oneof![
        8 => prop::collection::vec(one, 1..30).prop_map(Step::Apply),
        2 => Just(Step::Commit),
        1 => Just(Step::Settle),
        1 => Just(Step::Crash),
        1 => Just(Step::Clear),
    ]
}

fn expect(model: &mut Model, record: &ChunkRecord) {
    let doc = record.doc_id.to_string();
    model.remove(&(doc.clone(), record.n));
    if record.is_head() {
        model.retain(|(of, _), (version, _)| {
            *of != doc || (!record.deleted && *version == record.hash)
        });
    }
    if !record.deleted {
        let value = (record.hash.clone(), record.text.clone());
        model.insert((doc, record.n), value);
    }
}

fn found(index: &Index) -> Model {
    let searcher = index.reader.searcher();
    let all = searcher
        .search(&tantivy::query::AllQuery, &DocSetCollector)
        .unwrap();
    let records = all
        .into_iter()
        .map(|at| index.stored::<ChunkRecord>(&searcher, at).unwrap());
    let mut model = Model::new();
    for record in records {
        let key = (record.doc_id.to_string(), record.n);
        let twice = model.insert(key, (record.hash, record.text));
        assert_eq!(twice, None, "a chunk is there twice");
    }
    model
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn an_index_is_what_its_stream_says(steps in prop::collection::vec(step(), 1..25)) {
        let index = Index::open_in_ram(&VectorSource::None).unwrap();
        let mut writer = Some(index.writer().unwrap());
        let (mut model, mut committed) = (Model::new(), Model::new());
        for step in steps.into_iter().chain([Step::Commit]) {
            let open = writer.as_mut().unwrap();
            match step {
                Step::Apply(records) => {
                    open.apply(&records).unwrap();
                    records.iter().for_each(|record| expect(&mut model, record));
                }
                Step::Commit | Step::Settle => {
                    open.commit(1, STREAM).unwrap();
                    if matches!(step, Step::Settle) {
                        open.refit().unwrap();
                    }
                    committed.clone_from(&model);
                    prop_assert_eq!(&found(&index), &committed);
                }
                Step::Crash => {
                    drop(writer.take());
                    writer = Some(index.writer().unwrap());
                    model.clone_from(&committed);
                }
                Step::Clear => {
                    open.clear().unwrap();
                    model.clear();
                }
            }
        }
        prop_assert_eq!(found(&index), model);
    }
}
