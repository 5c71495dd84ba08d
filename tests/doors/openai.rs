//! The shapes of OpenAI, byte for byte where clients are strict. What the official clients make of them is tried by
//! `workers/door/tests/clients`.

mod dialogue;
mod refused;

use crate::http::Answer;
use crate::stand::{ANSWER, QUESTION, Stand};
use serde_json::{Value, json};

const CHAT: &str = "/v1/chat/completions";
const RESPONSES: &str = "/v1/responses";

fn chat(messages: Value, more: &Value) -> Value {
    with(json!({"model": "argosy", "messages": messages}), more)
}

fn question(more: &Value) -> Value {
    chat(json!([{"role": "user", "content": QUESTION}]), more)
}

fn with(mut request: Value, more: &Value) -> Value {
    for (name, value) in more.as_object().unwrap() {
        request[name] = value.clone();
    }
    request
}

fn content(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{answer:?}");
    let message = &answer.json()["choices"][0]["message"];
    message["content"].as_str().unwrap().to_owned()
}

/// The events of a stream, name and data. Whatever is neither an event nor a comment fails.
fn events(answer: &Answer) -> Vec<(Option<String>, String)> {
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some("text/event-stream")),
        "{answer:?}"
    );
    let whole = answer
        .body
        .strip_suffix("\n\n")
        .expect("a whole last event");
    let blocks = whole.split("\n\n").filter(|block| !block.starts_with(':'));
    let event = |block: &str| match block.split_once('\n') {
        None => (None, block.strip_prefix("data: ").unwrap().to_owned()),
        Some((name, data)) => (
            Some(name.strip_prefix("event: ").unwrap().to_owned()),
            data.strip_prefix("data: ").unwrap().to_owned(),
        ),
    };
    blocks.map(event).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_completion_has_its_sources_in_the_text() {
    let stand = Stand::usual().await;
    let proxy = ["X-Forwarded-Proto: https", "X-Forwarded-Host: docs.example"];
    let more = json!({
        "temperature": 0.3, "max_tokens": 5, "seed": 1, "user": "u", "n": 1, "tools": [], "colour": "red",
    });
    let answered = stand.post(CHAT, &proxy, &question(&more)).await;
    let text = content(&answered);
    assert!(text.contains(ANSWER), "{text}");
    let whole = answered.json();
    let turn = whole["turn"].as_str().unwrap();
    let link = format!("https://docs.example/?turn={turn}#citation-1");
    let (answer, sources) = text.split_once("\n\nSources:\n").unwrap();
    assert!(
        sources.starts_with("- [1] [") && sources.contains(&format!("]({link})")),
        "{text}"
    );
    let choice = &whole["choices"][0];
    assert_eq!(
        (&whole["object"], &choice["finish_reason"], &choice["index"]),
        (&json!("chat.completion"), &json!("stop"), &json!(0))
    );
    let cited = &choice["message"]["annotations"][0]["url_citation"];
    assert_eq!(cited["url"], link.as_str());
    let place = ["start_index", "end_index"].map(|at| cited[at].as_u64().unwrap() as usize);
    let marked: String = answer
        .chars()
        .skip(place[0])
        .take(place[1] - place[0])
        .collect();
    assert_eq!(marked, "[1]");
    assert!(choice["message"]["citations"][0]["quote"].is_string());
    let spent = ["prompt_tokens", "completion_tokens", "total_tokens"]
        .map(|of| whole["usage"][of].as_u64().unwrap());
    assert!(spent[0] > 0 && spent[0] + spent[1] == spent[2], "{spent:?}");

    // Where it is cut: the text alone, and without what stands behind.
    let cut = stand
        .post(CHAT, &[], &question(&json!({"stop": ["nowhere", ANSWER]})))
        .await;
    assert_eq!(content(&cut), text[..text.find(ANSWER).unwrap()]);
    // The other ways to ask.
    for model in ["argosy-simple", "argosy-auto", "argosy/datasheets"] {
        let answered = stand
            .post(CHAT, &[], &question(&json!({ "model": model })))
            .await;
        assert!(content(&answered).contains(ANSWER), "{model}");
    }
    let elsewhere = stand
        .post(CHAT, &[], &question(&json!({"model": "argosy/contracts"})))
        .await;
    assert!(!content(&elsewhere).contains(ANSWER), "{elsewhere:?}");
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_says_the_same_as_the_whole() {
    let stand = Stand::usual().await;
    let whole = stand.post(CHAT, &[], &question(&json!({}))).await;
    let more = json!({"stream": true, "stream_options": {"include_usage": true}});
    let streamed = stand.post(CHAT, &[], &question(&more)).await;
    assert_eq!(streamed.header("x-accel-buffering"), Some("no"));
    let mut told = events(&streamed);
    assert!(told.iter().all(|(name, _)| name.is_none()), "{told:?}");
    assert_eq!(told.pop().unwrap().1, "[DONE]");
    let chunks: Vec<Value> = told
        .iter()
        .map(|(_, data)| serde_json::from_str(data).unwrap())
        .collect();
    for chunk in &chunks {
        assert_eq!(chunk["object"], "chat.completion.chunk");
        assert_eq!(chunk["id"], chunks[0]["id"]);
    }
    let (usage, chunks) = chunks.split_last().unwrap();
    assert_eq!(
        (&usage["choices"], usage["usage"]["total_tokens"].is_u64()),
        (&json!([]), true)
    );
    let (last, chunks) = chunks.split_last().unwrap();
    assert_eq!(last["choices"][0]["finish_reason"], "stop");
    assert!(
        chunks
            .iter()
            .all(|chunk| chunk["choices"][0]["finish_reason"].is_null())
    );
    assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    let texts = chunks
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str());
    let same = |text: String, of: &Value| text.replace(of["turn"].as_str().unwrap(), "TURN");
    assert_eq!(
        same(texts.collect(), &chunks[0]),
        same(content(&whole), &whole.json())
    );
    let cited = &chunks.last().unwrap()["choices"][0]["delta"];
    assert_eq!(cited["annotations"][0]["type"], "url_citation");
    assert_eq!(
        cited["citations"],
        whole.json()["choices"][0]["message"]["citations"]
    );

    // What was not asked for is not told.
    let plain = events(
        &stand
            .post(CHAT, &[], &question(&json!({"stream": true})))
            .await,
    );
    let (done, chunks) = plain.split_last().unwrap();
    assert_eq!(done.1, "[DONE]");
    for (_, data) in chunks {
        let chunk: Value = serde_json::from_str(data).unwrap();
        assert_eq!(chunk["choices"].as_array().unwrap().len(), 1);
        assert!(chunk.get("usage").is_none());
    }
    // A failure behind the beginning of a stream is told, and the stream does not look like a whole one.
    let failing = json!({"stream": true, "conversation": "c1", "messages": [{"role": "user", "content": "x"}]});
    let first = stand
        .post(CHAT, &["Idempotency-Key: k1"], &question(&json!({})))
        .await;
    assert_eq!(first.status, 200);
    let failed = events(
        &stand
            .post(CHAT, &["Idempotency-Key: k1"], &question(&failing))
            .await,
    );
    let error: Value = serde_json::from_str(&failed.last().unwrap().1).unwrap();
    assert_eq!(error["error"]["code"], "id_in_use", "{failed:?}");
    stand.end().await;
}
