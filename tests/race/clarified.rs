//! Tests questions back in a conversation: the next message counts as the reply, only once, and the turn goes on with
//! the original question.

use crate::talk::{Told, UNCLEAR, all_ended, assert_sound, say, say_with, talkers};
use crate::world::{On, World, turn};
use envelope::{Outcome, Terminal};
use serde_json::json;

fn code(terminal: &Terminal) -> &str {
    terminal.error.as_ref().map_or("", |problem| &problem.code)
}

/// The next message is the reply. It goes on with the question that was asked back about, and with that question's
/// conditions.
pub(crate) async fn the_next_message_answers_a_question_back(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _gateway = world.gateway();
    let _staff = talkers(&world, &told);
    let with = json!({"filters": {"year": 2023, "month": 5}});
    world.ask(say_with("talk", "a1", UNCLEAR, with)).await;
    let asked_back = world.end(&turn("a1")).await;
    assert_eq!(asked_back.outcome, Outcome::Clarification);
    all_ended(&world, "talk", 1).await;
    let with = json!({"filters": {"year": 2024}});
    world.ask(say_with("talk", "a2", "that one", with)).await;
    let end = world.end(&turn("a2")).await;
    let merged = "which? - User clarified: that one";
    assert_eq!(end.answer, Some(format!("re {merged}")));
    assert_eq!(
        (end.parent, end.rewritten.as_deref()),
        (Some(turn("a1")), Some(merged))
    );
    all_ended(&world, "talk", 2).await;
    assert_sound(&world, &told).await;
    let first = world.step_stored(&turn("a2"), "planner 1").await;
    let first: serde_json::Value = serde_json::from_slice(&first.body).unwrap();
    let filter = first["case"]["filter"].to_string();
    assert!(
        filter.contains("2024") && filter.contains("month") && !filter.contains("2023"),
        "{filter}"
    );
    world.ask(say("talk", "a3", "and now?")).await;
    assert_eq!(world.end(&turn("a3")).await.parent, None);
}

/// Two replies name the same question back: one of them is late.
pub(crate) async fn a_question_back_is_answered_once(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _gateways = [world.gateway(), world.gateway()];
    let _staff = talkers(&world, &told);
    world.ask(say("talk", "a1", UNCLEAR)).await;
    all_ended(&world, "talk", 1).await;
    for id in ["b1", "b2", "b3"] {
        let with = json!({"reply_to_clarification": "a1"});
        world.ask(say_with("talk", id, "this one", with)).await;
    }
    let mut answered = 0;
    for id in ["b1", "b2", "b3"] {
        let end = world.end(&turn(id)).await;
        match end.outcome {
            Outcome::Answered => answered += 1,
            _ => assert_eq!(
                (end.outcome, code(&end)),
                (Outcome::Refused, "clarification_answered")
            ),
        }
    }
    assert_eq!(answered, 1);
    let elsewhere = json!({"id": "c1", "question": UNCLEAR});
    world.ask(elsewhere).await;
    world.end(&turn("c1")).await;
    for (id, named) in [("b4", "nowhere"), ("b5", "c1"), ("b6", "b1")] {
        let with = json!({"reply_to_clarification": named});
        world.ask(say_with("talk", id, "this one", with)).await;
        let end = world.end(&turn(id)).await;
        let refused = (Outcome::Refused, "clarification_unknown");
        assert_eq!((end.outcome, code(&end)), refused, "{named}");
    }
    assert_sound(&world, &told).await;
}

/// Outside of a conversation a reply names the turn that it answers. One of several replies goes on with it, and when
/// that reply's turn comes to nothing, the next one may.
pub(crate) async fn a_reply_without_a_conversation_names_what_it_answers(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _gateways = [world.gateway(), world.gateway()];
    let staff = talkers(&world, &told);
    let filters = json!({"year": 2023});
    world
        .ask(json!({"id": "a1", "question": UNCLEAR, "filters": filters}))
        .await;
    let asked_back = world.end(&turn("a1")).await;
    assert_eq!(asked_back.outcome, Outcome::Clarification);
    for hand in staff {
        hand.kill().await;
    }
    let reply = |id: &str, tenant: &str| {
        let named = json!({"id": id, "question": "this one", "reply_to_clarification": "a1"});
        let mut named = named;
        named["tenant"] = tenant.into();
        named
    };
    for (id, tenant, wanted) in [
        ("x1", "other", "clarification_unknown"),
        ("b1", "default", ""),
        ("b2", "default", "clarification_answered"),
    ] {
        world.ask(reply(id, tenant)).await;
        match wanted {
            "" => drop(world.step_stored(&turn(id), "planner 0").await),
            wanted => {
                let end = world.end(&turn(id)).await;
                assert_eq!((end.outcome, code(&end)), (Outcome::Refused, wanted));
            }
        }
    }
    streams::client::cancel(&*world.bus, &turn("b1"))
        .await
        .unwrap();
    let _staff = talkers(&world, &told);
    world.ask(reply("b3", "default")).await;
    let end = world.end(&turn("b3")).await;
    assert_eq!(
        end.answer.as_deref(),
        Some("re which? - User clarified: this one")
    );
    assert_eq!(end.parent, Some(turn("a1")));
}
