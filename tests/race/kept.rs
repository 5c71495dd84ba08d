//! Tests conversations some of whose events have expired from the stream: the next answer says so. *Not* here: a turn
//! whose own beginning has expired, which fails (`conversation`).

use crate::talk::{Told, UNCLEAR, all_ended, log, say, say_with, talkers};
use crate::world::{On, World, turn, until};
use envelope::{Fallback, Outcome, Terminal};
use serde_json::json;
use settings::TimeSpan;

/// Asks a question of the conversation, and returns its answer once the log has both.
async fn exchange(world: &World, id: &str) -> Terminal {
    world.ask(say("talk", id, &format!("{id}?"))).await;
    let ended = format!("ended {id} answered");
    until(&ended, async || log(world, "talk").await.contains(&ended)).await;
    world.end(&turn(id)).await
}

fn fallbacks(terminal: &Terminal) -> Vec<Fallback> {
    let entries = terminal.trail.iter();
    entries.flat_map(|entry| entry.fallbacks.clone()).collect()
}

/// Two turns are kept: the third answer says that there is a limit, and the fourth that the first turn is gone. The
/// third turn still has that turn's end, which repeats its question.
pub(crate) async fn an_answer_says_what_is_no_longer_kept_of_its_conversation(on: On) {
    let world = World::with(on, |topology| topology.conversation_events = 4).await;
    let told = Told::default();
    let _gateway = world.gateway();
    let _staff = talkers(&world, &told);
    for id in ["a1", "a2"] {
        let whole = exchange(&world, id).await;
        assert_eq!(
            (whole.notices.len(), fallbacks(&whole)),
            (0, vec![]),
            "{whole:?}"
        );
    }
    let long = exchange(&world, "a3").await;
    assert_eq!(told.of(&turn("a3")), ["a1?=re a1?", "a2?=re a2?"]);
    let limited = Fallback::ConversationTrimmed { turns: 2 };
    assert_eq!(fallbacks(&long), [limited]);
    let lacking = exchange(&world, "a4").await;
    assert_eq!(lacking.outcome, Outcome::Answered);
    assert_eq!(told.of(&turn("a4")), ["a2?=re a2?", "a3?=re a3?"]);
    let wanted = [
        Fallback::ConversationTrimmed { turns: 2 },
        Fallback::HistoryGone { count: 1 },
    ];
    assert_eq!(fallbacks(&lacking), wanted);
    let [limit, gone] = &lacking.notices[..] else {
        panic!("{:?}", lacking.notices)
    };
    assert!(limit.contains("the last 2 turns are kept"), "{limit}");
    assert!(gone.starts_with("1 of the earlier questions"), "{gone}");
}

/// The stream keeps events for less time than a turn takes: turns that have begun end, and a later question begins
/// the conversation anew.
pub(crate) async fn a_log_that_ages_away_under_its_turn_holds_up_nobody(on: On) {
    let age = TimeSpan::from_secs(2);
    let world = World::with(on, |topology| topology.conversation_age = age).await;
    let told = Told::default();
    let _gateway = world.gateway();
    world.ask(say("talk", "a1", "a1?")).await;
    world.step_stored(&turn("a1"), "conversation 0").await;
    until("an empty log", async || {
        log(&world, "talk").await.is_empty()
    })
    .await;
    let _staff = talkers(&world, &told);
    let end = world.end(&turn("a1")).await;
    assert_eq!(end.outcome, Outcome::Answered, "{end:?}");
    world.ask(say("talk", "a2", "a2?")).await;
    let next = world.end(&turn("a2")).await;
    assert_eq!(next.outcome, Outcome::Answered, "{next:?}");
    assert_eq!(told.of(&turn("a2")), [""; 0], "nothing is kept of it");
    assert_eq!(world.ends(&turn("a1")).await, 1);
}

/// Answers are kept for some seconds here, so that questions back can no longer be answered.
pub(crate) async fn a_question_back_expires(on: On) {
    let kept = TimeSpan::from_secs(8);
    let world = World::with(on, |topology| topology.max_age = kept).await;
    let told = Told::default();
    let _gateway = world.gateway();
    let _staff = talkers(&world, &told);
    world.ask(say("talk", "a1", UNCLEAR)).await;
    let asked_back = world.end(&turn("a1")).await;
    assert!(asked_back.clarification.is_some(), "{asked_back:?}");
    all_ended(&world, "talk", 1).await;
    tokio::time::sleep(kept.duration()).await;
    let named = json!({"reply_to_clarification": "a1"});
    world.ask(say_with("talk", "a2", "that one", named)).await;
    let late = world.end(&turn("a2")).await;
    let code = late.error.map(|problem| problem.code);
    assert_eq!(code.as_deref(), Some("clarification_expired"));
    // The next message is a question of its own then.
    world.ask(say("talk", "a3", "and now?")).await;
    let next = world.end(&turn("a3")).await;
    assert_eq!((next.outcome, next.parent), (Outcome::Answered, None));
}
