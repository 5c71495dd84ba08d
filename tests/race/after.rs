//! Tests many questions of one conversation at once, and questions that name the turn that they have to follow.

use crate::between::{Between, Do};
use crate::conversation::{is_event, stall};
use crate::talk::{Told, all_ended, assert_sound, ids, log, say, say_with, talkers};
use crate::world::{On, World, turn, until};
use bus::{Bus, Publish, Stream};
use envelope::{Outcome, Terminal, subject};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Questions that are asked in the wrong order are opened in the right one.
pub(crate) async fn a_question_comes_after_the_one_that_it_names(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _gateways = [world.gateway(), world.gateway()];
    let _staff = talkers(&world, &told);
    for (id, after) in [("a3", "a2"), ("a2", "a1")] {
        let with = json!({"after": after});
        world
            .ask(say_with("talk", id, &format!("{id}?"), with))
            .await;
    }
    world.quiet().await;
    assert_eq!(log(&world, "talk").await, [""; 0]);
    world.ask(say("talk", "a1", "a1?")).await;
    all_ended(&world, "talk", 3).await;
    let log = log(&world, "talk").await;
    let opened: Vec<&String> = log.iter().filter(|e| e.starts_with("opened")).collect();
    assert_eq!(opened, ["opened a1", "opened a2", "opened a3"]);
    assert_sound(&world, &told).await;
    assert_eq!(told.of(&turn("a3")), ["a1?=re a1?", "a2?=re a2?"]);

    // One that has ended long ago has come, too.
    let with = json!({"after": "a1"});
    world.ask(say_with("talk", "a4", "a4?", with)).await;
    assert_eq!(world.end(&turn("a4")).await.outcome, Outcome::Answered);
}

pub(crate) async fn what_never_comes_is_waited_for_until_the_deadline(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _gateway = world.gateway();
    let _staff = talkers(&world, &told);
    let with = json!({"after": "nobody", "deadline": "2s"});
    world.ask(say_with("talk", "a1", "a1?", with)).await;
    let end = world.end(&turn("a1")).await;
    assert_eq!(end.outcome, Outcome::Expired);
    let why = end.error.unwrap().message;
    assert!(why.contains("never came"), "{why}");
    assert_eq!(log(&world, "talk").await, [""; 0]);
}

/// Asks so many questions of one conversation as fast as they are taken.
async fn flood(world: &World, count: usize) {
    for id in ids("q", count) {
        let question = say("talk", id.as_str(), &format!("{id}?")).to_string();
        let message = Publish::new(subject::QUERY, question.into());
        world.bus.publish(message).await.unwrap();
    }
}

/// Far more questions than may wait: each is answered, or told that the conversation is busy.
pub(crate) async fn a_thousand_questions_at_once_all_end(on: On) {
    const COUNT: usize = 1_000;
    let world = World::new(on).await;
    let told = Told::default();
    let _gateways = [world.gateway(), world.gateway()];
    let _staff = talkers(&world, &told);
    flood(&world, COUNT).await;
    let answers = "argosy.answer.*";
    until("an end of each", async || {
        world.bus.count(Stream::Answers, answers).await.unwrap() == COUNT as u64
    })
    .await;
    let mut answered = 0;
    for stored in world.all(Stream::Answers).await {
        let end: Terminal = envelope::decode(&stored.body).unwrap();
        match end.outcome {
            Outcome::Answered => answered += 1,
            _ => assert_eq!(end.error.unwrap().code, "conversation_busy"),
        }
    }
    assert!((5..COUNT).contains(&answered), "{answered} were answered");
    all_ended(&world, "talk", answered).await;
    assert_sound(&world, &told).await;
}

/// The log of a conversation is slow, and more questions of it are asked than a gateway has slots: questions of other
/// conversations do not wait for it.
pub(crate) async fn a_crowd_at_one_conversation_holds_up_no_other(on: On) {
    const COUNT: usize = 300;
    let world = World::new(on).await;
    let told = Told::default();
    let gate = Arc::new(Semaphore::new(0));
    let held = gate.clone();
    let between = Between::new(&world.bus, move |message| {
        stall(is_event(message, "opened"), Do::Hold(held.clone()))
    });
    let bus: Arc<dyn Bus> = between.clone();
    let _gateway = world.gateway_with(&bus, |_| {});
    let _staff = talkers(&world, &told);
    flood(&world, COUNT).await;
    between.meddled(1).await;
    world
        .ask(json!({"question": "alone?", "id": "alone"}))
        .await;
    let alone = world.end(&turn("alone")).await;
    assert_eq!(alone.outcome, Outcome::Answered);
    assert_eq!(log(&world, "talk").await, [""; 0]);
    gate.add_permits(10 * COUNT);
    until("an end of each", async || {
        let answers = world.bus.count(Stream::Answers, "argosy.answer.*");
        answers.await.unwrap() == COUNT as u64 + 1
    })
    .await;
    let log = log(&world, "talk").await;
    let answered = log
        .iter()
        .filter(|event| event.starts_with("opened"))
        .count();
    assert!((1..=6).contains(&answered), "{answered} were answered");
    all_ended(&world, "talk", answered).await;
    assert_sound(&world, &told).await;
}
