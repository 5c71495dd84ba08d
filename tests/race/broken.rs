//! What cannot be done ends in its default and a dead letter, and the turn goes on or ends: never in
//! silence, and never by losing the bytes.

use crate::between::{Between, Do};
use crate::hand::Hand;
use crate::refusals::STRAIGHT;
use crate::script::{Came, Script, fails, plan, usual};
use crate::world::{On, World, until, within};
use bytes::Bytes;
use envelope::limits::{DELIVERIES_MAX, DELIVERIES_NEWER_WIRE_MAX};
use envelope::route::RetrieverExit;
use envelope::{Class, Doubt, Fallback, Outcome, Part, PartResult, Role, Terminal, TurnId, header};
use harness::bus::{Bus, Headers, Publish, Stored, Stream};
use serde_json::json;
use stage::Done;
use std::sync::Arc;
use std::time::Duration;

const GARBAGE: &[u8] = b"\xff\x00 no json";

/// The dead letters, when there are `n`. They are written after what follows from them.
async fn letters(world: &World, n: usize) -> Vec<Stored> {
    until("the dead letters", async || {
        world.all(Stream::Dead).await.len() >= n
    })
    .await;
    let letters = world.all(Stream::Dead).await;
    assert_eq!(letters.len(), n);
    letters
}

/// The one dead letter there is.
async fn letter(world: &World) -> Stored {
    letters(world, 1).await.remove(0)
}

fn head<'a>(letter: &'a Stored, name: &str) -> &'a str {
    letter.headers.get(name).unwrap_or_default()
}

fn fallbacks(terminal: &Terminal) -> Vec<Fallback> {
    let all = terminal.trail.iter().flat_map(|e| e.fallbacks.clone());
    all.collect()
}

/// At which hop of its turn a role gets its step.
fn hop(role: Role) -> u16 {
    match role {
        Role::Planner => 0,
        Role::Retriever => 1,
        Role::Clarifier => 2,
        Role::Mapper => 3,
        Role::Reducer => 4,
        _ => 5,
    }
}

/// Workers for a turn that comes by `role`; that one does as it is told.
fn staff(world: &World, role: Role, told: Option<&Arc<Script>>) -> Vec<Hand> {
    let others = Role::THINKING.into_iter().filter(|r| *r != role);
    let others = others.map(|other| match (role, other) {
        (Role::Clarifier, Role::Retriever) => Script::new(other, async |_| {
            let doubt = Doubt::NoResults {
                query: "q".into(),
                narrowed_by: Vec::new(),
            };
            Ok(Done::new(
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

/// What a turn comes to when `role` is broken for good, for the reason `code`.
fn assert_default(terminal: &Terminal, role: Role, code: &str) {
    let taken = fallbacks(terminal);
    let failed = (Outcome::Failed, None);
    let (outcome, fallback) = match role {
        Role::Planner => (Outcome::Answered, Some(Fallback::BasicRag { role })),
        Role::Retriever => failed,
        Role::Mapper => {
            let indexes = vec![0, 1, 2];
            (Outcome::Answered, Some(Fallback::PartsFailed { indexes }))
        }
        Role::Reducer => failed,
        Role::Validator => (Outcome::Answered, Some(Fallback::Unvalidated)),
        _ => (Outcome::Clarification, Some(Fallback::ClarifyDefault)),
    };
    assert_eq!(terminal.outcome, outcome, "{role}: {terminal:?}");
    if let Some(fallback) = fallback {
        assert!(taken.contains(&fallback), "{role}: {taken:?}");
    } else {
        assert_eq!(terminal.error.as_ref().unwrap().code, code, "{role}");
    }
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
        let id = world.ask(json!({"question": "q", "id": "panic"})).await;
        let terminal = world.end(&id).await;
        assert_default(&terminal, role, "panic");
        let count = match role {
            Role::Mapper => 3,
            // Its default is a second reduce, which panics as well.
            Role::Reducer => 2,
            _ => 1,
        };
        for letter in letters(&world, count).await {
            assert_eq!(head(&letter, header::DEAD_REASON), "panic");
            assert_eq!(head(&letter, header::DEAD_DELIVERED), "1");
        }
    }
}

/// A step that was taken and never answered, as often as the limit says: the worker that gets it
/// next does not even try.
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

/// A stage that fails for now, every time.
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

/// A stage hangs once: it is stopped after its time and done again.
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
        .options(|o| o.step_timeout = Duration::from_millis(300))
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

/// It hangs every time. On the memory bus only: eight growing delays are half a minute.
#[tokio::test(start_paused = true)]
async fn a_stage_that_always_hangs_is_given_up() {
    let world = World::new(On::Memory).await;
    let _gateway = world.gateway();
    let planner = Script::new(Role::Planner, |_| std::future::pending());
    let hire = world.hire(&planner);
    let _planner = hire
        .options(|o| o.step_timeout = Duration::from_millis(300))
        .start();
    let _staff = staff(&world, Role::Planner, None);
    let id = world.ask(json!({"question": "q", "id": "hangs"})).await;
    let terminal = world.end(&id).await;
    assert_default(&terminal, Role::Planner, "step_timeout");
    assert_eq!(planner.calls() as u64, DELIVERIES_MAX);
    let letter = letter(&world).await;
    assert_eq!(head(&letter, header::DEAD_REASON), "step_timeout");
}

/// A fleet whose publishes of some steps are garbled on the way.
fn garbled(world: &World, which: fn(&str) -> bool) -> (Arc<dyn Bus>, Vec<Hand>) {
    let bus: Arc<dyn Bus> =
        Between::new(&world.bus, move |message| match which(&message.subject) {
            true => Do::Instead(Publish {
                body: Bytes::from_static(GARBAGE),
                ..message.clone()
            }),
            false => Do::Pass,
        });
    let hands = Role::THINKING
        .into_iter()
        .map(|role| world.hire(&usual(role)).on(bus.clone()).start())
        .chain([world.gateway_with(&bus, |_| {})])
        .collect();
    (bus, hands)
}

/// One map step cannot be read: its part is an error, the join happens.
pub(crate) async fn an_unreadable_map_step_is_an_error_part(on: On) {
    let world = World::new(on).await;
    let _fleet = garbled(&world, |subject| {
        subject == "argosy.step.0.mapper.garbled.3.1"
    });
    let id = world.ask(json!({"question": "q", "id": "garbled"})).await;
    let terminal = world.end(&id).await;
    assert_eq!(terminal.answer.as_deref(), Some("fact 0, fact 2"));
    let failed = Fallback::PartsFailed { indexes: vec![1] };
    assert!(fallbacks(&terminal).contains(&failed));
    assert_eq!(world.steps(&id).await, STRAIGHT);
    let part = world.step(&id, "part 3.1").await.unwrap();
    let part: Part = envelope::decode(&part.body).unwrap();
    assert_eq!(part.result, PartResult::Error("unreadable".into()));
    assert_letter(&letter(&world).await, &id, Role::Mapper, "3.1");
}

fn assert_letter(letter: &Stored, id: &TurnId, role: Role, place: &str) {
    assert_eq!(letter.subject, format!("argosy.dead.{role}.{id}.{place}"));
    assert_eq!(letter.body, Bytes::from_static(GARBAGE));
    assert_eq!(head(letter, header::TURN), id.as_str());
    assert_eq!(head(letter, header::DEAD_REASON), "unreadable");
    assert_eq!(
        head(letter, header::DEAD_SUBJECT),
        format!("argosy.step.0.{role}.{id}.{place}")
    );
    let origin = head(letter, header::DEAD_ORIGIN);
    assert!(origin.starts_with("ARGOSY_STEPS_0/"), "{origin}");
    assert!(!head(letter, header::DEAD_ERROR).is_empty());
    assert!(!head(letter, header::TRACEPARENT).is_empty());
}

/// The step of any other role cannot be read: the turn has failed, and who asked is told.
pub(crate) async fn any_other_unreadable_step_ends_the_turn(on: On) {
    let world = World::new(on).await;
    let roles = [
        Role::Planner,
        Role::Retriever,
        Role::Reducer,
        Role::Validator,
    ];
    let _fleet = garbled(&world, |subject| {
        let mut tokens = subject.split('.').skip(3);
        let (role, turn) = (tokens.next(), tokens.next());
        role.is_some() && subject.starts_with("argosy.step.") && role == turn
    });
    for role in roles {
        let reply = format!("_INBOX.{role}");
        let mut ear = world.listen(&reply).await;
        let question = json!({"question": "q", "id": role.as_str(), "reply_to": reply});
        let id = world.ask(question).await;
        let terminal = ear.terminal().await;
        assert_eq!((&terminal.turn, terminal.outcome), (&id, Outcome::Failed));
        assert_eq!(terminal.error.as_ref().unwrap().code, "unreadable");
        // The dead letter comes after the end of the turn.
        let subject = format!("argosy.dead.{role}.{id}.{}", hop(role));
        until("a dead letter", async || {
            world
                .bus
                .last(Stream::Dead, &subject)
                .await
                .unwrap()
                .is_some()
        })
        .await;
        let letter = world
            .bus
            .last(Stream::Dead, &subject)
            .await
            .unwrap()
            .unwrap();
        assert_letter(&letter, &id, role, &hop(role).to_string());
        // The same question is a listener of that turn, although its step was never read.
        let mut again = world.listen("_INBOX.again").await;
        let question = json!({"question": "q", "id": role.as_str(), "reply_to": "_INBOX.again"});
        world.ask(question).await;
        assert_eq!(again.terminal().await, terminal);
    }
    assert_eq!(world.all(Stream::Dead).await.len(), roles.len());
}

/// The first step of every turn is of wire version 2.
fn newer(world: &World, deadline: bool) -> Arc<Between> {
    Between::new(&world.bus, move |message| {
        if !message.subject.starts_with("argosy.step.0.planner.") {
            return Do::Pass;
        }
        let kept = message
            .headers
            .0
            .iter()
            .filter(|(name, _)| name != header::WIRE && (deadline || name != header::DEADLINE));
        let headers = Headers(kept.cloned().collect()).with(header::WIRE, "2");
        Do::Instead(Publish {
            headers,
            body: Bytes::from_static(br#"{"v":2,"shape":"of things to come"}"#),
            ..message.clone()
        })
    })
}

/// An old worker meets a step of a newer release: it gives it back with a delay that it reads from
/// the headers, and neither works on it nor gives it up. (On the memory bus, also: until the turn's
/// time is up.)
pub(crate) async fn a_newer_step_waits_for_a_newer_worker(on: On) {
    let world = World::new(on).await;
    let between = newer(&world, true);
    let bus: Arc<dyn Bus> = between.clone();
    let _gateway = world.gateway_with(&bus, |_| {});
    let planner = usual(Role::Planner);
    let _planner = world.hire(&planner).on(bus).start();
    let question = json!({"question": "q", "id": "newer", "deadline": "100s"});
    let id = world.ask(question).await;
    until("a nak", async || !between.naks().is_empty()).await;
    let (subject, delay) = between.naks().remove(0);
    assert_eq!(subject, "argosy.step.0.planner.newer.0");
    assert!(
        (20..=25).contains(&delay.as_secs()),
        "a quarter of what is left: {delay:?}"
    );
    if on == On::Memory {
        tokio::time::sleep(Duration::from_secs(100)).await;
        assert_eq!(world.end(&id).await.outcome, Outcome::Expired);
        assert!(between.naks().iter().all(|(_, d)| d.as_secs() >= 10));
    }
    assert_eq!(planner.calls(), 0);
    assert!(world.all(Stream::Dead).await.is_empty());
}

/// A newer step that says no deadline is given up when its own, longer limit is reached. On the
/// memory bus only: that takes more than five minutes.
#[tokio::test(start_paused = true)]
async fn a_newer_step_is_given_up_in_the_end() {
    let world = World::new(On::Memory).await;
    let between = newer(&world, false);
    let bus: Arc<dyn Bus> = between.clone();
    let _gateway = world.gateway_with(&bus, |_| {});
    let _planner = world.hire(&usual(Role::Planner)).on(bus).start();
    let mut ear = world.listen("_INBOX.newer").await;
    let question =
        json!({"question": "q", "id": "newer", "deadline": "10m", "reply_to": "_INBOX.newer"});
    let id = world.ask(question).await;
    tokio::time::sleep(Duration::from_secs(10 * DELIVERIES_NEWER_WIRE_MAX)).await;
    let terminal = ear.terminal().await;
    assert_eq!((&terminal.turn, terminal.outcome), (&id, Outcome::Failed));
    assert_eq!(between.naks().len() as u64, DELIVERIES_NEWER_WIRE_MAX);
    let letter = letter(&world).await;
    assert_eq!(head(&letter, header::DEAD_DELIVERED), "33");
    assert_eq!(
        letter.body,
        world.step(&id, "planner 0").await.unwrap().body
    );
}
