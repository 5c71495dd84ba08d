//! Tests that a publish that is refused does not count as stored: neither when another write is in flight, nor when
//! the stream is full.

use crate::between::{Between, Do};
use crate::script::{planner, usual};
use crate::world::{On, World, until};
use bus::{Bus, Publish, PublishError, Stream};
use envelope::{Outcome, Role, TurnId};
use serde_json::json;
use settings::ByteSize;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The messages that a turn with three passages and no detours leaves in the steps stream.
pub(crate) const STRAIGHT: [&str; 11] = [
    "mapper 3.0",
    "mapper 3.1",
    "mapper 3.2",
    "part 3.0",
    "part 3.1",
    "part 3.2",
    "planner 0",
    "reducer 4",
    "retriever 1",
    "scatter 2",
    "validator 5",
];

/// Every create-once publish of a turn finds a write in flight three times (10164), and is repeated.
pub(crate) async fn a_conflict_in_flight_is_repeated(on: On) {
    let world = World::new(on).await;
    let refused: Mutex<HashMap<String, usize>> = Mutex::default();
    let between = Between::new(&world.bus, move |message| {
        if !message.subject.starts_with("argosy.step") && !message.subject.contains(".answer.") {
            return Do::Pass;
        }
        let mut refused = refused.lock().unwrap();
        let times = refused.entry(message.subject.clone()).or_default();
        *times += 1;
        match *times {
            ..=3 => Do::Fail(PublishError::Conflict),
            _ => Do::Pass,
        }
    });
    let bus: Arc<dyn Bus> = between.clone();
    let _gateway = world.gateway_with(&bus, |_| {});
    let _staff: Vec<_> = Role::THINKING
        .into_iter()
        .map(|role| world.hire(&usual(role)).on(bus.clone()).start())
        .collect();
    let id = world.ask(json!({"question": "q", "id": "conflict"})).await;
    assert_eq!(world.end(&id).await.outcome, Outcome::Answered);
    assert_eq!(world.steps(&id).await, STRAIGHT);
    assert_eq!(world.ends(&id).await, 1);
    for name in [
        ".planner.conflict.0",
        ".scatter.conflict.2",
        ".mapper.conflict.3.1",
    ] {
        let tried = between.tried(name);
        assert!(tried.len() >= 4, "{name} was tried {} times", tried.len());
    }
    assert!(world.all(Stream::Dead).await.is_empty());
}

/// The steps stream is full (10077): the decision does not count as stored, the step is not acked, and everything
/// goes on when there is room.
pub(crate) async fn a_full_stream_is_not_taken_for_a_failed_condition(on: On) {
    let world = World::with(on, |topology| {
        topology.steps_bytes = ByteSize::from_bytes(256 * 1024)
    })
    .await;
    let gateway = world.gateway();
    let id = world.ask(json!({"question": "q", "id": "full"})).await;
    world.step_stored(&id, "planner 0").await;
    drop(gateway);
    fill(&*world.bus, Duration::from_secs(5)).await;

    let planner = planner();
    let between = Between::new(&world.bus, |_| Do::Pass);
    let first = world.hire(&planner).on(between.clone()).start();
    until("a publish repeated", async || {
        let tried = between.tried(".retriever.full.1");
        tried
            .iter()
            .filter(|(_, came)| *came == Some(Err(PublishError::Full)))
            .count()
            > 2
    })
    .await;
    assert_eq!(world.steps(&id).await, ["planner 0"]);
    first.kill().await;

    // It was not acked: another planner gets it, and has to decide anew.
    let _second = world.hire(&planner).start();
    until("a second delivery", async || planner.calls() == 2).await;
    world.step_stored(&id, "retriever 1").await;
    let _gateway = world.gateway();
    let _staff = world.staff(&[
        Role::Retriever,
        Role::Mapper,
        Role::Reducer,
        Role::Validator,
    ]);
    assert_eq!(world.end(&id).await.outcome, Outcome::Answered);
    assert_eq!(world.steps(&id).await, STRAIGHT);
    assert!(world.all(Stream::Dead).await.is_empty());
}

/// Fills the steps stream with messages that expire after a while.
async fn fill(bus: &dyn Bus, leaves: Duration) {
    let mut n = 0;
    for size in [32 * 1024, 4 * 1024, 256, 1] {
        loop {
            n += 1;
            let filler = Publish {
                ttl: Some(leaves),
                ..Publish::new(
                    format!("argosy.part.0.filler.1.{n}"),
                    vec![b'x'; size].into(),
                )
            };
            match bus.publish(filler).await {
                Ok(_) => {}
                Err(PublishError::Full) => break,
                Err(other) => panic!("{other}"),
            }
        }
    }
}

/// Two workers of each role on three replicas, and twelve questions at once: each turn is the straight one. Only a
/// cluster has writes in flight, so this test does not exist for the memory bus.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turns_on_three_replicas() {
    let world = World::cluster().await;
    let _gateways = [world.gateway(), world.gateway()];
    let _staff = [world.staff(&Role::THINKING), world.staff(&Role::THINKING)];
    let mut turns: Vec<TurnId> = Vec::new();
    for n in 0..12 {
        let question = json!({"question": "q", "id": format!("replicas-{n}")});
        turns.push(world.ask(question).await);
    }
    for id in &turns {
        assert_eq!(world.end(id).await.outcome, Outcome::Answered);
        assert_eq!(world.steps(id).await, STRAIGHT);
    }
    assert_eq!(world.all(Stream::Answers).await.len(), turns.len());
    assert_eq!(world.all(Stream::Dead).await.len(), 0);
}
