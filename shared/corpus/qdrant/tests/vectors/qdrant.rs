//! Tests of failures of a Qdrant server: it is unavailable, slow or busy, or its collection belongs to something else.

use crate::place::{DIMS, EMBEDDER};
use crate::records::{chunk, request};
use argosy_qdrant::{Options, Qdrant};
use envelope::{Class, Classify};
use qdrant_client::qdrant::quantization_config::Quantization;
use qdrant_client::qdrant::{
    CollectionConfig, CreateCollectionBuilder, Distance, Memory, VectorParamsBuilder,
    vectors_config,
};
use search::{Error, VectorSearch};
use serde_json::{Value, json};
use settings::{Secret, TimeSpan};
use std::time::Duration;
use testkit::qdrant::{FakeQdrant, QdrantFault};
use tonic::Code;

const EAST: [f32; 3] = [1.0, 0.0, 0.0];

fn options(server: &FakeQdrant) -> Options {
    Options {
        url: server.url(),
        ..Options::default()
    }
}

async fn connected() -> (FakeQdrant, Qdrant) {
    let server = FakeQdrant::start().await.unwrap();
    let options = Options {
        timeout: TimeSpan::from_millis(500),
        ..options(&server)
    };
    let qdrant = Qdrant::connect(&options, EMBEDDER, DIMS).await.unwrap();
    (server, qdrant)
}

async fn search(qdrant: &Qdrant, filter: Value) -> Result<usize, Error> {
    let near = qdrant.nearest(&EAST, &request(filter), 5).await?;
    Ok(near.len())
}

#[tokio::test]
async fn failures_have_their_class() {
    let (server, qdrant) = connected().await;
    for (code, class) in [
        (Code::Unavailable, Class::Transient),
        (Code::Internal, Class::Transient),
        (Code::DeadlineExceeded, Class::Transient),
        (Code::NotFound, Class::Transient),
        (Code::ResourceExhausted, Class::Overloaded),
        (Code::PermissionDenied, Class::Permanent),
        (Code::InvalidArgument, Class::Permanent),
    ] {
        // Once more for the call that the client makes again on another connection.
        let again = matches!(code, Code::Unavailable | Code::Internal);
        server.script(vec![QdrantFault::Refuse(code); 1 + usize::from(again)]);
        let error = search(&qdrant, json!({})).await.unwrap_err();
        assert_eq!(error.class(), class, "{error}");
        assert_eq!(error.code(), "qdrant_failed");
    }
    server.script([QdrantFault::Busy(9)]);
    let error = qdrant.apply(&[chunk("a/x.md", 1, EAST)]).await.unwrap_err();
    assert_eq!(error.class(), Class::Overloaded);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(9)));
    assert_eq!(search(&qdrant, json!({})).await.unwrap(), 0);
}

#[tokio::test]
async fn a_broken_connection_is_opened_once_more() {
    let (server, qdrant) = connected().await;
    server.script([QdrantFault::Refuse(Code::Unavailable)]);
    assert_eq!(search(&qdrant, json!({})).await.unwrap(), 0);
}

#[tokio::test]
async fn every_call_ends() {
    let (server, qdrant) = connected().await;
    server.script([QdrantFault::Stall, QdrantFault::Stall]);
    let error = search(&qdrant, json!({"colour": "red"})).await.unwrap_err();
    assert_eq!(error.class(), Class::Transient, "{error}");
    drop(server);
    let error = qdrant.position().await.unwrap_err();
    assert_eq!(error.class(), Class::Transient, "{error}");
}

#[tokio::test]
async fn writes_come_in_batches() {
    let server = FakeQdrant::start().await.unwrap();
    let options = Options {
        batch_size: 100,
        ..options(&server)
    };
    let qdrant = Qdrant::connect(&options, EMBEDDER, DIMS).await.unwrap();
    let before = server.calls().len();
    let mut records: Vec<_> = (0..250).rev().map(|n| chunk("a/x.md", n, EAST)).collect();
    records[0].embedding = None;
    assert_eq!(qdrant.apply(&records).await.unwrap(), 1);
    let calls = server.calls().split_off(before);
    // One head and one chunk without a vector, then 249 points.
    let expected = [
        ("delete", 0),
        ("delete", 0),
        ("upsert", 100),
        ("upsert", 100),
        ("upsert", 49),
    ];
    assert_eq!(calls, expected);
}

#[tokio::test]
async fn what_cannot_be_right_is_said_at_once() {
    let server = FakeQdrant::start_with_key("open sesame").await.unwrap();
    let refused = async |options: &Options, dims: usize| {
        let error = Qdrant::connect(options, EMBEDDER, dims)
            .await
            .err()
            .unwrap();
        assert_eq!(error.class(), Class::Permanent, "{error}");
        error.to_string()
    };
    assert!(
        refused(&Options::default(), DIMS)
            .await
            .contains("set `url`")
    );
    let mut options = options(&server);
    assert!(refused(&options, DIMS).await.contains("api key"));
    options.api_key = Secret::new("open sesame");
    let first = Qdrant::connect(&options, EMBEDDER, DIMS).await.unwrap();
    assert_eq!(first.collection(), "argosy.test-3.3");
    server.set_version("1.15.9");
    let said = refused(&options, DIMS).await;
    assert!(said.contains("`1.15.9`: update it to 1.16"), "{said}");
}

/// Tiers of memory came with 1.19: the flags before them say the same.
#[tokio::test]
async fn an_older_server_keeps_vectors_where_they_belong() {
    for (version, has_tiers) in [("1.18.2", false), ("1.20.0", true)] {
        let server = FakeQdrant::start().await.unwrap();
        server.set_version(version);
        let options = Options {
            on_disk: true,
            ..options(&server)
        };
        let qdrant = Qdrant::connect(&options, "e", DIMS).await.unwrap();
        let config = config_of(&server, qdrant.collection()).await;
        let vectors = match config.params.unwrap().vectors_config.unwrap().config {
            Some(vectors_config::Config::Params(vectors)) => vectors,
            other => panic!("{other:?}"),
        };
        let bytes = match config.quantization_config.unwrap().quantization {
            Some(Quantization::Scalar(bytes)) => bytes,
            other => panic!("{other:?}"),
        };
        #[expect(deprecated, reason = "what servers before 1.19 read")]
        let flags = (vectors.on_disk, bytes.always_ram);
        assert_eq!(flags, (Some(true), Some(true)), "{version}");
        let tiers = (vectors.memory, bytes.memory);
        let (cold, pinned) = (Memory::Cold as i32, Memory::Pinned as i32);
        let expected = has_tiers.then_some(cold);
        assert_eq!(tiers, (expected, has_tiers.then_some(pinned)), "{version}");
    }
}

async fn config_of(server: &FakeQdrant, collection: &str) -> CollectionConfig {
    let client = qdrant_client::Qdrant::from_url(&server.url())
        .skip_compatibility_check()
        .build()
        .unwrap();
    let info = client.collection_info(collection).await.unwrap();
    info.result.unwrap().config.unwrap()
}

#[tokio::test]
async fn a_collection_of_others_is_left_alone() {
    let server = FakeQdrant::start().await.unwrap();
    let client = qdrant_client::Qdrant::from_url(&server.url())
        .skip_compatibility_check()
        .build()
        .unwrap();
    let vectors = VectorParamsBuilder::new(4, Distance::Cosine);
    let theirs = CreateCollectionBuilder::new("argosy.e.3").vectors_config(vectors);
    client.create_collection(theirs).await.unwrap();
    let options = options(&server);
    let error = Qdrant::connect(&options, "e", DIMS).await.err().unwrap();
    assert_eq!(error.class(), Class::Permanent);
    let said = error.to_string();
    assert!(
        said.contains("`argosy.e.3` has vectors of 4 numbers and cosine, want"),
        "{said}"
    );
    assert!(said.contains("set another `collection_prefix`"), "{said}");
}

#[tokio::test]
async fn the_collection_is_made_once_and_whole() {
    let server = FakeQdrant::start().await.unwrap();
    let options = options(&server);
    let connect = || Qdrant::connect(&options, "e", DIMS);
    let (a, b) = tokio::join!(connect(), connect());
    a.unwrap().apply(&[chunk("a/x.md", 1, EAST)]).await.unwrap();
    b.unwrap();
    connect().await.unwrap();
    let client = qdrant_client::Qdrant::from_url(&server.url())
        .skip_compatibility_check()
        .build()
        .unwrap();
    let info = client.collection_info("argosy.e.3").await.unwrap();
    let info = info.result.unwrap();
    assert_eq!(info.points_count, Some(0)); // the chunk has the vector of another embedder
    let mut indexes: Vec<_> = info.payload_schema.keys().map(String::as_str).collect();
    indexes.sort_unstable();
    let expected = [
        "bucket",
        "doc",
        "facts",
        "order[].of",
        "order[].v",
        "tenant",
        "texts[].of",
        "texts[].v",
        "version",
    ];
    assert_eq!(indexes, expected);
    assert!(info.config.unwrap().quantization_config.is_some());
}
