//! Tests the inbox: the next gateway repeats what a gateway left unfinished, under the same id; an id belongs to one
//! question; and every asker gets a reply.

use crate::between::{Between, Do};
use crate::refusals::STRAIGHT;
use crate::world::{On, World, turn, until};
use bus::{Bus, Headers, Publish, PublishError, Stream};
use envelope::{ModeChoice, Outcome, Role, Subject, Terminal, TurnId, header};
use serde_json::{Value, json};
use settings::{ByteSize, TimeSpan};
use std::sync::Arc;
use std::time::Duration;

fn asked(id: &str, reply: &str) -> Value {
    json!({"question": "q", "id": id, "reply_to": reply})
}

fn code(terminal: &Terminal) -> &str {
    terminal.error.as_ref().map_or("", |problem| &problem.code)
}

fn is_timer(message: &Publish) -> bool {
    message.subject.starts_with("argosy.timer.")
}

fn is_first_step(message: &Publish) -> bool {
    message.subject.starts_with("argosy.step.0.planner.")
}

pub(crate) async fn a_gateway_dies_before_the_timer(on: On) {
    a_gateway_dies(on, |message| match is_timer(message) {
        true => Do::Stall,
        false => Do::Pass,
    })
    .await;
}

pub(crate) async fn a_gateway_dies_between_timer_and_first_step(on: On) {
    a_gateway_dies(on, |message| match is_first_step(message) {
        true => Do::Stall,
        false => Do::Pass,
    })
    .await;
}

pub(crate) async fn a_gateway_dies_before_the_ack(on: On) {
    a_gateway_dies(on, |message| match is_first_step(message) {
        true => Do::StallStored,
        false => Do::Pass,
    })
    .await;
}

/// Two questions, one with an id of its own and one without. After the next gateway took them, each is one turn with
/// one timer, and each asker gets one answer.
async fn a_gateway_dies(on: On, rule: fn(&Publish) -> Do) {
    let world = World::new(on).await;
    let between = Between::new(&world.bus, rule);
    let bus: Arc<dyn Bus> = between.clone();
    let first = world.gateway_with(&bus, |_| {});
    let mut ears = [
        world.listen("_INBOX.chosen").await,
        world.listen("_INBOX.derived").await,
    ];
    let chosen = world.ask(asked("chosen", "_INBOX.chosen")).await;
    let derived = json!({"question": "q", "reply_to": "_INBOX.derived"});
    let derived = world.ask(derived).await;
    between.meddled(2).await;
    first.kill().await;

    let _second = world.gateway();
    for id in [&chosen, &derived] {
        world.step_stored(id, "planner 0").await;
        let timers = world.all(Stream::Timers).await;
        let timer = Subject::Timer {
            turn: id.clone(),
            hop: None,
        }
        .to_string();
        assert_eq!(timers.iter().filter(|m| m.subject == timer).count(), 1);
    }
    let _staff = world.staff(&Role::THINKING);
    for (id, ear) in [&chosen, &derived].into_iter().zip(&mut ears) {
        let heard = ear.terminal().await;
        assert_eq!((&heard.turn, heard.outcome), (id, Outcome::Answered));
        assert_eq!(world.steps(id).await, STRAIGHT);
        assert_eq!(world.ends(id).await, 1);
    }
    world.quiet().await;
    assert_eq!(world.all(Stream::Answers).await.len(), 2, "two turns");
    for ear in &mut ears {
        ear.silent().await;
    }
}

/// Another question under the id of a running turn, and then of an ended one.
pub(crate) async fn a_used_id_is_refused_on_its_own_reply_subject(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let mut first = world.listen("_INBOX.first").await;
    let mut strangers = [
        world.listen("_INBOX.early").await,
        world.listen("_INBOX.late").await,
    ];
    let id = world.ask(asked("mine", "_INBOX.first")).await;
    world.step_stored(&id, "planner 0").await;
    let other = |reply: &str| json!({"question": "another", "id": "mine", "reply_to": reply});
    world.ask(other("_INBOX.early")).await;
    let refused = strangers[0].terminal().await;
    assert_eq!(
        (refused.outcome, code(&refused)),
        (Outcome::Refused, "id_in_use")
    );
    assert_eq!(world.ends(&id).await, 0, "the first turn goes on");

    let staff = world.staff(&Role::THINKING);
    let heard = first.terminal().await;
    assert_eq!((&heard.turn, heard.outcome), (&id, Outcome::Answered));
    drop(staff);
    world.ask(other("_INBOX.late")).await;
    let refused = strangers[1].terminal().await;
    assert_eq!(
        (refused.outcome, code(&refused)),
        (Outcome::Refused, "id_in_use")
    );
    first.silent().await;
    for stranger in &mut strangers {
        stranger.silent().await;
    }
    assert_eq!(world.steps(&id).await, STRAIGHT);
    assert_eq!(world.all(Stream::Answers).await.len(), 1);
    assert_eq!(world.end(&id).await, heard);
}

/// The same question under the same id, asked while it runs and after it ended.
pub(crate) async fn one_turn_with_three_listeners(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let mut ears = [
        world.listen("_INBOX.one").await,
        world.listen("_INBOX.two").await,
        world.listen("_INBOX.three").await,
    ];
    let id = world.ask(asked("shared", "_INBOX.one")).await;
    world.step_stored(&id, "planner 0").await;
    world.ask(asked("shared", "_INBOX.two")).await;
    let listeners = envelope::subject::listeners(&id);
    until("the second listener", async || {
        world.bus.count(Stream::Timers, &listeners).await.unwrap() == 1
    })
    .await;
    let _staff = world.staff(&Role::THINKING);
    let answered = world.end(&id).await;
    assert_eq!(ears[0].terminal().await, answered);
    assert_eq!(ears[1].terminal().await, answered);
    world.ask(asked("shared", "_INBOX.three")).await;
    assert_eq!(ears[2].terminal().await, answered);
    assert_eq!(world.steps(&id).await, STRAIGHT);
    assert_eq!(world.all(Stream::Answers).await.len(), 1);
}

/// Another tenant's question under a used id expires before a gateway reads it: this ends that question, not the
/// turn.
pub(crate) async fn a_strangers_deadline_is_not_the_turns(on: On) {
    let world = World::new(on).await;
    let gateway = world.gateway();
    let mut first = world.listen("_INBOX.first").await;
    let mut stranger = world.listen("_INBOX.stranger").await;
    let id = world.ask(asked("mine", "_INBOX.first")).await;
    world.step_stored(&id, "planner 0").await;
    gateway.kill().await;
    let other = json!({"question": "another", "id": "mine", "reply_to": "_INBOX.stranger", "deadline": "1s"});
    world.ask(other).await;
    tokio::time::sleep(Duration::from_millis(1_100)).await;

    // The sweep finds the stranger's question without a terminal event, too: it looks every second
    // until well after the courtesy that it gives to a turn's own timer.
    let _gateway = world.gateway_with(&world.bus, |o| o.sweep_every = TimeSpan::from_secs(1));
    let refused = stranger.terminal().await;
    assert_eq!(
        (refused.outcome, code(&refused)),
        (Outcome::Refused, "id_in_use")
    );
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(world.ends(&id).await, 0, "the first turn goes on");
    let _staff = world.staff(&Role::THINKING);
    assert_eq!(first.terminal().await.outcome, Outcome::Answered);
    stranger.silent().await;
}

/// The first turn under an id is past its deadline, and its end is on the way, when another client asks under the
/// same id: that client hears something.
pub(crate) async fn a_listener_that_comes_with_the_timer(on: On) {
    let world = World::new(on).await;
    let gateway = world.gateway();
    let mut ears = [
        world.listen("_INBOX.one").await,
        world.listen("_INBOX.two").await,
        world.listen("_INBOX.other").await,
    ];
    let mut question = asked("late", "_INBOX.one");
    question["deadline"] = "1s".into();
    let id = world.ask(question).await;
    world.step_stored(&id, "planner 0").await;
    gateway.kill().await;
    let due = Subject::Due {
        turn: id.clone(),
        hop: None,
    }
    .to_string();
    until("the timer to fire", async || {
        world
            .bus
            .last(Stream::Timers, &due)
            .await
            .unwrap()
            .is_some()
    })
    .await;
    world.ask(asked("late", "_INBOX.two")).await;
    let other = json!({"question": "another", "id": "late", "reply_to": "_INBOX.other"});
    world.ask(other).await;
    // What falls due waits until the questions have been taken.
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let held = gate.clone();
    let between = Between::new(&world.bus, move |message| {
        match message.subject.starts_with("argosy.answer.") {
            true => Do::Hold(held.clone()),
            false => Do::Pass,
        }
    });
    let bus: Arc<dyn Bus> = between.clone();
    let _gateway = world.gateway_with(&bus, |_| {});
    between.meddled(1).await;
    let refused = ears[2].terminal().await;
    assert_eq!(
        (refused.outcome, code(&refused)),
        (Outcome::Refused, "id_in_use")
    );
    gate.add_permits(8);
    for ear in &mut ears[..2] {
        assert_eq!(ear.terminal().await.outcome, Outcome::Expired);
    }
    assert_eq!(world.ends(&id).await, 1);
}

/// Questions that waited unread. Those whose time is up get `expired` under their own id, whichever way they stated
/// their deadline; the others are answered.
pub(crate) async fn an_unread_backlog_is_never_met_with_silence(on: On) {
    let world = World::new(on).await;
    let mut late = Vec::new();
    for n in 0..3 {
        let reply = format!("_INBOX.late-{n}");
        let ear = world.listen(&reply).await;
        let deadline = match n {
            0 => json!("1s"),
            _ => json!(world.bus.now().0 + 1_000),
        };
        let mut question = json!({"question": "q", "reply_to": reply, "deadline": deadline});
        if n != 2 {
            question["id"] = format!("late-{n}").into();
        }
        late.push((world.ask(question).await, ear));
    }
    let mut ear = world.listen("_INBOX.intime").await;
    let intime = world.ask(asked("intime", "_INBOX.intime")).await;
    tokio::time::sleep(Duration::from_millis(1_200)).await;

    let _gateway = world.gateway();
    let _staff = world.staff(&Role::THINKING);
    for (id, ear) in &mut late {
        let heard = ear.terminal().await;
        assert_eq!(
            (&heard.turn, heard.outcome),
            (&*id, Outcome::Expired),
            "{heard:?}"
        );
        assert_eq!(code(&heard), "deadline");
        assert_eq!(world.ends(id).await, 1);
    }
    let heard = ear.terminal().await;
    assert_eq!((&heard.turn, heard.outcome), (&intime, Outcome::Answered));
    // Nor does the sweep make another end of any of them.
    world.quiet().await;
    assert_eq!(world.all(Stream::Answers).await.len(), 4);
}

/// The inbox is full of questions whose time is up: a new one is refused at once with the reason, and the old ones
/// are ended.
pub(crate) async fn a_full_inbox_is_ended_question_by_question(on: On) {
    let world = World::with(on, |topology| {
        topology.inbox_bytes = ByteSize::from_bytes(8 * 1024)
    })
    .await;
    let mut ids: Vec<TurnId> = Vec::new();
    loop {
        let id = format!("full-{}", ids.len());
        let body = json!({"question": "q", "id": id, "deadline": "1s"}).to_string();
        let message = Publish::new(envelope::subject::QUERY, body.into());
        match world.bus.publish(message).await {
            Ok(_) => ids.push(turn(&id)),
            Err(error) => {
                assert_eq!(error, PublishError::Full);
                break;
            }
        }
    }
    assert!(ids.len() > 20);
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let _gateway = world.gateway();
    let mut ear = world.listen("_INBOX.new").await;
    let request = bus::CoreMessage {
        subject: envelope::subject::ASK.into(),
        reply: Some("_INBOX.new".into()),
        headers: Headers::default(),
        body: json!({"question": "a new one"}).to_string().into(),
    };
    for id in &ids {
        assert_eq!(world.end(id).await.outcome, Outcome::Expired);
    }
    world.bus.broadcast(request).await.unwrap();
    let heard = ear.terminal().await;
    assert_eq!(
        (heard.outcome, code(&heard)),
        (Outcome::Refused, "not_stored")
    );
    assert_eq!(world.all(Stream::Answers).await.len(), ids.len());
}

/// A publisher of a newer release states its version in a header: the question is refused by name, and the asker
/// hears of it.
pub(crate) async fn a_question_of_a_newer_version_is_refused(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let mut body = world.listen("_INBOX.body").await;
    let mut head = world.listen("_INBOX.head").await;
    let newer = || Headers::default().with(header::WIRE, "2");
    world.ask_with(asked("newer", "_INBOX.body"), newer()).await;
    let in_header = newer().with(header::REPLY, "_INBOX.head");
    world.ask_with(json!({"question": "q"}), in_header).await;
    for ear in [&mut body, &mut head] {
        let refused = ear.terminal().await;
        assert_eq!(
            (refused.outcome, code(&refused)),
            (Outcome::Refused, "wrong_version")
        );
        assert!(refused.turn.is_derived(), "a refused question takes no id");
    }
    let id = turn("newer");
    assert!(world.ended(&id).await.is_none() && world.steps(&id).await.is_empty());
}

/// The mode and the rounds in the case of a first step.
async fn begun_as(world: &World, id: &TurnId, step: &str) -> (Value, Value) {
    let step = world.step_stored(id, step).await;
    let step: Value = serde_json::from_slice(&step.body).unwrap();
    let case = &step["case"];
    (case["mode"].clone(), case["budget"]["rounds"].clone())
}

/// A gateway fills in what a question leaves open. To the next gateway, which has other settings, it is the same
/// question.
pub(crate) async fn what_a_question_leaves_open_is_as_its_gateway_is_set(on: On) {
    let world = World::new(on).await;
    let first = world.gateway_with(&world.bus, |options| {
        (options.mode, options.rounds) = (ModeChoice::Simple, 5);
    });
    let open = world.ask(asked("open", "_INBOX.first")).await;
    let said = json!({"question": "q", "id": "said", "mode": "agentic", "budget": {"rounds": 1}});
    let said = world.ask(said).await;
    let talked = json!({"question": "q", "id": "talked", "conversation": "talk"});
    let talked = world.ask(talked).await;
    let set = (json!("simple"), json!(5));
    assert_eq!(begun_as(&world, &open, "retriever 0").await, set);
    assert_eq!(begun_as(&world, &talked, "conversation 0").await, set);
    let own = (json!("agentic"), json!(1));
    assert_eq!(begun_as(&world, &said, "planner 0").await, own);
    let auto = |question: &str| json!({"question": question, "mode": "auto"});
    let several = world.ask(auto("Which is older, the A1 or the B2?")).await;
    let agentic = (json!("agentic"), json!(5));
    assert_eq!(begun_as(&world, &several, "planner 0").await, agentic);
    let one = world.ask(auto("Who signed the lease?")).await;
    assert_eq!(begun_as(&world, &one, "retriever 0").await, set);
    world.quiet().await;
    first.kill().await;

    let _second = world.gateway();
    let again = world.ask(asked("open", "_INBOX.second")).await;
    let listener = format!("argosy.listen.{again}.");
    until("a second listener", async || {
        let timers = world.all(Stream::Timers).await;
        timers.iter().any(|one| one.subject.starts_with(&listener))
    })
    .await;
    assert_eq!(world.ended(&again).await, None);
    assert_eq!(world.steps(&again).await, ["retriever 0"]);
}

/// A question names the model for its calls among those that the fleet offers, and the first step carries it.
pub(crate) async fn a_question_may_name_an_offered_model(on: On) {
    let world = World::new(on).await;
    let offers = |options: &mut gateway::Options| options.models = vec!["large".into()];
    let _gateway = world.gateway_with(&world.bus, offers);
    let id = world.ask(json!({"question": "q", "model": "huge"})).await;
    let end = world.end(&id).await;
    assert_eq!((end.outcome, code(&end)), (Outcome::Refused, "unsupported"));
    let message = end.error.unwrap().message;
    assert!(
        message.contains("`huge`") && message.contains("offers `large`"),
        "{message}"
    );
    // A refused question takes no id, so that it can be corrected.
    let mut ear = world.listen("_INBOX.me").await;
    let mine = |model: &str| json!({"id": "mine", "question": "q", "model": model, "reply_to": "_INBOX.me"});
    world.ask(mine("huge")).await;
    assert_eq!(ear.terminal().await.outcome, Outcome::Refused);
    let mine = world.ask(mine("large")).await;
    world.step_stored(&mine, "planner 0").await;
    let id = world.ask(json!({"question": "q", "model": "large"})).await;
    let step = world.step_stored(&id, "planner 0").await;
    let step: Value = serde_json::from_slice(&step.body).unwrap();
    assert_eq!(
        step["case"]["overrides"],
        json!({"model": "large"}),
        "{step}"
    );
}
