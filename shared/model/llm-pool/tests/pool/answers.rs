//! Tests of the reply of a call, and of the counters of calls, tokens and retries.

use super::*;

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
async fn a_request_may_name_another_model() {
    let node = FakeNode::saying("x").await.unwrap();
    let mut request = request();
    request.model = Some("large".into());
    let reply = pool(options(&[&node])).chat(&request).await.unwrap();
    assert_eq!(reply.model, "large");
    assert_eq!(node.prompts()[0].body["model"], "large");
}

#[tokio::test]
async fn estimates_usage_where_the_node_says_nothing() {
    let node = FakeNode::saying("abcdefgh").await.unwrap();
    let usage = ask(options(&[&node])).await.unwrap().usage;
    assert!(usage.tokens_in > 0);
    assert_eq!(usage.tokens_out, 2);
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
async fn a_slow_answer_within_its_time_is_an_answer() {
    let node = FakeNode::saying("late").await.unwrap();
    node.script([
        FakeNodeBehaviour::Slow(Duration::from_millis(50)),
        FakeNodeBehaviour::Trickle(Duration::from_micros(100)),
    ]);
    let pool = pool(options(&[&node]));
    for _ in 0..2 {
        assert_eq!(pool.chat(&request()).await.unwrap().text, "late");
    }
}

#[tokio::test]
async fn counts_calls_tokens_and_retries() {
    let [a, b] = two().await;
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

#[tokio::test]
async fn the_load_is_asked_for_beside_the_version_and_with_the_key() {
    let node = FakeNode::saying("x").await.unwrap();
    node.page("/one/metrics", "vllm:num_requests_waiting 7\n");
    let mut options = options(&[&node]);
    options.nodes[0].base_url = format!("{}/one/v1", node.base_url());
    options.nodes[0].api_key = Secret::new("sesame");
    let pool = pool(options);
    let begun = Instant::now();
    while pool.nodes()[0].queued.is_none() {
        assert!(begun.elapsed() < LONG, "{:?}", node.looks());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(pool.nodes()[0].queued, Some(7));
    let wanted = ("/one/metrics".to_owned(), "Bearer sesame".to_owned());
    assert_eq!(node.looks()[0], wanted);
}

#[test]
fn a_pool_without_nodes_cannot_be() {
    let error = Pool::new(Options::default(), &Registry::new()).unwrap_err();
    assert!(
        matches!(error, argosy_llm_pool::Error::NoNodes { .. }),
        "{error:?}"
    );
}
