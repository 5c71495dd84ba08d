//! Tests of the node as a client sees it: raw HTTP/1.1, one connection per call.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use serde_json::{Value, json};
use sim_node::{Behaviour, MetricsDialect, Options, OverflowWording, Params, RetryAfter, SimNode};
use std::io;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(10);

/// Steps of about 1 ms, so that tests are short.
fn quick() -> Options {
    Options {
        params: Params {
            time_scale: 8.0,
            ..Params::default()
        },
        ..Options::default()
    }
}

struct Got {
    status: u16,
    head: String,
    body: String,
}

impl Got {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }
}

async fn send(node: &SimNode, method: &str, path: &str, body: &str) -> io::Result<TcpStream> {
    let url = node.base_url();
    let mut stream = TcpStream::connect(url.trim_start_matches("http://")).await?;
    let length = body.len();
    let text = format!(
        "{method} {path} HTTP/1.1\r\nhost: sim\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(text.as_bytes()).await?;
    Ok(stream)
}

async fn call(node: &SimNode, method: &str, path: &str, body: &str) -> io::Result<Got> {
    let mut stream = send(node, method, path, body).await?;
    let mut bytes = Vec::new();
    let read = timeout(PATIENCE, stream.read_to_end(&mut bytes)).await;
    read.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let chunked = head.contains("transfer-encoding: chunked");
    Ok(Got {
        status,
        body: if chunked {
            unchunked(body)
        } else {
            body.into()
        },
        head: head.into(),
    })
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        whole.push_str(&rest[..size]);
        body = &rest[size + 2..];
    }
    whole
}

fn chat(user: &str, stream: bool) -> String {
    json!({"model": "tiny", "max_tokens": 200, "stream": stream, "stream_options": {"include_usage": stream},
        "messages": [{"role": "system", "content": "Read. ".repeat(60)}, {"role": "user", "content": user}]})
    .to_string()
}

async fn ask(node: &SimNode, user: &str) -> io::Result<Got> {
    call(node, "POST", "/v1/chat/completions", &chat(user, false)).await
}

/// The text of a stream, and its last piece with choices left out.
fn joined(body: &str) -> (String, Vec<Value>) {
    let events = body.split_terminator("\n\n");
    let events: Vec<&str> = events.filter_map(|e| e.strip_prefix("data: ")).collect();
    assert_eq!(events.last(), Some(&"[DONE]"), "{body}");
    let events: Vec<Value> = events[..events.len() - 1]
        .iter()
        .map(|event| serde_json::from_str(event).unwrap())
        .collect();
    let pieces = events.iter();
    let text = pieces.filter_map(|e| e["choices"][0]["delta"]["content"].as_str());
    (text.collect(), events)
}

/// The tokens of an answer or a piece, joined, and how many have two likely ones.
fn tokens(choice: &Value) -> (String, usize) {
    let tokens = choice["logprobs"]["content"]
        .as_array()
        .into_iter()
        .flatten();
    let two = |token: &&Value| token["top_logprobs"].as_array().unwrap().len() == 2;
    let texts = tokens.clone().map(|token| token["token"].as_str().unwrap());
    (texts.collect(), tokens.filter(two).count())
}

#[tokio::test]
async fn probabilities_are_said_when_asked_for_and_refused_by_those_who_cannot() {
    let path = "/v1/chat/completions";
    let asked = |stream| {
        let mut body: Value = serde_json::from_str(&chat("Who?", stream)).unwrap();
        (body["logprobs"], body["top_logprobs"]) = (true.into(), 2.into());
        body.to_string()
    };
    let node = SimNode::start(quick()).await.unwrap();
    let unasked = ask(&node, "Who?").await.unwrap().json();
    assert_eq!(unasked["choices"][0].get("logprobs"), None);
    let whole = call(&node, "POST", path, &asked(false))
        .await
        .unwrap()
        .json();
    let text = whole["choices"][0]["message"]["content"].as_str().unwrap();
    let (said, two) = tokens(&whole["choices"][0]);
    assert_eq!(said, text);
    assert_eq!(whole["usage"]["completion_tokens"], two);
    let streamed = call(&node, "POST", path, &asked(true)).await.unwrap();
    let (_, events) = joined(&streamed.body);
    let pieces = events.iter().map(|event| tokens(&event["choices"][0]).0);
    assert_eq!(pieces.collect::<String>(), text);

    let options = Options {
        refuses_likely: true,
        ..quick()
    };
    let node = SimNode::start(options).await.unwrap();
    let refused = call(&node, "POST", path, &asked(true)).await.unwrap();
    assert!(refused.status == 400 && refused.body.contains("'logprobs'"));
    assert_eq!(ask(&node, "Who?").await.unwrap().status, 200);
}

#[tokio::test]
async fn the_same_answer_comes_whole_and_in_pieces_and_is_counted() {
    let node = SimNode::start(quick()).await.unwrap();
    let whole = ask(&node, "Who?").await.unwrap();
    let answer = whole.json();
    let text = answer["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(serde_json::from_str::<Value>(text).is_ok(), "{text}");
    assert_eq!(answer["model"], "tiny");
    assert_eq!(answer["usage"]["prompt_tokens_details"]["cached_tokens"], 0);

    let path = "/v1/chat/completions";
    let streamed = call(&node, "POST", path, &chat("Who?", true))
        .await
        .unwrap();
    assert!(streamed.head.contains("text/event-stream"));
    let (joined, events) = joined(&streamed.body);
    assert_eq!(joined, text);
    let usage = &events.last().unwrap()["usage"];
    assert_eq!(
        usage["completion_tokens"],
        answer["usage"]["completion_tokens"]
    );
    assert_eq!(usage["prompt_tokens_details"]["cached_tokens"], 80);
    let pieces = answer["usage"]["completion_tokens"].as_u64().unwrap();
    // At most one for each token, the end, the usage; a late timer finds several tokens at once.
    assert!((5..=pieces + 2).contains(&(events.len() as u64)));

    let seen = node.seen();
    assert_eq!((seen.calls, seen.finished, seen.abandoned), (2, 2, 0));
    assert_eq!((seen.answer_tokens, seen.cached_tokens), (2 * pieces, 80));
}

#[tokio::test]
async fn pieces_can_be_put_together() {
    let options = Options {
        chunk_tokens: 8,
        ..quick()
    };
    let node = SimNode::answering(options, |_| "x".repeat(4 * 20))
        .await
        .unwrap();
    let path = "/v1/chat/completions";
    let got = call(&node, "POST", path, &chat("a", true)).await.unwrap();
    let (text, events) = joined(&got.body);
    assert_eq!(text.len(), 80);
    // Tokens 1, 8, 16 and 20, the end, the usage.
    assert!((3..=6).contains(&events.len()), "{events:?}");
}

#[tokio::test]
async fn calls_beyond_the_slots_wait_and_show_in_the_metrics() {
    let mut options = quick();
    options.params.slots = 2;
    for dialect in MetricsDialect::SPEAKING {
        options.metrics = dialect;
        let node = SimNode::start(options.clone()).await.unwrap();
        let mut open = Vec::new();
        for n in 0..5 {
            let body = chat(&format!("{n}"), false);
            open.push(
                send(&node, "POST", "/v1/chat/completions", &body)
                    .await
                    .unwrap(),
            );
        }
        node.until(PATIENCE, |seen| seen.in_flight == 5)
            .await
            .unwrap();
        // The second one is admitted when the step that the first one began has ended.
        while node.load().running < 2 {
            sleep(Duration::from_millis(1)).await;
        }
        let got = call(&node, "GET", "/metrics", "").await.unwrap();
        let values = got.body.lines().filter(|line| !line.starts_with('#'));
        let values: Vec<_> = values.map(|l| l.rsplit(' ').next().unwrap()).collect();
        assert_eq!(values[..2], ["2.0", "3.0"], "{}", got.body);
        drop(open);
        let seen = node
            .until(PATIENCE, |seen| seen.in_flight == 0)
            .await
            .unwrap();
        assert_eq!(seen.abandoned, 5);
        assert_eq!(node.load().running + node.load().waiting, 0);
    }
    options.metrics = MetricsDialect::None;
    let node = SimNode::start(options).await.unwrap();
    let got = call(&node, "GET", "/metrics", "").await.unwrap();
    assert_eq!(got.status, 404);
}

#[tokio::test]
async fn a_client_that_leaves_a_stream_frees_the_slot() {
    let mut options = quick();
    options.params.slots = 1;
    options.params.time_scale = 1.0;
    let node = SimNode::start(options).await.unwrap();
    let body = chat("long", true);
    let mut stream = send(&node, "POST", "/v1/chat/completions", &body)
        .await
        .unwrap();
    let mut some = [0; 300];
    stream.read_exact(&mut some).await.unwrap();
    let left = Instant::now();
    drop(stream);
    node.until(PATIENCE, |seen| seen.abandoned == 1)
        .await
        .unwrap();
    assert!(
        left.elapsed() < Duration::from_millis(100),
        "{:?}",
        left.elapsed()
    );
    assert_eq!(node.load().running, 0);
}

#[tokio::test]
async fn refusals_say_what_real_servers_say() {
    let node = SimNode::start(quick()).await.unwrap();
    let after = RetryAfter::Seconds(3);
    node.behave(Behaviour::Status(429, after));
    let got = ask(&node, "a").await.unwrap();
    assert_eq!(got.status, 429);
    assert!(got.head.contains("retry-after: 3"), "{}", got.head);
    node.behave(Behaviour::Status(503, RetryAfter::Date(PATIENCE)));
    let got = ask(&node, "a").await.unwrap();
    assert!(
        got.head.contains("GMT\r\n") && got.status == 503,
        "{}",
        got.head
    );
    node.behave(Behaviour::Status(503, RetryAfter::Unsaid));
    let got = ask(&node, "a").await.unwrap();
    assert!(!got.head.contains("retry-after"), "{}", got.head);
    node.behave(Behaviour::WrongJson);
    let got = ask(&node, "a").await.unwrap();
    assert!(got.status == 200 && serde_json::from_str::<Value>(&got.body).is_err());
    for server in OverflowWording::ALL {
        node.behave(Behaviour::Overflow(server));
        let got = ask(&node, "a").await.unwrap();
        assert_eq!(got.status, server.overflow(32_768, 65_536).0);
        assert_eq!(got.json(), server.overflow(32_768, 65_536).1);
    }
    node.behave(Behaviour::Healthy);
    assert_eq!(ask(&node, "a").await.unwrap().status, 200);
    let got = call(&node, "POST", "/v1/chat/completions", "{")
        .await
        .unwrap();
    assert_eq!(got.status, 400);
}

#[tokio::test]
async fn a_prompt_over_the_context_is_refused_or_cut_without_a_word() {
    let mut options = quick();
    options.context_tokens = 50;
    options.server = OverflowWording::LlamaCpp;
    let node = SimNode::start(options.clone()).await.unwrap();
    let got = ask(&node, "a").await.unwrap();
    let error = &got.json()["error"];
    assert_eq!((error["n_ctx"].as_u64(), got.status), (Some(50), 400));
    assert!(error["n_prompt_tokens"].as_u64() > Some(90), "{error}");
    options.server = OverflowWording::Ollama;
    let node = SimNode::start(options).await.unwrap();
    let got = ask(&node, "a").await.unwrap();
    assert_eq!(got.json()["usage"]["prompt_tokens"], 50);
}

#[tokio::test]
async fn white_space_goes_on_to_the_limit() {
    let node = SimNode::start(quick()).await.unwrap();
    node.behave(Behaviour::WhiteSpace);
    let got = ask(&node, "a").await.unwrap().json();
    let text = got["choices"][0]["message"]["content"].as_str().unwrap();
    assert_eq!((text.trim(), text.len()), ("", 800));
    assert_eq!(got["choices"][0]["finish_reason"], "length");
    assert_eq!(got["usage"]["completion_tokens"], 200);
}

#[tokio::test]
async fn stuck_is_well_by_its_health_and_frozen_is_not() {
    let node = SimNode::start(quick()).await.unwrap();
    let soon = Duration::from_millis(100);
    node.behave(Behaviour::Stuck);
    assert!(timeout(soon, ask(&node, "a")).await.is_err());
    let got = call(&node, "GET", "/health", "").await.unwrap();
    assert_eq!(got.status, 200);
    node.behave(Behaviour::Frozen);
    for path in ["/health", "/metrics", "/v1/models"] {
        let asked = timeout(soon, call(&node, "GET", path, "")).await;
        assert!(asked.is_err(), "{path}");
    }
    node.until(PATIENCE, |seen| seen.abandoned == 1)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_trickle_takes_its_time_and_a_reset_is_one() {
    let node = SimNode::answering(quick(), |_| "x".into()).await.unwrap();
    node.behave(Behaviour::Trickle(Duration::from_millis(1)));
    let began = Instant::now();
    let got = ask(&node, "a").await.unwrap();
    assert_eq!(got.json()["choices"][0]["message"]["content"], "x");
    assert!(began.elapsed() >= Duration::from_millis(got.body.len() as u64));

    node.behave(Behaviour::Reset(20));
    let body = chat("a", false);
    let mut stream = send(&node, "POST", "/v1/chat/completions", &body)
        .await
        .unwrap();
    let mut bytes = Vec::new();
    let read = timeout(PATIENCE, stream.read_to_end(&mut bytes))
        .await
        .unwrap();
    assert_eq!(read.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    node.until(PATIENCE, |seen| seen.abandoned == 1)
        .await
        .unwrap();
}

/// Asks until the node answers; how often it could not be reached before.
async fn until_it_is_back(node: &SimNode) -> usize {
    let (began, mut refused) = (Instant::now(), 0);
    while ask(node, "again").await.is_err() {
        assert!(began.elapsed() < PATIENCE, "the node does not come back");
        refused += 1;
        sleep(Duration::from_millis(2)).await;
    }
    refused
}

#[tokio::test]
async fn a_restart_ends_what_is_in_flight_and_forgets_the_cache() {
    let mut options = quick();
    options.params.time_scale = 1.0;
    let node = SimNode::answering(options, |prompt| {
        "x".repeat(match prompt.user.as_str() {
            "long" => 800,
            _ => 8,
        })
    })
    .await
    .unwrap();
    ask(&node, "again").await.unwrap();
    let body = chat("long", true);
    let mut stream = send(&node, "POST", "/v1/chat/completions", &body)
        .await
        .unwrap();
    let mut some = [0; 300];
    stream.read_exact(&mut some).await.unwrap();
    node.restart(Duration::from_millis(50));
    let mut rest = Vec::new();
    let read = timeout(PATIENCE, stream.read_to_end(&mut rest))
        .await
        .unwrap();
    assert!(read.is_err(), "the stream has to break");
    assert!(until_it_is_back(&node).await > 0);
    assert_eq!(node.seen().cached_tokens, 0);
    assert_eq!(node.seen().abandoned, 1);
}

#[tokio::test]
async fn a_flapping_node_comes_and_goes() {
    let node = SimNode::answering(quick(), |_| "x".into()).await.unwrap();
    let span = Duration::from_millis(40);
    node.behave(Behaviour::Flapping(span, span));
    let began = Instant::now();
    let (mut turns, mut was_there) = (0, true);
    while turns < 4 {
        assert!(began.elapsed() < PATIENCE, "{turns} turns");
        let is_there = ask(&node, "a").await.is_ok();
        turns += usize::from(is_there != was_there);
        was_there = is_there;
    }
    node.behave(Behaviour::Healthy);
    until_it_is_back(&node).await;
    ask(&node, "a").await.unwrap();
}

#[tokio::test]
async fn a_slow_node_is_slow() {
    let mut options = quick();
    options.params.jitter = 0.0;
    let node = SimNode::answering(options, |_| "x".repeat(80))
        .await
        .unwrap();
    let time = async || {
        let began = Instant::now();
        ask(&node, "a").await.unwrap();
        began.elapsed()
    };
    // The best of three: the machine may be busy with something else.
    let usual = time().await.min(time().await).min(time().await);
    node.behave(Behaviour::Slow(10.0));
    let slow = time().await;
    assert!(slow > usual * 4, "{usual:?}, {slow:?}");
}

#[tokio::test]
async fn embeddings_are_of_length_one_and_of_the_text() {
    let node = SimNode::start(quick()).await.unwrap();
    let body = json!({"model": "e", "input": ["one", "two", "one"]}).to_string();
    let got = call(&node, "POST", "/v1/embeddings", &body)
        .await
        .unwrap()
        .json();
    let vector = |n: usize| got["data"][n]["embedding"].as_array().unwrap();
    assert_eq!(vector(0), vector(2));
    assert_ne!(vector(0), vector(1));
    let length: f64 = vector(1).iter().map(|x| x.as_f64().unwrap().powi(2)).sum();
    assert!((length - 1.0).abs() < 1e-5);
    assert_eq!(got["usage"]["prompt_tokens"], 3);
    let got = call(&node, "GET", "/v1/models", "").await.unwrap().json();
    assert_eq!(got["data"][0]["id"], "sim");
}
