//! Clients that hang up: what nobody can come back for is cancelled, and what somebody can goes on.

use crate::http::begin;
use crate::stand::open;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bus::{Bus, Publish, Stream};
use door::Options;
use envelope::{Header, Outcome, Role, Terminal, TurnId, subject};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// The terminal event of the turn of a client that asks with these headers and hangs up, before or after a gateway has
/// taken its question; nobody answers it.
async fn hung_up(headers: &[&str], is_taken: bool, wait: Duration) -> Option<Terminal> {
    let bus: Arc<dyn Bus> = MemoryBus::new(&Topology::default());
    let (at, stop, served) = open(bus.clone(), Options::default()).await;
    let asked = json!({"model": "argosy", "stream": true, "messages": [{"role": "user", "content": "Who?"}]});
    let asked = asked.to_string();
    let mut client = begin(at, "POST", "/v1/chat/completions", headers, &asked).await;
    let mut some = [0; 64];
    assert!(client.read(&mut some).await.unwrap() > 0);
    let turn = in_inbox(&*bus).await;
    if is_taken {
        take(&*bus, &turn).await;
    }
    drop(client);
    if !is_taken {
        // The first try to cancel it finds no turn.
        tokio::time::sleep(Duration::from_millis(200)).await;
        take(&*bus, &turn).await;
    }
    let until = tokio::time::Instant::now() + wait;
    let mut ended = None;
    while ended.is_none() && tokio::time::Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(20)).await;
        ended = bus
            .last(Stream::Answers, &subject::answer(&turn))
            .await
            .unwrap();
    }
    stop.cancel();
    served.await.unwrap();
    ended.map(|stored| envelope::decode(&stored.body).unwrap())
}

/// The turn whose question is in the inbox.
async fn in_inbox(bus: &dyn Bus) -> TurnId {
    let question = tokio::time::timeout(PATIENCE, async {
        loop {
            if let Some(stored) = bus.last(Stream::Inbox, subject::QUERY).await.unwrap() {
                return stored;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    let question: Value = serde_json::from_slice(&question.await.unwrap().body).unwrap();
    TurnId::new(question["id"].as_str().unwrap()).unwrap()
}

/// Does what a gateway begins with: stores the timer of the turn.
async fn take(bus: &dyn Bus, turn: &TurnId) {
    let header = Header::of(turn.clone(), Role::Planner, 0, bus.now());
    let timer = serde_json::to_vec(&header).unwrap();
    let timer = Publish::new(subject::timer(turn), timer.into());
    bus.publish(timer).await.unwrap();
}

#[tokio::test]
async fn what_nobody_can_come_back_for_is_cancelled() {
    for is_taken in [true, false] {
        let ended = hung_up(&[], is_taken, PATIENCE).await.expect("an end");
        assert_eq!(ended.outcome, Outcome::Cancelled);
    }
    // A client that names its request may send it again.
    let named = ["Idempotency-Key: k1"];
    assert_eq!(hung_up(&named, true, Duration::from_secs(1)).await, None);
}
