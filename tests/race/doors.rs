//! Tests the two further outputs of a stage beside its result: files, and text that is shown while the stage works.

use crate::between::{Between, Do};
use crate::hand::Stop;
use crate::script::{Script, draft, usual};
use crate::world::{On, World};
use bus::BusError;
use bytes::Bytes;
use envelope::hop::ReducerExit;
use envelope::limits::{ATTACHMENT_BYTES_MAX, ATTACHMENTS_MAX, LIVE_TEXT_BYTES_MAX};
use envelope::live::{LiveText, LiveWait};
use envelope::{Outcome, Role};
use harness::fault::Point;
use serde_json::json;
use stage::Attachment;
use std::sync::Arc;
use std::time::Duration;

/// All roles but the reducer.
const OTHERS: [Role; 4] = [
    Role::Planner,
    Role::Retriever,
    Role::Mapper,
    Role::Validator,
];

/// A reducer that makes a file with the text that `text` gives for its call, and names it in its draft.
fn filing(text: impl Fn(usize) -> String + Send + Sync + 'static) -> Arc<Script> {
    let text = Arc::new(text);
    Script::new(Role::Reducer, move |call| {
        let text = text.clone();
        async move {
            let bytes = Bytes::from(text(call.n));
            let file = Attachment::new(&call.cx.header, "table.csv", "text/csv", bytes)?;
            let key = file.file.key.clone();
            let mut named = draft(call.task).map(|exit| match exit {
                envelope::Exit::Reducer(ReducerExit::Composed(mut draft)) => {
                    draft.text = key;
                    ReducerExit::Composed(draft).into()
                }
                other => other,
            });
            named.files.push(file);
            Ok(named)
        }
    })
}

/// The reducer dies after it has stored its file and before it has published its draft, and the next one makes
/// another table. The answer names the file that was made with it, and both files are whole.
pub(crate) async fn an_answer_names_the_file_that_was_made_with_it(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let _staff = world.staff(&OTHERS);
    let reducer = filing(|n| format!("total\n{n}\n"));
    let stop = Stop::at(Point::Handled);
    let first = world.hire(&reducer).with(&stop).start();
    let id = world.ask(json!({"question": "q", "id": "files"})).await;
    stop.reached(1).await;
    first.kill().await;
    assert_eq!(world.step(&id, "validator 5").await, None);

    let _second = world.hire(&reducer).start();
    let key = world.end(&id).await.answer.unwrap();
    assert!(key.starts_with("turn.files.4.") && key.ends_with(".table.csv"));
    let file = world.bus.get_file(&key, 1_000).await.unwrap();
    assert_eq!(file.as_deref(), Some(&b"total\n2\n"[..]));
}

/// The store is away or has no room for a while. The file is stored when it can be, and the stage, whose work is
/// paid, does not run again.
pub(crate) async fn a_store_that_fails_for_a_while_costs_no_second_run(on: On) {
    for error in [
        BusError::Away("scripted".into()),
        BusError::Refused("scripted".into()),
    ] {
        let world = World::new(on).await;
        let _gateway = world.gateway();
        let _staff = world.staff(&OTHERS);
        let reducer = filing(|n| format!("total\n{n}\n"));
        let between = Between::new(&world.bus, |_| Do::Pass);
        between.fail_files(6, error);
        let _reducer = world.hire(&reducer).on(between.clone()).start();
        let id = world.ask(json!({"question": "q", "id": "files"})).await;
        let terminal = world.end(&id).await;
        let key = terminal.answer.unwrap();
        let file = world.bus.get_file(&key, 1_000).await.unwrap();
        assert_eq!(file.as_deref(), Some(&b"total\n1\n"[..]));
        assert_eq!(reducer.calls(), 1);
        assert!(between.naks().is_empty(), "{:?}", between.naks());
    }
}

/// A store that refuses for good leads to the default while there is time for one, which here is another step that
/// makes a file, and then to `failed`.
pub(crate) async fn a_store_that_refuses_for_good_is_not_waited_for_to_the_end(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let _staff = world.staff(&OTHERS);
    let reducer = filing(|n| format!("total\n{n}\n"));
    let between = Between::new(&world.bus, |_| Do::Pass);
    between.fail_files(usize::MAX, BusError::Refused("no room".into()));
    let _reducer = world.hire(&reducer).on(between).start();
    let asked = json!({"question": "q", "id": "refused", "deadline": "8s"});
    let id = world.ask(asked).await;
    let terminal = world.end(&id).await;
    assert_eq!(terminal.outcome, Outcome::Failed);
    assert_eq!(terminal.error.unwrap().code, "attachment_not_stored");
    assert_eq!(
        reducer.calls(),
        2,
        "once for its step, once for its default"
    );
}

/// A stage that makes too many files is given up, and so is one whose file is too large.
pub(crate) async fn more_files_than_a_step_may_make_are_refused(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let _staff = world.staff(&OTHERS);
    let reducer = Script::new(Role::Reducer, async |call| {
        let header = &call.cx.header;
        let file = |bytes| Attachment::new(header, "a.csv", "text/csv", bytes);
        let bytes = match header.turn.as_str() {
            "large" => Bytes::from(vec![0; ATTACHMENT_BYTES_MAX + 1]),
            _ => Bytes::new(),
        };
        let file = file(bytes)?;
        let mut done = draft(call.task);
        done.files = vec![file; ATTACHMENTS_MAX + 1];
        Ok(done)
    });
    let _reducer = world.hire(&reducer).start();
    for (id, code) in [("large", "attachment_too_large"), ("many", "attachments")] {
        let id = world.ask(json!({"question": "q", "id": id})).await;
        let terminal = world.end(&id).await;
        assert_eq!(terminal.outcome, Outcome::Failed);
        assert_eq!(terminal.error.unwrap().code, code);
    }
}

/// The reducer's text reaches the listener piece by piece and in order; without a wish for it, the sink is off.
pub(crate) async fn what_a_stage_writes_is_heard_as_it_comes(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let _staff = world.staff(&OTHERS);
    let reducer = Script::new(Role::Reducer, async |call| {
        let live = &call.cx.live;
        assert_eq!(live.is_on(), call.cx.header.live);
        for piece in ["It ", "ends ", "in May."] {
            live.text(piece);
            tokio::task::yield_now().await;
        }
        live.text(&"x".repeat(LIVE_TEXT_BYTES_MAX + 1));
        live.text("!");
        Ok(draft(call.task))
    });
    let _reducer = world.hire(&reducer).start();
    let mut live = world.listen("argosy.live.heard").await;
    let silent = world.ask(json!({"question": "q", "id": "silent"})).await;
    world.end(&silent).await;
    let id = world
        .ask(json!({"question": "q", "id": "heard", "stream": true}))
        .await;
    let mut pieces = Vec::new();
    while pieces.len() < 4 {
        let message = live.hear().await;
        // Entries of the trail come on the same subject.
        if let Ok(piece) = serde_json::from_slice::<LiveText>(&message.body) {
            assert_eq!(
                (piece.role, piece.hop, piece.attempt),
                (Role::Reducer, 4, 1)
            );
            pieces.push((piece.n, piece.text));
        }
    }
    let said: Vec<_> = pieces.iter().map(|(n, text)| (*n, text.as_str())).collect();
    assert_eq!(
        said,
        [(0, "It "), (1, "ends "), (2, "in May."), (4, "!")],
        "what is too long for a message is dropped, which the numbers say"
    );
    assert_eq!(world.end(&id).await.outcome, Outcome::Answered);
}

/// When a stage takes text back, the listener is told at once. The number tells to which draft a piece belongs, also
/// when the piece that announced it was lost.
pub(crate) async fn a_draft_that_begins_anew_has_another_number(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let _staff = world.staff(&OTHERS);
    let reducer = Script::new(Role::Reducer, async |call| {
        let live = &call.cx.live;
        live.expect(Duration::from_secs(13));
        live.text("June");
        live.anew();
        live.text("May");
        Ok(draft(call.task))
    });
    let _reducer = world.hire(&reducer).start();
    let mut live = world.listen("argosy.live.anew").await;
    let id = world
        .ask(json!({"question": "q", "id": "anew", "stream": true}))
        .await;
    let (mut pieces, mut waits) = (Vec::new(), Vec::new());
    while pieces.len() < 3 {
        let message = live.hear().await;
        if let Ok(piece) = serde_json::from_slice::<LiveText>(&message.body) {
            pieces.push((piece.draft, piece.n, piece.text));
        } else if let Ok(wait) = serde_json::from_slice::<LiveWait>(&message.body) {
            waits.push((wait.role, wait.expected_ms, pieces.len()));
        }
    }
    // How long it will take is told first, and is no piece of the draft.
    assert_eq!(waits, [(Role::Reducer, 13_000, 0)]);
    let wanted = [(0, 0, "June"), (1, 1, ""), (1, 2, "May")];
    assert_eq!(
        pieces,
        wanted.map(|(draft, n, text)| (draft, n, text.into()))
    );
    assert_eq!(world.end(&id).await.outcome, Outcome::Answered);
}

/// A stage that writes faster than its text can be passed on is not delayed: pieces are dropped.
pub(crate) async fn a_flood_of_text_is_dropped_and_not_waited_for(on: On) {
    const WRITTEN: u32 = 10_000;
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let _staff = world.staff(&OTHERS);
    let reducer = Script::new(Role::Reducer, async |call| {
        for n in 0..WRITTEN {
            call.cx.live.text(&n.to_string());
        }
        Ok(draft(call.task))
    });
    let _reducer = world.hire(&reducer).start();
    let mut live = world.listen("argosy.live.flood").await;
    let id = world
        .ask(json!({"question": "q", "id": "flood", "stream": true}))
        .await;
    assert_eq!(world.end(&id).await.outcome, Outcome::Answered);
    let mut heard = 0;
    loop {
        let message = live.hear().await;
        match serde_json::from_slice::<LiveText>(&message.body) {
            Ok(piece) => {
                assert_eq!(piece.n.to_string(), piece.text);
                heard += 1;
            }
            // The entry of the validator comes after everything that the reducer wrote.
            Err(_) if String::from_utf8_lossy(&message.body).contains("\"validator\"") => break,
            Err(_) => {}
        }
    }
    assert!((1..=64).contains(&heard), "{heard} pieces");
}

/// A bus that drops every broadcast delays nothing: neither the stage while it writes, nor its result, nor the
/// entries of the trail.
pub(crate) async fn a_bus_that_tells_nobody_holds_nothing_up(on: On) {
    let world = World::new(on).await;
    let _gateway = world.gateway();
    let between = Between::new(&world.bus, |_| Do::Pass);
    between.hush();
    let reducer = Script::new(Role::Reducer, async |call| {
        for n in 0..200 {
            call.cx.live.text(&n.to_string());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(draft(call.task))
    });
    let others = OTHERS.map(usual).into_iter().chain([reducer]);
    let others = others.map(|script| world.hire(&script).on(between.clone()).start());
    let _staff: Vec<_> = others.collect();
    let id = world
        .ask(json!({"question": "q", "id": "hushed", "stream": true}))
        .await;
    let terminal = world.end(&id).await;
    assert_eq!(terminal.outcome, Outcome::Answered);
    let took = terminal.asked_at.until(terminal.ended_at);
    assert!(took < 5_000, "{took} ms");
}
