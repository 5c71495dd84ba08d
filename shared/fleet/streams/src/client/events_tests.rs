//! Tests of following a turn: live, with what was missed, and again from a number.

use super::*;
use crate::client::draft::tests::entry;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bus::{Publish, WriteCondition};
use envelope::{Header, Outcome, TenantId, UnixMs};

fn turn() -> TurnId {
    TurnId::new("t1").unwrap()
}

fn tenant() -> TenantId {
    TenantId::default_tenant()
}

fn trail(hops: &[u16]) -> Vec<TrailEntry> {
    let role = |hop| match hop {
        0 => Role::Planner,
        1 => Role::Retriever,
        4 => Role::Reducer,
        _ => Role::Validator,
    };
    hops.iter().map(|hop| entry(role(*hop), *hop)).collect()
}

fn ended(hops: &[u16]) -> Terminal {
    let mut ended = Terminal::bare(turn(), tenant(), Outcome::Answered, UnixMs(9));
    ended.trail = trail(hops);
    ended
}

async fn tell(bus: &MemoryBus, subject: String, body: Vec<u8>) {
    bus.broadcast(CoreMessage::new(subject, body))
        .await
        .unwrap();
}

async fn tell_step(bus: &MemoryBus, entry: &TrailEntry) {
    let live = Subject::Live { turn: turn() }.to_string();
    tell(bus, live, serde_json::to_vec(entry).unwrap()).await;
}

/// The stored step of a hop, which brings this trail.
async fn store_step(bus: &MemoryBus, role: &str, hop: u16, known: &[u16]) {
    let header = Header::of(turn(), Role::Planner, hop, UnixMs(1));
    let body = serde_json::json!({"v": 1, "header": header, "case": {}, "trail": trail(known), "payload": {}});
    let subject = format!("argosy.step.0.{role}.t1.{hop}");
    bus.publish(Publish::new(subject, body.to_string().into_bytes().into()))
        .await
        .unwrap();
}

async fn store_end(bus: &MemoryBus, ended: &Terminal) {
    let body = envelope::encode(ended).unwrap();
    bus.publish(Publish::new(subject::answer(&turn()), body))
        .await
        .unwrap();
}

async fn store_timer(bus: &MemoryBus) {
    let header = Header::of(turn(), Role::Planner, 0, UnixMs(1));
    let mut timer = Publish::new(
        subject::timer(&turn()),
        serde_json::to_vec(&header).unwrap().into(),
    );
    timer.condition = WriteCondition::Absent;
    bus.publish(timer).await.unwrap();
}

/// What comes until the end: numbers of steps, and `end`.
async fn all(events: &mut TurnEvents) -> Vec<String> {
    let mut told = Vec::new();
    while let Some(event) = events.next().await.unwrap() {
        match event {
            TurnEvent::Step(n, _) => told.push(n.to_string()),
            TurnEvent::End(_) => told.push("end".into()),
            other => told.push(format!("{other:?}")),
        }
    }
    told
}

fn bus() -> Arc<MemoryBus> {
    MemoryBus::new(&Topology::default())
}

#[tokio::test(start_paused = true)]
async fn a_step_that_was_not_heard_is_read_and_none_is_told_twice() {
    let bus = bus();
    let mut events = TurnEvents::begin(&Ends::new(bus.clone()), turn(), true)
        .await
        .unwrap();
    for hop in [0, 0, 4] {
        tell_step(&bus, &trail(&[hop])[0]).await;
    }
    // What the retriever did, nobody heard.
    store_step(&bus, "scatter", 2, &[0, 1]).await;
    tell(
        &bus,
        events.reply().unwrap().to_owned(),
        envelope::encode(&ended(&[0, 1, 4, 5])).unwrap().to_vec(),
    )
    .await;
    assert_eq!(all(&mut events).await, ["1", "2", "5", "6", "end"]);
}

#[tokio::test(start_paused = true)]
async fn it_is_taken_up_behind_any_number() {
    let hops = [0, 1, 4, 5];
    let whole = ["1", "2", "5", "6", "end"];
    for (seen, after) in [(0, 0), (1, 1), (2, 2), (2, 4), (3, 5), (4, 6)] {
        let bus = bus();
        store_end(&bus, &ended(&hops)).await;
        let mut events = TurnEvents::resume(bus, turn(), &tenant().into(), after)
            .await
            .unwrap();
        assert_eq!(all(&mut events).await, whole[seen..], "after {after}");
    }
    // In the middle of it, by another process.
    let bus = bus();
    store_timer(&bus).await;
    store_step(&bus, "scatter", 2, &[0, 1]).await;
    let mut events = TurnEvents::resume(bus.clone(), turn(), &tenant().into(), 1)
        .await
        .unwrap();
    store_end(&bus, &ended(&hops)).await;
    assert_eq!(all(&mut events).await, whole[1..]);
}

#[tokio::test(start_paused = true)]
async fn a_turn_of_another_tenant_is_none() {
    let bus = bus();
    let other = TenantId::new("other").unwrap();
    let refused = |resumed: Result<TurnEvents, Error>| matches!(resumed, Err(Error::NoTurn(_)));
    assert!(refused(
        TurnEvents::resume(bus.clone(), turn(), &tenant().into(), 0).await
    ));
    store_timer(&bus).await;
    assert!(refused(
        TurnEvents::resume(bus.clone(), turn(), &other.clone().into(), 0).await
    ));
    store_end(&bus, &ended(&[0])).await;
    assert!(refused(
        TurnEvents::resume(bus, turn(), &other.clone().into(), 0).await
    ));
}

#[tokio::test(start_paused = true)]
async fn a_draft_is_told_as_what_is_new() {
    let bus = bus();
    let mut events = TurnEvents::begin(&Ends::new(bus.clone()), turn(), true)
        .await
        .unwrap();
    let live = Subject::Live { turn: turn() }.to_string();
    for (draft, n, text) in [
        (0, 0, "It "),
        (0, 1, "is 9"),
        (1, 2, ""),
        (1, 3, "It was 8"),
    ] {
        let piece = LiveText {
            role: Role::Reducer,
            hop: 4,
            attempt: 1,
            draft,
            n,
            text: text.into(),
        };
        tell(&bus, live.clone(), serde_json::to_vec(&piece).unwrap()).await;
    }
    let mut told = Vec::new();
    for _ in 0..4 {
        told.push(events.next().await.unwrap().unwrap());
    }
    let draft = |text: &str| TurnEvent::Draft(text.into());
    assert_eq!(
        told,
        [
            draft("It "),
            draft("is 9"),
            TurnEvent::Reset,
            draft("It was 8")
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_end_of_another_question_under_the_id_is_not_taken() {
    let bus = bus();
    let mut other = ended(&[0]);
    other.question_hash = "other".into();
    store_end(&bus, &other).await;
    let events = TurnEvents::begin(&Ends::new(bus.clone()), turn(), true)
        .await
        .unwrap();
    let mut events = events.only("mine".into());
    let soon = tokio::time::timeout(Duration::from_secs(60), events.next());
    assert!(soon.await.is_err());
    // A gateway refuses it, however late it comes to that.
    let mut refused = ended(&[]);
    refused.outcome = Outcome::Refused;
    let body = envelope::encode(&refused).unwrap();
    tell(&bus, events.reply().unwrap().to_owned(), body.to_vec()).await;
    let end = TurnEvent::End(Box::new(refused));
    assert_eq!(events.next().await.unwrap(), Some(end));
}

#[tokio::test(start_paused = true)]
async fn each_who_asked_hears_its_own_end_and_who_takes_the_turn_up_hears_it_too() {
    let bus = bus();
    let ends = Ends::new(bus.clone());
    let mut events = Vec::new();
    for _ in 0..3 {
        events.push(TurnEvents::begin(&ends, turn(), false).await.unwrap());
    }
    store_timer(&bus).await;
    let resumed = TurnEvents::resume(bus.clone(), turn(), &tenant().into(), 0).await;
    let mut resumed = resumed.unwrap();
    let replies: Vec<_> = events
        .iter()
        .map(|one| one.reply().unwrap().to_owned())
        .collect();
    // What is told to one that has gone is nobody's, and a refusal is for its own asker alone.
    drop(events.remove(0));
    let mut refused = ended(&[]);
    refused.outcome = Outcome::Refused;
    for (reply, end) in replies.iter().zip([&refused, &refused, &ended(&[0])]) {
        tell(&bus, reply.clone(), envelope::encode(end).unwrap().to_vec()).await;
    }
    let end = |of| Some(TurnEvent::End(Box::new(of)));
    assert_eq!(events[0].next().await.unwrap(), end(refused));
    for events in [&mut events[1], &mut resumed] {
        assert_eq!(all(events).await, ["1", "end"]);
    }
}

/// Nobody delivers it: the stream of answers has it.
#[tokio::test(start_paused = true)]
async fn an_end_that_was_not_delivered_is_found() {
    let bus = bus();
    let ends = Ends::new(bus.clone());
    let mut events = TurnEvents::begin(&ends, turn(), false).await.unwrap();
    store_end(&bus, &ended(&[0])).await;
    assert_eq!(all(&mut events).await, ["1", "end"]);
}
