//! Tests conversations: turns run one after the other in the order of the log, each ends once, and each gets the
//! exchanges before it, whichever process dies meanwhile.

use crate::between::{Between, Do};
use crate::hand::Hand;
use crate::talk::{Told, all_ended, assert_sound, ids, log, say, say_with, talkers};
use crate::world::{On, World, turn, until, within};
use bus::{Bus, Publish, PublishError, Stream};
use envelope::{Outcome, Subject, Terminal};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;

fn code(terminal: &Terminal) -> &str {
    terminal.error.as_ref().map_or("", |problem| &problem.code)
}

/// Questions that are asked at once wait in the log.
pub(crate) async fn turns_run_in_the_order_of_the_log(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _gateway = world.gateway();
    for id in ids("a", 4) {
        world.ask(say("talk", id.as_str(), &format!("{id}?"))).await;
    }
    all_opened(&world, "talk", 4).await;
    let _staff = talkers(&world, &told);
    all_ended(&world, "talk", 4).await;
    assert_sound(&world, &told).await;
    for id in ids("a", 4) {
        let end = world.end(&id).await;
        assert_eq!(end.answer, Some(format!("re {id}?")), "{end:?}");
        assert_eq!(end.conversation.as_ref().map(|c| c.as_str()), Some("talk"));
    }
}

async fn all_opened(world: &World, conversation: &str, count: usize) {
    until("open turns", async || {
        let log = log(world, conversation).await;
        log.iter().filter(|e| e.starts_with("opened")).count() == count
    })
    .await;
}

/// Two gateways append to two logs at the same time.
pub(crate) async fn two_gateways_write_to_one_log(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let many = |options: &mut gateway::Options| options.conversation_waiting = 100;
    let _gateways = [
        world.gateway_with(&world.bus, many),
        world.gateway_with(&world.bus, many),
    ];
    let _staff = talkers(&world, &told);
    for n in 1..=12 {
        for talk in ["x", "y"] {
            let id = format!("{talk}{n}");
            world.ask(say(talk, &id, &format!("{id}?"))).await;
        }
    }
    for talk in ["x", "y"] {
        all_ended(&world, talk, 12).await;
    }
    assert_sound(&world, &told).await;
}

pub(crate) fn is_event(message: &Publish, kind: &str) -> bool {
    let kind = format!("{{\"kind\":\"{kind}\"");
    message.subject.starts_with("argosy.conversation.")
        && String::from_utf8_lossy(&message.body).contains(&kind)
}

fn is_first_step(message: &Publish) -> bool {
    message.subject.starts_with("argosy.step.0.conversation.")
}

/// The gateway dies between the claim, `opened`, the first step and the ack.
pub(crate) async fn a_gateway_dies_while_it_opens_a_turn(on: On) {
    let points: [fn(&Publish) -> Do; 5] = [
        |m| stall(m.subject.starts_with("argosy.timer."), Do::StallStored),
        |m| stall(is_event(m, "opened"), Do::Stall),
        |m| stall(is_event(m, "opened"), Do::StallStored),
        |m| stall(is_first_step(m), Do::Stall),
        |m| stall(is_first_step(m), Do::StallStored),
    ];
    for point in points {
        let world = World::new(on).await;
        let told = Told::default();
        let between = Between::new(&world.bus, point);
        let bus: Arc<dyn Bus> = between.clone();
        let first = world.gateway_with(&bus, |_| {});
        for id in ids("a", 2) {
            world.ask(say("talk", id.as_str(), &format!("{id}?"))).await;
        }
        world.quiet().await;
        first.kill().await;
        let _second = world.gateway();
        let _staff = talkers(&world, &told);
        all_ended(&world, "talk", 2).await;
        assert_sound(&world, &told).await;
    }
}

pub(crate) fn stall(is_it: bool, what: Do) -> Do {
    match is_it {
        true => what,
        false => Do::Pass,
    }
}

/// The gateway dies between the terminal event, `ended`, the first step of the next turn and the ack.
pub(crate) async fn a_gateway_dies_while_it_ends_a_turn(on: On) {
    let points: [fn(&Publish) -> Do; 4] = [
        |m| stall(is_event(m, "ended"), Do::Stall),
        |m| stall(is_event(m, "ended"), Do::StallStored),
        |m| stall(m.subject.ends_with("conversation.a2.0"), Do::Stall),
        |m| stall(m.subject.ends_with("conversation.a2.0"), Do::StallStored),
    ];
    for point in points {
        let world = World::new(on).await;
        let told = Told::default();
        let between = Between::new(&world.bus, point);
        let bus: Arc<dyn Bus> = between.clone();
        let first = world.gateway_with(&bus, |_| {});
        let _staff = talkers(&world, &told);
        for id in ids("a", 3) {
            world.ask(say("talk", id.as_str(), &format!("{id}?"))).await;
        }
        world.end(&turn("a1")).await;
        world.quiet().await;
        first.kill().await;
        let _second = world.gateway();
        all_ended(&world, "talk", 3).await;
        assert_sound(&world, &told).await;
    }
}

/// The server stores an event, or does not, and the writer does not learn which.
pub(crate) async fn an_append_that_is_not_confirmed_is_read_again(on: On) {
    for failure in [
        Do::Unconfirmed,
        Do::Fail(PublishError::Unconfirmed("lost".into())),
    ] {
        let world = World::new(on).await;
        let told = Told::default();
        let once = std::sync::Mutex::new(vec![]);
        let failure = std::sync::Mutex::new(vec![failure]);
        let between = Between::new(&world.bus, move |message| {
            let kind = ["opened", "ended"]
                .into_iter()
                .find(|kind| is_event(message, kind));
            let mut once = once.lock().unwrap();
            match kind {
                Some(kind) if !once.contains(&kind) => {
                    once.push(kind);
                    match failure.lock().unwrap().first().unwrap() {
                        Do::Unconfirmed => Do::Unconfirmed,
                        _ => Do::Fail(PublishError::Unconfirmed("lost".into())),
                    }
                }
                _ => Do::Pass,
            }
        });
        let bus: Arc<dyn Bus> = between.clone();
        let _gateway = world.gateway_with(&bus, |_| {});
        let _staff = talkers(&world, &told);
        for id in ids("a", 2) {
            world.ask(say("talk", id.as_str(), &format!("{id}?"))).await;
        }
        all_ended(&world, "talk", 2).await;
        assert_sound(&world, &told).await;
    }
}

/// The client cancels a turn after its gateway has checked whether it has ended, and before the turn is opened.
pub(crate) async fn a_turn_is_cancelled_while_it_is_opened(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let held = gate.clone();
    let between = Between::new(&world.bus, move |message| {
        stall(is_event(message, "opened"), Do::Hold(held.clone()))
    });
    let bus: Arc<dyn Bus> = between.clone();
    let _gateway = world.gateway_with(&bus, |_| {});
    let _staff = talkers(&world, &told);
    world.ask(say("talk", "a1", "a1?")).await;
    between.meddled(1).await;
    cancel(&world, "a1").await;
    world.quiet().await;
    gate.add_permits(1_000);
    all_ended(&world, "talk", 1).await;
    assert_eq!(
        log(&world, "talk").await,
        ["opened a1", "ended a1 cancelled"]
    );
    world.ask(say("talk", "a2", "a2?")).await;
    assert_eq!(world.end(&turn("a2")).await.outcome, Outcome::Answered);
    all_ended(&world, "talk", 2).await;
    assert_sound(&world, &told).await;
}

/// Cancels a turn as a client does, which knows neither tenant nor conversation.
async fn cancel(world: &World, id: &str) {
    let subject = Subject::Answer { turn: turn(id) };
    let end =
        json!({"v": 1, "turn": id, "tenant": "default", "outcome": "cancelled", "ended_at": 1});
    let message = Publish {
        condition: bus::WriteCondition::Absent,
        ..Publish::new(subject, end.to_string().into())
    };
    world.bus.publish(message).await.unwrap();
}

/// A turn that waits behind others is cancelled; the time of another one is up.
pub(crate) async fn a_waiting_turn_that_ends_leaves_the_others_their_order(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _gateway = world.gateway();
    for id in ids("a", 4) {
        let deadline = match id.as_str() {
            "a3" => "1500ms",
            _ => "60s",
        };
        let with = json!({"deadline": deadline});
        world
            .ask(say_with("talk", id.as_str(), &format!("{id}?"), with))
            .await;
    }
    all_opened(&world, "talk", 4).await;
    cancel(&world, "a2").await;
    all_ended(&world, "talk", 2).await;
    assert_eq!(world.end(&turn("a3")).await.outcome, Outcome::Expired);
    let _staff = talkers(&world, &told);
    all_ended(&world, "talk", 4).await;
    assert_sound(&world, &told).await;
    let log = log(&world, "talk").await;
    let ends = [
        "ended a2 cancelled",
        "ended a3 expired",
        "ended a1 answered",
        "ended a4 answered",
    ];
    assert_eq!(log[4..], ends);
}

/// A gateway of an older release acks terminal events and writes nothing. The next question writes the end or, for a
/// turn that waits already, the sweep does.
pub(crate) async fn what_an_older_gateway_left_open_is_ended(on: On) {
    for waits in [false, true] {
        let world = World::new(on).await;
        let told = Told::default();
        let first = world.gateway();
        world.ask(say("talk", "a1", "a1?")).await;
        all_opened(&world, "talk", 1).await;
        if waits {
            world.ask(say("talk", "a2", "a2?")).await;
            all_opened(&world, "talk", 2).await;
        }
        first.kill().await;
        let mut older = world.bus.consume(&world.topology.answers()).await.unwrap();
        let _staff = talkers(&world, &told);
        let taken = within("the terminal event", older.next(1)).await.unwrap();
        taken.ack.ack().await.unwrap();
        drop(older);

        let _second = world.gateway();
        if !waits {
            world.ask(say("talk", "a2", "a2?")).await;
        }
        assert_eq!(world.end(&turn("a2")).await.outcome, Outcome::Answered);
        all_ended(&world, "talk", 2).await;
        assert_sound(&world, &told).await;
    }
}

/// A turn whose end the log does not accept, for this reason: the asker is told, once. Returns the gateway.
async fn told_without_its_log(world: &World, error: PublishError) -> Hand {
    let mut ear = world.listen("_INBOX.me").await;
    let between = Between::new(&world.bus, move |message| {
        stall(is_event(message, "ended"), Do::Fail(error.clone()))
    });
    let bus: Arc<dyn Bus> = between.clone();
    let gateway = world.gateway_with(&bus, |_| {});
    let with = json!({"reply_to": "_INBOX.me"});
    world.ask(say_with("talk", "a1", "a1?", with)).await;
    assert_eq!(ear.terminal().await.outcome, Outcome::Answered);
    ear.silent().await;
    assert_eq!(log(world, "talk").await, ["opened a1"]);
    gateway
}

/// A log that cannot be written to for a while gets the end of the turn later.
pub(crate) async fn an_answer_is_not_held_back_by_its_log(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _staff = talkers(&world, &told);
    let first = told_without_its_log(&world, PublishError::Full).await;
    first.kill().await;
    let _second = world.gateway();
    all_ended(&world, "talk", 1).await;
    assert_sound(&world, &told).await;
}

/// A log never accepts the end of a turn: the next question of the conversation writes it.
pub(crate) async fn a_log_that_refuses_for_good_holds_up_nobody(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _staff = talkers(&world, &told);
    let first = told_without_its_log(&world, PublishError::Refused("no".into())).await;
    first.drained().await;
    let _second = world.gateway();
    world.ask(say("talk", "a2", "a2?")).await;
    all_ended(&world, "talk", 2).await;
    assert_sound(&world, &told).await;
}

/// There is no room for the first step of the next turn: the asker of the turn before it is told all the same, once.
pub(crate) async fn an_answer_is_not_held_back_by_the_next_turn(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let mut ear = world.listen("_INBOX.me").await;
    let full = Arc::new(AtomicBool::new(true));
    let is_full = full.clone();
    let between = Between::new(&world.bus, move |message| {
        let is_next = message.subject.ends_with("conversation.a2.0");
        stall(
            is_next && is_full.load(Ordering::Relaxed),
            Do::Fail(PublishError::Full),
        )
    });
    let bus: Arc<dyn Bus> = between.clone();
    let _gateway = world.gateway_with(&bus, |_| {});
    let with = json!({"reply_to": "_INBOX.me"});
    world.ask(say_with("talk", "a1", "a1?", with)).await;
    world.ask(say("talk", "a2", "a2?")).await;
    all_opened(&world, "talk", 2).await;
    let _staff = talkers(&world, &told);
    let begun = Instant::now();
    assert_eq!(ear.terminal().await.outcome, Outcome::Answered);
    let took = begun.elapsed();
    // The first step is tried for 5 s before the delivery goes back.
    assert!(took < Duration::from_secs(4), "{took:?}");
    between.meddled(2).await;
    full.store(false, Ordering::Relaxed);
    all_ended(&world, "talk", 2).await;
    ear.silent().await;
    assert_sound(&world, &told).await;
}

/// More is said while a turn waits than is kept of its conversation.
pub(crate) async fn a_turn_whose_beginning_is_gone_fails_at_once(on: On) {
    let world = World::with(on, |topology| topology.conversation_events = 4).await;
    let told = Told::default();
    let _gateway = world.gateway();
    for id in ["a1", "a2", "a3"] {
        world.ask(say("talk", id, &format!("{id}?"))).await;
        let opened = format!("opened {id}");
        until(&opened, async || {
            log(&world, "talk").await.contains(&opened)
        })
        .await;
    }
    for id in ["b1", "b2"] {
        world.ask(say("talk", id, &format!("{id}?"))).await;
        let opened = format!("opened {id}");
        until(&opened, async || {
            log(&world, "talk").await.contains(&opened)
        })
        .await;
        cancel(&world, id).await;
        let ended = format!("ended {id} cancelled");
        until(&ended, async || log(&world, "talk").await.contains(&ended)).await;
    }
    let _staff = talkers(&world, &told);
    assert_eq!(world.end(&turn("a1")).await.outcome, Outcome::Answered);
    for id in ["a2", "a3"] {
        let end = world.end(&turn(id)).await;
        assert_eq!((end.outcome, code(&end)), (Outcome::Failed, "opening_gone"));
        assert_eq!(end.conversation.as_ref().map(|c| c.as_str()), Some("talk"));
    }
    world.ask(say("talk", "c1", "c1?")).await;
    assert_eq!(world.end(&turn("c1")).await.outcome, Outcome::Answered);
}

/// A question interrupts those before it; the turn that runs may end by itself at that moment.
pub(crate) async fn a_question_interrupts_those_before_it(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _gateway = world.gateway();
    for id in ids("a", 3) {
        world.ask(say("talk", id.as_str(), &format!("{id}?"))).await;
    }
    all_opened(&world, "talk", 3).await;
    let with = json!({"when_busy": "interrupt"});
    world.ask(say_with("talk", "b1", "b1?", with.clone())).await;
    all_opened(&world, "talk", 4).await;
    let _staff = talkers(&world, &told);
    assert_eq!(world.end(&turn("b1")).await.outcome, Outcome::Answered);
    for id in ids("a", 3) {
        let end = world.end(&id).await;
        assert_eq!(
            (end.outcome, code(&end)),
            (Outcome::Cancelled, "interrupted")
        );
    }
    all_ended(&world, "talk", 4).await;
    for n in 2..8 {
        let id = format!("b{n}");
        world
            .ask(say_with("talk", &id, &format!("{id}?"), with.clone()))
            .await;
        tokio::time::sleep(Duration::from_millis(n * 2)).await;
    }
    all_ended(&world, "talk", 10).await;
    assert_sound(&world, &told).await;
    assert_eq!(world.end(&turn("b7")).await.outcome, Outcome::Answered);
}

/// More questions than may wait, and one that asks not to wait.
pub(crate) async fn a_busy_conversation_says_so(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _gateway = world.gateway();
    for id in ids("a", 5) {
        world.ask(say("talk", id.as_str(), &format!("{id}?"))).await;
    }
    all_opened(&world, "talk", 5).await;
    world.ask(say("talk", "b1", "b1?")).await;
    let with = json!({"when_busy": "reject"});
    world.ask(say_with("talk", "b2", "b2?", with)).await;
    for id in ids("b", 2) {
        let end = world.end(&id).await;
        assert_eq!(
            (end.outcome, code(&end)),
            (Outcome::Refused, "conversation_busy")
        );
    }
    world.ask(say("other", "c1", "c1?")).await;
    let _staff = talkers(&world, &told);
    all_ended(&world, "talk", 5).await;
    all_ended(&world, "other", 1).await;
    assert_sound(&world, &told).await;
}

/// The same id under two tenants stands for two conversations.
pub(crate) async fn a_conversation_belongs_to_its_tenant(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _gateway = world.gateway();
    let _staff = talkers(&world, &told);
    world.ask(say("talk", "a1", "a1?")).await;
    all_ended(&world, "talk", 1).await;
    let with = json!({"tenant": "other"});
    world.ask(say_with("talk", "b1", "b1?", with)).await;
    let end = world.end(&turn("b1")).await;
    assert_eq!(end.outcome, Outcome::Answered);
    assert_eq!(told.of(&turn("b1")), Vec::<String>::new());
    assert_eq!(log(&world, "talk").await.len(), 2);
}

/// A later release has written to the log.
pub(crate) async fn a_newer_log_is_not_appended_to(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let newer = json!({"v": 9, "event": {"kind": "merged"}});
    let newer = Publish::new("argosy.conversation.default.talk", newer.to_string().into());
    world.bus.publish(newer).await.unwrap();
    let mut ear = world.listen("_INBOX.me").await;
    let with = json!({"reply_to": "_INBOX.me"});
    world.ask(say_with("talk", "a1", "a1?", with)).await;
    let end = ear.terminal().await;
    assert_eq!(
        (end.outcome, code(&end)),
        (Outcome::Refused, "conversation_newer")
    );
    ear.silent().await;
    assert_eq!(world.all(Stream::Conversations).await.len(), 1);
}

/// A fleet that takes no conversations yet.
pub(crate) async fn conversations_may_be_off(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway_with(&world.bus, |options| options.conversations = false);
    let id = world
        .ask(json!({"question": "q", "conversation": "talk"}))
        .await;
    let end = world.end(&id).await;
    assert_eq!((end.outcome, code(&end)), (Outcome::Refused, "unsupported"));
}
