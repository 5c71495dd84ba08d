//! Tests of the probabilities of tokens: asked for, read from whole and streamed answers, refused, and missing. *Not*
//! here: the forms in which servers send them, which are tested without HTTP.

use super::*;
use serde_json::Value;
use testkit::node::sse::{self, DONE};
use testkit::sim_node::{self, SimNode};

fn likely_request() -> ChatRequest {
    ChatRequest {
        likely: 3,
        ..request()
    }
}

/// A node like that of a model server, and a pool over it.
async fn sim(sim: sim_node::Options, stream: bool) -> (SimNode, Pool) {
    let node = SimNode::start(sim).await.unwrap();
    let mut options = options(&[]);
    options.nodes.push(options::Node {
        name: "a".into(),
        base_url: node.base_url(),
        ..options::Node::default()
    });
    options.stream = stream;
    options.retries = 0;
    (node, pool(options))
}

fn texts(reply: &ChatReply) -> String {
    let texts = reply.tokens.iter().map(|token| token.text.as_str());
    texts.collect()
}

/// A piece of a streamed answer with the probability of its only token.
fn piece(text: &str) -> String {
    let token = json!({"token": text, "logprob": -0.5, "top_logprobs": []});
    sse::event(&json!({"choices": [
        {"index": 0, "delta": {"content": text}, "logprobs": {"content": [token]}}
    ]}))
}

fn asked(node: &FakeNode) -> Vec<Value> {
    let prompts = node.prompts();
    let asked = prompts
        .iter()
        .map(|prompt| prompt.body["top_logprobs"].clone());
    asked.collect()
}

#[tokio::test]
async fn tokens_come_with_streamed_and_with_whole_answers() {
    let mut replies = Vec::new();
    for stream in [true, false] {
        let (_node, pool) = sim(sim_node::Options::default(), stream).await;
        let reply = pool.chat(&likely_request()).await.unwrap();
        assert_eq!(texts(&reply), reply.text);
        assert_eq!(reply.tokens.len() as u64, reply.usage.tokens_out);
        assert!(reply.tokens.iter().all(|token| token.others.len() == 3));
        let is_half = |log: f32| (log.exp() - 0.5).abs() < 1e-4;
        assert!(reply.tokens.iter().all(|token| is_half(token.log)));
        assert!(pool.chat(&request()).await.unwrap().tokens.is_empty());
        replies.push(reply);
    }
    assert_eq!(replies[0].tokens, replies[1].tokens);
}

#[tokio::test]
async fn a_node_that_refuses_them_answers_without_and_is_not_asked_again() {
    for stream in [true, false] {
        let refusing = sim_node::Options {
            refuses_likely: true,
            ..sim_node::Options::default()
        };
        let (node, pool) = sim(refusing, stream).await;
        for calls in [2, 3] {
            let reply = pool.chat(&likely_request()).await.unwrap();
            assert!(!reply.text.is_empty() && reply.tokens.is_empty());
            assert_eq!(node.seen().calls, calls);
        }
    }
}

#[tokio::test]
async fn one_that_refuses_them_and_a_form_is_asked_for_neither() {
    let node = FakeNode::saying("{}").await.unwrap();
    let refusal = |what: &str| {
        status(
            422,
            &json!({"error": format!("unknown {what}")}).to_string(),
        )
    };
    node.script(["top_logprobs", "json_schema", "response_format"].map(refusal));
    let pool = pool(options(&[&node]));
    let request = ChatRequest {
        likely: 3,
        ..request_for_json()
    };
    for _ in 0..2 {
        assert_eq!(pool.chat(&request).await.unwrap().text, "{}");
    }
    let last = node.prompts().pop().unwrap().body;
    assert_eq!(
        (last.get("logprobs"), last.get("response_format")),
        (None, None)
    );
    let none = json!(null);
    assert_eq!(asked(&node)[..3], [json!(3), none.clone(), none]);
}

#[tokio::test]
async fn what_another_model_refuses_is_not_held_against_the_node() {
    let node = FakeNode::saying("x").await.unwrap();
    node.script([status(400, "logprobs are not supported")]);
    let pool = pool(options(&[&node]));
    let other = ChatRequest {
        model: Some("large".into()),
        ..likely_request()
    };
    assert_eq!(pool.chat(&other).await.unwrap().text, "x");
    pool.chat(&likely_request()).await.unwrap();
    assert_eq!(asked(&node), [json!(3), json!(null), json!(3)]);
}

#[tokio::test]
async fn no_more_than_servers_allow_are_asked_for() {
    let node = FakeNode::saying("x").await.unwrap();
    let many = ChatRequest {
        likely: u8::MAX,
        ..request()
    };
    pool(options(&[&node])).chat(&many).await.unwrap();
    assert_eq!(asked(&node), [json!(20)]);
}

#[tokio::test]
async fn a_node_that_passes_over_the_wish_has_answered() {
    let answer = |logprobs: Value| {
        let message = json!({"role": "assistant", "content": "x"});
        let choice = json!({"message": message, "finish_reason": "stop", "logprobs": logprobs});
        FakeNodeBehaviour::Raw(json!({ "choices": [choice] }).to_string())
    };
    let node = FakeNode::saying("x").await.unwrap();
    let pool = pool(options(&[&node]));
    for logprobs in [json!(null), json!("x"), json!({"content": [null]})] {
        node.script([answer(logprobs)]);
        let reply = pool.chat(&likely_request()).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.tokens.len()), ("x", 0));
    }
    let streamed = sse::answer("all of it", Duration::ZERO);
    node.script([FakeNodeBehaviour::Stream(streamed)]);
    let reply = pool.chat(&likely_request()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.tokens.len()), ("all of it", 0));
    assert_eq!(node.seen().calls, 4);
}

#[tokio::test]
async fn tokens_are_those_of_the_answer_that_counts() {
    let [a, b] = two().await;
    let stream = |events: Vec<String>| {
        let events = events.into_iter().map(|event| (Duration::ZERO, event));
        FakeNodeBehaviour::Stream(events.collect())
    };
    a.always(stream(vec![piece("half "), piece("an ")]));
    b.always(stream(vec![
        piece("all "),
        piece("of it"),
        sse::finish("stop"),
        DONE.into(),
    ]));
    let reply = pool(options(&[&a, &b]))
        .chat(&likely_request())
        .await
        .unwrap();
    assert_eq!((a.seen().calls, b.seen().calls), (1, 1));
    assert_eq!(
        (reply.text.as_str(), texts(&reply)),
        ("all of it", "all of it".into())
    );
}

/// A whole answer with the probabilities of a long text has some MiB.
#[tokio::test]
async fn probabilities_do_not_make_an_answer_too_long() {
    let top: Vec<_> = (0..20)
        .map(|_| json!({"token": " word", "bytes": [32, 119, 111, 114, 100], "logprob": -1.25}))
        .collect();
    let token = json!({"token": "word", "logprob": -0.5, "top_logprobs": top});
    let choice = json!({"message": {"content": "word ".repeat(900)}, "finish_reason": "stop",
                        "logprobs": {"content": vec![token; 900]}});
    let body = json!({ "choices": [choice] }).to_string();
    assert!(body.len() > 1024 * 1024, "{}", body.len());
    let node = FakeNode::saying("x").await.unwrap();
    node.always(FakeNodeBehaviour::Raw(body));
    let pool = pool(options(&[&node]));
    let long = ChatRequest {
        likely: 20,
        max_tokens: 1000,
        ..request()
    };
    assert_eq!(pool.chat(&long).await.unwrap().tokens.len(), 900);
}
