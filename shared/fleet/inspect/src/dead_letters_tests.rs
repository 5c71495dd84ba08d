//! Tests of dead letters: selecting, retrying and deleting them.

use super::*;
use bus::Headers;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bytes::Bytes;
use envelope::{Case, Envelope, Header, PlanTask, QuestionText, encode};
use serde_json::{Value, json};

const KEEP: Duration = Duration::from_secs(300);

/// The letter of a planner's step of turn `old`.
fn planner() -> Publish {
    let turn = TurnId::new("old").unwrap();
    let header = Header {
        deadline: UnixMs(60_001),
        question_hash: "h".into(),
        ..Header::of(turn, Role::Planner, 0, UnixMs(1))
    };
    let case = Case {
        question: QuestionText {
            original: "why?".into(),
            rewritten: None,
        },
        ..Case::default()
    };
    let step = Envelope {
        v: envelope::WIRE,
        header,
        case,
        trail: Vec::new(),
        payload: PlanTask::First,
    };
    letter("argosy.dead.planner.old.0", "panic", encode(&step).unwrap())
}

fn letter(subject: &str, reason: &str, body: Bytes) -> Publish {
    let headers = Headers::default()
        .with(header::DEAD_REASON, reason)
        .with(header::DEAD_ERROR, "words")
        .with(header::DEAD_ORIGIN, "ARGOSY_STEPS_0/5")
        .with(header::DEAD_DELIVERED, "8");
    Publish {
        headers,
        ..Publish::new(subject, body)
    }
}

async fn bus() -> std::sync::Arc<MemoryBus> {
    let bus = MemoryBus::new(&Topology::default());
    let document = letter(
        "argosy.dead.indexer.main.b.d",
        "empty",
        Bytes::from_static(b"text"),
    );
    let headers = document.headers.with(header::SOURCE, "b/d.md");
    let headers = headers.with(header::DEAD_SUBJECT, "argosy.document.b.name");
    let mut gather: Value = serde_json::from_slice(&planner().body).unwrap();
    gather["header"]["role"] = json!("reducer");
    gather["header"]["hop"] = json!(6);
    gather["payload"] =
        json!({ "kind": "gather", "scatters": [4], "strict": false, "last": false });
    let gather = Bytes::from(gather.to_string());
    for publish in [
        letter("argosy.dead.mapper.old.3.1", "model_refused", Bytes::new()),
        Publish {
            headers,
            ..document
        },
        planner(),
        letter(
            "argosy.dead.reducer.old.4",
            "unreadable",
            Bytes::from_static(b"\xff"),
        ),
        letter("argosy.dead.reducer.old.6", "panic", gather),
    ] {
        bus.publish(publish).await.unwrap();
    }
    bus
}

async fn numbers(bus: &dyn Bus, wanted: LetterFilter, limit: usize) -> (Vec<u64>, u64) {
    let listed = list(bus, &wanted, limit).await.unwrap();
    let numbers = listed.letters.iter().map(|letter| letter.number);
    (numbers.collect(), listed.older)
}

#[tokio::test(start_paused = true)]
async fn letters_are_chosen_by_what_is_said_of_them() {
    let bus = bus().await;
    let all = LetterFilter::default();
    assert_eq!(
        numbers(&*bus, all.clone(), 9).await,
        (vec![1, 2, 3, 4, 5], 0)
    );
    assert_eq!(numbers(&*bus, all.clone(), 3).await, (vec![3, 4, 5], 2));
    let role = |role| LetterFilter {
        role: Some(role),
        ..LetterFilter::default()
    };
    assert_eq!(numbers(&*bus, role(Role::Planner), 9).await.0, [3]);
    assert_eq!(numbers(&*bus, role(Role::Indexer), 9).await.0, [2]);
    assert_eq!(numbers(&*bus, role(Role::Validator), 9).await.0, [0; 0]);
    let reason = LetterFilter {
        reason: Some("unreadable".into()),
        ..all.clone()
    };
    assert_eq!(numbers(&*bus, reason, 9).await.0, [4]);
    let now = bus.now();
    tokio::time::sleep(Duration::from_secs(60)).await;
    bus.publish(planner()).await.unwrap();
    let old = LetterFilter {
        until: Some(now.plus(1)),
        ..all.clone()
    };
    let new = LetterFilter {
        since: Some(now.plus(1)),
        ..all
    };
    assert_eq!(numbers(&*bus, old, 9).await.0, [1, 2, 3, 4, 5]);
    assert_eq!(numbers(&*bus, new, 9).await.0, [6]);
}

#[tokio::test(start_paused = true)]
async fn a_letter_that_is_tried_twice_is_one_turn() {
    let bus = bus().await;
    let stored = get(&*bus, 3).await.unwrap();
    let retry = plan(&*bus, &stored, KEEP).await.unwrap();
    let Retry::Turn { turn, .. } = &retry else {
        panic!("{retry:?}");
    };
    let turn = turn.clone();
    // Both looked before either did anything.
    let first = act(&*bus, retry.clone(), None, KEEP).await.unwrap();
    assert_eq!(first, RetryOutcome::Now(turn.clone()));
    // A claim of the same millisecond is the same claim.
    tokio::time::advance(Duration::from_millis(1)).await;
    let second = act(&*bus, retry, None, KEEP).await.unwrap();
    assert_eq!(second, RetryOutcome::Before(turn.clone()));
    // As when the first one had gone no further than its claim.
    bus.purge(Stream::Steps(0), "argosy.step.>").await.unwrap();
    let third = plan(&*bus, &stored, KEEP).await.unwrap();
    assert!(
        matches!(third, Retry::Turn { is_there: true, .. }),
        "{third:?}"
    );
    tokio::time::advance(Duration::from_millis(1)).await;
    let third = act(&*bus, third, None, KEEP).await.unwrap();
    assert_eq!(third, RetryOutcome::Before(turn.clone()));
    let steps = bus.count(Stream::Steps(0), "argosy.step.>").await.unwrap();
    assert_eq!(steps, 1);
    let begun = history::begun(&*bus, &turn).await.unwrap().unwrap();
    assert_eq!(begun.parent.unwrap().as_str(), "old");
}

#[tokio::test(start_paused = true)]
async fn documents_are_published_again_and_the_rest_says_why_not() {
    let bus = bus().await;
    let document = get(&*bus, 2).await.unwrap();
    let retry = plan(&*bus, &document, KEEP).await.unwrap();
    let Retry::Document(message) = &retry else {
        panic!("{retry:?}");
    };
    assert_eq!(message.subject, "argosy.document.b.name");
    let source = ("Argosy-Source".to_owned(), "b/d.md".to_owned());
    assert_eq!(
        (&message.headers.0[..], &message.body[..]),
        (&[source][..], &b"text"[..])
    );
    let tried = act(&*bus, retry, None, KEEP).await.unwrap();
    assert_eq!(tried, RetryOutcome::Published);
    for (number, word) in [(1, "aged out"), (4, "cannot be read"), (5, "aged out")] {
        let stored = get(&*bus, number).await.unwrap();
        match plan(&*bus, &stored, KEEP).await.unwrap() {
            Retry::Cannot(why) => assert!(why.contains(word), "{why}"),
            other => panic!("{other:?}"),
        }
    }
    let timers = bus.count(Stream::Timers, "argosy.timer.>").await.unwrap();
    assert_eq!(timers, 0, "what cannot be done is not claimed");
    let headers = document.headers.clone().with(header::DEAD_BYTES, "700000");
    let cut = StoredMessage {
        headers,
        ..document
    };
    match plan(&*bus, &cut, KEEP).await.unwrap() {
        Retry::Cannot(why) => assert!(why.contains("4 of its 700000 bytes"), "{why}"),
        other => panic!("{other:?}"),
    }
    let nameless = letter("argosy.dead.indexer.main.b.d", "bad_source", Bytes::new());
    let headers = nameless.headers.with(header::SOURCE, "");
    let nameless = Publish {
        headers,
        ..nameless
    };
    let number = bus.publish(nameless).await.unwrap();
    let stored = get(&*bus, number).await.unwrap();
    let retry = plan(&*bus, &stored, KEEP).await.unwrap();
    let why = Retry::Cannot("it does not say which document it is".into());
    assert_eq!(retry, why);
    let missing = get(&*bus, 99).await.unwrap_err();
    assert!(matches!(missing, Error::NotThere(99)), "{missing}");
}

#[tokio::test(start_paused = true)]
async fn a_webhook_that_was_given_up_is_told_and_not_tried_again() {
    let bus = MemoryBus::new(&Topology::default());
    let given_up = letter("argosy.dead.webhook.old.crm", "status", Bytes::new());
    bus.publish(given_up).await.unwrap();
    let listed = list(&*bus, &LetterFilter::default(), 9).await.unwrap();
    let told = serde_json::to_value(&listed.letters[0]).unwrap();
    assert_eq!(
        (&told["role"], &told["turn"], &told["webhook"]),
        (&json!("webhook"), &json!("old"), &json!("crm"))
    );
    assert_eq!(listed.letters[0].about(), "old");
    assert_eq!(listed.letters[0].retry, None);
    let of_role = LetterFilter {
        role: Some(Role::Gateway),
        ..LetterFilter::default()
    };
    assert_eq!(numbers(&*bus, of_role, 9).await.0, [0; 0]);
    let stored = get(&*bus, 1).await.unwrap();
    let Retry::Cannot(why) = plan(&*bus, &stored, KEEP).await.unwrap() else {
        panic!("a retry");
    };
    assert!(why.contains("argosy answer old"), "{why}");
}
