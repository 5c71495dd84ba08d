//! Tests the erasure of conversations: no stream contains a part of their text afterwards, whichever turn runs or
//! waits and whichever process dies meanwhile, and every asker receives a terminal event.

use crate::between::{Between, Do};
use crate::talk::{Told, UNCLEAR, all_ended, ids, log, say, say_with, talkers};
use crate::world::{On, World, turn, until};
use bus::{Bus, Publish, PublishError, Stream};
use conversation_log::{ConversationKey, copy};
use envelope::{ConversationId, Outcome, TenantId, Terminal};
use harness::erasure::ErasureReport;
use serde_json::json;
use settings::TimeSpan;
use std::sync::Arc;
use std::time::Duration;
use streams::conversation::Logs;

/// A word of every question of these tests, and so of every answer.
const MARKER: &str = "marzipan";

fn key(conversation: &str) -> ConversationKey {
    ConversationKey {
        tenant: TenantId::default_tenant(),
        conversation: ConversationId::new(conversation).unwrap(),
    }
}

fn code(terminal: &Terminal) -> &str {
    terminal.error.as_ref().map_or("", |problem| &problem.code)
}

async fn erase(world: &World, conversation: &str) -> ErasureReport {
    harness::erasure::erase(&world.bus, &world.topology, &key(conversation))
        .await
        .unwrap()
}

/// The places of the marker, as stream and subject.
async fn found(world: &World) -> Vec<String> {
    let mut found = Vec::new();
    for stream in Stream::ALL {
        for stored in world.all(stream).await {
            let text = String::from_utf8_lossy(&stored.body);
            let headers = format!("{:?}", stored.headers);
            if text.contains(MARKER) || headers.contains(MARKER) {
                found.push(format!("{} {}", stream.name(), stored.subject));
            }
        }
    }
    found
}

/// Answers, a question back, a refusal and a second listener: all of it is erased, and the conversation takes no more
/// questions.
pub(crate) async fn what_was_said_is_in_no_stream_any_more(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _gateway = world.gateway();
    let _staff = talkers(&world, &told);
    let mut ear = world.listen("_INBOX.a1").await;
    for id in ["a1", "a2"] {
        let with = json!({"reply_to": format!("_INBOX.{id}")});
        world
            .ask(say_with("talk", id, &format!("{MARKER} {id}?"), with))
            .await;
    }
    all_ended(&world, "talk", 2).await;
    let with = json!({"buckets": [MARKER]});
    world.ask(say_with("talk", "a3", UNCLEAR, with)).await;
    all_ended(&world, "talk", 3).await;
    let bad = json!({"mode": MARKER});
    world.ask(say_with("talk", "a4", "what?", bad)).await;
    let other = world.ask(say("other", "b1", "elsewhere?")).await;
    world.end(&other).await;
    ear.terminal().await;
    assert!(found(&world).await.len() > 8);

    let report = erase(&world, "talk").await;
    assert_eq!(found(&world).await, [""; 0]);
    assert_eq!((report.left(), report.was_erased), (0, false), "{report:?}");
    assert_eq!(report.log.erased, 6, "{report:?}");
    assert_eq!(report.questions.erased, 4, "{report:?}");
    assert!(
        report.steps.erased >= 10 && report.answers.erased == 4,
        "{report:?}"
    );
    assert_eq!(log(&world, "talk").await, ["erased"]);
    let end = world.ended(&turn("a1")).await.unwrap();
    assert_eq!(
        (end.outcome, code(&end)),
        (Outcome::Answered, "conversation_erased")
    );
    ear.silent().await;
    assert_eq!(world.end(&other).await.answer, Some("re elsewhere?".into()));

    let late = world
        .end(&world.ask(say("talk", "a5", "still there?")).await)
        .await;
    assert_eq!(
        (late.outcome, code(&late)),
        (Outcome::Refused, "conversation_erased")
    );
    let again = erase(&world, "talk").await;
    assert!(again.was_erased && again.left() == 0, "{again:?}");
    assert_eq!(again.questions.gone, 3, "{again:?}");
    let unknown = harness::erasure::erase(&world.bus, &world.topology, &key("nobody")).await;
    assert!(
        matches!(unknown, Err(harness::erasure::Error::Unknown)),
        "{unknown:?}"
    );
}

/// No worker works on the turns: the first has begun, and the others wait.
pub(crate) async fn turns_that_run_and_wait_are_cancelled(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let mut ears = Vec::new();
    for id in ids("a", 3) {
        let reply = format!("_INBOX.{id}");
        ears.push(world.listen(&reply).await);
        let with = json!({"reply_to": reply});
        world.ask(say_with("talk", id.as_str(), MARKER, with)).await;
    }
    until("open turns", async || log(&world, "talk").await.len() == 3).await;
    world.step_stored(&turn("a1"), "conversation 0").await;
    let report = erase(&world, "talk").await;
    assert_eq!((report.cancelled, report.left()), (3, 0), "{report:?}");
    for ear in &mut ears {
        let end = ear.terminal().await;
        assert_eq!(
            (end.outcome, code(&end)),
            (Outcome::Cancelled, "conversation_erased")
        );
    }
    world.quiet().await;
    assert_eq!(found(&world).await, [""; 0]);
    assert_eq!(log(&world, "talk").await, ["erased"]);
}

/// The gateway is away: the asker is told all the same when there is a gateway again, and nothing begins.
pub(crate) async fn a_question_that_nobody_took_is_answered(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _staff = talkers(&world, &told);
    let gateway = world.gateway();
    world.ask(say("talk", "a1", MARKER)).await;
    all_ended(&world, "talk", 1).await;
    world.quiet().await;
    gateway.kill().await;
    let mut ear = world.listen("_INBOX.a2").await;
    let with = json!({"reply_to": "_INBOX.a2"});
    world.ask(say_with("talk", "a2", MARKER, with)).await;
    let report = erase(&world, "talk").await;
    assert_eq!(
        (report.questions.erased, report.cancelled),
        (2, 1),
        "{report:?}"
    );
    assert_eq!(found(&world).await, [""; 0]);
    let _gateway = world.gateway();
    assert_eq!(ear.terminal().await.outcome, Outcome::Cancelled);
    world.quiet().await;
    assert_eq!(world.steps(&turn("a2")).await, [""; 0]);
}

fn is_end_of_log(message: &Publish) -> bool {
    message.subject.starts_with("argosy.conversation.")
        && String::from_utf8_lossy(&message.body).contains("\"kind\":\"erased\"")
}

fn is_bare(message: &Publish) -> bool {
    message.subject.starts_with("argosy.answer.")
}

fn stall(is_it: bool, what: Do) -> Do {
    match is_it {
        true => what,
        false => Do::Pass,
    }
}

/// An erasure stops half way. Before the end of the log nothing has happened; after it the next sweep goes on from
/// any point.
pub(crate) async fn whoever_stops_half_way_leaves_a_note_for_the_sweep(on: On) {
    type Point = fn(&Publish) -> Do;
    let points: [(Point, bool); 3] = [
        (|m| stall(is_end_of_log(m), Do::Stall), false),
        (|m| stall(is_end_of_log(m), Do::StallStored), true),
        (|m| stall(is_bare(m), Do::Stall), true),
    ];
    for (point, goes_on) in points {
        let world = World::new(on).await;
        let told = Told::default();
        let gateway = world.gateway();
        let _staff = talkers(&world, &told);
        world.ask(say("talk", "a1", MARKER)).await;
        all_ended(&world, "talk", 1).await;
        world.quiet().await;
        gateway.kill().await;
        let between = Between::new(&world.bus, point);
        let bus: Arc<dyn Bus> = between.clone();
        let of_talk = key("talk");
        let erasing = harness::erasure::erase(&bus, &world.topology, &of_talk);
        tokio::select! {
            got_through = erasing => panic!("it was not to get through: {got_through:?}"),
            () = between.meddled(1) => {}
        }
        assert!(!found(&world).await.is_empty());

        let often = |options: &mut gateway::Options| options.sweep_every = TimeSpan::from_secs(1);
        let _gateway = world.gateway_with(&world.bus, often);
        if !goes_on {
            world.quiet().await;
            assert!(
                !found(&world).await.is_empty(),
                "nobody was told that it is erased"
            );
            assert_eq!(
                log(&world, "talk").await,
                ["opened a1", "ended a1 answered"]
            );
            continue;
        }
        // The log goes last; to read every stream again and again would leave the server no time for the sweep.
        let events = "argosy.conversation.default.talk";
        until("the end of its log alone", async || {
            let first = world.bus.first(Stream::Conversations, events, 1).await;
            let first = first.unwrap().unwrap();
            String::from_utf8_lossy(&first.body).contains("\"kind\":\"erased\"")
        })
        .await;
        assert_eq!(found(&world).await, [""; 0]);
        assert_eq!(log(&world, "talk").await, ["erased"]);
    }
}

/// The gauge of an alert: erasures that only wait for late steps do not count.
pub(crate) async fn an_erasure_that_cannot_be_gone_on_with_is_counted(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let gateway = world.gateway();
    let _staff = talkers(&world, &told);
    world.ask(say("talk", "a1", MARKER)).await;
    all_ended(&world, "talk", 1).await;
    world.quiet().await;
    gateway.kill().await;
    let stalled = Between::new(&world.bus, |m| stall(is_bare(m), Do::Stall));
    let bus: Arc<dyn Bus> = stalled.clone();
    let of_talk = key("talk");
    tokio::select! {
        through = harness::erasure::erase(&bus, &world.topology, &of_talk) => panic!("it was not to get through: {through:?}"),
        () = stalled.meddled(1) => {}
    }

    let registry = telemetry::Registry::new();
    let series = "argosy_conversation_erasures_unfinished";
    let shows = async |wanted: &str| {
        let line = format!("{series} {wanted}");
        until(&line, async || {
            registry.encode().lines().any(|one| one == line)
        })
        .await;
    };
    let often = |options: &mut gateway::Options| options.sweep_every = TimeSpan::from_secs(1);
    let refused = |m: &Publish| {
        let why = PublishError::Refused("no room for the bare one".into());
        stall(is_bare(m), Do::Fail(why))
    };
    let refusing: Arc<dyn Bus> = Between::new(&world.bus, refused);
    let gateway = world.gateway_counting(&refusing, &registry, often);
    shows("1").await;
    gateway.kill().await;
    let _gateway = world.gateway_counting(&world.bus, &registry, often);
    shows("0").await;
    assert_eq!(found(&world).await, [""; 0]);
}

/// A worker does not hear that its turn is cancelled, and stores its result.
pub(crate) async fn a_step_that_comes_after_the_erasure_is_swept(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let often = |options: &mut gateway::Options| options.sweep_every = TimeSpan::from_secs(1);
    let _gateway = world.gateway_with(&world.bus, often);
    let staff = talkers(&world, &told);
    let with = json!({"deadline": "3s"});
    world.ask(say_with("talk", "a1", MARKER, with)).await;
    all_ended(&world, "talk", 1).await;
    let step = world.step_stored(&turn("a1"), "planner 1").await;
    for hand in staff {
        hand.kill().await;
    }
    let report = erase(&world, "talk").await;
    assert!(report.swept_until > world.bus.now(), "{report:?}");
    assert_eq!(found(&world).await, [""; 0]);
    let late = Publish::new("argosy.step.0.retriever.a1.2", step.body.clone());
    world.bus.publish(late).await.unwrap();
    assert_eq!(found(&world).await.len(), 1);
    until("the late step is gone", async || {
        let steps = "argosy.step.*.*.a1.>";
        world.bus.count(Stream::Steps(0), steps).await.unwrap() == 0
    })
    .await;
    assert_eq!(found(&world).await, [""; 0]);
    until("the note is gone", async || {
        harness::erasure::unfinished(&*world.bus)
            .await
            .unwrap()
            .is_empty()
    })
    .await;
    assert!(world.bus.now() > report.swept_until);
}

/// A tenant uses the id of another tenant's turn, in a conversation or without one; that turn is not affected.
pub(crate) async fn a_question_under_a_strangers_id_costs_him_nothing(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _gateway = world.gateway();
    let _staff = talkers(&world, &told);
    world.ask(say("other", "b1", "b1?")).await;
    world.ask(json!({"question": "alone?", "id": "c1"})).await;
    world.ask(say("talk", "a1", MARKER)).await;
    for id in ["a1", "b1", "c1"] {
        world.end(&turn(id)).await;
    }
    all_ended(&world, "other", 1).await;
    for id in ["b1", "c1"] {
        let with = json!({"reply_to": format!("_INBOX.{id}")});
        let mut ear = world.listen(&format!("_INBOX.{id}")).await;
        world.ask(say_with("talk", id, MARKER, with)).await;
        assert_eq!(code(&ear.terminal().await), "id_in_use");
    }
    let steps = world.steps(&turn("b1")).await;
    let report = erase(&world, "talk").await;
    assert_eq!(report.questions.erased, 3, "{report:?}");
    assert_eq!(found(&world).await, [""; 0]);
    assert_eq!(world.steps(&turn("b1")).await, steps);
    for (id, answer) in [("b1", "re b1?"), ("c1", "re alone?")] {
        assert_eq!(world.end(&turn(id)).await.answer.as_deref(), Some(answer));
    }
}

/// There are more notes than one call of the bus returns: the sweep looks after turns all the same.
pub(crate) async fn a_thousand_erasures_hold_up_no_turn(on: On) {
    let world = World::new(on).await;
    for n in 0..1_100 {
        let of = format!("old-{n}");
        let note = json!({"tenant": "default", "conversation": of}).to_string();
        let subject = format!("argosy.sweep.erasing.default.{of}");
        let note = Publish::new(subject, note.into());
        world.bus.publish(note).await.unwrap();
    }
    let left = harness::erasure::unfinished(&*world.bus).await.unwrap();
    assert_eq!(left.len(), 1_100);
    let with = json!({"deadline": "1s"});
    world.ask(say_with("talk", "a1", "a1?", with)).await;
    tokio::time::sleep(Duration::from_secs(4)).await;
    let _gateway = world.gateway();
    assert_eq!(world.end(&turn("a1")).await.outcome, Outcome::Expired);
}

/// Two processes erase while a question is opened. Both succeed, and the question is either taken out or refused.
pub(crate) async fn two_erase_while_a_question_is_opened(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _gateways = [world.gateway(), world.gateway()];
    let _staff = talkers(&world, &told);
    world.ask(say("talk", "a1", MARKER)).await;
    all_ended(&world, "talk", 1).await;
    let of_talk = key("talk");
    let (asked, one, two) = tokio::join!(
        async {
            for n in 2..8 {
                world.ask(say("talk", &format!("a{n}"), MARKER)).await;
            }
        },
        harness::erasure::erase(&world.bus, &world.topology, &of_talk),
        harness::erasure::erase(&world.bus, &world.topology, &of_talk),
    );
    let () = asked;
    one.unwrap();
    two.unwrap();
    for id in ids("a", 7) {
        world.end(&id).await;
    }
    world.quiet().await;
    let last = erase(&world, "talk").await;
    assert_eq!(last.left(), 0, "{last:?}");
    assert_eq!(found(&world).await, [""; 0]);
    assert_eq!(log(&world, "talk").await, ["erased"]);
}

/// A command and the sweeps of gateways erase at the same time: nothing stays that another one has just taken out.
pub(crate) async fn who_erase_at_once_leave_nothing(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _gateway = world.gateway();
    let _staff = talkers(&world, &told);
    for n in 1..=4 {
        world.ask(say("talk", &format!("a{n}"), MARKER)).await;
    }
    all_ended(&world, "talk", 4).await;
    world.quiet().await;
    let all = (0..6).map(|_| erase(&world, "talk"));
    for report in futures_util::future::join_all(all).await {
        assert_eq!(report.left(), 0, "{report:?}");
    }
    assert_eq!(found(&world).await, [""; 0]);
}

/// The fork shares nothing with its parent, except that both name each other.
pub(crate) async fn a_fork_stays_and_has_an_erasure_of_its_own(on: On) {
    let world = World::new(on).await;
    let told = Told::default();
    let _gateway = world.gateway();
    let _staff = talkers(&world, &told);
    for n in 1..=2 {
        world
            .ask(say("talk", &format!("a{n}"), &format!("{MARKER} {n}?")))
            .await;
        all_ended(&world, "talk", n).await;
    }
    let logs = Logs::on(world.bus.clone());
    let events = logs.all(&key("talk")).await.unwrap();
    let child = key("branch").conversation;
    let copied = copy::fork(&key("talk").conversation, &events, Some(1), &child).unwrap();
    for is_new in [true, false] {
        assert_eq!(logs.restore(&key("branch"), &copied).await.unwrap(), is_new);
    }
    let other = copy::fork(&key("talk").conversation, &events, Some(2), &child).unwrap();
    assert!(
        logs.restore(&key("branch"), &other).await.is_err(),
        "it has other events"
    );

    world
        .ask(say("branch", "b1", &format!("{MARKER} b?")))
        .await;
    all_ended(&world, "branch", 2).await;
    let heard = told.of(&turn("b1"));
    assert_eq!(heard, [format!("{MARKER} 1?=re {MARKER} 1?")]);
    erase(&world, "branch").await;
    assert_eq!(log(&world, "branch").await, ["erased"]);
    assert_eq!(
        log(&world, "talk").await.len(),
        4,
        "its parent is as it was"
    );
    assert_eq!(
        world.ended(&turn("a1")).await.unwrap().answer,
        Some(format!("re {MARKER} 1?"))
    );
    erase(&world, "talk").await;
    assert_eq!(found(&world).await, [""; 0]);
}
