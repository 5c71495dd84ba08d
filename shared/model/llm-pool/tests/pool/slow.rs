//! Tests of the limits that follow from measured speed: a node that is slow and steady is neither cut off nor left
//! alone, and one that stops is. The clock is paused, so that minutes cost nothing.

use super::*;
use argosy_llm_pool::NodeView;
use testkit::node::sse;
use testkit::sim_node::{self, Behaviour, Lengths, Params, SimNode};
use tokio::task::JoinSet;
use tokio::time::Instant;

/// A laptop with two cores: 85 tokens/s read, 15 written.
async fn laptop() -> SimNode {
    let options = sim_node::Options {
        params: Params {
            slots: 4,
            step_base: Duration::from_millis(60),
            per_sequence: Duration::from_millis(5),
            per_prefill_token: Duration::from_micros(11_800),
            ..Params::default()
        },
        lengths: Lengths { min: 40, max: 40 },
        ..sim_node::Options::default()
    };
    SimNode::start(options).await.unwrap()
}

/// A pool that tries no call twice, over nodes at these addresses.
fn once(addresses: &[String]) -> Arc<Pool> {
    let nodes = addresses.iter().zip(["a", "b"]);
    let nodes = nodes.map(|(url, name)| options::Node {
        name: name.into(),
        base_url: url.clone(),
        ..options::Node::default()
    });
    Arc::new(pool(Options {
        nodes: nodes.collect(),
        retries: 0,
        hedge: Vec::new(),
        ..options(&[])
    }))
}

/// A call with a prompt of some 700 tokens of its own.
async fn call(pool: &Pool, n: usize) -> Result<ChatReply, Error> {
    let request = ChatRequest {
        turn: TurnId::new(format!("t{n}")).unwrap(),
        user: format!("{n}: {}", "a page of a contract ".repeat(130)),
        timeout: Duration::from_secs(3_000),
        ..request()
    };
    pool.chat(&request).await
}

/// Five calls at a time, as a question makes them; all have to be answered.
async fn five_at_a_time(pool: &Arc<Pool>, calls: std::ops::Range<usize>) {
    for first in calls.step_by(5) {
        let five = (first..first + 5).map(|n| {
            let pool = pool.clone();
            async move { call(&pool, n).await.unwrap() }
        });
        five.collect::<JoinSet<_>>().join_all().await;
    }
}

fn view(pool: &Pool, name: &str) -> NodeView {
    let mut nodes = pool.nodes().into_iter();
    nodes.find(|node| node.name == name).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_slow_and_steady_node_is_never_cut_off_nor_left_alone() {
    let nodes = [laptop().await, laptop().await];
    let urls = nodes.each_ref().map(SimNode::base_url);
    for (urls, own) in [(&urls[..1], 0), (&urls[..], 100)] {
        let pool = once(urls);
        assert_eq!(view(&pool, "a").reads_per_s, None);
        five_at_a_time(&pool, own..own + 5).await;
        nodes[0].behave(Behaviour::Slow(2.5));
        five_at_a_time(&pool, own + 5..own + 15).await;
        nodes[0].behave(Behaviour::Healthy);
        let node = view(&pool, "a");
        assert_eq!((node.breaker.as_str(), node.failed), ("closed", 0));
        assert!(
            node.reads_per_s
                .is_some_and(|reads| (10.0..90.0).contains(&reads)),
            "{node:?}"
        );
        assert!(node.first_token_limit_ms > 60_000, "{node:?}");
    }
    assert!(nodes.iter().all(|node| node.seen().abandoned == 0));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_accepts_calls_and_never_answers_is_given_up_and_left_alone() {
    let node = laptop().await;
    let pool = once(&[node.base_url()]);
    call(&pool, 0).await.unwrap();
    node.behave(Behaviour::Stuck);
    for n in 1..=5 {
        assert_eq!(view(&pool, "a").breaker, "closed");
        let began = Instant::now();
        let error = call(&pool, n).await.unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
        let waited = began.elapsed().as_secs();
        assert!((100..300).contains(&waited), "{waited}");
    }
    assert_eq!(view(&pool, "a").breaker, "open");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_stops_midway_is_given_up_before_anything_is_measured() {
    let node = FakeNode::saying("x").await.unwrap();
    let begin = [sse::role(), sse::token("half ")].map(|event| (Duration::ZERO, event));
    let never = [(Duration::from_secs(9_000), sse::token("more"))];
    node.script([FakeNodeBehaviour::Stream(
        begin.into_iter().chain(never).collect(),
    )]);
    let pool = once(&[node.base_url()]);
    let began = Instant::now();
    let error = call(&pool, 0).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    assert_eq!(began.elapsed().as_secs(), 120);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_its_caller_gives_up_says_nothing_of_a_slow_node() {
    let node = laptop().await;
    let pool = once(&[node.base_url()]);
    call(&pool, 0).await.unwrap();
    for n in 1..=8 {
        let request = ChatRequest {
            user: format!("{n}: {}", "a page of a contract ".repeat(130)),
            timeout: Duration::from_secs(6),
            ..request()
        };
        let error = pool.chat(&request).await.unwrap_err();
        assert!(matches!(error, Error::TimedOut(_)), "{error:?}");
    }
    let node = view(&pool, "a");
    assert_eq!((node.breaker.as_str(), node.failed), ("closed", 0));
}
