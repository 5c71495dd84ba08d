//! Tests of a batch: a search with few passages, whose record is itself the step of a mapper that maps all of them.

use crate::hand::Stop;
use crate::refusals::STRAIGHT;
use crate::script::{
    Call, Script, draft, facts, fails, found, mapper, read, retriever, too_little,
};
use crate::world::{On, World};
use bus::Stream;
use envelope::hop::RetrieverExit;
use envelope::{Class, Exit, Fallback, Payload, Role, Subject, Terminal, TrailEntry};
use harness::fault::Point;
use serde_json::json;
use std::sync::Arc;

/// What is stored of a turn without parts.
const BATCHED: [&str; 5] = [
    "mapper 2",
    "planner 0",
    "reducer 4",
    "retriever 1",
    "validator 5",
];
/// Everybody but retriever and mapper.
const REST: [Role; 3] = [Role::Planner, Role::Reducer, Role::Validator];

fn index(call: &Call) -> u16 {
    match &call.task.payload {
        Payload::Mapper(map) => map.index,
        other => panic!("not a map task: {other:?}"),
    }
}

/// Reads every passage but one, of which the call never ends; in a second delivery that one is read too.
fn slow_at(slow: u16) -> Arc<Script> {
    Script::new(Role::Mapper, move |call: Call| async move {
        if index(&call) == slow && call.cx.attempt == 1 {
            std::future::pending::<()>().await;
        }
        Ok(read(call.task))
    })
}

fn maps(terminal: &Terminal) -> Vec<&TrailEntry> {
    let all = terminal.trail.iter();
    all.filter(|entry| entry.role == Role::Mapper).collect()
}

/// One message carries the decision and the work, and one what came of it: no part is stored, and none is read.
pub(crate) async fn a_search_of_few_passages_is_one_step(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let mapper = mapper();
    let _hands = [
        world.hire(&retriever(3)).batch(8).start(),
        world.hire(&mapper).start(),
    ];
    let _staff = world.staff(&REST);
    let id = world.ask(json!({"question": "q", "id": "batch"})).await;
    let terminal = world.end(&id).await;
    assert_eq!(terminal.answer.as_deref(), Some("fact 0, fact 1, fact 2"));
    assert_eq!(world.steps(&id).await, BATCHED);
    assert_eq!(mapper.calls(), 3);
    let told: Vec<_> = maps(&terminal).iter().map(|e| (e.hop, e.index)).collect();
    assert_eq!(told, [(3, Some(0)), (3, Some(1)), (3, Some(2))]);
}

/// With more passages than a batch has, each has a step of its own.
pub(crate) async fn a_larger_search_has_a_step_for_each_passage(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let _retriever = world.hire(&retriever(3)).batch(2).start();
    let _mapper = world.hire(&mapper()).start();
    let _staff = world.staff(&REST);
    let id = world.ask(json!({"question": "q", "id": "large"})).await;
    world.end(&id).await;
    assert_eq!(world.steps(&id).await, STRAIGHT);
}

/// The retriever dies between the record and its soft deadline, which the next delivery sets.
pub(crate) async fn a_batch_without_its_timer_gets_one(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let retriever = retriever(3);
    let stop = Stop::at(Point::ScatterStored);
    let first = world.hire(&retriever).batch(8).with(&stop).start();
    let _staff = world.staff(&[Role::Planner]);
    // So soon that the timer of the turn would not set the soft deadline.
    let question = json!({"question": "q", "id": "timer", "deadline": "12s"});
    let id = world.ask(question).await;
    stop.reached(1).await;
    first.kill().await;
    let (turn, hop) = (id.clone(), Some(2));
    let soft = Subject::Timer { turn, hop }.to_string();
    let timer = async || world.bus.last(Stream::Timers, &soft).await.unwrap();
    assert_eq!(timer().await, None);
    // This one would make steps of its own: what is stored counts.
    let _second = world.hire(&retriever).batch(1).start();
    crate::world::until("the soft deadline", async || timer().await.is_some()).await;
    let _staff = world.staff(&[Role::Mapper, Role::Reducer, Role::Validator]);
    world.end(&id).await;
    assert_eq!(world.steps(&id).await, BATCHED);
    assert_eq!(retriever.calls(), 1, "the index was asked once");
}

/// A mapper dies with a batch that is half done: what was done and not yet stored is done again.
pub(crate) async fn a_half_done_batch_is_done_again(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let _retriever = world.hire(&retriever(3)).batch(8).start();
    let _staff = world.staff(&REST);
    let mapper = mapper();
    let stop = Stop::at(Point::Mapped);
    let first = world.hire(&mapper).with(&stop).start();
    let id = world.ask(json!({"question": "q", "id": "half"})).await;
    stop.reached(1).await;
    first.kill().await;
    assert_eq!(world.step(&id, "part 3.0").await, None);
    let _second = world.hire(&mapper).start();
    let terminal = world.end(&id).await;
    assert_eq!(terminal.answer.as_deref(), Some("fact 0, fact 1, fact 2"));
    assert_eq!(world.steps(&id).await, BATCHED);
    assert_eq!(maps(&terminal).len(), 3);
    assert!(mapper.calls() <= 6, "{} calls", mapper.calls());
}

/// While a call of the batch still runs, what was done is stored: after a crash only that call is made again.
pub(crate) async fn what_was_done_is_stored_when_a_call_is_slow(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let _retriever = world.hire(&retriever(3)).batch(8).start();
    let _staff = world.staff(&REST);
    let mapper = slow_at(1);
    let stop = Stop::at(Point::PartStored);
    let first = world.hire(&mapper).with(&stop).start();
    let id = world.ask(json!({"question": "q", "id": "slow"})).await;
    stop.reached(1).await;
    first.kill().await;
    let _second = world.hire(&mapper).start();
    let terminal = world.end(&id).await;
    assert_eq!(terminal.answer.as_deref(), Some("fact 0, fact 1, fact 2"));
    let steps = world.steps(&id).await;
    let parts: Vec<_> = steps.iter().filter(|s| s.starts_with("part")).collect();
    assert_eq!(parts, ["part 3.0", "part 3.2"]);
    assert_eq!(mapper.calls(), 4, "the slow one twice, the others once");
    assert_eq!(maps(&terminal).len(), 3);
}

/// Where a call never ends, the soft deadline goes on with what was stored, and the answer names what is missing.
pub(crate) async fn the_soft_deadline_takes_what_was_stored(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let _retriever = world.hire(&retriever(3)).batch(8).start();
    let _mapper = world.hire(&slow_at(1)).start();
    let _staff = world.staff(&REST);
    let asked = json!({"question": "q", "id": "soft", "deadline": "5s"});
    let terminal = world.end(&world.ask(asked).await).await;
    assert_eq!(terminal.answer.as_deref(), Some("fact 0, fact 2"));
    let all = terminal.trail.iter().flat_map(|entry| &entry.fallbacks);
    let missing = Fallback::PartsMissing { indexes: vec![1] };
    assert!(all.into_iter().any(|told| *told == missing));
}

/// With a quorum, and with facts that are enough, the last call is not waited for; the answer names it.
pub(crate) async fn enough_of_a_batch_is_not_waited_with(on: On) {
    for (id, quorum, early) in [("quorum", 0.6, 0), ("early", 1.0, 2)] {
        let world = World::new(on).await;
        let _gateway = world.gateway();
        let _retriever = world.hire(&retriever(3)).batch(8).start();
        let mapper = world.hire(&slow_at(1));
        let hand = mapper.options(|o| (o.quorum, o.early_reduce) = (quorum, early));
        let hand = hand.start();
        let _staff = world.staff(&REST);
        let id = world.ask(json!({"question": "q", "id": id})).await;
        let terminal = world.end(&id).await;
        assert_eq!(terminal.answer.as_deref(), Some("fact 0, fact 2"));
        assert_eq!(world.steps(&id).await, BATCHED, "{id}");
        assert_eq!(hand.drained().await.given_back, 0, "the call was stopped");
    }
}

/// A passage whose step is given up leaves a dead letter under its own number, and the answer names it; one that fails for a
/// moment is tried again by itself.
pub(crate) async fn a_passage_that_fails_costs_the_others_nothing(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let _retriever = world.hire(&retriever(4)).batch(8).start();
    let mapper = Script::new(Role::Mapper, async |call: Call| match index(&call) {
        1 => fails(Class::Permanent),
        2 if call.cx.attempt == 1 => fails(Class::Transient),
        _ => Ok(read(call.task)),
    });
    let _mapper = world.hire(&mapper).start();
    let _staff = world.staff(&REST);
    let id = world.ask(json!({"question": "q", "id": "fails"})).await;
    let terminal = world.end(&id).await;
    assert_eq!(terminal.answer.as_deref(), Some("fact 0, fact 2, fact 3"));
    let all = terminal.trail.iter().flat_map(|entry| &entry.fallbacks);
    let failed = Fallback::PartsFailed { indexes: vec![1] };
    assert!(all.into_iter().any(|told| *told == failed));
    let dead = world.all(Stream::Dead).await;
    let dead: Vec<_> = dead.iter().map(|letter| letter.subject.as_str()).collect();
    assert_eq!(dead, ["argosy.dead.mapper.fails.3.1"]);
    assert_eq!(
        mapper.calls(),
        5,
        "the second delivery has one passage to read"
    );
}

/// A second round reads what the first one's reducer was given, though no part of it is stored.
pub(crate) async fn a_second_round_reads_what_travelled(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let reducer = Script::new(Role::Reducer, async |call| match call.cx.header.round {
        0 => Ok(too_little()),
        _ => Ok(draft(call.task)),
    });
    let retriever = Script::new(Role::Retriever, async |call| {
        Ok(found(2 + usize::from(call.cx.header.round)))
    });
    let _hands = [
        world.hire(&retriever).batch(8).start(),
        world.hire(&reducer).start(),
    ];
    let _staff = world.staff(&[Role::Planner, Role::Mapper, Role::Validator]);
    let id = world.ask(json!({"question": "q", "id": "rounds"})).await;
    let terminal = world.end(&id).await;
    let answer = "fact 0, fact 1, fact 0, fact 1, fact 2";
    assert_eq!(terminal.answer.as_deref(), Some(answer), "of both rounds");
    assert_eq!(maps(&terminal).len(), 5, "each map is told once");
    let steps = world.steps(&id).await;
    assert!(!steps.iter().any(|step| step.starts_with("part")));
}

/// A reducer's step would be larger than it may be with its maps in it: they are stored as parts, and it reads them.
pub(crate) async fn what_is_too_large_to_travel_is_stored(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let retriever = Script::new(Role::Retriever, async |_| {
        let mut done = found(3);
        if let Exit::Retriever(RetrieverExit::Found(scatter)) = &mut done.out {
            for passage in &mut scatter.passages {
                passage.text.push_str(&" and so on".repeat(3_000));
            }
        }
        Ok(done)
    });
    let _retriever = world.hire(&retriever).batch(8).start();
    let facts = Script::new(Role::Mapper, async |call: Call| {
        Ok(facts(&format!("fact {}", index(&call))))
    });
    let _mapper = world.hire(&facts).start();
    let _staff = world.staff(&REST);
    let id = world.ask(json!({"question": "q", "id": "large"})).await;
    let terminal = world.end(&id).await;
    assert_eq!(terminal.answer.as_deref(), Some("fact 0, fact 1, fact 2"));
    let steps = world.steps(&id).await;
    let parts: Vec<_> = steps.iter().filter(|s| s.starts_with("part")).collect();
    assert_eq!(parts, ["part 3.0", "part 3.1", "part 3.2"]);
}

/// More searches than calls may run at once: they wait in the mapper's hands for longer than the ack wait, and none of them is
/// delivered again.
pub(crate) async fn what_waits_for_a_call_is_not_delivered_again(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let _retriever = world.hire(&retriever(3)).batch(8).start();
    let long = world.topology.ack_wait.duration() / 2;
    let mapper = Script::new(Role::Mapper, move |call: Call| async move {
        tokio::time::sleep(long).await;
        match call.cx.attempt {
            1 => Ok(read(call.task)),
            again => panic!("delivery {again}"),
        }
    });
    let _mapper = world.hire(&mapper).options(|o| o.slots = 2).start();
    let _staff = world.staff(&REST);
    for n in 0..4 {
        let id = format!("waits-{n}");
        world.ask(json!({"question": "q", "id": id})).await;
    }
    for n in 0..4 {
        let terminal = world.end(&crate::world::turn(&format!("waits-{n}"))).await;
        assert_eq!(terminal.answer.as_deref(), Some("fact 0, fact 1, fact 2"));
    }
    assert_eq!(mapper.calls(), 12, "each passage was read once");
    assert!(world.all(Stream::Dead).await.is_empty());
}
