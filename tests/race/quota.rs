//! Tests the quota of a tenant's turns and tokens: the tenant's questions wait in the inbox, those of other tenants
//! do not wait, and none is lost.

use crate::between::{Between, Do};
use crate::conversation::{is_event, stall};
use crate::script::{Script, plan};
use crate::talk::{Told, all_ended, assert_sound, say, talkers};
use crate::world::{On, World, until};
use bus::{Bus, Publish, Stream};
use envelope::{Outcome, Role, TurnId, Usage};
use serde_json::json;
use std::sync::{Arc, Mutex};
use streams::client::cancel;
use streams::outbox::CreateOutcome;
use tokio::sync::Semaphore;

const OTHERS: [Role; 5] = [
    Role::Retriever,
    Role::Mapper,
    Role::Reducer,
    Role::Validator,
    Role::Clarifier,
];

/// A planner that lets one turn pass for each permit, and notes which ones came.
struct Gate {
    planner: Arc<Script>,
    permits: Arc<Semaphore>,
    came: Arc<Mutex<Vec<String>>>,
}

fn gate(tokens_in: u64) -> Gate {
    let permits = Arc::new(Semaphore::new(0));
    let came = Arc::new(Mutex::new(Vec::new()));
    let (go, noted) = (permits.clone(), came.clone());
    let planner = Script::new(Role::Planner, move |call| {
        let (go, noted) = (go.clone(), noted.clone());
        async move {
            noted.lock().unwrap().push(call.cx.header.turn.to_string());
            go.acquire().await.unwrap().forget();
            let usage = Usage {
                tokens_in,
                ..Usage::default()
            };
            Ok(plan("a query").with_model("a-model", usage))
        }
    });
    Gate {
        planner,
        permits,
        came,
    }
}

async fn ask(world: &World, id: &str, tenant: &str) -> TurnId {
    let question = json!({"question": "q", "id": id, "tenant": tenant, "deadline": "60s"});
    world.ask(question).await
}

/// Two of five questions run. The other tenant's question runs at once though it was asked last. All are answered,
/// the oldest first, and a waiting one can be cancelled.
pub(crate) async fn a_tenants_questions_wait_for_each_other_and_for_nobody_else(on: On) {
    let world = World::new(on).await;
    let gate = gate(0);
    let _gateway = world.gateway_with(&world.bus, |o| o.tenant_turns = 2);
    let _planner = world.hire(&gate.planner).start();
    let _staff = world.staff(&OTHERS);
    let mut mine = Vec::new();
    for n in 0..5 {
        mine.push(ask(&world, &format!("mine-{n}"), "one").await);
        if n < 2 {
            until("it runs", async || gate.planner.calls() > n).await;
        }
    }
    let other = ask(&world, "other", "two").await;
    until("the other tenant's runs", async || {
        gate.planner.calls() == 3
    })
    .await;
    assert_eq!(gate.came.lock().unwrap()[2], other.as_str());
    let cancelled = cancel(&*world.bus, &mine[3]).await;
    assert_eq!(cancelled.unwrap(), CreateOutcome::Now);
    assert_eq!(world.end(&mine[3]).await.outcome, Outcome::Cancelled);
    assert_eq!(gate.planner.calls(), 3);
    gate.permits.add_permits(10);
    for turn in [&mine[0], &mine[1], &mine[2], &mine[4], &other] {
        assert_eq!(world.end(turn).await.outcome, Outcome::Answered);
    }
    let came = gate.came.lock().unwrap().clone();
    assert_eq!(came[3..], ["mine-2", "mine-4"]);
    world.quiet().await;
}

/// A gateway dies while it holds a waiting question: the next gateway goes on, and knows of no running turns.
pub(crate) async fn a_question_that_waits_outlives_its_gateway(on: On) {
    let world = World::new(on).await;
    let gate = gate(0);
    let first = world.gateway_with(&world.bus, |o| o.tenant_turns = 1);
    let _planner = world.hire(&gate.planner).start();
    let _staff = world.staff(&OTHERS);
    let runs = ask(&world, "runs", "one").await;
    until("it runs", async || gate.planner.calls() == 1).await;
    let waits = ask(&world, "waits", "one").await;
    world.quiet().await;
    assert!(world.steps(&waits).await.is_empty());
    first.kill().await;
    let _second = world.gateway_with(&world.bus, |o| o.tenant_turns = 1);
    until("the other runs too", async || gate.planner.calls() == 2).await;
    gate.permits.add_permits(2);
    for turn in [&runs, &waits] {
        assert_eq!(world.end(turn).await.outcome, Outcome::Answered);
        assert_eq!(world.ends(turn).await, 1);
    }
}

/// The only place of a tenant passes from turn to turn of one conversation, and to another conversation, whichever
/// gateway dies between the end of a turn and the next one.
pub(crate) async fn conversations_in_one_place_outlive_their_gateway(on: On) {
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
        let first = world.gateway_with(&bus, |o| o.tenant_turns = 1);
        let _staff = talkers(&world, &told);
        for n in 1..=3 {
            for (talk, id) in [("talk", format!("a{n}")), ("other", format!("b{n}"))] {
                world.ask(say(talk, &id, &format!("{id}?"))).await;
            }
        }
        world.quiet().await;
        first.kill().await;
        let _second = world.gateway_with(&world.bus, |o| o.tenant_turns = 1);
        for talk in ["talk", "other"] {
            all_ended(&world, talk, 3).await;
        }
        assert_sound(&world, &told).await;
    }
}

/// A tenant that owes tokens waits past the deadline of its question, and the event says so; other tenants do not
/// wait.
pub(crate) async fn who_has_spent_his_tokens_waits(on: On) {
    let world = World::new(on).await;
    let gate = gate(50_000);
    let _gateway = world.gateway_with(&world.bus, |o| o.tenant_tokens_per_minute = 600);
    let _planner = world.hire(&gate.planner).start();
    let _staff = world.staff(&OTHERS);
    gate.permits.add_permits(10);
    let dear = ask(&world, "dear", "one").await;
    assert_eq!(world.end(&dear).await.outcome, Outcome::Answered);
    let late = json!({"question": "q", "id": "late", "tenant": "one", "deadline": "3s"});
    let late = world.ask(late).await;
    let other = ask(&world, "other", "two").await;
    assert_eq!(world.end(&other).await.outcome, Outcome::Answered);
    let late = world.end(&late).await;
    assert_eq!(late.outcome, Outcome::Expired);
    let said = late.error.unwrap().message;
    assert!(said.contains("still in the inbox"), "{said}");
    assert_eq!(gate.planner.calls(), 2);
    assert_eq!(world.all(Stream::Inbox).await.len(), 3);
}
