//! Tests steps that cannot be done. Each ends in its fallback and a dead letter, and the turn goes on or ends. This
//! never happens silently, and the bytes of the step are never lost.

use crate::between::{Between, Do};
use crate::hand::Hand;
use crate::refusals::STRAIGHT;
use crate::script::{Came, Script, assert_default, fails, hop, plan, question_by, usual};
use crate::world::{On, World, until, within};
use bus::{StoredMessage, Stream};
use envelope::hop::RetrieverExit;
use envelope::limits::DELIVERIES_MAX;
use envelope::{Class, Doubt, Fallback, Outcome, Payload, ReduceTask, Role, Terminal, header};
use futures_util::future::BoxFuture;
use llm::{ChatModel, ChatReply, ChatRequest};
use serde_json::json;
use settings::TimeSpan;
use stage::{ErasedStage, StepOutput};
use std::sync::Arc;
use std::time::Duration;
use testkit::model::ScriptedModel;

/// The dead letters, once there are `n`.
async fn letters(world: &World, n: usize) -> Vec<StoredMessage> {
    until("the dead letters", async || {
        world.all(Stream::Dead).await.len() >= n
    })
    .await;
    let letters = world.all(Stream::Dead).await;
    assert_eq!(letters.len(), n);
    letters
}

/// The one dead letter there is.
pub(crate) async fn letter(world: &World) -> StoredMessage {
    letters(world, 1).await.remove(0)
}

pub(crate) fn head<'a>(letter: &'a StoredMessage, name: &str) -> &'a str {
    letter.headers.get(name).unwrap_or_default()
}

pub(crate) fn fallbacks(terminal: &Terminal) -> Vec<Fallback> {
    let all = terminal.trail.iter().flat_map(|e| e.fallbacks.clone());
    all.collect()
}

/// Workers for a turn that passes `role`, whose worker follows the script `told`.
fn staff(world: &World, role: Role, told: Option<&Arc<Script>>) -> Vec<Hand> {
    let others = Role::THINKING.into_iter().filter(|r| *r != role);
    let others = others.map(|other| match (role, other) {
        (Role::Clarifier, Role::Retriever) => Script::new(other, async |_| {
            let doubt = Doubt::NoResults {
                query: "q".into(),
                narrowed_by: Vec::new(),
            };
            Ok(StepOutput::new(
                RetrieverExit::NothingFound(doubt).into(),
                "nothing",
            ))
        }),
        _ => usual(other),
    });
    others
        .chain(told.cloned())
        .map(|script| world.hire(&script).start())
        .collect()
}

/// A stage panics.
pub(crate) async fn a_panic_is_given_up_at_once(on: On) {
    for role in Role::THINKING {
        let world = World::new(on).await;
        let _gateway = world.gateway();
        let panics = Script::new(role, |_| -> std::future::Ready<Came> {
            panic!("a scripted panic")
        });
        let _staff = staff(&world, role, Some(&panics));
        let id = world.ask(question_by(role, "panic")).await;
        let terminal = world.end(&id).await;
        assert_default(&terminal, role, "panic");
        let count = match role {
            Role::Mapper => 3,
            // Its default is another reduction, which panics as well.
            Role::Reducer => 2,
            _ => 1,
        };
        for letter in letters(&world, count).await {
            assert_eq!(head(&letter, header::DEAD_REASON), "panic");
            assert_eq!(head(&letter, header::DEAD_DELIVERED), "1");
        }
    }
}

/// The worker that gives a step up dies before the letter or the default is stored; the worker that gets the step
/// next writes both.
pub(crate) async fn a_worker_dies_while_it_gives_up(on: On) {
    for at in ["argosy.dead.", "argosy.answer."] {
        let world = World::new(on).await;
        let _gateway = world.gateway();
        let _others = staff(&world, Role::Retriever, None);
        let panics = Script::new(Role::Retriever, |_| -> std::future::Ready<Came> {
            panic!("a scripted panic")
        });
        let stalled = Between::new(&world.bus, move |message| {
            match message.subject.starts_with(at) {
                true => Do::Stall,
                false => Do::Pass,
            }
        });
        let first = world.hire(&panics).on(stalled.clone()).start();
        let id = world.ask(json!({"question": "q", "id": "dies"})).await;
        stalled.meddled(1).await;
        first.kill().await;

        let _second = world.hire(&panics).start();
        assert_default(&world.end(&id).await, Role::Retriever, "panic");
        // One that had been stored before the crash is there twice.
        let wanted = if at == "argosy.dead." { 1 } else { 2 };
        for letter in letters(&world, wanted).await {
            assert_eq!(head(&letter, header::DEAD_REASON), "panic");
        }
    }
}

/// A step was taken and never answered as often as the limit allows: the worker that gets it next does not even try.
pub(crate) async fn a_step_that_kills_its_workers_is_given_up(on: On) {
    for role in [
        Role::Planner,
        Role::Retriever,
        Role::Validator,
        Role::Clarifier,
    ] {
        let world = World::new(on).await;
        let _gateway = world.gateway();
        let _others = staff(&world, role, None);
        let id = world.ask(json!({"question": "q", "id": "deadly"})).await;
        let mut puller = world
            .bus
            .consume(&world.topology.consumer(role))
            .await
            .unwrap();
        for n in 1..=DELIVERIES_MAX {
            let taken = within("a delivery", puller.next(1)).await.unwrap();
            assert_eq!(taken.delivered, n);
            taken.ack.nak(Duration::from_millis(1)).await.unwrap();
        }
        for left in puller.close().await {
            left.ack.nak(Duration::from_millis(1)).await.unwrap();
        }
        let script = usual(role);
        let _worker = world.hire(&script).start();
        let terminal = world.end(&id).await;
        assert_default(&terminal, role, "deliveries");
        assert_eq!(script.calls(), 0, "{role} did not try again");
        let letter = letter(&world).await;
        assert_eq!(
            letter.subject,
            format!("argosy.dead.{role}.{id}.{}", hop(role))
        );
        assert_eq!(head(&letter, header::DEAD_REASON), "deliveries");
        let delivered: u64 = head(&letter, header::DEAD_DELIVERED).parse().unwrap();
        assert!(delivered > DELIVERIES_MAX, "{delivered}");
        let original = world
            .step(&id, &format!("{role} {}", hop(role)))
            .await
            .unwrap();
        assert_eq!(letter.body, original.body);
    }
}

/// A stage fails temporarily, every time.
pub(crate) async fn a_failure_is_repeated_to_the_limit(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let failing = Script::new(Role::Validator, async |_| fails(Class::Transient));
    let _staff = staff(&world, Role::Validator, Some(&failing));
    let id = world.ask(json!({"question": "q", "id": "failing"})).await;
    let terminal = world.end(&id).await;
    assert_default(&terminal, Role::Validator, "scripted");
    assert_eq!(failing.calls() as u64, DELIVERIES_MAX);
    let letter = letter(&world).await;
    assert_eq!(head(&letter, header::DEAD_REASON), "scripted");
    assert_eq!(head(&letter, header::DEAD_DELIVERED), "8");
}

/// A stage hangs once: it is stopped after its time limit, and the step is done again.
pub(crate) async fn a_stage_that_hangs_is_stopped_and_repeated(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let planner = Script::new(Role::Planner, async |call| {
        if call.n == 1 {
            std::future::pending::<()>().await;
        }
        Ok(plan("a query"))
    });
    let hire = world.hire(&planner);
    let _planner = hire
        .options(|o| o.step_timeout = TimeSpan::from_millis(300))
        .start();
    let _staff = staff(&world, Role::Planner, None);
    let id = world.ask(json!({"question": "q", "id": "hangs"})).await;
    let terminal = world.end(&id).await;
    assert_eq!(terminal.outcome, Outcome::Answered);
    assert_eq!(
        (terminal.trail[0].role, terminal.trail[0].attempt),
        (Role::Planner, 2)
    );
    assert_eq!(planner.calls(), 2);
    assert!(world.all(Stream::Dead).await.is_empty());
}

/// A stage hangs every time. On the memory bus only, because eight growing delays take half a minute.
#[tokio::test(start_paused = true)]
async fn a_stage_that_always_hangs_is_given_up() {
    let world = World::new(On::Memory).await;
    let _gateway = world.gateway();
    let planner = Script::new(Role::Planner, |_| std::future::pending());
    let hire = world.hire(&planner);
    let _planner = hire
        .options(|o| o.step_timeout = TimeSpan::from_millis(300))
        .start();
    let _staff = staff(&world, Role::Planner, None);
    let id = world.ask(json!({"question": "q", "id": "hangs"})).await;
    let terminal = world.end(&id).await;
    assert_default(&terminal, Role::Planner, "step_timeout");
    assert_eq!(planner.calls() as u64, DELIVERIES_MAX);
    let letter = letter(&world).await;
    assert_eq!(head(&letter, header::DEAD_REASON), "step_timeout");
}

/// The real reducer with this model. One that `breaks` panics when it would ask the model.
fn reducer_asking(model: Arc<dyn ChatModel>, breaks: bool) -> Arc<Script> {
    let made = reducer::Reducer::new(model, &Default::default(), Default::default());
    let made = Arc::new(made.unwrap());
    Script::new(Role::Reducer, move |call| {
        let made = made.clone();
        async move {
            let gathers = Payload::Reducer(ReduceTask::Gather {
                scatters: vec![2],
                strict: false,
                last: false,
                maps: None,
            });
            assert!(!breaks || call.task.payload != gathers, "a scripted panic");
            made.handle(&call.cx, call.task).await
        }
    })
}

/// The end of a turn whose mappers have read and whose reducer has no model.
async fn left_with_facts(world: &World, reducer: &Arc<Script>, deadline: &str) -> Terminal {
    let _gateway = world.gateway();
    let _reducer = world.hire(reducer).start();
    let validator = validator::Validator::new(Default::default()).unwrap();
    let validator = Arc::new(validator);
    let validator = Script::new(Role::Validator, move |call| {
        let made = validator.clone();
        async move { made.handle(&call.cx, call.task).await }
    });
    let _validator = world.hire(&validator).start();
    let _staff = world.staff(&[Role::Planner, Role::Retriever, Role::Mapper]);
    let asked = json!({"question": "q", "id": "no-model", "deadline": deadline});
    let id = world.ask(asked).await;
    let terminal = world.end(&id).await;
    assert_eq!(terminal.outcome, Outcome::Answered, "{:?}", terminal.error);
    let answer = terminal.answer.as_deref().unwrap();
    for fact in ["fact 0 [1]", "fact 1 [2]", "fact 2 [3]"] {
        assert!(answer.contains(fact), "{answer}");
    }
    assert_eq!(terminal.citations.len(), 3);
    assert!(terminal.low_confidence, "{:?}", terminal.confidence);
    assert!(fallbacks(&terminal).contains(&Fallback::ReduceDefault));
    let notices = terminal.notices.join(" ");
    assert!(notices.contains("No model could be asked"), "{notices}");
    terminal
}

fn unavailable(retry_after: Option<Duration>) -> llm::Error {
    llm::Error::Unavailable {
        reason: "no node answers".into(),
        retry_after,
    }
}

/// The mappers have read, and then no model answers any more: the reducer tries for a while, and the turn ends with
/// the facts, cited and flagged.
pub(crate) async fn a_reducer_without_a_model_leaves_the_facts(on: On) {
    let world = World::new(on).await;
    let model = ScriptedModel::answering(|_| Err(unavailable(None)));
    let terminal = left_with_facts(&world, &reducer_asking(model.clone(), false), "60s").await;
    assert_eq!(model.requests().len(), 5, "it was tried for a while");
    assert_eq!(world.steps(&terminal.turn).await, STRAIGHT);
    assert!(world.all(Stream::Dead).await.is_empty());
}

/// The nodes are left alone for longer than the turn has, so the reducer does not wait for them.
pub(crate) async fn a_model_that_comes_back_too_late_is_not_waited_for(on: On) {
    let world = World::new(on).await;
    let rest = Some(Duration::from_secs(30));
    let model = ScriptedModel::answering(move |_| Err(unavailable(rest)));
    let terminal = left_with_facts(&world, &reducer_asking(model.clone(), false), "20s").await;
    assert_eq!(model.requests().len(), 1);
    assert_eq!(world.steps(&terminal.turn).await, STRAIGHT);
    let took = terminal.asked_at.until(terminal.ended_at);
    assert!(took < 10_000, "{took} ms");
}

/// The nodes are left alone for a part of the turn's time: the model is asked again then, and given up when the next
/// try would be too late. On the memory bus only, because it takes half a minute.
#[tokio::test(start_paused = true)]
async fn a_model_that_may_come_back_in_time_is_waited_for() {
    let world = World::new(On::Memory).await;
    let rest = Some(Duration::from_secs(25));
    let model = ScriptedModel::answering(move |_| Err(unavailable(rest)));
    left_with_facts(&world, &reducer_asking(model.clone(), false), "40s").await;
    assert_eq!(model.requests().len(), 2);
}

/// A model that accepts calls and answers none, as a pool reports it.
struct Hanging;

impl ChatModel for Hanging {
    fn name(&self) -> &str {
        "hanging"
    }

    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatReply, llm::Error>> {
        Box::pin(async {
            tokio::time::sleep(request.timeout).await;
            Err(llm::Error::TimedOut(request.timeout))
        })
    }
}

/// Every try waits for a model that never answers; the last one leaves time for the facts. On the memory bus only,
/// because it takes nearly all of the turn's time.
#[tokio::test(start_paused = true)]
async fn a_model_that_never_answers_leaves_the_facts() {
    for deadline in ["4s", "20s", "35s"] {
        let world = World::new(On::Memory).await;
        let reducer = reducer_asking(Arc::new(Hanging), false);
        left_with_facts(&world, &reducer, deadline).await;
    }
}

/// The reducer's step is given up: its default is the facts, and no model is asked for it.
pub(crate) async fn a_reducer_that_is_given_up_leaves_the_facts(on: On) {
    let world = World::new(on).await;
    let model = ScriptedModel::answering(|_| Err(unavailable(None)));
    let terminal = left_with_facts(&world, &reducer_asking(model.clone(), true), "60s").await;
    assert!(model.requests().is_empty());
    let letter = letter(&world).await;
    assert_eq!(
        letter.subject,
        format!("argosy.dead.reducer.{}.4", terminal.turn)
    );
    let stitched = world.step(&terminal.turn, "reducer 5").await.unwrap();
    let stitched = String::from_utf8_lossy(&stitched.body).into_owned();
    assert!(stitched.contains(r#""kind":"stitch""#), "{stitched}");
}
