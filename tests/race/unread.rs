//! Tests steps that cannot be parsed: bytes in no known format, and steps of a newer release.

use crate::between::{Between, Do};
use crate::broken::{fallbacks, head, letter};
use crate::hand::Hand;
use crate::refusals::STRAIGHT;
use crate::script::{hop, usual};
use crate::world::{On, World, until};
use bus::{Bus, Headers, Publish, StoredMessage, Stream};
use bytes::Bytes;
use envelope::limits::DELIVERIES_NEWER_WIRE_MAX;
use envelope::{Fallback, Outcome, Part, PartResult, Role, TurnId, header};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const GARBAGE: &[u8] = b"\xff\x00 no json";

/// A fleet in which the publishes of some steps are garbled on the way.
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

/// One map step cannot be read: its part is an error, and the join happens.
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

fn assert_letter(letter: &StoredMessage, id: &TurnId, role: Role, place: &str) {
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

/// A step of any other role cannot be read: the turn fails, and the asker is told.
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
        let subject = format!("argosy.dead.{role}.{id}.{}", hop(role));
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

/// The first step of every turn has a wire version to come.
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
        let headers = Headers(kept.cloned().collect()).with(header::WIRE, "3");
        Do::Instead(Publish {
            headers,
            body: Bytes::from_static(br#"{"v":3,"shape":"of things to come"}"#),
            ..message.clone()
        })
    })
}

/// An old worker gets a step of a newer release. It gives the step back with a delay that it reads from the headers,
/// and neither works on it nor gives it up. (On the memory bus, also: until the turn's time is up.)
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

/// A newer step without a deadline is given up when its own, longer limit is reached. On the memory bus only, because
/// that takes more than five minutes.
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
