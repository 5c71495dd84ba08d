//! What was said before, responses with their events, and the models on offer.

use super::{CHAT, RESPONSES, chat, content, events, question, with};
use crate::stand::{ANSWER, QUESTION, Stand};
use serde_json::{Value, json};

/// A question that the sample corpus asks back about, and what it means.
const UNCLEAR: &str = "What is the total?";
const MEANT: &str = "invoice BS-88214";
/// What is in the answer to it, then.
const TOTAL: &str = "4,933.20 EUR";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_said_before_counts() {
    let stand = Stand::usual().await;
    let said = |text: &str| json!({"role": "user", "content": text});
    // A follow-up, out of the history that the client sends along.
    let first = content(&stand.post(CHAT, &[], &question(&json!({}))).await);
    let follow_up = json!([
        {"role": "system", "content": "Answer in verse."}, said(QUESTION), {"role": "assistant", "content": first},
        said("And the transition frequency?"),
    ]);
    let followed = content(&stand.post(CHAT, &[], &chat(follow_up, &json!({}))).await);
    let alone = content(
        &stand
            .post(
                CHAT,
                &[],
                &chat(json!([said("And the transition frequency?")]), &json!({})),
            )
            .await,
    );
    // Of this part alone, and of all that have one.
    assert!(
        followed.contains("170 MHz") && !followed.contains("250 MHz"),
        "{followed}"
    );
    assert!(alone.contains("250 MHz"), "{alone}");

    // Chat programs send all of it each time, and the fleet takes the newest.
    let mut long: Vec<Value> = (0..60).map(|_| said(&"word ".repeat(2_000))).collect();
    long.push(said(QUESTION));
    let answered = stand.post(CHAT, &[], &chat(long.into(), &json!({}))).await;
    assert!(content(&answered).contains(ANSWER), "{answered:?}");

    // A question back is a message like any other, and the next one answers it.
    let asked = stand
        .post(CHAT, &[], &chat(json!([said(UNCLEAR)]), &json!({})))
        .await;
    assert_eq!(asked.json()["outcome"], "clarification");
    let back = content(&asked);
    assert!(
        back.ends_with("Please answer in your next message."),
        "{back}"
    );
    let reply = json!([said(UNCLEAR), {"role": "assistant", "content": back}, said(MEANT)]);
    for _ in 0..2 {
        let answered = stand
            .post(CHAT, &[], &chat(reply.clone(), &json!({})))
            .await;
        assert!(content(&answered).contains(TOTAL), "{answered:?}");
    }
    let answered = stand
        .post(RESPONSES, &[], &json!({"model": "argosy", "input": reply}))
        .await
        .json();
    let text = answered["output"][0]["content"][0]["text"]
        .as_str()
        .unwrap();
    assert!(text.contains(TOTAL), "{text}");

    // In a conversation the fleet knows by itself; only the last message is sent on.
    let named = [
        json!({"conversation": "c-1"}),
        json!({"metadata": {"conversation": "c-1"}}),
    ];
    let asked = stand
        .post(CHAT, &[], &chat(json!([said(UNCLEAR)]), &named[0]))
        .await;
    assert_eq!(asked.json()["outcome"], "clarification");
    let answered = stand
        .post(CHAT, &[], &chat(json!([said(MEANT)]), &named[1]))
        .await;
    assert!(content(&answered).contains(TOTAL), "{answered:?}");
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_response_and_its_events() {
    let stand = Stand::usual().await;
    let request =
        json!({"model": "argosy", "input": QUESTION, "instructions": "x", "metadata": {"a": "b"}});
    let whole = stand.post(RESPONSES, &[], &request).await.json();
    let part = &whole["output"][0]["content"][0];
    assert!(part["text"].as_str().unwrap().contains(ANSWER), "{whole}");
    assert_eq!(
        (&whole["status"], &whole["metadata"]["a"]),
        (&json!("completed"), &json!("b"))
    );
    assert_eq!(part["annotations"][0]["type"], "url_citation");
    assert!(whole["usage"]["input_tokens"].as_u64().unwrap() > 0);

    let streamed = stand
        .post(RESPONSES, &[], &with(request, &json!({"stream": true})))
        .await;
    let events = events(&streamed);
    let mut names = Vec::new();
    let mut text = String::new();
    for (n, (name, data)) in events.iter().enumerate() {
        let event: Value = serde_json::from_str(data).unwrap();
        assert_eq!(event["type"].as_str(), name.as_deref());
        assert_eq!(event["sequence_number"], n);
        text += event["delta"].as_str().unwrap_or_default();
        names.push(name.clone().unwrap().replace("response.", ""));
    }
    names.dedup();
    let order = [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.annotation.added",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ];
    assert_eq!(names, order);
    let last: Value = serde_json::from_str(&events.last().unwrap().1).unwrap();
    assert_eq!(last["response"]["output"][0]["content"][0]["text"], text);
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_are_ways_to_ask() {
    let stand = Stand::usual().await;
    let listed = stand.get("/v1/models").await.json();
    let ids: Vec<&str> = listed["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!((ids[0], ids.last()), ("argosy", Some(&"argosy-tasks")));
    assert!(ids.contains(&"argosy/datasheets"), "{ids:?}");
    for id in &ids {
        for path in [
            format!("/v1/models/{id}"),
            format!("/v1/models/{}", id.replace('/', "%2F")),
        ] {
            assert_eq!(stand.get(&path).await.json()["id"], *id, "{path}");
        }
    }
    stand.end().await;
}
