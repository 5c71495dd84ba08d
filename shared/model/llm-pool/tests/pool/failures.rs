//! Tests of every class of failure: whether the call is tried again, and on which node.

use super::*;

#[tokio::test]
async fn an_overflow_is_too_long_in_every_wording_and_no_node_is_asked_twice() {
    for server in OverflowWording::ALL {
        for request in [request(), request_for_json()] {
            let [a, b] = two().await;
            a.always(FakeNodeBehaviour::Overflow(server, 4096));
            b.always(FakeNodeBehaviour::Overflow(server, 2048));
            let pool = pool(options(&[&a, &b]));
            let error = pool.chat(&request).await.unwrap_err();
            // The longest that there is.
            let wanted = server.names_limit().then_some(4096);
            assert!(
                matches!(error, Error::TooLong { limit } if limit == wanted),
                "{server:?}: {error:?}"
            );
            assert_eq!(error.class(), Class::TooLarge);
            assert_eq!((a.seen().calls, b.seen().calls), (1, 1), "{server:?}");
        }
    }
}

#[tokio::test]
async fn what_does_not_fit_one_node_is_asked_of_one_that_may_have_room() {
    for server in OverflowWording::ALL {
        let [a, b] = two().await;
        a.always(FakeNodeBehaviour::Overflow(server, 4096));
        let pool = pool(options(&[&a, &b]));
        let long = ChatRequest {
            user: "word ".repeat(6_000),
            ..request()
        };
        for _ in 0..3 {
            assert_eq!(pool.chat(&long).await.unwrap().text, "b", "{server:?}");
        }
        assert_eq!((a.seen().calls, b.seen().calls), (1, 3), "{server:?}");
    }
}

#[tokio::test]
async fn a_refusal_is_final() {
    let node = FakeNode::saying("x").await.unwrap();
    for (code, body) in [
        (401, r#"{"error":{"message":"wrong key"}}"#),
        (403, r#"{"error":"wrong key"}"#),
        (404, r#"{"object":"error","message":"wrong key"}"#),
        (400, "wrong key"),
    ] {
        let before = node.seen().calls;
        node.script([status(code, body)]);
        let error = ask(options(&[&node])).await.unwrap_err();
        assert!(
            matches!(&error, Error::Refused { status, message } if *status == code && message == "wrong key"),
            "{error:?}"
        );
        assert_eq!(error.class(), Class::Permanent);
        assert_eq!(node.seen().calls, before + 1);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let node = FakeNode::saying("x").await.unwrap();
    let to = format!("{}/v1/chat/completions", node.base_url());
    node.script([FakeNodeBehaviour::Redirect(to)]);
    let error = ask(options(&[&node])).await.unwrap_err();
    assert!(
        matches!(error, Error::Refused { status: 307, .. }),
        "{error:?}"
    );
    assert_eq!(node.seen().calls, 1);
}

#[tokio::test]
async fn what_may_pass_is_tried_again_on_another_node() {
    for failure in [
        status(429, "busy"),
        status(500, "CUDA error"),
        status(502, "bad gateway"),
        status(503, "Loading model"),
        status(504, "gateway time-out"),
        FakeNodeBehaviour::Cut,
        FakeNodeBehaviour::Raw("<html>hello</html>".into()),
        FakeNodeBehaviour::Raw("{}".into()),
    ] {
        let [a, b] = two().await;
        a.always(failure.clone());
        let reply = ask(options(&[&a, &b])).await;
        assert_eq!(reply.unwrap().text, "b", "{failure:?}");
        assert_eq!((a.seen().calls, b.seen().calls), (1, 1), "{failure:?}");
    }
}

#[tokio::test]
async fn a_node_that_is_gone_is_passed_over() {
    let [a, b] = two().await;
    let options = options(&[&a, &b]);
    a.stop().await;
    assert_eq!(ask(options).await.unwrap().text, "b");
}

#[tokio::test]
async fn the_class_tells_what_the_last_failure_was() {
    let node = FakeNode::saying("x").await.unwrap();
    for (failure, class, code) in [
        (status(429, "busy"), Class::Overloaded, "model_overloaded"),
        (status(503, "busy"), Class::Overloaded, "model_overloaded"),
        (status(500, "oh"), Class::Transient, "model_unavailable"),
        (status(502, "oh"), Class::Transient, "model_unavailable"),
        (
            FakeNodeBehaviour::Cut,
            Class::Transient,
            "model_unavailable",
        ),
    ] {
        node.always(failure.clone());
        let before = node.seen().calls;
        let error = ask(options(&[&node])).await.unwrap_err();
        assert_eq!(
            (error.class(), error.code()),
            (class, code),
            "{failure:?}: {error}"
        );
        assert_eq!(node.seen().calls, before + 3, "{failure:?}");
    }
}

#[tokio::test]
async fn an_answer_that_is_not_understood_is_not_asked_for_again_at_the_same_node() {
    let node = FakeNode::saying("x").await.unwrap();
    for failure in [
        FakeNodeBehaviour::Raw("hello".into()),
        FakeNodeBehaviour::Say(" \n\n ".into()),
        FakeNodeBehaviour::Say("x".repeat(2 * 1024 * 1024)),
    ] {
        node.always(failure);
        let before = node.seen().calls;
        let error = ask(options(&[&node])).await.unwrap_err();
        assert!(matches!(error, Error::Protocol(_)), "{error:?}");
        assert_eq!(node.seen().calls, before + 1);
    }
}

#[tokio::test]
async fn a_node_that_is_asked_to_be_left_alone_is() {
    let [a, b] = two().await;
    a.always(status_after(429, "30"));
    let pool = pool(options(&[&a, &b]));
    for _ in 0..4 {
        assert_eq!(pool.chat(&request()).await.unwrap().text, "b");
    }
    assert_eq!((a.seen().calls, b.seen().calls), (1, 4));
}

#[tokio::test]
async fn a_single_node_is_asked_again_when_it_said() {
    let node = FakeNode::saying("x").await.unwrap();
    node.script([status_after(503, "1")]);
    let begun = Instant::now();
    assert_eq!(ask(options(&[&node])).await.unwrap().text, "x");
    assert!(begun.elapsed() >= Duration::from_millis(900));
    assert_eq!(node.seen().calls, 2);
}

#[tokio::test]
async fn of_nodes_that_all_rest_the_first_that_has_rested_is_asked() {
    let [a, b] = two().await;
    a.script([status_after(503, "1")]);
    b.always(status_after(503, "30"));
    let begun = Instant::now();
    assert_eq!(ask(options(&[&a, &b])).await.unwrap().text, "a");
    assert!(begun.elapsed() >= Duration::from_millis(900));
    assert_eq!((a.seen().calls, b.seen().calls), (2, 1));
}

#[tokio::test]
async fn a_wait_that_does_not_fit_goes_back_to_the_caller() {
    let node = FakeNode::saying("x").await.unwrap();
    for (header, wanted) in [("45", 45), ("Fri, 31 Dec 2100 00:00:00 GMT", 60)] {
        node.script([status_after(429, header)]);
        let begun = Instant::now();
        let error = ask(options(&[&node])).await.unwrap_err();
        let wait = Classify::retry_after(&error);
        assert_eq!(wait, Some(Duration::from_secs(wanted)), "{error:?}");
        assert_eq!(error.class(), Class::Overloaded);
        assert!(begun.elapsed() < LONG / 2);
    }
}

fn breakers(pool: &Pool) -> Vec<String> {
    pool.nodes().into_iter().map(|node| node.breaker).collect()
}

#[tokio::test]
async fn a_node_without_the_model_is_left_for_one_that_has_it() {
    let good = FakeNode::saying("x").await.unwrap();
    let bad = FakeNode::saying("x").await.unwrap();
    bad.always(status(404, "no such model"));
    let pool = pool(options(&[&good, &bad]));
    for _ in 0..20 {
        assert_eq!(pool.chat(&request()).await.unwrap().text, "x");
    }
    assert_eq!(breakers(&pool), ["closed", "open"]);
    assert!(bad.seen().calls < 10, "{:?}", bad.seen());
}

#[tokio::test]
async fn a_model_that_no_node_has_is_a_refusal_each_time() {
    let nodes = [
        FakeNode::saying("x").await.unwrap(),
        FakeNode::saying("x").await.unwrap(),
    ];
    for node in &nodes {
        node.always(status(404, "no such model"));
    }
    let pool = pool(options(&[&nodes[0], &nodes[1]]));
    for _ in 0..12 {
        let error = pool.chat(&request()).await.unwrap_err();
        assert!(
            matches!(error, Error::Refused { status: 404, .. }),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn another_model_that_is_asked_for_speaks_for_itself_alone() {
    let nodes = [
        FakeNode::saying("x").await.unwrap(),
        FakeNode::saying("x").await.unwrap(),
    ];
    let pool = pool(options(&[&nodes[0], &nodes[1]]));
    for _ in 0..4 {
        pool.chat(&request()).await.unwrap();
    }
    let other = ChatRequest {
        model: Some("typo".into()),
        ..request()
    };
    for failure in [
        status(404, "no such model"),
        FakeNodeBehaviour::Overflow(OverflowWording::Vllm, 10),
    ] {
        for node in &nodes {
            node.always(failure.clone());
        }
        for _ in 0..12 {
            pool.chat(&other).await.unwrap_err();
        }
    }
    for node in &nodes {
        node.always(FakeNodeBehaviour::Answer);
    }
    assert_eq!(breakers(&pool), ["closed", "closed"]);
    assert_eq!(pool.chat(&request()).await.unwrap().text, "x");
}

#[tokio::test]
async fn who_is_sent_elsewhere_waits_for_a_place_there() {
    for failure in [
        status(401, "wrong key"),
        FakeNodeBehaviour::Raw("{}".into()),
    ] {
        let [a, b] = two().await;
        a.always(failure.clone());
        b.script([FakeNodeBehaviour::Hold]);
        let mut options = options(&[&a, &b]);
        options.nodes[1].max_in_flight = 1;
        options.queue_timeout = TimeSpan::from_secs(20);
        let pool = Arc::new(pool(options));
        let call = || {
            let pool = pool.clone();
            tokio::spawn(async move { pool.chat(&request()).await })
        };
        let first = call();
        b.until(|seen| seen.in_flight == 1).await;
        let second = call();
        a.until(|seen| seen.calls == 2).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        b.release(1);
        for call in [first, second] {
            assert_eq!(call.await.unwrap().unwrap().text, "b", "{failure:?}");
        }
        assert_eq!((a.seen().calls, b.seen().calls), (2, 2), "{failure:?}");
    }
}

#[tokio::test]
async fn where_it_failed_for_now_is_better_than_where_it_failed_for_good() {
    let [good, bad] = [
        FakeNode::saying("good").await.unwrap(),
        FakeNode::saying("bad").await.unwrap(),
    ];
    good.script([status(503, "busy")]);
    bad.always(status(401, "wrong key"));
    let reply = ask(options(&[&good, &bad])).await;
    assert_eq!(reply.unwrap().text, "good");
    assert_eq!((good.seen().calls, bad.seen().calls), (2, 1));
}
