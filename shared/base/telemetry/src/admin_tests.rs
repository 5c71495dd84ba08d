//! Tests of the endpoints over real HTTP on the loopback, with a minimal client.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;

const LOCALHOST: &str = "127.0.0.1:0";

/// An answer of the endpoints, as far as tests look at it.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

async fn fetch(addr: SocketAddr, path: &str) -> Answer {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: admin\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    Answer {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head: head.to_lowercase(),
        body: body.to_owned(),
    }
}

async fn served(health: &Health, registry: &Registry) -> (BoundAdmin, CancellationToken) {
    let shutdown = CancellationToken::new();
    let addr = LOCALHOST.parse().unwrap();
    let admin = Admin::serve(addr, health.clone(), registry.clone(), shutdown.clone());
    (admin.await.unwrap(), shutdown)
}

#[tokio::test]
async fn readiness_is_told_with_every_reason() {
    let health = Health::new(&["nats"]);
    let (admin, shutdown) = served(&health, &Registry::new()).await;
    let ready = async || {
        let answer = fetch(admin.local_addr, "/readyz").await;
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        (answer.status, body)
    };
    health.not_ready("consumer", "not bound yet");
    let waiting = json!({
        "ready": false, "draining": false, "started": false,
        "conditions": {
            "consumer": {"ready": false, "reason": "not bound yet"},
            "nats": {"ready": false, "reason": "starting"},
        },
    });
    assert_eq!(ready().await, (503, waiting));
    assert_eq!(fetch(admin.local_addr, "/startupz").await.status, 503);
    health.ready("nats");
    health.ready("consumer");
    assert_eq!(ready().await.0, 200);
    assert_eq!(fetch(admin.local_addr, "/startupz").await.status, 200);
    health.drain();
    let (status, body) = ready().await;
    assert_eq!((status, &body["draining"]), (503, &json!(true)));
    assert_eq!(fetch(admin.local_addr, "/startupz").await.status, 200);
    shutdown.cancel();
    admin.join().await.unwrap();
}

#[tokio::test]
async fn metrics_are_prometheus_text() {
    let registry = Registry::for_process("mapper", "0.1.0", "abc").unwrap();
    let name = "argosy_messages_received_total";
    let family = registry.counter(name, "Messages.", &["role"]).unwrap();
    family.with_label_values(&["mapper"]).inc();
    let (admin, shutdown) = served(&Health::new(&[]), &registry).await;
    let answer = fetch(admin.local_addr, "/metrics").await;
    assert_eq!(answer.status, 200);
    assert!(
        answer
            .head
            .contains("content-type: text/plain; version=0.0.4")
    );
    assert!(
        answer
            .body
            .contains(&format!("{name}{{role=\"mapper\"}} 1"))
    );
    assert!(answer.body.contains("argosy_build_info"));
    assert_eq!(fetch(admin.local_addr, "/nothing").await.status, 404);
    shutdown.cancel();
    admin.join().await.unwrap();
}

async fn is_waiting(future: impl Future<Output = ()>) -> bool {
    tokio::time::timeout(Duration::ZERO, future).await.is_err()
}

#[tokio::test]
async fn who_waits_for_a_scrape_is_told_of_the_next_one_alone() {
    let (admin, shutdown) = served(&Health::new(&[]), &Registry::new()).await;
    fetch(admin.local_addr, "/metrics").await;
    let mut again = Box::pin(admin.scraped_again());
    assert!(is_waiting(again.as_mut()).await);
    fetch(admin.local_addr, "/livez").await;
    assert!(is_waiting(again.as_mut()).await);
    fetch(admin.local_addr, "/metrics").await;
    again.await;
    shutdown.cancel();
    admin.join().await.unwrap();
}

#[tokio::test]
async fn alive_whatever_the_conditions_say() {
    let health = Health::new(&["nats"]);
    let (admin, shutdown) = served(&health, &Registry::new()).await;
    assert_eq!(fetch(admin.local_addr, "/livez").await.status, 200);
    shutdown.cancel();
    admin.join().await.unwrap();
}

#[tokio::test]
async fn not_alive_when_the_heartbeat_is_silent_for_too_long() {
    // Served without a heartbeat task, and no silence is allowed.
    let shutdown = CancellationToken::new();
    let (listener, addr) = bind(LOCALHOST.parse().unwrap()).await.unwrap();
    let routes = router(Shown {
        health: Health::new(&[]),
        registry: Registry::new(),
        scraped: watch::channel(0).0,
        silence_max: Duration::ZERO,
    });
    let server = tokio::spawn(run(listener, routes, shutdown.clone()));
    assert_eq!(fetch(addr, "/livez").await.status, 503);
    shutdown.cancel();
    server.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_heartbeat_beats_until_shutdown() {
    let health = Health::new(&[]);
    let shutdown = CancellationToken::new();
    let heartbeat = tokio::spawn(beat(health.clone(), shutdown.clone()));
    // Time is paused: sleeping moves the clock, and every tick on the way is run.
    tokio::time::sleep(Duration::from_secs(120)).await;
    assert!(health.is_alive(Instant::now(), HEARTBEAT_MAX));
    shutdown.cancel();
    heartbeat.await.unwrap();
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert!(!health.is_alive(Instant::now(), HEARTBEAT_MAX));
}

#[tokio::test]
async fn a_taken_port_is_named_with_the_fix() {
    let taken = TcpListener::bind(LOCALHOST).await.unwrap();
    let addr = taken.local_addr().unwrap();
    let token = CancellationToken::new();
    let refused = Admin::serve(addr, Health::new(&[]), Registry::new(), token).await;
    assert_eq!(
        refused.unwrap_err().to_string(),
        format!(
            "the admin port `{}` on `127.0.0.1` is taken: stop the process that listens there, or \
             set another port (0 takes any free one)",
            addr.port()
        )
    );
}

#[tokio::test]
async fn an_idle_connection_does_not_hold_the_shutdown() {
    let (admin, shutdown) = served(&Health::new(&[]), &Registry::new()).await;
    let addr = admin.local_addr;
    let _idle = TcpStream::connect(addr).await.unwrap();
    assert_eq!(fetch(addr, "/livez").await.status, 200);
    shutdown.cancel();
    admin.join().await.unwrap();
    assert!(TcpStream::connect(addr).await.is_err(), "nobody listens");
}
