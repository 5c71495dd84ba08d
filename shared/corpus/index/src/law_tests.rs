//! Tests that the lexical index and a Qdrant server agree: fed with the same stream, they have the same chunks, and a
//! filter selects the same chunks in the index and in the server. An older server selects more chunks, and the index
//! removes those that do not match.

use crate::{Index, VectorSource};
use envelope::{
    Bucket, ChunkKey, ChunkRecord, Condition, ConditionOrigin, Embedding, Filter, Groups, Op,
    Principal, TenantId,
};
use proptest::prelude::*;
use proptest::sample::select;
use qdrant::{Options, Qdrant};
use search::{Neighbour, SearchRequest, VectorSearch};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use testkit::qdrant::FakeQdrant;

const STREAM: &str = "ARGOSY_CHUNKS@1";
/// Longer than two blocks, and alike for longer than one.
const LONG: [&str; 4] = [
    "a rather long text",
    "a rather long text that goes on",
    "a rather LONG TEXT that goes on?",
    "a rather long t",
];

fn text() -> BoxedStrategy<String> {
    let plain = [
        "",
        "Acme Ltd",
        "acme",
        "ACME LTD",
        "red",
        "true",
        "unknown",
        "ä",
        "Ä",
        "0",
        "7",
        "007",
        "7.0",
        " 7 ",
        "-3",
        "1e3",
        "2023",
        "2024",
        "2024-03",
        "2024-03-01",
        "2024-03-02",
        "2024-12-31",
        "2025-01-01T10:00:00Z",
        ":",
        "/",
        "\u{0}",
        "a\u{0}b",
        "%",
    ];
    prop_oneof![
        4 => select(plain.to_vec()).prop_map(str::to_owned),
        1 => select(LONG.to_vec()).prop_map(str::to_owned),
        1 => "[a-c0-2 -]{0,14}",
    ]
    .boxed()
}

fn scalar() -> BoxedStrategy<Json> {
    let numbers = [
        json!(0),
        json!(-0.0),
        json!(7),
        json!(7.0),
        json!(-3),
        json!(0.5),
        json!(1000),
        json!(2024),
        json!(20240301),
        json!(1e300),
        json!(u64::MAX),
        json!(i64::MIN),
    ];
    prop_oneof![
        3 => text().prop_map(Json::from),
        2 => select(numbers.to_vec()),
        1 => any::<bool>().prop_map(Json::from),
    ]
    .boxed()
}

fn value() -> BoxedStrategy<Json> {
    prop_oneof![
        6 => scalar(),
        2 => prop::collection::vec(scalar(), 0..3).prop_map(Json::from),
        1 => Just(Json::Null),
        1 => Just(json!({"inner": 1})),
    ]
    .boxed()
}

/// Groups of somebody who asks.
fn readers() -> impl Strategy<Value = Vec<&'static str>> {
    select(vec![vec![], vec!["hr"], vec!["law", "hr"], vec!["*"]])
}

fn metadata() -> impl Strategy<Value = Json> {
    let field = select(vec![
        "year",
        "tag",
        "Two Words",
        "a.b[]",
        "title",
        "x\u{0}y",
    ]);
    let readers = select(vec![
        None,
        None,
        Some(json!("hr")),
        Some(json!(["law", "*"])),
        Some(json!([])),
    ]);
    let fields = prop::collection::btree_map(field.prop_map(str::to_owned), value(), 0..4);
    (fields, readers).prop_map(|(mut fields, readers)| {
        fields.extend(readers.map(|readers| ("acl".to_owned(), readers)));
        Json::Object(fields.into_iter().collect())
    })
}

prop_compose! {
    fn record()(
        tenant in select(vec!["default", "default", "other"]),
        source in select(vec!["a/x.md", "a/y.txt", "z.md"]),
        n in 0u32..3,
        hash in select(vec!["h1", "h2"]),
        deleted in prop::bool::weighted(0.15),
        metadata in metadata(),
    ) -> ChunkRecord {
        let tenant = TenantId::new(tenant).unwrap();
        let mut record: ChunkRecord = serde_json::from_value(json!({
            "v": 1, "tenant": tenant, "bucket": documents::document::bucket_of(source),
            "doc_id": documents::document::doc_id_of(&tenant, source), "n": n, "of": 3, "hash": hash,
            "title": "Title > Part", "source": source, "ext": "md", "text": "some text",
            "metadata": metadata, "deleted": deleted,
        }))
        .unwrap();
        record.embedding = Some(Embedding::of("test", &[1.0, n as f32]));
        record
    }
}

prop_compose! {
    fn condition()(
        field in select(vec![
            "year", "YEAR ", "tag", "two words", "a.b[]", "source", "title", "ext", "bucket",
            "doc_id", "xy", "nobody has it",
        ]),
        op in select(vec![
            Op::Eq, Op::Ne, Op::In, Op::NotIn, Op::Contains, Op::Gt, Op::Gte, Op::Lt, Op::Lte,
        ]),
        value in value(),
    ) -> Condition {
        Condition::new(field, op, value, ConditionOrigin::User)
    }
}

fn request(conditions: Vec<Condition>, narrow: bool, groups: &[&str]) -> SearchRequest {
    let bucket = Bucket::new("a").unwrap();
    SearchRequest {
        buckets: narrow.then_some(bucket).into_iter().collect(),
        filter: Filter(conditions),
        principal: Principal {
            groups: Groups::new(groups.iter().copied()).unwrap(),
            ..Principal::default()
        },
        ..SearchRequest::new(TenantId::default_tenant(), "", 1_000, 1_000)
    }
}

/// The chunks that a place found.
fn chunks(near: &[Neighbour]) -> BTreeSet<ChunkKey> {
    near.iter().map(|near| near.chunk.clone()).collect()
}

/// What the index keeps of what was found for a request, as a search does.
fn kept(
    index: &Index,
    request: &SearchRequest,
    near: &[Neighbour],
    most: usize,
) -> BTreeSet<ChunkKey> {
    let snapshot = index.snapshot();
    let restrictions = snapshot.restrictions(request).unwrap();
    let kept = snapshot.find(near, restrictions, most).unwrap();
    kept.iter()
        .map(|(_, at)| snapshot.record(*at).unwrap().key())
        .collect()
}

async fn connected(version: &str) -> (FakeQdrant, Qdrant) {
    let server = FakeQdrant::start().await.unwrap();
    server.set_version(version);
    let options = Options {
        url: server.url(),
        batch_size: 2,
        ..Options::default()
    };
    let qdrant = Qdrant::connect(&options, "test", 2).await.unwrap();
    (server, qdrant)
}

fn empty_index() -> Index {
    let vectors = VectorSource::Carried {
        by: "test".into(),
        dims: 2,
    };
    Index::open_in_ram(&vectors).unwrap()
}

async fn compare(version: &str, records: &[ChunkRecord], batch: usize, requests: &[SearchRequest]) {
    let (_server, qdrant) = connected(version).await;
    let index = empty_index();
    let mut writer = index.writer().unwrap();
    for batch in records.chunks(batch) {
        writer.apply(batch).unwrap();
        assert_eq!(qdrant.apply(batch).await.unwrap(), 0);
    }
    writer.commit(1, STREAM).unwrap();

    for request in requests {
        let expected = index.nearest(&[1.0, 0.5], request, 1_000).await.unwrap();
        let expected = chunks(&expected);
        // What is left out because no chunk has it, the index says.
        let unknown = index.snapshot().restrictions(request).unwrap();
        let asked = request.without_fields(&unknown.unknown_fields);
        let near = qdrant.nearest(&[1.0, 0.5], &asked, 1_000).await.unwrap();
        if qdrant.evaluates(&asked.filter) {
            assert_eq!(chunks(&near), expected, "{version}: {}", request.filter);
        }
        let kept = kept(&index, request, &near, 1_000);
        assert_eq!(kept, expected, "{version}: {}", request.filter);
    }
}

/// `n` chunks that are closer to the vector of the test than the one whose source has `wanted` in it.
fn crowd(n: u32) -> Vec<ChunkRecord> {
    let chunk = |source: &str, n: u32, vector: [f32; 2]| {
        let tenant = TenantId::default_tenant();
        let mut record: ChunkRecord = serde_json::from_value(json!({
            "v": 1, "tenant": tenant, "bucket": documents::document::bucket_of(source),
            "doc_id": documents::document::doc_id_of(&tenant, source), "n": n, "of": n + 1,
            "hash": "h1", "title": "Title", "source": source, "ext": "md", "text": "some text",
        }))
        .unwrap();
        record.embedding = Some(Embedding::of("test", &vector));
        record
    };
    let closer = (0..n).rev().map(|n| chunk("a/close.md", n, [1.0, 0.0]));
    closer
        .chain([chunk("a/wanted.md", 0, [0.5, 0.5])])
        .collect()
}

/// How many chunks come of a server when the only one that passes is behind `crowd` closer ones, and
/// how many of those the index keeps.
async fn behind_a_crowd(version: &str, crowd_size: u32, k: usize) -> (usize, usize) {
    let (_server, qdrant) = connected(version).await;
    let index = empty_index();
    let records = crowd(crowd_size);
    let mut writer = index.writer().unwrap();
    writer.apply(&records).unwrap();
    writer.commit(1, STREAM).unwrap();
    qdrant.apply(&records).await.unwrap();
    let wanted = Condition::new(
        "source",
        Op::Contains,
        json!("wanted"),
        ConditionOrigin::User,
    );
    let request = request(vec![wanted], false, &[]);
    let near = qdrant.nearest(&[1.0, 0.0], &request, k).await.unwrap();
    (near.len(), kept(&index, &request, &near, k).len())
}

#[tokio::test]
async fn a_condition_that_is_left_out_costs_more_chunks() {
    assert_eq!(behind_a_crowd("1.20.0", 30, 5).await, (1, 1));
    assert_eq!(behind_a_crowd("1.18.2", 30, 5).await, (31, 1));
    // Ten for one: what is further away is for the words to find.
    assert_eq!(behind_a_crowd("1.18.2", 60, 5).await, (50, 0));
}

#[tokio::test]
async fn no_search_fetches_more_than_a_thousand() {
    assert_eq!(behind_a_crowd("1.18.2", 1_100, 500).await, (1_000, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_filter_lets_the_same_chunks_through(
        records in prop::collection::vec(record(), 0..24),
        batch in 1usize..8,
        version in select(vec!["1.20.0", "1.18.2"]),
        filters in prop::collection::vec((prop::collection::vec(condition(), 0..3), any::<bool>(), readers()), 24),
    ) {
        let requests: Vec<_> = filters
            .into_iter()
            .map(|(conditions, narrow, groups)| request(conditions, narrow, &groups))
            .collect();
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(compare(version, &records, batch, &requests));
    }
}
