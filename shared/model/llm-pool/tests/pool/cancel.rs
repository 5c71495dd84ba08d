//! Tests of cancelled calls: the node notices within a tenth of a second, whatever the state of the call.

use super::*;
use testkit::node::{FakeNodeCounts, sse};
use tokio::time::timeout;

const SOON: Duration = Duration::from_millis(100);

/// Begins a call, waits until `begun`, drops it, and says how long its node took to see that.
async fn dropped(
    pool: &Pool,
    node: &FakeNode,
    begun: impl Fn(&FakeNodeCounts) -> bool,
) -> Duration {
    let before = node.seen().abandoned;
    let request = request();
    let mut call = Box::pin(pool.chat(&request));
    tokio::select! {
        came = &mut call => panic!("{came:?}"),
        _ = node.until(&begun) => {}
    }
    // A moment, so that the first piece is read where there is one.
    let _ = timeout(Duration::from_millis(20), &mut call).await;
    let at = Instant::now();
    drop(call);
    node.until(|seen| seen.abandoned > before).await;
    at.elapsed()
}

#[tokio::test]
async fn a_node_hears_of_it_before_and_in_the_midst_of_the_answer() {
    let half = [
        (Duration::ZERO, sse::token("half ")),
        (LONG, sse::token("")),
    ];
    for (what, does) in [
        ("before the head", FakeNodeBehaviour::Stuck),
        ("in a whole body", FakeNodeBehaviour::StuckBody),
        ("in a stream", FakeNodeBehaviour::Stream(half.into())),
    ] {
        let node = FakeNode::saying("x").await.unwrap();
        node.always(does);
        let mut options = options(&[&node]);
        options.nodes[0].max_in_flight = 1;
        let pool = pool(options);
        let mut took = Vec::new();
        for call in 1..=9 {
            took.push(dropped(&pool, &node, |seen| seen.calls == call).await);
        }
        took.sort_unstable();
        println!("{what}: median {:?}, worst {:?}", took[4], took[8]);
        // The worst one of a machine that does other things says nothing.
        assert!(took[4] < SOON, "{what}: {took:?}");
        assert_eq!(pool.nodes()[0].in_flight, 0);
    }
}

#[tokio::test]
async fn who_waits_for_a_place_leaves_the_queue_and_is_never_sent() {
    let node = FakeNode::saying("x").await.unwrap();
    node.always(FakeNodeBehaviour::Hold);
    let mut options = options(&[&node]);
    options.nodes[0].max_in_flight = 1;
    options.queue_timeout = TimeSpan::from_secs(20);
    let pool = Arc::new(pool(options));
    let begin = || {
        let pool = pool.clone();
        tokio::spawn(async move { pool.chat(&request()).await })
    };
    let first = begin();
    node.until(|seen| seen.in_flight == 1).await;
    let waiting = begin();
    let last = begin();
    tokio::task::yield_now().await;
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    node.release(2);
    for call in [first, last] {
        assert_eq!(call.await.unwrap().unwrap().text, "x");
    }
    assert_eq!((node.seen().calls, node.seen().abandoned), (2, 0));
}
