//! Tests that each hop has one step and each turn one terminal event, whichever worker decides and however often.

use crate::between::{Between, Do};
use crate::hand::{Hand, Stop};
use crate::script::{Script, found, plan, usual};
use crate::world::{On, World, turn, until};
use bus::{Bus, PublishError, Stream};
use envelope::hop::RetrieverExit;
use envelope::{Doubt, Exit, Outcome, Role, Search};
use harness::fault::Point;
use harness::replay::{self, ReplayPoint};
use serde_json::json;
use stage::StepOutput;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use streams::history;
use streams::outbox::CreateOutcome;
use tokio::sync::Semaphore;

fn nothing_found() -> StepOutput<Exit> {
    let doubt = Doubt::NoResults {
        query: "a query".into(),
        narrowed_by: Vec::new(),
    };
    StepOutput::new(RetrieverExit::NothingFound(doubt).into(), "nothing found")
}

/// A question without a conversation stores the same messages whether conversations are taken or not, and their
/// number is known.
pub(crate) async fn a_question_by_itself_pays_nothing_for_conversations(on: On) {
    for takes in [true, false] {
        let world = World::new(on).await;
        let _gateway = world.gateway_with(&world.bus, |o| o.conversations = takes);
        let _staff = world.staff(&Role::THINKING);
        let id = world.ask(json!({"question": "q", "id": "alone"})).await;
        assert_eq!(world.end(&id).await.outcome, Outcome::Answered);
        world.quiet().await;
        let steps = world.steps(&id).await;
        let parts = [
            "mapper 3.0",
            "mapper 3.1",
            "mapper 3.2",
            "part 3.0",
            "part 3.1",
            "part 3.2",
        ];
        let rest = [
            "planner 0",
            "reducer 4",
            "retriever 1",
            "scatter 2",
            "validator 5",
        ];
        assert_eq!(steps, [&parts[..], &rest[..]].concat());
        let mut counts = Vec::new();
        for stream in [
            Stream::Inbox,
            Stream::Answers,
            Stream::Dead,
            Stream::Conversations,
        ] {
            counts.push(world.all(stream).await.len());
        }
        assert_eq!(counts, [1, 1, 0, 0]);
        let timers = world.all(Stream::Timers).await;
        let mut timers: Vec<_> = timers.iter().map(|m| m.subject.as_str()).collect();
        timers.retain(|subject| subject.contains("alone"));
        assert_eq!(timers, ["argosy.timer.alone"]);
    }
}

/// The planner dies after its decision is stored. If it were asked again, it would decide otherwise.
pub(crate) async fn a_differently_minded_redelivery_changes_nothing(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let planner = Script::new(Role::Planner, async |call| match call.n {
        1 => Ok(plan("the first")),
        _ => Ok(plan("another mind")),
    });
    let stop = Stop::at(Point::Published);
    let first = world.hire(&planner).with(&stop).start();
    let id = world.ask(json!({"question": "q", "id": "minds"})).await;
    stop.reached(1).await;
    first.kill().await;

    let again = world.hire(&planner).with(&stop).start();
    stop.reached(1).await;
    again.kill().await;
    assert_eq!(world.steps(&id).await, ["planner 0", "retriever 1"]);
    let step = world.step(&id, "retriever 1").await.unwrap();
    let step: envelope::Envelope<Search> = envelope::decode(&step.body).unwrap();
    assert_eq!(step.payload.plan.query, "the first");
    assert_eq!(planner.calls(), 1, "what is stored is not asked for again");
}

/// Two deliveries of one step are worked on at once and lead to different roles. The second one to publish finds the
/// hop taken, which counts as success.
pub(crate) async fn two_roles_that_race_for_a_hop_have_one_winner(on: On) {
    let (early, late) = (
        nothing_found as fn() -> StepOutput<Exit>,
        (|| found(2)) as _,
    );
    let (world, id, _fleet) = race(on, early, late).await;
    let terminal = world.end(&id).await;
    assert_eq!(terminal.outcome, Outcome::Clarification);
    assert_eq!(
        world.steps(&id).await,
        ["clarifier 2", "planner 0", "retriever 1"]
    );
}

/// The opposite case: the loser finds a scatter record, finishes it, and changes nothing.
pub(crate) async fn a_late_clarification_loses_to_a_scatter(on: On) {
    let (world, id, _fleet) = race(on, || found(2), nothing_found).await;
    let terminal = world.end(&id).await;
    assert_eq!(terminal.answer.as_deref(), Some("fact 0, fact 1"));
    assert_eq!(
        world.steps(&id).await,
        [
            "mapper 3.0",
            "mapper 3.1",
            "part 3.0",
            "part 3.1",
            "planner 0",
            "reducer 4",
            "retriever 1",
            "scatter 2",
            "validator 5"
        ]
    );
}

/// One retriever is slow and sends no in-progress signal, so another one gets its step and is done first. The others, who
/// may have work left, are returned.
async fn race(
    on: On,
    early: fn() -> StepOutput<Exit>,
    late: fn() -> StepOutput<Exit>,
) -> (World, envelope::TurnId, Vec<Hand>) {
    let world = World::new(on).await;
    let gateway = world.gateway();
    let gate = Arc::new(Semaphore::new(0));
    let wait = gate.clone();
    let retriever = Script::new(Role::Retriever, move |call| {
        let wait = wait.clone();
        async move {
            if call.n > 1 {
                return Ok(early());
            }
            wait.acquire().await.unwrap().forget();
            Ok(late())
        }
    });
    let mute = Between::mute(&world.bus);
    let stop = Stop::at(Point::Published);
    let slow = world.hire(&retriever).on(mute.clone()).with(&stop);
    let slow = slow.options(|o| o.slots = 1).start();
    let mut fleet = world.staff(&[
        Role::Planner,
        Role::Mapper,
        Role::Reducer,
        Role::Validator,
        Role::Clarifier,
    ]);
    fleet.push(gateway);
    let id = world.ask(json!({"question": "q", "id": "race"})).await;
    until("the slow one at work", async || retriever.calls() == 1).await;
    let quick = world.hire(&retriever).start();
    until("a second delivery", async || retriever.calls() == 2).await;
    until("the next step", async || {
        let steps = world.steps(&id).await;
        steps.iter().any(|s| s == "clarifier 2" || s == "scatter 2")
    })
    .await;
    gate.add_permits(1);
    stop.reached(1).await;
    drop((slow, quick));

    let lost = [mute.tried("scatter"), mute.tried("clarifier")].concat();
    assert_eq!(lost.len(), 1, "one decision of the slow one");
    assert_eq!(lost[0].1, Some(Err(PublishError::Exists)));
    assert!(world.all(Stream::Dead).await.is_empty());
    (world, id, fleet)
}

/// The validator and the deadline's timer both create the terminal event: the first one stays, and neither fails.
pub(crate) async fn a_terminal_event_is_created_once(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let gate = Arc::new(Semaphore::new(0));
    let held = gate.clone();
    let slow = Between::new(&world.bus, move |message| {
        match message.subject.starts_with("argosy.answer.") {
            true => Do::Hold(held.clone()),
            false => Do::Pass,
        }
    });
    let stop = Stop::at(Point::Published);
    let validator = world.hire(&usual(Role::Validator));
    let _validator = validator.on(slow.clone()).with(&stop).start();
    let _staff = world.staff(&[Role::Planner, Role::Retriever, Role::Mapper, Role::Reducer]);
    let question = json!({"question": "q", "id": "twice", "deadline": "3s"});
    let id = world.ask(question).await;
    slow.meddled(1).await;
    assert_eq!(world.end(&id).await.outcome, Outcome::Expired);

    gate.add_permits(1);
    stop.reached(1).await;
    let tried = slow.tried("argosy.answer.");
    assert_eq!(tried.len(), 1);
    assert_eq!(tried[0].1, Some(Err(PublishError::Exists)));
    assert_eq!(world.ends(&id).await, 1);
    assert_eq!(world.end(&id).await.outcome, Outcome::Expired);
    assert!(world.all(Stream::Dead).await.is_empty());
}

/// An answered turn is not ended once more when its timer fires, by a gateway that was not there when it was
/// answered.
pub(crate) async fn an_answer_outlives_its_timer(on: On) {
    let world = World::new(on).await;
    let gateway = world.gateway();
    let staff = world.staff(&Role::THINKING);
    let question = json!({"question": "q", "id": "outlives", "deadline": "2s"});
    let id = world.ask(question).await;
    assert_eq!(world.end(&id).await.outcome, Outcome::Answered);
    gateway.kill().await;
    let due = envelope::Subject::Due {
        turn: turn("outlives"),
        hop: None,
    }
    .to_string();
    until("the timer to fire", async || {
        let last = world.bus.last(Stream::Timers, &due).await.unwrap();
        last.is_some()
    })
    .await;
    drop(staff);
    let _gateway = world.gateway();
    // One consumer takes what falls due in order: when this turn has been ended, the due message of
    // the first one has been taken.
    let next = json!({"question": "q", "id": "next", "deadline": "1s"});
    let next = world.ask(next).await;
    assert_eq!(world.end(&next).await.outcome, Outcome::Expired);
    assert_eq!(world.ends(&id).await, 1);
    assert_eq!(world.end(&id).await.outcome, Outcome::Answered);
}

/// A replay's claim is stored and its confirmation lost. The claim is not taken for another process', which would
/// leave behind a turn that has a timer and no step.
pub(crate) async fn a_claim_that_was_not_confirmed_is_the_first(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let _staff = world.staff(&Role::THINKING);
    let id = world.ask(json!({"question": "q", "id": "old"})).await;
    world.end(&id).await;
    let history = history::read(&*world.bus, &id).await.unwrap();
    let start = ReplayPoint::from_history(&history, &id, Role::Reducer, None).unwrap();
    let is_first = AtomicBool::new(true);
    let lossy = Between::new(&world.bus, move |message| {
        let is_timer = message.subject.starts_with("argosy.timer.");
        match is_timer && is_first.swap(false, Ordering::Relaxed) {
            true => Do::Unconfirmed,
            false => Do::Pass,
        }
    });
    let (new, minute) = (replay::replay_ids(&id).remove(0), Duration::from_secs(60));
    let claim = async |bus: &dyn Bus, time| {
        let keep = world.topology.keep.duration();
        replay::claim(bus, &start, &new, time, keep).await.unwrap()
    };
    assert_eq!(claim(&*lossy, minute).await.created, CreateOutcome::Now);
    assert_eq!(lossy.tried("argosy.timer.").len(), 2);
    let other = claim(&*world.bus, minute * 2).await;
    assert_eq!(other.created, CreateOutcome::Before, "somebody else's");
}

/// No ack of a first delivery reaches the server, neither of a step nor of the question nor of its answer. Each is delivered
/// once more and found done: no stage runs twice, nothing is stored twice, and only the answer is told once more.
pub(crate) async fn a_lost_ack_costs_one_delivery(on: On) {
    let world = World::new(on).await;
    let lossy = Between::losing_acks(&world.bus);
    let roles = [
        Role::Planner,
        Role::Retriever,
        Role::Mapper,
        Role::Reducer,
        Role::Validator,
    ];
    let scripts = roles.map(usual);
    let bus: Arc<dyn Bus> = lossy.clone();
    let _gateway = world.gateway_with(&bus, |_| {});
    let _staff = scripts
        .each_ref()
        .map(|script| world.hire(script).on(lossy.clone()).start());
    let mut ear = world.listen("_INBOX.lossy").await;
    let id = world
        .ask(json!({"question": "q", "id": "lossy", "reply_to": "_INBOX.lossy"}))
        .await;
    let told = [ear.terminal().await, ear.terminal().await];
    assert_eq!(told[0].outcome, Outcome::Answered);
    assert_eq!(told[0], told[1]);
    let stored = world.steps(&id).await;

    let inbox = world.topology.inbox();
    let answers = world.topology.answers();
    let steps = roles.map(|role| world.topology.consumer(role));
    for consumer in [inbox, answers].into_iter().chain(steps) {
        until(&consumer.name, async || {
            let progress = world.bus.progress(&consumer).await.unwrap();
            progress.ack_pending == 0 && progress.pending == 0
        })
        .await;
    }
    // The question, seven steps, and the answer.
    assert_eq!(lossy.lost_acks(), 1 + 7 + 1);
    assert_eq!(world.steps(&id).await, stored);
    assert_eq!(world.ends(&id).await, 1);
    assert_eq!(scripts.map(|script| script.calls()), [1, 1, 3, 1, 1]);
    ear.silent().await;
    assert!(world.all(Stream::Dead).await.is_empty());
}
