//! Tests scatter, map and join: a half-done fan-out is finished from the stored messages, and no model call is made
//! twice.

use crate::hand::Stop;
use crate::refusals::STRAIGHT;
use crate::script::{
    Script, draft, fails, found, grounded, mapper, plan, read, retriever, too_little, verdict,
};
use crate::world::{On, World, turn};
use bus::Stream;
use envelope::hop::ValidatorExit;
use envelope::{Class, Fallback, Outcome, Payload, ReduceTask, Role, Subject, Task};
use harness::fault::Point;
use serde_json::json;
use stage::StepOutput;
use std::sync::{Arc, Mutex};
use telemetry::Registry;

/// The retriever dies between its scatter record and the map steps.
pub(crate) async fn a_half_done_scatter_is_finished(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let retriever = retriever(3);
    let stop = Stop::at(Point::ScatterStored);
    let first = world.hire(&retriever).with(&stop).start();
    let _staff = world.staff(&[Role::Planner, Role::Mapper, Role::Reducer, Role::Validator]);
    // So soon that the timer of the turn would not set the soft deadline.
    let question = json!({"question": "q", "id": "scatter", "deadline": "12s"});
    let id = world.ask(question).await;
    stop.reached(1).await;
    first.kill().await;
    let before = ["planner 0", "retriever 1", "scatter 2"];
    assert_eq!(world.steps(&id).await, before);
    let soft = Subject::Timer {
        turn: id.clone(),
        hop: Some(2),
    }
    .to_string();
    let timer = async || world.bus.last(Stream::Timers, &soft).await.unwrap();
    assert_eq!(timer().await, None);

    let _second = world.hire(&retriever).start();
    assert_eq!(world.end(&id).await.outcome, Outcome::Answered);
    assert_eq!(world.steps(&id).await, STRAIGHT);
    assert!(timer().await.is_some(), "the soft deadline");
    assert_eq!(retriever.calls(), 1, "the index was asked once");
}

/// Every mapper dies between its part and the count, so no mapper sees all parts.
pub(crate) async fn uncounted_parts_are_joined(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let mapper = mapper();
    let stop = Stop::at(Point::PartStored);
    let first = world.hire(&mapper).with(&stop).start();
    let _staff = world.staff(&[
        Role::Planner,
        Role::Retriever,
        Role::Reducer,
        Role::Validator,
    ]);
    let id = world.ask(json!({"question": "q", "id": "count"})).await;
    stop.reached(3).await;
    first.kill().await;
    assert_eq!(world.step(&id, "reducer 4").await, None);

    let _second = world.hire(&mapper).start();
    let terminal = world.end(&id).await;
    assert_eq!(terminal.answer.as_deref(), Some("fact 0, fact 1, fact 2"));
    assert_eq!(world.steps(&id).await, STRAIGHT);
    assert_eq!(mapper.calls(), 3, "each passage was read once");
}

/// Two parts with facts are enough: the reducer starts, and the map that hangs is stopped, whichever of two mappers
/// has it.
pub(crate) async fn facts_that_are_enough_are_not_waited_with(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let mapper = Script::new(Role::Mapper, async |call| match &call.task.payload {
        Payload::Mapper(map) if map.index == 2 => std::future::pending().await,
        _ => Ok(read(call.task)),
    });
    let hire = || world.hire(&mapper).options(|o| o.early_reduce = 2);
    let hands = [hire().start(), hire().start()];
    let _staff = world.staff(&[
        Role::Planner,
        Role::Retriever,
        Role::Reducer,
        Role::Validator,
    ]);
    let id = world.ask(json!({"question": "q", "id": "early"})).await;
    let terminal = world.end(&id).await;
    assert_eq!(terminal.answer.as_deref(), Some("fact 0, fact 1"));
    let took = terminal.asked_at.until(terminal.ended_at);
    assert!(took < 20_000, "{took} ms, as long as to the soft deadline");
    for hand in hands {
        assert_eq!(hand.drained().await.given_back, 0, "the map was stopped");
    }
    assert!(!world.steps(&id).await.contains(&"part 3.2".into()));
}

/// A fan-out that lacks a part is counted once, however often its reducer is tried again, and when it is
/// given up.
pub(crate) async fn what_a_fan_out_lacks_is_counted_once(on: On) {
    for (class, failures) in [(Class::Transient, 2), (Class::Permanent, 1)] {
        let world = World::new(on).await;
        let _gateway = world.gateway();
        let mapper = Script::new(Role::Mapper, async |call| match &call.task.payload {
            Payload::Mapper(map) if map.index == 2 => std::future::pending().await,
            _ => Ok(read(call.task)),
        });
        let reducer = Script::new(Role::Reducer, move |call| async move {
            match call.n <= failures {
                true => fails(class),
                false => Ok(draft(call.task)),
            }
        });
        let counted = Registry::new();
        let _mapper = world.hire(&mapper).options(|o| o.early_reduce = 2).start();
        let _reducer = world.hire(&reducer).counting(&counted).start();
        let _staff = world.staff(&[Role::Planner, Role::Retriever, Role::Validator]);
        let id = world.ask(json!({"question": "q", "id": "lacks"})).await;
        world.end(&id).await;
        let text = counted.encode();
        let mut lines = text.lines();
        let line = "argosy_fanin_incomplete_total{reason=\"early\"} 1";
        assert!(lines.any(|found| found == line), "{class:?}: {text}");
    }
}

/// Turn ids, hops and indexes that are the same numbers: four turns, each with two rounds of four maps. No write
/// condition or count confuses them.
pub(crate) async fn the_same_numbers_everywhere(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let reducer = Script::new(Role::Reducer, async |call| match call.cx.header.round {
        0 => Ok(too_little()),
        _ => Ok(draft(call.task)),
    });
    let retriever = retriever(4);
    let _hands = [world.hire(&reducer).start(), world.hire(&retriever).start()];
    let _staff = world.staff(&[Role::Planner, Role::Mapper, Role::Validator]);
    let ids = ["0", "2", "3", "8"];
    for id in ids {
        world.ask(json!({"question": "q", "id": id})).await;
    }
    let mut wanted: Vec<String> = [
        "planner 0",
        "retriever 1",
        "scatter 2",
        "reducer 4",
        "planner 5",
        "retriever 6",
        "scatter 7",
        "reducer 9",
        "validator 10",
    ]
    .map(String::from)
    .into();
    for i in 0..4 {
        for hop in [3, 8] {
            wanted.push(format!("mapper {hop}.{i}"));
            wanted.push(format!("part {hop}.{i}"));
        }
    }
    wanted.sort();
    for id in ids.map(turn) {
        let terminal = world.end(&id).await;
        assert_eq!(
            terminal.answer.as_deref(),
            Some("fact 0, fact 1, fact 2, fact 3, fact 0, fact 1, fact 2, fact 3"),
            "what both rounds have found"
        );
        assert_eq!(world.steps(&id).await, wanted, "turn {id}");
    }
}

/// A draft that says too much is made again, stricter, in the same round and from the same parts.
pub(crate) async fn a_stricter_draft_reads_the_same_parts(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let tasks: Arc<Mutex<Vec<Task>>> = Arc::default();
    let kept = tasks.clone();
    let reducer = Script::new(Role::Reducer, move |call| {
        kept.lock().unwrap().push(call.task.clone());
        async move { Ok(draft(call.task)) }
    });
    let validator = Script::new(Role::Validator, async |call| match &call.task.payload {
        Payload::Validator(draft) if !draft.strict => {
            let ungrounded = ValidatorExit::Ungrounded {
                verdict: verdict(draft),
                stricter_from: draft.scatters.clone(),
                reason: "says too much".into(),
            };
            Ok(StepOutput::new(ungrounded.into(), "says too much"))
        }
        _ => Ok(grounded(call.task)),
    });
    let mapper = mapper();
    let _hands = [&reducer, &validator, &mapper].map(|script| world.hire(script).start());
    let _staff = world.staff(&[Role::Planner, Role::Retriever]);
    let id = world.ask(json!({"question": "q", "id": "strict"})).await;
    let terminal = world.end(&id).await;

    let tasks = tasks.lock().unwrap().clone();
    let [loose, strict] = tasks.as_slice() else {
        panic!("{} reduces", tasks.len())
    };
    let is_strict = |task: &Task| match task.payload {
        Payload::Reducer(ReduceTask::Gather { strict, .. }) => strict,
        _ => panic!("{task:?}"),
    };
    assert_eq!((is_strict(loose), is_strict(strict)), (false, true));
    assert_eq!(loose.evidence, strict.evidence);
    assert_eq!(loose.evidence[0].missing(), Vec::<u16>::new());
    assert_eq!(mapper.calls(), 3);
    let mut wanted: Vec<&str> = STRAIGHT
        .into_iter()
        .chain(["reducer 6", "validator 7"])
        .collect();
    wanted.sort_unstable();
    assert_eq!(world.steps(&id).await, wanted);
    assert_eq!(world.ends(&id).await, 1);
    let entries = |role| terminal.trail.iter().filter(|e| e.role == role).count();
    assert_eq!((entries(Role::Mapper), entries(Role::Reducer)), (3, 2));
    let stricter = terminal.trail.iter().flat_map(|e| &e.fallbacks);
    assert_eq!(stricter.filter(|f| **f == Fallback::Stricter).count(), 1);
}

/// The planner of a refined round is killed after its decision: the second fan-out of the turn is made once, and the
/// first one is not changed.
pub(crate) async fn a_second_round_is_finished_too(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let reducer = Script::new(Role::Reducer, async |call| match call.cx.header.round {
        0 => Ok(too_little()),
        _ => Ok(draft(call.task)),
    });
    let planner = Script::new(Role::Planner, async |call| {
        Ok(plan(&format!("plan {}", call.cx.header.round)))
    });
    let retriever = Script::new(Role::Retriever, async |call| {
        Ok(found(2 + usize::from(call.cx.header.round)))
    });
    let stop = Stop::at(Point::Published);
    let _hands = [&reducer, &retriever].map(|script| world.hire(script).start());
    let _staff = world.staff(&[Role::Mapper, Role::Validator]);
    let id = world.ask(json!({"question": "q", "id": "rounds"})).await;
    for hop in ["retriever 1", "retriever 6"] {
        let hand = world.hire(&planner).with(&stop).start();
        stop.reached(1).await;
        world.step_stored(&id, hop).await;
        hand.kill().await;
    }
    let terminal = world.end(&id).await;
    let answer = "fact 0, fact 1, fact 0, fact 1, fact 2";
    assert_eq!(terminal.answer.as_deref(), Some(answer), "of both rounds");
    let maps = terminal.trail.iter().filter(|e| e.role == Role::Mapper);
    assert_eq!(maps.count(), 5, "each map is told once");
    let steps = world.steps(&id).await;
    let parts = |hop: &str| steps.iter().filter(|s| s.starts_with(hop)).count();
    assert_eq!((parts("part 3."), parts("part 8.")), (2, 3));
}
