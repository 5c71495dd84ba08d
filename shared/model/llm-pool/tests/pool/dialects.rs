//! Tests of how the pool asks a node for JSON, and of how it learns which ways of asking the node rejects.

use super::*;

#[tokio::test]
async fn a_rejected_format_is_learned_per_node_and_remembered() {
    for code in [400, 422, 500] {
        let node = FakeNode::saying("{}").await.unwrap();
        node.always(FakeNodeBehaviour::Reject(&["json_schema"], code));
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
    node.always(FakeNodeBehaviour::Reject(
        &["json_schema", "json_object"],
        400,
    ));
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
    node.always(FakeNodeBehaviour::Reject(&["json_schema"], 500));
    let pool = Arc::new(pool(options(&[&node])));
    let calls = (0..6).map(|_| {
        let pool = pool.clone();
        tokio::spawn(async move { pool.chat(&request_for_json()).await })
    });
    for call in calls.collect::<Vec<_>>() {
        assert_eq!(call.await.unwrap().unwrap().text, "{}");
    }
    let plain =
        |prompt: &testkit::node::ReceivedPrompt| prompt.body.get("response_format").is_none();
    assert!(!node.prompts().iter().any(plain));
}

#[tokio::test]
async fn one_node_learning_does_not_change_another() {
    let [a, b] = two().await;
    a.always(FakeNodeBehaviour::Reject(&["json_schema"], 400));
    let pool = pool(options(&[&a, &b]));
    for _ in 0..4 {
        pool.chat(&request_for_json()).await.unwrap();
    }
    let strong = |node: &FakeNode| {
        let prompts = node.prompts();
        let strong =
            |p: &&testkit::node::ReceivedPrompt| p.body["response_format"]["type"] == "json_schema";
        (prompts.iter().filter(strong).count(), prompts.len())
    };
    assert_eq!(strong(&a), (1, 3));
    assert_eq!(strong(&b), (2, 2));
}

#[tokio::test]
async fn what_another_model_does_not_know_is_not_held_against_the_node() {
    let node = FakeNode::saying("{}").await.unwrap();
    let pool = pool(options(&[&node]));
    let other = ChatRequest {
        model: Some("large".into()),
        ..request_for_json()
    };
    node.always(FakeNodeBehaviour::Reject(
        &["json_schema", "json_object"],
        400,
    ));
    assert_eq!(pool.chat(&other).await.unwrap().text, "{}");
    node.always(FakeNodeBehaviour::Answer);
    pool.chat(&request_for_json()).await.unwrap();
    let types: Vec<_> = node
        .prompts()
        .iter()
        .map(|prompt| prompt.body["response_format"]["type"].clone())
        .collect();
    let none = json!(null);
    assert_eq!(
        types,
        [
            json!("json_schema"),
            json!("json_object"),
            none,
            json!("json_schema")
        ]
    );
}
