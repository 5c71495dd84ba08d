//! The pool against fake nodes over real HTTP: every class of failure, retries on another node,
//! learned dialects, limits in flight, time-outs, cancellation.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use argosy_llm_pool::{Options, Pool, options};
use envelope::{Class, Classed, Role, TurnId};
use llm::{ChatModel, ChatReply, ChatRequest, Error, Schema};
use serde_json::json;
use settings::{Backoff, Secret, Span};
use std::sync::Arc;
use std::time::{Duration, Instant};
use telemetry::Registry;
use testkit::node::{Behaviour, FakeNode, Server};

/// Longer than any test waits.
const LONG: Duration = Duration::from_secs(20);

fn request() -> ChatRequest {
    ChatRequest {
        role: Role::Mapper,
        turn: TurnId::new("t1").unwrap(),
        system: "Be brief.".into(),
        user: "Who wrote it?".into(),
        max_tokens: 64,
        schema: None,
        timeout: LONG,
    }
}

fn request_for_json() -> ChatRequest {
    ChatRequest {
        schema: Some(Schema {
            name: "facts",
            json: json!({"type": "object"}),
        }),
        ..request()
    }
}

/// Nodes `a`, `b`, … with short waits between tries.
fn options(nodes: &[&FakeNode]) -> Options {
    let names = ["a", "b", "c"];
    let nodes = nodes.iter().zip(names).map(|(node, name)| options::Node {
        name: name.into(),
        base_url: node.base_url(),
        ..options::Node::default()
    });
    Options {
        model: "tiny".into(),
        nodes: nodes.collect(),
        backoff: Backoff::new(Span::from_millis(1), 2.0, Span::from_millis(4)).unwrap(),
        ..Options::default()
    }
}

fn pool(options: Options) -> Pool {
    Pool::new(options, &Registry::new()).unwrap()
}

async fn ask(options: Options) -> Result<ChatReply, Error> {
    pool(options).chat(&request()).await
}

fn status(status: u16, body: &str) -> Behaviour {
    Behaviour::Status(status, body.into(), None)
}

fn status_after(status: u16, retry_after: &str) -> Behaviour {
    Behaviour::Status(status, "busy".into(), Some(retry_after.into()))
}

#[tokio::test]
async fn answers_with_text_model_and_usage() {
    let node = FakeNode::start(|prompt| format!("You asked: {} \n\n", prompt.user))
        .await
        .unwrap();
    node.usage(json!({"prompt_tokens": 11, "completion_tokens": 7}));
    let mut options = options(&[&node]);
    options.nodes[0].api_key = Secret::new("sesame");
    let reply = ask(options).await.unwrap();
    assert_eq!(reply.text, "You asked: Who wrote it?");
    assert_eq!(reply.model, "tiny");
    assert_eq!(
        (
            reply.usage.calls,
            reply.usage.tokens_in,
            reply.usage.tokens_out
        ),
        (1, 11, 7)
    );
    let prompt = &node.prompts()[0];
    assert_eq!(prompt.authorization, "Bearer sesame");
    assert_eq!(prompt.system, "Be brief.");
    assert_eq!(prompt.body["model"], "tiny");
    assert_eq!(prompt.body["max_tokens"], 64);
}

#[tokio::test]
async fn estimates_usage_where_the_node_says_nothing() {
    let node = FakeNode::saying("abcdefgh").await.unwrap();
    let usage = ask(options(&[&node])).await.unwrap().usage;
    assert!(usage.tokens_in > 0);
    assert_eq!(usage.tokens_out, 2);
}

#[tokio::test]
async fn an_overflow_is_too_long_in_every_wording_and_never_repeated() {
    let node = FakeNode::saying("x").await.unwrap();
    let other = FakeNode::saying("x").await.unwrap();
    let pool = pool(options(&[&node, &other]));
    for server in Server::ALL {
        node.always(Behaviour::Overflow(server, 4096));
        other.always(Behaviour::Overflow(server, 4096));
        for request in [request(), request_for_json()] {
            let before = node.seen().calls + other.seen().calls;
            let error = pool.chat(&request).await.unwrap_err();
            let wanted = server.names_limit().then_some(4096);
            assert!(
                matches!(error, Error::TooLong { limit } if limit == wanted),
                "{server:?}: {error:?}"
            );
            assert_eq!(error.class(), Class::TooLarge);
            assert_eq!(node.seen().calls + other.seen().calls, before + 1);
        }
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
    node.script([Behaviour::Redirect(to)]);
    let error = ask(options(&[&node])).await.unwrap_err();
    assert!(
        matches!(error, Error::Refused { status: 307, .. }),
        "{error:?}"
    );
    assert_eq!(node.seen().calls, 1);
}

#[tokio::test]
async fn tls_is_there_and_a_node_without_it_is_down() {
    let node = FakeNode::saying("x").await.unwrap();
    let mut options = options(&[&node]);
    options.nodes[0].base_url = node.base_url().replace("http:", "https:");
    let error = ask(options).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
}

#[tokio::test]
async fn what_may_pass_is_tried_again_on_another_node() {
    for failure in [
        status(429, "busy"),
        status(500, "CUDA error"),
        status(502, "bad gateway"),
        status(503, "Loading model"),
        status(504, "gateway time-out"),
        Behaviour::Cut,
        Behaviour::Raw("<html>hello</html>".into()),
        Behaviour::Raw("{}".into()),
    ] {
        let [a, b] = [
            FakeNode::saying("a").await.unwrap(),
            FakeNode::saying("b").await.unwrap(),
        ];
        a.always(failure.clone());
        let reply = ask(options(&[&a, &b])).await;
        assert_eq!(reply.unwrap().text, "b", "{failure:?}");
        assert_eq!((a.seen().calls, b.seen().calls), (1, 1), "{failure:?}");
    }
}

#[tokio::test]
async fn a_node_that_is_gone_is_passed_over() {
    let [a, b] = [
        FakeNode::saying("a").await.unwrap(),
        FakeNode::saying("b").await.unwrap(),
    ];
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
        (Behaviour::Cut, Class::Transient, "model_unavailable"),
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
        Behaviour::Raw("hello".into()),
        Behaviour::Say(" \n\n ".into()),
        Behaviour::Say("x".repeat(2 * 1024 * 1024)),
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
    let [a, b] = [
        FakeNode::saying("a").await.unwrap(),
        FakeNode::saying("b").await.unwrap(),
    ];
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
async fn a_wait_that_does_not_fit_goes_back_to_the_caller() {
    let node = FakeNode::saying("x").await.unwrap();
    for (header, wanted) in [("45", 45), ("Fri, 31 Dec 2100 00:00:00 GMT", 60)] {
        node.script([status_after(429, header)]);
        let begun = Instant::now();
        let error = ask(options(&[&node])).await.unwrap_err();
        let wait = Classed::retry_after(&error);
        assert_eq!(wait, Some(Duration::from_secs(wanted)), "{error:?}");
        assert_eq!(error.class(), Class::Overloaded);
        assert!(begun.elapsed() < LONG / 2);
    }
}

#[tokio::test]
async fn a_rejected_format_is_learned_per_node_and_remembered() {
    for code in [400, 422, 500] {
        let node = FakeNode::saying("{}").await.unwrap();
        node.always(Behaviour::Reject(&["json_schema"], code));
        let pool = pool(options(&[&node]));
        for _ in 0..2 {
            assert_eq!(pool.chat(&request_for_json()).await.unwrap().text, "{}");
        }
        let types: Vec<_> = node
            .prompts()
            .iter()
            .map(|prompt| prompt.body["response_format"]["type"].clone())
            .collect();
        assert_eq!(
            types,
            ["json_schema", "json_object", "json_object"],
            "{code}"
        );
        assert_eq!(
            node.prompts()[1].body["response_format"]["schema"],
            json!({"type": "object"})
        );
    }
}

#[tokio::test]
async fn a_node_without_any_format_is_asked_in_plain_words() {
    let node = FakeNode::saying("{}").await.unwrap();
    node.always(Behaviour::Reject(&["json_schema", "json_object"], 400));
    let mut options = options(&[&node]);
    // Learning is no retry.
    options.retries = 0;
    assert_eq!(
        pool(options).chat(&request_for_json()).await.unwrap().text,
        "{}"
    );
    let prompts = node.prompts();
    assert_eq!(prompts.len(), 3);
    assert_eq!(prompts[2].body.get("response_format"), None);
}

#[tokio::test]
async fn calls_at_once_learn_a_dialect_once() {
    let node = FakeNode::saying("{}").await.unwrap();
    node.always(Behaviour::Reject(&["json_schema"], 500));
    let pool = Arc::new(pool(options(&[&node])));
    let calls = (0..6).map(|_| {
        let pool = pool.clone();
        tokio::spawn(async move { pool.chat(&request_for_json()).await })
    });
    for call in calls.collect::<Vec<_>>() {
        assert_eq!(call.await.unwrap().unwrap().text, "{}");
    }
    let plain = |prompt: &testkit::node::Prompt| prompt.body.get("response_format").is_none();
    assert!(!node.prompts().iter().any(plain));
}

#[tokio::test]
async fn one_node_learning_does_not_change_another() {
    let [a, b] = [
        FakeNode::saying("a").await.unwrap(),
        FakeNode::saying("b").await.unwrap(),
    ];
    a.always(Behaviour::Reject(&["json_schema"], 400));
    let pool = pool(options(&[&a, &b]));
    for _ in 0..4 {
        pool.chat(&request_for_json()).await.unwrap();
    }
    let strong = |node: &FakeNode| {
        let prompts = node.prompts();
        let strong =
            |p: &&testkit::node::Prompt| p.body["response_format"]["type"] == "json_schema";
        (prompts.iter().filter(strong).count(), prompts.len())
    };
    assert_eq!(strong(&a), (1, 3));
    assert_eq!(strong(&b), (2, 2));
}

#[tokio::test]
async fn calls_are_spread_and_no_node_gets_more_than_its_limit() {
    let [a, b] = [
        FakeNode::saying("a").await.unwrap(),
        FakeNode::saying("b").await.unwrap(),
    ];
    let mut options = options(&[&a, &b]);
    for (node, fake) in options.nodes.iter_mut().zip([&a, &b]) {
        fake.always(Behaviour::Hold);
        node.max_in_flight = 2;
    }
    options.queue_timeout = Span::from_secs(20);
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
    node.always(Behaviour::Hold);
    let mut options = options(&[&node]);
    options.nodes[0].max_in_flight = 1;
    options.queue_timeout = Span::from_millis(20);
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
async fn a_stuck_node_costs_the_first_byte_timeout_and_then_another_is_asked() {
    for stuck in [Behaviour::Stuck, Behaviour::StuckBody] {
        let [a, b] = [
            FakeNode::saying("a").await.unwrap(),
            FakeNode::saying("b").await.unwrap(),
        ];
        a.always(stuck.clone());
        let mut options = options(&[&a, &b]);
        options.first_byte_timeout = Span::from_millis(200);
        options.idle_timeout = Span::from_millis(200);
        assert_eq!(ask(options).await.unwrap().text, "b", "{stuck:?}");
        a.until(|seen| seen.abandoned == 1).await;
    }
}

#[tokio::test]
async fn the_total_holds_for_a_stuck_node_and_for_one_that_trickles() {
    for slow in [
        Behaviour::Stuck,
        Behaviour::Trickle(Duration::from_millis(20)),
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
    node.always(Behaviour::Stuck);
    let mut options = options(&[&node]);
    options.total_timeout = Span::from_millis(200);
    let error = ask(options).await.unwrap_err();
    assert!(matches!(error, Error::TimedOut(total) if total == Duration::from_millis(200)));
}

#[tokio::test]
async fn a_slow_answer_within_its_time_is_an_answer() {
    let node = FakeNode::saying("late").await.unwrap();
    node.script([
        Behaviour::Slow(Duration::from_millis(50)),
        Behaviour::Trickle(Duration::from_micros(100)),
    ]);
    let pool = pool(options(&[&node]));
    for _ in 0..2 {
        assert_eq!(pool.chat(&request()).await.unwrap().text, "late");
    }
}

#[tokio::test]
async fn dropping_the_call_closes_the_connection_and_frees_the_place() {
    let node = FakeNode::saying("x").await.unwrap();
    let mut options = options(&[&node]);
    options.nodes[0].max_in_flight = 1;
    let pool = pool(options);
    for stuck in [Behaviour::Stuck, Behaviour::StuckBody] {
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

#[tokio::test]
async fn counts_calls_tokens_and_retries() {
    let [a, b] = [
        FakeNode::saying("a").await.unwrap(),
        FakeNode::saying("b").await.unwrap(),
    ];
    a.always(status(503, "busy"));
    b.usage(json!({"prompt_tokens": 11, "completion_tokens": 7}));
    let registry = Registry::new();
    let pool = Pool::new(options(&[&a, &b]), &registry).unwrap();
    pool.chat(&request()).await.unwrap();
    let shown = registry.encode();
    for line in [
        r#"argosy_llm_request_duration_seconds_count{model="tiny",node="a",outcome="busy",role="mapper"} 1"#,
        r#"argosy_llm_request_duration_seconds_count{model="tiny",node="b",outcome="ok",role="mapper"} 1"#,
        r#"argosy_llm_retries_total{model="tiny",node="a",reason="busy"} 1"#,
        r#"argosy_llm_tokens_total{direction="input",model="tiny",role="mapper"} 11"#,
        r#"argosy_llm_tokens_total{direction="output",model="tiny",role="mapper"} 7"#,
        r#"argosy_llm_inflight_requests{model="tiny",node="b"} 0"#,
    ] {
        assert!(shown.contains(line), "{line} is not in\n{shown}");
    }
}

#[test]
fn a_pool_without_nodes_cannot_be() {
    let error = Pool::new(Options::default(), &Registry::new()).unwrap_err();
    assert!(
        matches!(error, argosy_llm_pool::Error::NoNodes { .. }),
        "{error:?}"
    );
}
