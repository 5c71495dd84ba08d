//! Tests consumers that are deleted and created again while turns run. These tests run on a server only, because the
//! consumers of the memory bus cannot be deleted from outside.

use crate::refusals::STRAIGHT;
use crate::script::{Script, read};
use crate::world::{On, World, until};
use bus::{CoreMessage, Headers, Stream};
use bus_nats::{self as nats, Change};
use envelope::{Editions, Outcome, Role, TurnId};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Semaphore;

async fn delete(world: &World, name: &str) {
    let reply = format!("_INBOX.delete.{name}");
    let mut ear = world.listen(&reply).await;
    let request = CoreMessage {
        subject: format!("$JS.API.CONSUMER.DELETE.{name}"),
        reply: Some(reply),
        headers: Headers::default(),
        body: Default::default(),
    };
    world.bus.broadcast(request).await.unwrap();
    let answer = ear.hear().await;
    let answer = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(answer.contains("\"success\":true"), "{answer}");
}

/// All consumers are deleted while one turn has ended and others wait for their mappers. Messages that were not acked
/// come again, and so do acked ones: nothing is lost, and nothing is stored twice.
#[tokio::test]
async fn consumers_made_again_in_the_middle() {
    let world = World::new(On::Nats).await;
    let _gateway = world.gateway();
    let gate = Arc::new(Semaphore::new(0));
    let wait = gate.clone();
    let mapper = Script::new(Role::Mapper, move |call| {
        let wait = wait.clone();
        async move {
            wait.acquire().await.unwrap().forget();
            Ok(read(call.task))
        }
    });
    let _mapper = world.hire(&mapper).start();
    let _staff = world.staff(&[
        Role::Planner,
        Role::Retriever,
        Role::Reducer,
        Role::Validator,
    ]);
    gate.add_permits(3);
    let before = world.ask(json!({"question": "q", "id": "before"})).await;
    assert_eq!(world.end(&before).await.outcome, Outcome::Answered);
    let mut ids: Vec<TurnId> = vec![before];
    for n in 0..3 {
        let question = json!({"question": "q", "id": format!("middle-{n}")});
        ids.push(world.ask(question).await);
    }
    until("all mappers at work", async || mapper.calls() == 12).await;

    for spec in world.topology.consumers(&Editions::default()) {
        delete(&world, &format!("{}.{}", spec.stream.name(), spec.name)).await;
    }
    let bus = world.nats.as_ref().unwrap();
    let changes = nats::setup(bus, &world.topology).await.unwrap();
    let created = changes.iter().filter(|c| matches!(c, Change::Created(_)));
    assert_eq!(
        created.count(),
        world.topology.consumers(&Editions::default()).len()
    );
    gate.add_permits(1_000);
    ids.push(world.ask(json!({"question": "q", "id": "after"})).await);
    for id in &ids {
        assert_eq!(world.end(id).await.outcome, Outcome::Answered);
    }
    world.quiet().await;
    for id in &ids {
        assert_eq!(world.steps(id).await, STRAIGHT, "turn {id}");
    }
    assert_eq!(world.all(Stream::Answers).await.len(), ids.len());
    assert!(world.all(Stream::Dead).await.is_empty());
}
