//! Tests workers that are told to stop, and turns that are cancelled.

use crate::between::{Between, Do};
use crate::refusals::STRAIGHT;
use crate::script::{Came, Script, mapper, plan, planner, usual};
use crate::world::{On, World, until};
use bus::{PublishError, Stream};
use envelope::{Class, Outcome, Role};
use harness::consumer_loop::DrainReport;
use serde_json::json;
use settings::TimeSpan;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use streams::client::cancel;
use streams::outbox::CreateOutcome;
use tokio::sync::Semaphore;
use tokio::time::Instant;

/// Sets a long ack wait, so that a message comes again only because it was given back.
fn patient(topology: &mut bus::topology::Topology) {
    topology.ack_wait = TimeSpan::from_secs(120);
}

/// Two steps run and one waits for a free slot: the two are finished, and another worker gets the third.
pub(crate) async fn stopping_finishes_what_was_begun(on: On) {
    let world = World::with(on, patient).await;
    let _gateway = world.gateway();
    let gate = Arc::new(Semaphore::new(0));
    let wait = gate.clone();
    let first = Script::new(Role::Planner, move |_| {
        let wait = wait.clone();
        async move {
            wait.acquire().await.unwrap().forget();
            Ok(plan("by the first"))
        }
    });
    let hand = world.hire(&first).options(|o| o.slots = 2).start();
    let mut ids = Vec::new();
    for n in 0..3 {
        let question = json!({"question": "q", "id": format!("stop-{n}")});
        ids.push(world.ask(question).await);
    }
    until("two at work", async || first.calls() == 2).await;
    hand.stop();
    let second = planner();
    let _second = world.hire(&second).start();
    until("the third at the other worker", async || {
        second.calls() == 1
    })
    .await;
    gate.add_permits(2);
    let drained = hand.drained().await;
    let wanted = DrainReport {
        finished: 2,
        given_back: 0,
    };
    assert_eq!(drained, wanted);
    for id in &ids {
        world.step_stored(id, "retriever 1").await;
    }
    world.quiet().await;
    assert_eq!((first.calls(), second.calls()), (2, 1));
}

/// One step is held because everything is busy, two more have come and were not begun: these are
/// given back at once, the held one when the grace period is over.
pub(crate) async fn stopping_gives_back_the_rest(on: On) {
    let world = World::with(on, patient).await;
    let _gateway = world.gateway();
    let busy = Script::new(Role::Planner, async |_| -> Came {
        Err(stage::Error {
            class: Class::Overloaded,
            code: "busy",
            retry_after: Some(Duration::from_secs(600)),
            source: "everything is busy".into(),
        })
    });
    let hire = world.hire(&busy);
    let hire = hire.options(|o| (o.slots, o.grace) = (4, TimeSpan::from_millis(500)));
    let hand = hire.start();
    let mut ids = vec![world.ask(json!({"question": "q", "id": "held"})).await];
    until("one held", async || busy.calls() == 1).await;
    for n in 0..2 {
        let question = json!({"question": "q", "id": format!("waits-{n}")});
        ids.push(world.ask(question).await);
        world.step_stored(&ids[n + 1], "planner 0").await;
    }
    world.quiet().await;
    let drained = hand.drained().await;
    let wanted = DrainReport {
        finished: 0,
        given_back: 1,
    };
    assert_eq!(drained, wanted);
    assert_eq!(busy.calls(), 1, "nothing was begun while one was held");

    let second = planner();
    let _second = world.hire(&second).start();
    for id in &ids {
        world.step_stored(id, "retriever 1").await;
    }
    assert_eq!(second.calls(), 3);
}

/// The server goes away between the subscriptions with which a mapper begins.
pub(crate) async fn stopping_does_not_wait_for_a_server(on: On) {
    let world = World::new(on).await;
    let away = Between::deaf(&world.bus, "argosy.joined.*.*");
    let hire = world.hire(&mapper()).on(away.clone());
    let hand = hire.options(|o| o.early_reduce = 1).start();
    away.meddled(1).await;
    assert_eq!(hand.drained().await, DrainReport::default());
}

/// A turn is cancelled while a stage works on it: the work is dropped within a tenth of a second
/// (of the paused clock; a server and a busy machine may take longer), and not begun again.
pub(crate) async fn a_cancelled_turn_stops_its_work(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let dropped: Arc<Mutex<Option<Instant>>> = Arc::default();
    struct Dropped(Arc<Mutex<Option<Instant>>>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            *self.0.lock().unwrap() = Some(Instant::now());
        }
    }
    let told = dropped.clone();
    let hanging = Script::new(Role::Planner, move |_| {
        let guard = Dropped(told.clone());
        async move {
            let _guard = guard;
            std::future::pending::<Came>().await
        }
    });
    let hand = world.hire(&hanging).start();
    let mut ear = world.listen("_INBOX.cancelled").await;
    let question = json!({"question": "q", "id": "cancelled", "reply_to": "_INBOX.cancelled"});
    let id = world.ask(question).await;
    until("the stage at work", async || hanging.calls() == 1).await;

    let told_at = Instant::now();
    assert_eq!(cancel(&*world.bus, &id).await.unwrap(), CreateOutcome::Now);
    until("the work dropped", async || {
        dropped.lock().unwrap().is_some()
    })
    .await;
    let took = dropped.lock().unwrap().unwrap() - told_at;
    let bound = match on {
        On::Memory => Duration::from_millis(100),
        On::Nats => Duration::from_secs(2),
    };
    assert!(took <= bound, "{took:?}");
    let heard = ear.terminal().await;
    assert_eq!((&heard.turn, heard.outcome), (&id, Outcome::Cancelled));

    // The step was acked: a worker that never heard the word is not given it.
    tokio::time::sleep(Duration::from_millis(500)).await;
    hand.kill().await;
    let second = planner();
    let _second = world.hire(&second).start();
    tokio::time::sleep(world.topology.ack_wait.duration() + Duration::from_millis(500)).await;
    assert_eq!((hanging.calls(), second.calls()), (1, 0));
    assert_eq!(world.steps(&id).await, ["planner 0"]);
    assert_eq!(world.ends(&id).await, 1);
}

/// The answer is on its way when the turn is cancelled: the write condition refuses it, and the turn stays cancelled.
pub(crate) async fn a_result_after_the_cancel_is_refused(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let gate = Arc::new(Semaphore::new(0));
    let held = gate.clone();
    let between = Between::new(&world.bus, move |message| {
        match message.subject.starts_with("argosy.answer.") {
            true => Do::Hold(held.clone()),
            false => Do::Pass,
        }
    });
    let validator = usual(Role::Validator);
    let _validator = world.hire(&validator).on(between.clone()).start();
    let _staff = world.staff(&[Role::Planner, Role::Retriever, Role::Mapper, Role::Reducer]);
    let id = world.ask(json!({"question": "q", "id": "too-late"})).await;
    between.meddled(1).await;
    assert_eq!(cancel(&*world.bus, &id).await.unwrap(), CreateOutcome::Now);
    gate.add_permits(1);
    until("the answer refused", async || {
        let tried = between.tried("argosy.answer.");
        tried[0].1 == Some(Err(PublishError::Exists))
    })
    .await;
    world.quiet().await;
    assert_eq!(world.end(&id).await.outcome, Outcome::Cancelled);
    assert_eq!(world.ends(&id).await, 1);
    assert_eq!(world.steps(&id).await, STRAIGHT);
    assert_eq!(validator.calls(), 1);
    assert!(world.all(Stream::Dead).await.is_empty());
}
