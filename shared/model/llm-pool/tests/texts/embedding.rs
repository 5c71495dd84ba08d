//! Tests of the embedder: its requests, how it reads answers, and how it treats servers that give none.

use crate::{node, nodes, status};
use argosy_llm_pool::{HttpEmbedder, options::embedding::Options};
use envelope::{Class, Classify};
use llm::embed::Error;
use llm::{Embedder, Side};
use settings::TimeSpan;
use std::time::{Duration, Instant};
use telemetry::Registry;
use testkit::node::{DIMS, FakeNode, FakeNodeBehaviour, vector};

fn options(served_by: &[&FakeNode]) -> Options {
    Options {
        model: "letters".into(),
        dims: DIMS as u32,
        nodes: nodes(served_by),
        batch: 2,
        ..Options::default()
    }
}

async fn embed(options: Options, texts: &[&str], side: Side) -> Result<Vec<Vec<f32>>, Error> {
    HttpEmbedder::new(options, &Registry::new())
        .unwrap()
        .embed(texts, side)
        .await
}

fn unit(text: &str) -> Vec<f32> {
    let mut vector = vector(text);
    llm::embed::normalise(&mut vector);
    vector
}

#[tokio::test]
async fn texts_go_in_batches_and_vectors_come_in_order_and_of_length_1() {
    let node = node().await;
    let texts = ["abba", "cafe", "zz"];
    let vectors = embed(options(&[&node]), &texts, Side::Passage).await;
    let vectors = vectors.unwrap();
    assert_eq!(vectors, texts.map(unit));
    assert!((vectors[0].iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-6);
    assert!(vectors[2].iter().all(|x| *x == 0.0));
    let asked = node.prompts();
    assert_eq!(asked.len(), 2, "three texts in batches of two");
    assert_eq!(asked[0].body["input"], serde_json::json!(["abba", "cafe"]));
    assert_eq!(asked[0].body["model"], "letters");
    assert_eq!(asked[0].authorization, "Bearer open sesame");
}

#[tokio::test]
async fn each_side_has_its_prefix_and_another_one_for_passages_is_another_embedder() {
    let node = node().await;
    let options = Options {
        query_prefix: "query: ".into(),
        passage_prefix: "passage: ".into(),
        ..options(&[&node])
    };
    let embedder = HttpEmbedder::new(options.clone(), &Registry::new()).unwrap();
    embedder.embed(&["a"], Side::Query).await.unwrap();
    embedder.embed(&["a"], Side::Passage).await.unwrap();
    let inputs: Vec<_> = node
        .prompts()
        .iter()
        .map(|p| p.body["input"][0].clone())
        .collect();
    assert_eq!(inputs, ["query: a", "passage: a"]);
    assert!(embedder.name().starts_with("letters+"));
    let options = Options {
        passage_prefix: String::new(),
        ..options
    };
    let plain = HttpEmbedder::new(options, &Registry::new());
    assert_eq!(plain.unwrap().name(), "letters");
}

#[tokio::test]
async fn each_side_has_its_type_where_a_server_wants_one() {
    let node = node().await;
    let typed = Options {
        query_input_type: "query".into(),
        passage_input_type: "passage".into(),
        ..options(&[&node])
    };
    let plain = options(&[&node]);
    let mut names = Vec::new();
    for options in [typed, plain] {
        let embedder = HttpEmbedder::new(options, &Registry::new()).unwrap();
        embedder.embed(&["a"], Side::Query).await.unwrap();
        embedder.embed(&["a"], Side::Passage).await.unwrap();
        names.push(embedder.name().to_owned());
    }
    let sent = node.prompts();
    let types: Vec<_> = sent.iter().map(|p| p.body.get("input_type")).collect();
    let wanted = [Some(&"query".into()), Some(&"passage".into()), None, None];
    assert_eq!(types, wanted);
    assert!(names[0].starts_with("letters+"), "{names:?}");
    assert_eq!(names[1], "letters");
}

#[tokio::test]
async fn what_may_pass_is_asked_of_another_node() {
    for failure in [
        status(429, "busy", None),
        status(503, "loading", None),
        status(500, "CUDA error", None),
        FakeNodeBehaviour::Cut,
        FakeNodeBehaviour::Raw("<html>".into()),
        FakeNodeBehaviour::Raw(r#"{"data":[]}"#.into()),
    ] {
        let (a, b) = (node().await, node().await);
        a.always(failure.clone());
        let vectors = embed(options(&[&a, &b]), &["abba"], Side::Passage).await;
        assert_eq!(vectors.unwrap(), [unit("abba")], "{failure:?}");
        assert_eq!((a.seen().calls, b.seen().calls), (1, 1), "{failure:?}");
    }
}

#[tokio::test]
async fn failures_have_their_class() {
    let node = node().await;
    for (failure, class, code) in [
        (status(429, "busy", None), Class::Transient, "embedder_away"),
        (
            status(502, "gateway", None),
            Class::Transient,
            "embedder_away",
        ),
        (FakeNodeBehaviour::Cut, Class::Transient, "embedder_away"),
        (
            status(401, "wrong key", None),
            Class::Permanent,
            "embedder_unusable",
        ),
        (
            status(404, "no such model", None),
            Class::Permanent,
            "embedder_unusable",
        ),
        (
            FakeNodeBehaviour::Raw("{}".into()),
            Class::Permanent,
            "embedder_unusable",
        ),
        (
            status(400, "empty text", None),
            Class::Permanent,
            "embedder_refused",
        ),
        (
            status(413, "maximum context length is 512 tokens", None),
            Class::Permanent,
            "embedder_refused",
        ),
    ] {
        node.always(failure.clone());
        let before = node.seen().calls;
        let error = embed(options(&[&node]), &["a"], Side::Passage)
            .await
            .unwrap_err();
        assert_eq!(
            (error.class(), error.code()),
            (class, code),
            "{failure:?}: {error}"
        );
        assert_eq!(node.seen().calls, before + 1, "{failure:?}");
    }
    let address = options(&[&node]);
    node.stop().await;
    let error = embed(address, &["a"], Side::Passage).await.unwrap_err();
    assert_eq!(error.class(), Class::Transient, "{error}");
}

#[tokio::test]
async fn another_length_is_named_with_the_option() {
    let node = node().await;
    let options = Options {
        dims: 3,
        ..options(&[&node])
    };
    let error = embed(options, &["a"], Side::Passage).await.unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("its vectors have 8 numbers, `dims` says 3"),
        "{said}"
    );
}

#[tokio::test]
async fn a_node_that_wants_to_be_left_alone_is() {
    let (a, b) = (node().await, node().await);
    a.always(status(429, "busy", Some("60")));
    let embedder = HttpEmbedder::new(options(&[&a, &b]), &Registry::new()).unwrap();
    for _ in 0..4 {
        embedder.embed(&["a"], Side::Passage).await.unwrap();
    }
    assert_eq!((a.seen().calls, b.seen().calls), (1, 4));

    let embedder = HttpEmbedder::new(options(&[&a]), &Registry::new()).unwrap();
    for _ in 0..2 {
        let error = embedder.embed(&["a"], Side::Passage).await.unwrap_err();
        let wait = error.retry_after().unwrap();
        assert!(wait > Duration::from_secs(20), "{wait:?}");
    }
    assert_eq!(a.seen().calls, 2, "it was not asked again");
}

#[tokio::test]
async fn every_call_ends() {
    for stuck in [FakeNodeBehaviour::Stuck, FakeNodeBehaviour::StuckBody] {
        let node = node().await;
        node.always(stuck);
        let options = Options {
            query_timeout: TimeSpan::from_millis(200),
            ..options(&[&node])
        };
        let begun = Instant::now();
        let error = embed(options, &["a"], Side::Query).await.unwrap_err();
        assert_eq!(error.class(), Class::Transient, "{error}");
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}

#[tokio::test]
async fn an_answer_without_end_is_not_read() {
    let node = node().await;
    node.always(FakeNodeBehaviour::Raw("x".repeat(2 * 1024 * 1024)));
    let error = embed(options(&[&node]), &["a"], Side::Passage)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("answer over"), "{error}");
}
