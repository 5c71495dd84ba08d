//! The cases that every vector store has to pass.

use crate::place::Place;
use crate::records::{Change, at, chunk, chunk_of, key, request};
use envelope::{Bucket, ChunkKey, ChunkRecord, Embedding, TenantId};
use search::SearchRequest;
use serde_json::{Value, json};

const EAST: [f32; 3] = [1.0, 0.0, 0.0];
const NORTH: [f32; 3] = [0.0, 1.0, 0.0];
const NORTH_EAST: [f32; 3] = [1.0, 1.0, 0.0];
const WEST: [f32; 3] = [-1.0, 0.0, 0.0];

/// Runs every case on a place that `place` makes for it.
pub(crate) async fn all<P: Place>(place: impl AsyncFn(&'static str) -> P) {
    order_and_scores(place("order").await).await;
    at_most_k(place("k").await).await;
    nothing_in_nothing(place("nothing").await).await;
    tenants_and_buckets(place("tenants").await).await;
    every_operator(place("operators").await).await;
    combined(place("combined").await).await;
    long_and_odd_values(place("odd").await).await;
    a_document_that_shrinks(place("shrinks").await).await;
    a_document_that_goes(place("goes").await).await;
    the_same_again(place("again").await).await;
    versions_in_one_batch(place("versions").await).await;
    foreign_vectors(place("foreign").await).await;
    resumes(place("resumes").await).await;
}

async fn keys<P: Place>(place: &P, request: &SearchRequest) -> Vec<ChunkKey> {
    let near = place.nearest(&EAST, request, 100).await;
    near.into_iter().map(|near| near.chunk).collect()
}

async fn assert_found<P: Place>(place: &P, expected: &[&ChunkRecord]) {
    let mut found = keys(place, &request(json!({}))).await;
    let mut expected: Vec<ChunkKey> = expected.iter().map(|record| key(record)).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

async fn order_and_scores<P: Place>(mut place: P) {
    let records = [
        chunk("a/north.md", 0, NORTH),
        chunk("a/east.md", 0, EAST),
        chunk("a/west.md", 0, WEST),
        chunk("a/between.md", 0, NORTH_EAST),
    ];
    place.apply(&records, &at(1)).await;
    let near = place.nearest(&EAST, &request(json!({})), 10).await;
    let found: Vec<ChunkKey> = near.iter().map(|near| near.chunk.clone()).collect();
    let [north, east, west, between] = records.each_ref().map(key);
    assert_eq!(found, [east, between, north, west]);
    for (near, expected) in near.iter().zip([1.0, 0.5f32.sqrt(), 0.0, -1.0]) {
        let off = (near.score - expected).abs();
        assert!(off < 0.01, "{near:?}: want {expected}");
    }
    place.close().await;
}

async fn at_most_k<P: Place>(mut place: P) {
    let records: Vec<_> = (0..20)
        .map(|n| chunk("a/x.md", n, [20.0, n as f32, 0.0]))
        .collect();
    place.apply(&records, &at(1)).await;
    for (k, expected) in [(0, 0), (1, 1), (7, 7), (20, 20), (5_000, 20)] {
        let near = place.nearest(&EAST, &request(json!({})), k).await;
        let found: Vec<u32> = near.iter().map(|near| near.chunk.n).collect();
        assert_eq!(found, (0..expected).collect::<Vec<u32>>(), "k = {k}");
    }
    place.close().await;
}

async fn nothing_in_nothing<P: Place>(mut place: P) {
    let filter = json!({"year": 2024, "title": {"contains": "x"}});
    assert_eq!(keys(&place, &request(filter)).await, []);
    place.apply(&[], &at(1)).await;
    assert_eq!(keys(&place, &request(json!({}))).await, []);
    place.close().await;
}

async fn tenants_and_buckets<P: Place>(mut place: P) {
    let ours = chunk("a/x.md", 0, NORTH);
    let elsewhere = chunk("b/x.md", 0, NORTH);
    let theirs = chunk_of("other", "a/x.md", 0, EAST).with(json!({"colour": "red"}));
    let records = [ours.clone(), elsewhere.clone(), theirs.clone()];
    place.apply(&records, &at(1)).await;
    assert_found(&place, &[&ours, &elsewhere]).await;

    let mut narrow = request(json!({}));
    narrow.buckets = vec![Bucket::new("b").unwrap()];
    assert_eq!(keys(&place, &narrow).await, [key(&elsewhere)]);
    narrow.buckets.push(Bucket::new("nowhere").unwrap());
    assert_eq!(keys(&place, &narrow).await, [key(&elsewhere)]);
    narrow.buckets.remove(0);
    assert_eq!(keys(&place, &narrow).await, []);

    let mut other = request(json!({"colour": "red"}));
    other.principal.tenant = TenantId::new("other").unwrap();
    assert_eq!(keys(&place, &other).await, [key(&theirs)]);
    place.close().await;
}

fn invoices() -> [ChunkRecord; 4] {
    [
        chunk("invoices/a.md", 0, EAST)
            .with(json!({"vendor": "Acme Ltd", "total": 100, "date": "2024-03-01", "paid": true})),
        chunk("invoices/b.md", 0, NORTH).with(
            json!({"vendor": "Bolt AG", "total": 1000.5, "date": "2025-01-31", "paid": false}),
        ),
        chunk("invoices/c.txt", 0, NORTH_EAST).with(
            json!({"vendor": "acme ltd", "total": -3, "date": "2024-12-31", "tags": ["red", 7]}),
        ),
        chunk("contracts/d.md", 0, WEST)
            .with(json!({"total": "unknown", "date": "unknown", "tags": ["Green", "red wine"]})),
    ]
}

/// The letters of the files that a filter lets through.
async fn letters<P: Place>(place: &P, records: &[ChunkRecord], filter: &Value) -> String {
    let found = keys(place, &request(filter.clone())).await;
    let passing = records.iter().filter(|record| found.contains(&key(record)));
    let name = |record: &ChunkRecord| {
        record
            .source
            .rsplit('/')
            .next()
            .and_then(|s| s.chars().next())
    };
    passing.filter_map(name).collect()
}

/// A filter lets these files through; at least these, where a condition of it is left out.
async fn assert_letters<P: Place>(
    place: &P,
    records: &[ChunkRecord],
    filter: &Value,
    expected: &str,
) {
    let found = letters(place, records, filter).await;
    match place.evaluates(&request(filter.clone()).filter) {
        true => assert_eq!(found, expected, "{filter}"),
        false => assert!(
            expected.chars().all(|letter| found.contains(letter)),
            "{filter} lets {found} through: want {expected} among them"
        ),
    }
}

async fn every_operator<P: Place>(mut place: P) {
    let records = invoices();
    place.apply(&records, &at(1)).await;
    for (filter, expected) in [
        (json!({"vendor": "ACME LTD"}), "ac"),
        (json!({" Vendor": {"eq": " acme ltd"}}), "ac"),
        (json!({"vendor": "acme"}), ""),
        (json!({"vendor": {"ne": "Acme Ltd"}}), "bd"),
        (json!({"vendor": {"in": ["bolt ag", "nobody"]}}), "b"),
        (json!({"vendor": {"not_in": ["bolt ag", "nobody"]}}), "acd"),
        (json!({"vendor": {"not_in": ["bolt ag", "ACME LTD"]}}), "d"),
        (json!({"vendor": {"contains": "cme l"}}), "ac"),
        (json!({"vendor": {"like": "%AG%"}}), "b"),
        (json!({"vendor": {"contains": "c.*e"}}), ""),
        (json!({"vendor": {"contains": ""}}), "abc"),
        (json!({"total": 100}), "a"),
        (json!({"total": "100.0"}), "a"),
        (json!({"total": {"gt": 100}}), "b"),
        (json!({"total": {"gte": "100"}}), "ab"),
        (json!({"total": {"lt": 100}}), "c"),
        (json!({"total": {"lte": 100}}), "ac"),
        (json!({"total": {"gt": -3, "lt": 1001}}), "ab"),
        (json!({"total": {"ne": 100}}), "bcd"),
        (json!({"total": {"in": [100, 1000.5, "unknown"]}}), "abd"),
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
        (json!({"date": {"gt": "a"}}), "d"),
        (json!({"paid": true}), "a"),
        (json!({"paid": "false"}), "b"),
        (json!({"paid": {"gt": true}}), ""),
        (json!({"tags": "red"}), "c"),
        (json!({"tags": {"contains": "red"}}), "cd"),
        (json!({"tags": {"gt": 6}}), "c"),
        (json!({"tags": {"in": ["green", 7]}}), "cd"),
        (json!({"tags": {"ne": "red"}}), "abd"),
        (json!({"tags": {"not_in": ["red", 100]}}), "abd"),
        (json!({"source": "invoices/A.md"}), "a"),
        (json!({"source": "c.txt"}), "c"),
        (json!({"source": {"contains": ".txt"}}), "c"),
        (json!({"bucket": "contracts"}), "d"),
        (json!({"title": {"contains": "title"}}), "abcd"),
        (json!({"ext": {"ne": "md"}}), ""),
    ] {
        assert_letters(&place, &records, &filter, expected).await;
    }
    place.close().await;
}

async fn combined<P: Place>(mut place: P) {
    let records = invoices();
    place.apply(&records, &at(1)).await;
    for (filter, expected) in [
        (json!({"vendor": "acme ltd", "total": {"gt": 0}}), "a"),
        (
            json!({"vendor": "acme ltd", "total": {"gt": 0}, "paid": false}),
            "",
        ),
        (
            json!({"date": {"gte": "2024", "lt": "2025"}, "source": {"contains": "c.t"}}),
            "c",
        ),
    ] {
        assert_letters(&place, &records, &filter, expected).await;
    }
    let id = json!({"doc_id": records[3].doc_id});
    assert_letters(&place, &records, &id, "d").await;
    place.close().await;
}

async fn long_and_odd_values<P: Place>(mut place: P) {
    let long = "the same beginning of several texts, ".repeat(3);
    let records = [
        chunk("a/a.md", 0, EAST).with(json!({"x y.z[]\"": format!("{long}A"), "n": u64::MAX})),
        chunk("a/b.md", 0, EAST).with(json!({"x y.z[]\"": format!("{long}b"), "n": 0.1})),
        chunk("a/c.md", 0, EAST).with(json!({"x y.z[]\"": long, "n": null, "o": {"p": 1}})),
        chunk("a/d.md", 0, EAST).with(json!({"x y.z[]\"": "äö 日本\u{0}", "n": [[1, "2"], []]})),
    ];
    place.apply(&records, &at(1)).await;
    let field = "X Y.z[]\"";
    for (filter, expected) in [
        (json!({field: {"gt": format!("{long}a")}}), "bd"),
        (json!({field: {"gte": format!("{long}a")}}), "abd"),
        (json!({field: {"lt": format!("{long}b")}}), "ac"),
        (json!({field: {"lte": long}}), "c"),
        (json!({field: {"contains": "texts, the"}}), "abc"),
        (json!({field: {"contains": "Ö 日"}}), "d"),
        (json!({field: "ÄÖ 日本\u{0}"}), "d"),
        (json!({"n": u64::MAX}), "a"),
        (json!({"n": {"gt": 0.1}}), "ad"),
        (json!({"n": "2"}), "d"),
        (json!({"o": {"contains": "p"}}), ""),
    ] {
        assert_letters(&place, &records, &filter, expected).await;
    }
    place.close().await;
}

async fn a_document_that_shrinks<P: Place>(mut place: P) {
    let other = chunk("a/other.md", 0, WEST);
    let old = [2, 1, 0].map(|n| chunk("a/x.md", n, EAST));
    place.apply(&old, &at(3)).await;
    place.apply(std::slice::from_ref(&other), &at(4)).await;
    // Before the head both versions are there, as far as they have come.
    let new = [1, 0].map(|n| chunk("a/x.md", n, NORTH).version("h2"));
    place.apply(&new[..1], &at(5)).await;
    assert_found(&place, &[&old[0], &new[0], &old[2], &other]).await;
    // No tombstone came for the third.
    place.apply(&new[1..], &at(6)).await;
    assert_found(&place, &[&new[0], &new[1], &other]).await;
    let near = place.nearest(&NORTH, &request(json!({})), 2).await;
    assert!(near.iter().all(|near| near.score > 0.99), "{near:?}");
    // And a single chunk goes by its tombstone.
    place.apply(&[new[0].clone().tombstone()], &at(7)).await;
    assert_found(&place, &[&new[1], &other]).await;
    place.close().await;
}

async fn a_document_that_goes<P: Place>(mut place: P) {
    let other = chunk("a/x.txt", 0, WEST);
    let gone = [2, 1, 0].map(|n| chunk("a/x.md", n, EAST));
    place.apply(&gone, &at(3)).await;
    place.apply(std::slice::from_ref(&other), &at(4)).await;
    place.apply(&[gone[2].clone().tombstone()], &at(5)).await;
    assert_found(&place, &[&other]).await;
    // It may come again, in the batch of its deletion too.
    let again = chunk("a/x.md", 1, EAST);
    place
        .apply(&[gone[2].clone().tombstone(), again.clone()], &at(7))
        .await;
    assert_found(&place, &[&other, &again]).await;
    place.close().await;
}

async fn the_same_again<P: Place>(mut place: P) {
    let first = [1, 0].map(|n| chunk("a/x.md", n, EAST));
    let second = [chunk("a/x.md", 0, NORTH).version("h2")];
    for _ in 0..2 {
        place.apply(&first, &at(2)).await;
        place.apply(&first, &at(2)).await;
        assert_found(&place, &[&first[0], &first[1]]).await;
        place.apply(&second, &at(3)).await;
        assert_found(&place, &[&second[0]]).await;
    }
    place.close().await;
}

async fn versions_in_one_batch<P: Place>(mut place: P) {
    place
        .apply(&[2, 1, 0].map(|n| chunk("a/x.md", n, EAST)), &at(3))
        .await;
    let last = [1, 0].map(|n| chunk("a/x.md", n, NORTH).version("h3"));
    let batch = [
        chunk("a/x.md", 3, EAST).version("h2"),
        chunk("a/x.md", 0, EAST).version("h2"),
        last[0].clone(),
        last[1].clone(),
        chunk("a/y.md", 1, EAST),
        chunk("a/y.md", 1, EAST).tombstone(),
    ];
    place.apply(&batch, &at(9)).await;
    assert_found(&place, &[&last[0], &last[1]]).await;
    // The head of an older version that is published again settles as any other.
    place.apply(&[chunk("a/x.md", 0, EAST)], &at(10)).await;
    assert_found(&place, &[&chunk("a/x.md", 0, EAST)]).await;
    place.close().await;
}

async fn foreign_vectors<P: Place>(mut place: P) {
    let ours = chunk("a/x.md", 0, EAST);
    let mut foreign = chunk("a/y.md", 0, EAST);
    foreign.embedding = Some(Embedding::of("another", &EAST));
    let mut longer = chunk("a/z.md", 0, EAST);
    longer.embedding = Some(Embedding::of(crate::place::EMBEDDER, &[1.0; 4]));
    let mut bare = chunk("a/w.md", 0, EAST);
    bare.embedding = None;
    let records = [ours.clone(), foreign, longer, bare.clone()];
    place.apply(&records, &at(4)).await;
    assert_found(&place, &[&ours]).await;
    // A chunk that loses its vector is found no more.
    bare.source = ours.source.clone();
    bare.doc_id = ours.doc_id.clone();
    place.apply(&[bare], &at(5)).await;
    assert_found(&place, &[]).await;
    place.close().await;
}

async fn resumes<P: Place>(mut place: P) {
    assert_eq!(place.position().await, None);
    let record = chunk("a/x.md", 0, EAST);
    place.apply(std::slice::from_ref(&record), &at(7)).await;
    let mut place = place.reopen().await;
    assert_eq!(place.position().await, Some(at(7)));
    assert_found(&place, &[&record]).await;
    place.apply(&[], &at(1 << 53)).await;
    assert_eq!(place.position().await, Some(at(1 << 53)));
    place.clear().await;
    assert_found(&place, &[]).await;
    place.close().await;
}
