//! Tests of calls in flight, time-outs and cancellation.

use super::*;

#[tokio::test]
async fn calls_are_spread_and_no_node_gets_more_than_its_limit() {
    let [a, b] = two().await;
    let mut options = options(&[&a, &b]);
    for (node, fake) in options.nodes.iter_mut().zip([&a, &b]) {
        fake.always(FakeNodeBehaviour::Hold);
        node.max_in_flight = 2;
    }
    options.queue_timeout = TimeSpan::from_secs(20);
    let pool = Arc::new(pool(options));
    let calls: Vec<_> = (0..8)
        .map(|_| {
            let pool = pool.clone();
            tokio::spawn(async move { pool.chat(&request()).await })
        })
        .collect();
    a.until(|seen| seen.in_flight == 2).await;
    b.until(|seen| seen.in_flight == 2).await;
    a.release(8);
    b.release(8);
    for call in calls {
        assert!(call.await.unwrap().is_ok());
    }
    assert_eq!((a.seen().busiest, b.seen().busiest), (2, 2));
    assert_eq!(a.seen().calls + b.seen().calls, 8);
}

#[tokio::test]
async fn a_full_pool_sheds_early_and_says_so() {
    let node = FakeNode::saying("x").await.unwrap();
    node.always(FakeNodeBehaviour::Hold);
    let mut options = options(&[&node]);
    options.nodes[0].max_in_flight = 1;
    options.queue_timeout = TimeSpan::from_millis(20);
    let pool = Arc::new(pool(options));
    let holder = tokio::spawn({
        let pool = pool.clone();
        async move { pool.chat(&request()).await }
    });
    node.until(|seen| seen.in_flight == 1).await;
    let error = pool.chat(&request()).await.unwrap_err();
    assert!(matches!(error, Error::Overloaded { .. }), "{error:?}");
    node.release(1);
    assert!(holder.await.unwrap().is_ok());
    assert_eq!(node.seen().calls, 1);
}

#[tokio::test]
async fn a_stuck_node_costs_the_first_token_timeout_and_then_another_is_asked() {
    for stuck in [FakeNodeBehaviour::Stuck, FakeNodeBehaviour::StuckBody] {
        let [a, b] = two().await;
        a.always(stuck.clone());
        let mut options = options(&[&a, &b]);
        options.first_token_timeout = Some(TimeSpan::from_millis(200));
        options.idle_timeout = Some(TimeSpan::from_millis(200));
        assert_eq!(ask(options).await.unwrap().text, "b", "{stuck:?}");
        a.until(|seen| seen.abandoned == 1).await;
    }
}

#[tokio::test]
async fn the_total_holds_for_a_stuck_node_and_for_one_that_trickles() {
    for slow in [
        FakeNodeBehaviour::Stuck,
        FakeNodeBehaviour::Trickle(Duration::from_millis(20)),
    ] {
        let node = FakeNode::saying("a").await.unwrap();
        node.always(slow.clone());
        let mut request = request();
        request.timeout = Duration::from_millis(300);
        let begun = Instant::now();
        let error = pool(options(&[&node])).chat(&request).await.unwrap_err();
        assert!(
            matches!(error, Error::TimedOut(total) if total == request.timeout),
            "{slow:?}: {error:?}"
        );
        assert!(begun.elapsed() >= request.timeout);
        assert!(begun.elapsed() < LONG / 2);
        node.until(|seen| seen.abandoned == 1).await;
        assert_eq!(node.seen().calls, 1);
    }
}

#[tokio::test]
async fn the_configured_total_holds_when_the_caller_has_longer() {
    let node = FakeNode::saying("a").await.unwrap();
    node.always(FakeNodeBehaviour::Stuck);
    let mut options = options(&[&node]);
    options.total_timeout = Some(TimeSpan::from_millis(200));
    let error = ask(options).await.unwrap_err();
    assert!(matches!(error, Error::TimedOut(total) if total == Duration::from_millis(200)));
}

#[tokio::test]
async fn dropping_the_call_closes_the_connection_and_frees_the_place() {
    let node = FakeNode::saying("x").await.unwrap();
    let mut options = options(&[&node]);
    options.nodes[0].max_in_flight = 1;
    let pool = pool(options);
    for stuck in [FakeNodeBehaviour::Stuck, FakeNodeBehaviour::StuckBody] {
        node.script([stuck]);
        let before = node.seen();
        {
            let request = request();
            let call = pool.chat(&request);
            tokio::pin!(call);
            tokio::select! {
                _ = &mut call => panic!("a stuck node answered"),
                _ = node.until(|seen| seen.calls > before.calls) => {}
            }
        }
        node.until(|seen| seen.abandoned > before.abandoned).await;
        assert_eq!(pool.chat(&request()).await.unwrap().text, "x");
    }
}
