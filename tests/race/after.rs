//! Many questions of one conversation at once, and questions that name the turn that they come after.

use crate::talk::{Told, all_ended, assert_sound, ids, log, say, say_with, talkers};
use crate::world::{On, World, turn, until};
use bus::{Publish, Stream};
use envelope::{Outcome, Terminal, subject};
use serde_json::json;

/// Asked in the wrong order, they are opened in the right one.
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

/// Far more than may wait: each is answered, or told that the conversation is busy.
pub(crate) async fn a_thousand_questions_at_once_all_end(on: On) {
    const COUNT: usize = 1_000;
    let world = World::new(on).await;
    let told = Told::default();
    let _gateways = [world.gateway(), world.gateway()];
    let _staff = talkers(&world, &told);
    for id in ids("q", COUNT) {
        let question = say("talk", id.as_str(), &format!("{id}?")).to_string();
        let message = Publish::new(subject::QUERY, question.into());
        world.bus.publish(message).await.unwrap();
    }
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
