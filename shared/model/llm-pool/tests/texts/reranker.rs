//! Tests of the reranker in both shapes, and of the errors that it reports.

use crate::{node, nodes, status};
use argosy_llm_pool::HttpReranker;
use argosy_llm_pool::options::reranker::{Options, RerankDialect};
use envelope::{Class, Classify};
use llm::Reranker;
use settings::TimeSpan;
use std::time::{Duration, Instant};
use telemetry::Registry;
use testkit::node::{FakeNode, FakeNodeBehaviour};

const TEXTS: [&str; 3] = ["nothing", "the red boat", "a red house"];

fn options(served_by: &[&FakeNode]) -> Options {
    Options {
        model: "reader".into(),
        nodes: nodes(served_by),
        timeout: TimeSpan::from_secs(10),
        ..Options::default()
    }
}

async fn scores(options: Options) -> Result<Vec<f32>, llm::Error> {
    let reranker = HttpReranker::new(options, &Registry::new()).unwrap();
    reranker.scores("red boat", &TEXTS).await
}

#[tokio::test]
async fn scores_come_in_the_order_of_the_texts() {
    let node = node().await;
    let options = Options {
        text_chars: 9,
        ..options(&[&node])
    };
    assert_eq!(scores(options).await.unwrap(), [0.0, 0.5, 0.5]);
    let asked = &node.prompts()[0];
    assert_eq!(
        asked.body["documents"][1], "the red b",
        "cut to nine characters"
    );
    assert_eq!(
        (&asked.body["model"], &asked.body["query"]),
        (&"reader".into(), &"red boat".into())
    );
    assert_eq!(asked.authorization, "Bearer open sesame");
}

#[tokio::test]
async fn the_other_shape_is_learnt_once() {
    let node = node().await;
    node.forget("/v1/rerank");
    let reranker = HttpReranker::new(options(&[&node]), &Registry::new()).unwrap();
    for _ in 0..2 {
        let scores = reranker.scores("red boat", &TEXTS).await.unwrap();
        assert_eq!(scores, [0.0, 1.0, 0.5]);
    }
    let asked = node.prompts();
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|p| p.body["texts"][1] == "the red boat"));
    // It is not asked at the first address again.
    node.forget("/rerank");
    assert!(reranker.scores("red boat", &TEXTS).await.is_err());
}

#[tokio::test]
async fn a_pinned_shape_is_kept_to() {
    let node = node().await;
    let pinned = |dialect| Options {
        dialect,
        ..options(&[&node])
    };
    scores(pinned(RerankDialect::Tei)).await.unwrap();
    assert!(node.prompts()[0].body["documents"].is_null());
    node.forget("/v1/rerank");
    let error = scores(pinned(RerankDialect::Rerank)).await.unwrap_err();
    assert_eq!(error.class(), Class::Permanent, "{error}");
}

#[tokio::test]
async fn another_node_takes_over() {
    let (a, b) = (node().await, node().await);
    a.always(status(503, "loading", None));
    assert_eq!(scores(options(&[&a, &b])).await.unwrap()[1], 1.0);
    assert_eq!((a.seen().calls, b.seen().calls), (1, 1));
    let alone = scores(options(&[&a])).await.unwrap_err();
    assert_eq!(alone.class(), Class::Overloaded, "{alone}");
}

#[tokio::test]
async fn a_slow_node_is_given_up_in_time() {
    let node = node().await;
    node.always(FakeNodeBehaviour::Stuck);
    let options = Options {
        timeout: TimeSpan::from_millis(200),
        ..options(&[&node])
    };
    let begun = Instant::now();
    let error = scores(options).await.unwrap_err();
    assert!(matches!(error, llm::Error::TimedOut(_)), "{error:?}");
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn scores_that_are_missing_are_no_scores() {
    let node = node().await;
    node.always(FakeNodeBehaviour::Raw(
        r#"{"results":[{"index":0,"relevance_score":1}]}"#.into(),
    ));
    let error = scores(options(&[&node])).await.unwrap_err();
    assert!(matches!(error, llm::Error::Protocol(_)), "{error:?}");
}
