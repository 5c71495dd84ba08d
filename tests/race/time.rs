//! Tests timers: the soft deadline fires at the same moment as the last mapper finishes, and a turn ends even if its
//! timer is lost.

use crate::between::{Between, Do};
use crate::refusals::STRAIGHT;
use crate::script::{Script, draft, plan, read, retriever, too_little};
use crate::world::{On, World, until};
use bus::{Bus, PublishError, Stream};
use envelope::{Fallback, Outcome, Payload, Role, Subject, Terminal};
use serde_json::json;
use settings::TimeSpan;
use std::sync::Arc;
use tokio::sync::Semaphore;

fn missing(terminal: &Terminal) -> Vec<u16> {
    let fallbacks = terminal.trail.iter().flat_map(|e| &e.fallbacks);
    fallbacks
        .filter_map(|fallback| match fallback {
            Fallback::PartsMissing { indexes } => Some(indexes.clone()),
            _ => None,
        })
        .flatten()
        .collect()
}

/// One mapper is too late: the reducer starts without it and says so. The part comes while the reducer works and is
/// the last one. It changes nothing: the step that it creates is, byte by byte, the one that the timer made.
pub(crate) async fn a_late_part_changes_nothing(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let (late, slow) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let wait = late.clone();
    let mapper = Script::new(Role::Mapper, move |call| {
        let wait = wait.clone();
        async move {
            if matches!(&call.task.payload, Payload::Mapper(map) if map.index == 2) {
                wait.acquire().await.unwrap().forget();
            }
            Ok(read(call.task))
        }
    });
    let wait = slow.clone();
    let reducer = Script::new(Role::Reducer, move |call| {
        let wait = wait.clone();
        async move {
            wait.acquire().await.unwrap().forget();
            Ok(draft(call.task))
        }
    });
    let between = Between::new(&world.bus, |_| Do::Pass);
    let _mapper = world.hire(&mapper).on(between.clone()).start();
    let _reducer = world.hire(&reducer).start();
    let _staff = world.staff(&[Role::Planner, Role::Retriever, Role::Validator]);
    let question = json!({"question": "q", "id": "late", "deadline": "6s"});
    let id = world.ask(question).await;
    let by_timer = world.step_stored(&id, "reducer 4").await;
    until("the reducer at work", async || reducer.calls() == 1).await;
    assert_eq!(world.step(&id, "part 3.2").await, None);

    late.add_permits(1);
    until("the last mapper's join", async || {
        let tried = between.tried(".reducer.late.4");
        tried.first().is_some_and(|(_, came)| came.is_some())
    })
    .await;
    let tried = between.tried(".reducer.late.4");
    assert_eq!(tried.len(), 1);
    assert_eq!(tried[0].0.body, by_timer.body, "the same step");
    assert_eq!(tried[0].1, Some(Err(PublishError::Exists)));
    slow.add_permits(1);

    let terminal = world.end(&id).await;
    assert_eq!(terminal.answer.as_deref(), Some("fact 0, fact 1"));
    assert_eq!(missing(&terminal), [2]);
    assert!(!terminal.notices.is_empty(), "the user is told");
    assert_eq!(
        (world.steps(&id).await, reducer.calls()),
        (STRAIGHT.map(String::from).into(), 1)
    );
    assert_eq!(world.ends(&id).await, 1);
}

/// One mapper of the first round is too late for its reducer, which finds too little. Its findings count in the
/// second round, and its passage is not read again.
pub(crate) async fn a_late_part_counts_in_the_next_round(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let (late, next) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let wait = late.clone();
    let mapper = Script::new(Role::Mapper, move |call| {
        let wait = wait.clone();
        async move {
            let is_first = call.cx.header.round == 0;
            if matches!(&call.task.payload, Payload::Mapper(map) if is_first && map.index == 2) {
                wait.acquire().await.unwrap().forget();
            }
            Ok(read(call.task))
        }
    });
    let wait = next.clone();
    let planner = Script::new(Role::Planner, move |call| {
        let wait = wait.clone();
        async move {
            let round = call.cx.header.round;
            if round > 0 {
                wait.acquire().await.unwrap().forget();
            }
            Ok(plan(&format!("plan {round}")))
        }
    });
    let reducer = Script::new(Role::Reducer, async |call| match call.cx.header.round {
        0 => Ok(too_little()),
        _ => Ok(draft(call.task)),
    });
    let _hands = [&mapper, &planner, &reducer].map(|script| world.hire(script).start());
    let _staff = world.staff(&[Role::Retriever, Role::Validator]);
    let question = json!({"question": "q", "id": "later", "deadline": "6s"});
    let id = world.ask(question).await;
    world.step_stored(&id, "planner 5").await;
    assert_eq!(world.step(&id, "part 3.2").await, None);
    late.add_permits(1);
    world.step_stored(&id, "part 3.2").await;
    next.add_permits(1);

    let terminal = world.end(&id).await;
    let answer = terminal.answer.as_deref();
    assert_eq!(
        answer,
        Some("fact 0, fact 1, fact 2, fact 0, fact 1, fact 2")
    );
    assert_eq!(
        missing(&terminal),
        [0u16; 0],
        "what is missing is told of the newest round"
    );
    assert_eq!((mapper.calls(), reducer.calls()), (6, 2));
    assert_eq!(world.ends(&id).await, 1);
}

/// The opposite case: all parts are there, and the reducer still works when the timer fires.
pub(crate) async fn a_late_timer_changes_nothing(on: On) {
    let world = World::new(on).await;
    let between = Between::new(&world.bus, |_| Do::Pass);
    let bus: Arc<dyn Bus> = between.clone();
    let _gateway = world.gateway_with(&bus, |_| {});
    let slow = Arc::new(Semaphore::new(0));
    let wait = slow.clone();
    let reducer = Script::new(Role::Reducer, move |call| {
        let wait = wait.clone();
        async move {
            wait.acquire().await.unwrap().forget();
            Ok(draft(call.task))
        }
    });
    let _reducer = world.hire(&reducer).start();
    let _staff = world.staff(&[
        Role::Planner,
        Role::Retriever,
        Role::Mapper,
        Role::Validator,
    ]);
    let question = json!({"question": "q", "id": "timer", "deadline": "4s"});
    let id = world.ask(question).await;
    let by_mapper = world.step_stored(&id, "reducer 4").await;
    until("the timer's join", async || {
        let tried = between.tried(".reducer.timer.4");
        tried.first().is_some_and(|(_, came)| came.is_some())
    })
    .await;
    let tried = between.tried(".reducer.timer.4");
    assert_eq!(tried[0].0.body, by_mapper.body, "the same step");
    assert_eq!(tried[0].1, Some(Err(PublishError::Exists)));
    slow.add_permits(1);
    let terminal = world.end(&id).await;
    assert_eq!(terminal.answer.as_deref(), Some("fact 0, fact 1, fact 2"));
    assert!(missing(&terminal).is_empty());
    assert_eq!(
        (world.steps(&id).await, reducer.calls()),
        (STRAIGHT.map(String::from).into(), 1)
    );
}

/// A turn has one timer. When it fires first, the gateway sets the soft deadline of the fan-out that is open, which is reduced
/// without the map that hangs; a turn without one has its timer set again, and ends at its deadline.
pub(crate) async fn the_first_look_sets_the_soft_deadline(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let mapper = Script::new(Role::Mapper, async |call| match &call.task.payload {
        Payload::Mapper(map) if map.index == 2 => std::future::pending().await,
        _ => Ok(read(call.task)),
    });
    let reducer = Script::new(Role::Reducer, async |call| {
        match call.cx.header.turn.as_str() {
            "hangs" => std::future::pending().await,
            _ => Ok(draft(call.task)),
        }
    });
    let _hands = [&mapper, &reducer].map(|script| world.hire(script).start());
    let _retriever = world.hire(&retriever(3)).batch(8).start();
    let _staff = world.staff(&[Role::Planner, Role::Validator]);
    let ask = async |id| {
        world
            .ask(json!({"question": "q", "id": id, "deadline": "16s"}))
            .await
    };
    let (id, hangs) = (ask("open").await, ask("hangs").await);
    world.step_stored(&id, "mapper 2").await;
    let timers = async |id: &str| {
        let all = world.all(Stream::Timers).await;
        let own = all.iter().map(|m| m.subject.as_str());
        let own = own.filter(|at| at.contains(id)).map(str::to_owned);
        own.collect::<Vec<_>>()
    };
    assert_eq!(timers("open").await, ["argosy.timer.open"]);
    let terminal = world.end(&id).await;
    assert_eq!(terminal.answer.as_deref(), Some("fact 0, fact 1"));
    assert_eq!(missing(&terminal), [2]);
    let terminal = world.end(&hangs).await;
    assert_eq!(terminal.outcome, Outcome::Expired);
    let took = terminal.asked_at.until(terminal.ended_at);
    assert!((16_000..19_000).contains(&took), "{took} ms");
}

/// The timer of a turn is lost. The sweep makes it again, and the turn ends at its time.
pub(crate) async fn a_lost_timer_is_made_again(on: On) {
    let world = World::new(on).await;
    let lost = std::sync::atomic::AtomicBool::new(false);
    let between = Between::new(&world.bus, move |message| {
        let is_first = message.subject == "argosy.timer.lost"
            && !lost.swap(true, std::sync::atomic::Ordering::SeqCst);
        if is_first { Do::Swallow } else { Do::Pass }
    });
    let bus: Arc<dyn Bus> = between.clone();
    let _gateway = world.gateway_with(&bus, |o| o.sweep_every = TimeSpan::from_millis(500));
    let mut ear = world.listen("_INBOX.lost").await;
    let question =
        json!({"question": "q", "id": "lost", "deadline": "4s", "reply_to": "_INBOX.lost"});
    let id = world.ask(question).await;
    let timer = Subject::Timer {
        turn: id.clone(),
        hop: None,
    }
    .to_string();
    until("the timer", async || {
        world
            .bus
            .last(Stream::Timers, &timer)
            .await
            .unwrap()
            .is_some()
    })
    .await;
    assert!(between.tried("argosy.timer.lost").len() >= 2);
    let terminal = ear.terminal().await;
    assert_eq!((&terminal.turn, terminal.outcome), (&id, Outcome::Expired));
    let took = terminal.asked_at.until(terminal.ended_at);
    assert!(
        (4_000..6_000).contains(&took),
        "its timer ended it: {took} ms"
    );
    assert_eq!(world.ends(&id).await, 1);
}

/// Every timer of a turn is lost for good: the sweep itself ends the turn, and the asker is told.
pub(crate) async fn a_turn_without_a_timer_is_ended_by_the_sweep(on: On) {
    let world = World::new(on).await;
    let between = Between::new(&world.bus, |message| {
        match message.subject.starts_with("argosy.timer.") {
            true => Do::Swallow,
            false => Do::Pass,
        }
    });
    let bus: Arc<dyn Bus> = between.clone();
    let _gateway = world.gateway_with(&bus, |o| o.sweep_every = TimeSpan::from_millis(500));
    let mut ear = world.listen("_INBOX.swept").await;
    let question =
        json!({"question": "q", "id": "swept", "deadline": "1s", "reply_to": "_INBOX.swept"});
    let id = world.ask(question).await;
    let terminal = ear.terminal().await;
    assert_eq!((&terminal.turn, terminal.outcome), (&id, Outcome::Expired));
    assert_eq!(world.ends(&id).await, 1);
    let timers = world.all(Stream::Timers).await;
    assert!(
        timers
            .iter()
            .all(|m| m.subject.starts_with("argosy.sweep."))
    );
}
