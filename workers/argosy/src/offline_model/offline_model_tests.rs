//! Tests the HTTP server of the offline reader: with calls of a model pool, and with wrong requests.

use super::*;
use envelope::{Role, TenantId, TurnId};
use llm::{ChatModel, ChatRequest};
use llm_pool::{Options, Pool};
use offline_reader::NAME;
use telemetry::Registry;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

const PROMPT: &str = "<question>When does the lease end?</question>\
    <text>The lease ends on 31 May 2027. The cat sat on the mat.</text>";

async fn served(slots: usize) -> (SocketAddr, CancellationToken, JoinHandle<io::Result<()>>) {
    let stop = CancellationToken::new();
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
    let (address, serving) = serve(nowhere, slots, stop.clone()).await.unwrap();
    (address, stop, tokio::spawn(serving))
}

/// The status and the body of one exchange.
async fn exchange(address: SocketAddr, head: &str, body: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let head = format!(
        "{head} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    // A refused body need not be read to its end.
    let _ = stream.write_all(body).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer
        .split_whitespace()
        .nth(1)
        .and_then(|s| s.parse().ok());
    (status.unwrap_or(0), answer)
}

fn request() -> ChatRequest {
    ChatRequest {
        model: None,
        role: Role::Mapper,
        turn: TurnId::new("t").unwrap(),
        tenant: TenantId::default_tenant(),
        system: String::new(),
        user: PROMPT.into(),
        max_tokens: 200,
        likely: 0,
        schema: None,
        timeout: Duration::from_secs(10),
    }
}

#[tokio::test]
async fn a_pool_gets_what_the_reader_says_whole_and_in_pieces() {
    let (address, stop, serving) = served(4).await;
    let wanted = OfflineReader::new().answer(Role::Mapper, PROMPT, 200);
    for stream in [true, false] {
        let options = Options {
            stream,
            ..Options::one_node(NAME, format!("http://{address}"))
        };
        let pool = Pool::new(options, &Registry::new()).unwrap();
        let reply = pool.chat(&request()).await.unwrap();
        assert_eq!(Some(reply.text), wanted, "streamed: {stream}");
        assert!(reply.usage.tokens_in > 0 && reply.usage.tokens_out > 0);
    }
    stop.cancel();
    serving.await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err(), "it has ended");
}

#[tokio::test]
async fn what_is_wrong_is_said_in_the_shape_of_an_error() {
    let (address, _stop, _serving) = served(4).await;
    let chat = "POST /v1/chat/completions";
    let too_large = vec![b' '; BODY_BYTES_MAX + 1];
    for (head, body, status, code) in [
        (chat, b"{" as &[u8], 400, "bad_body"),
        (
            chat,
            br#"{"model":"gpt","messages":[]}"#,
            404,
            "model_not_found",
        ),
        (chat, br#"{"messages":[],"n":2}"#, 400, "bad_n"),
        (
            chat,
            br#"{"messages":[{"role":"user","content":"hello"}]}"#,
            400,
            "no_sections",
        ),
        (chat, &too_large, 413, "body_too_large"),
        ("GET /v1/embeddings", b"", 404, "not_found"),
        ("GET /v1/chat/completions", b"", 404, "not_found"),
    ] {
        let (got, answer) = exchange(address, head, body).await;
        assert_eq!(got, status, "{code}: {answer}");
        let wanted = format!("\"code\":\"{code}\"");
        assert!(answer.contains(&wanted), "{code}: {answer}");
    }
    let (status, answer) = exchange(address, "GET /v1/models", b"").await;
    assert!(status == 200 && answer.contains(NAME), "{answer}");
}

#[tokio::test]
async fn who_comes_on_top_is_told_so_and_who_is_inside_is_answered_after_the_stop() {
    let (address, stop, serving) = served(1).await;
    let body = serde_json::json!({"messages": [{"role": "user", "content": PROMPT}]}).to_string();
    // Inside, with half of the body still to come.
    let mut inside = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}",
        body.len(),
        &body[..10]
    );
    inside.write_all(head.as_bytes()).await.unwrap();
    let busy = async {
        loop {
            let (status, answer) =
                exchange(address, "POST /v1/chat/completions", body.as_bytes()).await;
            if status == 429 {
                return answer;
            }
            tokio::task::yield_now().await;
        }
    };
    let answer = tokio::time::timeout(Duration::from_secs(5), busy)
        .await
        .unwrap();
    assert!(answer.to_lowercase().contains("retry-after: 1"), "{answer}");
    stop.cancel();
    inside.write_all(&body.as_bytes()[10..]).await.unwrap();
    let mut answer = String::new();
    inside.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("31 May 2027"), "{answer}");
    serving.await.unwrap().unwrap();
}
