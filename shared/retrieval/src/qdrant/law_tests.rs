//! One neutral filter and one stream, two places: the lexical index and a Qdrant server have the
//! same chunks, and let the same ones through.

use super::*;
use crate::index::{Index, Vectors};
use crate::record::ChunkRecord;
use crate::search::Request;
use crate::vector::{ChunkKey, Embedding, Near, VectorSearch};
use envelope::{Bucket, Condition, Filter, Op, Origin, TenantId};
use proptest::prelude::*;
use proptest::sample::select;
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

fn metadata() -> impl Strategy<Value = Json> {
    let field = select(vec![
        "year",
        "tag",
        "Two Words",
        "a.b[]",
        "title",
        "x\u{0}y",
    ]);
    prop::collection::btree_map(field.prop_map(str::to_owned), value(), 0..4)
        .prop_map(|map| Json::Object(map.into_iter().collect()))
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
            "v": 1, "tenant": tenant, "bucket": crate::document::bucket_of(source),
            "doc_id": crate::document::doc_id_of(&tenant, source), "n": n, "of": 3, "hash": hash,
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
            Op::Eq, Op::Ne, Op::In, Op::Contains, Op::Gt, Op::Gte, Op::Lt, Op::Lte,
        ]),
        value in value(),
    ) -> Condition {
        Condition { field: field.into(), op, value, origin: Origin::User }
    }
}

fn request(conditions: Vec<Condition>, narrow: bool) -> Request {
    let bucket = Bucket::new("a").unwrap();
    Request {
        tenant: TenantId::default_tenant(),
        buckets: narrow.then_some(bucket).into_iter().collect(),
        filter: Filter(conditions),
        query: String::new(),
        keywords: Vec::new(),
        fetch_k: 1_000,
        top_k: 1_000,
        after: None,
    }
}

async fn compare(records: Vec<ChunkRecord>, batch: usize, requests: Vec<Request>) {
    let server = FakeQdrant::start().await.unwrap();
    let options = Options {
        url: server.url(),
        batch_size: 2,
        ..Options::default()
    };
    let qdrant = Qdrant::connect(&options, "test", 2).await.unwrap();
    let index = Index::open_in_ram(&Vectors::Carried {
        by: "test".into(),
        dims: 2,
    })
    .unwrap();
    let mut writer = index.writer().unwrap();
    for batch in records.chunks(batch) {
        writer.apply(batch).unwrap();
        assert_eq!(qdrant.apply(batch).await.unwrap(), 0);
    }
    writer.commit(1, STREAM).unwrap();

    for request in requests {
        let chunks = |near: Vec<Near>| -> BTreeSet<ChunkKey> {
            near.into_iter().map(|near| near.chunk).collect()
        };
        let expected = index.nearest(&[1.0, 0.5], &request, 1_000).await.unwrap();
        // What is left out because nobody has it, the index says.
        let unknown = index.snapshot().restrictions(&request).unwrap();
        let asked = request.without_fields(&unknown.unknown_fields);
        let near = qdrant.nearest(&[1.0, 0.5], &asked, 1_000).await.unwrap();
        let (near, expected) = (chunks(near), chunks(expected));
        assert_eq!(near, expected, "{}", request.filter);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_filter_lets_the_same_chunks_through(
        records in prop::collection::vec(record(), 0..24),
        batch in 1usize..8,
        filters in prop::collection::vec((prop::collection::vec(condition(), 0..3), any::<bool>()), 24),
    ) {
        let requests = filters.into_iter().map(|(conditions, narrow)| request(conditions, narrow));
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(compare(records, batch, requests.collect()));
    }
}
