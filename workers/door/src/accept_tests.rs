//! Tests of connections: slow ones, idle ones, too many of them, both versions of HTTP, and the end.

use super::*;
use axum::routing::get;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

/// How long anything may take that has no limit of its own.
const PATIENCE: Duration = Duration::from_secs(20);
const HEAD: Duration = Duration::from_millis(200);
const IDLE: Duration = Duration::from_millis(900);
const GET: &str = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/// A server that says `hello` at `/`, and says it late at `/late`.
struct Served {
    at: SocketAddr,
    stop: CancellationToken,
    served: JoinHandle<io::Result<()>>,
}

impl Served {
    async fn start(connections: usize) -> Served {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let at = listener.local_addr().expect("an address");
        let late = async || {
            tokio::time::sleep(HEAD * 2).await;
            "hello"
        };
        let router = Router::new()
            .route("/", get(async || "hello"))
            .route("/late", get(late));
        let limits = Limits {
            connections,
            head: HEAD,
            idle: IDLE,
        };
        let stop = CancellationToken::new();
        let served = tokio::spawn(serve(listener, router, limits, stop.clone()));
        Served { at, stop, served }
    }

    async fn connect(&self, said: impl AsRef<[u8]>) -> TcpStream {
        let mut client = TcpStream::connect(self.at).await.expect("a connection");
        client.write_all(said.as_ref()).await.expect("sent");
        client
    }

    async fn end(self) {
        self.stop.cancel();
        let ended = timeout(PATIENCE, self.served).await.expect("an end");
        ended.expect("no panic").expect("no failure");
    }
}

/// What comes until it is closed, and how long that took.
async fn all(client: &mut TcpStream) -> (String, Duration) {
    let (begun, mut told) = (Instant::now(), Vec::new());
    let read = timeout(PATIENCE, client.read_to_end(&mut told)).await;
    // One that is closed before all was read is reset.
    let _ = read.expect("it is closed");
    (String::from_utf8(told).expect("text"), begun.elapsed())
}

async fn hello(client: &mut TcpStream) {
    let mut told = String::new();
    while !told.ends_with("hello") {
        let mut some = [0; 512];
        let read = timeout(PATIENCE, client.read(&mut some)).await;
        let read = read.expect("in time").expect("a response");
        assert!(read > 0, "closed after `{told}`");
        told.push_str(&String::from_utf8_lossy(&some[..read]));
    }
}

#[tokio::test]
async fn who_does_not_say_in_time_what_it_wants_is_closed() {
    let served = Served::start(9).await;
    for said in ["", "G", "GET / HTTP/1.1\r\nHost: x\r\nA: b", "PRI * HTTP/2"] {
        let mut client = served.connect(said).await;
        let (told, after) = all(&mut client).await;
        assert_eq!(told, "", "{said}");
        assert!(after > HEAD / 2 && after < IDLE, "{said}: {after:?}");
    }
    // However often it says a little.
    let mut client = served.connect("GET / HTTP/1.1\r\n").await;
    let begun = Instant::now();
    while client.write_all(b"A: b\r\n").await.is_ok() && begun.elapsed() < PATIENCE {
        tokio::time::sleep(HEAD / 10).await;
    }
    assert!(begun.elapsed() < IDLE, "{:?}", begun.elapsed());
    served.end().await;
}

#[tokio::test]
async fn a_request_may_take_longer_than_its_head_and_the_next_one_may_come_later() {
    let served = Served::start(9).await;
    let mut client = served.connect(GET.replace("/ ", "/late ")).await;
    hello(&mut client).await;
    tokio::time::sleep(HEAD).await;
    client.write_all(GET.as_bytes()).await.expect("sent");
    hello(&mut client).await;
    let (told, after) = all(&mut client).await;
    assert_eq!(told, "");
    assert!(after > IDLE / 2, "{after:?}");
    served.end().await;
}

#[tokio::test]
async fn a_head_may_not_be_of_any_length() {
    let served = Served::start(9).await;
    let long = format!(
        "GET / HTTP/1.1\r\nA: {}\r\n\r\n",
        "b".repeat(3 * HEAD_BYTES_MAX)
    );
    let mut client = served.connect(&long).await;
    let (told, _) = all(&mut client).await;
    assert!(
        told.is_empty() || told.starts_with("HTTP/1.1 431 "),
        "{told}"
    );
    served.end().await;
}

#[tokio::test]
async fn of_too_many_connections_one_waits_for_another_to_end() {
    let served = Served::start(1).await;
    let mut first = served.connect(GET).await;
    hello(&mut first).await;
    let mut second = served.connect(GET).await;
    let mut some = [0; 512];
    let early = timeout(HEAD / 2, second.read(&mut some)).await;
    assert!(early.is_err(), "{early:?}");
    drop(first);
    hello(&mut second).await;
    drop(second);
    served.end().await;
}

#[tokio::test]
async fn http2_is_spoken_with_who_begins_with_it() {
    let served = Served::start(9).await;
    let mut client = served.connect(&HTTP2[..10]).await;
    tokio::time::sleep(HEAD / 10).await;
    // The rest, and settings without any: their length, type, flags and stream.
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    client.write_all(&HTTP2[10..]).await.expect("sent");
    client.write_all(&settings).await.expect("sent");
    let mut head = [0; 9];
    let read = timeout(PATIENCE, client.read_exact(&mut head)).await;
    read.expect("in time").expect("a frame");
    assert_eq!(head[3], 4, "{head:?}");
    drop(client);
    served.end().await;
}

/// A request for `/late`, packed (RFC 7541): GET, http, the path, the host `x`.
const LATE_HTTP2: [u8; 21] = [
    0, 0, 12, 1, 5, 0, 0, 0, 1, 0x82, 0x86, 0x04, 5, b'/', b'l', b'a', b't', b'e', 0x41, 1, b'x',
];

#[tokio::test]
async fn a_client_of_http2_that_answers_pings_and_asks_nothing_is_closed() {
    let served = Served::start(9).await;
    let mut client = served.connect(HTTP2).await;
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    client.write_all(&settings).await.expect("sent");
    client.write_all(&LATE_HTTP2).await.expect("sent");
    let begun = Instant::now();
    let (mut has_answer, mut frame) = (false, [0; 9]);
    // Until it is closed: each frame has its length, type, flags and stream.
    while let Ok(Ok(_)) = timeout(PATIENCE, client.read_exact(&mut frame)).await {
        let length = u32::from_be_bytes([0, frame[0], frame[1], frame[2]]) as usize;
        let mut body = vec![0; length];
        client.read_exact(&mut body).await.expect("a frame");
        has_answer |= frame[3] == 0 && body.starts_with(b"hello");
        if frame[3] == 6 && frame[4] == 0 {
            let _ = client.write_all(&[0, 0, 8, 6, 1, 0, 0, 0, 0]).await;
            let _ = client.write_all(&body).await;
        }
    }
    assert!(
        has_answer,
        "the request took longer than the time for a head"
    );
    assert!(
        begun.elapsed() > IDLE && begun.elapsed() < IDLE * 6,
        "{:?}",
        begun.elapsed()
    );
    served.end().await;
}

#[tokio::test]
async fn at_the_end_an_open_request_is_answered_and_idle_connections_are_closed() {
    let served = Served::start(9).await;
    let mut idle = served.connect(GET).await;
    hello(&mut idle).await;
    let mut silent = served.connect("").await;
    let mut open = served.connect(GET.replace("/ ", "/late ")).await;
    tokio::time::sleep(HEAD / 4).await;
    let begun = Instant::now();
    served.end().await;
    assert!(begun.elapsed() < IDLE, "{:?}", begun.elapsed());
    let (told, _) = all(&mut open).await;
    assert!(told.ends_with("hello"), "{told}");
    for client in [&mut idle, &mut silent] {
        assert_eq!(all(client).await.0, "");
    }
}
