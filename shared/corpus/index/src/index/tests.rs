//! Tests of one index: filters, counts, tenants, replaced documents, recovery after a crash, and queries as people type
//! them.

use super::*;
use crate::hybrid::HybridSearcher;
use crate::options::Options;
use envelope::{Bucket, ConditionOrigin, Filter};
use search::{SearchRequest, SearchResult, Searcher as _};
use serde_json::{Value as Json, json};

pub(super) const STREAM: &str = "ARGOSY_CHUNKS@1";

/// A record from a few fields; the rest is plain.
pub(super) fn record(source: &str, n: u32, of: u32, text: &str, metadata: Json) -> ChunkRecord {
    let tenant = TenantId::default_tenant();
    serde_json::from_value(json!({
        "v": 1, "tenant": "default", "bucket": documents::document::bucket_of(source),
        "doc_id": documents::document::doc_id_of(&tenant, source), "n": n, "of": of, "hash": "h1",
        "title": "A title", "source": source, "ext": "md", "line": 1, "text": text,
        "metadata": metadata,
    }))
    .unwrap()
}

pub(super) fn one(source: &str, text: &str, metadata: Json) -> ChunkRecord {
    record(source, 0, 1, text, metadata)
}

pub(super) fn index_of(records: &[ChunkRecord]) -> Index {
    let index = Index::open_in_ram(&VectorSource::None).unwrap();
    let mut writer = index.writer().unwrap();
    writer.apply(records).unwrap();
    writer.commit(1, STREAM).unwrap();
    index
}

fn heads(index: &Index) -> Vec<ChunkRecord> {
    let mut heads = Vec::new();
    let tenant = TenantId::default_tenant();
    index.each_head(&tenant, |head| heads.push(head)).unwrap();
    heads
}

fn search(index: &Index, request: &SearchRequest) -> Result<SearchResult, search::Error> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let searcher = HybridSearcher::new(index.clone(), Options::default());
    runtime.build().unwrap().block_on(searcher.search(request))
}

pub(super) fn request(query: &str, filter: Json) -> SearchRequest {
    SearchRequest {
        filter: Filter::parse(&filter, ConditionOrigin::User).unwrap(),
        ..SearchRequest::new(TenantId::default_tenant(), query, 100, 10)
    }
}

fn sources(result: &SearchResult) -> Vec<&str> {
    let mut found: Vec<_> = result.passages.iter().map(|p| p.source.as_str()).collect();
    found.sort_unstable();
    found
}

fn invoices() -> Index {
    index_of(&[
        one(
            "invoices/a.md",
            "invoice one",
            json!({"vendor": "Acme Ltd", "total": 100, "date": "2024-03-01", "paid": true}),
        ),
        one(
            "invoices/b.md",
            "invoice two",
            json!({"vendor": "Bolt AG", "total": 1000.5, "date": "2025-01-31", "paid": false}),
        ),
        one(
            "invoices/c.txt",
            "invoice three",
            json!({"vendor": "acme ltd", "total": -3, "date": "2024-12-31", "tags": ["red", 7]}),
        ),
        one(
            "contracts/d.md",
            "a contract, no invoice",
            json!({"total": "unknown"}),
        ),
    ])
}

#[test]
fn every_operator_works_on_every_kind_of_value() {
    let index = invoices();
    for (filter, expected) in [
        (json!({"vendor": "ACME LTD"}), "ac"),
        (json!({"Vendor": {"eq": "acme ltd"}}), "ac"),
        (json!({"vendor": {"ne": "Acme Ltd"}}), "bd"),
        (json!({"vendor": {"in": ["bolt ag", "nobody"]}}), "b"),
        (json!({"vendor": {"not_in": ["bolt ag", "nobody"]}}), "acd"),
        (json!({"vendor": {"not in": ["bolt ag", "ACME LTD"]}}), "d"),
        (json!({"vendor": {"contains": "cme l"}}), "ac"),
        (json!({"vendor": {"like": "%AG%"}}), "b"),
        (json!({"vendor": {"contains": "c.*e"}}), ""),
        (json!({"total": 100}), "a"),
        (json!({"total": "100.0"}), "a"),
        (json!({"total": {"gt": 100}}), "b"),
        (json!({"total": {"gte": "100"}}), "ab"),
        (json!({"total": {"lt": 100}}), "c"),
        (json!({"total": {"lte": 100}}), "ac"),
        (json!({"total": {"gt": -3, "lt": 1001}}), "ab"),
        (json!({"total": {"ne": 100}}), "bcd"),
        (json!({"total": {"in": [100, 1000.5]}}), "ab"),
        (json!({"total": {"contains": "000.5"}}), "b"),
        (json!({"total": "unknown"}), "d"),
        (json!({"date": {"gte": "2024-12-31"}}), "bc"),
        (
            json!({"date": {"gt": "2024-03-01", "lt": "2025-01-31"}}),
            "c",
        ),
        (json!({"date": {"gte": 2025}}), "b"),
        (json!({"date": {"lte": "2024"}}), "ac"),
        (json!({"date": {"gt": "2024"}}), "b"),
        (json!({"date": {"lte": "2024-03"}}), "a"),
        (json!({"paid": true}), "a"),
        (json!({"paid": "false"}), "b"),
        (json!({"tags": "red"}), "c"),
        (json!({"tags": {"gt": 6}}), "c"),
        (json!({"source": "invoices/A.md"}), "a"),
        (json!({"source": "c.txt"}), "c"),
        (json!({"source": {"contains": ".txt"}}), "c"),
        (json!({"source": {"contains": "invoices"}}), "abc"),
        (json!({"bucket": "contracts"}), "d"),
        (json!({"ext": {"ne": "txt"}}), "abcd"), // the records of this test all say `md`
        (json!({"title": {"contains": "title"}}), "abcd"),
        (json!({"paid": {"gt": true}}), ""),
    ] {
        let result = search(&index, &request("", filter.clone())).unwrap();
        let letters: String = sources(&result)
            .iter()
            .map(|s| s.split('/').next_back().unwrap().chars().next().unwrap())
            .collect();
        let mut letters: Vec<char> = letters.chars().collect();
        letters.sort_unstable();
        assert_eq!(letters.iter().collect::<String>(), expected, "{filter}");
        assert_eq!(result.total_hits as usize, expected.len(), "{filter}");
        assert_eq!(result.unknown_fields, Vec::<String>::new(), "{filter}");
    }
}

#[test]
fn conditions_all_hold_and_unknown_fields_are_named() {
    let index = invoices();
    let filter =
        json!({"vendor": "acme ltd", "total": {"gt": 0}, "Colour": "red", "colour": {"ne": 1}});
    let result = search(&index, &request("invoice", filter)).unwrap();
    assert_eq!(sources(&result), ["invoices/a.md"]);
    assert_eq!(result.unknown_fields, ["Colour", "colour"]);
}

#[test]
fn a_comparison_with_another_type_is_named_and_kept() {
    let records = [one(
        "b/a.md",
        "text",
        json!({"vendor": "Acme", "total": 7, "date": "2024-03-01"}),
    )];
    let index = index_of(&records);
    for (filter, unlike, hits) in [
        (json!({"vendor": {"gt": 1000}}), vec!["vendor"], 0),
        (json!({"total": {"lt": "soon"}}), vec!["total"], 0),
        (json!({"total": {"gte": "2024-03-01"}}), vec!["total"], 0),
        (json!({"total": {"gt": "5"}}), vec![], 1),
        (json!({"total": {"gt": 2024}}), vec![], 0),
        (json!({"date": {"gt": 2023}}), vec![], 1),
        (json!({"date": {"gt": 20240101}}), vec!["date"], 0),
        (json!({"vendor": 7}), vec![], 0),
        (json!({"vendor": {"gt": "a"}}), vec![], 1),
        (json!({"vendor": "nobody"}), vec![], 0),
        (json!({"total": "soon"}), vec!["total"], 0),
        (json!({"total": {"in": ["soon", "late"]}}), vec!["total"], 0),
        (json!({"total": {"in": ["soon", 7]}}), vec![], 1),
        (json!({"date": {"gt": "soon"}}), vec!["date"], 0),
    ] {
        let result = search(&index, &request("", filter.clone())).unwrap();
        assert_eq!(result.unlike_fields, unlike, "{filter}");
        assert_eq!(result.total_hits, hits, "{filter}");
    }
}

#[test]
fn a_doc_id_can_be_asked_for() {
    let index = invoices();
    let all = search(&index, &request("contract", json!({}))).unwrap();
    let id = all.passages[0].doc_id.as_str();
    let result = search(&index, &request("", json!({"doc_id": id}))).unwrap();
    assert_eq!(sources(&result), ["contracts/d.md"]);
}

#[test]
fn filters_keep_the_best_first_and_buckets_restrict() {
    let index = invoices();
    let plain = search(&index, &request("invoice one", json!({}))).unwrap();
    let narrow = search(
        &index,
        &request("invoice one", json!({"vendor": {"contains": "acme"}})),
    )
    .unwrap();
    assert_eq!(plain.passages[0].chunk_id, narrow.passages[0].chunk_id);
    let mut bucket = request("invoice", json!({}));
    bucket.buckets = vec![Bucket::new("contracts").unwrap()];
    let result = search(&index, &bucket).unwrap();
    assert_eq!(
        (sources(&result), result.total_hits),
        (vec!["contracts/d.md"], 1)
    );
}

#[test]
fn hits_are_counted_beyond_what_is_fetched() {
    let records: Vec<_> = (0..250)
        .map(|i| one(&format!("b/{i}.md"), &format!("same word {i}"), json!({})))
        .collect();
    let result = search(&index_of(&records), &request("word", json!({}))).unwrap();
    assert_eq!((result.passages.len(), result.total_hits), (10, 250));
    let nothing = search(&index_of(&records), &request("absent", json!({}))).unwrap();
    assert_eq!((nothing.passages.len(), nothing.total_hits), (0, 0));
}

#[test]
fn tenants_do_not_see_each_other() {
    let mut foreign = one("b/secret.md", "the secret word", json!({"colour": "red"}));
    foreign.tenant = TenantId::new("other").unwrap();
    let index = index_of(&[foreign, one("b/open.md", "the open word", json!({}))]);
    let result = search(&index, &request("secret word", json!({}))).unwrap();
    assert_eq!(
        (sources(&result), result.total_hits),
        (vec!["b/open.md"], 1)
    );
    let asked = search(&index, &request("word", json!({"colour": "red"}))).unwrap();
    assert_eq!(
        asked.unknown_fields,
        ["colour"],
        "not even the field is known"
    );
    assert_eq!(
        search(&index, &request("", json!({}))).unwrap().total_hits,
        1
    );
    assert_eq!(heads(&index).len(), 1);
}

#[test]
fn records_replace_and_tombstones_remove() {
    let index = Index::open_in_ram(&VectorSource::None).unwrap();
    let mut writer = index.writer().unwrap();
    let chunk = |n, text| record("b/x.md", n, 3, text, json!({}));
    let first = [chunk(2, "gamma"), chunk(1, "beta"), chunk(0, "alpha")];
    writer.apply(&first).unwrap();
    writer.apply(&first).unwrap();
    writer.commit(3, STREAM).unwrap();
    assert_eq!(index.chunk_count(), 3);

    let mut gone = chunk(2, "");
    gone.deleted = true;
    writer.apply(&[gone, chunk(1, "delta")]).unwrap();
    writer.commit(5, STREAM).unwrap();
    let hits = |word: &str| {
        search(&index, &request(word, json!({})))
            .unwrap()
            .total_hits
    };
    assert_eq!(
        [hits("alpha"), hits("beta"), hits("gamma"), hits("delta")],
        [1, 0, 0, 1]
    );
}

#[test]
fn a_head_settles_its_document_even_without_tombstones() {
    let index = index_of(&[
        record("b/x.md", 2, 3, "old end", json!({})),
        record("b/x.md", 1, 3, "old middle", json!({})),
        record("b/x.md", 0, 3, "old start", json!({})),
        one("b/y.md", "another document", json!({})),
    ]);
    let mut head = record("b/x.md", 0, 1, "all new", json!({}));
    head.hash = "h2".into();
    let mut writer = index.writer().unwrap();
    writer.apply(&[head.clone()]).unwrap();
    writer.commit(2, STREAM).unwrap();
    assert_eq!(index.chunk_count(), 2);

    head.deleted = true;
    writer
        .apply(&[record("b/x.md", 1, 2, "left behind", json!({})), head])
        .unwrap();
    writer.commit(3, STREAM).unwrap();
    assert_eq!(
        sources(&search(&index, &request("", json!({}))).unwrap()),
        ["b/y.md"]
    );
}

#[test]
fn the_position_survives_and_a_crash_before_commit_is_replayed() {
    let dir = tempfile::tempdir().unwrap();
    let records = [
        one("b/x.md", "alpha", json!({})),
        one("b/y.md", "beta", json!({})),
    ];
    {
        let index = Index::open(dir.path(), &VectorSource::None).unwrap();
        assert_eq!(index.position().unwrap(), None);
        let mut writer = index.writer().unwrap();
        assert!(index.writer().is_err(), "one writer at a time");
        writer.apply(&records[..1]).unwrap();
        writer.commit(7, STREAM).unwrap();
        writer.apply(&records).unwrap(); // and then the process dies
    }
    let index = Index::open(dir.path(), &VectorSource::None).unwrap();
    let position = StreamPosition {
        stream: STREAM.into(),
        sequence: 7,
    };
    assert_eq!(index.position().unwrap(), Some(position));
    assert_eq!(index.chunk_count(), 1);
    let mut writer = index.writer().unwrap();
    writer.apply(&records).unwrap();
    writer.commit(8, STREAM).unwrap();
    writer.close().unwrap();
    assert_eq!(index.chunk_count(), 2);
    assert_eq!(
        Index::open(dir.path(), &VectorSource::None)
            .unwrap()
            .position()
            .unwrap()
            .unwrap()
            .sequence,
        8
    );
}

#[test]
fn a_broken_index_is_begun_anew() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path(), &VectorSource::None).unwrap();
    let mut writer = index.writer().unwrap();
    writer.apply(&[one("b/x.md", "alpha", json!({}))]).unwrap();
    writer.commit(1, STREAM).unwrap();
    writer.close().unwrap();
    drop(index);
    std::fs::write(
        dir.path().join(schema::FOLDER).join("meta.json"),
        "not json",
    )
    .unwrap();
    let index = Index::open(dir.path(), &VectorSource::None).unwrap();
    assert_eq!((index.chunk_count(), index.position().unwrap()), (0, None));
}

#[test]
fn a_cleared_index_is_empty() {
    let index = invoices();
    let mut writer = index.writer().unwrap();
    writer.clear().unwrap();
    writer.commit(0, "ARGOSY_CHUNKS@2").unwrap();
    assert_eq!(index.chunk_count(), 0);
}

#[test]
fn the_heads_are_the_documents() {
    let index = index_of(&[
        record("b/x.md", 1, 2, "end", json!({})),
        record("b/x.md", 0, 2, "start", json!({})),
        record("b/unfinished.md", 1, 2, "end", json!({})),
    ]);
    let heads = heads(&index);
    let heads: Vec<_> = heads
        .iter()
        .map(|r| (r.source.as_str(), r.of, r.hash.as_str()))
        .collect();
    assert_eq!(heads, [("b/x.md", 2, "h1")]);
}

#[test]
fn nothing_that_is_typed_is_a_syntax_error() {
    let index = invoices();
    for query in [
        "\"",
        "a:b AND (",
        "*",
        "[1 TO",
        "~",
        "the of",
        "\u{0}",
        "🦀",
        &"x ".repeat(5_000),
    ] {
        search(&index, &request(query, json!({}))).unwrap();
    }
    for value in ["", "%", "(", "\\", "[a-", "\u{0}", "ä", &"y".repeat(3_000)] {
        for op in ["eq", "ne", "gt", "contains"] {
            search(&index, &request("invoice", json!({"vendor": {op: value}}))).unwrap();
        }
    }
}

#[test]
fn what_has_no_word_in_it_matches_nothing() {
    let index = invoices();
    let endless = "x".repeat(200);
    for query in ["🦀", "?!", &endless] {
        let result = search(&index, &request(query, json!({"total": 100}))).unwrap();
        assert_eq!(
            (result.total_hits, result.passages.len()),
            (0, 0),
            "{query}"
        );
    }
    let blank = search(&index, &request(" ", json!({"total": 100}))).unwrap();
    assert_eq!(sources(&blank), ["invoices/a.md"], "a filter alone");
}

#[test]
fn only_what_can_be_a_name_is_looked_for_as_a_phrase() {
    let index = invoices();
    for (query, phrases) in [
        ("1-".repeat(4_000), 0),
        ("AX-1-2-3-4-5-6-7".to_owned(), 1),
        ("AX-1-2-3-4-5-6-7-8".to_owned(), 0),
        ("AX1042".to_owned(), 0),
    ] {
        let terms = index.snapshot().terms(&request(&query, json!({})));
        assert_eq!(terms.unwrap().phrases.len(), phrases, "{query}");
    }
}

#[test]
fn part_names_are_found_in_either_spelling() {
    let index = index_of(&[
        one("d/a.md", "The QD-7706 draws 35 mA.", json!({})),
        one("d/b.md", "The XR550 draws 40 mA.", json!({})),
    ]);
    for (query, source) in [
        ("QD7706", "d/a.md"),
        ("qd-7706's current", "d/a.md"),
        ("XR-550", "d/b.md"),
        ("ＸＲ５５０?", "d/b.md"),
    ] {
        let result = search(&index, &request(query, json!({}))).unwrap();
        assert_eq!(sources(&result), [source], "{query}");
    }
}

#[test]
fn the_index_of_an_older_release_goes_unless_somebody_writes_into_it() {
    let dir = tempfile::tempdir().unwrap();
    let made = |name: &str| {
        let made = dir.path().join(name);
        std::fs::create_dir_all(made.join("vectors")).unwrap();
        made
    };
    let (old, used, newer, other) = (
        made("index-4"),
        made("index-5"),
        made("index-99"),
        made("indexes"),
    );
    let writer = MmapDirectory::open(&used).unwrap();
    let _lock = writer.acquire_lock(&INDEX_WRITER_LOCK).unwrap();
    Index::open(dir.path(), &VectorSource::None).unwrap();
    let there = [&old, &used, &newer, &other].map(|made| made.exists());
    assert_eq!(there, [false, true, true, true]);
}
